// Tests sums of pass runs: by target and stage, of killed workers, with names that are not known.
#include "server/pages/pass_table.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

namespace kiln::pages {
namespace {

using kiln::v1::TargetResult;

class PassTableTest : public testing::Test {
 protected:
  static worker::Hello Hello() {
    worker::Hello hello;
    hello.add_targets()->set_name("one");
    hello.add_targets()->set_name("two");
    hello.add_passes()->set_name("fold");
    hello.add_steps("read");
    hello.add_stages("compute");
    hello.add_stages("fragment");
    return hello;
  }
  static worker::Job Compile(const std::string& stage = "") {
    worker::Job job;
    job.mutable_compile()->add_targets("one");
    job.mutable_compile()->add_targets("two");
    job.mutable_compile()->set_stage(stage);
    return job;
  }
  static worker::JobOutcome Finished(const std::string& stage) {
    worker::JobOutcome outcome;
    for (int i = 0; i < 2; ++i)
      outcome.results.emplace_back(TargetResult()).value().set_stage(stage);
    return outcome;
  }
  PassTable::Row Find(const std::string& pass, const std::string& target,
                      const std::string& stage) const {
    for (const PassTable::Row& row : table_.Rows()) {
      if (row.pass == pass && row.target == target && row.stage == stage) return row;
    }
    return {};
  }

  PassTable table_{Hello()};
};

TEST_F(PassTableTest, RunsAreSummedByTargetAndStage) {
  worker::JobOutcome outcome = Finished("compute");
  outcome.passes = {{"read", "", -1, false, 5, 0, 0},
                    {"fold", "", 0, true, 100, 10, 7},
                    {"fold", "", 0, false, 50, 7, 7},
                    {"fold", "", 1, true, 10, 4, 6}};
  table_.Add(outcome, Compile());
  table_.Add(outcome, Compile());
  const PassTable::Row one = Find("fold", "one", "compute");
  EXPECT_EQ(one.runs, 4u);
  EXPECT_EQ(one.changed, 2u);
  EXPECT_EQ(one.nanoseconds, 300);
  EXPECT_EQ(one.removed, 6);
  EXPECT_EQ(one.added, 0);
  EXPECT_EQ(Find("fold", "two", "compute").added, 4);
  EXPECT_EQ(Find("read", "any", "compute").runs, 2u);
  EXPECT_EQ(table_.Rows().size(), 3u);
}

TEST_F(PassTableTest, AKilledWorkersPassesCountWithTheRequestsStage) {
  worker::JobOutcome outcome;
  outcome.status = TargetResult::CRASHED;
  outcome.last_pass = "fold";
  outcome.blamed_target = 1;
  outcome.passes = {{"fold", "", 0, false, 1, 0, 0}};
  table_.Add(outcome, Compile("fragment"));
  EXPECT_EQ(Find("fold", "one", "fragment").runs, 1u);
  EXPECT_EQ(Find("fold", "two", "fragment").deaths, 1u);
  table_.Add(outcome, Compile());
  EXPECT_EQ(Find("fold", "two", "other").deaths, 1u) << "neither said its stage";
}

TEST_F(PassTableTest, ATranslationHasItsSourcesStage) {
  worker::Job job;
  job.mutable_translate()->mutable_glsl()->set_stage("fragment");
  worker::JobOutcome outcome;
  outcome.passes = {{"read", "", -1, false, 9, 0, 0}};
  table_.Add(outcome, job);
  EXPECT_EQ(Find("read", "any", "fragment").nanoseconds, 9);
}

TEST_F(PassTableTest, InventedNamesAreOneRow) {
  worker::JobOutcome outcome = Finished("no such stage");
  for (int i = 0; i < 100; ++i) {
    outcome.passes.push_back({"pass " + std::to_string(i), "", 7 + i, true, 1, 0, 0});
  }
  table_.Add(outcome, Compile());
  ASSERT_EQ(table_.Rows().size(), 1u);
  EXPECT_EQ(Find("other", "any", "other").runs, 100u);
}

}  // namespace
}  // namespace kiln::pages
