// The table of devices. A new one is a row here, with a source for each figure.
#include "core/intel/device/device.h"

namespace kiln::intel {
namespace {

constexpr Device kTgl = {
    .name = "tgl",
    .generation = isa::Generation::kGen12,
    .limits =
        {
            // Indices from 240 on have meanings of their own (isa/messages.h).
            .surfaces = 240,
            .samplers = 16,
            // Surface handles have 20 bits.
            .bindless_surfaces = 1u << 20,
            // Half of the register file, 2 KiB.
            .push_registers = 64,
            // The walker's thread counters hold 0..63 (GPGPU_WALKER, "Thread Width Counter
            // Maximum"), which is less than the 112 threads of a Gen12 dual subslice.
            .threads_per_group = 64,
            // Mesa's driver for the generation has the next two as maxComputeWorkGroupInvocations
            // (and as maxComputeWorkGroupSize in each dimension) and maxComputeSharedMemorySize,
            // its compiler the third as the most scratch memory of a thread.
            .invocations = 1024,
            .shared_bytes = 64u << 10,
            .scratch_bytes = 2u << 20,
        },
};

constexpr const Device* kDevices[] = {&kTgl};

}  // namespace

const Device& Tgl() { return kTgl; }
absl::Span<const Device* const> Devices() { return kDevices; }

}  // namespace kiln::intel
