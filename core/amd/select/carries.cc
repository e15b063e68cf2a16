// See carries.h.
#include "core/amd/select/carries.h"

namespace kiln::amd {
namespace {

bool IsCarry(mir::Op op) { return op == mir::Op::kUaddCarry || op == mir::Op::kUsubBorrow; }
// The sum or difference that has the carry or borrow, and the other way round.
mir::Op TwinOf(mir::Op op) {
  switch (op) {
    case mir::Op::kUaddCarry: return mir::Op::kIadd;
    case mir::Op::kUsubBorrow: return mir::Op::kIsub;
    case mir::Op::kIadd: return mir::Op::kUaddCarry;
    default: return mir::Op::kUsubBorrow;
  }
}

}  // namespace

// Returns the source of an addition (or subtraction) that is a carry (borrow) of 32-bit numbers and
// can be its carry-in; else -1.
int Carries::CarrySource(mir::InstId id) {
  const mir::Op op = m_.inst(id).op;
  if (op != mir::Op::kIadd && op != mir::Op::kIsub) return -1;
  if (fusions_.IsFused(id)) return -1;
  const auto fusion = fusions_.Of(id);
  if (fusion && m_.inst(fusion->inner).op != mir::Op::kIadd) return -1;
  for (int i = op == mir::Op::kIadd ? 0 : 1; i < 2; ++i) {
    const mir::ValueId v = m_.source(id, i);
    const auto carry =
        e_.DefinedBy(v, op == mir::Op::kIadd ? mir::Op::kUaddCarry : mir::Op::kUsubBorrow);
    if (carry && e_.BitsOf(v) == 32) return i;
  }
  return -1;
}

bool Carries::IsOnlyAdded(mir::ValueId carry) {
  for (const mir::Use& use : e_.uses().Of(carry)) {
    if (CarrySource(use.inst) != static_cast<int>(use.source)) return false;
  }
  return true;
}

// Returns the instruction of this kind with the same sources in the same region.
std::optional<mir::InstId> Carries::Twin(mir::InstId id, mir::Op op) {
  if (regions_.empty()) {
    regions_.resize(m_.insts.size());
    mir::ForEachRegion(m_, m_.body, [&](mir::RegionId r) {
      for (mir::InstId i : m_.region(r).insts) regions_[i.index] = r;
    });
  }
  const mir::ValueId a = m_.source(id, 0), b = m_.source(id, 1);
  const mir::ValueId listed = m_.IsConstant(a) ? b : a;
  for (const mir::Use& use : e_.uses().Of(listed)) {
    const mir::InstId other = use.inst;
    if (m_.inst(other).op != op || regions_[other.index] != regions_[id.index]) continue;
    const bool same = m_.source(other, 0) == a && m_.source(other, 1) == b;
    const bool swapped = m_.source(other, 0) == b && m_.source(other, 1) == a;
    if (same || (swapped && op != mir::Op::kIsub && op != mir::Op::kUsubBorrow)) return other;
  }
  return std::nullopt;
}

bool Carries::Visit(mir::InstId id) {
  const mir::Op op = m_.inst(id).op;
  if (!IsCarry(op) && op != mir::Op::kIadd && op != mir::Op::kIsub) return false;
  if (e_.BitsOf(m_.result(id)) != 32) return false;
  flags_.resize(m_.values.size());
  done_.resize(m_.insts.size());
  if (const int source = CarrySource(id); source >= 0) {
    if (Exists(flags_[m_.source(id, source).index])) {
      Add(id, source);
      return true;
    }
  }
  const std::optional<mir::InstId> twin = Twin(id, TwinOf(op));
  if (!IsCarry(op)) {
    if (!twin || fusions_.Of(id) || CarrySource(id) >= 0) return false;
    Make(*twin, id);
    done_[twin->index] = true;
    return true;
  }
  const bool with_sum =
      twin && !fusions_.IsFused(*twin) && !fusions_.Of(*twin) && CarrySource(*twin) < 0;
  Make(id, with_sum ? twin : std::nullopt);
  if (with_sum) done_[twin->index] = true;
  return true;
}

// Emits the addition or subtraction whose carry is wanted, and sets its sum if that is wanted too.
void Carries::Make(mir::InstId carry, std::optional<mir::InstId> sum) {
  const mir::ValueId result = m_.result(carry);
  const Operand a = e_.Src(m_.source(carry, 0)), b = e_.Src(m_.source(carry, 1));
  const bool adds = m_.inst(carry).op == mir::Op::kUaddCarry;
  const bool only_added = IsOnlyAdded(result);
  Operand number;
  if (e_.IsUniform(result) && e_.IsScalar(a) && e_.IsScalar(b)) {
    const auto both = e_.SaluBoth(adds ? Opcode::kSAddU32 : Opcode::kSSubU32, {a, b});
    if (sum) e_.Set(m_.result(*sum), both.result);
    flags_[result.index] = both.scc;
    if (!only_added) number = e_.Salu(Opcode::kSCselectB32, {Imm(1), Imm(0)}, both.scc);
  } else {
    const auto both = e_.ValuCarry(adds ? Opcode::kVAddCoU32 : Opcode::kVSubCoU32, a, b);
    if (sum) e_.Set(m_.result(*sum), both.result);
    flags_[result.index] = both.carry;
    if (!only_added) number = e_.Valu(Opcode::kVCndmaskB32, {Imm(0), Imm(1), both.carry});
  }
  if (!only_added) e_.Set(result, number);
}

Operand Carries::FlagAsMask(const Operand& flag) {
  return e_.IsIn(flag, kFileM) ? flag : e_.Pseudo(kMaskOfScc, kFileM, 1, {flag});
}

// Emits a + b + carry, of which a + b may be a sum that is fused, or a - borrow.
void Carries::Add(mir::InstId id, int carry_source) {
  const mir::ValueId result = m_.result(id);
  const Operand flag = flags_[m_.source(id, carry_source).index];
  Operand a, b = Imm(0);
  if (const auto fusion = fusions_.Of(id)) {
    a = e_.Src(m_.source(fusion->inner, 0));
    b = e_.Src(m_.source(fusion->inner, 1));
  } else {
    a = e_.Src(m_.source(id, 1 - carry_source));
  }
  const bool adds = m_.inst(id).op == mir::Op::kIadd;
  const bool scalar = e_.IsUniform(result) && e_.IsScalar(a) && e_.IsScalar(b);
  if (scalar && e_.IsIn(flag, kFileScc)) {
    e_.Set(result, e_.Salu(adds ? Opcode::kSAddcU32 : Opcode::kSSubbU32, {a, b}, flag));
    return;
  }
  const Opcode op = adds ? Opcode::kVAddCoCiU32 : Opcode::kVSubCoCiU32;
  e_.Set(result, e_.ValuCarry(op, a, b, FlagAsMask(flag)).result);
}

}  // namespace kiln::amd
