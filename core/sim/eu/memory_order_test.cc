// Memory mode: the litmus programs of scene/litmus.h in global and in shared memory, and what the
// tables of orders say besides.
#include "core/sim/eu/memory_order.h"

#include <memory>
#include <set>
#include <vector>

#include "core/sim/eu/memory_rules.h"
#include "core/sim/eu/testing.h"
#include "core/sim/scene/litmus.h"
#include "gtest/gtest.h"

namespace kiln::sim::eu::testing {
namespace {

using isa::Opcode;
using isa::Type;
using scene::litmus::Builder;
using scene::litmus::IsSeen;
using scene::litmus::kResults;
using scene::litmus::Machine;
using scene::litmus::Predicate;
using scene::litmus::Program;
using scene::litmus::Role;

constexpr int kNothing = Program::kNothing;
constexpr int kLanes = 8;

// Register map of the programs. Each lane is a litmus test of its own: address k of lane l is dword
// 16 * k + l. Values read are stored to address kFirstResult + k at the end.
constexpr int kLaneBytes = 20, kFirstAddress = 30, kFirstValue = 50, kFirstRead = 70, kThread = 2;
constexpr int kRest = 30;  // instructions
constexpr int kAddresses = 12, kFirstResult = 4;

// A fence is two parts: the message and the wait for it.
class Litmus : public Program {
 public:
  Litmus(bool shared, int without) : Program(without), shared_(shared) {
    AppendLaneIds(program_, kLaneBytes, kLanes);
    All(Make(Opcode::kShl, kLanes, Dst(kLaneBytes, Type::kUD), Grf(kLaneBytes, Type::kUD),
             Imm(Type::kUD, 2)));
    for (int k = 0; k < kAddresses; ++k) {
      All(Make(Opcode::kAdd, kLanes, Dst(kFirstAddress + k, Type::kUD), Grf(kLaneBytes, Type::kUD),
               Imm(Type::kUD, uint64_t{64} * k)));
    }
    for (int v = 0; v < 4; ++v) {
      All(Make(Opcode::kMov, kLanes, Dst(kFirstValue + v, Type::kUD),
               Imm(Type::kUD, static_cast<uint64_t>(v))));
    }
    isa::Instruction is_first =
        Make(Opcode::kCmp, kLanes, Null(Type::kUD), Scalar(kThread, Type::kUD), Imm(Type::kUD, 0));
    is_first.cmod = isa::CondMod::kZ;
    All(is_first);
  }

  Program& Write(int address, int value) override {
    return Send(isa::Sfid::kDataCache1, 0x02026e00 | Surface(), 1, kNothing,
                kFirstAddress + address, kFirstValue + value);
  }
  Program& Read(int address, int result) override {
    return Send(isa::Sfid::kDataCache1, 0x02106e00 | Surface(), 0, kFirstRead + result,
                kFirstAddress + address, -1);
  }
  Program& ReadNew(int address, int result) override { return Read(address, result); }
  Program& Poll(int address, int result) override { return Read(address, result); }
  Program& Add(int address, int value, int result) override {
    return Send(isa::Sfid::kDataCache1, 0x0210b700 | Surface(), 1, kFirstRead + result,
                kFirstAddress + address, kFirstValue + value);
  }
  Program& Publish() override { return Fenced(Role::kPublish, shared_); }
  Program& Refresh() override { return Fenced(Role::kRefresh, shared_); }
  Program& Fence() override { return Fenced(Role::kFence, shared_); }
  bool RefreshesBeforeBarrier() const override { return true; }
  // Waits for the response of the thread's last message.
  Program& Arrive() override { return Wait(Role::kArrive); }
  Program& Barrier() override {
    isa::Instruction signal = SendTo(isa::Sfid::kGateway, 0x02000004, 0, kLanes, kNothing, 0, -1);
    signal.swsb = 0x4f;
    All(signal);
    All(Sync(isa::SyncFunction::kBar));
    return *this;
  }

  Litmus& Fenced(Role role, bool shared) {
    ++tokens_[thread()];
    isa::Instruction fence =
        Predicated(SendTo(isa::Sfid::kDataCache0, 0x0219e000u | (shared ? kSurfaceShared : 0), 0, 1,
                          100, 0, -1),
                   thread() == 1);
    fence.swsb = static_cast<uint8_t>(0x40 | Token());
    if (Part(role)) program_.Append(fence);
    return Wait(role);
  }

  // Runs the program.
  std::vector<std::vector<uint32_t>> Run(uint64_t seed) override {
    isa::Program program = program_;
    // Gives messages in flight time before the program waits for them.
    for (int i = 0; i < kRest; ++i) program.Append(Sync(isa::SyncFunction::kNop));
    isa::Instruction all = Sync(isa::SyncFunction::kAllWr);
    program.Append(all);
    for (const int r : first_results_) program.Append(Store(r, false));
    for (const int r : second_results_) program.Append(Store(r, true));
    program.Append(EndOfThread());
    out::LaunchRecord record = Record(kLanes, 1024);
    AddSecondThread(kThread, record);
    Options options;
    options.contract = false;  // parts may be left out
    options.zero_memory = true;
    options.memory_seed = seed;
    options.max_instructions = 100000;
    const absl::StatusOr<std::vector<uint32_t>> out =
        RunProgram(program, record, options, std::vector<uint32_t>(16 * kAddresses));
    EXPECT_TRUE(out.ok()) << out.status();
    std::vector<std::vector<uint32_t>> lanes(kLanes, std::vector<uint32_t>(kResults));
    for (int l = 0; l < kLanes && out.ok(); ++l) {
      for (int r = 0; r < kResults; ++r) lanes[l][r] = (*out)[16 * (kFirstResult + r) + l];
    }
    return lanes;
  }

 private:
  uint32_t Surface() const { return shared_ ? kSurfaceShared : 0; }
  int Token() const { return 8 * thread() + tokens_[thread()] % 7; }

  static isa::Instruction Sync(isa::SyncFunction function) {
    isa::Instruction sync = Make(Opcode::kSync, 1, {});
    sync.sync = function;
    sync.no_mask = true;
    sync.src[0] = Null(Type::kUD);
    return sync;
  }

  void All(isa::Instruction inst) {
    inst.no_mask = true;
    program_.Append(inst);
  }

  Litmus& Wait(Role role) {
    isa::Instruction sync = Sync(isa::SyncFunction::kNop);
    sync.swsb = static_cast<uint8_t>(0x20 | Token());
    if (Part(role)) program_.Append(sync);
    return *this;
  }

  isa::Instruction Predicated(isa::Instruction inst, bool second) const {
    inst.pred = isa::PredCtrl::kNormal;
    inst.pred_inverse = second;
    return inst;
  }

  Litmus& Send(isa::Sfid sfid, uint32_t desc, uint32_t second_length, int dst, int src0, int src1) {
    ++tokens_[thread()];
    isa::Instruction i =
        Predicated(SendTo(sfid, desc, second_length << 6, kLanes, dst, src0, src1), thread() == 1);
    i.swsb = static_cast<uint8_t>(0x40 | Token());
    if (dst >= kFirstRead && dst < kFirstRead + kResults) {
      (thread() == 0 ? first_results_ : second_results_).insert(dst - kFirstRead);
    }
    program_.Append(i);
    return *this;
  }

  isa::Instruction Store(int result, bool second) const {
    isa::Instruction i =
        Predicated(SendTo(isa::Sfid::kDataCache1, 0x02026e00, 1 << 6, kLanes, kNothing,
                          kFirstAddress + kFirstResult + result, kFirstRead + result),
                   second);
    i.swsb = 0x4f;
    return i;
  }

  const bool shared_;
  isa::Program program_{isa::Generation::kGen12};
  int tokens_[2] = {0, 0};
  std::set<int> first_results_, second_results_;
};

Machine MachineOf(bool shared) {
  Machine machine;
  machine.name = shared ? "shared" : "global";
  machine.make = [shared](int without) { return std::make_unique<Litmus>(shared, without); };
  return machine;
}

TEST(MemoryRules, EveryCombinationHasOneRow) {
  for (int e = 0; e < kEvents; ++e) {
    for (int l = 0; l < kEvents; ++l) {
      for (int m = 0; m < kMeetings; ++m) {
        const auto fence = static_cast<int>(Event::kFence);
        const bool possible =
            m != static_cast<int>(Meeting::kSameBytes) || (e != fence && l != fence);
        int rows = 0;
        for (const OrderRule& r : OrderRules()) {
          rows += (r.earlier >> e & 1) && (r.later >> l & 1) && (r.meetings >> m & 1);
        }
        EXPECT_EQ(rows, possible ? 1 : 0) << e << " " << l << " " << m;
      }
    }
  }
  for (int e = 0; e < kEvents; ++e) EXPECT_EQ(static_cast<int>(TokenRules()[e].event), e);
}

TEST(MemoryOrder, LitmusInGlobalMemory) { scene::litmus::CheckAll(MachineOf(false)); }

TEST(MemoryOrder, LitmusInSharedMemory) { scene::litmus::CheckAll(MachineOf(true)); }

TEST(MemoryOrder, AFenceIsForOneMemory) {
  const Builder other = [](Program& p) {
    p.In(0).Write(0, 1);
    static_cast<Litmus&>(p).Fenced(Role::kPublish, true);
    p.Write(1, 1);
    p.In(1).Read(1, 0).Arrive().Refresh().Read(0, 1);
  };
  const Predicate forbidden = [](const auto& r) { return r[0] == 1 && r[1] == 0; };
  EXPECT_TRUE(IsSeen(MachineOf(false), other, forbidden, kNothing));
  EXPECT_FALSE(IsSeen(MachineOf(true), other, forbidden, kNothing));
}

TEST(MemoryOrder, ReadsOfOnePlaceAreInTheOrderOfTheProgram) {
  const Builder exchanged = [](Program& p) {
    p.In(0).Write(0, 1).Write(0, 2).Write(0, 3);
    p.In(1).Read(0, 0).Read(0, 2).Read(0, 1);
  };
  const Predicate backwards = [](const auto& r) { return r[0] > r[1] || r[1] > r[2]; };
  for (const bool shared : {false, true}) {
    EXPECT_TRUE(IsSeen(MachineOf(shared), exchanged, backwards, kNothing));
  }
}

TEST(MemoryOrder, OneSeedOneRun) {
  std::set<std::vector<std::vector<uint32_t>>> results;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    std::vector<std::vector<uint32_t>> first;
    for (int again = 0; again < 2; ++again) {
      Litmus l(false, kNothing);
      l.In(0).Write(0, 1).Write(1, 1).Write(2, 1);
      l.In(1).Read(2, 0).Read(1, 1).Read(0, 2);
      const auto result = l.Run(seed);
      if (again == 0) first = result;
      EXPECT_EQ(result, first);
      results.insert(result);
    }
  }
  EXPECT_GT(results.size(), 10u);
}

}  // namespace
}  // namespace kiln::sim::eu::testing
