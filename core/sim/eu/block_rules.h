// Which lanes of an instruction stand for which bytes of a data-port message, one row per message.
//
// The table belongs to the simulator alone: no pass of the compiler reads it. Where no source says
// what a mask with lanes off does, the message is refused for such a mask and not guessed. Sources:
//  * mesa-spill: Mesa 25.0.7, brw_reg_allocate.cpp, spill_reg. Spills of 32-bit values that an
//    instruction of as many channels writes carry the mask of the instruction and are to change
//    enabled channels only; scratch messages "operate on 32 bit channels", eight per register;
//    fills are without mask because values and channels need not correspond. Spills of one and two
//    registers, at channel offsets 0 and 16. Proven by its binaries against lavapipe
//    (tests/sim/README.md).
//  * mesa-block: Mesa 25.0.7, brw_lower_logical_sends.cpp. Block loads and stores must be without
//    mask (lower_hdc_memory_logical_send); those of constants are, since the mask would pick
//    channels of the response (brw_lower_uniform_pull_constant_loads).
//  * igc-spill: IGC, visa/SpillManagerGMRF.cpp, createSpillSendMsgDesc. Bit 16 of scratch blocks is
//    their channel mode, oword or dword; blocks of owords go out for four channels an oword, 16 at
//    most.
//  * visa: IGC, documentation/visa, OWORD_LD, OWORD_LD_UNALIGNED, OWORD_ST: always without mask.
//  * visa-scatter: IGC, documentation/visa, SCATTER_SCALED, GATHER4_SCALED, SCATTER4_SCALED,
//    DWORD_ATOMIC, SVM_GATHER and others: each enabled channel accesses memory at its own offset.
#ifndef KILN_CORE_SIM_EU_BLOCK_RULES_H_
#define KILN_CORE_SIM_EU_BLOCK_RULES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/sim/eu/message.h"

namespace kiln::sim::eu {

enum class MaskRule : uint8_t {
  kLanes,   // each lane has an address; its access is made if the lane is on
  kDwords,  // lane i stands for dword i of a block of up to two registers
  kWhole,   // no source but for masks with all lanes that the block has
};

struct MaskRow {
  isa::Message message;
  MaskRule rule;
  uint8_t alignment;  // bytes that the address of a block, or of a lane, is a multiple of
  absl::string_view source;
};

// Every message of the data ports and of the constant cache that accesses memory.
absl::Span<const MaskRow> MaskRows();

// The row of a message that has one.
const MaskRow& MaskRowOf(isa::Message message);

// Dwords of a block that lanes let pass: bit i % 32 is dword i's. `lanes`: bit i is channel i of
// the instruction. Unimplemented for a mask of which no source says what it does.
absl::StatusOr<uint32_t> DwordsOf(const Message& message, uint32_t lanes);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_BLOCK_RULES_H_
