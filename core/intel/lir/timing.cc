#include "core/intel/lir/timing.h"

#include <algorithm>
#include <bit>

#include "core/intel/lir/machine.h"
#include "core/intel/lir/message.h"
#include "core/intel/lir/ops.h"
#include "core/intel/lir/subgroup.h"
#include "core/intel/perf/timing.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using lir::Function;
using lir::InstId;
using lir::Operand;

enum SchedulerUnit : uint8_t {
  kIssueOnly,
  kMathUnit,
  kSamplerUnit,
  kDataUnit,
  kConstantUnit,
  kRenderUnit,
  kUrbUnit
};
static_assert(kUrbUnit < lir::kTimingUnits);

uint8_t UnitNumber(Unit unit) {
  switch (unit) {
    case Unit::kMath: return kMathUnit;
    case Unit::kSampler: return kSamplerUnit;
    case Unit::kDataCache: return kDataUnit;
    case Unit::kConstantCache: return kConstantUnit;
    case Unit::kRenderCache: return kRenderUnit;
    case Unit::kUrb: return kUrbUnit;
    default: return kIssueOnly;
  }
}

int WrittenBy(const Function& f, InstId id) {
  const auto defs = f.defs(id);
  return defs.empty() ? 0 : static_cast<int>(PayloadRegisters(f, defs[0]));
}

// Converts the cost model's terms: there, latencies count from the end of the front end's time, and
// each instruction of a unit takes front-end time of its own.
lir::Timing From(const Timing& t) {
  lir::Timing out;
  out.unit = UnitNumber(t.unit);
  out.issue = out.unit == kIssueOnly ? std::max(t.front, t.busy) : t.front;
  out.latency = t.front + t.result;
  out.read = t.read == 0 ? 0 : t.front + t.read;
  out.busy = out.unit == kIssueOnly ? 0 : t.busy;
  return out;
}

TimingKind MessageKind(const Function& f, const lir::Inst& in) {
  return KindOf(isa::Info(MessageOf(f, in).fields.message).cost);
}

lir::Timing MessageTiming(const TimingTable& table, const Function& f, InstId id) {
  const lir::Inst& in = f.inst(id);
  TimingSizes sizes;
  sizes.written = WrittenBy(f, id);
  sizes.lanes = GrfsOf(4 * in.width);
  const auto uses = f.uses(id);
  for (int k = 0; k < PayloadCount(f, in); ++k) {
    sizes.payload += static_cast<int>(PayloadRegisters(f, uses[static_cast<size_t>(k)]));
  }
  return From(TimingOf(table, MessageKind(f, in), sizes));
}

// Returns the timing of `count` messages on the thread's scratch memory, one after another.
lir::Timing ScratchTiming(const TimingTable& table, const lir::Inst& in, int count) {
  lir::Timing t = From(TimingOf(table, TimingKind::kData, {0, GrfsOf(4 * in.width), 0}));
  t.latency += (count - 1) * t.busy;
  t.read += (count - 1) * t.busy;
  t.issue += (count - 1) * t.busy;
  return t;
}

lir::Timing AluTiming(const TimingTable& table, const Function& f, InstId id) {
  const lir::Inst& in = f.inst(id);
  int bytes = 1;
  bool flag = false;
  for (const Operand& o : f.defs(id)) {
    flag |= IsFlag(f, o);
    bytes = std::max(bytes, isa::ByteSize(static_cast<isa::Type>(o.type)));
  }
  for (const Operand& o : f.uses(id)) {
    bytes = std::max(bytes, isa::ByteSize(static_cast<isa::Type>(o.type)));
  }
  const Timing t =
      TimingOf(table, TimingKind::kAlu, {WrittenBy(f, id), GrfsOf(in.width * bytes), 0});
  lir::Timing out = From(t);
  if (flag) out.latency = t.front + std::max(t.flag, t.result);
  return out;
}

// Returns the timing of `count` instructions of which `chain` depend on one another.
lir::Timing SequenceTiming(const TimingTable& table, const lir::Inst& in, int count, int chain) {
  const Timing one =
      TimingOf(table, TimingKind::kAlu, {GrfsOf(4 * in.width), GrfsOf(4 * in.width), 0});
  lir::Timing out = From(one);
  out.issue *= std::max(1, count);
  out.latency = std::max(out.issue, chain * out.latency);
  return out;
}

// ---- Rules of ops.def.

lir::Timing FillTiming(const TimingTable& table, const Function& f, InstId id) {
  const auto registers = static_cast<uint32_t>(WrittenBy(f, id));
  return ScratchTiming(table, f.inst(id), static_cast<int>(ScratchMessages(registers)));
}

lir::Timing SpillTiming(const TimingTable& table, const Function& f, InstId id) {
  const uint32_t registers = PayloadRegisters(f, f.uses(id)[1]);
  return ScratchTiming(table, f.inst(id), static_cast<int>(ScratchMessages(registers)));
}

// Reads the old data itself, then writes.
lir::Timing MergeSpillTiming(const TimingTable& table, const Function& f, InstId id) {
  lir::Timing t = ScratchTiming(table, f.inst(id), 1);
  t.issue += t.latency;
  return t;
}

lir::Timing FenceTiming(const TimingTable& table, const Function&, InstId) {
  return From(TimingOf(table, TimingKind::kFence, {}));
}

lir::Timing BarrierTiming(const TimingTable& table, const Function&, InstId) {
  return From(TimingOf(table, TimingKind::kBarrier, {}));
}

lir::Timing BroadcastTiming(const TimingTable& table, const Function& f, InstId id) {
  const int count = f.uses(id)[1].kind == Operand::Kind::kImm ? 1 : 2;
  return SequenceTiming(table, f.inst(id), count, count);
}

lir::Timing XorLanesTiming(const TimingTable& table, const Function& f, InstId id) {
  const lir::Inst& in = f.inst(id);
  const XorMoves m = XorMovesOf(in.width, in.aux, f.value(f.defs(id)[0].value()).elem_bytes);
  lir::Timing t = SequenceTiming(table, in, 1, 1);
  t.issue = std::max(2, 2 * m.count);
  return t;
}

lir::Timing ScanTiming(const TimingTable& table, const Function& f, InstId id) {
  const int steps = std::bit_width(unsigned{f.dispatch_width});
  return SequenceTiming(table, f.inst(id), 2 + 2 * steps, 1 + steps);
}

lir::Timing ExitTiming(const TimingTable& table, const Function& f, InstId id) {
  lir::Timing t = SequenceTiming(table, f.inst(id), 1, 1);
  t.percent_after = PercentAfterExit(f.inst(id).width);
  return t;
}

lir::Timing JoinTiming(const TimingTable& table, const Function& f, InstId id) {
  return SequenceTiming(table, f.inst(id), f.value(f.defs(id)[0].value()).comps, 1);
}

// How long a pseudo operation takes: by a function, or as a sequence of instructions.
struct Rule {
  lir::Timing (*function)(const TimingTable&, const Function&, InstId) = nullptr;
  int count = 1, chain = 1;  // instructions, and those that depend on one another
  int issue = 0;             // cycles, where not those of the instructions
};
constexpr Rule By(decltype(Rule::function) function) { return {function}; }
constexpr Rule Steps(int count, int chain) { return {nullptr, count, chain}; }
constexpr Rule Issues(int cycles) { return {nullptr, 1, 1, cycles}; }

// The rule of each operation from kFirstPseudo on.
constexpr Rule kRules[] = {
#define KILN_INTEL_OP(op, text, flags, uses, memory_class, timing, emitter) timing,
#include "core/intel/lir/ops.def"
#undef KILN_INTEL_OP
};

}  // namespace

lir::Timing LirTiming(const TimingTable& table, const Function& f, InstId id) {
  const lir::Inst& in = f.inst(id);
  if (in.op == Op(Opcode::kMath)) {
    const auto function = static_cast<isa::MathFunction>(in.aux);
    return From(TimingOf(table, KindOf(function), {WrittenBy(f, id), GrfsOf(4 * in.width), 0}));
  }
  if (IsEuOp(in.op)) return AluTiming(table, f, id);
  const Rule& rule = kRules[in.op - kFirstPseudo];
  if (rule.function != nullptr) return rule.function(table, f, id);
  lir::Timing t = SequenceTiming(table, in, rule.count, rule.chain);
  if (rule.issue != 0) t.issue = rule.issue;
  return t;
}

}  // namespace kiln::intel
