// Fragment programs: which attributes of the setup data stand for which inputs, what the payload
// holds, which colour targets there are (core/intel/ABI.md, "Fragments").
//
// In: the MIR module and the pipeline's state. Out: functions of both, the same at every width but
// for the places of the payload (PayloadAt). Only what is read takes registers. Cost: linear.
//
// Sources: Mesa 25.0.7, brw_fs_thread_payload.cpp (order of the payload), brw_compile_fs.cpp (what
// needs what); the setup data's layout was read off its programs for this generation.
#ifndef KILN_CORE_INTEL_ABI_FRAGMENT_H_
#define KILN_CORE_INTEL_ABI_FRAGMENT_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/mir/mir.h"
#include "core/out/launch_record.h"
#include "core/target/pipeline_state.h"

namespace kiln::intel {

inline constexpr uint32_t kSetupRegisters = 2;  // of an attribute: four dwords for each component

struct ColourTarget {
  uint32_t location = 0;  // also its number in blend state
  uint32_t surface = 0;   // binding table index
};

struct FragmentAbi {
  static constexpr uint32_t kNoSlot = 0xffffffffu;

  std::vector<out::SetupAttribute> attributes;  // ascending by slot (attribute_numbers.h)
  uint32_t setup_slots = 0;                     // some may have no attribute
  std::vector<std::vector<uint32_t>> slots;     // by MIR input and element; kNoSlot: not delivered
  std::vector<out::PayloadPart> parts;          // of each 16 lanes, behind the positions, in order
  std::vector<ColourTarget> targets;            // ascending; empty: nothing but depth is written
  uint32_t samples = 1;                         // of a pixel
  bool several_samples = false;
  bool per_sample = false;      // a lane is a sample
  bool interpolator = false;    // asks the pixel interpolator
  bool nonperspective = false;  // barycentrics without perspective, from either
  bool kills = false;           // lanes may lose their effects on the way
  bool side_effects = false;    // stores, atomics
  out::DepthOutput depth = out::DepthOutput::kOff;
  bool writes_stencil = false;
  bool writes_sample_mask = false;
  bool dual_source = false;
  bool alpha_to_coverage = false;  // state has it
  bool masks_by_alpha = false;     // and it is the program's to do

  // The barycentric coordinates by which an input that is not flat is interpolated, where the
  // shader does not ask for a place by itself.
  out::PayloadPart BarycentricsOf(const mir::Interface& input) const;
  out::PayloadPart BarycentricsAt(mir::Interpolation interpolation, mir::Auxiliary where) const;
};

// Registers of the payload at one width.
struct FragmentPayload {
  std::vector<out::PayloadItem> items;
  uint32_t registers = 0;
  // The register of a part for the lanes from `first_lane` on (0, 16); the part must be there.
  uint32_t RegisterOf(out::PayloadPart part, uint32_t first_lane) const;
};

// ResourceExhausted (fragment_inputs): attributes that cannot be delivered. Unimplemented
// (fragment_outputs): a second source of blending with targets other than 0.
absl::StatusOr<FragmentAbi> AssignFragment(const mir::Module& module, const FragmentState& state);

// The component of its attribute that an element of clip or cull distances is.
uint32_t DistanceComponent(const mir::Module& module, const mir::Interface& distances,
                           uint32_t element);

FragmentPayload PayloadAt(const FragmentAbi& abi, int width);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_ABI_FRAGMENT_H_
