// A vertex and a fragment shader, compiled as a pair of one pipeline.
//
// The fragment shader comes first: its launch record lists the inputs that it still reads after all
// passes, which go into the vertex shader's request as PipelineState.next_stage_reads. So they are
// part of the key, and a daemon needs no support for pairs. Each target is compiled separately.
#ifndef KILN_CLIENT_COMPILE_COMPILE_PAIR_H_
#define KILN_CLIENT_COMPILE_COMPILE_PAIR_H_

#include <array>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/compile/compile_file.h"
#include "client/request/request_options.h"
#include "client/service/service.h"

namespace kiln::client {

// One file of a pair.
struct PairFile {
  std::string path;    // "-": standard input
  std::string name;    // in results and messages
  std::string stage;   // "vertex" or "fragment"; empty: its name or module says which one it is
  std::string output;  // of its machine code; empty: none is written
};

struct PairOutcome {
  // Outcomes of the files, as given. A file that was not requested for a target because the other
  // failed has no result for it.
  std::array<FileOutcome, 2> files;
  // Warnings for the user, each a sentence that names its file.
  std::vector<std::string> warnings;
};

// Takes the files in any order: name or module says which one is the vertex shader, and if both
// have both stages it is the first one. Widths and fragment state apply to the fragment shader
// only, all other options to both. Requests launch records whatever settings.request says. Errors:
// those of CompileFile, and InvalidArgument: no such pair, options that a pair cannot have, a file
// that cannot be read. Warnings: inputs that are read and never written. A type mismatch is a
// result of the fragment shader: INVALID, interface_mismatch. `vertex_spec`: specialisation
// constants of the vertex shader instead of those of the settings; null: both have the same.
absl::StatusOr<PairOutcome> CompilePair(
    Service* service, const kiln::v1::Capabilities& capabilities, const CompileSettings& settings,
    const std::array<PairFile, 2>& files,
    const std::vector<kiln::v1::SpecConstant>* vertex_spec = nullptr);

// Does the same for an item of a batch, `files` being its vertex and its fragment shader: each has
// a result for each target. InvalidArgument becomes a result of both, and a vertex shader that was
// not requested because the fragment shader failed is INVALID, other_stage_failed.
absl::StatusOr<PairOutcome> CompilePairOfBatch(
    Service* service, const kiln::v1::Capabilities& capabilities, const CompileSettings& settings,
    const std::array<PairFile, 2>& files, const std::vector<kiln::v1::SpecConstant>* vertex_spec);

}  // namespace kiln::client

#endif  // KILN_CLIENT_COMPILE_COMPILE_PAIR_H_
