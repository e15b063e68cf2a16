#include "core/intel/abi/width_abi.h"

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"

namespace kiln::intel {
namespace {

using mir::Module;

uint32_t Invocations(const Module& m) {
  return m.local_size[0] * m.local_size[1] * m.local_size[2];
}

// A workgroup runs on one dual subslice, on which all its threads must fit at once.
absl::Status FitsThreads(const Module& m, const Device& device, uint32_t threads, int width) {
  const uint32_t most = device.limits.threads_per_group;
  if (threads <= most) return absl::OkStatus();
  const absl::Status s = absl::ResourceExhaustedError(absl::StrCat(
      "the workgroup needs ", threads, " threads of ", width, " lanes; the limit is ", most));
  return WithSpirvId(WithCause(s, "workgroup_too_large"), m.local_size_id);
}

// VUID-VkPipelineShaderStageCreateInfo-pNext-02757 and flags-02758: subgroups are full if their
// size divides the workgroup's in x.
absl::Status HasFullSubgroups(const Module& m, int width) {
  if (m.local_size[0] % static_cast<uint32_t>(width) == 0) return absl::OkStatus();
  const absl::Status s = absl::ResourceExhaustedError(
      absl::StrCat("full subgroups are required, and ", width,
                   " lanes do not divide the workgroup's size in x, ", m.local_size[0]));
  return WithSpirvId(WithCause(s, "partial_subgroups"), m.local_size_id);
}

// Returns the scratch space of a thread, a power of two from 1 KiB.
uint32_t ScratchBytes(uint32_t wanted) {
  if (wanted == 0) return 0;
  uint32_t bytes = 1024;
  while (bytes < wanted) bytes *= 2;
  return bytes;
}

// Returns an error if a fragment cannot have the width. Stencil values and second colours have
// messages of 8 lanes alone (Mesa 25.0.7, brw_compile_fs.cpp). At 32 lanes, selection supports
// neither messages to the pixel interpolator nor a lane for each sample.
absl::Status HasFragmentWidth(const FragmentAbi& f, int width) {
  const char* why =
      (f.writes_stencil || f.dual_source) && width > 8
          ? "stencil values and a second source of blending are written by 8 lanes"
      : f.interpolator && width > 16  ? "programs that ask the pixel interpolator run 8 or 16 lanes"
      : f.samples == 16 && width > 16 ? "programs of 16 samples a pixel run 8 or 16 lanes"
      : f.per_sample && width > 16    ? "programs of samples run 8 or 16 lanes"
                                      : nullptr;
  if (why == nullptr) return absl::OkStatus();
  return WithCause(absl::ResourceExhaustedError(absl::StrCat("fragment: ", why)), "fragment_width");
}

// Divides a workgroup into threads.
absl::Status DivideWorkgroup(const Module& m, const Abi& abi, WidthAbi& w) {
  const uint32_t invocations = Invocations(m), lanes = static_cast<uint32_t>(w.width);
  w.threads_per_group = (invocations + lanes - 1) / lanes;
  w.full_threads = invocations % lanes == 0;
  w.last_thread_mask = ~0u >> (32 - (w.full_threads ? lanes : invocations % lanes));
  return FitsThreads(m, *abi.device, w.threads_per_group, w.width);
}

// Returns an error if the data that a thread of a graphics stage starts with do not fit the
// registers.
absl::Status FitsRegisters(const Abi& abi, const WidthAbi& w) {
  const uint32_t all = abi.device->machine.registers;
  const uint32_t wanted = StartRegisters(abi, w);
  if (wanted <= all) return absl::OkStatus();
  return WithCause(absl::ResourceExhaustedError(
                       absl::StrCat("payload, constants and inputs of a thread of ", w.width,
                                    " lanes take ", wanted, " registers; there are ", all)),
                   "thread_payload_too_large");
}

absl::Status HasVertexWidth(int width) {
  if (width == static_cast<int>(kVertexLanes)) return absl::OkStatus();
  return WithCause(absl::ResourceExhaustedError(
                       absl::StrCat("vertex: programs run 8 vertices a thread, not ", width)),
                   "vertex_width");
}

}  // namespace

absl::Status CheckScratch(const Module& m, const Device& device, uint64_t bytes, int width) {
  const uint32_t most = device.limits.scratch_bytes;
  if (bytes <= most) return absl::OkStatus();
  mir::PrivateArray largest;
  for (const mir::PrivateArray& array : m.private_arrays) {
    if (array.bytes > largest.bytes) largest = array;
  }
  const absl::Status s =
      absl::ResourceExhaustedError(absl::StrCat("a thread of ", width, " lanes needs ", bytes,
                                                " bytes of scratch memory; the limit is ", most));
  return WithSpirvId(WithCause(s, "scratch_too_large"), largest.spirv_id);
}

uint32_t StartRegisters(const Abi& abi, const WidthAbi& w) {
  uint32_t inputs = 0;
  if (abi.fragment) {
    inputs = kSetupRegisters * abi.fragment->setup_slots;
  } else if (abi.vertex) {
    inputs = AttributeRegisters(*abi.vertex);
  }
  return w.first_push_register + abi.cross_thread_registers + abi.per_thread_registers + inputs;
}

absl::StatusOr<WidthAbi> AtWidth(const Module& m, const Abi& abi, int width, bool full_subgroups) {
  WidthAbi w;
  w.device = abi.device;
  w.width = width;
  if (abi.fragment) {
    if (absl::Status s = HasFragmentWidth(*abi.fragment, width); !s.ok()) return s;
    w.payload = PayloadAt(*abi.fragment, width);
    w.first_push_register = w.payload.registers;
    if (absl::Status s = FitsRegisters(abi, w); !s.ok()) return s;
  } else if (abi.vertex) {
    if (absl::Status s = HasVertexWidth(width); !s.ok()) return s;
    w.first_push_register = kVertexHeaderRegisters;
    if (absl::Status s = FitsRegisters(abi, w); !s.ok()) return s;
  } else if (absl::Status s = DivideWorkgroup(m, abi, w); !s.ok()) {
    return s;
  }
  const uint64_t arrays = uint64_t{abi.scratch_bytes_per_lane} * static_cast<uint32_t>(width);
  if (absl::Status s = CheckScratch(m, *abi.device, arrays, width); !s.ok()) return s;
  w.array_bytes = static_cast<uint32_t>(arrays);
  if (!full_subgroups || abi.fragment || abi.vertex) return w;
  if (absl::Status s = HasFullSubgroups(m, width); !s.ok()) return s;
  return w;
}

uint32_t ArraysAt(uint32_t spill_bytes) {
  constexpr uint32_t kBaseGranule = 1024;  // granule of the base in a message's header
  return (spill_bytes + kBaseGranule - 1) / kBaseGranule * kBaseGranule;
}

absl::StatusOr<ScratchLayout> LayOutScratch(const Module& m, const WidthAbi& abi,
                                            uint32_t spill_bytes) {
  ScratchLayout layout;
  layout.arrays_at = ArraysAt(spill_bytes);
  const uint64_t wanted =
      abi.array_bytes == 0 ? spill_bytes : uint64_t{layout.arrays_at} + abi.array_bytes;
  if (absl::Status s = CheckScratch(m, *abi.device, wanted, abi.width); !s.ok()) return s;
  layout.bytes = ScratchBytes(static_cast<uint32_t>(wanted));
  return layout;
}

}  // namespace kiln::intel
