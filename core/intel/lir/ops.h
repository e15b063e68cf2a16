// The Intel opcodes of LIR: the EU's own opcodes (same numbers as isa::Opcode) followed by the
// pseudo operations, which stay one instruction until core/intel/emit writes them out.
//
// A pseudo operation exists for one of three reasons: its machine form needs a partial write or
// the accumulator (mul32, mul_high, f2f16) or a0 (reads of other lanes), it builds a message header
// in place (header, barrier), or it is a concept of SSA (collect, copy).
#ifndef KILN_CORE_INTEL_LIR_OPS_H_
#define KILN_CORE_INTEL_LIR_OPS_H_

#include <cstdint>

#include "core/intel/isa/instruction.h"
#include "core/lir/lir.h"

namespace kiln::intel {

enum LirOp : uint16_t {
  kFirstPseudo = isa::kOpcodeCount,
  kCollect = kFirstPseudo,  // vector = parts in order
  kCopy,                    // value = value of the same file, lane by lane
  kMovG,                    // made by register allocation: moves aux units of per-lane registers
  kMovU,                    // the same for uniform registers
  kXorG,                    // a ^= b of raw registers, for swaps; operands as kMovG: def, use, use
  kXorU,
  kLaneIds,        // 16-bit lane numbers 0, 1, ... of the dispatch width
  kMul32,          // def 0 = low 32 bits of use 0 * use 1; def 1 is scratch
  kMulHigh,        // high 32 bits of use 0 * use 1; sign from the types; uses acc0
  kF2f16,          // bits of a half in the low 16 of a dword, the rest 0
  kPack,           // joins elements of the uses' parts, the first lowest: two words or four
                   // bytes make a dword, two dwords a qword; F in a word: rounded to half
  kHeader,         // header of a block read: dword 2 = use 0, other dwords do not matter
  kSameAddress,    // the same 64-bit address in 8 lanes: use 0 low, 1 high
  kInterleave,     // per 8 lanes, the registers of use 0 and then those of use 1: two
                   // dwords or two qwords a lane
  kScratchHeader,  // message header for per-thread scratch memory, from r0 = use 0;
                   // use 1: offset in dwords of a block message; without use 1 the header is for
                   // private arrays, which follow the spilled values
  kSamplerHeader,  // sampler header from r0 = use 0: dword 2 = aux, 3 the sampler pointer,
                   // or use 1, the handle of a sampler
  kChosenSamplerHeader,  // the same with use 1 in place of aux; use 2 is the handle
  kJoin,                 // per-lane vector = responses of messages for parts of the lanes, in
                         // order; each has the components one after the other
  kPixelPlaces,          // 16-bit x (aux 0) or y (aux 1) of each lane's pixel; uses: the payload
                         // registers with the positions of subspans, one for each 16 lanes
  kSampleIds,            // 16-bit number of each lane's sample; uses as kPixelPlaces
  kSampleOffsets,  // 16-bit x (aux 0) or y (aux 1) of each lane's sample in its pixel, in 16ths;
                   // uses: the payload registers with these offsets, one for each 16 lanes
  kPackLanes,    // the words or bytes (aux bytes each) of use 0's lanes, packed from def 0's start
  kSampler,      // sampler message with a parameter list (core/intel/messages); side: LirMessage
  kQuadSampler,  // the same for a message that computes derivatives within quads
  // Other lanes.
  kBallot,          // def 0 (U) = bits of the active lanes for which use 0 meets the
                    // condition aux (z, nz); def 1 (F) scratch
  kBroadcast,       // def 0 (U) = use 0 in one lane; use 1: its number (immediate, modulo the
                    // width) or its byte offset in use 0 (U)
  kShuffle,         // each lane: use 0 at byte offset use 1 (words), valid in all lanes
  kQuadBroadcast,   // each lane: use 0 in lane aux of its quad
  kQuadDifference,  // each lane: use 0 of one lane of its quad less that of another: DifferenceAux
                    // (subgroup.h)
  kXorLanes,        // lane i = use 0 in lane i ^ aux, NoMask; XorMovesOf (subgroup.h) has moves
  kLaneScan,        // reductions and scans of use 0; use 1: the identity; aux: ScanAux
                    // (subgroup.h). All but inclusive scans define a scratch register (G) besides
                    // def 0, which is twice as long for exclusive scans; products define another
                    // one.
  // Lanes with effects. The mask of dead lanes (helper lanes and killed ones) is outside SSA, in
  // the flags from kDeadMask on; memory class kDeadMaskClass orders the instructions that read and
  // write it.
  kDispatched,  // def 0 (F) = lanes that cover a sample; uses: the payload registers with the
                // coverage, one for each 16 lanes
  kStartDead,   // the mask = lanes that cover no sample; uses as kDispatched
  kKill,        // the mask |= lanes in which the comparison of use 0 with use 1 holds
  kLive,        // def 0 (F) = lanes that are not in the mask
  // Messages: uses payload 0 [, payload 1] [, index] [, handle] [, predicate]; side: LirMessage.
  // The opcodes differ in their effects on memory, the only property that the shared code needs.
  kSend,     // reads no memory that the program writes
  kMsgQuad,  // likewise, and computes derivatives within quads
  kMsgRead,
  kMsgOrderedRead,   // atomic load or volatile image read: keeps its order with other accesses,
                     // but is removed if its result is dead
  kMsgVolatileRead,  // stays where it is, even if its result is dead
  kMsgWrite,
  kMsgAtomic,
  kMsgUrb,         // outputs of vertices
  kMsgUrbEnd,      // the last of these, which ends the thread: payloads in the tail of the file
  kMsgTarget,      // write to a render target; these keep their order
  kMsgTargetLast,  // write to the last render target for a thread's first lanes, where a message
                   // for the others follows: a barrier, after which the program writes no memory
  kMsgTargetEnd,   // the last write, which ends the thread: payloads in the tail of the file
  kSpill,          // registers to scratch memory: r0 or a header, payload, offset in dwords
  kMergeSpill,     // a spill under the mask for which no masked message exists: reads the old data
                   // into def 0 (scratch), moves the payload's active lanes over it, stores all
                   // lanes
  kFill,           // scratch memory to registers: def; r0 or a header, offset
  kFence,          // memory fence; def 0 scratch register, use r0; side: LirMessage
  kBarrier,        // workgroup barrier; def 0 scratch register, use r0
  kDiscardJump,    // the lanes that the predicate selects (without one: all) end here (HALT;
                   // emission finds its branch targets); aux 1, without predicate: the lanes of
                   // quads in which all lanes are dead
  kEot,            // ends the thread; use: a copy of r0 in the tail of the file
  kNumLirOps,
};

constexpr uint16_t Op(isa::Opcode op) { return static_cast<uint16_t>(op); }
constexpr bool IsEuOp(uint16_t op) { return op < kFirstPseudo; }
constexpr bool IsLaneOp(uint16_t op) { return op >= kBallot && op <= kLaneScan; }
constexpr bool IsSamplerList(uint16_t op) { return op == kSampler || op == kQuadSampler; }
constexpr bool IsTargetWrite(uint16_t op) { return op >= kMsgTarget && op <= kMsgTargetEnd; }
constexpr bool IsMessage(uint16_t op) { return op >= kSend && op <= kMsgTargetEnd; }

// Files and pools of the machine, indices into the machine's `files` and `pools`.
enum LirFile : uint8_t { kFileG, kFileU, kFileF };
enum LirPool : uint8_t { kPoolGrf, kPoolFlag };

// Returns true for an operand that is a flag of the function's.
inline bool IsFlag(const lir::Function& f, const lir::Operand& o) {
  return IsValue(o) && f.value(o.value()).file == kFileF;
}

// The first flag granule of the mask of dead lanes, f1.0; reserved in programs that kill.
inline constexpr uint32_t kDeadMask = 2;
inline constexpr uint8_t kDeadMaskClass = 1, kTargetClass = 2;  // OpInfo::memory_class

// Operand::id of fixed registers.
enum LirFixed : uint32_t { kFixedNull };

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_LIR_OPS_H_
