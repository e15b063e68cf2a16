#include "core/amd/select/descriptors.h"

namespace kiln::amd {

Operand Descriptors::Load(uint32_t resource, mir::ValueId index, uint32_t offset, int dwords) {
  const DescriptorLocation& place = abi_.places[resource];
  const Opcode op = dwords == 8 ? Opcode::kSLoadDwordx8 : Opcode::kSLoadDwordx4;
  const auto load = [&](Operand soffset, uint32_t immediate) {
    constexpr uint32_t kMaxOffset = 0xfffff;  // 21 bits, signed
    Extra extra;
    extra.offset = static_cast<int32_t>(immediate & kMaxOffset);
    const uint32_t rest = immediate & ~kMaxOffset;
    if (rest != 0) soffset = e_.ToS(Exists(soffset) ? e_.Add(soffset, Imm(rest)) : Imm(rest));
    const Operand address = launch_.Address(abi_.descriptor_sgprs[place.memory]);
    const Operand def = Use(e_.New(kFileS, dwords), 0, dwords);
    e_.EmitRaw(Op(op), {def}, {address, soffset}, extra);
    // A kernel has the address and the size of a buffer as arguments.
    if (abi_.kind == AbiKind::kKernarg) return launch_.RawBuffer(def, e_.Component(def, 2));
    return def;
  };
  const uint32_t at = place.offset + offset;
  if (index.valid()) {
    const Operand number = e_.Src(index);
    if (!IsImm(number)) return load(e_.Times(e_.ToS(number), place.stride), at);
    return load(lir::NoOperand(), at + number.id * place.stride);
  }
  const Key key = {resource, offset, dwords};
  if (const auto it = early_.find(key); it != early_.end()) return it->second;
  if (early_dwords_ + static_cast<uint32_t>(dwords) > kMaxEarlyDwords) {
    return load(lir::NoOperand(), at);
  }
  early_dwords_ += static_cast<uint32_t>(dwords);
  const lir::SelectionBuilder::Prologue prologue(b_);
  return early_[key] = load(lir::NoOperand(), at);
}

Operand Descriptors::Buffer(mir::InstId id, int* next) {
  const mir::Inst& inst = m_.inst(id);
  *next = 0;
  mir::ValueId index;
  if ((inst.flags & mir::kIndexed) != 0) index = m_.source(id, (*next)++);
  return Load(inst.imm0, index, 0, 4);
}

}  // namespace kiln::amd
