// A vertex and a fragment shader, compiled as a pair of one pipeline.
//
// The fragment shader comes first: its launch record says what is left to read, behind all passes,
// and goes into the vertex shader's request as PipelineState.next_stage_reads. So it is part of the
// key, and a daemon has nothing to learn. It is done target by target.
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

struct PairOutcome {
  // Of the files, as given. One of which nothing could be asked, because the other failed, has no
  // result for that target.
  std::array<FileOutcome, 2> files;
  // What the user should know beside them, each a sentence that names its file.
  std::vector<std::string> warnings;
};

// Two entry points of "NAME", or "VERTEX,FRAGMENT"; empty: none is named.
absl::StatusOr<std::array<std::string, 2>> EntriesOfPair(const std::string& names);

// The files in any order; which one is the vertex shader, name or module says, and where both have
// both stages it is the first one. Of the options, the widths and the fragment state are the
// fragment shader's, all others are both's. Results ask for launch records whatever
// settings.request says. Errors: as of CompileFile, and InvalidArgument: no such pair, options that
// a pair cannot have, a file that cannot be read. Warnings: what is read and never written. A type
// that does not fit is a result of the fragment shader: INVALID, interface_mismatch.
absl::StatusOr<PairOutcome> CompilePair(Service* service,
                                        const kiln::v1alpha::Capabilities& capabilities,
                                        const CompileSettings& settings,
                                        const std::array<std::string, 2>& files);

}  // namespace kiln::client

#endif  // KILN_CLIENT_COMPILE_COMPILE_PAIR_H_
