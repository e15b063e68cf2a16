// Items of a command line.
#include "client/commands/batch_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "client/cli/paths.h"

namespace kiln::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class BatchInputsTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "/batch_inputs";
    std::filesystem::remove_all(root_);
    for (const char* file : {"a.comp", "b/c.spv", "m.vert", "m.frag"}) {
      ASSERT_TRUE(WriteWholeFile(root_ + "/" + file, "").ok());
    }
  }
  absl::StatusOr<std::vector<BatchItem>> Read(std::vector<std::string> arguments) {
    arguments.push_back("--root=" + root_);
    const auto flags = ParseFlags(InputFlags(), arguments);
    EXPECT_TRUE(flags.ok()) << flags.status();
    if (!flags.ok()) return flags.status();
    return ReadBatchItems(*flags, {"output"}, settings_);
  }
  std::vector<std::string> Texts(const std::vector<std::string>& arguments) {
    const auto items = Read(arguments);
    EXPECT_TRUE(items.ok()) << items.status();
    std::vector<std::string> texts;
    if (!items.ok()) return texts;
    for (const BatchItem& item : *items) {
      texts.push_back(item.label + (item.fragment.has_value() ? " + " + item.fragment->label : ""));
    }
    return texts;
  }
  std::string Error(const std::vector<std::string>& arguments) {
    return std::string(Read(arguments).status().message());
  }
  std::string root_;
  CompileSettings settings_;
};

TEST_F(BatchInputsTest, TheRootAloneIsAllBelowIt) {
  EXPECT_THAT(Texts({}), ElementsAre("a.comp", "b/c.spv", "m.frag", "m.vert"));
  EXPECT_THAT(Texts({"a.comp"}), ElementsAre("a.comp"));
}

TEST_F(BatchInputsTest, PairsAreItems) {
  EXPECT_THAT(Texts({"--pair=m.vert,m.frag"}), ElementsAre("m.vert + m.frag"));
  EXPECT_THAT(Texts({"a.comp", "--pair=m.vert,m.frag", "--pair=b/c.spv,b/c.spv"}),
              ElementsAre("a.comp", "m.vert + m.frag", "b/c.spv + b/c.spv"));
  EXPECT_THAT(Error({"--pair=m.vert"}), HasSubstr("--pair=m.vert: must be VERTEX,FRAGMENT"));
  EXPECT_THAT(Error({"--pair=m.frag,m.vert"}), HasSubstr("the vertex shader comes first"));
  EXPECT_THAT(Error({"--pair=m.vert,n.frag"}), HasSubstr("n.frag: there is no such file"));
  settings_.source.stage = "vertex";
  EXPECT_THAT(Error({"--pair=m.vert,m.frag"}), HasSubstr("--stage: not with a pair (m.vert"));
}

TEST_F(BatchInputsTest, PermutationsAreItems) {
  EXPECT_THAT(Texts({"--permutations=A=0,1", "a.comp"}),
              ElementsAre("a.comp (A=0)", "a.comp (A=1)"));
  EXPECT_THAT(Texts({"--permutations=A=0,1", "--pair=m.vert,m.frag"}),
              ElementsAre("m.vert (A=0) + m.frag (A=0)", "m.vert (A=1) + m.frag (A=1)"));
  EXPECT_THAT(Error({"--permutations=A", "a.comp"}), HasSubstr("--permutations: "));
}

TEST_F(BatchInputsTest, ManifestsAndLists) {
  const std::string manifest = root_ + "/m.jsonl", list = root_ + "/l";
  ASSERT_TRUE(WriteWholeFile(manifest,
                             "{\"file\": \"a.comp\", \"permutations\": \"B=1..2\", "
                             "\"weight\": 3}\n")
                  .ok());
  ASSERT_TRUE(WriteWholeFile(list, "b/c.spv\n").ok());
  EXPECT_THAT(Texts({"--manifest=" + manifest, "--list=" + list}),
              ElementsAre("b/c.spv", "a.comp (B=1)", "a.comp (B=2)"));
  EXPECT_THAT(Error({"--manifest=" + manifest, "--strict"}), HasSubstr("this key is unknown"));
  EXPECT_THAT(Error({"--manifest=" + root_ + "/none"}), HasSubstr("--manifest: "));
}

TEST_F(BatchInputsTest, NothingToCompile) {
  std::filesystem::remove_all(root_);
  std::filesystem::create_directories(root_);
  EXPECT_THAT(Error({}), HasSubstr("there is nothing to compile"));
  EXPECT_THAT(Error({"-"}), HasSubstr("- is not an input of a batch"));
}

TEST_F(BatchInputsTest, TargetsOfItemsAreChecked) {
  kiln::v1::Capabilities capabilities;
  capabilities.add_targets()->set_name("tgl");
  const std::string manifest = root_ + "/m.jsonl";
  ASSERT_TRUE(WriteWholeFile(manifest, "{\"file\": \"a.comp\", \"targets\": [\"tlg\"]}\n").ok());
  const auto items = Read({"--manifest=" + manifest});
  ASSERT_TRUE(items.ok()) << items.status();
  settings_.request.add_targets("tgl");
  EXPECT_THAT(std::string(CheckItems(*items, capabilities, "here", settings_).message()),
              HasSubstr("a.comp: "));
}

}  // namespace
}  // namespace kiln::client
