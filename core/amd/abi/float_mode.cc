#include "core/amd/abi/float_mode.h"

#include <algorithm>

#include "core/base/cause.h"

namespace kiln::amd {
namespace {

using mir::DenormMode;
using mir::Need;
using mir::Op;
using mir::Type;

constexpr uint32_t kToZero = 3, kKept = 3;

// The place that a refusal blames: the first that needs doubles.
uint32_t DoublesId(const mir::Module& m) {
  const auto need = std::find_if(m.needs.begin(), m.needs.end(),
                                 [](const mir::Needed& n) { return n.need == Need::kFloat64; });
  return need == m.needs.end() ? 0 : need->spirv_id;
}

bool FlushesShared(const mir::Module& m) {
  return m.f16_mode.denorms == DenormMode::kFlush || m.f64_mode.denorms == DenormMode::kFlush;
}

// The rounding of doubles, if there are any, else that of halfs.
bool SharedRoundsToZero(const mir::Module& m) {
  return mir::RoundsToZero(m, Op::kFadd, m.Needs(Need::kFloat64) ? Type::kF64 : Type::kF16);
}

bool IsDividing(const mir::Module& m, const mir::Inst& inst) {
  switch (inst.op) {
    case Op::kFdiv:
    case Op::kFrem:
    case Op::kFmod:
    case Op::kFsqrt: return m.value(inst.first_result).type == Type::kF64;
    default: return false;
  }
}

}  // namespace

uint32_t FloatModeOf(const mir::Module& m) {
  const uint32_t single_rounding = mir::RoundsToZero(m, Op::kFadd, Type::kF32) ? kToZero : 0;
  const uint32_t rounding = SharedRoundsToZero(m) ? kToZero : 0;
  const uint32_t single_denorms = m.f32_mode.denorms == DenormMode::kPreserve ? kKept : 0;
  const uint32_t denorms = FlushesShared(m) ? 0 : kKept;
  return single_rounding | rounding << 2 | single_denorms << 4 | denorms << 6;
}

absl::Status CheckFloatModes(const mir::Module& m) {
  if (!m.Needs(Need::kFloat64)) return absl::OkStatus();
  const uint32_t id = DoublesId(m);
  const bool to_zero = mir::RoundsToZero(m, Op::kFadd, Type::kF64);
  if (m.Needs(Need::kHalfFloats)) {
    if (to_zero != mir::RoundsToZero(m, Op::kFadd, Type::kF16)) {
      return Unsupported("float_controls", "two rounding modes of floats of 16 and 64 bits", id);
    }
    const DenormMode half = m.f16_mode.denorms, twice = m.f64_mode.denorms;
    if (half != twice && half != DenormMode::kAny && twice != DenormMode::kAny) {
      return Unsupported("float_controls",
                         "subnormals kept and flushed of floats of 16 and 64 bits", id);
    }
  }
  if (!to_zero) return absl::OkStatus();
  for (const mir::Inst& inst : m.insts) {
    if (!IsDividing(m, inst)) continue;
    return Unsupported("float_controls", "division or square root of doubles rounded towards zero",
                       inst.spirv_id);
  }
  return absl::OkStatus();
}

}  // namespace kiln::amd
