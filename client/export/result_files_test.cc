#include "client/export/result_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cli/paths.h"
#include "client/export/testing.h"

namespace kiln::client {
namespace {

using testing::HasSubstr;

class ResultFilesTest : public testing::Test {
 protected:
  std::string Path(const std::string& name) { return testing::TempDir() + "/result_files/" + name; }
  std::string Text(const std::string& name) {
    return ReadWholeFile(Path(name), 1 << 20).value_or("none");
  }
  absl::Status Open(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& outputs = {}, bool writes_code = false) {
    const absl::StatusOr<ParsedFlags> flags = ParseFlags(ResultFileFlags(), arguments);
    if (!flags.ok()) return flags.status();
    return files_.Open(*flags, TwoTargets(), {Path("in")}, outputs, writes_code);
  }

  ResultFiles files_;
};

TEST_F(ResultFilesTest, WithoutFlagsKeepsNothing) {
  ASSERT_TRUE(Open({}).ok());
  EXPECT_FALSE(files_.wanted());
  EXPECT_EQ(files_.Finish(kExitInternal)->code, kExitInternal);
}

TEST_F(ResultFilesTest, WritesEachFile) {
  ASSERT_TRUE(WriteWholeFile(Path("b.json"), R"({"rules": [{"max": {"size": 4}}]})").ok());
  ASSERT_TRUE(
      Open({"--junit=" + Path("j.xml"), "--sarif=" + Path("s.sarif"), "--depfile=" + Path("d.d"),
            "--depfile-target=r.jsonl", "--budget=" + Path("b.json")})
          .ok());
  ExportedResult made = Made("a.comp", {{"size", 5}});
  made.read.push_back({"src/x.h", "x.h"});
  files_.Add(made);
  const auto outcome = files_.Finish(kExitOk);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->code, kExitSomeFailed);
  EXPECT_EQ(outcome->over, 1u);
  EXPECT_EQ(outcome->judged, 1u);
  EXPECT_THAT(outcome->text, HasSubstr("1 over budget"));
  EXPECT_THAT(Text("j.xml"), HasSubstr("over_budget"));
  EXPECT_THAT(Text("s.sarif"), HasSubstr("over_budget"));
  EXPECT_THAT(Text("d.d"), HasSubstr("r.jsonl: src/a.comp src/x.h " + Path("b.json") + "\n"));
}

TEST_F(ResultFilesTest, AWorseExitCodeStays) {
  ASSERT_TRUE(WriteWholeFile(Path("b.json"), R"({"rules": [{"max": {"size": 4}}]})").ok());
  ASSERT_TRUE(Open({"--budget=" + Path("b.json")}).ok());
  files_.Add(Made("a.comp", {{"size", 5}}));
  EXPECT_EQ(files_.Finish(kExitInternal)->code, kExitInternal);
}

TEST_F(ResultFilesTest, ADependencyFileHasARuleForEachItemOfMachineCode) {
  ASSERT_TRUE(Open({"--depfile=" + Path("d.d")}, {"r.jsonl"}, true).ok());
  ExportedResult made = Made("a.comp", {});
  made.written = {"out/a.8.bin"};
  files_.Add(made);
  files_.Add(Made("b.comp", {}));
  ASSERT_TRUE(files_.Finish(kExitOk).ok());
  EXPECT_EQ(Text("d.d"),
            "out/a.8.bin: src/a.comp\nr.jsonl: src/a.comp src/b.comp\n\nsrc/b.comp:\n");
}

TEST_F(ResultFilesTest, RefusesWhatCannotBe) {
  ASSERT_TRUE(WriteWholeFile(Path("in"), "shader").ok());
  ASSERT_TRUE(WriteWholeFile(Path("bad.json"), "{\"rules\": [{}]}").ok());
  const auto error = [&](const std::vector<std::string>& arguments) {
    files_ = ResultFiles();
    return std::string(Open(arguments).message());
  };
  EXPECT_THAT(error({"--junit=" + Path("in")}), HasSubstr("is an input of this command"));
  EXPECT_THAT(error({"--junit=x", "--sarif=./x"}), HasSubstr("another flag names this file"));
  EXPECT_THAT(error({"--sarif=-"}), HasSubstr("give the name of a file"));
  EXPECT_THAT(error({"--depfile=d"}), HasSubstr("--depfile-target=NAME"));
  EXPECT_THAT(error({"--depfile-target=d"}), HasSubstr("has no effect without --depfile"));
  EXPECT_THAT(error({"--budget=" + Path("none")}), HasSubstr("--budget: "));
  EXPECT_THAT(error({"--budget=" + Path("bad.json")}),
              HasSubstr("bad.json: rule 1: bounds nothing"));
  EXPECT_EQ(Text("in"), "shader");
}

}  // namespace
}  // namespace kiln::client
