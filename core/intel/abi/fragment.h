// Fragment programs: the attributes of the setup data for the inputs, the contents of the payload,
// and the colour render targets (core/intel/ABI.md, "Fragments").
//
// In: the MIR module and the pipeline's state. Out: functions of both, the same at every width
// except for the registers of the payload (PayloadAt). Only inputs that are read take registers.
// Cost: linear.
//
// Sources: Mesa 25.0.7, brw_fs_thread_payload.cpp (order of the payload), brw_compile_fs.cpp (the
// parts that each feature needs); the setup data's layout was derived from its programs for this
// generation.
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

  std::vector<out::FragmentInput> attributes;  // ascending by slot
  std::vector<uint32_t> attribute_slots;       // of each (attribute_numbers.h)
  uint32_t setup_slots = 0;                    // some may have no attribute
  std::vector<std::vector<uint32_t>> slots;    // by MIR input and element; kNoSlot: not delivered
  std::vector<out::PayloadPart> parts;         // for each 16 lanes, after the positions, in order
  std::vector<ColourTarget> targets;           // ascending; empty: only depth is written
  uint32_t samples = 1;                        // of a pixel
  bool several_samples = false;
  bool per_sample = false;      // a lane is a sample
  bool interpolator = false;    // sends messages to the pixel interpolator
  bool nonperspective = false;  // uses barycentrics without perspective, from either
  bool kills = false;           // lanes may be killed on the way
  bool side_effects = false;    // stores, atomics
  out::DepthOutput depth = out::DepthOutput::kOff;
  bool writes_stencil = false;
  bool writes_sample_mask = false;
  bool dual_source = false;
  bool alpha_to_coverage = false;  // state has it
  bool masks_by_alpha = false;     // and the program has to compute it

  // Returns the barycentric coordinates by which an input that is not flat is interpolated, unless
  // the shader asks for a position itself.
  out::PayloadPart BarycentricsOf(const mir::Interface& input) const;
  out::PayloadPart BarycentricsAt(mir::Interpolation interpolation, mir::Auxiliary where) const;
};

// The payload's registers at one width.
struct FragmentPayload {
  std::vector<out::PayloadItem> items;
  uint32_t registers = 0;
  // Returns the register of a part for the lanes from `first_lane` on (0, 16). The part must be in
  // the payload.
  uint32_t RegisterOf(out::PayloadPart part, uint32_t first_lane) const;
};

// Errors: ResourceExhausted (fragment_inputs) for attributes that cannot be delivered;
// Unimplemented (fragment_outputs) for a second source of blending with render targets other than
// 0.
absl::StatusOr<FragmentAbi> AssignFragment(const mir::Module& module, const FragmentState& state);

FragmentPayload PayloadAt(const FragmentAbi& abi, int width);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_ABI_FRAGMENT_H_
