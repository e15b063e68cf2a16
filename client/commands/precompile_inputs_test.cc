// Tests command lines of `kiln precompile`: their inputs, and refusals before anything is made.
#include "client/commands/precompile_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "client/cli/paths.h"

namespace kiln::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kCapture[] = "client/examples/capture.foz";

class PrecompileInputsTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "/precompile_inputs";
    std::filesystem::remove_all(root_);
    for (const char* file : {"a.comp", "b.comp"}) {
      ASSERT_TRUE(WriteWholeFile(File(file), "void main() {}\n").ok());
    }
  }
  std::string File(const std::string& name) const { return root_ + "/" + name; }
  absl::Status Read(const std::vector<std::string>& arguments) {
    flags_ = ParseFlags(PrecompileCommand().flags, arguments);
    EXPECT_TRUE(flags_.ok()) << flags_.status();
    if (!flags_.ok()) return flags_.status();
    return ReadPrecompileInputs(
        *flags_, {"output"}, [](const std::string&) {}, &inputs_);
  }
  // Reads another command line than before. Returns why it is refused.
  std::string Error(const std::vector<std::string>& arguments) {
    inputs_ = PrecompileInputs();
    return std::string(Read(arguments).message());
  }

  std::string root_;
  absl::StatusOr<ParsedFlags> flags_;
  PrecompileInputs inputs_;
};

TEST_F(PrecompileInputsTest, CapturesAndFilesAreToldApart) {
  const absl::Status read = Read({"--target=tgl", "-o", "r.sqlite", "--jobs=3", "--shard=2/5",
                                  File("b.comp"), kCapture, File("a.comp")});
  ASSERT_TRUE(read.ok()) << read;
  ASSERT_EQ(inputs_.captures.size(), 1u);
  EXPECT_EQ(inputs_.captures[0].first, kCapture);
  EXPECT_EQ(inputs_.files.size(), 2u);
  EXPECT_EQ(inputs_.jobs, 3u);
  EXPECT_EQ(inputs_.shard.number, 2u);
  EXPECT_EQ(inputs_.shard.of, 5u);
  EXPECT_EQ(inputs_.gate, nullptr);
}

TEST_F(PrecompileInputsTest, AllFilesReadAreProtectedFromOutputs) {
  ASSERT_TRUE(WriteWholeFile(File("list.txt"), File("a.comp") + "\n").ok());
  const absl::Status read = Read({"--target=tgl", "-o", "r.sqlite", "--root=" + root_,
                                  "--list=" + File("list.txt"), kCapture});
  ASSERT_TRUE(read.ok()) << read;
  const std::vector<std::string> files = inputs_.FilesRead(*flags_);
  for (const std::string& file :
       {File("list.txt"), std::string("r.sqlite"), std::string(kCapture), File("a.comp")}) {
    EXPECT_THAT(files, testing::Contains(file));
  }
}

TEST_F(PrecompileInputsTest, ItemsOfAManifestBringTheirTargets) {
  ASSERT_TRUE(WriteWholeFile(File("m.jsonl"), R"({"file": "a.comp", "targets": ["gfx1030"]})"
                                              "\n"
                                              R"({"file": "b.comp"})"
                                              "\n")
                  .ok());
  const absl::Status read =
      Read({"--target=tgl", "-o", "r.sqlite", "--root=" + root_, "--manifest=" + File("m.jsonl")});
  ASSERT_TRUE(read.ok()) << read;
  EXPECT_THAT(inputs_.Targets(), ElementsAre("gfx1030", "tgl"));
}

TEST_F(PrecompileInputsTest, WrongOnesAreRefusedByName) {
  const std::string file = File("a.comp");
  EXPECT_THAT(Error({"--target=tgl", file}), HasSubstr("-o FILE is needed"));
  EXPECT_THAT(Error({"--target=tgl", "-o", "-", file}), HasSubstr("-o FILE is needed"));
  EXPECT_THAT(Error({"--target=tgl", "-o", "r"}), HasSubstr("there is nothing to compile"));
  EXPECT_THAT(Error({"--target=tgl", "-o", "r", "--shard=3/2", file}), HasSubstr("--shard: "));
  EXPECT_THAT(Error({"--target=tgl", "-o", "r", "--pause-above=cpu", file}),
              HasSubstr("--pause-above: "));
  EXPECT_THAT(Error({"--target=tgl", "-o", "r", "--stage=compute", kCapture}),
              HasSubstr("--stage: a capture says this"));
}

}  // namespace
}  // namespace kiln::client
