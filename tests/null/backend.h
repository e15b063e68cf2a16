// The rows of `null`, an empty back end, and of `bare`, which lacks a compiler too: they show what
// the driver and all above it ask of one.
#ifndef KILN_TESTS_NULL_BACKEND_H_
#define KILN_TESTS_NULL_BACKEND_H_

#include "core/target/backend.h"

namespace kiln::null {

// Has no analysis.
extern const Backend kNullBackend;

// The target `bare`, which has tools for machine code of null and no compiler.
extern const Backend kBareBackend;

}  // namespace kiln::null

#endif  // KILN_TESTS_NULL_BACKEND_H_
