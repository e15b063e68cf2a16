// Where the scalars of a SPIR-V type lie: as leaves of a value, and as bytes of memory.
//
// A value is its scalars ("leaves") in order. Memory with explicit layout follows the decorations;
// workgroup memory is laid out here, by the rules of std430: a vector of two aligns to 8 bytes, of
// three or four to 16, and arrays and structs to their largest part.
#ifndef KILN_CORE_FRONT_LAYOUT_H_
#define KILN_CORE_FRONT_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "core/front/spirv.h"
#include "core/mir/mir.h"

namespace kiln::front {

// The MIR types of the leaves of a type; the type must be supported, and not too large.
void AppendLeafTypes(const SpirvModule& module, uint32_t type, std::vector<mir::Type>* types);

// Bytes and alignment in workgroup memory. Sizes saturate at 2^31.
struct MemoryShape {
  uint64_t size = 0;
  uint64_t align = 4;
};
MemoryShape SharedShape(const SpirvModule& module, uint32_t type);
// Byte offset of a struct's member, and from one array element or column to the next.
uint64_t SharedMemberOffset(const SpirvModule& module, const SpirvType& type, uint32_t member);
uint64_t SharedStride(const SpirvModule& module, const SpirvType& type);

// Bytes from the start to the end of the last scalar, under explicit layout; runtime arrays count
// as empty. `matrix_stride` and `row_major` come from the member that holds the type.
uint64_t ExplicitSize(const SpirvModule& module, uint32_t type, uint32_t matrix_stride,
                      bool row_major);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_LAYOUT_H_
