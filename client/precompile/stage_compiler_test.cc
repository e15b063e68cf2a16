// Units: what they depend on, and that each is asked for once.
#include "client/precompile/stage_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/precompile/testing.h"

namespace kiln::client {
namespace {

using kiln::v1::CompileRequest;
using kiln::v1::TargetResult;

CompileRequest Request(const std::string& stage, const std::vector<std::string>& targets) {
  CompileRequest request;
  request.set_spirv("code");
  request.set_stage(stage);
  request.mutable_targets()->Assign(targets.begin(), targets.end());
  return request;
}

class StageCompilerTest : public testing::Test {
 protected:
  std::vector<OutcomeRow> Compile(const CompileRequest& request) {
    LoadedFile file;
    file.name = "a";
    file.request = request;
    auto rows = compiler_.Compile(UnitOf(request), file, {}, [this](CompileRequest*) {
      ++asked_for_source_;
      return absl::OkStatus();
    });
    EXPECT_TRUE(rows.ok()) << rows.status();
    return rows.ok() ? *rows : std::vector<OutcomeRow>();
  }
  // Adds the outcome to what is known, as writing it does.
  void Remember(const OutcomeRow& row, int64_t id) {
    EXPECT_TRUE(compiler_
                    .Update([&](std::map<std::string, StoredResults>* known) {
                      (*known)[row.target][row.unit] = {id, row.status, row.reads};
                      return absl::OkStatus();
                    })
                    .ok());
  }

  FakeService service_;
  const kiln::v1::Capabilities capabilities_ = FakeService::Stages();
  StageCompiler compiler_{&service_, capabilities_, {}};
  int asked_for_source_ = 0;
};

TEST_F(StageCompilerTest, AsksForWhatIsNotKnown) {
  const auto first = Compile(Request("compute", {"tgl", "skl"}));
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[1].target, "skl");
  EXPECT_EQ(first[0].stored, 0);
  Remember(first[0], 5);
  const auto second = Compile(Request("compute", {"tgl", "skl", "hsw"}));
  ASSERT_EQ(second.size(), 3u);
  EXPECT_EQ(second[0].stored, 5);
  EXPECT_EQ(second[0].target, "tgl");
  EXPECT_EQ(second[1].target, "skl");
  EXPECT_EQ(second[2].target, "hsw");
  ASSERT_EQ(service_.requests.size(), 2u);
  EXPECT_EQ(service_.requests[1].targets_size(), 2);
}

TEST_F(StageCompilerTest, AskForNoSourceOfWhatIsKnown) {
  const auto first = Compile(Request("compute", {"tgl"}));
  Remember(first[0], 5);
  Compile(Request("compute", {"tgl"}));
  EXPECT_EQ(asked_for_source_, 1);
  EXPECT_EQ(service_.requests.size(), 1u);
}

TEST_F(StageCompilerTest, KeepsWhatAFragmentShaderReads) {
  const auto rows = Compile(Request("fragment", {"tgl"}));
  EXPECT_EQ(rows[0].reads, "2:xy");
  EXPECT_FALSE(rows[0].result->variants(0).has_launch());
  Remember(rows[0], 9);
  EXPECT_EQ(Compile(Request("fragment", {"tgl"}))[0].reads, "2:xy");
  EXPECT_EQ(Compile(Request("vertex", {"tgl"}))[0].reads, "");
}

TEST_F(StageCompilerTest, AStageThatIsNotCompiledIsNotAskedFor) {
  const auto rows = Compile(Request("geometry", {"tgl"}));
  EXPECT_EQ(rows[0].status, TargetResult::REFUSED);
  EXPECT_EQ(rows[0].result->cause(), "unsupported_stage");
  EXPECT_EQ(service_.requests.size(), 0u);
}

TEST_F(StageCompilerTest, AServiceThatIsGoneIsAnError) {
  service_.error = absl::UnavailableError("gone");
  LoadedFile file;
  file.request = Request("compute", {"tgl"});
  EXPECT_TRUE(absl::IsUnavailable(
      compiler_
          .Compile(UnitOf(file.request), file, {}, [](CompileRequest*) { return absl::OkStatus(); })
          .status()));
}

TEST(UnitOf, DependsOnAllButTargetsAndOutputs) {
  const CompileRequest base = Request("compute", {"tgl"});
  CompileRequest same = base;
  same.add_targets("skl");
  same.mutable_outputs()->set_binary(true);
  same.set_cache_policy(kiln::v1::CACHE_REFRESH);
  EXPECT_EQ(UnitOf(same), UnitOf(base));
  std::vector<CompileRequest> others(5, base);
  others[0].set_spirv("other");
  others[1].set_entry_point("other");
  others[2].add_spec_constants()->set_id(3);
  others[3].mutable_options()->set_required_subgroup_size(8);
  others[4].mutable_options()->mutable_state()->mutable_next_stage_reads();
  for (const CompileRequest& other : others) {
    EXPECT_NE(UnitOf(other), UnitOf(base)) << other.ShortDebugString();
  }
}

TEST(OutcomeWithoutUnit, EqualResultsAreOne) {
  TargetResult result;
  result.set_cause("missing_module");
  result.set_message("module 1");
  const OutcomeRow one = OutcomeWithoutUnit(result);
  EXPECT_EQ(OutcomeWithoutUnit(result).unit, one.unit);
  result.set_message("module 2");
  EXPECT_NE(OutcomeWithoutUnit(result).unit, one.unit);
}

}  // namespace
}  // namespace kiln::client
