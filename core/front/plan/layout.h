// Computes the layout of the scalars of a SPIR-V type: as leaves of a value, and as bytes of
// memory.
//
// A value is its scalars ("leaves") in order. Memory with explicit layout follows the decorations;
// workgroup memory is laid out here, by the rules of std430: a vector of two aligns to two of its
// components, of three or four to four, and arrays and structs to their largest part.
#ifndef KILN_CORE_FRONT_PLAN_LAYOUT_H_
#define KILN_CORE_FRONT_PLAN_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "core/front/spirv/spirv.h"
#include "core/mir/mir.h"

namespace kiln::front {

// Appends the MIR types of the leaves of a type; the type must be supported, and not too large.
void AppendLeafTypes(const SpirvModule& module, uint32_t type, std::vector<mir::Type>* types);

// Returns the bytes that a scalar or address takes in memory.
uint32_t ScalarBytes(const SpirvType& scalar);

// Size and alignment in workgroup memory, in bytes. Sizes saturate at 2^31.
struct MemoryShape {
  uint64_t size = 0;
  uint64_t align = 4;
};

// The layouts of all types of a module, computed once in order of definition: linear, however often
// a type contains another.
class Layouts {
 public:
  explicit Layouts(const SpirvModule& module);

  // Returns the bytes of the largest scalar in a type, of which its offset is a multiple in any
  // layout.
  uint32_t ScalarAlign(uint32_t type) const;
  // Layout in workgroup memory: shape of a type; byte offset of a member (index into
  // SpirvModule::members); bytes from one element, column or component to the next.
  const MemoryShape& Shared(uint32_t type) const;
  uint64_t SharedMemberOffset(uint32_t member) const { return member_offsets_[member]; }
  uint64_t SharedStride(const SpirvType& type) const;

  // Returns the stride in bytes of all arrays of a type with explicit layout: 0 if there is no such
  // array, kSeveralStrides if they differ.
  static constexpr uint32_t kSeveralStrides = ~uint32_t{0};
  uint32_t StrideOfArraysOf(uint32_t type) const;

  // Returns the bytes from the start to the end of the last scalar of a block with explicit layout;
  // runtime arrays count as empty.
  uint64_t ExplicitSize(uint32_t block_type) const;

 private:
  void Add(const SpirvType& type);
  uint64_t MemberSize(uint32_t type, const SpirvMember& member) const;

  const SpirvModule& module_;
  std::vector<MemoryShape> shared_;       // by type index
  std::vector<uint8_t> scalar_aligns_;    // by type index
  std::vector<uint64_t> explicit_sizes_;  // of structs, by type index
  std::vector<uint32_t> strides_;         // StrideOfArraysOf, by type index
  std::vector<uint64_t> member_offsets_;  // by member index
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_PLAN_LAYOUT_H_
