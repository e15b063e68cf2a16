#include "core/front/layout.h"

#include <algorithm>

namespace kiln::front {
namespace {

constexpr uint64_t kHuge = uint64_t{1} << 31;

uint64_t AlignUp(uint64_t x, uint64_t align) { return (x + align - 1) / align * align; }

bool IsScalar(const SpirvType& type) {
  return type.kind == SpirvType::kBool || type.kind == SpirvType::kInt ||
         type.kind == SpirvType::kFloat;
}

}  // namespace

void AppendLeafTypes(const SpirvModule& module, uint32_t type_id, std::vector<mir::Type>* types) {
  const SpirvType& type = *module.Type(type_id);
  switch (type.kind) {
    case SpirvType::kBool:
      types->push_back(mir::Type::kBool);
      return;
    case SpirvType::kInt:
      types->push_back(mir::Type::kI32);
      return;
    case SpirvType::kFloat:
      types->push_back(mir::Type::kF32);
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
    default:
      return;   // not supported: no leaves
  }
}

MemoryShape SharedShape(const SpirvModule& module, uint32_t type_id) {
  const SpirvType& type = *module.Type(type_id);
  switch (type.kind) {
    case SpirvType::kVector:
      return {uint64_t{type.count} * 4, type.count == 2 ? 8u : 16u};
    case SpirvType::kMatrix:
    case SpirvType::kArray: {
      const MemoryShape element = SharedShape(module, type.element);
      const uint64_t stride = AlignUp(element.size, element.align);
      return {std::min(kHuge, stride * type.count), element.align};
    }
    case SpirvType::kStruct: {
      MemoryShape shape;
      for (uint32_t i = 0; i < type.count; ++i) {
        const MemoryShape m = SharedShape(module, module.members[type.first_member + i].type);
        shape.align = std::max(shape.align, m.align);
        shape.size = std::min(kHuge, AlignUp(shape.size, m.align) + m.size);
      }
      shape.size = AlignUp(shape.size, shape.align);
      return shape;
    }
    default:
      return {4, 4};
  }
}

uint64_t SharedMemberOffset(const SpirvModule& module, const SpirvType& type, uint32_t member) {
  uint64_t offset = 0;
  for (uint32_t i = 0; i <= member; ++i) {
    const MemoryShape m = SharedShape(module, module.members[type.first_member + i].type);
    offset = std::min(kHuge, AlignUp(offset, m.align));
    if (i < member) offset += m.size;
  }
  return offset;
}

uint64_t SharedStride(const SpirvModule& module, const SpirvType& type) {
  const MemoryShape element = SharedShape(module, type.element);
  return type.kind == SpirvType::kVector ? 4 : AlignUp(element.size, element.align);
}

uint64_t ExplicitSize(const SpirvModule& module, uint32_t type_id, uint32_t matrix_stride,
                      bool row_major) {
  if (module.Type(type_id) == nullptr) return 0;   // a forward pointer
  const SpirvType& type = *module.Type(type_id);
  switch (type.kind) {
    case SpirvType::kVector:
      return uint64_t{type.count} * std::max<uint32_t>(4, module.Type(type.element)->width / 8);
    case SpirvType::kMatrix: {
      const uint32_t rows = module.Type(type.element)->count;
      return row_major ? uint64_t{matrix_stride} * (rows - 1) + type.count * 4
                       : uint64_t{matrix_stride} * (type.count - 1) + rows * 4;
    }
    case SpirvType::kArray:
      return std::min(kHuge, uint64_t{type.array_stride} * (type.count - 1) +
                                 ExplicitSize(module, type.element, matrix_stride, row_major));
    case SpirvType::kRuntimeArray:
      return 0;
    case SpirvType::kStruct: {
      uint64_t size = 0;
      for (uint32_t i = 0; i < type.count; ++i) {
        const SpirvMember& m = module.members[type.first_member + i];
        if (m.offset == kNoValue || module.Type(m.type) == nullptr) continue;
        size = std::max(size, m.offset + ExplicitSize(module, m.type, m.matrix_stride,
                                                      m.row_major));
      }
      return std::min(kHuge, size);
    }
    default:
      return IsScalar(type) && type.width == 64 ? 8 : 4;
  }
}

}  // namespace kiln::front
