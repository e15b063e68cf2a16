// Timings by kind of instruction: see timing.h.
#include "core/intel/perf/timing.h"

#include <algorithm>
#include <bit>

#include "core/intel/isa/messages.h"

namespace kiln::intel {

using isa::Instruction;
using isa::MathFunction;
using isa::Opcode;
using isa::Sfid;

TimingKind KindOf(MathFunction f) {
  switch (f) {
    case MathFunction::kPow:
    case MathFunction::kFdiv: return TimingKind::kPower;
    case MathFunction::kIntDivBoth:
    case MathFunction::kIntDivQuotient:
    case MathFunction::kIntDivRemainder: return TimingKind::kDivision;
    default: return TimingKind::kMath;
  }
}

TimingKind KindOf(isa::MessageCost cost) {
  switch (cost) {
    case isa::MessageCost::kData: return TimingKind::kData;
    case isa::MessageCost::kAtomic: return TimingKind::kAtomic;
    case isa::MessageCost::kFence: return TimingKind::kFence;
    case isa::MessageCost::kConstant: return TimingKind::kConstant;
    case isa::MessageCost::kSampler: return TimingKind::kSampler;
    case isa::MessageCost::kBarrier: return TimingKind::kBarrier;
    case isa::MessageCost::kSpawn: return TimingKind::kSpawn;
    case isa::MessageCost::kRender: return TimingKind::kRender;
    case isa::MessageCost::kInterpolator: return TimingKind::kInterpolator;
    case isa::MessageCost::kUrb: return TimingKind::kUrb;
  }
  return TimingKind::kData;
}

namespace {

// Returns the kind for shared functions whose messages all cost the same; Kiln has no rows for most
// of these messages.
std::optional<TimingKind> FunctionKind(Sfid sfid) {
  switch (sfid) {
    case Sfid::kSampler: return TimingKind::kSampler;
    case Sfid::kConstantCache:
    case Sfid::kReadOnly: return TimingKind::kConstant;
    case Sfid::kRenderCache: return TimingKind::kRender;
    case Sfid::kUrb: return TimingKind::kUrb;
    case Sfid::kPixelInterpolator: return TimingKind::kInterpolator;
    case Sfid::kGateway: return TimingKind::kBarrier;
    case Sfid::kThreadSpawner: return TimingKind::kSpawn;
    default: return std::nullopt;
  }
}

// Returns the kind of a send. If the descriptor is in a register, its constant part says which
// message it is.
std::optional<TimingKind> SendKind(isa::Generation gen, const Instruction& inst) {
  const isa::SendFields& send = inst.send;
  if (const std::optional<TimingKind> kind = FunctionKind(send.sfid)) return kind;
  const auto fields =
      isa::ParseDescriptor(gen, send.sfid, send.desc, send.ex_desc_is_register ? 0 : send.ex_desc);
  if (!fields.ok()) return std::nullopt;
  return KindOf(isa::Info(fields->message).cost);
}

bool ReadsArchitecture(const Instruction& inst) {
  return std::any_of(inst.src.begin(), inst.src.end(), [](const isa::Operand& o) {
    return o.file == isa::File::kArf && o.arf >= isa::Arf::kState;
  });
}

std::optional<TimingKind> InstructionKind(isa::Generation gen, const Instruction& inst) {
  if (isa::IsSend(inst.op)) return SendKind(gen, inst);
  if (inst.op == Opcode::kMath) return KindOf(inst.math);
  if (isa::IsBranch(inst.op)) return TimingKind::kBranch;
  return ReadsArchitecture(inst) ? TimingKind::kArchitecture : TimingKind::kAlu;
}

// Returns the bytes per lane with which the lanes pass through the unit.
int ExecutionBytes(const Instruction& inst) {
  int bytes = inst.dst.file == isa::File::kNone ? 0 : isa::ByteSize(inst.dst.type);
  for (int i = 0; i < isa::Info(inst.op).nsrc && i < 3; ++i) {
    bytes = std::max(bytes, isa::ByteSize(inst.src[i].type));
  }
  return bytes;
}

int Registers(const isa::GrfSet& set) {
  return std::popcount(set.bits[0]) + std::popcount(set.bits[1]);
}

}  // namespace

std::string_view Name(Unit unit) {
  constexpr std::array<std::string_view, kUnits> kNames = {
      "control",        "fpu", "math",         "sampler", "data_cache", "render_cache",
      "constant_cache", "urb", "interpolator", "gateway", "spawner"};
  return kNames[static_cast<size_t>(unit)];
}

Timing TimingOf(const TimingTable& table, TimingKind kind, const TimingSizes& sizes) {
  const TimingRow& row = table.of(kind);
  Timing t;
  t.unit = row.unit;
  t.front = row.front + row.front_per_result * sizes.written;
  t.busy = row.busy + row.busy_per_lane_grf * sizes.lanes;
  t.read = row.read + row.latency_per_payload * sizes.payload;
  t.result =
      row.result + row.latency_per_payload * sizes.payload + row.result_per_result * sizes.written;
  t.accumulator = row.accumulator;
  t.flag = row.flag;
  return t;
}

std::optional<Timing> TimingOf(const Device& device, const Instruction& inst,
                               const isa::Footprint& footprint) {
  if (inst.op == Opcode::kNop || inst.op == Opcode::kSync) return Timing();
  const std::optional<TimingKind> kind = InstructionKind(device.generation, inst);
  if (!kind) return std::nullopt;
  TimingSizes sizes;
  sizes.written = Registers(footprint.writes);
  sizes.lanes = GrfsOf(inst.exec_size * ExecutionBytes(inst));
  sizes.payload = isa::IsSend(inst.op) ? Registers(footprint.reads) : 0;
  return TimingOf(*device.timings, *kind, sizes);
}

}  // namespace kiln::intel
