#include "core/amd/optimise/packed_form.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/amd/lir/ops.h"
#include "core/amd/optimise/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using isa::Opcode;

// Returns the form of the first instruction of a block.
std::optional<PackedForm> FormOf(const std::string& inst) {
  const lir::Function f = testing::Parsed("block b0 depth 0\n  " + inst + "\n  end\n");
  return PackedFormOf(f, lir::FindDefUse(f), f.blocks[0].insts[0]);
}

TEST(PackedForm, OperationsOfWordsHaveOne) {
  for (Opcode op : {Opcode::kVAddF16, Opcode::kVSubrevF16, Opcode::kVFmaF16, Opcode::kVSubNcU16,
                    Opcode::kVAshrrevI16, Opcode::kVMinU16}) {
    EXPECT_TRUE(HasPackedForm(Op(op))) << isa::Info(op).mnemonic;
  }
  for (Opcode op : {Opcode::kVAddF32, Opcode::kVRcpF16, Opcode::kVMadU16, Opcode::kVPkAddF16}) {
    EXPECT_FALSE(HasPackedForm(Op(op))) << isa::Info(op).mnemonic;
  }
}

TEST(PackedForm, DifferencesOfFloatsAreSums) {
  const auto sub = FormOf("%6 = v_sub_f16 %0 %1 {[]}");
  ASSERT_TRUE(sub.has_value());
  EXPECT_EQ(sub->op, Opcode::kVPkAddF16);
  EXPECT_TRUE(sub->is_float && sub->commutes);
  EXPECT_EQ(sub->sources, 2);
  EXPECT_FALSE(sub->negated[0]);
  EXPECT_TRUE(sub->negated[1]);
  const auto reversed = FormOf("%6 = v_subrev_f16 -%0 %1 {[]}");
  ASSERT_TRUE(reversed.has_value());
  EXPECT_FALSE(reversed->negated[0]) << "twice";
  EXPECT_FALSE(reversed->negated[1]);
  const auto integers = FormOf("%6 = v_sub_nc_u16 %0 %1 {[]}");
  ASSERT_TRUE(integers.has_value());
  EXPECT_EQ(integers->op, Opcode::kVPkSubU16);
  EXPECT_FALSE(integers->is_float || integers->commutes || integers->negated[1]);
}

TEST(PackedForm, ConstantsHaveTheirSign) {
  const auto form = FormOf("%6 = v_sub_f16 %0 #0x3c00 {[]}");
  ASSERT_TRUE(form.has_value());
  EXPECT_TRUE(form->words[1].is_constant());
  EXPECT_EQ(form->words[1].dword.id, 0xbc00u);
  EXPECT_FALSE(form->negated[1]);
}

TEST(PackedForm, WordsAreWhereTheyAre) {
  const lir::Function f = testing::Parsed(
      "block b0 depth 0\n  %6 = v_lshrrev_b32 #0x10 %0 {[]}\n  %7 = v_fma_f16 %6 %1 %5.1 {[]}\n"
      "  end\n");
  const auto form = PackedFormOf(f, lir::FindDefUse(f), f.blocks[0].insts[1]);
  ASSERT_TRUE(form.has_value());
  EXPECT_EQ(form->sources, 3);
  EXPECT_TRUE(form->words[0].high);
  EXPECT_EQ(form->words[0].dword.id, 0u);
  EXPECT_FALSE(form->words[1].high);
  EXPECT_EQ(form->words[2].dword.comp, 1);
}

TEST(PackedForm, ModifiersOfHalvesHaveNone) {
  EXPECT_FALSE(FormOf("%6 = v_add_f16 |%0| %1 {[]}").has_value());
  EXPECT_FALSE(FormOf("%6 = v_add_f16 %0 %1 {[op_sel 1]}").has_value());
  EXPECT_FALSE(FormOf("%6 = v_add_f16 %0 %1 {[omod 1]}").has_value());
  EXPECT_FALSE(FormOf("%6 = v_add_f32 %0 %1 {[]}").has_value());
  EXPECT_FALSE(FormOf("%6 = v_add_f16 %0 %1 {nomask []}").has_value());
}

TEST(PackedForm, SaturationIsShared) {
  const auto plain = FormOf("%6 = v_add_f16 %0 %1 {[]}");
  const auto saturated = FormOf("%6 = v_add_f16 %0 %1 {sat []}");
  ASSERT_TRUE(plain.has_value() && saturated.has_value());
  EXPECT_TRUE(saturated->saturates);
  EXPECT_TRUE(CanShare(*saturated, *saturated));
  EXPECT_FALSE(CanShare(*plain, *saturated));
  EXPECT_FALSE(CanShare(*plain, *FormOf("%6 = v_mul_f16 %0 %1 {[]}")));
  EXPECT_FALSE(FormOf("%6 = v_add_nc_u16 %0 %1 {sat []}").has_value()) << "wraps in the packed one";
}

}  // namespace
}  // namespace kiln::amd
