// A machine program under construction: instructions with branch targets as instruction indices.
//
// The back end emits into it in final order, the software-scoreboard pass inserts sync
// instructions and sets the SWSB byte, and Finalise turns target indices into byte distances and
// the whole into bytes. Invariants: targets.size() == insts.size(); a target index is in
// [0, insts.size()] (size() = just past the end) or kNoTarget; the jip and uip of the instructions
// themselves are meaningless until Finalise. Every instruction takes 16 bytes: the encoder does
// not compact.
#ifndef KILN_CORE_INTEL_ISA_PROGRAM_H_
#define KILN_CORE_INTEL_ISA_PROGRAM_H_

#include <cstdint>
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

// Writes byte distances into jip/uip and returns the instructions ready to encode. A branch
// without the target that its opcode needs is an InvalidArgument error; a generation whose codes
// are not filled (columns.h), here and below, an Unimplemented one.
absl::StatusOr<std::vector<Instruction>> ResolveBranches(const Program& program);

// ResolveBranches and Encode each: the bytes of the program.
absl::StatusOr<std::vector<uint8_t>> Finalise(const Program& program);

// The reverse, for programs of any compiler: byte distances become indices. A target that is not
// an instruction's start is an InvalidArgument error.
absl::StatusOr<Program> ToProgram(Generation gen, absl::Span<const PlacedInstruction> program);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_PROGRAM_H_
