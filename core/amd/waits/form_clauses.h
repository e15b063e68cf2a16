// Puts s_clause before runs of loads that are likely to access the same lines, so that a wave
// issues them without loads of other waves between them.
//
// In: a program after emission, without clauses and without waits but fences. Runs after the last
// pass that orders instructions, and before insert_waits.h, which puts the waits of all members
// before the clause. A run is one of scalar loads, of loads of vector memory or of flat loads in a
// block, through one descriptor or through addresses (isa/clauses.h, AccessNearby), none of which
// needs the result of another one: 2 to 63 loads. Atomics and LDS are left out. `may_rewrite` is
// asked before each clause, and no is respected. Returns true if there is a clause. Linear.
#ifndef KILN_CORE_AMD_WAITS_FORM_CLAUSES_H_
#define KILN_CORE_AMD_WAITS_FORM_CLAUSES_H_

#include <functional>

#include "core/amd/emit/program.h"

namespace kiln::amd {

bool FormClauses(Program& program, const std::function<bool()>& may_rewrite);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_WAITS_FORM_CLAUSES_H_
