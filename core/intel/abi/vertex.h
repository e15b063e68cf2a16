// Vertex programs: which attribute slots stand for which inputs, and where outputs lie in the
// vertex's URB entry (core/intel/ABI.md, "Vertices").
//
// In: the MIR module, and the views of the pipeline. Out: functions of these alone: formats of
// attributes are converted by fixed functions in front of the program, and places of outputs do not
// depend on the stage behind. Only what is read takes registers. Cost: linear.
//
// Sources: Mesa 25.0.7, brw_nir.c (brw_nir_lower_vs_inputs: order of the slots), brw_vue_map.c
// (places of outputs of separate programs), genX_pipeline.c (what the hardware can deliver).
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
inline constexpr uint32_t kAttributeRegisters = 4;     // of a slot: a component each
inline constexpr uint32_t kMaxAttributes = 29;         // beside those of the draw itself
// With them: slots are delivered in pairs, and sixteen pairs do not fit the register file behind
// the header (Mesa 25.0.7, brw_compile_vs.cpp, brw_assign_vs_urb_setup: at most 15).
inline constexpr uint32_t kMaxAttributeSlots = 30;
// Locations of outputs: those of 128 components, which drivers of this generation have as
// maxVertexOutputComponents.
inline constexpr uint32_t kOutputLocations = 32;
// Slots of the URB entry, of four dwords.
inline constexpr uint32_t kVueHeader = 0, kVuePosition = 1, kVueDistances = 2, kVueLocations = 4;

// A place in the setup data, or in the URB entry.
struct SlotComponent {
  uint32_t slot = 0;
  uint32_t component = 0;
};

struct VertexAbi {
  static constexpr uint32_t kNoSlot = 0xffffffffu;

  std::vector<out::VertexAttribute> attributes;  // by slot
  // By MIR input and element: the slot of a location; kNoSlot: not read, or a built-in.
  std::vector<std::vector<uint32_t>> slots;
  std::vector<out::VueSlot> vue;  // ascending by slot; what the program writes
  uint32_t vue_slots = 0;

  // Where a value of the draw arrives; it must be among `attributes`.
  SlotComponent PlaceOf(out::VertexValue value) const;
};

// Registers in which the slots arrive: whole pairs of slots, of which the last may hold nothing.
uint32_t AttributeRegisters(const VertexAbi& vertex);

// ResourceExhausted (vertex_inputs, vertex_outputs): more attributes than are delivered, more
// distances or a higher location than there are places. Unimplemented (the same): 64 bits.
// InvalidArgument (multiview_layer): the layer is written though there are views.
absl::StatusOr<VertexAbi> AssignVertex(const mir::Module& module, const Views& views = {});

// Where component `component` of an element of an output lies.
SlotComponent OutputPlace(const mir::Module& module, const mir::Interface& output, uint32_t element,
                          uint32_t component);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_ABI_VERTEX_H_
