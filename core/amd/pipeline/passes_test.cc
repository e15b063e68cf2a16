// Tests the passes' table: its order, and how it sees a program on its way.
#include "core/amd/pipeline/passes.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "core/amd/lir/machine.h"
#include "core/amd/lir/ops.h"
#include "core/base/pass.h"
#include "core/lir/parse.h"
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

  // Allocates registers of a program that was scheduled for 32 vector registers.
  static void Allocate(const std::string& text, Work& w) {
    absl::StatusOr<lir::Function> f = lir::Parse(Gfx1030Machine(), text);
    ASSERT_TRUE(f.ok()) << f.status();
    w.lir = *std::move(f);
    w.lir.pool_units = {256, kSgprUnits, 1};
    w.stage = Work::Stage::kSsa;
    w.vgpr_goal = 32;
    for (const Pass<Work>& pass : Passes()) {
      if (pass.name != "allocate_registers") continue;
      PassContext context = PassContext::ForTest();
      ASSERT_EQ(pass.run(w, context).status(), absl::OkStatus());
    }
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

// Scalars that find no register go to lanes of one within the step, not of the last of all.
TEST_F(PassesTest, SpilledScalarsCostNoWaves) {
  constexpr int kScalars = 150;
  std::string text = "function gfx1030 width 64\nvalue %0 V 4x1\nvalue %1 S 4x1\n";
  for (int i = 2; i < 2 * kScalars; ++i) absl::StrAppend(&text, "value %", i, " S 4x1\n");
  text += "value %300 V 4x1\nlivein %0 at 0\nlivein %1 at 0\nblock b0 depth 0\n";
  for (int i = 2; i <= kScalars; ++i) {
    absl::StrAppend(&text, "  %", i, " = s_mul_i32 %1 #0x", absl::Hex(i), " {[]}\n");
  }
  for (int i = 2; i < kScalars; ++i) {
    absl::StrAppend(&text, "  %", kScalars + i - 1, " = s_mul_i32 %", i, " %",
                    i == 2 ? kScalars : kScalars + i - 2, " {[]}\n");
  }
  absl::StrAppend(&text, "  %300 = v_xor_b32 %0 %", 2 * kScalars - 2, " {[]}\n  end\n");
  Work w = WorkAt(64);
  Allocate(text, w);
  EXPECT_GT(w.spilled_sgprs, 0);
  EXPECT_EQ(w.spilled_vgprs, 0);
  EXPECT_EQ(w.lir.pool_units[kPoolVgpr], 256u) << "of the workgroup";
  for (const lir::Reserved& reserved : w.lir.reserved) {
    if (reserved.pool != kPoolVgpr) continue;
    EXPECT_LE(reserved.first + reserved.units, 32u);
  }
}

// Descriptors that a later block reads are loaded there if scalars would be spilled.
TEST_F(PassesTest, DescriptorsAreLoadedAgainInsteadOfSpilled) {
  constexpr int kDescriptors = 40;
  std::string text = "function gfx1030 width 64\nvalue %0 S 4x2\nvalue %1 V 4x1\n";
  for (int i = 0; i < kDescriptors; ++i) absl::StrAppend(&text, "value %", 2 + i, " S 4x4\n");
  text += "livein %0 at 0\nlivein %1 at 0\nblock b0 depth 0\n";
  for (int i = 0; i < kDescriptors; ++i) {
    absl::StrAppend(&text, "  %", 2 + i, "x4 = s_load_dwordx4 %0x2 _ {nomask [offset ", 16 * i,
                    "]}\n");
  }
  text += "  jump\n  -> b1\nblock b1 depth 0\n";
  for (int i = 0; i < kDescriptors; ++i) {
    absl::StrAppend(&text, "  buffer_store_dword %1 _ %", 2 + i, "x4 _ {[]}\n");
  }
  Work w = WorkAt(64);
  Allocate(text + "  end\n", w);
  EXPECT_EQ(w.spilled_sgprs, 0);
}

}  // namespace
}  // namespace kiln::amd
