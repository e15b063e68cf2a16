// Memory mode: litmus programs of two threads. Results that the table of orders forbids never
// occur; without any one of the needed fences, waits or orders they do.
#include "core/sim/eu/memory_order.h"

#include <functional>
#include <set>
#include <vector>

#include "core/sim/eu/memory_rules.h"
#include "core/sim/eu/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::eu::testing {
namespace {

using isa::Opcode;
using isa::Type;

constexpr int kNothing = -1;
constexpr int kLanes = 8;
constexpr int kSeeds = 1500;

// Register map of the programs. Each lane is a litmus test of its own: address k of lane l is dword
// 16 * k + l. Values read are stored to address kFirstResult + k at the end.
constexpr int kLaneBytes = 20, kFirstAddress = 30, kFirstValue = 50, kFirstRead = 70, kThread = 2;
constexpr int kRest = 30;  // instructions
constexpr int kAddresses = 12, kFirstResult = 4, kResults = 6;

// Builds a program of two threads, part by part; the part numbered `without` is left out.
class Litmus {
 public:
  Litmus(bool shared, int without) : shared_(shared), without_(without) {
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

  // Selects thread `t` for the following parts.
  Litmus& In(int t) {
    thread_ = t;
    return *this;
  }
  Litmus& Write(int address, int value) {
    return Send(isa::Sfid::kDataCache1, 0x02026e00 | Surface(), 1, kNothing,
                kFirstAddress + address, kFirstValue + value);
  }
  Litmus& Read(int address, int result) {
    return Send(isa::Sfid::kDataCache1, 0x02106e00 | Surface(), 0, kFirstRead + result,
                kFirstAddress + address, -1);
  }
  // Adds a value and returns the old one.
  Litmus& Add(int address, int value, int result) {
    return Send(isa::Sfid::kDataCache1, 0x0210b700 | Surface(), 1, kFirstRead + result,
                kFirstAddress + address, kFirstValue + value);
  }
  Litmus& Fence() { return FenceOf(shared_); }
  Litmus& FenceOf(bool shared) {
    return Send(isa::Sfid::kDataCache0, 0x0219e000u | (shared ? kSurfaceShared : 0), 0, 100, 0, -1,
                1);
  }
  // Waits for the response of the thread's last message.
  Litmus& Wait() {
    isa::Instruction sync = Sync(isa::SyncFunction::kNop);
    sync.swsb = static_cast<uint8_t>(0x20 | Token());
    return Part(sync);
  }
  // Fence and wait for it: two parts.
  Litmus& Fenced() { return Fence().Wait(); }
  // For both threads; not a part.
  Litmus& Barrier() {
    isa::Instruction signal = SendTo(isa::Sfid::kGateway, 0x02000004, 0, kLanes, kNothing, 0, -1);
    signal.swsb = 0x4f;
    All(signal);
    All(Sync(isa::SyncFunction::kBar));
    return *this;
  }

  int parts() const { return parts_; }

  // Runs the program; returns the values that each lane has read, by number of result.
  std::vector<std::vector<uint32_t>> Run(uint64_t seed) {
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
  int Token() const { return 8 * thread_ + tokens_[thread_] % 7; }

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

  Litmus& Part(const isa::Instruction& inst) {
    if (parts_++ != without_) program_.Append(inst);
    return *this;
  }

  isa::Instruction Predicated(isa::Instruction inst, bool second) const {
    inst.pred = isa::PredCtrl::kNormal;
    inst.pred_inverse = second;
    return inst;
  }

  // Accesses are not parts; fences (one lane) are.
  Litmus& Send(isa::Sfid sfid, uint32_t desc, uint32_t second_length, int dst, int src0, int src1,
               int lanes = kLanes) {
    ++tokens_[thread_];
    isa::Instruction i =
        Predicated(SendTo(sfid, desc, second_length << 6, lanes, dst, src0, src1), thread_ == 1);
    i.swsb = static_cast<uint8_t>(0x40 | Token());
    if (dst >= kFirstRead && dst < kFirstRead + kResults) {
      (thread_ == 0 ? first_results_ : second_results_).insert(dst - kFirstRead);
    }
    if (lanes == 1) return Part(i);
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
  const int without_;
  isa::Program program_{isa::Generation::kGen12};
  int thread_ = 0;
  int tokens_[2] = {0, 0};
  int parts_ = 0;
  std::set<int> first_results_, second_results_;
};

using Builder = std::function<void(Litmus&)>;
using Forbidden = std::function<bool(const std::vector<uint32_t>&)>;

bool IsSeen(const Builder& build, const Forbidden& forbidden, bool shared, int without) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Litmus litmus(shared, without);
    build(litmus);
    for (const std::vector<uint32_t>& lane : litmus.Run(seed)) {
      if (forbidden(lane)) return true;
    }
  }
  return false;
}

int PartsOf(const Builder& build) {
  Litmus litmus(false, kNothing);
  build(litmus);
  return litmus.parts();
}

// Checks that the forbidden result never occurs, and that it does without any one part except the
// `spare` ones.
void Check(const Builder& build, const Forbidden& forbidden, const std::set<int>& spare = {}) {
  for (const bool shared : {false, true}) {
    SCOPED_TRACE(shared ? "shared" : "global");
    EXPECT_FALSE(IsSeen(build, forbidden, shared, kNothing));
    for (int part = 0; part < PartsOf(build); ++part) {
      EXPECT_EQ(IsSeen(build, forbidden, shared, part), spare.count(part) == 0)
          << "without part " << part;
    }
  }
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

// The reader has read the data once before: its fence must discard the old line.
TEST(MemoryOrder, MessagePassing) {
  Check(
      [](Litmus& l) {
        l.In(0).Write(0, 1).Fenced().Write(1, 1);
        l.In(1).Read(0, 2).Read(1, 0).Wait().Fenced().Read(0, 1);
      },
      [](const auto& r) { return r[0] == 1 && r[1] == 0; });
}

TEST(MemoryOrder, MessagePassingThroughAtomics) {
  Check(
      [](Litmus& l) {
        l.In(0).Write(0, 1).Fenced().Add(1, 1, 2);
        l.In(1).Read(0, 3).Add(1, 0, 0).Wait().Fenced().Read(0, 1);
      },
      [](const auto& r) { return r[0] == 1 && r[1] == 0; });
}

TEST(MemoryOrder, StoreBuffering) {
  Check(
      [](Litmus& l) {
        l.In(0).Write(0, 1).Fenced().Read(1, 0);
        l.In(1).Write(1, 1).Fenced().Read(0, 1);
      },
      [](const auto& r) { return r[0] == 0 && r[1] == 0; });
}

// A read may not return a value that is written later. The fences have no effect if the reads are
// waited for.
TEST(MemoryOrder, LoadBuffering) {
  Check(
      [](Litmus& l) {
        l.In(0).Read(0, 0).Wait().Fenced().Write(1, 1);
        l.In(1).Read(1, 1).Wait().Fenced().Write(0, 1);
      },
      [](const auto& r) { return r[0] == 1 && r[1] == 1; }, {1, 2, 4, 5});
}

// The reader has read the data before, too; a read that its fence overtakes could load the old line
// after it.
TEST(MemoryOrder, WritesBeforeABarrierAreSeenAfterIt) {
  Check(
      [](Litmus& l) {
        l.In(0).Write(0, 1).Fenced();
        l.In(1).Read(0, 0).Wait().Fenced();
        l.Barrier();
        l.In(1).Read(0, 1);
      },
      [](const auto& r) { return r[1] == 0; });
}

// A read before a barrier must have been waited for, or a write after the barrier may overtake it:
// a fence does not wait for the read.
TEST(MemoryOrder, ReadsBeforeABarrierDoNotSeeWritesAfterIt) {
  Check(
      [](Litmus& l) {
        l.In(0).Read(0, 0).Wait().Fenced();
        l.Barrier();
        l.In(1).Write(0, 1);
      },
      [](const auto& r) { return r[0] == 1; }, {1, 2});
}

TEST(MemoryOrder, AFenceIsForOneMemory) {
  const Builder other = [](Litmus& l) {
    l.In(0).Write(0, 1).FenceOf(true).Wait().Write(1, 1);
    l.In(1).Read(1, 0).Wait().Fenced().Read(0, 1);
  };
  const Forbidden forbidden = [](const auto& r) { return r[0] == 1 && r[1] == 0; };
  EXPECT_TRUE(IsSeen(other, forbidden, false, kNothing));
  EXPECT_FALSE(IsSeen(other, forbidden, true, kNothing));
}

TEST(MemoryOrder, ReadsOfOnePlaceStayInOrder) {
  const Builder writer = [](Litmus& l) { l.In(0).Write(0, 1).Write(0, 2).Write(0, 3); };
  const Builder in_order = [&](Litmus& l) {
    writer(l);
    l.In(1).Read(0, 0).Read(0, 1).Read(0, 2);
  };
  const Builder exchanged = [&](Litmus& l) {
    writer(l);
    l.In(1).Read(0, 0).Read(0, 2).Read(0, 1);
  };
  const Forbidden backwards = [](const auto& r) { return r[0] > r[1] || r[1] > r[2]; };
  for (const bool shared : {false, true}) {
    EXPECT_FALSE(IsSeen(in_order, backwards, shared, kNothing));
    EXPECT_TRUE(IsSeen(exchanged, backwards, shared, kNothing));
  }
}

// The threads agree on one thing only: the order of the writes to one address.
TEST(MemoryOrder, WritesOfOnePlaceHaveOneOrder) {
  const Builder build = [](Litmus& l) {
    l.In(0).Write(0, 1).Read(0, 0).Read(0, 1);
    l.In(1).Write(0, 2).Read(0, 2).Read(0, 3);
  };
  const Forbidden both_last = [](const auto& r) {
    return r[0] == 2 && r[1] == 2 && r[2] == 1 && r[3] == 1;
  };
  const Forbidden own = [](const auto& r) { return r[0] == 1 && r[2] == 2; };
  const Forbidden other = [](const auto& r) { return r[1] == 2 || r[3] == 1; };
  for (const bool shared : {false, true}) {
    EXPECT_FALSE(IsSeen(build, both_last, shared, kNothing));
    EXPECT_TRUE(IsSeen(build, own, shared, kNothing));
    EXPECT_TRUE(IsSeen(build, other, shared, kNothing));
  }
}

TEST(MemoryOrder, AThreadSeesItsOwnMessagesInOrder) {
  const Builder build = [](Litmus& l) {
    l.In(0).Write(0, 1).Read(0, 0).Add(0, 2, 1).Write(0, 2).Read(0, 2).Write(0, 3).Read(0, 3);
  };
  const Forbidden wrong = [](const auto& r) {
    return r[0] != 1 || r[1] != 1 || r[2] != 2 || r[3] != 3;
  };
  for (const bool shared : {false, true}) EXPECT_FALSE(IsSeen(build, wrong, shared, kNothing));
}

TEST(MemoryOrder, AtomicsLoseNothing) {
  const Builder build = [](Litmus& l) {
    l.In(0).Add(0, 1, 0).Add(0, 1, 1);
    l.In(1).Add(0, 1, 2).Add(0, 1, 3);
  };
  const Forbidden wrong = [](const auto& r) {
    return std::set<uint32_t>{r[0], r[1], r[2], r[3]} != std::set<uint32_t>{0, 1, 2, 3};
  };
  for (const bool shared : {false, true}) EXPECT_FALSE(IsSeen(build, wrong, shared, kNothing));
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
