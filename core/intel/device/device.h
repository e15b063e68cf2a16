// A device that programs are made for: facts that differ between generations and steppings.
//
// The record is passed down from the pipeline; nothing but it, the tables of isa/ and the row in
// intel/pipeline names a generation. What the encoding says of a generation stands in isa/.
#ifndef KILN_CORE_INTEL_DEVICE_DEVICE_H_
#define KILN_CORE_INTEL_DEVICE_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "core/intel/device/timings.h"
#include "core/intel/isa/instruction.h"

namespace kiln::intel {

// What can be launched and bound. Each has its source in devices.cc.
struct Limits {
  size_t surfaces = 0;             // entries of a binding table
  size_t samplers = 0;             // that a message names without a header
  uint32_t bindless_surfaces = 0;  // that a handle tells apart
  uint32_t push_registers = 0;     // that a thread starts with
  uint32_t push_ranges = 0;        // pieces of buffers that they come from, of graphics stages
  uint32_t threads_per_group = 0;
  uint32_t invocations = 0;    // of a workgroup, in all and in each dimension
  uint32_t shared_bytes = 0;   // of a workgroup
  uint32_t scratch_bytes = 0;  // of a thread
};

// Of an execution unit, in general registers (GRFs) of 32 bytes.
struct Machine {
  uint32_t registers = 0;      // of a thread
  uint32_t tail_first = 0;     // from which on the payload lies that ends a thread
  uint32_t flag_granules = 0;  // of 16 lanes each
  uint32_t scratch_block = 0;  // of scratch memory that a block message without address reaches
};

struct Device {
  std::string_view name;  // "tgl": of the target, in launch records
  isa::Generation generation;
  Limits limits;
  Machine machine;
  const TimingTable* timings;
};

// Tiger Lake, Gen12.
const Device& Tgl();

// All of them.
absl::Span<const Device* const> Devices();

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_DEVICE_DEVICE_H_
