// The part of the ABI that depends on the dispatch width, and the check if a module can have that
// width.
//
// In: module and Abi, once for each width. Selection, allocation and the launch record take their
// facts about threads and scratch memory from here. All refusals of a width, except those of
// selection and of spills, are ResourceExhausted errors from here, with cause and SPIR-V id.
#ifndef KILN_CORE_INTEL_ABI_WIDTH_ABI_H_
#define KILN_CORE_INTEL_ABI_WIDTH_ABI_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/intel/abi/abi.h"
#include "core/mir/mir.h"

namespace kiln::intel {

struct WidthAbi {
  const Device* device = nullptr;
  int width = 8;
  uint32_t threads_per_group = 1;
  uint32_t last_thread_mask = 0;  // lanes of a workgroup's last thread
  bool full_threads = false;      // no thread starts with lanes off; in compute, the last thread
                                  // has all lanes, as the others do
  uint32_t array_bytes = 0;       // private arrays of a thread
  FragmentPayload payload;        // of fragment programs
  uint32_t first_push_register = 1;
};

// Returns the ABI at a width. Errors: vertex_width, fragment_width, thread_payload_too_large;
// workgroup_too_large (more threads than can be dispatched together), scratch_too_large (private
// arrays alone), partial_subgroups (`full_subgroups` are required and the workgroup's size in x
// does not have them).
absl::StatusOr<WidthAbi> AtWidth(const mir::Module& module, const Abi& abi, int width,
                                 bool full_subgroups = false);

// Returns true if hardware runs a fragment program of this many lanes only together with one of 8
// or 16 lanes (3DSTATE_PS, 32 Pixel Dispatch Enable: TGL PRM volume 2d, 3DSTATE_PS_BODY, as Mesa
// 25.0.7 quotes it in intel_genX_state_brw.h, intel_set_ps_dispatch_state).
constexpr bool NeedsNarrower(int width) { return width > 16; }

// Returns the number of registers that a thread starts with: payload, constants, inputs.
uint32_t StartRegisters(const Abi& abi, const WidthAbi& at_width);

// The layout of a thread's scratch memory in bytes: first spilled values, within the reach of
// scratch block messages, then private arrays.
struct ScratchLayout {
  uint32_t arrays_at = 0;
  uint32_t bytes = 0;  // as hardware gives it, a power of two from 1 KiB; 0: none
};

// Returns the offset of arrays after this many bytes of spilled values.
uint32_t ArraysAt(uint32_t spill_bytes);
// Returns scratch_too_large if spills and arrays take more than a thread can have.
absl::StatusOr<ScratchLayout> LayOutScratch(const mir::Module& module, const WidthAbi& abi,
                                            uint32_t spill_bytes);

// Checks that a thread can have this much scratch memory. The error is scratch_too_large, with the
// id of the module's largest private array, if it has one.
absl::Status CheckScratch(const mir::Module& module, const Device& device, uint64_t bytes,
                          int width);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_ABI_WIDTH_ABI_H_
