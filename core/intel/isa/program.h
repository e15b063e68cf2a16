// A machine program under construction: instructions with branch targets as instruction indices.
//
// The back end emits into it in final order, the software-scoreboard pass inserts sync instructions
// and sets the SWSB byte, compaction marks the instructions that take 8 bytes, and Finalise turns
// target indices into byte distances and the whole into bytes. Invariants: targets.size() ==
// insts.size(); a target index is in [0, insts.size()] (size() = just past the end) or kNoTarget;
// the jip and uip of the instructions themselves are meaningless until PlaceInstructions has set
// them.
//
// Instructions follow each other without gaps, each on a multiple of 8 bytes, including branch
// targets and full instructions. Mesa 25.0.7 lays programs out this way since Gen5
// (brw_eu_compact.c), and so does IGC, whose assembler keeps full instructions within lines of 64
// bytes on Xe3P alone (compactRestrict of visa/BinaryEncodingIGA.cpp).
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

// The targets of a branch, as indices into Program::insts.
struct BranchTargets {
  int32_t jip = kNoTarget;
  int32_t uip = kNoTarget;
  friend bool operator==(const BranchTargets&, const BranchTargets&) = default;
};

// The registers that indirect operands of one instruction may touch.
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

  // Appends the instruction and returns its index. Branches may get their targets later through
  // `targets`.
  int32_t Append(const Instruction& inst, BranchTargets target = {}) {
    insts.push_back(inst);
    targets.push_back(target);
    return static_cast<int32_t>(insts.size()) - 1;
  }

  // Returns the index that the next Append will return, for labels.
  int32_t Next() const { return static_cast<int32_t>(insts.size()); }
};

// Instructions to insert before instruction `before`, in the order given.
struct Insertion {
  int32_t before = 0;
  Instruction inst;
};

// Returns the range noted for instruction `inst`, or null.
const RegisterRange* FindIndirectRange(const Program& program, int32_t inst);

// Returns the footprints of all instructions, with the ranges noted.
std::vector<Footprint> FootprintsOf(const Program& program);

// Inserts instructions and keeps targets and notes right: a branch to `before` then goes to the
// first of its insertions. `insertions` is sorted by `before`. Cost: linear.
void Insert(Program& program, absl::Span<const Insertion> insertions);

// Returns the 8 bytes of an instruction, whether it is marked or not; absent if it has no compacted
// form. An instruction that cannot be encoded at all is the encoder's error. Branches have no
// compacted form, so their distances need not be known.
absl::StatusOr<std::optional<std::array<uint8_t, 8>>> EncodeCompacted(Generation gen,
                                                                      const Instruction& inst);

// Gives each instruction its offset, by the forms that are marked, and writes byte distances into
// jip/uip: ready to encode. A branch without a target that its opcode needs is an InvalidArgument
// error. A generation whose codes are not filled (columns.h) is an Unimplemented error, here and
// below.
absl::StatusOr<std::vector<PlacedInstruction>> PlaceInstructions(const Program& program);

// Places and encodes the program, and returns its bytes. An instruction that is marked as compacted
// but has no such form is an InvalidArgument error.
absl::StatusOr<std::vector<uint8_t>> Finalise(const Program& program);

// The reverse, for programs of any compiler: byte distances become indices, and no instruction is
// marked as compacted. A branch target that is not an instruction's start is an InvalidArgument
// error.
absl::StatusOr<Program> ToProgram(Generation gen, absl::Span<const PlacedInstruction> program);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_PROGRAM_H_
