// Removes scalar tests of which SCC holds the answer already.
#ifndef KILN_CORE_AMD_EMIT_KNOWN_SCC_H_
#define KILN_CORE_AMD_EMIT_KNOWN_SCC_H_

#include "core/amd/emit/program.h"

namespace kiln::amd {

// Removes s_cmp_lg of a scalar register (or pair) and 0 where SCC says that already: behind the
// instruction that computed the register and set SCC if it is not 0, behind an equal test, and
// behind s_cselect that has made the register of SCC. Allocation restores a saved SCC before each
// reader by such a test. Linear; looks at stretches without branches into them.
void RemoveKnownTests(Program& program);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_EMIT_KNOWN_SCC_H_
