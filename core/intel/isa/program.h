// A machine program under construction: instructions with branch targets as instruction indices.
//
// The back end emits into it in final order, the software-scoreboard pass inserts sync
// instructions and sets the SWSB byte, compaction marks what takes 8 bytes, and Finalise turns
// target indices into byte distances and the whole into bytes. Invariants: targets.size() ==
// insts.size(); a target index is in [0, insts.size()] (size() = just past the end) or kNoTarget;
// the jip and uip of the instructions themselves are meaningless until placed.
//
// Instructions follow each other without gaps, each on a multiple of 8 bytes, branch targets and
// full ones as well: Mesa 25.0.7 lays programs out so since Gen5 (brw_eu_compact.c), and so does
// IGC, whose assembler keeps full instructions within lines of 64 bytes on Xe3P alone
// (compactRestrict of visa/BinaryEncodingIGA.cpp).
#ifndef KILN_CORE_INTEL_ISA_PROGRAM_H_
#define KILN_CORE_INTEL_ISA_PROGRAM_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/footprint.h"
#include "core/intel/isa/instruction.h"

namespace kiln::intel::isa {

inline constexpr int32_t kNoTarget = -1;

// Where a branch goes, as indices into Program::insts.
struct BranchTargets {
  int32_t jip = kNoTarget;
  int32_t uip = kNoTarget;
  friend bool operator==(const BranchTargets&, const BranchTargets&) = default;
};

// Registers that the indirect operands of one instruction may touch.
struct IndirectRange {
  int32_t inst = 0;
  RegisterRange registers;
};

struct Program {
  explicit Program(Generation of) : generation(of) {}

  Generation generation;
  std::vector<Instruction> insts;
  std::vector<BranchTargets> targets;   // parallel to insts
  std::vector<IndirectRange> indirect;  // ascending by inst; without an entry: any register

  // Appends and returns the index. Branches may get their targets later through `targets`.
  int32_t Append(const Instruction& inst, BranchTargets target = {}) {
    insts.push_back(inst);
    targets.push_back(target);
    return static_cast<int32_t>(insts.size()) - 1;
  }

  // Index that the next Append will return: for labels.
  int32_t Next() const { return static_cast<int32_t>(insts.size()); }
};

// Instructions to put before instruction `before` (in the order given).
struct Insertion {
  int32_t before = 0;
  Instruction inst;
};

// The range noted for instruction `inst`, or null.
const RegisterRange* FindIndirectRange(const Program& program, int32_t inst);

// Footprints of all instructions, with the ranges noted.
std::vector<Footprint> FootprintsOf(const Program& program);

// Inserts, keeping targets and notes right: a branch to `before` now goes to the first of its
// insertions. `insertions` is sorted by `before`. Linear.
void Insert(Program& program, absl::Span<const Insertion> insertions);

// The 8 bytes of an instruction, whether marked or not; absent where it has no compacted form. What
// cannot be encoded at all is the encoder's error. Branches have none, so that their distances
// need not be known.
absl::StatusOr<std::optional<std::array<uint8_t, 8>>> EncodeCompacted(Generation gen,
                                                                      const Instruction& inst);

// Gives each instruction its place, by the forms that are marked, and writes byte distances into
// jip/uip: ready to encode. A branch without the target that its opcode needs is an
// InvalidArgument error; a generation whose codes are not filled (columns.h), here and below, an
// Unimplemented one.
absl::StatusOr<std::vector<PlacedInstruction>> PlaceInstructions(const Program& program);

// PlaceInstructions and the encoding of each: the bytes of the program. An instruction that is
// marked as compacted and has no such form is an InvalidArgument error.
absl::StatusOr<std::vector<uint8_t>> Finalise(const Program& program);

// The reverse, for programs of any compiler: byte distances become indices, and no instruction is
// marked as compacted. A target that is not an instruction's start is an InvalidArgument error.
absl::StatusOr<Program> ToProgram(Generation gen, absl::Span<const PlacedInstruction> program);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_PROGRAM_H_
