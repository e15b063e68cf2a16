#include "core/front/plan/layout.h"

#include <algorithm>

namespace kiln::front {
namespace {

constexpr uint64_t kHuge = uint64_t{1} << 31;

uint64_t AlignUp(uint64_t x, uint64_t align) { return (x + align - 1) / align * align; }

}  // namespace

void AppendLeafTypes(const SpirvModule& module, uint32_t type_id, std::vector<mir::Type>* types) {
  const SpirvType& type = *module.Type(type_id);
  if (type.leaves == 0) return;  // ends early: the type may contain any number of empty structs
  switch (type.kind) {
    case SpirvType::kBool: types->push_back(mir::Type::kBool); return;
    case SpirvType::kInt: types->push_back(mir::IntOfBits(type.width)); return;
    case SpirvType::kFloat: types->push_back(mir::FloatOfBits(type.width)); return;
    case SpirvType::kPointer:
      types->insert(types->end(), type.leaves,
                    type.IsPhysicalPointer() ? mir::Type::kI64 : mir::Type::kI32);
      return;
    case SpirvType::kVector:
    case SpirvType::kMatrix:
    case SpirvType::kArray: {
      const size_t first = types->size();
      AppendLeafTypes(module, type.element, types);
      const size_t one = types->size() - first;
      for (size_t i = one; i < one * type.count; ++i) types->push_back((*types)[first + i - one]);
      return;
    }
    case SpirvType::kStruct:
      for (uint32_t i = 0; i < type.count; ++i) {
        AppendLeafTypes(module, module.members[type.first_member + i].type, types);
      }
      return;
    default: return;  // not supported: no leaves
  }
}

uint32_t ScalarBytes(const SpirvType& scalar) {
  return scalar.kind == SpirvType::kBool ? 4 : scalar.width / 8;
}

Layouts::Layouts(const SpirvModule& module)
    : module_(module), strides_(module.types.size()), member_offsets_(module.members.size()) {
  shared_.reserve(module.types.size());
  scalar_aligns_.reserve(module.types.size());
  explicit_sizes_.reserve(module.types.size());
  for (const SpirvType& type : module.types) Add(type);
}

uint32_t Layouts::StrideOfArraysOf(uint32_t type) const {
  return strides_[module_.Def(type).index];
}

const MemoryShape& Layouts::Shared(uint32_t type) const {
  static constexpr MemoryShape kNone;
  static constexpr MemoryShape kAddress = {8, 8};
  // Pointers may be declared ahead of their definition.
  if (module_.Type(type) != nullptr && module_.Type(type)->IsPhysicalPointer()) return kAddress;
  const SpirvDef& def = module_.Def(type);
  return def.kind == SpirvDef::kType && def.index < shared_.size() ? shared_[def.index] : kNone;
}

uint32_t Layouts::ScalarAlign(uint32_t type) const {
  if (module_.Type(type)->kind == SpirvType::kPointer) return 8;  // perhaps declared ahead
  return scalar_aligns_[module_.Def(type).index];
}

uint64_t Layouts::SharedStride(const SpirvType& type) const {
  const MemoryShape& element = Shared(type.element);
  return type.kind == SpirvType::kVector ? element.size : AlignUp(element.size, element.align);
}

uint64_t Layouts::ExplicitSize(uint32_t block_type) const {
  return explicit_sizes_[module_.Def(block_type).index];
}

// Returns the size of a member with explicit layout: matrices, and arrays down to them, take their
// layout from the member; structs have their own.
uint64_t Layouts::MemberSize(uint32_t type_id, const SpirvMember& member) const {
  const SpirvType& type = *module_.Type(type_id);
  switch (type.kind) {
    case SpirvType::kVector: return uint64_t{type.count} * ScalarBytes(*module_.Type(type.element));
    case SpirvType::kMatrix: {
      const SpirvType& column = *module_.Type(type.element);
      const uint64_t scalar = ScalarBytes(*module_.Type(column.element));
      return member.row_major
                 ? uint64_t{member.matrix_stride} * (column.count - 1) + type.count * scalar
                 : uint64_t{member.matrix_stride} * (type.count - 1) + column.count * scalar;
    }
    case SpirvType::kArray:
      if (type.count == 0) return 0;
      return std::min(
          kHuge, uint64_t{type.array_stride} * (type.count - 1) + MemberSize(type.element, member));
    case SpirvType::kRuntimeArray: return 0;
    case SpirvType::kStruct: return explicit_sizes_[module_.Def(type_id).index];
    default: return ScalarBytes(type);
  }
}

void Layouts::Add(const SpirvType& type) {
  if (type.array_stride != 0 &&
      (type.kind == SpirvType::kArray || type.kind == SpirvType::kRuntimeArray)) {
    // Elements that are pointers may be declared ahead of their definition.
    const SpirvDef& element = module_.Def(type.element);
    if (element.kind == SpirvDef::kType && element.index < strides_.size()) {
      uint32_t& stride = strides_[element.index];
      stride = stride == 0 || stride == type.array_stride ? type.array_stride : kSeveralStrides;
    }
  }
  MemoryShape shape{4, 4};
  if (type.width != 0) shape = {ScalarBytes(type), ScalarBytes(type)};
  uint64_t explicit_size = 0;
  uint32_t scalar_align = type.kind == SpirvType::kBool || type.width == 0 ? 1 : type.width / 8;
  switch (type.kind) {
    case SpirvType::kVector: {
      const uint64_t scalar = Shared(type.element).size;
      shape = {type.count * scalar, (type.count == 2 ? 2 : 4) * scalar};
      scalar_align = ScalarAlign(type.element);
      break;
    }
    case SpirvType::kRuntimeArray: scalar_align = ScalarAlign(type.element); break;
    case SpirvType::kMatrix:
    case SpirvType::kArray:
      shape = {std::min(kHuge, SharedStride(type) * type.count), Shared(type.element).align};
      scalar_align = ScalarAlign(type.element);
      break;
    case SpirvType::kStruct: {
      shape = MemoryShape();
      for (uint32_t i = type.first_member; i < type.first_member + type.count; ++i) {
        const SpirvMember& member = module_.members[i];
        const MemoryShape& m = Shared(member.type);
        shape.align = std::max(shape.align, m.align);
        scalar_align = std::max(scalar_align, ScalarAlign(member.type));
        member_offsets_[i] = std::min(kHuge, AlignUp(shape.size, m.align));
        shape.size = std::min(kHuge, member_offsets_[i] + m.size);
        if (member.offset == kNoValue) continue;
        explicit_size = std::max(explicit_size, member.offset + MemberSize(member.type, member));
      }
      shape.size = AlignUp(shape.size, shape.align);
      break;
    }
    default: break;
  }
  shared_.push_back(shape);
  scalar_aligns_.push_back(static_cast<uint8_t>(scalar_align));
  explicit_sizes_.push_back(std::min(kHuge, explicit_size));
}

}  // namespace kiln::front
