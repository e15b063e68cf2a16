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

TEST(Verify, DlcIsForLoads) {
  Instruction inst;
  inst.dst = Vgpr(1);
  inst.src = {Vgpr(2), Sgpr(4), Source(kInt0)};
  inst.dlc = true;
  inst.op = Opcode::kBufferLoadDword;
  EXPECT_EQ(Names(inst, Wave::k32).count("dlc"), 0u);
  for (Opcode op : {Opcode::kBufferStoreDword, Opcode::kBufferAtomicAdd, Opcode::kFlatStoreDword,
                    Opcode::kGlobalAtomicAdd, Opcode::kImageStore, Opcode::kImageAtomicAdd,
                    Opcode::kTbufferStoreFormatX, Opcode::kScratchStoreDword}) {
    inst.op = op;
    inst.dlc = true;
    EXPECT_EQ(Names(inst, Wave::k32).count("dlc"), 1u) << Info(op).mnemonic;
    inst.dlc = false;
    EXPECT_EQ(Names(inst, Wave::k32).count("dlc"), 0u) << Info(op).mnemonic;
  }
}

Instruction Setreg(Opcode op, int number) {
  Instruction inst;
  inst.op = op;
  inst.src[0] = op == Opcode::kSSetregB32 ? Sgpr(0) : Operand();
  inst.simm = static_cast<uint16_t>(number | 31 << 11);
  return inst;
}

TEST(Verify, TrapRegisters) {
  Instruction inst;
  inst.op = Opcode::kSMovB32;
  inst.src[0] = Sgpr(kTtmp0);
  inst.dst = Sgpr(kVccHi);
  EXPECT_EQ(Names(inst, Wave::k32), Set()) << "reads are no privilege";
  inst.dst = Sgpr(kM0);
  EXPECT_EQ(Names(inst, Wave::k32), Set());
  for (int n : {0, kTtmpCount - 1}) {
    inst.dst = Sgpr(kTtmp0 + n);
    EXPECT_EQ(Names(inst, Wave::k32), Set{"trap registers"}) << n;
  }
  Instruction compare;
  compare.op = Opcode::kVCmpLtU32;
  compare.form = Form::kVop3;
  compare.dst = Sgpr(kTtmp0);
  compare.src = {Vgpr(2), Vgpr(1)};
  EXPECT_EQ(Names(compare, Wave::k64), Set{"trap registers"});
}

TEST(Verify, HardwareRegistersOfTrapHandlers) {
  for (Opcode op : {Opcode::kSSetregB32, Opcode::kSSetregImm32B32}) {
    for (int number : {2, 16, 17, 18, 19}) {  // STATUS, TBA, TMA
      EXPECT_EQ(Names(Setreg(op, number), Wave::k32), Set{"trap registers"}) << number;
    }
    for (int number : {1, 3, 20, 21}) {  // MODE, TRAPSTS, FLAT_SCRATCH
      EXPECT_EQ(Names(Setreg(op, number), Wave::k32), Set()) << number;
    }
  }
  Instruction read = Setreg(Opcode::kSGetregB32, 16);
  read.dst = Sgpr(0);
  EXPECT_EQ(Names(read, Wave::k32), Set());
}

TEST(Verify, SumsOfDifferencesLieOverNoSource) {
  Instruction inst;
  inst.op = Opcode::kVMqsadU32U8;
  inst.dst = Vgpr(4);
  inst.src = {Vgpr(0), Vgpr(2), Vgpr(8)};
  EXPECT_EQ(Names(inst, Wave::k32), Set());
  inst.src[2] = Vgpr(4);
  EXPECT_EQ(Names(inst, Wave::k32), Set{"sums of differences"});
  inst.src[2] = Source(kInt0);
  EXPECT_EQ(Names(inst, Wave::k32), Set{"register files"});
  inst.op = Opcode::kVQsadPkU16U8;
  EXPECT_EQ(Names(inst, Wave::k32), Set());
  inst.src[1] = Vgpr(5);
  EXPECT_EQ(Names(inst, Wave::k32), Set{"sums of differences"});
}

}  // namespace
}  // namespace kiln::amd::isa
