// The passes of the back end `null`: one.
#ifndef KILN_TESTS_NULL_PASSES_H_
#define KILN_TESTS_NULL_PASSES_H_

#include <vector>

#include "absl/types/span.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"
#include "tests/null/code.h"

namespace kiln::null {

// A program on its way.
struct Work {
  std::vector<Op> program;
};

// Selects an instruction for each of the module's, and a mark if it has a storage buffer.
Work Select(const mir::Module& module);

absl::Span<const Pass<Work>> Passes();
const Level<Work>& WorkLevel();

}  // namespace kiln::null

#endif  // KILN_TESTS_NULL_PASSES_H_
