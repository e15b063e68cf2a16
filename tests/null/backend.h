// The row of `null`, an empty back end: it shows what the driver and all above it ask of one.
#ifndef KILN_TESTS_NULL_BACKEND_H_
#define KILN_TESTS_NULL_BACKEND_H_

#include "core/target/backend.h"

namespace kiln::null {

// Has no analysis.
extern const Backend kNullBackend;

}  // namespace kiln::null

#endif  // KILN_TESTS_NULL_BACKEND_H_
