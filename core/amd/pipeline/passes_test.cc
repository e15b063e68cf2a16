// Tests the passes' table: its order, and how it sees a program on its way.
#include "core/amd/pipeline/passes.h"

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/amd/lir/machine.h"
#include "core/base/pass.h"
#include "core/lir/print.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

TEST(Passes, AreInTheOrderOfTheirConstraints) {
  EXPECT_EQ(CheckTable(PassRows(), PassOrders()), absl::OkStatus());
  EXPECT_EQ(PassRows().size(), Passes().size());
  for (const PassOrder& order : PassOrders()) {
    // Each is one that the table could break.
    std::vector<PassRow> rows = PassRows();
    const auto at = [&](std::string_view name) {
      for (PassRow& row : rows) {
        if (row.name == name) return &row;
      }
      return static_cast<PassRow*>(nullptr);
    };
    ASSERT_NE(at(order.first), nullptr) << order.first;
    ASSERT_NE(at(order.then), nullptr) << order.then;
    std::swap(*at(order.first), *at(order.then));
    EXPECT_NE(CheckTable(rows, PassOrders()), absl::OkStatus()) << order.first << order.then;
  }
}

// None may be moved at will.
TEST(Passes, EachHasAConstraint) {
  for (const PassRow& row : PassRows()) {
    bool found = false;
    for (const PassOrder& order : PassOrders()) {
      found |= order.first == row.name || order.then == row.name;
    }
    EXPECT_TRUE(found) << row.name;
  }
}

// A shader that stores its subgroup's size, so that each width has a module of its own.
mir::Module SizeStored() {
  absl::StatusOr<mir::Module> m = mir::Parse(
      "mir 1\nentry \"main\"\nlocal_size 64, 1, 1\nresource 0 ssbo 0.0.0\nbody {\n"
      "%0:i32 = subgroup_size\nstore_ssbo[0, align 4] 0, %0\nreturn\n}\n");
  EXPECT_TRUE(m.ok()) << m.status();
  return m.ok() ? *std::move(m) : mir::Module();
}

class PassesTest : public ::testing::Test {
 protected:
  PassesTest() : module_(SizeStored()), abi_(*AssignAbi(module_)) {}

  Work WorkAt(uint32_t lanes) const {
    Work w;
    w.module = &module_;
    w.abi = &abi_;
    w.lanes = lanes;
    w.check = true;
    return w;
  }
  // Runs the table up to a pass, verifying after each.
  static absl::Status RunUntil(std::string_view last, Work& w) {
    PassOptions options;
    options.stop_after = std::string(last);
    options.verify_each = true;
    const Budget unlimited;
    Runner runner(options, nullptr, unlimited);
    return runner.Run(WorkLevel(), Passes(), w);
  }

  const mir::Module module_;
  const Abi abi_;
};

TEST_F(PassesTest, EachStageHasItsText) {
  Work w = WorkAt(32);
  EXPECT_EQ(WorkLevel().print(w), "") << "the module is not this width's";
  EXPECT_EQ(WorkLevel().count(w), 0);
  ASSERT_EQ(RunUntil("resolve_subgroup_size", w), absl::OkStatus());
  EXPECT_EQ(WorkLevel().print(w), mir::Print(w.resolved));
  EXPECT_NE(WorkLevel().print(w).find("32"), std::string::npos) << WorkLevel().print(w);

  Work selected = WorkAt(64);
  ASSERT_EQ(RunUntil("select", selected), absl::OkStatus());
  EXPECT_EQ(selected.stage, Work::Stage::kSsa);
  EXPECT_EQ(WorkLevel().print(selected), lir::Print(Gfx1030Machine(), selected.lir));
  EXPECT_GT(WorkLevel().count(selected), 1);

  Work whole = WorkAt(64);
  ASSERT_EQ(RunUntil("", whole), absl::OkStatus());
  EXPECT_EQ(whole.stage, Work::Stage::kBytes);
  EXPECT_NE(WorkLevel().print(whole).find("s_endpgm"), std::string::npos)
      << WorkLevel().print(whole);
  EXPECT_EQ(WorkLevel().count(whole), static_cast<int64_t>(whole.program.rows.size()));
  EXPECT_TRUE(whole.unscheduled.empty());
}

TEST_F(PassesTest, DeadInstructionsGoBeforeTheOrderIsMade) {
  Work w = WorkAt(32);
  ASSERT_EQ(RunUntil("select", w), absl::OkStatus());
  const int64_t before = WorkLevel().count(w);
  Work less = WorkAt(32);
  ASSERT_EQ(RunUntil("remove_dead_instructions", less), absl::OkStatus());
  EXPECT_LE(WorkLevel().count(less), before);
  Work scheduled = WorkAt(32);
  ASSERT_EQ(RunUntil("schedule", scheduled), absl::OkStatus());
  EXPECT_EQ(scheduled.unscheduled.size(), static_cast<size_t>(WorkLevel().count(less)));
}

}  // namespace
}  // namespace kiln::amd
