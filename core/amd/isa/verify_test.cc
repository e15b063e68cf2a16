#include "core/amd/isa/verify.h"

#include <gtest/gtest.h>

#include <set>

#include "core/amd/isa/encode.h"
#include "core/amd/isa/examples.h"

namespace kiln::amd::isa {
namespace {

std::set<std::string> Names(const Instruction& inst, Wave wave) {
  std::set<std::string> names;
  for (const Rule* rule : BrokenBy(inst, wave)) names.insert(std::string(rule->name));
  return names;
}

using Set = std::set<std::string>;

TEST(Verify, RulesHaveNamesStatementsAndSources) {
  std::set<absl::string_view> names;
  for (const Rule& rule : Rules()) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    EXPECT_FALSE(rule.statement.empty()) << rule.name;
    EXPECT_FALSE(rule.source.empty()) << rule.name;
  }
}

TEST(Verify, ExamplesBreakNone) {
  for (const Example& example : Examples()) {
    const auto decoded = Decode(example.bytes);
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(Names(decoded->inst, Wave::k32), Set()) << example.text;
  }
}

TEST(Verify, ScalarsOfAVectorInstruction) {
  Instruction inst;
  inst.op = Opcode::kVAdd3U32;
  inst.dst = Vgpr(0);
  inst.src = {Sgpr(0), Sgpr(1), Sgpr(1)};
  EXPECT_EQ(Names(inst, Wave::k32), Set()) << "one register twice is one";
  inst.src[2] = Sgpr(2);
  EXPECT_EQ(Names(inst, Wave::k32), Set{"constant bus"});
  inst.src[2] = Sgpr(kNull);
  EXPECT_EQ(Names(inst, Wave::k32), Set());
  inst.src[2] = Source(kInt0);
  EXPECT_EQ(Names(inst, Wave::k32), Set());
  inst.src[2] = Source(kLiteralCode);
  EXPECT_EQ(Names(inst, Wave::k32), Set{"constant bus"});
  inst.src = {Source(kLiteralCode), Source(kLiteralCode), Sgpr(1)};
  EXPECT_EQ(Names(inst, Wave::k32), Set()) << "a literal twice is one";
}

TEST(Verify, TheImplicitMaskCounts) {
  Instruction inst;
  inst.op = Opcode::kVDivFmasF32;
  inst.dst = Vgpr(0);
  inst.src = {Sgpr(0), Sgpr(0), Vgpr(1)};
  EXPECT_EQ(Names(inst, Wave::k64), Set());
  inst.src[1] = Sgpr(1);
  EXPECT_EQ(Names(inst, Wave::k64), Set{"constant bus"});
}

TEST(Verify, ShiftsOf64BitsReadOneScalar) {
  Instruction inst;
  inst.op = Opcode::kVLshlrevB64;
  inst.dst = Vgpr(0);
  inst.src = {Sgpr(0), Vgpr(2)};
  EXPECT_EQ(Names(inst, Wave::k32), Set());
  inst.src[1] = Sgpr(2);
  EXPECT_EQ(Names(inst, Wave::k32), Set{"constant bus"});
}

TEST(Verify, MasksOfTwoPasses) {
  Instruction inst;
  inst.op = Opcode::kVCmpLtU32;
  inst.form = Form::kVop3;
  inst.dst = Sgpr(2);
  inst.src = {Sgpr(2), Vgpr(1)};
  EXPECT_EQ(Names(inst, Wave::k64), Set{"lane masks in wave64"});
  EXPECT_EQ(Names(inst, Wave::k32), Set()) << "one pass";
  inst.src[0] = Sgpr(3);
  EXPECT_EQ(Names(inst, Wave::k64), Set()) << "the second pass writes it";
  inst.form = Form::kPlain;
  inst.dst = Operand();
  inst.src[0] = Sgpr(kVccLo);
  EXPECT_EQ(Names(inst, Wave::k64), Set{"lane masks in wave64"});
  Instruction carry;
  carry.op = Opcode::kVAddCoCiU32;
  carry.form = Form::kVop3;
  carry.dst = Vgpr(0);
  carry.sdst = Sgpr(4);
  carry.src = {Vgpr(1), Vgpr(2), Sgpr(4)};
  EXPECT_EQ(Names(carry, Wave::k64), Set()) << "the carry is read by halves";
}

TEST(Verify, TuplesOfScalars) {
  Instruction inst;
  inst.op = Opcode::kSMovB64;
  const auto names = [&](int dst, int src) {
    inst.dst = Sgpr(dst);
    inst.src[0] = Sgpr(src);
    return Names(inst, Wave::k32);
  };
  EXPECT_EQ(names(104, kVccLo), Set());
  EXPECT_EQ(names(kNull, kExecLo), Set());
  EXPECT_EQ(names(3, 4), Set{"scalar tuples"});
  EXPECT_EQ(names(4, 105), Set{"scalar tuples"});
  EXPECT_EQ(names(4, kM0), Set{"scalar tuples"});
  EXPECT_EQ(names(4, kTtmp0 + 14), Set());
}

std::vector<std::string> NamesOf(const std::vector<Instruction>& program) {
  const auto bytes = EncodeProgram(program);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  std::vector<std::string> names;
  for (const Finding& f : Verify(*DecodeProgram(*bytes), Wave::k32)) {
    names.push_back(std::string(f.rule));
  }
  return names;
}

Instruction Simple(Opcode op, uint16_t simm = 0) {
  Instruction inst;
  inst.op = op;
  inst.simm = simm;
  return inst;
}

Instruction Load() {
  Instruction inst;
  inst.op = Opcode::kSLoadDword;
  inst.dst = Sgpr(0);
  inst.src[0] = Sgpr(2);
  return inst;
}

using List = std::vector<std::string>;

TEST(Verify, ProgramsEndAndBranchWithin) {
  const Instruction end = Simple(Opcode::kSEndpgm);
  EXPECT_EQ(NamesOf({Simple(Opcode::kSBranch, 0), end}), List());
  EXPECT_EQ(NamesOf({end, Simple(Opcode::kSCodeEnd), Simple(Opcode::kSCodeEnd)}), List());
  EXPECT_EQ(NamesOf({Simple(Opcode::kSNop)}), List{"end of the program"});
  EXPECT_EQ(NamesOf({Simple(Opcode::kSCbranchScc0, 5), end}), List{"branch targets"});
  EXPECT_EQ(NamesOf({Load(), Simple(Opcode::kSCbranchScc0, static_cast<uint16_t>(-2)), end}),
            List{"branch targets"})
      << "into the second dword of the load";
}

TEST(Verify, ClausesHaveWhatTheySay) {
  const Instruction end = Simple(Opcode::kSEndpgm);
  EXPECT_EQ(NamesOf({Simple(Opcode::kSClause, 1), Load(), Load(), end}), List());
  EXPECT_EQ(NamesOf({Simple(Opcode::kSClause, 2), Load(), Load(), end}), List{"clauses"});
  EXPECT_EQ(NamesOf({Simple(Opcode::kSClause, 1), Load(), Simple(Opcode::kSNop), end}),
            List{"clauses"});
}

TEST(Verify, Hazards) {
  const Instruction end = Simple(Opcode::kSEndpgm);
  Instruction compare, permlane, atomic;
  compare.op = Opcode::kVCmpxEqU32;
  compare.src = {Vgpr(0), Vgpr(1)};
  permlane.op = Opcode::kVPermlane16B32;
  permlane.dst = Vgpr(0);
  permlane.src = {Vgpr(1), Sgpr(0), Sgpr(1)};
  EXPECT_EQ(NamesOf({compare, permlane, end}), List{"permlane after v_cmpx"});
  EXPECT_EQ(NamesOf({compare, Simple(Opcode::kSNop), permlane, end}), List());
  atomic.op = Opcode::kGlobalAtomicFmin;
  atomic.src = {Vgpr(0), Vgpr(2)};
  const Instruction denorm = Simple(Opcode::kSDenormMode, 15), nop = Simple(Opcode::kSNop);
  EXPECT_EQ(NamesOf({atomic, nop, denorm, end}), List{"denormal mode after a float atomic"});
  EXPECT_EQ(NamesOf({atomic, nop, nop, nop, denorm, end}), List());
  EXPECT_EQ(NamesOf({atomic, Simple(Opcode::kSWaitcnt, 0x3f70), denorm, end}), List());
}

}  // namespace
}  // namespace kiln::amd::isa
