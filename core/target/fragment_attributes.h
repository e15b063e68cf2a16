// The attributes of a fragment program: what its inputs take from the vertices of the primitive, in
// units that a launch record lists (out::FragmentInput).
//
// In: the MIR module. Out: the attributes that instructions read, and which of them each element of
// an input is. Built-ins that the hardware gives by other means (position, facing, samples) are
// none. Cost: linear.
#ifndef KILN_CORE_TARGET_FRAGMENT_ATTRIBUTES_H_
#define KILN_CORE_TARGET_FRAGMENT_ATTRIBUTES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/mir/mir.h"
#include "core/out/launch_record.h"

namespace kiln {

// An attribute and its source. A location some of whose components are flat is two attributes,
// since both machines mark an attribute as flat as a whole; likewise one with per-vertex
// components.
struct FragmentAttribute {
  // kViewport is not listed by AttributesOf: on some machines it comes from elsewhere.
  enum class Source : uint8_t { kLocation, kDistances, kPrimitiveId, kPointCoord, kViewport };
  Source source = Source::kLocation;
  uint32_t number = 0;  // the location; which group of kDistancesPerSlot distances
  out::FragmentInput input;
};

struct FragmentAttributes {
  static constexpr uint32_t kNone = 0xffffffffu;
  std::vector<FragmentAttribute> list;  // locations ascending, then built-ins by name
  // By MIR input and element: the index into `list`; kNone: not read, or no attribute.
  std::vector<std::vector<uint32_t>> of;
};

// Returns true if all lanes of a primitive have the provoking vertex's value.
bool IsFlat(const mir::Interface& input);
// Returns true if an input comes from the vertices.
bool IsAttribute(const mir::Interface& input);

// Errors: ResourceExhausted (fragment_inputs) for more distances than may be used.
absl::StatusOr<FragmentAttributes> AttributesOf(const mir::Module& module);

// Returns the component of its attribute that holds an element of clip or cull distances.
uint32_t DistanceComponent(const mir::Module& module, const mir::Interface& distances,
                           uint32_t element);

}  // namespace kiln

#endif  // KILN_CORE_TARGET_FRAGMENT_ATTRIBUTES_H_
