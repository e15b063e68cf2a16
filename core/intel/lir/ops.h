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
  kMovG,                    // made by register allocation: aux units of a per-lane place
  kMovU,                    // the same for a uniform place
  kXorG,                    // a ^= b of raw registers, for swaps; operands as kMovG: def, use, use
  kXorU,
  kLaneIds,        // 16-bit lane numbers 0, 1, ... of the dispatch width
  kMul32,          // def 0 = low 32 bits of use 0 * use 1; def 1 is scratch
  kMulHigh,        // high 32 bits of use 0 * use 1; sign from the types; uses acc0
  kF2f16,          // half bits in the low 16 of a dword, rest 0
  kPack,           // elements of the uses' parts, the first lowest: two words or four
                   // bytes make a dword, two dwords a qword; F in a word: rounded to half
  kHeader,         // header of a block read: dword 2 = use 0, the others do not matter
  kSameAddress,    // the same 64-bit address in 8 lanes: use 0 low, 1 high
  kInterleave,     // per 8 lanes, the registers of use 0 and then those of use 1: two
                   // dwords or two qwords a lane
  kScratchHeader,  // message header for per-thread scratch memory, from r0 = use 0;
                   // use 1: place in dwords of a block; without: for private arrays, which lie
                   // behind the spilled values
  kSamplerHeader,  // sampler header from r0 = use 0: dword 2 = aux, 3 the sampler pointer,
                   // or use 1, the handle of a sampler
  kChosenSamplerHeader,  // the same with use 1 in place of aux; use 2 is the handle
  kJoin,                 // per-lane vector = responses of messages for parts of the lanes, in
                         // order; each has the components one after the other
  kPixelPlaces,    // 16-bit x (aux 0) or y (aux 1) of each lane's pixel; uses: the registers with
                   // the places of subspans, one for each 16 lanes
  kSampleIds,      // 16-bit number of each lane's sample; uses as kPixelPlaces
  kSampleOffsets,  // 16-bit x (aux 0) or y (aux 1) of each lane's sample in its pixel, in 16ths;
                   // uses: the registers with them, one for each 16 lanes
  kPackLanes,    // words or bytes (aux of them) of use 0's lanes, packed from def 0's first byte on
  kSampler,      // sampler message with a parameter list (core/intel/messages); side: LirMessage
  kQuadSampler,  // the same of a message that takes derivatives within quads
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
                    // (subgroup.h). Beside def 0, but for inclusive scans, a scratch
                    // register (G), twice as long for exclusive ones; for products another
  // Which lanes have effects. The mask of those that have none, since they help or were killed, is
  // outside SSA, in kDeadMask of the flags; memory class kDeadMaskClass orders what reads and
  // writes it.
  kDispatched,  // def 0 (F) = lanes that cover something; uses: the registers that say so, one
                // for each 16 lanes
  kStartDead,   // the mask = lanes that cover nothing; uses as kDispatched
  kKill,        // the mask |= lanes for which use 0 compares with use 1 as the condition says
  kLive,        // def 0 (F) = lanes that are not in the mask
  // Messages: uses payload 0 [, payload 1] [, index] [, handle] [, predicate]; side: LirMessage.
  // The opcodes differ in what they do to memory, which is all the shared code wants to know.
  kSend,     // reads nothing that the program writes
  kMsgQuad,  // likewise, and takes derivatives within quads
  kMsgRead,
  kMsgOrderedRead,   // of an atomic, or volatile and of no use if nobody wants it: in order with
                     // others
  kMsgVolatileRead,  // a read that stays where it is, even if nobody uses what it gives
  kMsgWrite,
  kMsgAtomic,
  kMsgUrb,         // outputs of vertices
  kMsgUrbEnd,      // the last one, which ends the thread: payloads in the tail of the file
  kMsgTarget,      // to a render target; they keep their order
  kMsgTargetLast,  // to the last one, for the first lanes of a thread whose other lanes follow: a
                   // barrier, after which the program writes no memory
  kMsgTargetEnd,   // the last one, which ends the thread: payloads in the tail of the file
  kSpill,          // registers to scratch memory: r0 or a header, payload, place in dwords
  kMergeSpill,     // the same under the mask where no message has it: what is there is read
                   // into def 0 (scratch), payload lanes moved over it, all stored
  kFill,           // and back: def; r0 or a header, place
  kFence,          // memory fence; def 0 scratch register, use r0; side: LirMessage
  kBarrier,        // workgroup barrier; def 0 scratch register, use r0
  kDiscardJump,    // the lanes that the predicate picks (none: all) end here (HALT, whose targets
                   // emission finds); aux 1, without predicate: those of quads that are dead as a
                   // whole
  kEot,            // ends the thread; use: a copy of r0 in the tail of the file
  kNumLirOps,
};

constexpr uint16_t Op(isa::Opcode op) { return static_cast<uint16_t>(op); }
constexpr bool IsEuOp(uint16_t op) { return op < kFirstPseudo; }
constexpr bool IsLaneOp(uint16_t op) { return op >= kBallot && op <= kLaneScan; }
constexpr bool IsSamplerList(uint16_t op) { return op == kSampler || op == kQuadSampler; }
constexpr bool IsTargetWrite(uint16_t op) { return op >= kMsgTarget && op <= kMsgTargetEnd; }
constexpr bool IsMessage(uint16_t op) { return op >= kSend && op <= kMsgTargetEnd; }

// Files and pools of the target, indices into Target::files and Target::pools.
enum LirFile : uint8_t { kFileG, kFileU, kFileF };
enum LirPool : uint8_t { kPoolGrf, kPoolFlag };

// The flags that hold the mask of dead lanes: from f1.0 on, reserved in programs that kill.
inline constexpr uint32_t kDeadMask = 2;
inline constexpr uint8_t kDeadMaskClass = 1, kTargetClass = 2;  // OpInfo::memory_class

// Operand::id of fixed registers.
enum LirFixed : uint32_t { kFixedNull };

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_LIR_OPS_H_
