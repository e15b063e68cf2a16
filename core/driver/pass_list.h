// All passes that a compile may run, whatever its target; internal to this folder.
#ifndef KILN_CORE_DRIVER_PASS_LIST_H_
#define KILN_CORE_DRIVER_PASS_LIST_H_

#include <vector>

#include "absl/status/status.h"
#include "core/base/pass.h"

namespace kiln {

// Rows of Prepare, the lowerings, then each back end's; a row shared by two back ends appears once.
std::vector<PassRow> AllRows();

// Returns what CheckOptions says of the options among all rows, which options that name no pass
// need not be listed for.
absl::Status CheckNames(const PassOptions& options);

}  // namespace kiln

#endif  // KILN_CORE_DRIVER_PASS_LIST_H_
