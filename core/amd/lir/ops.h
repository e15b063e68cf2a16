// The operations of gfx1030's LIR: the instructions themselves (same numbers as isa::Opcode),
// followed by the pseudo operations of ops.def, which core/amd/emit writes out.
//
// Operands of an instruction, by position:
//
//   definitions  dst, where it is written; then the lane mask that the opcode writes besides it
//                (carry out, v_div_scale), file M; then SCC, file SCC, if the result in it is used
//   uses 0 to 2  src[0..2] of isa::Instruction, absent ones kNone. A carry or the mask of
//                v_cndmask is src 2, also where short forms take it from vcc
//   use 3        the data of stores and atomics; the old value of a destination that is also read
//                (v_fmac, s_cmovk): tied to definition 0
//   uses 4, ...  of images with addresses that do not lie in a row: the address from its second
//                part on. Use 0 is the first part
//   last use     SCC of opcodes that read it
//
// Trailing kNone operands may be left out. Operations that write SCC clobber it whether or not
// they define it.
//
// Registers: a value in V has a dword for each lane and component, smaller ones in its low part; in
// S, a dword; in M, a bit for each lane. Kinds kFixed are codes of isa::Operand (m0, exec).
#ifndef KILN_CORE_AMD_LIR_OPS_H_
#define KILN_CORE_AMD_LIR_OPS_H_

#include <cstdint>

#include "core/amd/isa/instruction.h"
#include "core/amd/isa/opcodes.h"
#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::amd {

enum LirOp : uint16_t {
  kLastIsaOp = isa::kOpcodeCount - 1,
#define KILN_AMD_OP(op, text, flags, clobbers, tied, memory_class, timing) op,
#include "core/amd/lir/ops.def"
#undef KILN_AMD_OP
  kNumLirOps,
  kFirstPseudo = kLastIsaOp + 1,
};

constexpr uint16_t Op(isa::Opcode op) { return static_cast<uint16_t>(op); }
constexpr bool IsIsaOp(uint16_t op) { return op < kFirstPseudo; }
constexpr isa::Opcode OpcodeOf(uint16_t op) { return static_cast<isa::Opcode>(op); }

// Files and pools of the machine, indices into its `files` and `pools`.
//   V    a dword for each lane; writes obey exec
//   S    scalars
//   M    masks of lanes, in scalar registers
//   SCC  the scalar condition
//   W    whole-wave values in vector registers: all lanes are meaningful
enum LirFile : uint8_t { kFileV, kFileS, kFileM, kFileScc, kFileW };
enum LirPool : uint8_t { kPoolVgpr, kPoolSgpr, kPoolScc };

// Classes of memory that never alias (lir::OpInfo::memory_class).
enum MemoryClassOf : uint8_t { kBufferClass, kLdsClass, kScratchClass, kSampledClass };

// Units of the pool of scalar registers: vcc first, so that the allocator, which prefers low
// units, gives it to values that short forms take from there; two units that are no register, so
// that tuples of four are aligned; then s0 to s105.
inline constexpr uint32_t kFirstSgprUnit = 4;
inline constexpr uint32_t kSgprUnits = kFirstSgprUnit + isa::kSgprCount;
inline constexpr uint32_t kVgprUnits = isa::kVgprCount;
constexpr uint32_t UnitOfSgpr(uint32_t sgpr) { return kFirstSgprUnit + sgpr; }
constexpr int SgprOfUnit(uint32_t unit) {
  return unit < kFirstSgprUnit ? static_cast<int>(isa::kVccLo + unit)
                               : static_cast<int>(unit - kFirstSgprUnit);
}
// The units that are no register, reserved in every function.
inline constexpr lir::Reserved kNoSgprs = {kPoolSgpr, 2, 2};

// Scalar registers that no value has: two for sequences of instructions (exchanges, flips of exec),
// and below them masks of lanes that wait, in slots by nesting depth.
inline constexpr uint32_t kTemporarySgpr = isa::kSgprCount - 2;

inline uint32_t MaskUnits(const lir::Function& f) { return f.dispatch_width == 64 ? 2 : 1; }

// The places of slots: each has a scalar register as wide as a mask, the outermost the highest. If
// the slots are more than kMaxSlotSgprs holds, the outermost, which are read and written least
// often, are dwords in lanes of vector registers, and the highest scalar register is for work on
// them.
inline constexpr uint32_t kMaxSlotSgprs = 64;
class SlotPlaces {
 public:
  SlotPlaces(uint32_t slots, uint32_t mask_units) : slots_(slots), units_(mask_units) {}
  // Returns the number of slots in lanes: slots 0 and up.
  uint32_t in_lanes() const {
    const uint32_t most = kMaxSlotSgprs / units_;
    return slots_ > most ? slots_ - (most - 1) : 0;
  }
  uint32_t sgprs() const { return (in_lanes() != 0 ? slots_ - in_lanes() + 1 : slots_) * units_; }
  // Returns the register of a slot that is not in lanes, or the one for work on those.
  uint32_t Sgpr(uint32_t slot) const {
    const uint32_t place = in_lanes() != 0 ? slot + 1 - in_lanes() : slot;
    return kTemporarySgpr - (place + 1) * units_;
  }
  uint32_t WorkSgpr() const { return kTemporarySgpr - units_; }

 private:
  uint32_t slots_, units_;
};
// Reserves the units that are no register, the temporary pair, and room for `slots` slots: scalar
// registers, and vector registers behind the function's live-ins.
void Reserve(lir::Function& f, uint32_t slots);

// The lanes that are no helpers, in fragment programs that note them: a mask in the registers in
// which the base of scratch memory arrived, which the start of a program alone reads.
inline constexpr uint32_t kLiveLanesSgpr = 0;
inline lir::Reserved ReservedLiveLanes(const lir::Function& f) {
  return {kPoolSgpr, UnitOfSgpr(kLiveLanesSgpr), MaskUnits(f)};
}

// Position of the data or old value among the uses.
inline constexpr int kDataUse = 3;

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_LIR_OPS_H_
