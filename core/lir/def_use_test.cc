#include "core/lir/def_use.h"

#include "core/lir/parse.h"
#include "core/lir/testing_scalar.h"
#include "gtest/gtest.h"

namespace kiln::lir {
namespace {

using testing::ScalarTestMachine;

constexpr const char* kText =
    "function scalar width 32\n"
    "value %0 S 4x1\nvalue %1 S 4x1\nvalue %2 S 4x1\n"
    "block b0 depth 0\n"
    "  %0:b32 = s_const #0x1:b32\n"
    "  s_jump\n"
    "  -> b1(%0:b32)\n"
    "block b1 depth 0 params %1\n"
    "  %2:b32 = s_mul %0:b32 %0:b32\n"
    "  s_end\n";

TEST(DefUse, CountsOperandsAndArguments) {
  const absl::StatusOr<Function> f = Parse(ScalarTestMachine(), kText);
  ASSERT_TRUE(f.ok()) << f.status();
  const DefUse info = FindDefUse(*f);
  EXPECT_EQ(info.uses, (std::vector<uint32_t>{3, 0, 0}));
  EXPECT_EQ(info.def[0], f->blocks[0].insts[0]);
  EXPECT_FALSE(info.def[1].valid());  // a parameter
  EXPECT_EQ(info.block[f->blocks[1].insts[0].index], BlockId(1));
  const Operand use = f->uses(f->blocks[1].insts[0])[0];
  ASSERT_NE(info.DefOf(use), nullptr);
  EXPECT_EQ(*info.DefOf(use), f->blocks[0].insts[0]);
  EXPECT_EQ(info.DefOf(Operand()), nullptr);
}

TEST(DefUse, AnyInstFindsWhatTheTestNames) {
  const absl::StatusOr<Function> f = Parse(ScalarTestMachine(), kText);
  ASSERT_TRUE(f.ok()) << f.status();
  const auto is = [&](uint16_t op) {
    return AnyInst(*f, [&](InstId id) { return f->inst(id).op == op; });
  };
  EXPECT_TRUE(is(testing::kSMulOp));
  EXPECT_FALSE(is(testing::kSAddOp));
}

}  // namespace
}  // namespace kiln::lir
