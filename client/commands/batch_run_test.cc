// Runs of `kiln batch`, with a double of the compiler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "client/cli/interrupt.h"
#include "client/cli/paths.h"
#include "client/commands/command.h"
#include "client/commands/testing.h"

namespace kiln::client {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class BatchRunTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/batch_run";
    std::filesystem::remove_all(folder_);
    for (const char* file : {"a.comp", "b.comp"}) {
      ASSERT_TRUE(WriteWholeFile(folder_ + "/" + file, "void main() {}\n").ok());
    }
  }
  Ran Batch(std::vector<std::string> arguments) {
    for (const char* flag :
         {"--local", "--worker=server/worker/testing/fake_worker", "--target=tgl", "--jobs=2"}) {
      arguments.push_back(flag);
    }
    arguments.push_back("--root=" + folder_);
    return RunWith(BatchCommand(), arguments, {.interrupt = &interrupt_});
  }
  std::string folder_;
  static Interrupt interrupt_;
};
Interrupt BatchRunTest::interrupt_;

TEST_F(BatchRunTest, ListsItemsWithoutAService) {
  const Ran ran = RunWith(BatchCommand(), {"--list-items", "--target=tgl", "--root=" + folder_,
                                           "--permutations=A=1,2", "--server=unix:/no/such"});
  EXPECT_EQ(ran.out, "a.comp (A=1)\na.comp (A=2)\nb.comp (A=1)\nb.comp (A=2)\n");
  EXPECT_EQ(ran.code, kExitOk);
}

TEST_F(BatchRunTest, WritesALineForEachResultInOrder) {
  const std::string lines = folder_ + "/out.jsonl";
  const Ran ran = Batch({"--jsonl=" + lines, "--permutations=A=1,2"});
  EXPECT_EQ(ran.code, kExitOk) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("4 modules, 4 results in "));
  const auto text = ReadWholeFile(lines, 1 << 20);
  ASSERT_TRUE(text.ok());
  std::vector<std::string> files;
  for (size_t at = text->find("\"defines\":["); at != std::string::npos;
       at = text->find("\"defines\":[", at + 1)) {
    files.push_back(text->substr(at + 11, 5));
  }
  EXPECT_THAT(files, testing::ElementsAre("\"A=1\"", "\"A=2\"", "\"A=1\"", "\"A=2\""));
}

TEST_F(BatchRunTest, AFailureIsTheExitCodeAndIsTold) {
  ASSERT_TRUE(WriteWholeFile(folder_ + "/b.comp", "error\n").ok());
  const Ran ran = Batch({});
  EXPECT_EQ(ran.code, kExitSomeFailed);
  EXPECT_THAT(ran.err, HasSubstr("b.comp: tgl: invalid (invalid_glsl)"));
  EXPECT_THAT(ran.out, HasSubstr("invalid"));
}

TEST_F(BatchRunTest, OverBudgetIsOneAfterATable) {
  const std::string budget = folder_ + "/budget.json";
  ASSERT_TRUE(WriteWholeFile(budget, R"({"rules": [{"max": {"bytes": 0}}]})").ok());
  const Ran ran = Batch({"--budget=" + budget});
  EXPECT_EQ(ran.code, kExitSomeFailed) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("2 over budget"));
}

TEST_F(BatchRunTest, OutputsOfOneFileAreNoBatchs) {
  const Ran ran = Batch({"-o", "-"});
  EXPECT_EQ(ran.code, kExitUsage);
  EXPECT_THAT(ran.err, HasSubstr("give -o DIR"));
}

}  // namespace
}  // namespace kiln::client
