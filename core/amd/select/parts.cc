// See parts.h.
#include "core/amd/select/parts.h"

#include <algorithm>

namespace kiln::amd {

std::optional<uint32_t> Parts::Constant(mir::InstId id, int source) const {
  const mir::ValueId v = m_.source(id, source);
  if (!m_.IsConstant(v)) return std::nullopt;
  return static_cast<uint32_t>(m_.value(v).bits);
}

bool Parts::HasOneReader(mir::ValueId v) { return e_.uses().Of(v).size() == 1; }

// Returns the part of another number that v is, zero-extended.
std::optional<Part> Parts::PartOf(mir::ValueId v) const {
  using mir::Op;
  if (m_.value(v).kind != mir::Value::Kind::kResult || e_.BitsOf(v) != 32) return std::nullopt;
  const mir::InstId id{m_.value(v).owner};
  const auto part = [&](mir::ValueId dword, uint32_t first, uint32_t bits) -> std::optional<Part> {
    const bool fits = (bits == 8 || bits == 16) && first % bits == 0 && first + bits <= 32;
    if (!fits || e_.BitsOf(dword) != 32) return std::nullopt;
    return Part{dword, first, bits};
  };
  const std::optional<uint32_t> first =
      m_.inst(id).num_sources >= 2 ? Constant(id, 1) : std::nullopt;
  switch (m_.inst(id).op) {
    case Op::kAnd: {
      const uint32_t bits = first == 0xffu ? 8 : first == 0xffffu ? 16 : 0;
      if (bits == 0) return std::nullopt;
      if (const auto shift = e_.DefinedBy(m_.source(id, 0), Op::kUshr)) {
        if (const auto count = Constant(*shift, 1)) {
          if (const auto moved = part(m_.source(*shift, 0), *count & 31, bits)) return moved;
        }
      }
      return part(m_.source(id, 0), 0, bits);
    }
    case Op::kUshr:
      if (!first) return std::nullopt;
      return part(m_.source(id, 0), *first & 31, 32 - (*first & 31));
    case Op::kUbitfieldExtract: {
      const auto bits = Constant(id, 2);
      if (!first || !bits) return std::nullopt;
      return part(m_.source(id, 0), *first & 31, *bits);
    }
    default: return std::nullopt;
  }
}

std::optional<Part> Parts::ConvertedBy(mir::InstId id) const {
  using mir::Op;
  const Op op = m_.inst(id).op;
  if (op != Op::kU2f && op != Op::kI2f && op != Op::kF16f) return std::nullopt;
  const std::optional<Part> part = PartOf(m_.source(id, 0));
  if (!part || part->bits != (op == Op::kF16f ? 16u : 8u)) return std::nullopt;
  if (op != Op::kF16f && e_.BitsOf(m_.result(id)) != 32) return std::nullopt;
  // A scalar shift or mask costs less than moving the dword to a vector register for SDWA.
  if (e_.IsUniform(part->dword)) return std::nullopt;
  return part;
}

// Returns the value whose low word is that of v, which has 32 bits and one reader; invalid if the
// high word of v must be 0 and this is not a reason for it.
mir::ValueId Parts::LowWord(mir::ValueId v, bool rest_is_zero) {
  using mir::Op;
  if (HasOneReader(v)) {
    if (const auto wide = e_.DefinedBy(v, Op::kZext)) {
      if (e_.BitsOf(m_.source(*wide, 0)) == 16) return m_.source(*wide, 0);
    }
    if (const auto masked = e_.DefinedBy(v, Op::kAnd)) {
      if (Constant(*masked, 1) == 0xffffu) return m_.source(*masked, 0);
    }
    if (e_.DefinedBy(v, Op::kF2f16)) return v;
  }
  return rest_is_zero ? mir::ValueId() : v;
}

std::optional<WordPair> Parts::PairOf(mir::InstId id) {
  using mir::Op;
  if (m_.inst(id).op != Op::kOr) return std::nullopt;
  const mir::ValueId result = m_.result(id);
  if (m_.value(result).type != mir::Type::kI32 || e_.IsUniform(result)) return std::nullopt;
  for (int i = 0; i < 2; ++i) {
    const mir::ValueId moved = m_.source(id, 1 - i);
    const auto shift = e_.DefinedBy(moved, Op::kShl);
    if (!shift || !HasOneReader(moved)) continue;
    const auto count = Constant(*shift, 1);
    if (!count || (*count & 31) != 16) continue;
    const mir::ValueId low = LowWord(m_.source(id, i), true);
    if (low.valid()) return WordPair{low, LowWord(m_.source(*shift, 0), false)};
  }
  return std::nullopt;
}

bool Parts::IsAbsorbed(mir::InstId id) {
  using mir::Op;
  const Op op = m_.inst(id).op;
  switch (op) {
    case Op::kAnd:
    case Op::kUshr:
    case Op::kShl:
    case Op::kUbitfieldExtract:
    case Op::kZext: break;
    default: return false;
  }
  const mir::ValueId v = m_.result(id);
  if (e_.IsBool(v)) return false;
  const absl::Span<const mir::Use> uses = e_.uses().Of(v);
  return std::all_of(uses.begin(), uses.end(), [&](const mir::Use& use) {
    const Op reader = m_.inst(use.inst).op;
    switch (reader) {
      case Op::kU2f:
      case Op::kI2f:
      case Op::kF16f: return ConvertedBy(use.inst).has_value();
      case Op::kAnd: {
        if (op != Op::kUshr || !IsAbsorbed(use.inst)) return false;
        const std::optional<Part> part = PartOf(m_.result(use.inst));
        return part && part->dword != v;
      }
      case Op::kShl: {  // the high word of a pair
        if (op != Op::kZext && op != Op::kAnd) return false;
        if (!IsAbsorbed(use.inst) || use.source != 0) return false;
        return LowWord(v, false) != v;
      }
      case Op::kOr: {
        const std::optional<WordPair> pair = PairOf(use.inst);
        if (!pair) return false;
        if (op == Op::kShl) {
          const mir::ValueId high = m_.source(id, 0);
          return pair->high == high || pair->high == LowWord(high, false);
        }
        return (op == Op::kZext || op == Op::kAnd) && pair->low == LowWord(v, true);
      }
      default: return false;
    }
  });
}

}  // namespace kiln::amd
