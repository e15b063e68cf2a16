// Which lanes of an instruction access which bytes of a data-port message, one row per message.
//
// The table belongs to the simulator alone: no pass of the compiler reads it. If no source says how
// a message behaves for a mask with lanes off, it is refused for such a mask, not guessed. Sources:
// * mesa-spill: Mesa 25.0.7, brw_reg_allocate.cpp, spill_reg. Spills of 32-bit values that an
//   instruction of as many channels writes carry the mask of the instruction and are to change
//   enabled channels only; scratch messages "operate on 32 bit channels", eight per register; fills
//   are without mask because values and channels need not correspond. Spills of one and two
//   registers, at channel offsets 0 and 16. Proven by its binaries against lavapipe
//   (tests/sim/README.md).
// * mesa-block: Mesa 25.0.7, brw_lower_logical_sends.cpp. Block loads and stores must be without
//   mask (lower_hdc_memory_logical_send); those of constants are, since the mask would pick
//   channels of the response (brw_lower_uniform_pull_constant_loads).
// * igc-spill: IGC, visa/SpillManagerGMRF.cpp, createSpillSendMsgDesc. Bit 16 of scratch blocks is
//   their channel mode, oword or dword; blocks of owords are sent for four channels an oword, 16 at
//   most.
// * visa: IGC, documentation/visa, OWORD_LD, OWORD_LD_UNALIGNED, OWORD_ST: always without mask.
// * visa-scatter: IGC, documentation/visa, SCATTER_SCALED, GATHER4_SCALED, SCATTER4_SCALED,
//   DWORD_ATOMIC, SVM_GATHER and others: each enabled channel accesses memory at its own offset.
#ifndef KILN_CORE_SIM_EU_BLOCK_RULES_H_
#define KILN_CORE_SIM_EU_BLOCK_RULES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/sim/eu/message.h"

namespace kiln::sim::eu {

enum class MaskRule : uint8_t {
  kLanes,   // each lane has an address; an enabled lane accesses it
  kDwords,  // lane i accesses dword i of a block of up to two registers
  kWhole,   // sources cover only masks with all lanes of the block on
};

struct MaskRow {
  isa::Message message;
  MaskRule rule;
  uint8_t alignment;  // the address of a block, or of a lane, is a multiple of so many bytes
  absl::string_view source;
};

// Every message of the data ports and of the constant cache that accesses memory.
absl::Span<const MaskRow> MaskRows();

// The row of a message; it must have one.
const MaskRow& MaskRowOf(isa::Message message);

// Returns the dwords of a block that the mask lets pass: bit i % 32 is dword i's. `lanes`: bit i is
// channel i of the instruction. Unimplemented for a mask whose effect no source states.
absl::StatusOr<uint32_t> DwordsOf(const Message& message, uint32_t lanes);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_BLOCK_RULES_H_
