// Vertex programs: the attribute slots of the inputs, and the positions of outputs in the vertex's
// URB entry (core/intel/ABI.md, "Vertices").
//
// In: the MIR module, and the views of the pipeline. Out: functions of these alone, since fixed
// functions convert the formats of attributes before the program runs, and the positions of outputs
// do not depend on the next stage. Only inputs that are read take registers. Cost: linear.
//
// Sources: Mesa 25.0.7, brw_nir.c (brw_nir_lower_vs_inputs: order of the slots), brw_vue_map.c
// (slots of outputs of separate programs), genX_pipeline.c (what the hardware can deliver).
#ifndef KILN_CORE_INTEL_ABI_VERTEX_H_
#define KILN_CORE_INTEL_ABI_VERTEX_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/intel/abi/views.h"
#include "core/mir/mir.h"
#include "core/out/launch_record.h"

namespace kiln::intel {

inline constexpr uint32_t kVertexLanes = 8;
inline constexpr uint32_t kVertexHeaderRegisters = 2;  // r0, and the handles of the URB entries
inline constexpr uint32_t kAttributeRegisters = 4;     // of a slot: one for each component
inline constexpr uint32_t kMaxAttributes = 29;         // besides those of the draw itself
// Including those: slots are delivered in pairs, and sixteen pairs do not fit the register file
// after the header (Mesa 25.0.7, brw_compile_vs.cpp, brw_assign_vs_urb_setup: at most 15).
inline constexpr uint32_t kMaxAttributeSlots = 30;
// Locations of outputs: 128 components, the maxVertexOutputComponents of drivers of this
// generation.
inline constexpr uint32_t kOutputLocations = 32;
// Slots of the URB entry, of four dwords.
inline constexpr uint32_t kVueHeader = 0, kVuePosition = 1, kVueDistances = 2, kVueLocations = 4;

// A component of a slot of the setup data, or of the URB entry.
struct SlotComponent {
  uint32_t slot = 0;
  uint32_t component = 0;
};

struct VertexAbi {
  static constexpr uint32_t kNoSlot = 0xffffffffu;

  std::vector<uint32_t> attributes;  // by slot: the location
  std::vector<out::VertexValue>
      system_values;  // that are read, ascending; in the slots after these
  // By MIR input and element: the slot of its location; kNoSlot: not read, or a built-in.
  std::vector<std::vector<uint32_t>> slots;
  std::vector<out::VueSlot> vue;           // ascending by slot; what the program writes
  std::vector<out::VertexOutput> outputs;  // ascending by location
  uint32_t vue_slots = 0;

  // Returns the number of slots of attributes and values of the draw.
  uint32_t SetupSlots() const;
  // Returns where a value of the draw arrives; it must be among `system_values`.
  SlotComponent SlotOf(out::VertexValue value) const;
};

// Returns the number of registers in which the slots arrive: whole pairs of slots, the last of
// which may be half empty.
uint32_t AttributeRegisters(const VertexAbi& vertex);

// Errors: ResourceExhausted (vertex_inputs, vertex_outputs) for more attributes than are delivered,
// more distances than components, or a location beyond the last; Unimplemented (the same causes)
// for 64 bits; InvalidArgument (multiview_layer) if the layer is written under multiview.
absl::StatusOr<VertexAbi> AssignVertex(const mir::Module& module, const Views& views = {});

// Returns the slot and component of component `component` of an output's element.
SlotComponent OutputPlace(const mir::Module& module, const mir::Interface& output, uint32_t element,
                          uint32_t component);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_ABI_VERTEX_H_
