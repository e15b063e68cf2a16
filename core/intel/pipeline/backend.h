// Gen12's row in the driver's table of targets.
#ifndef KILN_CORE_INTEL_PIPELINE_BACKEND_H_
#define KILN_CORE_INTEL_PIPELINE_BACKEND_H_

#include "core/target/backend.h"

namespace kiln::intel {

extern const Backend kTglBackend;

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_BACKEND_H_
