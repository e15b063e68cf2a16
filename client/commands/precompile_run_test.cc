// Runs of `kiln precompile`, with a double of the compiler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "client/cli/interrupt.h"
#include "client/cli/paths.h"
#include "client/commands/command.h"
#include "client/commands/testing.h"
#include "client/database/sql.h"

namespace kiln::client {
namespace {

using testing::HasSubstr;
using testing::Not;

class PrecompileRunTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/precompile_run";
    std::filesystem::remove_all(folder_);
    for (const char* file : {"a.comp", "m.vert", "m.frag"}) {
      ASSERT_TRUE(WriteWholeFile(folder_ + "/" + file, "void main() {}\n").ok());
    }
  }
  std::string File(const std::string& name) const { return folder_ + "/" + name; }
  Ran Precompile(std::vector<std::string> arguments) {
    for (const char* flag :
         {"--local", "--worker=server/worker/testing/fake_worker", "--target=tgl", "--jobs=2"}) {
      arguments.push_back(flag);
    }
    arguments.push_back("--output=" + File("r.sqlite"));
    return RunWith(PrecompileCommand(), arguments, {.interrupt = &interrupt_});
  }
  int64_t Count(const std::string& what) const {
    const auto db = SqlDatabase::Open(File("r.sqlite"), SqlDatabase::Mode::kRead);
    EXPECT_TRUE(db.ok()) << db.status();
    const auto count = (*db)->IntOf("SELECT count(*) FROM " + what);
    EXPECT_TRUE(count.ok()) << count.status();
    return count.ok() ? *count : -1;
  }
  std::string folder_;
  static Interrupt interrupt_;
};
Interrupt PrecompileRunTest::interrupt_;

TEST_F(PrecompileRunTest, ListsItemsWithoutAServiceOrADatabase) {
  const Ran ran = RunWith(PrecompileCommand(),
                          {"--list-items", "--target=tgl", "--permutations=A=1,2", File("a.comp"),
                           "--pair=" + File("m.vert") + "," + File("m.frag")});
  EXPECT_EQ(ran.code, kExitOk) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("a.comp (A=2)\n"));
  EXPECT_THAT(ran.out, HasSubstr("m.vert (A=1) + "));
}

TEST_F(PrecompileRunTest, PermutationsAndPairsAreRows) {
  const Ran ran = Precompile(
      {"--permutations=A=1,2", File("a.comp"), "--pair=" + File("m.vert") + "," + File("m.frag")});
  EXPECT_THAT(ran.out, HasSubstr("4 pipelines in "));
  EXPECT_EQ(Count("pipeline WHERE kind = 'file'"), 2);
  EXPECT_EQ(Count("pipeline WHERE kind = 'pair'"), 2);
  EXPECT_EQ(Count("stage WHERE defines = 'A=2'"), 3);
  EXPECT_EQ(Count("stage_result WHERE stage = 'fragment'"), 2);
}

TEST_F(PrecompileRunTest, AManifestsPermutationsAreRows) {
  const std::string manifest = File("m.jsonl");
  ASSERT_TRUE(
      WriteWholeFile(manifest, "{\"file\": \"a.comp\", \"permutations\": \"A=1..3\"}\n").ok());
  Precompile({"--manifest=" + manifest});
  EXPECT_EQ(Count("pipeline"), 3);
}

TEST_F(PrecompileRunTest, ABudgetJudgesWhatWasFinishedBefore) {
  EXPECT_EQ(Precompile({File("a.comp")}).code, kExitOk);
  const std::string budget = File("budget.json");
  ASSERT_TRUE(WriteWholeFile(budget, R"({"rules": [{"max": {"bytes": 0}}]})").ok());
  const Ran over = Precompile({File("a.comp"), "--budget=" + budget, "--junit=" + File("j.xml")});
  EXPECT_EQ(over.code, kExitSomeFailed);
  EXPECT_THAT(over.out, HasSubstr(" 0 results compiled"));
  EXPECT_THAT(over.out, HasSubstr("1 over budget"));
  const auto junit = ReadWholeFile(File("j.xml"), 1 << 20);
  ASSERT_TRUE(junit.ok());
  EXPECT_THAT(*junit, HasSubstr("type=\"over_budget\""));
  ASSERT_TRUE(WriteWholeFile(budget, R"({"rules": [{"max": {"bytes": 1000000}}]})").ok());
  const Ran within = Precompile({File("a.comp"), "--budget=" + budget});
  EXPECT_EQ(within.code, kExitOk) << within.out;
  EXPECT_THAT(within.out, Not(HasSubstr("over budget")));
}

TEST_F(PrecompileRunTest, AWrongCommandLineMakesNoDatabase) {
  ASSERT_TRUE(WriteWholeFile(File("budget.json"), R"({"rules": [{"max": {"sise": 0}}]})").ok());
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{},
                                                {File("none.comp")},
                                                {File("a.comp"), "--shard=3/2"},
                                                {File("a.comp"), "--budget=" + File("budget.json")},
                                                {File("a.comp"), "--junit=" + File("a.comp")},
                                                {"--pair=" + File("m.vert")}}) {
    EXPECT_EQ(Precompile(wrong).code, kExitUsage) << testing::PrintToString(wrong);
  }
  EXPECT_FALSE(std::filesystem::exists(File("r.sqlite")));
}

TEST_F(PrecompileRunTest, MergingJudgesNothing) {
  EXPECT_EQ(Precompile({"--merge", "--budget=b.json", File("part.sqlite")}).code, kExitUsage);
}

}  // namespace
}  // namespace kiln::client
