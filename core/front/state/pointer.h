// What SPIR-V pointers, images and samplers are while they are followed: not values, but places.
#ifndef KILN_CORE_FRONT_STATE_POINTER_H_
#define KILN_CORE_FRONT_STATE_POINTER_H_

#include <cstdint>
#include <vector>

#include "core/mir/mir.h"

namespace kiln::front {

using mir::ValueId;

// What a SPIR-V pointer is known to be. Everything but `dynamic`, `component`, `descriptor` and
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
  bool row_major = false;    // of the matrix pointed at
  bool descriptors = false;  // the next index chooses a descriptor
  uint8_t flags = 0;         // mir::InstFlags of accesses
  uint32_t variable = 0;     // SPIR-V id
  uint32_t element = 0;      // of an array of descriptors
  uint32_t type = 0;         // pointee
  uint32_t offset = 0;       // bytes; kLocal, kBuiltin, kInput: leaves; kTexel: index in texels_
  uint32_t align = 64;       // of `dynamic`
  uint32_t matrix_stride = 0;
  uint32_t component_stride = 0;  // from one component of the vector pointed at to the next; 0:
                                  // components are packed
  uint32_t element_stride = 0;    // from one element to the next of the array that the last index
                                  // chose from; 0: the pointer leads to no element of one
  uint32_t given_align = 0;       // of the access, where memory operands say so
  uint32_t component_count = 0;   // with `component`: of the vector chosen from
  ValueId dynamic;                // bytes to add to the offset; kInput: elements of the array;
                                  // kPhysical: the address, 64 bits
  ValueId component;           // kLocal in slots, kBuiltin, kInput: the component, chosen by value
  ValueId descriptor;          // to add to `element`; kInput: the element of an array of structs
  uint32_t structs = 0;        // kInput, with `descriptor`: how many there are
  uint32_t struct_leaves = 0;  // and from one to the next
  ValueId selector;            // kStorage: leads to one of several variables (pointers.cc);
  uint32_t targets = 0;        // they are the targets of this SPIR-V id
};

// Whether a static offset is one that a buffer can have.
inline bool IsOffset(uint64_t x) { return x < (uint64_t{1} << 31); }
// The largest power of two, at most 64, that divides x.
uint32_t LowBit(uint32_t x);
// What is known of the alignment of an access to elements of `bytes` at `offset`.
uint32_t AlignmentOf(const Pointer& pointer, uint32_t offset, uint32_t bytes);

// A loaded image, sampler, or both. Variable 0: not there (a combined image has its own sampler).
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
