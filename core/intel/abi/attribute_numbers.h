// Numbers of the attributes of a fragment program: their places in the setup data.
//
// The stage in front wrote vertices in slots; hardware reads up to 32 of them, from an even one on.
// Attributes 0 to 15 it takes from any of these (3DSTATE_SBE_SWIZ has sixteen entries), attribute n
// from 16 on from the n-th. What fixed functions make (PrimitiveId, PointCoord) may have any number
// (3DSTATE_SBE: Primitive ID Override Attribute Select has five bits, Point Sprite Texture
// Coordinate Enable 32). Numbers in between that nobody has take their registers all the same.
//
// Up to sixteen attributes are dense, in their order. Of more, those whose own slot is one of the
// first sixteen, and those whose slot another attribute has too, are routed; while there are
// numbers left below 16 so are the ones in the highest slots, which makes the setup data short.
// What fixed functions make comes last, to the lowest numbers that are free.
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

// `slots` has for each attribute the slot of the vertex that it comes from; nullopt: fixed
// functions make it. The result has their numbers, all different. ResourceExhausted
// (fragment_inputs): slots too far from each other, or too many attributes that must be routed or
// are there at all.
absl::StatusOr<std::vector<uint32_t>> NumberAttributes(
    absl::Span<const std::optional<uint32_t>> slots);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_ABI_ATTRIBUTE_NUMBERS_H_
