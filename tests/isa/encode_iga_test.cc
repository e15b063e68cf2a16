// Every opcode, legal type, region form and modifier of Gen12 against iga64.
//
// For each instruction: iga64 assembles our text, and our decoder reads the original fields back
// from its bytes; and iga64 disassembles our bytes to the same line as its own. An error common to
// our text, encoder and decoder is missed only if iga64 shares it.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/intel/isa/codes.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/disasm.h"
#include "core/intel/isa/encode.h"
#include "core/intel/isa/program.h"
#include "tests/isa/iga.h"

namespace kiln::intel::isa {
namespace {

constexpr Generation kGen = Generation::kGen12;
constexpr Type kTypes[] = {Type::kUB, Type::kB, Type::kUW, Type::kW,
                           Type::kUD, Type::kD, Type::kHF, Type::kF};

Operand Grf(int nr, Type type, Region region) {
  Operand o;
  o.file = File::kGrf;
  o.type = type;
  o.nr = static_cast<uint8_t>(nr);
  o.region = region;
  return o;
}

Operand Arch(Arf arf, int nr, Type type, Region region) {
  Operand o = Grf(nr, type, region);
  o.file = File::kArf;
  o.arf = arf;
  return o;
}

Operand Imm(Type type, uint64_t bits) {
  Operand o;
  o.file = File::kImm;
  o.type = type;
  o.imm = bits;
  return o;
}

bool CanBeImmediate(Type type) { return CodeOf<kGen>(CodeGroup::kImmType, type).has_value(); }

int SourcesOf(const Instruction& inst) {
  if (inst.op == Opcode::kMath) return MathIsBinary(inst.math) ? 2 : 1;
  return Info(inst.op).nsrc;
}

// A plain instruction of this opcode and these types.
Instruction Plain(Opcode op, Type dst, Type src) {
  Instruction inst;
  inst.op = op;
  inst.exec_size = 8;
  inst.dst = Grf(10, dst, {0, 1, 1});
  const bool ternary = Info(op).format == Format::kTernary;
  for (int i = 0; i < Info(op).nsrc; ++i) {
    inst.src[i] = Grf(20 + 10 * i, src, ternary ? Region{8, 8, 1} : Region{8, 8, 1});
  }
  if (op == Opcode::kCsel || op == Opcode::kCmp || op == Opcode::kCmpn) inst.cmod = CondMod::kL;
  return inst;
}

// Returns all one-step variations of an instruction that its opcode allows.
std::vector<Instruction> Variations(const Instruction& base) {
  std::vector<Instruction> out = {base};
  const OpcodeInfo& info = Info(base.op);
  const int nsrc = SourcesOf(base);
  const auto add = [&](auto change) {
    Instruction inst = base;
    change(inst);
    out.push_back(inst);
  };
  for (int exec : {1, 2, 4, 16, 32}) {
    add([&](Instruction& i) { i.exec_size = static_cast<uint8_t>(exec); });
  }
  for (int offset : {4, 8, 12, 16, 20, 24, 28}) {
    add([&](Instruction& i) {
      i.exec_size = offset % 8 == 0 ? 8 : 4;
      i.channel_offset = static_cast<uint8_t>(offset);
    });
  }
  add([](Instruction& i) { i.no_mask = true; });
  add([](Instruction& i) { i.acc_write = true; });
  add([](Instruction& i) { i.atomic = true; });
  for (int swsb : {0x01, 0x07, 0x20, 0x2f, 0x30, 0x3f, 0x90, 0xff}) {
    if (base.op == Opcode::kMath && (swsb >> 4 == 2 || swsb >> 4 == 3)) continue;
    add([&](Instruction& i) { i.swsb = static_cast<uint8_t>(swsb); });
  }
  if (base.op == Opcode::kMath) add([](Instruction& i) { i.swsb = 0x43; });
  if (info.saturate) add([](Instruction& i) { i.saturate = true; });
  if (info.cmod) {
    for (CondMod c : {CondMod::kZ, CondMod::kNz, CondMod::kG, CondMod::kGe, CondMod::kL,
                      CondMod::kLe, CondMod::kO, CondMod::kU}) {
      add([&](Instruction& i) {
        i.cmod = c;
        i.flag_nr = 1;
        i.flag_subnr = 1;
      });
    }
  }
  if (info.pred) {
    for (int p = 1; p <= static_cast<int>(PredCtrl::kAll32h); ++p) {
      add([&](Instruction& i) {
        i.pred = static_cast<PredCtrl>(p);
        i.pred_inverse = p % 2 == 0;
        i.no_mask = p % 3 == 0;
        i.flag_nr = p & 1;
        i.flag_subnr = p >> 1 & 1;
      });
    }
  }
  const bool ternary = info.format == Format::kTernary;
  const int size = ByteSize(base.dst.type);
  for (int sub = size; sub < 32; sub *= 2) {
    // iga64 accepts destination sub-registers of three-source instructions only in steps of 8
    // bytes.
    if (ternary && sub % 8 != 0) continue;
    add([&](Instruction& i) { i.dst.subnr = static_cast<uint8_t>(sub); });
  }
  add([](Instruction& i) { i.dst.nr = 127; });
  add([](Instruction& i) { i.dst.region.hstride = 2; });
  if (!ternary) add([](Instruction& i) { i.dst.region.hstride = 4; });
  if (!ternary && base.op != Opcode::kMath) {
    add([](Instruction& i) {
      i.dst.nr = 0;
      i.dst.indirect = true;
      i.dst.address_subnr = 3;
      i.dst.address_imm = -32;
    });
  }
  for (int s = 0; s < nsrc; ++s) {
    const int src_size = ByteSize(base.src[s].type);
    for (int sub = src_size; sub < 32; sub *= 2) {
      add([&](Instruction& i) { i.src[s].subnr = static_cast<uint8_t>(sub); });
    }
    add([&](Instruction& i) { i.src[s].nr = 127; });
    if (info.src_modifiers) {
      add([&](Instruction& i) { i.src[s].negate = true; });
      if (!info.bitwise) {
        add([&](Instruction& i) { i.src[s].absolute = true; });
        add([&](Instruction& i) { i.src[s].negate = i.src[s].absolute = true; });
      }
    }
    if (ternary) continue;
    for (Region r : {Region{0, 1, 0}, Region{4, 4, 1}, Region{2, 2, 1}, Region{16, 8, 2},
                     Region{32, 8, 4}, Region{16, 16, 1}, Region{1, 1, 0}, Region{8, 4, 2},
                     Region{1, 4, 2}, Region{4, 1, 0}, Region{8, 8, 0}}) {
      add([&](Instruction& i) { i.src[s].region = r; });
    }
    add([&](Instruction& i) { i.src[s] = Arch(Arf::kAccumulator, 1, i.src[s].type, {8, 8, 1}); });
    if (base.op == Opcode::kMath) continue;
    for (Region r : {Region{Region::kVxH, 1, 0}, Region{Region::kVxH, 4, 1}, Region{8, 8, 1}}) {
      if (s != 0 && r.vstride == Region::kVxH) continue;
      add([&](Instruction& i) {
        i.src[s].nr = 0;
        i.src[s].indirect = true;
        i.src[s].address_subnr = 5;
        i.src[s].address_imm = 96;
        i.src[s].region = r;
      });
    }
  }
  if (!ternary && nsrc > 0 && CanBeImmediate(base.src[nsrc - 1].type)) {
    for (uint64_t bits : {0x0ull, 0x1ull, 0x7fffull, 0x8001ull, 0xffffull, 0x3f800000ull,
                          0x80000001ull, 0xffffffffull}) {
      if (ByteSize(base.src[nsrc - 1].type) == 2 && bits > 0xffff) continue;
      add([&](Instruction& i) { i.src[nsrc - 1] = Imm(i.src[nsrc - 1].type, bits); });
    }
  }
  return out;
}

std::vector<Instruction> TernaryRegions(const Instruction& base) {
  std::vector<Instruction> out;
  const Region regions[] = {{0, 1, 0}, {1, 1, 0}, {4, 4, 1}, {8, 8, 1},
                            {8, 4, 2}, {4, 1, 4}, {8, 2, 4}, {4, 2, 2}};
  for (int s = 0; s < 2; ++s) {
    for (Region r : regions) {
      out.push_back(base);
      out.back().src[s].region = r;
    }
  }
  for (Region r : {Region{0, 1, 0}, Region{16, 8, 2}, Region{32, 8, 4}}) {
    out.push_back(base);
    out.back().src[2].region = r;
  }
  if (ByteSize(base.src[0].type) == 2) {
    for (int s : {0, 2}) {
      out.push_back(base);
      out.back().src[s] = Imm(base.src[s].type, 0x8123);
    }
  }
  return out;
}

int compacted;  // instructions that iga64 and we compacted alike

// iga64's text does not show the flag register of an instruction that uses none.
Instruction AsShown(Instruction inst) {
  if (inst.pred == PredCtrl::kNone && inst.cmod == CondMod::kNone) {
    inst.flag_nr = 0;
    inst.flag_subnr = 0;
  }
  return inst;
}

// Checks that we compact exactly the instructions that iga64 compacts, to the same bytes. The text
// does not show the flag register of an instruction that uses none, so iga64 takes it for f0.0.
void CheckCompaction(const std::vector<Instruction>& insts, const std::string& text) {
  const tests::Assembled theirs = tests::IgaAssembleCompacted(text);
  size_t at = 0;
  for (const Instruction& inst : insts) {
    const absl::Span<const uint8_t> rest = absl::MakeSpan(theirs.bytes).subspan(at);
    const auto decoded = Decode(kGen, rest);
    ASSERT_TRUE(decoded.ok()) << decoded.status() << "\n" << theirs.error.substr(0, 2000);
    at += static_cast<size_t>(decoded->length);
    const auto ours = EncodeCompacted(kGen, AsShown(inst));
    ASSERT_TRUE(ours.ok()) << ours.status();
    ASSERT_EQ(ours->has_value(), decoded->inst.compacted) << Disassemble(kGen, inst);
    if (!ours->has_value()) continue;
    const std::vector<uint8_t> a((*ours)->begin(), (*ours)->end());
    ASSERT_EQ(a, std::vector<uint8_t>(rest.begin(), rest.begin() + 8)) << Disassemble(kGen, inst);
    ++compacted;
  }
  ASSERT_EQ(at, theirs.bytes.size());
}

// Checks many instructions in three runs of iga64.
void Check(const std::vector<Instruction>& insts) {
  std::string text;
  std::vector<uint8_t> ours;
  for (const Instruction& inst : insts) {
    const auto bytes = Encode(kGen, inst);
    ASSERT_TRUE(bytes.ok()) << bytes.status() << "\n" << Disassemble(kGen, inst);
    ours.insert(ours.end(), bytes->begin(), bytes->end());
    const auto again = Decode(kGen, *bytes);
    ASSERT_TRUE(again.ok()) << again.status();
    ASSERT_EQ(again->inst, inst) << Disassemble(kGen, inst) << "\n"
                                 << Disassemble(kGen, again->inst);
    text += Disassemble(kGen, inst) + "\n";
  }
  const tests::Assembled theirs = tests::IgaAssemble(text);
  ASSERT_EQ(theirs.bytes.size(), ours.size()) << theirs.error.substr(0, 2000);
  for (size_t i = 0; i < insts.size(); ++i) {
    const auto decoded = Decode(kGen, absl::MakeSpan(theirs.bytes).subspan(16 * i));
    ASSERT_TRUE(decoded.ok()) << decoded.status() << "\n" << Disassemble(kGen, insts[i]);
    ASSERT_EQ(AsShown(decoded->inst), AsShown(insts[i])) << Disassemble(kGen, insts[i]) << "\n"
                                                         << Disassemble(kGen, decoded->inst);
  }
  const tests::Disassembled a = tests::IgaDisassemble(ours);
  const tests::Disassembled b = tests::IgaDisassemble(theirs.bytes);
  ASSERT_EQ(a.lines.size(), insts.size()) << a.error.substr(0, 2000);
  ASSERT_EQ(a.lines.size(), b.lines.size()) << b.error.substr(0, 2000);
  for (size_t i = 0; i < a.lines.size(); ++i) {
    ASSERT_EQ(a.lines[i], b.lines[i]) << Disassemble(kGen, insts[i]);
  }
  CheckCompaction(insts, text);
}

void CheckInBatches(const std::vector<Instruction>& insts) {
  constexpr size_t kBatch = 4000;
  for (size_t i = 0; i < insts.size(); i += kBatch) {
    Check({insts.begin() + static_cast<long>(i),
           insts.begin() + static_cast<long>(std::min(insts.size(), i + kBatch))});
    if (testing::Test::HasFatalFailure()) return;
  }
}

class EncodeIga : public testing::Test {
 protected:
  void SetUp() override {
    if (!tests::HaveIga()) GTEST_SKIP() << tests::kNoIga;
  }
};

std::vector<Instruction> OfFormat(Format format) {
  std::vector<Instruction> out;
  for (int o = 0; o < kOpcodeCount; ++o) {
    const auto op = static_cast<Opcode>(o);
    // movi exists for eight lanes of indirect bytes only; nothing uses it.
    if (Info(op).format != format || !HasOpcode(kGen, op) || op == Opcode::kMovi) continue;
    for (Type dst : kTypes) {
      for (Type src : kTypes) {
        if (!LegalTypes(kGen, op, dst, src)) continue;
        const std::vector<Instruction> more = Variations(Plain(op, dst, src));
        out.insert(out.end(), more.begin(), more.end());
      }
    }
  }
  return out;
}

TEST_F(EncodeIga, OneAndTwoSources) {
  compacted = 0;
  CheckInBatches(OfFormat(Format::kBasic));
  EXPECT_GT(compacted, 500);
}

TEST_F(EncodeIga, ThreeSources) {
  compacted = 0;
  std::vector<Instruction> insts = OfFormat(Format::kTernary);
  for (Opcode op : {Opcode::kMad, Opcode::kCsel, Opcode::kBfe, Opcode::kBfi2, Opcode::kDp4a}) {
    for (Type type : kTypes) {
      if (!LegalTypes(kGen, op, type, type)) continue;
      const std::vector<Instruction> more = TernaryRegions(Plain(op, type, type));
      insts.insert(insts.end(), more.begin(), more.end());
    }
  }
  CheckInBatches(insts);
  EXPECT_GT(compacted, 10);
}

TEST_F(EncodeIga, Math) {
  std::vector<Instruction> insts;
  for (int f = 1; f <= static_cast<int>(MathFunction::kIntDivRemainder); ++f) {
    const auto function = static_cast<MathFunction>(f);
    if (!CodeOf<kGen>(CodeGroup::kMath, function)) continue;
    const bool integer = function >= MathFunction::kIntDivBoth;
    for (Type type : integer ? std::vector<Type>{Type::kD, Type::kUD}
                             : std::vector<Type>{Type::kF, Type::kHF}) {
      Instruction base = Plain(Opcode::kMath, type, type);
      base.math = function;
      if (!MathIsBinary(function)) base.src[1] = Operand{};
      for (const Instruction& inst : Variations(base)) insts.push_back(inst);
    }
  }
  CheckInBatches(insts);
}

TEST_F(EncodeIga, ArchitectureRegistersAndVectorImmediates) {
  std::vector<Instruction> insts;
  const struct {
    Arf arf;
    int nr, subnr;
    Type type;
  } kRegisters[] = {
      {Arf::kAddress, 0, 0, Type::kUW},    {Arf::kAddress, 0, 6, Type::kUW},
      {Arf::kAddress, 0, 4, Type::kUD},    {Arf::kAccumulator, 0, 0, Type::kF},
      {Arf::kAccumulator, 1, 8, Type::kD}, {Arf::kFlag, 0, 0, Type::kUW},
      {Arf::kFlag, 1, 2, Type::kUW},       {Arf::kFlag, 1, 0, Type::kUD},
      {Arf::kMask, 0, 0, Type::kUD},       {Arf::kState, 0, 4, Type::kUD},
      {Arf::kControl, 0, 0, Type::kUD},    {Arf::kNotification, 0, 4, Type::kUD},
      {Arf::kTdr, 0, 0, Type::kUW},        {Arf::kTimestamp, 0, 8, Type::kUD},
  };
  for (const auto& r : kRegisters) {
    Instruction read = Plain(Opcode::kMov, r.type, r.type);
    read.exec_size = 1;
    read.no_mask = true;
    read.src[0] = Arch(r.arf, r.nr, r.type, {0, 1, 0});
    read.src[0].subnr = static_cast<uint8_t>(r.subnr);
    insts.push_back(read);
    Instruction write = Plain(Opcode::kMov, r.type, r.type);
    write.exec_size = 1;
    write.src[0].region = {0, 1, 0};
    write.dst = Arch(r.arf, r.nr, r.type, {0, 1, 1});
    write.dst.subnr = static_cast<uint8_t>(r.subnr);
    insts.push_back(write);
  }
  Instruction compare = Plain(Opcode::kCmp, Type::kF, Type::kF);
  compare.dst = Arch(Arf::kNull, 0, Type::kF, {0, 1, 1});
  insts.push_back(compare);
  const struct {
    Type dst, imm;
  } kVectors[] = {
      {Type::kW, Type::kV}, {Type::kUW, Type::kUV}, {Type::kUW, Type::kV}, {Type::kF, Type::kVF}};
  for (const auto& v : kVectors) {
    Instruction inst = Plain(Opcode::kMov, v.dst, v.dst);
    inst.src[0] = Imm(v.imm, 0x76543210);
    insts.push_back(inst);
  }
  Check(insts);
}

TEST_F(EncodeIga, Branches) {
  std::vector<Instruction> insts;
  for (int o = 0; o < kOpcodeCount; ++o) {
    const auto op = static_cast<Opcode>(o);
    const Format format = Info(op).format;
    if (format != Format::kBranchJ && format != Format::kBranchJU) continue;
    if (!HasOpcode(kGen, op)) continue;
    for (int exec : {8, 16, 32}) {
      for (int pred = 0; pred < (Info(op).pred ? 3 : 1); ++pred) {
        Instruction inst;
        inst.op = op;
        inst.exec_size = static_cast<uint8_t>(exec);
        inst.jip = op == Opcode::kWhile ? -64 : 48;
        if (format == Format::kBranchJU) inst.uip = 96;
        inst.pred = pred == 0 ? PredCtrl::kNone : PredCtrl::kNormal;
        inst.pred_inverse = pred == 2;
        inst.flag_nr = pred == 2;
        insts.push_back(inst);
        if (op == Opcode::kIf || op == Opcode::kElse || op == Opcode::kGoto) {
          inst.branch_control = true;
          insts.push_back(inst);
        }
      }
    }
  }
  Instruction jump;
  jump.op = Opcode::kJmpi;
  jump.no_mask = true;
  jump.jip = -32;
  insts.push_back(jump);
  jump.pred = PredCtrl::kNormal;
  insts.push_back(jump);
  for (Opcode op : {Opcode::kNop, Opcode::kIllegal}) {
    Instruction inst;
    inst.op = op;
    insts.push_back(inst);
  }
  Check(insts);
}

TEST_F(EncodeIga, Sync) {
  std::vector<Instruction> insts;
  for (SyncFunction f : {SyncFunction::kNop, SyncFunction::kAllRd, SyncFunction::kAllWr,
                         SyncFunction::kBar, SyncFunction::kHost}) {
    for (int swsb : {0, 1, 0x23, 0x34, 0x95}) {
      Instruction inst;
      inst.op = Opcode::kSync;
      inst.sync = f;
      inst.no_mask = true;
      inst.swsb = static_cast<uint8_t>(swsb);
      inst.src[0].file = File::kArf;
      insts.push_back(inst);
      if (f != SyncFunction::kAllRd && f != SyncFunction::kAllWr) continue;
      inst.src[0].file = File::kImm;
      inst.src[0].imm = 0x8421;
      insts.push_back(inst);
    }
  }
  compacted = 0;
  Check(insts);
  EXPECT_EQ(compacted, 5) << "sync.nop alone";
}

Instruction RandomSend(std::mt19937& rng) {
  Instruction inst;
  inst.op = rng() % 4 == 0 ? Opcode::kSendc : Opcode::kSend;
  inst.exec_size = rng() % 2 ? 8 : 16;
  inst.no_mask = rng() % 2;
  inst.swsb = static_cast<uint8_t>(0x40 | (rng() & 15));
  if (rng() % 3 == 0) inst.swsb = static_cast<uint8_t>(0x80 | (1 + rng() % 7) << 4 | (rng() & 15));
  const Sfid sfids[] = {
      Sfid::kSampler,       Sfid::kGateway,    Sfid::kRenderCache,       Sfid::kUrb,
      Sfid::kConstantCache, Sfid::kDataCache0, Sfid::kPixelInterpolator, Sfid::kDataCache1,
      Sfid::kThreadSpawner};
  inst.send.sfid = sfids[rng() % 9];
  inst.dst = Operand{};
  inst.dst.file = rng() % 3 ? File::kGrf : File::kArf;
  if (inst.dst.file == File::kGrf) inst.dst.nr = rng() % 128;
  inst.src[0].file = File::kGrf;
  inst.src[0].nr = rng() % 128;
  inst.src[1].file = rng() % 2 ? File::kGrf : File::kArf;
  if (inst.src[1].file == File::kGrf) inst.src[1].nr = rng() % 128;
  inst.send.desc_is_register = rng() % 4 == 0;
  inst.send.ex_desc_is_register = rng() % 4 == 0;
  // Lengths must fit the operands, or iga64 does not keep them.
  if (!inst.send.desc_is_register) {
    inst.send.desc = (rng() & 0xe00fffffu) | (1 + rng() % 8) << 25;
    if (inst.dst.file == File::kGrf) inst.send.desc |= (1 + rng() % 8) << 20;
  }
  if (inst.send.ex_desc_is_register) {
    inst.send.ex_desc_address = 2 * (rng() % 4);
  } else {
    inst.send.ex_desc = rng() & 0xfffff800u;
    if (inst.src[1].file == File::kGrf) inst.send.ex_desc |= (1 + rng() % 8) << 6;
  }
  return inst;
}

TEST_F(EncodeIga, SendsWithScatteredDescriptors) {
  std::mt19937 rng(1);
  std::vector<Instruction> insts;
  for (int i = 0; i < 3000; ++i) insts.push_back(RandomSend(rng));
  Instruction eot = insts[0];
  eot.send = SendFields{};
  eot.send.sfid = Sfid::kThreadSpawner;
  eot.send.eot = true;
  eot.send.desc = 0x02000000;
  eot.swsb = 1;
  eot.dst = Operand{};
  eot.dst.file = File::kArf;
  eot.src[1] = eot.dst;
  insts.push_back(eot);
  Check(insts);
}

// Random compacted instructions: iga64 reads the 8 bytes as it reads our expansion of them.
TEST_F(EncodeIga, CompactedForms) {
  std::mt19937_64 rng(1);
  const Opcode kOps[] = {Opcode::kAdd, Opcode::kMov, Opcode::kMul, Opcode::kAnd,  Opcode::kSel,
                         Opcode::kCmp, Opcode::kShl, Opcode::kMad, Opcode::kCsel, Opcode::kBfe};
  std::vector<uint8_t> compacted, expanded;
  std::vector<Instruction> insts;
  while (insts.size() < 20000) {
    uint64_t word = rng();
    const Opcode op = kOps[rng() % 10];
    word = (word & ~uint64_t{0x80ff}) | static_cast<uint64_t>(Info(op).code[2]) | 1u << 29;
    word &= ~uint64_t{0xff00} & ~(uint64_t{1} << 23) & ~(uint64_t{1} << 47);
    std::array<uint8_t, 8> bytes;
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<uint8_t>(word >> (8 * i));
    const auto decoded = Decode(kGen, bytes);
    if (!decoded.ok()) continue;
    ASSERT_EQ(decoded->length, 8);
    // Random numbers of architecture registers mostly name none; iga64 reports that, we print them.
    const auto is_arf = [](const Operand& o) { return o.file == File::kArf; };
    if (is_arf(decoded->inst.dst) || is_arf(decoded->inst.src[0]) || is_arf(decoded->inst.src[1]) ||
        is_arf(decoded->inst.src[2])) {
      continue;
    }
    const auto full = Encode(kGen, decoded->inst);
    if (!full.ok()) continue;  // combinations that no full instruction may have
    compacted.insert(compacted.end(), bytes.begin(), bytes.end());
    expanded.insert(expanded.end(), full->begin(), full->end());
    insts.push_back(decoded->inst);
  }
  const tests::Disassembled a = tests::IgaDisassemble(compacted);
  const tests::Disassembled b = tests::IgaDisassemble(expanded);
  ASSERT_EQ(a.lines.size(), insts.size()) << a.error.substr(0, 1000);
  ASSERT_EQ(b.lines.size(), insts.size()) << b.error.substr(0, 1000);
  for (size_t i = 0; i < insts.size(); ++i) {
    ASSERT_EQ(a.lines[i], b.lines[i]) << Disassemble(kGen, insts[i]);
  }
}

// Three sources of different types.
TEST_F(EncodeIga, MixedThreeSourceTypes) {
  std::vector<Instruction> insts;
  const Type kIntegers[] = {Type::kUW, Type::kW, Type::kUD, Type::kD};
  for (Type dst : kIntegers) {
    for (Type a : kIntegers) {
      for (Type b : kIntegers) {
        for (Type c : kIntegers) {
          Instruction inst = Plain(Opcode::kMad, dst, a);
          inst.src[1].type = b;
          inst.src[2].type = c;
          insts.push_back(inst);
        }
      }
    }
  }
  for (int mask = 0; mask < 16; ++mask) {
    const auto type = [&](int bit) { return mask >> bit & 1 ? Type::kHF : Type::kF; };
    Instruction inst = Plain(Opcode::kMad, type(0), type(1));
    inst.src[1].type = type(2);
    inst.src[2].type = type(3);
    insts.push_back(inst);
  }
  for (Type dst : {Type::kUD, Type::kD}) {
    for (Type a : {Type::kUD, Type::kD}) {
      Instruction inst = Plain(Opcode::kDp4a, dst, a);
      inst.src[1].type = Type::kUD;
      inst.src[2].type = Type::kD;
      insts.push_back(inst);
    }
  }
  Check(insts);
}

// Immediates of 16 bits beside other types, at all widths.
TEST_F(EncodeIga, MixedThreeSourceImmediates) {
  std::vector<Instruction> insts;
  const auto add = [&](Opcode op, Type type, int source, Type immediate) {
    for (int width : {1, 8, 16}) {
      for (uint64_t bits : {0x0ull, 0x3c00ull, 0x8000ull, 0xc2abull}) {
        Instruction inst = Plain(op, type, type);
        inst.exec_size = static_cast<uint8_t>(width);
        inst.src[source] = Imm(immediate, bits);
        insts.push_back(inst);
      }
    }
  };
  add(Opcode::kMad, Type::kF, 0, Type::kHF);
  for (int source : {0, 2}) {
    add(Opcode::kMad, Type::kD, source, Type::kW);
    add(Opcode::kMad, Type::kUD, source, Type::kUW);
    add(Opcode::kBfe, Type::kD, source, Type::kW);
    add(Opcode::kBfe, Type::kUD, source, Type::kUW);
  }
  Check(insts);
}

// Several variations at once, at random.
TEST_F(EncodeIga, RandomCombinations) {
  std::mt19937 rng(3);
  const std::vector<Instruction> all = OfFormat(Format::kBasic);
  std::vector<Instruction> insts;
  for (int i = 0; i < 20000; ++i) {
    Instruction inst = all[rng() % all.size()];
    const OpcodeInfo& info = Info(inst.op);
    if (rng() % 2) inst.exec_size = static_cast<uint8_t>(1 << rng() % 6);
    if (rng() % 2) inst.no_mask = rng() % 2;
    if (rng() % 2) inst.swsb = static_cast<uint8_t>(rng() % 8);
    if (info.saturate && rng() % 3 == 0) inst.saturate = true;
    if (info.cmod && rng() % 3 == 0) inst.cmod = CondMod::kGe;
    if (info.pred && rng() % 3 == 0) {
      inst.pred = PredCtrl::kAny16h;
      inst.pred_inverse = rng() % 2;
    }
    inst.flag_nr = rng() % 2;
    inst.flag_subnr = rng() % 2;
    if (inst.dst.file == File::kGrf && !inst.dst.indirect) inst.dst.nr = rng() % 128;
    for (int s = 0; s < info.nsrc; ++s) {
      Operand& src = inst.src[s];
      if (src.file != File::kGrf) continue;
      if (!src.indirect) src.nr = rng() % 128;
      if (info.src_modifiers) src.negate = rng() % 2;
    }
    insts.push_back(inst);
  }
  CheckInBatches(insts);
}

// Encoder and decoder tables do not mirror each other: unrepresentable instructions are refused.
TEST(EncodeErrors, AreNamed) {
  Instruction inst = Plain(Opcode::kAdd, Type::kF, Type::kF);
  ASSERT_TRUE(Encode(kGen, inst).ok());
  const auto fails = [&](auto change, const char* what) {
    Instruction bad = inst;
    change(bad);
    const auto bytes = Encode(kGen, bad);
    ASSERT_FALSE(bytes.ok()) << what;
    EXPECT_NE(std::string(bytes.status().message()).find(what), std::string::npos)
        << bytes.status();
  };
  fails([](Instruction& i) { i.exec_size = 3; }, "ExecSize");
  fails([](Instruction& i) { i.channel_offset = 2; }, "channel offset");
  fails([](Instruction& i) { i.flag_nr = 2; }, "FlagNr");
  fails([](Instruction& i) { i.dst.nr = 128; }, "register number");
  fails([](Instruction& i) { i.dst.subnr = 32; }, "DstSubNr");
  fails([](Instruction& i) { i.dst.region.hstride = 3; }, "DstHstride");
  fails([](Instruction& i) { i.src[0].region.vstride = 7; }, "Src0Vstride");
  fails([](Instruction& i) { i.src[0] = Imm(Type::kF, 0); }, "immediate");
  fails([](Instruction& i) { i.src[1] = Imm(Type::kUW, 0x10000); }, "immediate");
  fails([](Instruction& i) { i.src[1] = Imm(Type::kUB, 1); }, "Src1Type");
  fails([](Instruction& i) { i.op = Opcode::kPln; }, "opcode");
  fails([](Instruction& i) { i.no_dd_clear = true; }, "thread control");
  fails([](Instruction& i) { i.dst.file = File::kNone; }, "register file");
  fails(
      [](Instruction& i) {
        i.dst.indirect = true;
        i.dst.address_imm = 512;
      },
      "indirect");
  fails(
      [](Instruction& i) {
        i.op = Opcode::kMath;
        i.math = MathFunction::kPow;
      },
      "MathFunction");
  fails(
      [](Instruction& i) {
        i.op = Opcode::kMad;
        i.src[2] = i.src[1];
        i.src[2].type = Type::kD;
      },
      "T3Src2Type");
  fails(
      [](Instruction& i) {
        i.op = Opcode::kMad;
        i.src[2] = i.src[1];
        i.src[0] = Imm(Type::kHF, 0x3c00);
        i.src[0].negate = true;
      },
      "immediate");
  EXPECT_EQ(Encode(Generation::kGen9, inst).status().code(), absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace kiln::intel::isa
