// Compiles one file to results, also if it fails: the common part of `kiln compile` (of a pair,
// too) and `kiln batch`.
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
#include "client/source/source.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

struct FileOutcome {
  // One for each target. Errors of the file itself, and calls that fail because of it, are results
  // too: invalid, or timeout and crashed for calls that end so.
  std::vector<kiln::v1::TargetResult> results;
  // Set if the file could not even become a request; `results` say so too.
  absl::Status file_error;
  std::vector<SourceFile> read = {};  // the file and its includes
  // The GLSL text and its includes if a result is not OK: places in them are looked up.
  kiln::v1::GlslSource glsl = {};
};

// A file as a request.
struct LoadedFile {
  std::string name;  // in messages
  kiln::v1::CompileRequest request;
  std::vector<MissingInclude> missing;
  std::vector<SourceFile> read;
  absl::Status error;  // LoadSource's; then there is no source in the request
};

LoadedFile LoadFile(const CompileSettings& settings, const std::string& path,
                    const std::string& name);

// Moves what an outcome tells of its file's source there.
void TakeSource(LoadedFile* file, FileOutcome* outcome);

// Compiles a file without an error. Errors are those of CompileFile.
absl::StatusOr<FileOutcome> CompileLoaded(Service* service,
                                          const kiln::v1::Capabilities& capabilities,
                                          const CompileSettings& settings, const LoadedFile& file);

// Returns the settings of an item: the command line's, replaced by those of the item's manifest
// line.
CompileSettings SettingsOf(const CompileSettings& common, const ItemOptions* item);

// Returns the constants of a pair's vertex shader, with those of the item's permutation; nullopt:
// it has those of the settings.
std::optional<std::vector<kiln::v1::SpecConstant>> VertexSpecOf(const ItemOptions* item);

// An error does not concern this file: the service is gone or was stopped.
absl::StatusOr<FileOutcome> CompileFile(Service* service,
                                        const kiln::v1::Capabilities& capabilities,
                                        const CompileSettings& settings, const std::string& path,
                                        const std::string& name);

}  // namespace kiln::client

#endif  // KILN_CLIENT_COMPILE_COMPILE_FILE_H_
