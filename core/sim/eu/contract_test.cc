// Contract mode, driven by its table: shows that every row is enforced, and that its wait satisfies
// it.
#include <string>

#include "core/sim/eu/contract_rules.h"
#include "core/sim/eu/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::eu::testing {
namespace {

using isa::Opcode;
using isa::Type;

constexpr int kReg = 120;  // the register of the hazard
constexpr uint8_t kToken = 3;
constexpr uint32_t kReadDesc = 0x02106e00;   // untyped read, SIMD8, x, surface 0
constexpr uint32_t kWriteDesc = 0x02026e00;  // untyped write

isa::Instruction Send(uint32_t desc, int dst, int src0, int src1, uint8_t token) {
  isa::Instruction i =
      SendTo(isa::Sfid::kDataCache1, desc, src1 < 0 ? 0 : 1 << 6, 8, dst, src0, src1);
  i.swsb = 0x40 | token;
  return i;
}

isa::Instruction MakeProducer(Producer p) {
  switch (p) {
    case Producer::kInOrderWrite:
      return Make(Opcode::kMov, 8, Dst(kReg, Type::kUD), Grf(20, Type::kUD));
    case Producer::kInOrderRead:
      return Make(Opcode::kMov, 8, Dst(20, Type::kUD), Grf(kReg, Type::kUD));
    case Producer::kUnorderedWrite: return Send(kReadDesc, kReg, 30, -1, kToken);
    case Producer::kUnorderedRead: return Send(kWriteDesc, -1, kReg, 31, kToken);
    case Producer::kAddressWrite: {
      isa::Instruction i =
          Make(Opcode::kMov, 1, Register(isa::Arf::kAddress, Type::kUD), Imm(Type::kUD, kReadDesc));
      i.no_mask = true;
      return i;
    }
    case Producer::kControlWrite: {
      isa::Instruction i =
          Make(Opcode::kMov, 1, Register(isa::Arf::kControl, Type::kUD), Imm(Type::kUD, 0));
      i.no_mask = true;
      return i;
    }
    case Producer::kFlagOrAccWrite: {
      isa::Instruction i =
          Make(Opcode::kCmp, 8, Null(Type::kD), Grf(20, Type::kD), Imm(Type::kD, 0));
      i.cmod = isa::CondMod::kZ;
      return i;
    }
    case Producer::kMessage: return Send(kReadDesc, 60, 30, -1, kToken);
  }
  return {};
}

isa::Instruction MakeConsumer(Producer p, Consumer c, Hazard h) {
  if (c == Consumer::kFence) {
    isa::Instruction i = SendTo(isa::Sfid::kDataCache0, 0x0219e000, 0, 1, 61, 0, -1);
    i.no_mask = true;
    i.swsb = 0x45;
    return i;
  }
  const bool address = p == Producer::kAddressWrite;
  if (c == Consumer::kEnd) {
    isa::Instruction i = EndOfThread();
    i.src[0].nr = kReg;
    return i;
  }
  if (c == Consumer::kUnordered) {
    if (h != Hazard::kReadAfterWrite) return Send(kReadDesc, kReg, 32, -1, 5);
    isa::Instruction i = Send(kReadDesc, 40, kReg, -1, 5);
    if (address) {
      i.send.desc = 0;
      i.send.desc_is_register = true;
      i.src[0].nr = 32;
    }
    return i;
  }
  if (h == Hazard::kReadAfterWrite) {
    isa::Instruction i = Make(Opcode::kMov, 8, Dst(40, Type::kUD), Grf(kReg, Type::kUD));
    if (address) i.src[0] = Register(isa::Arf::kAddress, Type::kUD), i.src[0].region = {0, 1, 0};
    if (p == Producer::kFlagOrAccWrite) i.pred = isa::PredCtrl::kNormal;
    if (p == Producer::kControlWrite || p == Producer::kFlagOrAccWrite) i.src[0].nr = 33;
    return i;
  }
  if (address) return MakeProducer(p);
  if (p == Producer::kFlagOrAccWrite) return MakeProducer(p);
  return Make(Opcode::kMov, 8, Dst(kReg, Type::kUD), Grf(34, Type::kUD));
}

isa::Instruction Sync(uint8_t swsb) {
  isa::Instruction i;
  i.op = Opcode::kSync;
  i.no_mask = true;
  i.swsb = swsb;
  i.src[0] = Null(Type::kUB);
  return i;
}

absl::Status RunOne(const std::vector<isa::Instruction>& instructions) {
  isa::Program p(isa::Generation::kGen12);
  for (const isa::Instruction& i : instructions) p.Append(i);
  p.Append(EndOfThread());
  return RunProgram(p, Record(8), Options{}, {0, 0, 0, 0}).status();
}

uint8_t SwsbOf(Wait w) {
  switch (w) {
    case Wait::kNone: return 0;
    case Wait::kDistance: return 1;
    case Wait::kTokenSrc: return 0x30 | kToken;
    case Wait::kTokenDst: return 0x20 | kToken;
  }
  return 0;
}

TEST(Contract, EveryRowIsEnforced) {
  for (const ContractRule& r : ContractRules()) {
    const std::string what = std::to_string(static_cast<int>(r.producer)) + "->" +
                             std::to_string(static_cast<int>(r.consumer)) + " " +
                             std::string(Name(r.hazard));
    const isa::Instruction producer = MakeProducer(r.producer);
    const isa::Instruction consumer = MakeConsumer(r.producer, r.consumer, r.hazard);
    const absl::Status bare = RunOne({producer, consumer});
    const absl::Status waited = RunOne({producer, Sync(SwsbOf(r.required)), consumer});
    EXPECT_TRUE(waited.ok()) << what << ": " << waited;
    if (r.required == Wait::kNone) {
      EXPECT_TRUE(bare.ok()) << what << ": " << bare;
      continue;
    }
    EXPECT_EQ(bare.code(), absl::StatusCode::kFailedPrecondition) << what << ": " << bare;
    EXPECT_NE(bare.message().find("contract"), std::string::npos);
    // Other waits do not satisfy it.
    for (const Wait other : {Wait::kDistance, Wait::kTokenSrc, Wait::kTokenDst}) {
      const bool covers =
          other == r.required || (other == Wait::kTokenDst && r.required == Wait::kTokenSrc);
      EXPECT_EQ(RunOne({producer, Sync(SwsbOf(other)), consumer}).ok(), covers)
          << what << " with " << Name(other);
    }
  }
}

TEST(Contract, RowsAreUnique) {
  for (const ContractRule& a : ContractRules()) {
    int same = 0;
    for (const ContractRule& b : ContractRules()) {
      same += a.producer == b.producer && a.consumer == b.consumer && a.hazard == b.hazard;
    }
    EXPECT_EQ(same, 1);
    EXPECT_FALSE(a.source.empty());
    EXPECT_EQ(RequiredWait(a.producer, a.consumer, a.hazard), a.required);
  }
}

TEST(Contract, DistancesCountInOrderInstructionsOnly) {
  const isa::Instruction producer = MakeProducer(Producer::kInOrderWrite);
  const isa::Instruction consumer =
      MakeConsumer(Producer::kInOrderWrite, Consumer::kInOrder, Hazard::kReadAfterWrite);
  const isa::Instruction other = Make(Opcode::kMov, 8, Dst(50, Type::kUD), Imm(Type::kUD, 0));
  const isa::Instruction send = Send(kReadDesc, 60, 32, -1, 7);
  isa::Instruction at1 = consumer, at2 = consumer, at3 = consumer;
  at1.swsb = 1;
  at2.swsb = 2;
  at3.swsb = 3;
  EXPECT_TRUE(RunOne({producer, other, at2}).ok());
  EXPECT_TRUE(RunOne({producer, other, at1}).ok());
  EXPECT_FALSE(RunOne({producer, other, at3}).ok());
  EXPECT_TRUE(RunOne({producer, send, at1}).ok()) << "sends do not count";
  EXPECT_FALSE(RunOne({producer, send, at2}).ok());
  EXPECT_TRUE(RunOne({producer, Sync(0), at1}).ok()) << "sync does not count";
  EXPECT_FALSE(RunOne({producer, Sync(0), at2}).ok());
}

TEST(Contract, ResultsAreVisibleAfterTheDepthOfThePipe) {
  const isa::Instruction other = Make(Opcode::kMov, 8, Dst(50, Type::kUD), Imm(Type::kUD, 0));
  const isa::Instruction consumer =
      MakeConsumer(Producer::kInOrderWrite, Consumer::kInOrder, Hazard::kReadAfterWrite);
  std::vector<isa::Instruction> v = {MakeProducer(Producer::kInOrderWrite)};
  v.insert(v.end(), kInOrderDepth - 1, other);
  std::vector<isa::Instruction> longer = v;
  longer.push_back(other);
  v.push_back(consumer);
  longer.push_back(consumer);
  EXPECT_FALSE(RunOne(v).ok());
  EXPECT_TRUE(RunOne(longer).ok());
}

TEST(Contract, CombinedForms) {
  isa::Instruction consumer =
      Make(Opcode::kAdd, 8, Dst(40, Type::kUD), Grf(kReg, Type::kUD), Grf(50, Type::kUD));
  const isa::Instruction load = Send(kReadDesc, kReg, 30, -1, kToken);
  const isa::Instruction mov = Make(Opcode::kMov, 8, Dst(50, Type::kUD), Imm(Type::kUD, 1));
  consumer.swsb = 0x80 | 1 << 4 | kToken;  // distance 1 and $3.dst
  EXPECT_TRUE(RunOne({load, mov, consumer}).ok());
  consumer.swsb = 1;
  EXPECT_FALSE(RunOne({load, mov, consumer}).ok());
  consumer.swsb = 0x20 | kToken;
  EXPECT_FALSE(RunOne({load, mov, consumer}).ok());
}

TEST(Contract, SyncOnMasksOfTokens) {
  const isa::Instruction consumer =
      MakeConsumer(Producer::kUnorderedWrite, Consumer::kInOrder, Hazard::kReadAfterWrite);
  const isa::Instruction load = MakeProducer(Producer::kUnorderedWrite);
  const auto sync = [](isa::SyncFunction f, int mask) {
    isa::Instruction i = Sync(0);
    i.sync = f;
    if (mask >= 0) i.src[0] = Imm(Type::kUD, static_cast<uint64_t>(mask));
    return i;
  };
  EXPECT_TRUE(RunOne({load, sync(isa::SyncFunction::kAllWr, -1), consumer}).ok());
  EXPECT_TRUE(RunOne({load, sync(isa::SyncFunction::kAllWr, 1 << kToken), consumer}).ok());
  EXPECT_FALSE(RunOne({load, sync(isa::SyncFunction::kAllWr, 1 << 4), consumer}).ok());
  EXPECT_FALSE(RunOne({load, sync(isa::SyncFunction::kAllRd, -1), consumer}).ok());
}

TEST(Contract, ReuseOfATokenWaitsForItsFormerUser) {
  const isa::Instruction consumer =
      MakeConsumer(Producer::kUnorderedWrite, Consumer::kInOrder, Hazard::kReadAfterWrite);
  EXPECT_TRUE(RunOne({MakeProducer(Producer::kUnorderedWrite), Send(kReadDesc, 60, 32, -1, kToken),
                      consumer})
                  .ok());
  EXPECT_FALSE(
      RunOne({MakeProducer(Producer::kUnorderedWrite), Send(kReadDesc, 60, 32, -1, 4), consumer})
          .ok());
}

TEST(Contract, MathIsUnordered) {
  isa::Instruction math = Make(Opcode::kMath, 8, Dst(kReg, Type::kF), Grf(20, Type::kF));
  math.swsb = 0x40 | kToken;
  const isa::Instruction consumer = Make(Opcode::kMov, 8, Dst(40, Type::kUD), Grf(kReg, Type::kUD));
  EXPECT_FALSE(RunOne({math, Sync(1), consumer}).ok());
  EXPECT_TRUE(RunOne({math, Sync(0x20 | kToken), consumer}).ok());
  math.swsb = 0;
  EXPECT_FALSE(RunOne({math}).ok()) << "no token";
}

TEST(Contract, MathAndWritesAreNoBusinessOfFences) {
  const isa::Instruction fence =
      MakeConsumer(Producer::kMessage, Consumer::kFence, Hazard::kMemoryOrder);
  isa::Instruction math = Make(Opcode::kMath, 8, Dst(kReg, Type::kF), Grf(20, Type::kF));
  math.swsb = 0x40 | kToken;
  EXPECT_TRUE(RunOne({math, fence}).ok());
  EXPECT_TRUE(RunOne({Send(kWriteDesc, -1, 30, 31, kToken), fence}).ok());
}

// A wait on a masked instruction is not performed when all channels are off.
TEST(Contract, MaskedWaitDoesNotCountForNoMaskConsumers) {
  for (const bool masked : {false, true}) {
    isa::Program p(isa::Generation::kGen12);
    isa::Instruction load = Send(kReadDesc, kReg, 30, -1, kToken);
    load.no_mask = true;
    p.Append(load);
    isa::Instruction none =
        Make(Opcode::kCmp, 8, Null(Type::kUD), Imm(Type::kUD, 0), Imm(Type::kUD, 0));
    none.src[0] = Grf(20, Type::kUD);
    none.src[1] = Grf(20, Type::kUD);
    none.cmod = isa::CondMod::kNz;
    p.Append(none);
    isa::Instruction branch;
    branch.op = Opcode::kIf;
    branch.exec_size = 8;
    branch.pred = isa::PredCtrl::kNormal;
    const int32_t start = p.Append(branch);
    isa::Instruction wait = Make(Opcode::kMov, 8, Dst(60, Type::kUD), Imm(Type::kUD, 0));
    wait.swsb = 0x20 | kToken;
    wait.no_mask = !masked;
    p.Append(wait);
    isa::Instruction use = Make(Opcode::kMov, 8, Dst(61, Type::kUD), Grf(kReg, Type::kUD));
    use.no_mask = true;
    p.Append(use);
    branch.op = Opcode::kEndif;
    branch.pred = isa::PredCtrl::kNone;
    const int32_t end = p.Append(branch);
    p.targets[start] = {end, end};
    p.targets[end].jip = end + 1;
    p.Append(EndOfThread());
    Options options;
    EXPECT_TRUE(RunProgram(p, Record(8), options, {0}).ok()) << "the block is skipped";
    options.fusion = true;
    EXPECT_EQ(RunProgram(p, Record(8), options, {0}).ok(), !masked);
  }
}

TEST(Contract, FusionModeFindsStoresWithAllChannelsOff) {
  isa::Program p(isa::Generation::kGen12);
  isa::Instruction none =
      Make(Opcode::kCmp, 8, Null(Type::kUD), Grf(20, Type::kUD), Grf(20, Type::kUD));
  none.cmod = isa::CondMod::kNz;
  p.Append(none);
  isa::Instruction branch;
  branch.op = Opcode::kIf;
  branch.exec_size = 8;
  branch.pred = isa::PredCtrl::kNormal;
  const int32_t start = p.Append(branch);
  isa::Instruction store = Send(kWriteDesc, -1, 30, 31, kToken);
  store.no_mask = true;
  p.Append(store);
  branch.op = Opcode::kEndif;
  branch.pred = isa::PredCtrl::kNone;
  const int32_t end = p.Append(branch);
  p.targets[start] = {end, end};
  p.targets[end].jip = end + 1;
  p.Append(EndOfThread());
  Options options;
  EXPECT_TRUE(RunProgram(p, Record(8), options, {0}).ok());
  options.fusion = true;
  EXPECT_FALSE(RunProgram(p, Record(8), options, {0}).ok());
}

}  // namespace
}  // namespace kiln::sim::eu::testing
