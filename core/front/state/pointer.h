// SPIR-V pointers, images and samplers as the importer follows them: locations, not values.
#ifndef KILN_CORE_FRONT_STATE_POINTER_H_
#define KILN_CORE_FRONT_STATE_POINTER_H_

#include <cstdint>
#include <vector>

#include "core/mir/mir.h"

namespace kiln::front {

using mir::ValueId;

// The known parts of a SPIR-V pointer. Everything but `dynamic`, `component`, `descriptor` and
// `selector` is static. Loaded images and samplers are kept as the pointers that they were loaded
// from.
struct Pointer {
  enum Space : uint8_t {
    kLocal,
    kUniform,
    kStorage,
    kPush,
    kShared,
    kBuiltin,
    kInput,
    kImage,
    kTexel,
    kPhysical,
  };
  Space space = kLocal;
  bool row_major = false;    // of the matrix that it points to
  bool descriptors = false;  // the next index chooses a descriptor
  uint8_t flags = 0;         // mir::InstFlags of accesses
  uint32_t variable = 0;     // SPIR-V id
  uint32_t element = 0;      // index in an array of descriptors
  uint32_t type = 0;         // pointee
  uint32_t offset = 0;       // bytes; kLocal, kBuiltin, kInput: leaves; kTexel: index in texels_
  uint32_t align = 64;       // of `dynamic`
  uint32_t matrix_stride = 0;
  uint32_t component_stride = 0;  // bytes between components of the vector it points to; 0:
                                  // components are packed
  uint32_t element_stride = 0;    // bytes between elements of the array that the last index
                                  // chose from; 0: it points to no element of an array
  uint32_t given_align = 0;       // alignment of the access, if memory operands give it
  uint32_t component_count = 0;   // with `component`: components of the vector it is chosen from
  ValueId dynamic;                // bytes to add to the offset; kInput: elements of the array;
                                  // kPhysical: the address, 64 bits
  ValueId component;           // kLocal in slots, kBuiltin, kInput: the component, chosen by value
  ValueId descriptor;          // to add to `element`; kInput: the element of an array of structs
  uint32_t structs = 0;        // kInput, with `descriptor`: number of structs
  uint32_t struct_leaves = 0;  // and leaves of each
  ValueId selector;            // kStorage: chooses one of several variables (pointers.cc),
  uint32_t targets = 0;        // which are the targets of this SPIR-V id
};

// Returns true if a buffer can have this static offset.
inline bool IsOffset(uint64_t x) { return x < (uint64_t{1} << 31); }
// Returns the largest power of two, at most 64, that divides x.
uint32_t LowBit(uint32_t x);
// Returns the known alignment of an access to elements of `bytes` at `offset`.
uint32_t AlignmentOf(const Pointer& pointer, uint32_t offset, uint32_t bytes);

// A loaded image, sampler, or both. Variable 0: absent (a combined image has its own sampler).
struct ImageHandle {
  Pointer image;
  Pointer sampler;
};

// The texel that OpImageTexelPointer points at.
struct TexelPointer {
  Pointer image;
  std::vector<ValueId> sources;  // coordinates and perhaps the sample
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_STATE_POINTER_H_
