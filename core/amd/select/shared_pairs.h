// Which accesses to shared memory share an instruction: ds_read2, ds_write2 and their kin access
// two places of four or eight bytes at once.
//
// Problem: combine_memory makes one access of neighbouring elements; those that are some way apart,
// such as the columns of a matrix, remain.
// Invariants: two loads or two stores of one size with one base, in one list of instructions, whose
// distance the offsets can say. The second load is made where the first one is, the first store
// where the second one is; no access between them that may overlap what moves, no barrier, nothing
// volatile. Each access is in one pair at most.
// Algorithm: one walk over each list with the accesses that still have no partner (at most
// kMaxOpen, none from more than kMaxSpan instructions before, which bounds live ranges).
#ifndef KILN_CORE_AMD_SELECT_SHARED_PAIRS_H_
#define KILN_CORE_AMD_SELECT_SHARED_PAIRS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/mir/mir.h"

namespace kiln::amd {

// The offsets of an LDS instruction that accesses two places (ds_read2 and its kin), in elements or
// 64 of them, and the bytes to be added to its address register.
struct TwoOffsets {
  uint32_t added = 0;
  uint8_t first = 0, second = 0;
  bool stride64 = false;
};
// Returns those of elements of `unit` bytes at offsets a and b, if they are near enough.
std::optional<TwoOffsets> TwoOffsetsOf(uint32_t a, uint32_t b, uint32_t unit);

// Returns the partner of each instruction, by its id; invalid: it has none.
std::vector<mir::InstId> FindSharedPairs(const mir::Module& m);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_SHARED_PAIRS_H_
