#include "core/front/spirv/spirv_types.h"

#include <algorithm>

#include "core/front/check/coverage.h"
#include "core/front/check/refusal.h"
#include "core/front/grammar/spirv_grammar.h"
#include "core/front/spirv/spirv_image_types.h"

namespace kiln::front {
namespace {

constexpr uint32_t kMaxMembers = 0x3fff;  // universal limits of SPIR-V
constexpr uint32_t kMaxParameters = 255;

uint32_t SaturatingLeaves(uint64_t n) {
  return static_cast<uint32_t>(std::min<uint64_t>(n, kMaxLeaves + 1));
}

}  // namespace

absl::Status TypeReader::Read(const SpirvInst& inst) {
  SpirvType type;
  if (absl::Status s = Make(inst, type); !s.ok()) return s;
  if (type.depth > kMaxTypeDepth) {
    return Refused("nesting_too_deep", {"nested types", type.depth, kMaxTypeDepth}, inst.result);
  }
  const auto index = static_cast<uint32_t>(m_.types.size());
  if (absl::Status s = m_.Define(inst.result, {SpirvDef::kType, index}); !s.ok()) return s;
  m_.types.push_back(type);
  return absl::OkStatus();
}

absl::Status TypeReader::ReadForwardPointer(const SpirvInst& inst) {
  if (static_cast<spv::StorageClass>(inst.operand(2)) != spv::StorageClass::PhysicalStorageBuffer) {
    return Refused("variable_pointers", "forward-declared pointer", inst.operand(1));
  }
  if (inst.operand(1) < m_.bound) forward_[inst.operand(1)] = true;
  return absl::OkStatus();
}

absl::Status TypeReader::Finish() const {
  for (uint32_t pointer : pointers_ahead_) {
    if (m_.Type(m_.Type(pointer)->element) == nullptr) {
      return Invalid("pointer to an id that is not a type", pointer);
    }
  }
  for (uint32_t id = 0; id < m_.bound; ++id) {
    if (forward_[id] && (m_.Type(id) == nullptr || !m_.Type(id)->IsPhysicalPointer())) {
      return Invalid("forward-declared pointer is not of storage class PhysicalStorageBuffer", id);
    }
  }
  return absl::OkStatus();
}

absl::Status TypeReader::Make(const SpirvInst& inst, SpirvType& type) {
  switch (inst.op) {
    case spv::Op::OpTypeVoid: type.kind = SpirvType::kVoid; return absl::OkStatus();
    case spv::Op::OpTypeBool:
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat: return MakeScalar(inst, type);
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix: return MakeVector(inst, type);
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeRuntimeArray: return MakeArray(inst, type);
    case spv::Op::OpTypeStruct: return MakeStruct(inst, type);
    case spv::Op::OpTypeFunction: return MakeFunction(inst, type);
    case spv::Op::OpTypeImage:
    case spv::Op::OpTypeSampler:
    case spv::Op::OpTypeSampledImage: return MakeImageType(m_, inst, type);
    case spv::Op::OpTypePointer: return MakePointer(inst, type);
    default:
      // Ray queries and similar types: only refused as values.
      type.kind = SpirvType::kOpaque;
      type.unsupported = CauseOf(inst.op);
      if (type.unsupported.empty()) return Invalid(OpText(inst.op) + " outside functions");
      return absl::OkStatus();
  }
}

absl::Status TypeReader::MakeScalar(const SpirvInst& inst, SpirvType& type) {
  type.leaves = 1;
  if (inst.op == spv::Op::OpTypeBool) {
    type.kind = SpirvType::kBool;
    return absl::OkStatus();
  }
  const uint32_t width = inst.operand(2);
  const bool is_int = inst.op == spv::Op::OpTypeInt;
  type.kind = is_int ? SpirvType::kInt : SpirvType::kFloat;
  type.is_signed = is_int && inst.operand(3) != 0;
  if (width != 8 && width != 16 && width != 32 && width != 64) {
    return Invalid("scalar type of an unknown width", inst.result);
  }
  if (width == 8 && !is_int) return Invalid("scalar type of an unknown width", inst.result);
  type.width = static_cast<uint8_t>(width);
  if (!is_int && inst.size() > 3)
    type.unsupported = CauseOf(static_cast<spv::FPEncoding>(inst.words[3]));
  type.has_doubles = width == 64 && !is_int;
  return absl::OkStatus();
}

absl::Status TypeReader::MakeVector(const SpirvInst& inst, SpirvType& type) {
  const bool matrix = inst.op == spv::Op::OpTypeMatrix;
  type.kind = matrix ? SpirvType::kMatrix : SpirvType::kVector;
  type.element = inst.operand(2);
  type.count = inst.operand(3);
  const SpirvType* element = m_.Type(type.element);
  if (element == nullptr) return Invalid("component type is not a type", inst.result);
  const bool scalar = element->kind == SpirvType::kBool || element->kind == SpirvType::kInt ||
                      element->kind == SpirvType::kFloat;
  if (matrix ? element->kind != SpirvType::kVector : !scalar) {
    return Invalid("vector or matrix has a wrong component type", inst.result);
  }
  if (matrix && m_.Type(element->element)->kind != SpirvType::kFloat) {
    return Invalid("matrix is not of floats", inst.result);
  }
  if (type.count < 2 || type.count > 16)
    return Invalid("number of components is not from 2 to 16", inst.result);
  type.depth = element->depth + 1;
  type.leaves = element->leaves * type.count;
  type.unsupported = element->unsupported;
  type.has_doubles = element->has_doubles;
  if (type.count > 4) type.unsupported = "kernel";
  return absl::OkStatus();
}

absl::Status TypeReader::MakeArray(const SpirvInst& inst, SpirvType& type) {
  type.element = inst.operand(2);
  static constexpr SpirvType kForwardPointer = {
      .kind = SpirvType::kPointer, .leaves = 1, .unsupported = ""};
  const SpirvType* element = m_.Type(type.element);
  if (element == nullptr && IsForward(type.element)) element = &kForwardPointer;
  if (element == nullptr || element->kind == SpirvType::kVoid ||
      element->kind == SpirvType::kFunction) {
    return Invalid("array element is not a type", inst.result);
  }
  type.depth = element->depth + 1;
  type.array_stride = m_.decorations[inst.result < m_.bound ? inst.result : 0].array_stride;
  type.unsupported = element->unsupported;
  type.has_doubles = element->has_doubles;
  type.has_coherent = element->has_coherent;
  type.has_volatile = element->has_volatile;
  if (inst.op == spv::Op::OpTypeRuntimeArray) {
    type.kind = SpirvType::kRuntimeArray;
    if (type.unsupported.empty()) type.unsupported = "composite_too_large";
    return absl::OkStatus();
  }
  type.kind = SpirvType::kArray;
  if (absl::Status s = ArrayLength(inst, &type.count); !s.ok()) return s;
  type.leaves = SaturatingLeaves(uint64_t{element->leaves} * type.count);
  return absl::OkStatus();
}

absl::Status TypeReader::ArrayLength(const SpirvInst& inst, uint32_t* length) {
  const uint32_t id = inst.operand(3);
  if (!m_.IntConstant(id, length)) {
    const SpirvConstant* constant = m_.Constant(id);
    if (constant != nullptr && constant->kind == SpirvConstant::kUnsupported) {
      return Refused(constant->cause, "array length", inst.result);
    }
    return Invalid("array length is not a constant", inst.result);
  }
  if (*length == 0) {
    if (!m_.spec_dependent[m_.Def(id).index]) return Invalid("array length is 0", inst.result);
    // Valid accesses cannot distinguish an array without elements from one with one element.
    *length = 1;
  }
  return absl::OkStatus();
}

absl::Status TypeReader::MakeStruct(const SpirvInst& inst, SpirvType& type) {
  type.kind = SpirvType::kStruct;
  type.first_member = static_cast<uint32_t>(m_.members.size());
  type.count = static_cast<uint32_t>(inst.size() - 2);
  if (type.count > kMaxMembers) return Invalid("too many struct members", inst.result);
  uint64_t leaves = 0;
  for (uint32_t i = 0; i < type.count; ++i) {
    SpirvMember member;
    member.type = inst.words[2 + i];
    member.leaf = SaturatingLeaves(leaves);
    const SpirvType* t = m_.Type(member.type);
    if (t == nullptr) {
      if (!IsForward(member.type)) {
        return Invalid("struct member is not a type", inst.result);
      }
      leaves += 1;  // a pointer not defined yet: an address
    } else {
      if (t->kind == SpirvType::kVoid || t->kind == SpirvType::kFunction) {
        return Invalid("struct member is not a type", inst.result);
      }
      type.depth = std::max<uint8_t>(type.depth, t->depth + 1);
      leaves += t->leaves;
      if (type.unsupported.empty()) type.unsupported = t->unsupported;
      type.has_doubles |= t->has_doubles;
    }
    decorations_.ApplyToMember(inst.result, i, member);
    type.has_coherent |= member.coherent || (t != nullptr && t->has_coherent);
    type.has_volatile |= member.is_volatile || (t != nullptr && t->has_volatile);
    m_.members.push_back(member);
  }
  type.leaves = SaturatingLeaves(leaves);
  return absl::OkStatus();
}

absl::Status TypeReader::MakeFunction(const SpirvInst& inst, SpirvType& type) {
  type.kind = SpirvType::kFunction;
  type.element = inst.operand(2);
  type.first_member = static_cast<uint32_t>(m_.members.size());
  type.count = static_cast<uint32_t>(inst.size() - 3);
  if (m_.Type(type.element) == nullptr)
    return Invalid("result type of a function is not a type", inst.result);
  if (type.count > kMaxParameters) return Invalid("too many parameters", inst.result);
  for (uint32_t i = 0; i < type.count; ++i) {
    SpirvMember parameter;
    parameter.type = inst.words[3 + i];
    if (m_.Type(parameter.type) == nullptr)
      return Invalid("type of a function parameter is not a type", inst.result);
    m_.members.push_back(parameter);
  }
  return absl::OkStatus();
}

absl::Status TypeReader::MakePointer(const SpirvInst& inst, SpirvType& type) {
  type.kind = SpirvType::kPointer;
  type.storage = static_cast<spv::StorageClass>(inst.operand(2));
  type.element = inst.operand(3);
  const bool physical = type.storage == spv::StorageClass::PhysicalStorageBuffer;
  if (physical) {
    type.width = 64;
    type.leaves = 1;
  } else if (type.IsValuePointer()) {
    type.leaves = 2;
  } else {
    type.unsupported = "variable_pointers";
  }
  if (m_.Type(type.element) != nullptr) return absl::OkStatus();
  // The pointee of a forward pointer, or a forward pointer itself, may still be defined.
  if (!physical && !IsForward(type.element)) {
    return Invalid("pointer to an id that is not a type", inst.result);
  }
  pointers_ahead_.push_back(inst.result);
  return absl::OkStatus();
}

}  // namespace kiln::front
