// Timings by kind of instruction: see timing.h.
#include "core/intel/perf/timing.h"

#include <algorithm>
#include <bit>

#include "core/intel/isa/messages.h"

namespace kiln::intel {
namespace {

using isa::Instruction;
using isa::MathFunction;
using isa::Opcode;
using isa::Sfid;

// A linear function of an instruction's sizes in registers.
struct Row {
  Unit unit;
  int front, front_per_result;   // per GRF written
  int busy, busy_per_lane_grf;   // per GRF that the lanes fill at the execution type
  int read, result, accumulator, flag;
  int latency_per_payload;       // per GRF of payload, on read and result
  int result_per_result;         // per GRF written
};

// By TimingKind.
constexpr Row kRows[] = {
    {Unit::kFpu, 0, 2, 0, 2, 0, 10, 6, 14, 0, 0},  // kAlu
    // A control register is read through the pipe's end.
    {Unit::kFpu, 20, 6, 0, 6, 0, 10, 6, 14, 0, 0},  // kArchitecture
    {Unit::kMath, -2, 4, 0, 4, 0, 16, 0, 0, 0, 0},  // kMath
    {Unit::kMath, -2, 4, 0, 8, 0, 24, 0, 0, 0, 0},  // kPower
    {Unit::kMath, 2, 0, 26, 0, 0, 28, 0, 0, 0, 0},  // kDivision
    {Unit::kControl, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0},  // kBranch
    {Unit::kSampler, 2, 0, 0, 16, 8, 750, 0, 0, 2, 0},  // kSampler
    {Unit::kDataCache, 2, 0, 0, 20, 10, 100, 0, 0, 0, 0},  // kData
    {Unit::kDataCache, 2, 0, 30, 400, 10, 100, 0, 0, 0, 400},  // kAtomic
    {Unit::kDataCache, 2, 0, 30, 0, 10, 100, 0, 0, 0, 0},  // kFence
    {Unit::kConstantCache, 2, 0, 0, 16, 10, 100, 0, 0, 0, 0},  // kConstant
    {Unit::kRenderCache, 2, 0, 0, 450, 10, 300, 0, 0, 0, 0},  // kRender
    {Unit::kUrb, 2, 0, 0, 6, 32, 200, 0, 0, 0, 0},  // kUrb
    {Unit::kInterpolator, 2, 0, 14, 0, 0, 90, 0, 0, 0, 0},  // kInterpolator
    {Unit::kGateway, 90, 0, 0, 0, 0, 0, 0, 0, 0, 0},  // kBarrier
    {Unit::kSpawner, 2, 0, 0, 0, 10, 0, 0, 0, 0, 0},  // kSpawn
};

}  // namespace

TimingKind KindOf(MathFunction f) {
  switch (f) {
    case MathFunction::kPow:
    case MathFunction::kFdiv:
      return TimingKind::kPower;
    case MathFunction::kIntDivBoth:
    case MathFunction::kIntDivQuotient:
    case MathFunction::kIntDivRemainder:
      return TimingKind::kDivision;
    default:
      return TimingKind::kMath;
  }
}

TimingKind KindOf(isa::MessageCost cost) {
  switch (cost) {
    case isa::MessageCost::kData:
      return TimingKind::kData;
    case isa::MessageCost::kAtomic:
      return TimingKind::kAtomic;
    case isa::MessageCost::kFence:
      return TimingKind::kFence;
    case isa::MessageCost::kConstant:
      return TimingKind::kConstant;
    case isa::MessageCost::kSampler:
      return TimingKind::kSampler;
    case isa::MessageCost::kBarrier:
      return TimingKind::kBarrier;
    case isa::MessageCost::kSpawn:
      return TimingKind::kSpawn;
  }
  return TimingKind::kData;
}

namespace {

// Shared functions that cost the same whatever the message, most of which Kiln has no rows for.
std::optional<TimingKind> FunctionKind(Sfid sfid) {
  switch (sfid) {
    case Sfid::kSampler:
      return TimingKind::kSampler;
    case Sfid::kConstantCache:
    case Sfid::kReadOnly:
      return TimingKind::kConstant;
    case Sfid::kRenderCache:
      return TimingKind::kRender;
    case Sfid::kUrb:
      return TimingKind::kUrb;
    case Sfid::kPixelInterpolator:
      return TimingKind::kInterpolator;
    case Sfid::kGateway:
      return TimingKind::kBarrier;
    case Sfid::kThreadSpawner:
      return TimingKind::kSpawn;
    default:
      return std::nullopt;
  }
}

// Of a descriptor in a register the constant part says which message it is.
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

// Bytes per lane at which the lanes pass through the unit.
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

Timing TimingOf(TimingKind kind, const TimingSizes& sizes) {
  const Row& row = kRows[static_cast<size_t>(kind)];
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

std::optional<Timing> TimingOf(isa::Generation gen, const Instruction& inst,
                               const isa::Footprint& footprint) {
  if (inst.op == Opcode::kNop || inst.op == Opcode::kSync) return Timing();
  const std::optional<TimingKind> kind = InstructionKind(gen, inst);
  if (!kind) return std::nullopt;
  TimingSizes sizes;
  sizes.written = Registers(footprint.writes);
  sizes.lanes = (inst.exec_size * ExecutionBytes(inst) + isa::kGrfBytes - 1) / isa::kGrfBytes;
  sizes.payload = isa::IsSend(inst.op) ? Registers(footprint.reads) : 0;
  return TimingOf(*kind, sizes);
}

}  // namespace kiln::intel
