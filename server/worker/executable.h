// Finds the worker executable, kiln_worker.
#ifndef KILN_SERVER_WORKER_EXECUTABLE_H_
#define KILN_SERVER_WORKER_EXECUTABLE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace kiln::worker {

// Returns `given` if it is not empty; else kiln_worker beside the running executable, in
// ../libexec/kiln or where Bazel builds it. NotFound lists the paths that were tried.
absl::StatusOr<std::string> FindWorkerExecutable(std::string_view given);

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_EXECUTABLE_H_
