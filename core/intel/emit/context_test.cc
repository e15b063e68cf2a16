// Tests of context.h: the fields that every emitted instruction takes from its LIR instruction.
#include "core/intel/emit/context.h"

#include "core/intel/lir/ops.h"
#include "core/lir/build.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

struct Context {
  lir::Function f;
  isa::Program p{isa::Generation::kGen12};
  Structure structure{p};
  EmitContext em{Tgl(), f, p, structure};
};

TEST(EmitContext, TheHeadIsOfTheOperation) {
  Context c;
  lir::Inst in;
  in.group = 16;
  in.flags = lir::kNoMask | lir::kSaturate;
  in.cmod = static_cast<uint8_t>(isa::CondMod::kGe);
  const isa::Instruction e = c.em.Head(in, isa::Opcode::kAdd, 8, 8);
  EXPECT_EQ(e.op, isa::Opcode::kAdd);
  EXPECT_EQ(e.exec_size, 8);
  EXPECT_EQ(e.channel_offset, 24);
  EXPECT_TRUE(e.no_mask);
  EXPECT_TRUE(e.saturate);
  EXPECT_EQ(e.cmod, isa::CondMod::kGe);
  EXPECT_EQ(e.pred, isa::PredCtrl::kNone);
}

TEST(EmitContext, ThePredicateIsTheLastUse) {
  Context c;
  lir::Value flag;
  flag.file = kFileF;
  flag.elem_bytes = 0;
  c.f.values.push_back(flag);
  lir::Operand use = lir::ValueOperand(lir::ValueId(0), 0);
  use.reg = 2;
  lir::InstFields fields;
  const lir::InstId plain = lir::MakeInst(c.f, 0, fields, {}, {&use, 1});
  fields.predicate_mode = static_cast<uint8_t>(isa::PredCtrl::kNormal);
  fields.flags = lir::kPredicateInverse;
  const lir::InstId predicated = lir::MakeInst(c.f, 0, fields, {}, {&use, 1});
  isa::Instruction e;
  c.em.SetPredicate(e, plain);
  EXPECT_EQ(e.pred, isa::PredCtrl::kNone);
  c.em.SetPredicate(e, predicated);
  EXPECT_EQ(e.pred, isa::PredCtrl::kNormal);
  EXPECT_TRUE(e.pred_inverse);
  EXPECT_EQ(e.flag_nr, 1);
  EXPECT_EQ(e.flag_subnr, 0);
}

}  // namespace
}  // namespace kiln::intel
