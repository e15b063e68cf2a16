// Clauses: runs of memory instructions that s_clause announces, which a wave issues without another
// one's between them.
//
// s_clause says how many instructions follow, 2 to 63 (simm + 1). They are of one kind, and nothing
// else is between them: no wait, no branch, no other s_clause (RDNA 2 ISA guide, S_CLAUSE; kinds
// as Mesa 25.0.7, aco_form_hard_clauses.cpp, and LLVM 19, SIInsertHardClauses.cpp, have them for
// GFX10).
#ifndef KILN_CORE_AMD_ISA_CLAUSES_H_
#define KILN_CORE_AMD_ISA_CLAUSES_H_

#include <cstdint>

#include "core/amd/isa/instruction.h"

namespace kiln::amd::isa {

inline constexpr int kMaxClauseLength = 63;

enum class ClauseKind : uint8_t {
  kNone,  // never in a clause
  kScalar,
  kVectorLoad,   // buffers, images, global memory, scratch; returning atomics among them
  kVectorStore,  // stores, and atomics that return nothing
  kFlat,
  kLds,
};

// Returns the kind that all instructions of a clause share.
ClauseKind ClauseKindOf(const Instruction& inst);

// Returns the number of instructions that an s_clause announces.
inline int ClauseLength(const Instruction& clause) { return (clause.simm & 0x3f) + 1; }

// Returns true if the instruction accesses memory without giving a result.
bool GivesNothing(const Instruction& inst);

// Returns true if two neighbours, both memory instructions with an address, are likely to access
// the same lines, so that a clause of them gains: of one encoding and direction, through the same
// descriptor, or both through addresses (the rule of Mesa 25.0.7, aco_ir.cpp, should_form_clause).
bool AccessNearby(const Instruction& a, const Instruction& b);

}  // namespace kiln::amd::isa

#endif  // KILN_CORE_AMD_ISA_CLAUSES_H_
