// Compiles one file, whatever comes of it: the common part of `kiln compile` (of a pair, too) and
// `kiln batch`.
#ifndef KILN_CLIENT_COMPILE_COMPILE_FILE_H_
#define KILN_CLIENT_COMPILE_COMPILE_FILE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/batch/batch_items.h"
#include "client/request/request_options.h"
#include "client/service/service.h"
#include "client/source/include_scanner.h"
#include "proto/compile.pb.h"

namespace kiln::client {

struct FileOutcome {
  // One for each target. What is wrong with the file itself, and calls that fail because of it, are
  // results too: invalid, or timeout and crashed for calls that end so.
  std::vector<kiln::v1alpha::TargetResult> results;
  // Set where the file could not even become a request; `results` say so too.
  absl::Status file_error;
};

// A file as a request.
struct LoadedFile {
  std::string name;  // in messages
  kiln::v1alpha::CompileRequest request;
  std::vector<MissingInclude> missing;
  absl::Status error;  // LoadSource's; then there is no source in the request
};

LoadedFile LoadFile(const CompileSettings& settings, const std::string& path,
                    const std::string& name);

// Of one that has no error. An error as of CompileFile.
absl::StatusOr<FileOutcome> CompileLoaded(Service* service,
                                          const kiln::v1alpha::Capabilities& capabilities,
                                          const CompileSettings& settings, const LoadedFile& file);

// The settings of an item: the command line's, with what the item's manifest line says instead.
CompileSettings SettingsOf(const CompileSettings& common, const ItemOptions* item);

// An error is not about this file: the service is gone or was stopped.
absl::StatusOr<FileOutcome> CompileFile(Service* service,
                                        const kiln::v1alpha::Capabilities& capabilities,
                                        const CompileSettings& settings, const std::string& path,
                                        const std::string& name);

}  // namespace kiln::client

#endif  // KILN_CLIENT_COMPILE_COMPILE_FILE_H_
