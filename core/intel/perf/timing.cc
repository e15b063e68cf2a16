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

constexpr Row kAlu = {Unit::kFpu, 0, 2, 0, 2, 0, 10, 6, 14, 0, 0};
// A control register is read through the pipe's end.
constexpr Row kArchitecture = {Unit::kFpu, 20, 6, 0, 6, 0, 10, 6, 14, 0, 0};
constexpr Row kMath = {Unit::kMath, -2, 4, 0, 4, 0, 16, 0, 0, 0, 0};
constexpr Row kPower = {Unit::kMath, -2, 4, 0, 8, 0, 24, 0, 0, 0, 0};
constexpr Row kDivision = {Unit::kMath, 2, 0, 26, 0, 0, 28, 0, 0, 0, 0};
constexpr Row kBranch = {Unit::kControl, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0};
constexpr Row kSampler = {Unit::kSampler, 2, 0, 0, 16, 8, 750, 0, 0, 2, 0};
constexpr Row kData = {Unit::kDataCache, 2, 0, 0, 20, 10, 100, 0, 0, 0, 0};
constexpr Row kAtomic = {Unit::kDataCache, 2, 0, 30, 400, 10, 100, 0, 0, 0, 400};
constexpr Row kFence = {Unit::kDataCache, 2, 0, 30, 0, 10, 100, 0, 0, 0, 0};
constexpr Row kConstant = {Unit::kConstantCache, 2, 0, 0, 16, 10, 100, 0, 0, 0, 0};
constexpr Row kRender = {Unit::kRenderCache, 2, 0, 0, 450, 10, 300, 0, 0, 0, 0};
constexpr Row kUrb = {Unit::kUrb, 2, 0, 0, 6, 32, 200, 0, 0, 0, 0};
constexpr Row kInterpolator = {Unit::kInterpolator, 2, 0, 14, 0, 0, 90, 0, 0, 0, 0};
constexpr Row kBarrier = {Unit::kGateway, 90, 0, 0, 0, 0, 0, 0, 0, 0, 0};
constexpr Row kSpawn = {Unit::kSpawner, 2, 0, 0, 0, 10, 0, 0, 0, 0, 0};

const Row& MathRow(MathFunction f) {
  switch (f) {
    case MathFunction::kPow:
    case MathFunction::kFdiv:
      return kPower;
    case MathFunction::kIntDivBoth:
    case MathFunction::kIntDivQuotient:
    case MathFunction::kIntDivRemainder:
      return kDivision;
    default:
      return kMath;
  }
}

// The data port's row for a message. A descriptor in a register, or of no message we know, counts
// as a plain access.
const Row& DataRow(const Instruction& inst) {
  if (inst.send.desc_is_register) return kData;
  const auto fields = isa::ParseDescriptor(isa::Generation::kGen12, inst.send.sfid, inst.send.desc,
                                           inst.send.ex_desc);
  if (!fields.ok()) return kData;
  switch (isa::Info(fields->message).layout) {
    case isa::MessageLayout::kAtomic:
    case isa::MessageLayout::kAtomicFloat:
    case isa::MessageLayout::kTypedAtomic:
    case isa::MessageLayout::kA64Atomic:
      return kAtomic;
    case isa::MessageLayout::kFence:
      return kFence;
    default:
      return kData;
  }
}

const Row& SendRow(const Instruction& inst) {
  switch (inst.send.sfid) {
    case Sfid::kSampler:
      return kSampler;
    case Sfid::kConstantCache:
    case Sfid::kReadOnly:
      return kConstant;
    case Sfid::kRenderCache:
      return kRender;
    case Sfid::kUrb:
      return kUrb;
    case Sfid::kPixelInterpolator:
      return kInterpolator;
    case Sfid::kGateway:
      return kBarrier;
    case Sfid::kThreadSpawner:
      return kSpawn;
    default:
      return DataRow(inst);
  }
}

bool ReadsArchitecture(const Instruction& inst) {
  return std::any_of(inst.src.begin(), inst.src.end(), [](const isa::Operand& o) {
    return o.file == isa::File::kArf && o.arf >= isa::Arf::kState;
  });
}

const Row& RowOf(const Instruction& inst) {
  if (isa::IsSend(inst.op)) return SendRow(inst);
  if (inst.op == Opcode::kMath) return MathRow(inst.math);
  if (isa::IsBranch(inst.op)) return kBranch;
  return ReadsArchitecture(inst) ? kArchitecture : kAlu;
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

Timing TimingOf(const Instruction& inst, const isa::Footprint& footprint) {
  if (inst.op == Opcode::kNop || inst.op == Opcode::kSync) return {};
  const Row& row = RowOf(inst);
  const int written = Registers(footprint.writes);
  const int lanes = (inst.exec_size * ExecutionBytes(inst) + isa::kGrfBytes - 1) / isa::kGrfBytes;
  const int payload = isa::IsSend(inst.op) ? Registers(footprint.reads) : 0;
  Timing t;
  t.unit = row.unit;
  t.front = row.front + row.front_per_result * written;
  t.busy = row.busy + row.busy_per_lane_grf * lanes;
  t.read = row.read + row.latency_per_payload * payload;
  t.result = row.result + row.latency_per_payload * payload + row.result_per_result * written;
  t.accumulator = row.accumulator;
  t.flag = row.flag;
  return t;
}

}  // namespace kiln::intel
