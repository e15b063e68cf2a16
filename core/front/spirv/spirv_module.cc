// Queries of a module that is read completely or in part, and the definition of ids.
#include <algorithm>
#include <utility>

#include "core/base/cause.h"
#include "core/front/check/refusal.h"
#include "core/front/grammar/spirv_grammar.h"
#include "core/front/spirv/spirv.h"

namespace kiln::front {

absl::Status SpirvModule::WithOriginalId(absl::Status status) const {
  const uint32_t id = SpirvIdOf(status);
  return id < original_ids.size() ? WithSpirvId(std::move(status), original_ids[id]) : status;
}

absl::Status SpirvModule::Define(uint32_t id, SpirvDef def) {
  if (id == 0 || id >= bound) return Invalid("result id outside the id bound", id);
  if (defs[id].kind != SpirvDef::kNone) return Invalid("id defined twice", id);
  defs[id] = def;
  return absl::OkStatus();
}

const SpirvType* SpirvModule::Type(uint32_t id) const {
  const SpirvDef& def = Def(id);
  return def.kind == SpirvDef::kType ? &types[def.index] : nullptr;
}

const SpirvConstant* SpirvModule::Constant(uint32_t id) const {
  const SpirvDef& def = Def(id);
  return def.kind == SpirvDef::kConstant ? &constants[def.index] : nullptr;
}

const SpirvVariable* SpirvModule::Variable(uint32_t id) const {
  const SpirvDef& def = Def(id);
  return def.kind == SpirvDef::kVariable ? &variables[def.index] : nullptr;
}

const SpirvFunction* SpirvModule::Function(uint32_t id) const {
  const SpirvDef& def = Def(id);
  return def.kind == SpirvDef::kFunction && def.index < functions.size() ? &functions[def.index]
                                                                         : nullptr;
}

SpirvInst SpirvModule::Inst(uint32_t offset) const {
  SpirvInst inst;
  inst.op = static_cast<spv::Op>(words[offset] & 0xffff);
  inst.words = absl::MakeConstSpan(words.data() + offset, words[offset] >> 16);
  inst.layout = LayoutOf(inst.op);
  if (inst.layout == nullptr) return inst;
  if (inst.layout->has_type) inst.type = inst.operand(1);
  if (inst.layout->has_result) inst.result = inst.operand(inst.layout->has_type ? 2 : 1);
  return inst;
}

ExtInstSet SpirvModule::InstSet(uint32_t id) const {
  const SpirvDef& def = Def(id);
  return def.kind == SpirvDef::kExtInstSet ? static_cast<ExtInstSet>(def.index) : ExtInstSet::kNone;
}

uint64_t SpirvModule::ConstantLeaf(const SpirvConstant& constant, uint32_t leaf) const {
  if (constant.kind != SpirvConstant::kLeaves) return 0;
  return constant_leaves[constant.first_leaf + leaf];
}

bool SpirvModule::IntConstant(uint32_t id, uint32_t* value) const {
  const SpirvConstant* c = Constant(id);
  if (c == nullptr || c->kind == SpirvConstant::kUnsupported || c->kind == SpirvConstant::kUndef ||
      Type(c->type)->kind != SpirvType::kInt) {
    return false;
  }
  const uint64_t bits = ConstantLeaf(*c, 0);
  *value = static_cast<uint32_t>(bits);
  return bits >> 32 == 0;
}

bool SpirvModule::IndexConstant(uint32_t id, uint32_t* index) const {
  const SpirvConstant* c = Constant(id);
  if (c == nullptr || c->kind == SpirvConstant::kUnsupported || c->kind == SpirvConstant::kUndef ||
      Type(c->type)->kind != SpirvType::kInt) {
    return false;
  }
  const uint32_t unused = 64 - Type(c->type)->width;
  const auto value = static_cast<int64_t>(ConstantLeaf(*c, 0) << unused) >> unused;
  *index = value < INT32_MIN || value > int64_t{UINT32_MAX} ? ~0u : static_cast<uint32_t>(value);
  return true;
}

bool SpirvModule::Declares(spv::Capability capability) const {
  return std::find(capabilities.begin(), capabilities.end(), capability) != capabilities.end();
}

bool SpirvModule::ConsistsOf(const SpirvType& composite, uint32_t part) const {
  switch (composite.kind) {
    case SpirvType::kVector:
    case SpirvType::kMatrix:
    case SpirvType::kArray: return composite.element == part;
    case SpirvType::kStruct:
      return std::all_of(members.begin() + composite.first_member,
                         members.begin() + composite.first_member + composite.count,
                         [part](const SpirvMember& member) { return member.type == part; });
    default: return false;
  }
}

size_t SpirvModule::SwitchLiteralWords(const SpirvInst& inst) const {
  const SpirvType* type = Type(Def(inst.operand(1)).type);
  return type != nullptr && type->kind == SpirvType::kInt && type->width == 64 ? 2 : 1;
}

}  // namespace kiln::front
