// A device that programs are compiled for: the facts that differ between generations and steppings.
//
// The pipeline passes the record down. A generation is named only here, in the tables of isa/ and
// in the row of intel/pipeline. Facts about a generation's encoding are in isa/.
#ifndef KILN_CORE_INTEL_DEVICE_DEVICE_H_
#define KILN_CORE_INTEL_DEVICE_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "core/intel/device/timings.h"
#include "core/intel/isa/instruction.h"

namespace kiln::intel {

using isa::GrfsOf;
using isa::kGrfBytes;

// Limits on what can be launched and bound. devices.cc names the source of each.
struct Limits {
  size_t surfaces = 0;             // entries of a binding table
  size_t samplers = 0;             // that a message can name without a header
  uint32_t bindless_surfaces = 0;  // that handles can tell apart
  uint32_t push_registers = 0;     // GRFs of push data that a thread can start with
  uint32_t push_ranges = 0;        // buffer ranges that push data can come from, in graphics stages
  uint32_t threads_per_group = 0;
  uint32_t invocations = 0;    // of a workgroup, in all and in each dimension
  uint32_t shared_bytes = 0;   // bytes of a workgroup
  uint32_t scratch_bytes = 0;  // bytes of a thread
};

// The resources of an execution unit. GRFs are general registers of kGrfBytes.
struct Machine {
  uint32_t registers = 0;      // GRFs of a thread
  uint32_t tail_first = 0;     // first GRF that the last message's payload may use
  uint32_t flag_granules = 0;  // of 16 lanes each
  uint32_t scratch_block = 0;  // GRFs of scratch memory that a message reaches without an address
};

// Instructions and messages that not every generation has. Selection, emission and the list of
// passes ask here; what a device lacks is lowered, or refused by name (core/README.md, "What a new
// Intel generation adds"). There are no defaults, so that none is forgotten.
struct Instructions {
  bool rotate;               // rol, ror
  bool dot4;                 // dp4a: products of four bytes, added
  bool half_floats;          // operands of type HF, in arithmetic and conversions
  bool dword_product;        // mul of two dwords; else one factor has 16 bits
  bool addresses;            // messages of the data port with addresses of 64 bits (A64)
  bool software_scoreboard;  // waits are in the code: SWSB bytes, sync. Else hardware interlocks
                             // registers, and code waits for a message by reading its result
};

struct Device {
  std::string_view name;  // "tgl": the compile target's name, also in launch records
  isa::Generation generation;
  Limits limits;
  Machine machine;
  Instructions instructions;
  const TimingTable* timings;
};

// Tiger Lake, Gen12.
const Device& Tgl();

// Returns all devices.
absl::Span<const Device* const> Devices();

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_DEVICE_DEVICE_H_
