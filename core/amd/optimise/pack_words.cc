#include "core/amd/optimise/pack_words.h"

#include "core/amd/lir/ops.h"
#include "core/lir/build.h"

namespace kiln::amd {

using isa::Opcode;
using lir::Operand;
using lir::ValueId;

void WordPacker::Start() {
  order_.clear();
  packs_.clear();
}

Operand WordPacker::NewDword() {
  lir::Value v;
  v.file = kFileV;
  v.spirv_id = spirv_id_;
  f_.values.push_back(v);
  return lir::ValueOperand(ValueId(f_.values.size() - 1), 0);
}

void WordPacker::Emit(uint16_t op, Operand def, absl::Span<const Operand> uses, const Extra& extra,
                      uint8_t flags) {
  lir::InstFields fields;
  fields.width = f_.dispatch_width;
  fields.flags = flags;
  fields.spirv_id = spirv_id_;
  if (IsIsaOp(op)) fields.aux = AddExtra(f_, extra);
  order_.push_back(lir::MakeInst(f_, op, fields, {&def, 1}, uses));
  made_any_ = true;
}

Operand WordPacker::Copied(const Operand& o) {
  const Operand def = NewDword();
  Emit(kVCopy, def, {&o, 1}, {});
  return def;
}

// v_pack makes signalling NaNs quiet, and flushes what MODE says, as each reader of floats does.
Operand WordPacker::PackedFloats(const Word& low, const Word& high) {
  Extra extra;
  extra.op_sel = static_cast<uint8_t>((low.high ? 1 : 0) | (high.high ? 2 : 0));
  const Operand def = NewDword();
  const Operand uses[] = {low.dword, high.dword};
  Emit(Op(Opcode::kVPackB32F16), def, uses, extra);
  return def;
}

// The selector is a literal and takes one of two places for scalars.
Operand WordPacker::PackedBits(const Word& low, const Word& high) {
  const auto vector = [&](const Word& w) {
    const bool in_vector = w.is_value() && f_.value(w.dword.value()).file == kFileV;
    return in_vector ? w.dword : Copied(w.dword);
  };
  const uint32_t selector = PackSelector(low.high, high.high);
  const Operand uses[] = {vector(high), vector(low), lir::ImmOperand(selector, 0)};
  const Operand def = NewDword();
  Emit(Op(Opcode::kVPermB32), def, uses, {});
  return def;
}

Operand WordPacker::Packed(const Word& low, const Word& high, bool as_floats) {
  const auto key = [](const Word& w) {
    return uint64_t{w.dword.id} << 32 | uint64_t{w.dword.comp} << 2 | (w.is_value() ? 2u : 0u) |
           (w.high ? 1u : 0u);
  };
  const auto at = std::make_tuple(key(low), key(high), as_floats);
  const auto found = packs_.find(at);
  if (found != packs_.end()) return found->second;
  const Operand made = as_floats ? PackedFloats(low, high) : PackedBits(low, high);
  packs_[at] = made;
  return made;
}

PackedSource WordPacker::SourceOf(const Word& low, const Word& high, bool as_floats) {
  if (low.is_constant() && high.is_constant()) {
    if (low.dword.id != high.dword.id) {
      return {lir::ImmOperand(low.dword.id | high.dword.id << 16, 0), false, true};
    }
    // Constants that need no literal have their word in the low half. Small negative integers do
    // not if they are extended.
    const auto extended = static_cast<int16_t>(low.dword.id);
    const bool small = extended >= -16 && extended < 0;
    const uint32_t bits = small ? static_cast<uint32_t>(int32_t{extended}) : low.dword.id;
    return {lir::ImmOperand(bits, 0), false, false};
  }
  if (SameDword(low.dword, high.dword)) return {low.dword, low.high, high.high};
  return {Packed(low, high, as_floats), false, true};
}

}  // namespace kiln::amd
