// Runs a kernel dispatch packet in the simulator as the packet processor of gfx1030 does: from a
// loaded code object, the packet's 64 bytes, and the memory of the kernel arguments.
//
// Source: HSA Platform System Architecture, "AQL kernel dispatch packet"; LLVM, AMDGPUUsage
// ("Kernel Descriptor", "Initial Kernel Execution State").
#ifndef KILN_TESTS_AMD_PACKET_PROCESSOR_H_
#define KILN_TESTS_AMD_PACKET_PROCESSOR_H_

#include <array>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "core/sim/rdna2/simulator.h"
#include "core/sim/scene/dispatch.h"
#include "tests/amd/code_object.h"

namespace kiln::tests {

using Packet = std::array<uint8_t, 64>;

// Writes the packet that a runtime makes from a kernel's metadata, for so many workgroups.
// `kernel_object` is the address of its descriptor.
Packet MakePacket(const nlohmann::json& kernel, const std::array<uint32_t, 3>& groups,
                  uint64_t kernel_object, uint64_t kernarg_address);

// Runs it. Memory that the kernel reaches is `dispatch.buffers`, whose addresses are assigned; what
// else the dispatch has is not used. InvalidArgument also for a packet that asks for less than the
// kernel needs, and for user SGPRs beyond those of kernel arguments and flat scratch.
absl::StatusOr<sim::scene::RunStats> ProcessPacket(const CodeObject& object, const Packet& packet,
                                                   const sim::rdna2::Options& options,
                                                   sim::scene::Dispatch& dispatch);

// Does what a HIP program does with a code object: fills the argument segment by the table in the
// metadata from the client's data in `dispatch`, and dispatches kernel `name`.
absl::StatusOr<sim::scene::RunStats> LaunchKernel(const CodeObject& object, const std::string& name,
                                                  const sim::rdna2::Options& options,
                                                  sim::scene::Dispatch& dispatch);

}  // namespace kiln::tests

#endif  // KILN_TESTS_AMD_PACKET_PROCESSOR_H_
