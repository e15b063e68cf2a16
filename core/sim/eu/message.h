// Send messages of programs: the effect of a descriptor on memory and registers.
//
// Descriptors are decoded by the rows of core/intel/isa, which iga64 and an independent reading
// (isa/messages_reading_test) check. Lengths have separate rules here: those that follow from a
// message's fields are compared with those in the descriptor, so that a wrong mlen or rlen is an
// error and not silently accepted; those of render target writes, which depend on state, are
// checked by target_write.h. Only writes have a row among URB messages; others are refused.
//
// Surface 252 is bindless: the extended descriptor, which is then in a register, names the surface
// (core/intel/ABI.md).
#ifndef KILN_CORE_SIM_EU_MESSAGE_H_
#define KILN_CORE_SIM_EU_MESSAGE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/intel/isa/instruction.h"
#include "core/intel/isa/messages.h"

namespace kiln::sim::eu {

// The simulated generation.
inline constexpr auto kGeneration = intel::isa::Generation::kGen12;

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
  kTypedRead,  // texels of an image at integer coordinates, 8 lanes
  kTypedWrite,
  kTypedAtomic,
  kSample,  // everything the sampler does
  kFence,
  kBarrier,
  kTargetWrite,  // to the render cache; may end the thread
  kUrbWrite,     // to the URB entries of vertices; may end the thread
  kInterpolate,  // barycentrics from the pixel interpolator
  kEnd,          // end of thread
};

// The point at which the pixel interpolator evaluates.
enum class InterpolatedPlace : uint8_t {
  kOffset,  // from the centre, the same for all lanes
  kSample,
  kCentroid,
  kOffsets,  // each lane has its own
};

// Surfaces with a fixed meaning.
inline constexpr int kSurfaceShared = 254;
inline constexpr int kSurfaceBindless = 252;
inline constexpr int kSurfaceStateless = 253;  // not coherent
inline constexpr int kSurfaceStatelessCoherent = 255;

struct Message {
  MessageKind kind = MessageKind::kFence;
  isa::Message message = isa::Message::kMemoryFence;
  uint8_t simd = 8;     // lanes; 1 for block messages
  uint8_t mlen = 0;     // registers of the first payload
  uint8_t ex_mlen = 0;  // registers of the second
  uint8_t rlen = 0;     // registers of the response
  bool header = false;
  bool a64 = false;  // 64-bit addresses
  uint8_t surface = 0;
  uint32_t handle = 0;        // of surface 252: number of the surface state, bits 31:12 of ex_desc
  uint8_t element_bytes = 4;  // of memory; a register element has 4 (8 when element_bytes is 8)
  uint8_t elements = 1;       // per lane
  uint8_t channel_mask = 1;   // elements present (untyped messages); bit 0 is x
  bool dword_addresses = false;   // addresses count dwords
  uint8_t atomic_op = 0;          // code of the descriptor
  bool returns = false;           // atomics with a result
  uint16_t block_bytes = 0;       // block messages
  bool block_high_oword = false;  // 1-oword blocks: data in the upper half of the register
  bool byte_offset = false;       // block messages: header counts bytes; false: owords
  bool unaligned = false;         // A64 blocks: at any dword
  bool dword_mode = false;        // scratch blocks: the mask is one of dwords
  uint32_t scratch_offset = 0;    // bytes
  bool high_slots = false;        // typed messages: for lanes 8..15 of the thread; others: 16..31
  uint8_t sampler = 0;            // index of the sampler state
  bool half_params = false;       // the sampler takes 16-bit parameters
  bool half_result = false;       // and returns 16-bit components
  isa::TargetForm target_form = isa::TargetForm::kEight;
  uint8_t target = 0;        // render target writes: number in the blend state
  bool last_target = false;  // the last one for its lanes
  bool null_target = false;  // to no render target
  bool per_sample = false;
  bool alpha0 = false;            // has the alpha of render target 0
  bool ends = false;              // the thread
  uint16_t urb_offset = 0;        // URB writes: slots of 4 dwords into the entry
  bool urb_lane_offsets = false;  // each lane adds slots of its own
  bool urb_masks = false;         // each lane has a mask of the dwords it writes
  InterpolatedPlace place = InterpolatedPlace::kOffset;
  int8_t offset_x = 0, offset_y = 0;  // sixteenths of a pixel
  uint8_t sample = 0;
  bool linear = false;  // not in perspective
};

// Register elements of a scattered message take a register per 8 lanes and 4 bytes.
inline int LaneRegisters(const Message& m, int bytes) { return m.simd * bytes / 32; }

bool IsTyped(const Message& m);
// Returns true if the message changes anything besides its destination registers.
bool HasSideEffects(const Message& m);
// Returns true for a block write to the thread's own scratch memory.
bool IsOwnScratch(const Message& m);

// Number of registers of one sampler parameter, and of one component of a sampler's response.
int ParameterRegisters(const Message& m);
int ResponseRegisters(const Message& m);

// Number of data registers of a URB write, after handles, offsets and masks; may be negative.
int UrbData(const Message& m);

// Number of data operands of an atomic besides the address.
int AtomicOperands(const Message& m);

// Decodes a descriptor. `sfid` and `eot` come from the instruction; `desc` and `ex_desc` are the
// immediate or register values. Unimplemented names an unsupported message; InvalidArgument names
// fields that contradict each other.
absl::StatusOr<Message> DecodeMessage(isa::Sfid sfid, bool eot, uint32_t desc, uint32_t ex_desc);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_MESSAGE_H_
