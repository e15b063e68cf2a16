// Numbers the attributes of a fragment program: their slots in the setup data.
//
// The preceding stage wrote vertices in slots. Hardware reads up to 32 of them, from an even one
// on. It takes attributes 0 to 15 from any of these (3DSTATE_SBE_SWIZ has sixteen entries), and
// attribute n from 16 on from the n-th. Attributes that fixed functions make (PrimitiveId,
// PointCoord) may have any number (3DSTATE_SBE: Primitive ID Override Attribute Select has five
// bits, Point Sprite Texture Coordinate Enable 32). Unused numbers in between take their registers
// all the same.
//
// Up to sixteen attributes are dense, in their order. If there are more, those whose own slot is
// one of the first sixteen, and those that share a slot with another attribute, are routed. While
// numbers below 16 are left, attributes in the highest slots are routed too, which makes the setup
// data short. Attributes that fixed functions make come last and get the lowest free numbers.
//
// Sources: Mesa 25.0.7, genX_pipeline.c (emit_3dstate_sbe), gen120.xml and gen90.xml (3DSTATE_SBE,
// 3DSTATE_SBE_SWIZ).
#ifndef KILN_CORE_INTEL_ABI_ATTRIBUTE_NUMBERS_H_
#define KILN_CORE_INTEL_ABI_ATTRIBUTE_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace kiln::intel {

inline constexpr uint32_t kMaxSetupSlots = 32;  // attributes that 3DSTATE_SBE delivers

// Returns the attributes' numbers, all different. `slots` has for each attribute the slot of the
// vertex that it comes from; nullopt: fixed functions make it. ResourceExhausted (fragment_inputs)
// if slots are too far from each other, if too many attributes must be routed, or if there are too
// many attributes.
absl::StatusOr<std::vector<uint32_t>> NumberAttributes(
    absl::Span<const std::optional<uint32_t>> slots);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_ABI_ATTRIBUTE_NUMBERS_H_
