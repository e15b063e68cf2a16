// Tests each restriction with a good instruction and one change that breaks it, and it alone. A
// restriction without a case fails the test.
#include "core/intel/isa/verify.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/intel/isa/messages.h"

namespace kiln::intel::isa {
namespace {

constexpr Generation kGen = Generation::kGen12;

Operand Reg(int nr, Type type, Region region) {
  Operand o;
  o.file = File::kGrf;
  o.type = type;
  o.nr = static_cast<uint8_t>(nr);
  o.region = region;
  return o;
}

Operand Null() {
  Operand o;
  o.file = File::kArf;
  return o;
}

Operand Imm(Type type, uint64_t bits) {
  Operand o;
  o.file = File::kImm;
  o.type = type;
  o.imm = bits;
  return o;
}

Instruction Basic(Opcode op, Type dst, Type src, int exec = 8) {
  Instruction inst;
  inst.op = op;
  inst.exec_size = static_cast<uint8_t>(exec);
  inst.dst = Reg(10, dst, {0, 1, 1});
  for (int i = 0; i < Info(op).nsrc; ++i) inst.src[i] = Reg(20 + 4 * i, src, {8, 8, 1});
  return inst;
}

Instruction Add() { return Basic(Opcode::kAdd, Type::kF, Type::kF); }
Instruction MovToWord() {
  Instruction inst = Basic(Opcode::kMov, Type::kW, Type::kD);
  inst.dst.region.hstride = 2;
  return inst;
}
Instruction MovToHalf(Type src) {
  Instruction inst = Basic(Opcode::kMov, Type::kHF, src);
  inst.dst.region.hstride = 2;
  return inst;
}
Instruction Scalar() {
  Instruction inst = Basic(Opcode::kAdd, Type::kF, Type::kF, 1);
  for (Operand& src : inst.src) src.region = {0, 1, 0};
  return inst;
}
Instruction VectorMov() {
  Instruction inst = Basic(Opcode::kMov, Type::kUW, Type::kUW);
  inst.src[0] = Imm(Type::kV, 0x76543210);
  return inst;
}
Instruction Math(MathFunction f, Type type) {
  Instruction inst = Basic(Opcode::kMath, type, type);
  inst.math = f;
  inst.swsb = 0x40;
  return inst;
}
Instruction MixedMath() {
  Instruction inst = Math(MathFunction::kSqrt, Type::kF);
  inst.src[0] = Reg(20, Type::kHF, {16, 8, 2});
  return inst;
}
Instruction Mad() { return Basic(Opcode::kMad, Type::kF, Type::kF); }
Instruction Csel() {
  Instruction inst = Basic(Opcode::kCsel, Type::kF, Type::kF);
  inst.cmod = CondMod::kL;
  return inst;
}
Instruction DwordTimesWord() {
  Instruction inst = Basic(Opcode::kMul, Type::kD, Type::kD);
  inst.src[1].type = Type::kW;
  return inst;
}
Instruction Compare() {
  Instruction inst = Basic(Opcode::kCmp, Type::kF, Type::kF);
  inst.cmod = CondMod::kL;
  return inst;
}
Instruction Select() {
  Instruction inst = Basic(Opcode::kSel, Type::kF, Type::kF);
  inst.pred = PredCtrl::kNormal;
  return inst;
}
Instruction Store() {
  MessageFields f;
  f.message = Message::kUntypedWrite;
  f.channels = 3;
  SetLengths(kGen, f);
  Instruction inst = *MakeSend(kGen, f);
  inst.swsb = 0x40;
  inst.src[0] = Reg(30, Type::kUD, {0, 1, 0});
  inst.src[1] = Reg(40, Type::kUD, {0, 1, 0});
  return inst;
}
Instruction BlockRead(int owords = 2, int channels = 8) {
  MessageFields f;
  f.message = Message::kBlockRead;
  f.owords = static_cast<uint8_t>(owords);
  SetLengths(kGen, f);
  Instruction inst = *MakeSend(kGen, f);
  inst.exec_size = static_cast<uint8_t>(channels);
  inst.swsb = 0x40;
  inst.dst = Reg(50, Type::kUD, {0, 1, 1});
  inst.src[0] = Reg(30, Type::kUD, {0, 1, 0});
  return inst;
}
Instruction Sync() {
  Instruction inst;
  inst.op = Opcode::kSync;
  inst.src[0] = Null();
  return inst;
}
Instruction EndOfThread() {
  MessageFields f;
  f.message = Message::kEndOfThread;
  SetLengths(kGen, f);
  Instruction inst = *MakeSend(kGen, f);
  inst.src[0] = Reg(127, Type::kUD, {0, 1, 0});
  inst.swsb = 1;
  return inst;
}
// Returns a message with all eleven parameters, two of them in the second payload; a header is one
// more register.
Instruction SampleWithDerivatives() {
  MessageFields fields;
  fields.message = Message::kSampleD;
  SetLengths(kGen, fields, 11);
  fields.mlen -= 2;
  fields.ex_mlen += 2;
  Instruction inst = *MakeSend(kGen, fields);
  inst.dst = Reg(10, Type::kUD, {0, 1, 1});
  inst.src[0] = Reg(20, Type::kUD, {0, 1, 0});
  inst.src[1] = Reg(40, Type::kUD, {0, 1, 0});
  inst.swsb = 0x41;
  return inst;
}
Instruction Gather() {
  MessageFields fields;
  fields.message = Message::kGather4;
  fields.header = true;
  SetLengths(kGen, fields, 2);
  Instruction inst = *MakeSend(kGen, fields);
  inst.dst = Reg(10, Type::kUD, {0, 1, 1});
  inst.src[0] = Reg(20, Type::kUD, {0, 1, 0});
  if (fields.ex_mlen != 0) inst.src[1] = Reg(40, Type::kUD, {0, 1, 0});
  inst.swsb = 0x41;
  return inst;
}
Instruction TargetWrite() {
  MessageFields f;
  f.message = Message::kTargetWrite;
  f.last_target = true;
  SetLengths(kGen, f, 4);
  Instruction inst = *MakeSend(kGen, f);
  inst.op = Opcode::kSendc;
  inst.send.eot = true;
  inst.src[0] = Reg(120, Type::kUD, {0, 1, 0});
  inst.swsb = 1;
  return inst;
}
Instruction UrbWrite() {
  MessageFields f;
  f.message = Message::kUrbWrite;
  SetLengths(kGen, f, 8);
  Instruction inst = *MakeSend(kGen, f);
  inst.src[0] = Reg(112, Type::kUD, {0, 1, 0});
  inst.src[1] = Reg(113, Type::kUD, {0, 1, 0});
  inst.send.eot = true;
  inst.swsb = 1;
  return inst;
}
Instruction Interpolate(int lanes) {
  MessageFields f;
  f.message = Message::kInterpolateSample;
  f.lanes = static_cast<uint8_t>(lanes);
  SetLengths(kGen, f);
  Instruction inst = *MakeSend(kGen, f);
  inst.dst = Reg(10, Type::kUD, {0, 1, 1});
  inst.src[0] = Reg(20, Type::kUD, {0, 1, 0});
  inst.swsb = 0x40;
  return inst;
}
Instruction SixteenSamples() {
  MessageFields f;
  f.message = Message::kSample;
  f.lanes = 16;
  SetLengths(kGen, f, 5);
  Instruction inst = *MakeSend(kGen, f);
  inst.dst = Reg(10, Type::kUD, {0, 1, 1});
  inst.src[0] = Reg(30, Type::kUD, {0, 1, 0});
  inst.swsb = 0x40;
  return inst;
}
Instruction If(int jip, int uip) {
  Instruction inst;
  inst.op = Opcode::kIf;
  inst.exec_size = 8;
  inst.pred = PredCtrl::kNormal;
  inst.jip = jip;
  inst.uip = uip;
  return inst;
}

struct Case {
  std::string restriction;
  Instruction good;
  std::function<void(Instruction&)> breaks;
  bool alone = true;  // no other restriction is broken with it
};

std::vector<Case> Cases() {
  using I = Instruction&;
  return {
      {"opcode", Add(), [](I i) { i.op = Opcode::kDp4; }, false},
      {"channels", Add(), [](I i) { i.channel_offset = 4; }},
      {"channels", Add(), [](I i) { i.channel_offset = 28; }},
      {"types", Add(), [](I i) { i.dst.type = Type::kD; }},
      {"types", Mad(), [](I i) { i.src[0] = Imm(Type::kF, 0); }, false},
      {"null source", Add(),
       [](I i) {
         i.src[1] = Null();
         i.src[1].type = Type::kF;
       }},
      {"byte second source", Basic(Opcode::kAdd, Type::kD, Type::kD),
       [](I i) { i.src[1].type = Type::kB; }},
      {"packed byte destination", Basic(Opcode::kMov, Type::kUB, Type::kUB),
       [](I i) { i.src[0].type = Type::kUW; }},
      {"half to integer", MovToHalf(Type::kD), [](I i) { i.dst.subnr = 2; }, false},
      {"half to integer", MovToHalf(Type::kD), [](I i) { i.dst.region.hstride = 4; }, false},
      {"float to half", MovToHalf(Type::kF), [](I i) { i.dst.region.hstride = 4; }},
      {"narrow destination stride", MovToWord(), [](I i) { i.dst.region.hstride = 1; }},
      {"narrow destination alignment", MovToWord(), [](I i) { i.dst.subnr = 2; }},
      {"width", Basic(Opcode::kAdd, Type::kF, Type::kF, 8),
       [](I i) {
         i.exec_size = 4;
         i.src[1].region = {4, 4, 1};
       }},
      {"one row", Add(), [](I i) { i.src[0].region.vstride = 4; }},
      {"width one", Add(),
       [](I i) {
         i.src[0].region = {1, 1, 1};
       }},
      {"scalar", Scalar(),
       [](I i) {
         i.src[0].region = {8, 1, 0};
       }},
      {"broadcast", Add(),
       [](I i) {
         i.src[0].region = {0, 4, 0};
       }},
      {"row in register", Add(), [](I i) { i.src[0].subnr = 16; }},
      {"row in register", Basic(Opcode::kMad, Type::kF, Type::kF),
       [](I i) { i.src[0].subnr = 16; }},
      {"row in register", Basic(Opcode::kMad, Type::kF, Type::kF), [](I i) { i.src[2].subnr = 4; }},
      {"destination stride", Add(), [](I i) { i.dst.region.hstride = 0; }},
      {"wide source", Add(),
       [](I i) {
         i.src[0].region = {16, 2, 1};
       }},
      {"wide destination", Add(), [](I i) { i.dst.region.hstride = 4; }},
      {"wide destination", Add(), [](I i) { i.exec_size = 32; }, false},
      {"register file", Basic(Opcode::kAdd, Type::kF, Type::kF, 16), [](I i) { i.dst.nr = 127; }},
      {"register file", Store(), [](I i) { i.src[1].nr = 127; }},
      {"operand alignment", Add(),
       [](I i) {
         i.src[0] = Reg(20, Type::kF, {0, 1, 0});
         i.src[0].subnr = 2;
       }},
      {"architecture register", Add(),
       [](I i) {
         i.dst = Null();
         i.dst.type = Type::kF;
         i.dst.region.hstride = 1;
         i.dst.nr = 1;
       }},
      {"architecture register", Store(), [](I i) { i.dst.nr = 4; }},
      {"sync operand", Sync(),
       [](I i) {
         i.src[0] = Reg(20, Type::kUD, {0, 1, 0});
       }},
      {"mixed float indirect", MovToHalf(Type::kF),
       [](I i) {
         i.src[0].indirect = true;
         i.src[0].nr = 0;
       }},
      {"mixed float width", MovToHalf(Type::kF),
       [](I i) {
         i.exec_size = 16;
         i.dst.region.hstride = 1;
       }},
      {"mixed float math", MixedMath(),
       [](I i) {
         i.src[0].region = {8, 8, 1};
       }},
      {"types", Select(), [](I i) { i.src[1].type = Type::kHF; }},  // WaMixModeSelInstDstNotPacked
      {"vector immediate", VectorMov(), [](I i) { i.dst.subnr = 8; }},
      {"vector immediate", VectorMov(), [](I i) { i.dst.region.hstride = 2; }},
      {"immediate place", Add(), [](I i) { i.src[0] = Imm(Type::kF, 0); }},
      {"immediate place", Basic(Opcode::kMad, Type::kW, Type::kW),
       [](I i) {
         i.src[0] = Imm(Type::kW, 1);
         i.src[2] = Imm(Type::kW, 1);
       }},
      {"three-source immediate", Mad(), [](I i) { i.src[2] = Imm(Type::kHF, 0x3c00); }},
      {"three-source immediate", Basic(Opcode::kMad, Type::kHF, Type::kHF),
       [](I i) { i.src[2] = Imm(Type::kHF, 0x3c00); }},
      {"three-source immediate", Csel(), [](I i) { i.src[0] = Imm(Type::kHF, 0x3c00); }},
      {"three-source immediate", Basic(Opcode::kBfe, Type::kD, Type::kD),
       [](I i) { i.src[0] = Imm(Type::kUW, 5); }},
      {"three-source immediate", Basic(Opcode::kBfi2, Type::kUD, Type::kUD),
       [](I i) { i.src[2] = Imm(Type::kUW, 5); }},
      {"dword product", DwordTimesWord(), [](I i) { i.src[1].type = Type::kD; }},
      {"dword product", DwordTimesWord(), [](I i) { i.src[1] = Imm(Type::kUD, 3); }},
      {"dword multiply modifier", DwordTimesWord(), [](I i) { i.src[1].negate = true; }},
      {"immediate place", Basic(Opcode::kMovi, Type::kD, Type::kD),
       [](I i) { i.src[0] = Imm(Type::kD, 1); }},
      {"select", Select(), [](I i) { i.pred = PredCtrl::kNone; }},
      {"select", Select(), [](I i) { i.cmod = CondMod::kL; }},
      {"compare", Compare(), [](I i) { i.cmod = CondMod::kNone; }},
      {"math operands", Math(MathFunction::kInv, Type::kF),
       [](I i) {
         i.dst = Null();
         i.dst.type = Type::kF;
         i.dst.region.hstride = 1;
       }},
      {"math width", Math(MathFunction::kIntDivQuotient, Type::kD), [](I i) { i.exec_size = 16; }},
      {"half math width", Math(MathFunction::kSqrt, Type::kHF), [](I i) { i.exec_size = 16; }},
      {"math types", Math(MathFunction::kInv, Type::kF),
       [](I i) { i.dst.type = i.src[0].type = Type::kD; }},
      {"math types", Math(MathFunction::kIntDivQuotient, Type::kD),
       [](I i) { i.dst.type = i.src[0].type = i.src[1].type = Type::kF; }},
      {"logic modifiers", Basic(Opcode::kAnd, Type::kD, Type::kD),
       [](I i) { i.src[0].absolute = true; }},
      {"predicate group", Add(), [](I i) { i.pred = PredCtrl::kAny16h; }},
      {"predicate group", Add(), [](I i) { i.pred = PredCtrl::kAll32h; }},
      {"division modifiers", Math(MathFunction::kIntDivQuotient, Type::kD),
       [](I i) { i.src[0].negate = true; }},
      {"three-source destination", Mad(),
       [](I i) {
         i.exec_size = 4;
         i.dst.subnr = 4;
       }},
      {"three-source destination", Mad(),
       [](I i) {
         const Type type = i.dst.type;
         i.dst = Null();
         i.dst.type = type;
       }},
      {"send files", Store(), [](I i) { i.src[0] = Null(); }},
      {"end-of-thread payload", EndOfThread(), [](I i) { i.src[0].nr = 111; }},
      {"payload overlap", Store(), [](I i) { i.src[1].nr = 29; }},
      {"send lengths", Store(), [](I i) { i.send.ex_desc = 0; }, false},
      {"send lengths", Store(), [](I i) { i.send.desc |= 1 << 20; }, false},
      {"message", Store(), [](I i) { i.send.desc |= 0x1f << 14; }},
      {"message header", BlockRead(), [](I i) { i.send.desc &= ~(1u << 19); }},
      {"message lengths", Store(), [](I i) { i.send.desc += 1 << 25; }},
      {"message lengths", BlockRead(), [](I i) { i.send.desc += 1 << 20; }, false},
      {"message lengths", Gather(), [](I i) { i.send.desc -= 1 << 20; }},
      {"block channels", BlockRead(4, 16), [](I i) { i.exec_size = 8; }},
      {"target write order", TargetWrite(), [](I i) { i.op = Opcode::kSend; }},
      {"message channels", TargetWrite(), [](I i) { i.exec_size = 16; }},
      {"message channels", TargetWrite(), [](I i) { i.channel_offset = 8; }},
      {"message channels", TargetWrite(), [](I i) { i.send.desc |= 1 << 11; }},
      {"message channels", TargetWrite(), [](I i) { i.send.desc ^= 4 << 8 | 3 << 8; }},
      {"message channels", Interpolate(8), [](I i) { i.exec_size = 16; }},
      {"message channels", Interpolate(16), [](I i) { i.send.desc |= 1 << 11; }},
      {"message channels", UrbWrite(), [](I i) { i.exec_size = 16; }},
      {"end-of-thread message", EndOfThread(), [](I i) { i.send.sfid = Sfid::kDataCache0; }, false},
      {"end-of-thread payload", TargetWrite(), [](I i) { i.src[0].nr = 111; }},
      {"end-of-thread wait", TargetWrite(), [](I i) { i.swsb = 0x40; }},
      {"message lengths", TargetWrite(), [](I i) { i.send.desc -= 1 << 25; }},
      {"message lengths", UrbWrite(), [](I i) { i.send.ex_desc += 1 << 6; }},
      {"message header", UrbWrite(), [](I i) { i.send.desc &= ~(1u << 19); }},
      {"message lengths", Interpolate(16), [](I i) { i.send.desc -= 2 << 20; }},
      {"message", Interpolate(16), [](I i) { i.send.desc |= 1 << 15; }},
      {"message", SampleWithDerivatives(), [](I i) { i.send.desc ^= 3 << 17; }},
      {"sampler payload", SixteenSamples(), [](I i) { i.send.desc += 2 << 25; }, false},
      {"sampler payload", SampleWithDerivatives(), [](I i) { i.send.desc += 1 << 25 | 1 << 19; }},
      {"scoreboard", Add(), [](I i) { i.swsb = 0x41; }},
      {"scoreboard", Add(), [](I i) { i.swsb = 0x08; }},
      {"scoreboard", Store(), [](I i) { i.swsb = 0x21; }},
      {"accumulator stride", Add(),
       [](I i) {
         i.dst.file = File::kArf;
         i.dst.arf = Arf::kAccumulator;
         i.dst.nr = 0;
         i.dst.region.hstride = 2;
       }},
      {"end-of-thread wait", EndOfThread(), [](I i) { i.swsb = 2; }},
      {"branch distance", If(16, 32), [](I i) { i.jip = 4; }},
      {"branch distance", If(16, 32), [](I i) { i.jip = 0; }},
  };
}

std::set<std::string> Names(const Instruction& inst) {
  std::set<std::string> names;
  const auto broken = BrokenBy(kGen, inst);
  for (const Restriction* r : *broken) names.insert(std::string(r->name));
  return names;
}

TEST(Verify, EachRestrictionCatchesItsCase) {
  std::set<std::string> covered;
  for (const Case& c : Cases()) {
    EXPECT_EQ(Names(c.good), std::set<std::string>{}) << c.restriction;
    Instruction bad = c.good;
    c.breaks(bad);
    const std::set<std::string> names = Names(bad);
    EXPECT_TRUE(names.count(c.restriction)) << c.restriction;
    if (c.alone) {
      EXPECT_EQ(names.size(), 1u) << c.restriction << " and " << *names.rbegin();
    }
    covered.insert(c.restriction);
  }
  for (const Restriction& r : Restrictions()) {
    EXPECT_TRUE(r.broken == nullptr || covered.count(std::string(r.name))) << r.name;
  }
}

TEST(Verify, RowsAreNamedAndSourced) {
  std::set<std::string> names;
  for (const Restriction& r : Restrictions()) {
    EXPECT_FALSE(r.rule.empty());
    for (const Ruling& by : r.by)
      EXPECT_EQ(by.source.empty(), by.cell == Cell::kUnfilled) << r.name;
    EXPECT_EQ(r.by[Index(kGen)].cell, Cell::kValue) << r.name;
    EXPECT_TRUE(names.insert(std::string(r.name)).second) << r.name;
  }
}

TEST(Verify, ProgramRules) {
  Instruction jump;
  jump.op = Opcode::kGoto;
  jump.exec_size = 8;
  jump.jip = 16;
  jump.uip = 32;
  std::vector<PlacedInstruction> program = {{0, jump}, {16, Add()}, {32, EndOfThread()}};
  EXPECT_TRUE(Verify(kGen, program)->empty());
  program[0].inst.uip = 40;
  std::vector<Finding> findings = *Verify(kGen, program);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].restriction, "branch target");
  EXPECT_EQ(findings[0].offset, 0u);
  program[0].inst.uip = 48;  // the end of the program is a target
  EXPECT_TRUE(Verify(kGen, program)->empty());
  program[1].inst.acc_write = true;
  findings = *Verify(kGen, program);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].restriction, "accumulator at end");
  program[1].inst.acc_write = false;
  program.pop_back();
  program[0].inst = Add();
  findings = *Verify(kGen, program);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].restriction, "end of thread");
}

// A branch of structured control flow, 16 bytes an instruction.
Instruction Flow(Opcode op, int jip, int uip = 0) {
  Instruction inst;
  inst.op = op;
  inst.exec_size = 8;
  if (Info(op).pred) inst.pred = PredCtrl::kNormal;
  inst.jip = 16 * jip;
  inst.uip = 16 * uip;
  return inst;
}

// Returns the indices of instructions that are misplaced.
std::string Misplaced(const std::vector<Instruction>& insts) {
  std::vector<PlacedInstruction> program;
  for (const Instruction& inst : insts) {
    program.push_back({static_cast<uint32_t>(16 * program.size()), inst});
  }
  program.push_back({static_cast<uint32_t>(16 * program.size()), EndOfThread()});
  std::string text;
  const auto findings = Verify(kGen, program);
  for (const Finding& f : *findings) {
    EXPECT_EQ(f.restriction, "structure");
    text += std::to_string(f.offset / 16) + " ";
  }
  return text;
}

TEST(Verify, StructureOfControlFlow) {
  constexpr Opcode If = Opcode::kIf, Else = Opcode::kElse, Endif = Opcode::kEndif;
  constexpr Opcode While = Opcode::kWhile, Break = Opcode::kBreak;
  const Instruction a = Add();
  EXPECT_EQ(Misplaced({Flow(If, 3, 4), a, Flow(Else, 2, 2), a, Flow(Endif, 1)}), "");
  EXPECT_EQ(Misplaced({Flow(If, 2, 2), a, Flow(Endif, 1)}), "");
  // A sync before the endif is accepted, too.
  EXPECT_EQ(Misplaced({Flow(If, 2, 2), a, Sync(), Flow(Endif, 1)}), "");
  EXPECT_EQ(Misplaced({Flow(If, 2, 4), a, Flow(Else, 2, 2), a, Flow(Endif, 1)}), "0 ");
  EXPECT_EQ(Misplaced({Flow(If, 3, 3), a, Flow(Else, 2, 2), a, Flow(Endif, 1)}), "0 ");
  EXPECT_EQ(Misplaced({Flow(If, 3, 4), a, Flow(Else, 2, 1), a, Flow(Endif, 1)}), "2 ");
  EXPECT_EQ(Misplaced({a, Flow(Endif, 1)}), "1 ");
  EXPECT_EQ(Misplaced({Flow(If, 1, 1), a}), "0 ");
  // Loops.
  EXPECT_EQ(Misplaced({a, Flow(If, 2, 2), Flow(Break, 1, 2), Flow(Endif, 1), Flow(While, -4)}), "");
  EXPECT_EQ(Misplaced({a, Flow(While, 1)}), "1 ");
  EXPECT_EQ(Misplaced({Flow(If, 2, 2), a, Flow(Endif, 1), Flow(While, -2)}), "3 ");
  EXPECT_EQ(Misplaced({a, Flow(Break, 1, 1), a}), "1 ");
  EXPECT_EQ(Misplaced({a, Flow(If, 2, 2), Flow(Break, 1, 1), Flow(Endif, 1), Flow(While, -4)}),
            "2 ");
  // A break belongs to the innermost of two loops.
  EXPECT_EQ(Misplaced({a, Flow(Break, 1, 1), Flow(While, -2), Flow(While, -3)}), "");
  EXPECT_EQ(Misplaced({a, Flow(Break, 1, 3), Flow(While, -2), a, Flow(While, -4)}), "1 ");
}

}  // namespace
}  // namespace kiln::intel::isa
