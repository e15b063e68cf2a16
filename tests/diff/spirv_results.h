// Finds the values of a module that are the components of a SPIR-V instruction's result.
//
// The importer expands an instruction into several, all of which keep its id, component after
// component; inlined functions repeat the expansion. Its results are the values that it computes
// and does not use itself.
#ifndef KILN_TESTS_DIFF_SPIRV_RESULTS_H_
#define KILN_TESTS_DIFF_SPIRV_RESULTS_H_

#include <cstdint>
#include <vector>

#include "core/mir/mir.h"

namespace kiln::diff {

// Returns the instructions with one float result that came from a SPIR-V instruction and whose
// result no other instruction from it with a result uses. Linear in the module.
std::vector<mir::InstId> ResultsOf(const mir::Module& module, uint32_t spirv_id);

}  // namespace kiln::diff

#endif  // KILN_TESTS_DIFF_SPIRV_RESULTS_H_
