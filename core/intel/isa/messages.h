// Messages to shared functions: which there are, the fields of their descriptors, the lengths of
// payload and response, and the order of parameters in the payload.
//
// One row per message (messages.def). BuildDescriptor and ParseDescriptor translate between the
// 32-bit descriptor and MessageFields; ParseDescriptor(BuildDescriptor(x)) == x. A descriptor that
// belongs to no row, or has reserved bits set, is an InvalidArgument error, never a guess. For a
// generation whose rows are unfilled, both return that error (columns.h).
//
// Lengths are in registers (GRFs). The first payload (src0, length mlen) holds the header, if any,
// and the addresses; the second (src1, length ex_mlen, Gen9 and later) holds the data. SetLengths
// fills all three lengths from the other fields; on Gen7.5 everything goes into the first payload.
#ifndef KILN_CORE_INTEL_ISA_MESSAGES_H_
#define KILN_CORE_INTEL_ISA_MESSAGES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/intel/isa/columns.h"
#include "core/intel/isa/instruction.h"

namespace kiln::intel::isa {

enum class Message : uint8_t {
#define KILN_EU_MESSAGE(name, text, sfid, type, from, layout, header, params, lanes, cost) k##name,
#include "core/intel/isa/messages.def"
#undef KILN_EU_MESSAGE
};

inline constexpr int kMessageCount = 0
#define KILN_EU_MESSAGE(name, text, sfid, type, from, layout, header, params, lanes, cost) +1
#include "core/intel/isa/messages.def"
#undef KILN_EU_MESSAGE
    ;

// Entries of a binding table. Indices from here on name none; these have meanings of their own.
inline constexpr uint8_t kBindingTableEntries = 240;
inline constexpr uint8_t kBtiBindless = 252;
inline constexpr uint8_t kBtiStatelessNonCoherent = 253;
inline constexpr uint8_t kBtiSlm = 254;  // shared local memory
inline constexpr uint8_t kBtiStatelessCoherent = 255;

// Position of the sample's number in the descriptor of kInterpolateSample: bits 7 to 4.
inline constexpr int kSampleShift = 4;

// The longest payload of a sampler message in registers, header included (PRM, "3D Sampler",
// message length; MAX_SAMPLER_MESSAGE_SIZE of the reference compiler).
inline constexpr int kMaxSamplerPayload = 11;

enum class HeaderNeed : uint8_t { kForbidden, kOptional, kRequired };

// The layout of the descriptor's function-specific bits.
enum class MessageLayout : uint8_t {
  kChannels,        // BTI 7:0, channel mask 11:8 (1 = off), SIMD 13:12
  kTypedChannels,   // BTI, channel mask 11:8 (1 = off), slot group 13:12; 8 lanes
  kA64Channels,     // as kChannels, 64-bit addresses
  kAtomic,          // BTI, operation 11:8, 8 lanes 12, returns 13
  kAtomicFloat,     // BTI, operation 10:8, 8 lanes 12, returns 13
  kTypedAtomic,     // BTI, operation 11:8, high slot group 12, returns 13; 8 lanes
  kA64Atomic,       // BTI, operation 11:8, 64-bit data 12, returns 13; 8 lanes
  kA64AtomicFloat,  // BTI, operation 10:8, 32-bit data 12 = 0, returns 13; 8 lanes
  kByteScattered,   // BTI, 16 lanes 8, element size 11:10
  kDwordScattered,  // BTI, 16 lanes 8, legacy SIMD mode 9 (always set)
  kA64Scattered,    // BTI, byte subtype 9:8 = 0, element size 11:10, 16 lanes 12
  kBlock,           // BTI, size 10:8
  kA64Block,        // BTI, size 10:8, alignment 12:11
  kScratch,         // offset 11:0 (32-byte units), size 13:12, dword mode 16
  kFence,           // BTI 0 or SLM, wait for commit 13
  kBarrier,         // gateway sub-function 2:0 = 4
  kEndOfThread,     // nothing
  kInterpolator,    // x 3:0 and y 7:4 of an offset, or sample 7:4; slot group 11, linear 14, 16
                    // lanes 16
  kUrb,             // offset 14:4 in slots of 4 dwords, channel masks 15, offsets per lane 17
  kTarget,          // surface, form 10:8, slot group 11, last 12; extended: render target 14:12,
                    // alpha of render target 0 15, null 20
  kSample,          // BTI, sampler 11:8, SIMD mode 18:17, 16-bit parameters 29, result 30
};

// The kind of work a message is for the unit that executes it.
enum class MessageCost : uint8_t {
  kData,
  kAtomic,
  kFence,
  kConstant,
  kSampler,
  kBarrier,
  kSpawn,
  kRender,
  kInterpolator,
  kUrb,
};

// The meaning of a payload's parameter.
enum class ParamKind : uint8_t {
  kHeader,   // 1 register
  kOffset,   // 32-bit byte or element offset per lane
  kAddress,  // 64-bit address per lane
  kData,     // the message's data, with the number of components that its fields give
  kRaw,      // one register copied as it is
  kU,
  kV,
  kR,
  kArrayIndex,
  kLod,
  kBias,
  kRef,
  kMinLod,
  kMcs,
  kMcsHigh,
  kSampleIndex,
  kDuDx,
  kDuDy,
  kDvDx,
  kDvDy,
  kDrDx,
  kDrDy,
  kOffsetU,
  kOffsetV,
  kTargetAlpha,  // of render target 0
  kSampleMask,   // one register for 16 lanes: packed words
  kRed,
  kGreen,
  kBlue,
  kAlpha,
  kSecondRed,  // second source of blending
  kSecondGreen,
  kSecondBlue,
  kSecondAlpha,
  kDepth,
  kStencil,  // packed bytes
  kOffsetX,  // from the pixel's centre, in sixteenths, as dwords
  kOffsetY,
  kLaneOffset,  // into the URB entry, in slots
  kLaneMask,    // mask of the dwords written, of four, in bits 23:16
};

// The lanes that a write to a render target is for, and its colours.
enum class TargetForm : uint8_t {
  kSixteen,
  kRepeated,  // one colour for all 16 lanes: clears
  kDualLow,   // two colours, lanes 0 to 7 of 16
  kDualHigh,  // lanes 8 to 15
  kEight,
};

struct MessageParam {
  ParamKind kind;
  bool droppable = false;  // trailing zeros of these may be left out of the payload
};

struct MessageInfo {
  Message message;
  absl::string_view name;
  Sfid sfid;
  uint8_t type;
  Generation first;  // the first of Kiln's generations that has it
  MessageLayout layout;
  HeaderNeed header;
  uint8_t most_lanes;  // 8 or 16
  MessageCost cost;
};

const MessageInfo& Info(Message message);

// Returns the rows as a ColumnTable. A row is ABSENT before the first generation that has it. Cells
// of the others are filled for Gen12 alone: ends of thread, split payloads and required headers
// differ before.
const ColumnTable& MessageTable();

// Returns true if the table has a message of this shared function.
bool HasMessages(Sfid sfid);

// Returns true if the sampler answers with all four components, whatever is asked for. It does for
// gathers and control data: it would write past the end of a shorter response (Mesa 25.0.7,
// brw_fs_nir.cpp: emit_mcs_fetch says so; a gather's write mask is never reduced).
bool AnswersWhole(Message message);

// Returns true if two descriptors of a shared function differ in nothing but the index of the
// surface and of the sampler, or of the sample at which is interpolated.
bool DifferInIndexOnly(Sfid sfid, uint32_t a, uint32_t b);

// Returns the parameters in payload order, without the header. Gen7.5 orders some differently.
absl::Span<const MessageParam> Params(Generation gen, Message message);

// Integer operations of untyped, typed and A64 atomics (hardware codes).
enum class AtomicOp : uint8_t {
  kAnd = 1,
  kOr,
  kXor,
  kExchange,
  kIncrement,
  kDecrement,
  kAdd,
  kSub,
  kReverseSub,
  kSMax,
  kSMin,
  kUMax,
  kUMin,
  kCompareExchange,
  kPreDecrement,
};

// Operations of untyped float atomics.
enum class AtomicFloatOp : uint8_t { kMax = 1, kMin, kCompareExchange };

// Returns the number of data operands per lane: 0, 1 or 2.
int AtomicOperands(AtomicOp op);
int AtomicOperands(AtomicFloatOp op);

// The fields of a descriptor. Fields that the message's layout lacks stay at their defaults.
struct MessageFields {
  Message message = Message::kUntypedRead;
  bool header = false;
  uint8_t mlen = 0;
  uint8_t ex_mlen = 0;
  uint8_t rlen = 0;
  uint8_t bti = 0;
  uint8_t lanes = 8;          // 8 or 16
  uint8_t channels = 0;       // mask of components read or written, 1 = yes; bit 0 is x
  uint8_t op = 0;             // AtomicOp or AtomicFloatOp
  bool returns = false;       // atomic returns the old value
  bool data64 = false;        // A64 atomic on 64 bits
  uint8_t element_bytes = 0;  // scattered: 1, 2, 4
  uint8_t owords = 0;         // block: 1, 2, 4, 8
  bool oword_high = false;    // block of one oword: in the upper half of the register
  bool unaligned = false;     // A64 block: dword alignment
  // typed: lanes 8..15 of the thread; render target, interpolate: 16..31
  bool high_slots = false;
  uint16_t scratch_offset = 0;           // in 32-byte units, 12 bits
  uint8_t scratch_registers = 0;         // 1, 2, 4, 8
  bool dword_mode = false;               // scratch: execution mask applies per dword channel
  bool commit = false;                   // fence: respond in one register once it has committed
  uint8_t sampler = 0;                   // 0..15
  bool half_params = false;              // sampler takes 16-bit parameters
  bool half_result = false;              // sampler returns 16-bit components
  TargetForm form = TargetForm::kEight;  // render target: determines `lanes`
  uint8_t target = 0;                    // render target: number in blend state, 0..7
  bool last_target = false;              // render target: the last write for these lanes
  bool per_sample = false;               // render target: a lane is a sample (bit 13)
  bool null_target = false;              // render target: none is bound
  bool alpha0 = false;                   // render target: the alpha of render target 0 comes first
  int8_t offset_x = 0;  // interpolate_offset: from the centre, -8..7 sixteenths of a pixel
  int8_t offset_y = 0;
  uint8_t sample = 0;             // interpolate_sample: 0..15
  bool linear = false;            // interpolate: linear instead of perspective
  uint16_t urb_offset = 0;        // URB: offset in the entry, in slots of 4 dwords, 11 bits
  bool urb_masks = false;         // URB: every lane has a mask of the four dwords it writes
  bool urb_lane_offsets = false;  // URB: every lane adds an offset of its own
  friend bool operator==(const MessageFields&, const MessageFields&) = default;
};

// Sets mlen, ex_mlen and rlen. For the sampler, and for the address part of typed messages, they
// depend on `address_params`, the number of parameters actually sent; for the URB it is the number
// of registers of data (other messages ignore it). Sampler responses have `response_components` (1
// to 4) components.
void SetLengths(Generation gen, MessageFields& fields, int address_params = 1,
                int response_components = 4);

// Returns the message descriptor, lengths included.
absl::StatusOr<uint32_t> BuildDescriptor(Generation gen, const MessageFields& fields);

// Returns the number of lanes that a form of render-target write is for.
uint8_t LanesOf(TargetForm form);

// Returns the extended descriptor without SFID and EOT, as in SendFields::ex_desc.
uint32_t BuildExDescriptor(const MessageFields& fields);

// Decodes a descriptor into its fields. `ex_desc` is as in SendFields.
absl::StatusOr<MessageFields> ParseDescriptor(Generation gen, Sfid sfid, uint32_t desc,
                                              uint32_t ex_desc);

// Returns the fields of a send of this message, without registers: shared function, descriptors,
// end of thread. The errors are those of BuildDescriptor.
absl::StatusOr<SendFields> BuildSend(Generation gen, const MessageFields& fields);

// Returns the extended descriptor as a value for an address register, to whose upper bits a
// surface's handle is added. Unlike an immediate descriptor it also names the shared function (as
// in Mesa's binaries).
uint32_t ExDescriptorInRegister(const SendFields& send);

// Returns a send of this message with everything but registers set: op send, sfid, descriptors, eot
// for kEndOfThread. Registers of absent payloads and responses are null. Execution size is `lanes`.
absl::StatusOr<Instruction> MakeSend(Generation gen, const MessageFields& fields);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_MESSAGES_H_
