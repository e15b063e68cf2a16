// v_fma_mix_f32 is v_fma_f32 each of whose sources is a single, or a half in either word of a dword
// (RDNA2 ISA guide, chapter 12.8). A conversion of a half to a single is exact; subnormal halves
// are as MODE's field for 16 bits says in both: GFX9's v_mad_mix flushed them always, later chips'
// v_fma_mix does not (Mesa 25.0.7, aco_optimizer.cpp, can_use_mad_mix). A sum is 1 * a + b, a
// product a * b + -0: neither changes a bit, as adding -0 leaves both zeros and multiplying by 1
// every number, and the sum or product is rounded and flushed once in any case.
#include "core/amd/optimise/mix_words.h"

#include <algorithm>
#include <array>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "core/amd/isa/inline_constants.h"
#include "core/amd/isa/opcodes.h"
#include "core/amd/lir/ops.h"
#include "core/amd/optimise/word.h"
#include "core/lir/build.h"

namespace kiln::amd {
namespace {

using isa::Opcode;
using lir::InstId;
using lir::Operand;

// With more readers a conversion stays: each reader is a dword longer than its short form.
constexpr size_t kMaxReaders = 4;
constexpr uint32_t kOne = 0x3f800000;

// A half that an instruction converts to a single.
struct Half {
  Operand dword;  // with the signs that are taken
  bool high = false;
};

std::optional<Half> ConvertedBy(const lir::Function& f, InstId id) {
  const lir::Inst& in = f.inst(id);
  if (in.op != Op(Opcode::kVCvtF32F16) || in.flags != 0) return std::nullopt;
  Half half;
  half.dword = f.uses(id)[0];
  if (!lir::IsValue(half.dword) || half.dword.comps != 1) return std::nullopt;
  Extra extra = ExtraOf(f, in);
  if (extra.form == static_cast<uint8_t>(isa::Form::kSdwa)) {
    const auto word = static_cast<isa::Sel>(extra.sdwa_src0);
    if (word != isa::Sel::kWord1 || extra.sdwa_dst != static_cast<uint8_t>(isa::Sel::kDword)) {
      return std::nullopt;
    }
    half.high = true;
    extra.form = extra.sdwa_dst = extra.sdwa_src0 = 0;
  }
  if (!(extra == Extra{})) return std::nullopt;
  return half;
}

// An operation on singles as v_fma_mix_f32 has it.
struct Mixed {
  std::array<Operand, 3> sources;
  uint8_t halves = 0, high = 0;  // bit i: of source i
};

std::optional<Mixed> MixedFormOf(const lir::Function& f, InstId id) {
  const lir::Inst& in = f.inst(id);
  if ((in.flags & ~lir::kSaturate) != 0 || !IsIsaOp(in.op)) return std::nullopt;
  const auto uses = f.uses(id);
  Extra extra = ExtraOf(f, in);
  Mixed m;
  if (OpcodeOf(in.op) == Opcode::kVFmaMixF32) {
    m.halves = extra.op_sel_hi;
    m.high = extra.op_sel;
    extra.op_sel = extra.op_sel_hi = 0;
  }
  if (!(extra == Extra{})) return std::nullopt;
  const Operand one = lir::ImmOperand(kOne, 0);
  const auto negated = [](Operand o) {
    o.mods ^= Operand::kNegate;
    return o;
  };
  switch (OpcodeOf(in.op)) {
    case Opcode::kVAddF32: m.sources = {one, uses[0], uses[1]}; break;
    case Opcode::kVSubF32: m.sources = {one, uses[0], negated(uses[1])}; break;
    case Opcode::kVSubrevF32: m.sources = {one, negated(uses[0]), uses[1]}; break;
    case Opcode::kVMulF32: m.sources = {uses[0], uses[1], negated(lir::ImmOperand(0, 0))}; break;
    case Opcode::kVFmacF32: m.sources = {uses[0], uses[1], uses[kDataUse]}; break;
    case Opcode::kVFmaF32:
    case Opcode::kVFmaMixF32: m.sources = {uses[0], uses[1], uses[2]}; break;
    default: return std::nullopt;
  }
  for (const Operand& o : m.sources) {
    const bool fits = o.kind == Operand::Kind::kImm || (lir::IsValue(o) && o.comps == 1);
    if (!fits) return std::nullopt;
  }
  return m;
}

// Replaces a source, a single, by the half that was converted to it.
void TakeHalf(Mixed* m, size_t source, const Half& half) {
  Operand& o = m->sources[source];
  const uint8_t outer = o.mods;
  o = half.dword;
  if ((outer & Operand::kAbsolute) != 0) {
    o.mods = outer;
  } else {
    o.mods ^= outer;
  }
  m->halves |= static_cast<uint8_t>(1u << source);
  if (half.high) m->high |= static_cast<uint8_t>(1u << source);
}

// Two scalars, of which one may be a literal.
bool FitsBus(const lir::Function& f, const Mixed& m) {
  absl::InlinedVector<Operand, 3> named;
  int literals = 0;
  for (size_t i = 0; i < m.sources.size(); ++i) {
    const Operand& o = m.sources[i];
    const bool literal =
        o.kind == Operand::Kind::kImm && !isa::InlineConstant(o.id, isa::Type::kF32);
    const bool scalar = lir::IsValue(o) && f.value(o.value()).file != kFileV;
    if (!literal && !scalar) continue;
    const bool known = std::any_of(named.begin(), named.end(), [&](const Operand& n) {
      return n.kind == o.kind && n.id == o.id && n.comp == o.comp;
    });
    if (known) continue;
    named.push_back(o);
    literals += literal ? 1 : 0;
  }
  return named.size() <= 2 && literals <= 1;
}

class Mixer {
 public:
  Mixer(lir::Function& f, const std::function<bool()>& may_rewrite)
      : f_(f), readers_(f), may_rewrite_(may_rewrite) {}

  bool Run() {
    bool changed = false;
    for (const lir::Block& block : f_.blocks) {
      for (InstId id : block.insts) {
        const auto half = ConvertedBy(f_, id);
        if (!half || !AllCanTake(id, *half) || !may_rewrite_()) continue;
        for (const Readers::Reader& reader : readers_.Of(f_.defs(id)[0].id)) {
          Write(reader.inst, *Taken(reader.inst, f_.defs(id)[0].id, *half));
        }
        changed = true;
      }
    }
    return changed;
  }

 private:
  // Returns the instruction with the half in all places of the converted number; none if it cannot.
  std::optional<Mixed> Taken(InstId reader, uint32_t converted, const Half& half) const {
    std::optional<Mixed> m = MixedFormOf(f_, reader);
    if (!m) return std::nullopt;
    for (size_t i = 0; i < m->sources.size(); ++i) {
      const Operand& o = m->sources[i];
      const bool is_half = (m->halves >> i & 1) != 0;
      if (lir::IsValue(o) && o.id == converted && !is_half) TakeHalf(&*m, i, half);
    }
    return FitsBus(f_, *m) ? m : std::nullopt;
  }

  bool AllCanTake(InstId id, const Half& half) const {
    const uint32_t converted = f_.defs(id)[0].id;
    const auto readers = readers_.Of(converted);
    return !readers.empty() && readers.size() <= kMaxReaders &&
           std::all_of(readers.begin(), readers.end(), [&](const Readers::Reader& reader) {
             return reader.inst.valid() && Taken(reader.inst, converted, half).has_value();
           });
  }

  void Write(InstId id, const Mixed& m) {
    lir::Inst& in = f_.inst(id);
    Extra extra;
    extra.op_sel = m.high;
    extra.op_sel_hi = m.halves;
    in.op = Op(Opcode::kVFmaMixF32);
    const Operand def = f_.defs(id)[0];
    in.first_operand = static_cast<uint32_t>(f_.operands.size());
    in.num_uses = 3;
    f_.operands.push_back(def);
    f_.operands.insert(f_.operands.end(), m.sources.begin(), m.sources.end());
    in.aux = AddExtra(f_, extra);
  }

  lir::Function& f_;
  const Readers readers_;
  const std::function<bool()>& may_rewrite_;
};

}  // namespace

bool MixWords(lir::Function& f, const std::function<bool()>& may_rewrite) {
  if (!lir::AnyInst(f, [&](InstId id) { return f.inst(id).op == Op(Opcode::kVCvtF32F16); })) {
    return false;
  }
  return Mixer(f, may_rewrite).Run();
}

}  // namespace kiln::amd
