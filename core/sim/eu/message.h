// Send messages of Gen12 compute programs: what a descriptor means.
//
// Decoding follows the descriptor fields that `iga64 -p=12p1 -Xdsd` prints; lengths of a message
// that follow from its fields are compared with those in the descriptor, so that a wrong mlen or
// rlen is an error and not silently accepted. Sampler, typed, render-target and URB messages are
// refused by name: the simulator has no images.
#ifndef KILN_CORE_SIM_EU_MESSAGE_H_
#define KILN_CORE_SIM_EU_MESSAGE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/intel/isa/instruction.h"

namespace kiln::sim::eu {

namespace isa = ::kiln::intel::isa;

enum class MessageKind : uint8_t {
  kGather,  // lanes read `elements` elements of `element_bytes` at their own address
  kScatter,
  kAtomic,
  kFloatAtomic,
  kBlockRead,  // a header gives one address for a block of owords
  kBlockWrite,
  kScratchRead,  // HWord scratch blocks
  kScratchWrite,
  kBufferSize,  // sampler's resinfo of a buffer
  kFence,
  kBarrier,
  kEnd,  // end of thread
};

// Surfaces with a fixed meaning.
inline constexpr int kSurfaceShared = 254;
inline constexpr int kSurfaceBindless = 252;
inline constexpr int kSurfaceStateless = 253;  // not coherent
inline constexpr int kSurfaceStatelessCoherent = 255;

struct Message {
  MessageKind kind = MessageKind::kFence;
  uint8_t simd = 8;     // lanes; 1 for block messages
  uint8_t mlen = 0;     // registers of the first payload
  uint8_t ex_mlen = 0;  // registers of the second
  uint8_t rlen = 0;     // registers of the response
  bool header = false;
  bool a64 = false;  // 64-bit addresses
  uint8_t surface = 0;
  uint8_t element_bytes = 4;      // of memory; a register element has 4 (8 when element_bytes is 8)
  uint8_t elements = 1;           // per lane
  uint8_t channel_mask = 1;       // elements present (untyped messages); bit 0 is x
  bool dword_addresses = false;   // addresses count dwords
  uint8_t atomic_op = 0;          // code of the descriptor
  bool returns = false;           // atomics with a result
  uint16_t block_bytes = 0;       // block messages
  bool block_high_oword = false;  // 1-oword blocks: data in the upper half of the register
  bool byte_offset = false;       // block messages: header counts bytes, else owords
  uint32_t scratch_offset = 0;    // bytes
};

// Register elements of a scattered message take a register per 8 lanes and 4 bytes.
inline int LaneRegisters(const Message& m, int bytes) { return m.simd * bytes / 32; }

// Decodes a descriptor. `sfid` and `eot` come from the instruction; `desc` and `ex_desc` are the
// immediate or register values. Unimplemented names an unsupported message; InvalidArgument says
// what does not fit together.
absl::StatusOr<Message> DecodeMessage(isa::Sfid sfid, bool eot, uint32_t desc, uint32_t ex_desc);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_MESSAGE_H_
