#include "core/front/spirv/spirv_constants.h"

#include <cstddef>

#include "core/front/check/coverage.h"
#include "core/front/check/refusal.h"
#include "core/front/grammar/spirv_grammar.h"
#include "core/front/spirv/spirv_spec_ops.h"

namespace kiln::front {
namespace {

constexpr size_t kMaxConstantLeaves = size_t{1} << 22;  // of all constants of a module

bool IsSpecialisable(spv::Op op) {
  return op == spv::Op::OpSpecConstant || op == spv::Op::OpSpecConstantTrue ||
         op == spv::Op::OpSpecConstantFalse;
}

}  // namespace

absl::Status ConstantReader::Read(const SpirvInst& inst) {
  const SpirvType& type = *m_.Type(inst.type);
  SpirvConstant c;
  c.type = inst.type;
  c.kind = SpirvConstant::kLeaves;
  c.first_leaf = static_cast<uint32_t>(m_.constant_leaves.size());
  if (!type.unsupported.empty()) {
    c.kind = SpirvConstant::kUnsupported;
    c.cause = type.unsupported;
  } else if (type.leaves == 0 && type.kind != SpirvType::kStruct) {
    return Invalid("constant of a type without values", inst.result);
  } else if (type.leaves > kMaxLeaves && inst.op != spv::Op::OpConstantNull &&
             inst.op != spv::Op::OpUndef) {
    c.kind = SpirvConstant::kUnsupported;
    c.cause = "composite_too_large";
  }
  if (c.kind == SpirvConstant::kLeaves) {
    if (absl::Status s = Make(inst, type, c); !s.ok()) return s;
  }
  if (m_.constant_leaves.size() > kMaxConstantLeaves) {
    return Refused("module_too_large",
                   {"scalars of constants", m_.constant_leaves.size(), kMaxConstantLeaves},
                   inst.result);
  }
  const auto index = static_cast<uint32_t>(m_.constants.size());
  const SpirvDef def = {SpirvDef::kConstant, index, kNoValue, inst.type};
  if (absl::Status s = m_.Define(inst.result, def); !s.ok()) return s;
  c.specialisable = IsSpecialisable(inst.op);
  m_.constants.push_back(c);
  m_.spec_dependent.push_back(inst.op == spv::Op::OpSpecConstant ||
                              inst.op == spv::Op::OpSpecConstantOp);
  return absl::OkStatus();
}

absl::Status ConstantReader::Make(const SpirvInst& inst, const SpirvType& type, SpirvConstant& c) {
  switch (inst.op) {
    case spv::Op::OpConstantTrue:
    case spv::Op::OpConstantFalse:
    case spv::Op::OpSpecConstantTrue:
    case spv::Op::OpSpecConstantFalse:
    case spv::Op::OpConstant:
    case spv::Op::OpSpecConstant: return MakeScalar(inst, type);
    case spv::Op::OpConstantComposite:
    case spv::Op::OpSpecConstantComposite: return MakeComposite(inst, type);
    case spv::Op::OpConstantCompositeReplicateEXT:
    case spv::Op::OpSpecConstantCompositeReplicateEXT: return MakeReplica(inst, type);
    case spv::Op::OpConstantNull: c.kind = SpirvConstant::kNull; return absl::OkStatus();
    case spv::Op::OpUndef: c.kind = SpirvConstant::kUndef; return absl::OkStatus();
    case spv::Op::OpSpecConstantOp: return EvaluateSpecOp(m_, inst, type, c);
    default:
      c.kind = SpirvConstant::kUnsupported;
      c.cause = CauseOf(inst.op);
      if (c.cause.empty()) return Invalid(OpText(inst.op) + " outside functions", inst.result);
      return absl::OkStatus();
  }
}

absl::Status ConstantReader::MakeScalar(const SpirvInst& inst, const SpirvType& type) {
  const bool is_bool = inst.op != spv::Op::OpConstant && inst.op != spv::Op::OpSpecConstant;
  if (is_bool ? type.kind != SpirvType::kBool
              : type.kind != SpirvType::kInt && type.kind != SpirvType::kFloat) {
    return Invalid("constant is not of its type", inst.result);
  }
  // A literal of less than 32 bits is extended to a word.
  uint64_t bits = inst.operand(3);
  if (type.width == 64) bits |= uint64_t{inst.operand(4)} << 32;
  if (is_bool) {
    bits = inst.op == spv::Op::OpConstantTrue || inst.op == spv::Op::OpSpecConstantTrue;
  }
  const std::optional<uint64_t> given =
      IsSpecialisable(inst.op) ? Override(inst.result) : std::nullopt;
  if (given.has_value()) bits = is_bool ? *given != 0 : *given;
  const uint32_t width = is_bool ? 1 : type.width;
  m_.constant_leaves.push_back(bits & (~uint64_t{0} >> (64 - width)));
  return absl::OkStatus();
}

absl::Status ConstantReader::MakeComposite(const SpirvInst& inst, const SpirvType& type) {
  const bool composite = type.kind == SpirvType::kVector || type.kind == SpirvType::kMatrix ||
                         type.kind == SpirvType::kArray || type.kind == SpirvType::kStruct;
  if (!composite || inst.size() != type.count + 3) {
    return Invalid("composite constant has the wrong number of constituents", inst.result);
  }
  for (uint32_t i = 0; i < type.count; ++i) {
    const uint32_t expected =
        type.kind == SpirvType::kStruct ? m_.members[type.first_member + i].type : type.element;
    const SpirvConstant* part = m_.Constant(inst.words[3 + i]);
    if (part == nullptr || part->type != expected || part->kind == SpirvConstant::kUnsupported) {
      return Invalid("constituent is not of its composite's type", inst.result);
    }
    AppendLeaves(*part);
  }
  return absl::OkStatus();
}

// Makes a composite whose components all have one value.
absl::Status ConstantReader::MakeReplica(const SpirvInst& inst, const SpirvType& type) {
  const SpirvConstant* part = m_.Constant(inst.operand(3));
  if (part == nullptr || part->kind == SpirvConstant::kUnsupported ||
      !m_.ConsistsOf(type, part->type)) {
    return Invalid("constituent is not of its composite's type", inst.result);
  }
  for (uint32_t i = 0; i < type.count; ++i) AppendLeaves(*part);
  return absl::OkStatus();
}

void ConstantReader::AppendLeaves(SpirvConstant part) {
  const uint32_t leaves = m_.Type(part.type)->leaves;
  for (uint32_t leaf = 0; leaf < leaves; ++leaf) {
    m_.constant_leaves.push_back(m_.ConstantLeaf(part, leaf));
  }
}

std::optional<uint64_t> ConstantReader::Override(uint32_t id) const {
  const auto spec_id = id < m_.bound ? m_.decorations[id].spec_id : std::nullopt;
  if (!spec_id.has_value()) return std::nullopt;
  for (const SpecConstant& s : specialisation_) {
    if (s.spec_id == *spec_id) return s.bits;
  }
  return std::nullopt;
}

}  // namespace kiln::front
