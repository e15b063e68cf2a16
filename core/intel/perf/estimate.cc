// The walk over the program: see estimate.h.
#include "core/intel/perf/estimate.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/intel/perf/trip_counts.h"

namespace kiln::intel {
namespace {

using isa::Instruction;
using isa::Opcode;

constexpr int kLoopWeight = 10;
// The upper bound of weights: 64 bits must hold the sum.
constexpr int64_t kMaxWeight = 1'000'000;
constexpr int kTokens = 16;
constexpr int kFlags = 4;  // f0.0 f0.1 f1.0 f1.1
constexpr int kAccumulators = 16;

// The time at which a result will be available, the unit that makes it, and the instruction.
struct Due {
  int64_t time = 0;
  Unit unit = Unit::kFpu;
  int32_t producer = -1;
};

// Returns how often each instruction counts: by the known trip counts of the loops around it, and
// ten times per loop without one.
std::vector<int64_t> LoopWeights(const isa::Program& program,
                                 absl::Span<const isa::Footprint> footprints) {
  const size_t count = program.insts.size();
  std::vector<int64_t> weights(count, 1);
  std::vector<int> change(count + 1, 0);  // of the number of loops without a known trip count
  for (const LoopTrips& loop : CountTrips(program, footprints)) {
    if (!loop.known) {
      ++change[static_cast<size_t>(loop.head)];
      --change[static_cast<size_t>(loop.end) + 1];
      continue;
    }
    for (int32_t i = loop.head; i <= loop.end; ++i) {
      int64_t& weight = weights[static_cast<size_t>(i)];
      weight = std::min(kMaxWeight, weight * loop.RunsOf(i));
    }
  }
  int depth = 0;
  for (size_t i = 0; i < count; ++i) {
    depth += change[i];
    for (int d = 0; d < depth && weights[i] != 0 && weights[i] < kMaxWeight; ++d) {
      weights[i] = std::min(kMaxWeight, weights[i] * kLoopWeight);
    }
  }
  return weights;
}

class Walk {
 public:
  Walk(const Device& device, const isa::Program& program,
       absl::Span<const isa::Footprint> footprints, IssueListener* listener)
      : device_(device),
        program_(program),
        footprints_(footprints),
        loops_(LoopWeights(program, footprints)),
        listener_(listener) {
    users_.fill(-1);
  }

  absl::StatusOr<Estimate> Run() {
    for (size_t i = 0; i < program_.insts.size(); ++i) {
      if (!Add(i)) return Unknown(i);
    }
    Estimate e;
    e.cycles = elapsed_ / kWeightOfOne;
    e.exit_cycles = until_exit_ / kWeightOfOne;
    e.throughput_cycles = issue_ / kWeightOfOne;
    for (int u = 0; u < kUnits; ++u) {
      e.busy[u] = busy_[u] / kWeightOfOne;
      e.waits[u] = waits_[u] / kWeightOfOne;
      e.queues[u] = queues_[u] / kWeightOfOne;
      if (e.busy[u] <= e.throughput_cycles) continue;
      e.throughput_cycles = e.busy[u];
      e.bottleneck = static_cast<Unit>(u);
    }
    return e;
  }

 private:
  int64_t Weight(size_t i) const {
    return loops_[i] *
           (static_cast<int32_t>(i) < halted_until_ ? percent_after_exit_ : kWeightOfOne);
  }

  // Returns true for a halt that skips code. The halt that turns lanes on again goes to the next
  // instruction anyway.
  bool IsExit(size_t i) const {
    return program_.insts[i].op == Opcode::kHalt &&
           program_.targets[i].uip > static_cast<int32_t>(i) + 1;
  }
  void Leave(size_t i) {
    if (until_exit_ == 0) until_exit_ = elapsed_;
    halted_until_ = std::max(halted_until_, program_.targets[i].uip);
    percent_after_exit_ = PercentAfterExit(program_.insts[i].exec_size);
  }

  using For = IssueWait::For;

  void WaitFor(const Due& due, For what, int number) {
    if (listener_ != nullptr && due.producer >= 0) {
      told_.ready = std::max(told_.ready.value_or(due.time), due.time);
    }
    if (due.time <= now_) return;
    waits_[static_cast<size_t>(due.unit)] += (due.time - now_) * weight_;
    NoteWait(what, number, due.unit, due.producer, due.time - now_);
    now_ = due.time;
  }
  void NoteWait(For what, int number, Unit unit, int32_t producer, int64_t cycles) {
    if (listener_ == nullptr) return;
    told_.waits.push_back({what, number, static_cast<int>(unit), producer, cycles});
  }

  void WaitForRegisters(const Instruction& inst, const isa::Footprint& fp) {
    fp.reads.ForEach([&](int r) { WaitFor(written_[r], For::kRegister, r); });
    fp.writes.ForEach([&](int r) {
      WaitFor(written_[r], For::kRegister, r);
      WaitFor(read_[r], For::kRegister, kReadOfGrf + r);
    });
    const uint32_t accumulators = AccumulatorsRead(inst, fp) | AccumulatorsWritten(inst, fp);
    for (uint32_t a = accumulators; a != 0; a &= a - 1) {
      const int number = std::countr_zero(a);
      WaitFor(accumulators_[static_cast<size_t>(number)], For::kRegister,
              kAccumulatorRegister + number);
    }
    if (fp.reads_address || fp.writes_address) {
      WaitFor(address_, For::kRegister, kAddressRegister);
    }
    if (!UsesFlag(inst)) return;
    WaitFor(flags_[FlagOf(inst)], For::kRegister, kFlagRegister + static_cast<int>(FlagOf(inst)));
  }

  void WaitForTokens(const Instruction& inst) {
    const uint8_t s = inst.swsb;
    const int token = s & 0xf;
    if (inst.op == Opcode::kSync &&
        (inst.sync == isa::SyncFunction::kAllRd || inst.sync == isa::SyncFunction::kAllWr)) {
      const bool all = inst.src[0].file != isa::File::kImm;
      for (int t = 0; t < kTokens; ++t) {
        if (!all && (inst.src[0].imm >> t & 1) == 0) continue;
        inst.sync == isa::SyncFunction::kAllRd ? WaitUntilRead(t) : WaitUntilWritten(t);
      }
    }
    if ((s & 0xf0) == 0x30) WaitUntilRead(token);
    // Setting a token waits until it is free.
    if ((s & 0xf0) == 0x20 || (s & 0xf0) == 0x40 || (s & 0x80) != 0) WaitUntilWritten(token);
  }
  void WaitUntilRead(int token) {
    WaitFor(token_read_[token], For::kCounter, kReadOfToken + token);
  }
  void WaitUntilWritten(int token) { WaitFor(token_written_[token], For::kCounter, token); }

  static bool UsesFlag(const Instruction& inst) {
    return inst.pred != isa::PredCtrl::kNone || inst.cmod != isa::CondMod::kNone;
  }
  static bool WritesFlag(const Instruction& inst) {
    // sel and csel use the conditional modifier to choose; they write no flag.
    return inst.cmod != isa::CondMod::kNone && inst.op != Opcode::kSel && inst.op != Opcode::kCsel;
  }
  static size_t FlagOf(const Instruction& inst) {
    return static_cast<size_t>(inst.flag_nr * 2 + inst.flag_subnr) % kFlags;
  }
  static uint32_t AccumulatorsRead(const Instruction& inst, const isa::Footprint& fp) {
    return fp.reads_accumulators | (isa::Info(inst.op).reads_accumulator ? 1u : 0u);
  }
  static uint32_t AccumulatorsWritten(const Instruction& inst, const isa::Footprint& fp) {
    const bool implicit = isa::Info(inst.op).writes_accumulator || inst.acc_write;
    return fp.writes_accumulators | (implicit ? 1u : 0u);
  }

  void Execute(const Timing& t, int32_t index) {
    now_ += t.front;
    issue_ += t.front * weight_;
    const auto unit = static_cast<size_t>(t.unit);
    if (free_[unit] > now_) {
      queues_[unit] += (free_[unit] - now_) * weight_;
      NoteWait(For::kUnit, static_cast<int>(unit), t.unit, users_[unit], free_[unit] - now_);
      now_ = free_[unit];
    }
    free_[unit] = now_ + t.busy;
    users_[unit] = index;
    busy_[unit] += t.busy * weight_;
  }

  absl::Status Unknown(size_t i) const {
    const isa::SendFields& send = program_.insts[i].send;
    return absl::UnimplementedError(
        absl::StrCat("unknown_message: instruction ", i,
                     " sends a message unknown to the cost model, to shared function ",
                     static_cast<int>(send.sfid), " with descriptor 0x", absl::Hex(send.desc)));
  }

  // Returns false if the instruction sends a message that has no row.
  bool Add(size_t i) {
    const Instruction& inst = program_.insts[i];
    weight_ = Weight(i);
    const int64_t start = now_;
    told_ = {.instruction = static_cast<int32_t>(i), .weight = weight_, .turn = start};
    const isa::Footprint& fp = footprints_[i];
    WaitForRegisters(inst, fp);
    WaitForTokens(inst);
    const std::optional<Timing> t = TimingOf(device_, inst, fp);
    if (!t) return false;
    Execute(*t, static_cast<int32_t>(i));
    Mark(inst, fp, *t, static_cast<int32_t>(i));
    elapsed_ += (now_ - start) * weight_;
    Tell(inst, *t);
    if (IsExit(i)) Leave(i);
    return true;
  }

  // Returns the cycles until the last result of those that the instruction has. A message that
  // gives nothing back ends when its token is free.
  static int LatencyOf(const Instruction& inst, const isa::Footprint& fp, const Timing& t) {
    int latency = 0;
    if (!fp.writes.Empty() || fp.writes_address) latency = t.result;
    if (isa::IsSend(inst.op)) latency = std::max(t.read, t.result);
    if (AccumulatorsWritten(inst, fp) != 0) latency = std::max(latency, t.accumulator);
    if (WritesFlag(inst)) latency = std::max(latency, t.flag);
    return latency;
  }

  // Instructions without a row of timings occupy no unit.
  void Tell(const Instruction& inst, const Timing& t) {
    if (listener_ == nullptr) return;
    const bool none = inst.op == Opcode::kNop || inst.op == Opcode::kSync;
    told_.unit = none ? -1 : static_cast<int>(t.unit);
    told_.next = now_;
    told_.done = now_ + LatencyOf(inst, footprints_[static_cast<size_t>(told_.instruction)], t);
    listener_->OnIssue(told_);
  }

  void Mark(const Instruction& inst, const isa::Footprint& fp, const Timing& t, int32_t index) {
    const Due read = {now_ + t.read, t.unit, index};
    const Due result = {now_ + t.result, t.unit, index};
    if (isa::IsSend(inst.op)) fp.reads.ForEach([&](int r) { read_[r] = read; });
    fp.writes.ForEach([&](int r) { written_[r] = result; });
    for (uint32_t a = AccumulatorsWritten(inst, fp); a != 0; a &= a - 1) {
      accumulators_[static_cast<size_t>(std::countr_zero(a))] = {now_ + t.accumulator, t.unit,
                                                                 index};
    }
    if (fp.writes_address) address_ = result;
    if (WritesFlag(inst)) flags_[FlagOf(inst)] = {now_ + t.flag, t.unit, index};
    const bool out_of_order = isa::IsSend(inst.op) || inst.op == Opcode::kMath;
    if (out_of_order && ((inst.swsb & 0xf0) == 0x40 || (inst.swsb & 0x80) != 0)) {
      token_read_[inst.swsb & 0xf] = read;
      token_written_[inst.swsb & 0xf] = result;
    }
  }

  const Device& device_;
  const isa::Program& program_;
  const absl::Span<const isa::Footprint> footprints_;
  const std::vector<int64_t> loops_;
  int32_t halted_until_ = 0;  // instruction where halted lanes continue
  int64_t percent_after_exit_ =
      kWeightOfOne;  // all halts of a program have the same number of lanes
  int64_t until_exit_ = 0;
  int64_t now_ = 0;  // when the front end takes the next instruction
  int64_t weight_ = kWeightOfOne;
  int64_t elapsed_ = 0, issue_ = 0;
  std::array<int64_t, kUnits> free_{}, busy_{}, waits_{}, queues_{};
  std::array<int32_t, kUnits> users_{};  // the last instruction that each unit took
  IssueListener* const listener_;
  Issue told_;  // of the instruction, for the listener
  std::array<Due, isa::kGrfCount> written_{}, read_{};
  std::array<Due, kAccumulators> accumulators_{};
  std::array<Due, kFlags> flags_{};
  std::array<Due, kTokens> token_written_{}, token_read_{};
  Due address_;
};

}  // namespace

absl::StatusOr<Estimate> EstimateProgram(const Device& device, const isa::Program& program) {
  return EstimateProgram(device, program, isa::FootprintsOf(program));
}

absl::StatusOr<Estimate> EstimateProgram(const Device& device, const isa::Program& program,
                                         absl::Span<const isa::Footprint> footprints,
                                         IssueListener* listener) {
  assert(program.generation == device.generation);
  return Walk(device, program, footprints, listener).Run();
}

}  // namespace kiln::intel
