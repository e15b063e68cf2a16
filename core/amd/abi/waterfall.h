// Recognises waterfall loops: loops that serve lanes by the value of an index, one value at a time.
//
//   loop {
//     first = read_first(index)
//     if first == index { ...; break results }
//     continue
//   }
//
// A lane leaves such a loop when the first active lane's index is its own, so what it computes
// there does not depend on which other lanes are active. LowerNonuniform (core/mid/lower) makes
// them of descriptors that are chosen by value, and shaders have them written out.
#ifndef KILN_CORE_AMD_ABI_WATERFALL_H_
#define KILN_CORE_AMD_ABI_WATERFALL_H_

#include "core/base/bitset.h"
#include "core/mir/mir.h"

namespace kiln::amd {

// Returns, by number of instruction, each read_first whose result is the lane's own source wherever
// it counts: it is read by comparisons for equality with that source, on which alone the lane
// leaves the loop, and behind these. Loops that carry values, have effects before the comparison,
// or instructions between it and the next iteration are not recognised. Linear.
BitSet WaterfallReads(const mir::Module& module);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_ABI_WATERFALL_H_
