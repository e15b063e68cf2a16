// Writes the outputs of a compile: for each variant NAME.TARGET.WIDTH.bin (or with the ending of
// its container, core/out/container.h), .launch.json, .asm.
#ifndef KILN_CLIENT_OUTPUT_OUTPUT_FILES_H_
#define KILN_CLIENT_OUTPUT_OUTPUT_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

// Makes the folder if it is missing. InvalidArgument or PermissionDenied: it cannot be made or
// written to.
absl::Status PrepareOutputFolder(const std::string& folder);

// `name` may contain folders and stays below `folder` whatever it contains; `file` is the source,
// for the launch record. Returns the name of each variant's binary, relative to `folder`.
absl::StatusOr<std::vector<std::string>> WriteOutputs(const std::string& folder,
                                                      const std::string& name,
                                                      const std::string& file,
                                                      const kiln::v1::TargetResult& result,
                                                      bool assembly);

}  // namespace kiln::client

#endif  // KILN_CLIENT_OUTPUT_OUTPUT_FILES_H_
