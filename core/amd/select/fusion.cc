// See fusion.h.
#include "core/amd/select/fusion.h"

#include <algorithm>
#include <bit>

#include "core/amd/select/local_axis.h"
#include "core/base/float_bits.h"
#include "core/mid/analysis/known_bits.h"

namespace kiln::amd {
namespace {

// The opcode for `outer` of the result of `inner`, with the sources in the order inner's first,
// inner's second, outer's other; and whether `inner` may be any source of `outer`.
struct Pair {
  mir::Op outer;
  mir::Op inner;
  bool any_source;
  Opcode op;
};
constexpr Pair kPairs[] = {
    {mir::Op::kIadd, mir::Op::kIadd, true, Opcode::kVAdd3U32},
    {mir::Op::kIadd, mir::Op::kShl, true, Opcode::kVLshlAddU32},
    {mir::Op::kIadd, mir::Op::kXor, true, Opcode::kVXadU32},
    {mir::Op::kIadd, mir::Op::kImul, true, Opcode::kVMadU32U24},  // of factors below 2^24
    {mir::Op::kShl, mir::Op::kIadd, false, Opcode::kVAddLshlU32},
    {mir::Op::kOr, mir::Op::kOr, true, Opcode::kVOr3B32},
    {mir::Op::kOr, mir::Op::kShl, true, Opcode::kVLshlOrB32},
    {mir::Op::kOr, mir::Op::kAnd, true, Opcode::kVAndOrB32},
    {mir::Op::kXor, mir::Op::kXor, true, Opcode::kVXor3B32},
    {mir::Op::kImin, mir::Op::kImin, true, Opcode::kVMin3I32},
    {mir::Op::kImax, mir::Op::kImax, true, Opcode::kVMax3I32},
    {mir::Op::kUmin, mir::Op::kUmin, true, Opcode::kVMin3U32},
    {mir::Op::kUmax, mir::Op::kUmax, true, Opcode::kVMax3U32},
    {mir::Op::kFmin, mir::Op::kFmin, true, Opcode::kVMin3F32},
    {mir::Op::kFmax, mir::Op::kFmax, true, Opcode::kVMax3F32},
};

// The larger of `inner`'s constant and x, at most `outer`'s constant; or the other way round.
struct Clamp {
  mir::Op outer;
  mir::Op inner;
  Opcode op;
};
constexpr Clamp kClamps[] = {
    {mir::Op::kImin, mir::Op::kImax, Opcode::kVMed3I32},
    {mir::Op::kImax, mir::Op::kImin, Opcode::kVMed3I32},
    {mir::Op::kUmin, mir::Op::kUmax, Opcode::kVMed3U32},
    {mir::Op::kUmax, mir::Op::kUmin, Opcode::kVMed3U32},
    // Not fmax of fmin: that of a NaN is the upper bound, and the median the lower one.
    {mir::Op::kFmin, mir::Op::kFmax, Opcode::kVMed3F32},
};

bool IsOrdered(Opcode op, uint32_t low, uint32_t high) {
  switch (op) {
    case Opcode::kVMed3I32: return static_cast<int32_t>(low) <= static_cast<int32_t>(high);
    case Opcode::kVMed3U32: return low <= high;
    default: return AsFloat(low) <= AsFloat(high);  // false for NaNs
  }
}

}  // namespace

// Returns the only reader of the result, or an invalid id.
mir::InstId Fusions::OnlyReader(mir::InstId id) {
  if (m_.inst(id).num_results != 1) return mir::InstId();
  const absl::Span<const mir::Use> uses = e_.uses().Of(m_.result(id));
  return uses.size() == 1 ? uses[0].inst : mir::InstId();
}

bool Fusions::CanBePart(mir::InstId id) const {
  const mir::Inst& inst = m_.inst(id);
  if (inst.num_results != 1) return false;
  const mir::ValueId result = m_.result(id);
  const mir::Type type = m_.value(result).type;
  if (LocalAxisOf(m_, id)) return false;  // in a register from the start
  return type == mir::Type::kI32 || type == mir::Type::kF32;
}

std::optional<Fusion> Fusions::Match(mir::InstId outer, int inner_source, mir::InstId inner) {
  const mir::ValueId other = m_.source(outer, 1 - inner_source);
  for (const Pair& pair : kPairs) {
    if (pair.outer != m_.inst(outer).op || pair.inner != m_.inst(inner).op) continue;
    if (inner_source != 0 && !pair.any_source) continue;
    const mir::ValueId a = m_.source(inner, 0), b = m_.source(inner, 1);
    if (pair.op == Opcode::kVMadU32U24) {
      constexpr uint32_t kLimit = 1u << 24;
      if (mid::UpperBound(m_, a) >= kLimit || mid::UpperBound(m_, b) >= kLimit) continue;
    }
    return Fusion{pair.op, inner, {{a}, {b}, {other}}};
  }
  if (const auto field = MatchField(outer, inner_source, inner)) return field;
  return MatchMedian(outer, inner_source, inner);
}

std::optional<uint32_t> Fusions::Constant(mir::InstId id, int source) const {
  const mir::ValueId v = m_.source(id, source);
  if (!m_.IsConstant(v)) return std::nullopt;
  return static_cast<uint32_t>(m_.value(v).bits);
}

// A shift to the right, masked; a shift to the left and at least as far back.
std::optional<Fusion> Fusions::MatchField(mir::InstId outer, int inner_source,
                                          mir::InstId inner) const {
  const mir::Op op = m_.inst(outer).op;
  const auto mask = Constant(outer, 1 - inner_source);
  const auto count = Constant(inner, 1);
  if (!mask || !count) return std::nullopt;
  const mir::ValueId x = m_.source(inner, 0);
  const uint32_t shift = *count & 31;
  if (op == mir::Op::kAnd && m_.inst(inner).op == mir::Op::kUshr) {
    if (*mask == 0 || (*mask & (*mask + 1)) != 0) return std::nullopt;
    const auto bits = std::min(static_cast<uint32_t>(std::popcount(*mask)), 32 - shift);
    if (bits == 32) return std::nullopt;
    return Fusion{Opcode::kVBfeU32, inner, {{x}, {{}, shift}, {{}, bits}}};
  }
  if (m_.inst(inner).op != mir::Op::kShl || inner_source != 0) return std::nullopt;
  if (op != mir::Op::kUshr && op != mir::Op::kAshr) return std::nullopt;
  const uint32_t back = *mask & 31;
  if (back < shift || back == 0) return std::nullopt;
  return Fusion{op == mir::Op::kUshr ? Opcode::kVBfeU32 : Opcode::kVBfeI32,
                inner,
                {{x}, {{}, back - shift}, {{}, 32 - back}}};
}

std::optional<Fusion> Fusions::MatchMedian(mir::InstId outer, int inner_source, mir::InstId inner) {
  const mir::ValueId bound = m_.source(outer, 1 - inner_source);
  if (!m_.IsConstant(bound)) return std::nullopt;
  for (const Clamp& clamp : kClamps) {
    if (clamp.outer != m_.inst(outer).op || clamp.inner != m_.inst(inner).op) continue;
    for (int i = 0; i < 2; ++i) {
      const mir::ValueId first = m_.source(inner, i);
      if (!m_.IsConstant(first)) continue;
      const bool outer_is_upper = clamp.outer == mir::Op::kImin || clamp.outer == mir::Op::kUmin ||
                                  clamp.outer == mir::Op::kFmin;
      const mir::ValueId low = outer_is_upper ? first : bound;
      const mir::ValueId high = outer_is_upper ? bound : first;
      if (!IsOrdered(clamp.op, static_cast<uint32_t>(m_.value(low).bits),
                     static_cast<uint32_t>(m_.value(high).bits))) {
        continue;
      }
      return Fusion{clamp.op, inner, {{m_.source(inner, 1 - i)}, {low}, {high}}};
    }
  }
  return std::nullopt;
}

// Bit fields, sums with a number shifted by 1 to 4, and sums of two numbers and a carry.
bool Fusions::HasScalarForm(const Fusion& fusion) const {
  if (fusion.op == Opcode::kVBfeU32 || fusion.op == Opcode::kVBfeI32) return true;
  if (fusion.op == Opcode::kVAdd3U32) {
    const auto is_carry = [&](const Fusion::Source& source) {
      return e_.DefinedBy(source.value, mir::Op::kUaddCarry).has_value();
    };
    return is_carry(fusion.sources[2]) && !is_carry(fusion.sources[0]) &&
           !is_carry(fusion.sources[1]);
  }
  if (fusion.op != Opcode::kVLshlAddU32 || !m_.IsConstant(fusion.sources[1].value)) return false;
  const uint64_t count = m_.value(fusion.sources[1].value).bits;
  return count >= 1 && count <= 4;
}

// Two scalars, of which one may be a literal (LegaliseVector).
bool Fusions::FitsBus(const Fusion& fusion) const {
  int named = 0;
  for (const Fusion::Source& source : fusion.sources) {
    if (!source.value.valid()) continue;
    if (m_.IsConstant(source.value)) {
      named += IsInline(static_cast<uint32_t>(m_.value(source.value).bits)) ? 0 : 1;
    } else {
      named += e_.IsUniform(source.value) ? 1 : 0;
    }
  }
  return named <= 2;
}

// Returns the fusion of `outer` with one of its sources, whether or not `outer` is fused itself.
std::optional<Fusion> Fusions::Candidate(mir::InstId outer) {
  if (m_.inst(outer).num_sources != 2 || !CanBePart(outer)) return std::nullopt;
  if (parts_.IsAbsorbed(outer) || parts_.PairOf(outer)) return std::nullopt;
  for (int i = 0; i < 2; ++i) {
    const mir::ValueId v = m_.source(outer, i);
    if (m_.value(v).kind != mir::Value::Kind::kResult) continue;
    const mir::InstId inner{m_.value(v).owner};
    if (m_.inst(inner).num_sources != 2 || !CanBePart(inner)) continue;
    if (OnlyReader(inner) != outer || parts_.PairOf(inner)) continue;
    const bool uniform = e_.IsUniform(m_.result(outer));
    const auto fusion = Match(outer, i, inner);
    if (!fusion || (uniform && !HasScalarForm(*fusion))) continue;
    // A scalar part joins a vector instruction that takes its sources as they are.
    if (!uniform && e_.IsUniform(v) && !FitsBus(*fusion)) continue;
    return fusion;
  }
  return std::nullopt;
}

bool Fusions::IsFused(mir::InstId id) {
  if (states_.empty()) states_.resize(m_.insts.size(), State::kUnknown);
  // Follows the chain of readers to one that is known or reads nothing fused, then decides
  // backwards.
  std::vector<mir::InstId> chain;
  bool fused = false;  // the last one that was decided
  for (mir::InstId at = id;;) {
    if (states_[at.index] != State::kUnknown) {
      fused = states_[at.index] == State::kFused;
      break;
    }
    chain.push_back(at);
    const mir::InstId reader = OnlyReader(at);
    const std::optional<Fusion> fusion = reader.valid() ? Candidate(reader) : std::nullopt;
    if (!fusion || fusion->inner != at) {
      states_[at.index] = State::kAlone;
      chain.pop_back();
      fused = false;
      break;
    }
    at = reader;
  }
  while (!chain.empty()) {
    fused = !fused;
    states_[chain.back().index] = fused ? State::kFused : State::kAlone;
    chain.pop_back();
  }
  return states_[id.index] == State::kFused;
}

std::optional<Fusion> Fusions::Of(mir::InstId id) {
  const std::optional<Fusion> fusion = Candidate(id);
  if (!fusion || !IsFused(fusion->inner)) return std::nullopt;
  return fusion;
}

}  // namespace kiln::amd
