// Resolves the #include lines of a source of GLSL or HLSL, so that the daemon needs no files.
//
// The scanner reads text before preprocessing: it knows comments and joined lines, but not which
// branch of an #if is taken or what a macro stands for. It therefore finds a superset: a missing
// file is no error here (the include may be in a branch that is never taken) but is remembered, to
// be named when the translation fails. #include MACRO cannot be resolved.
//
// "x" is looked for beside the file that includes it, then in the -I folders in order; <x> only in
// those; in HLSL "a\b" is "a/b". Every file is read once, so cycles end; files are named by the
// path through which they were found, relative to the caller's path, so that requests are the same
// on every machine. If all includers mean the same file by a spelling, it is sent once, else for
// each of them; the limits apply to the sent texts. A file that spells "x" and <x> and means two
// files is an error: the request cannot express that. If only one of the two is found, it is sent
// for both, since the other may be in a branch that is never taken.
#ifndef KILN_CLIENT_SOURCE_INCLUDE_SCANNER_H_
#define KILN_CLIENT_SOURCE_INCLUDE_SCANNER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

struct IncludeLine {
  std::string spelled;  // between the delimiters
  bool angle = false;
  int line = 0;  // from 1
  bool operator==(const IncludeLine&) const = default;
};

// The #include lines outside of comments, in order.
std::vector<IncludeLine> FindIncludes(absl::string_view text);

// An include without a file.
struct MissingInclude {
  std::string includer;
  IncludeLine line;
};

struct IncludeLimits {
  size_t files = 1024;
  uint64_t bytes = uint64_t{4} << 20;
};

// Reads a whole file of at most the given size. NotFound: there is none.
using ReadFile = std::function<absl::StatusOr<std::string>(const std::string& path, uint64_t most)>;

// Folders in which includes are looked for. Files below `root` are named relative to it, others by
// their path: requests for a tree of shaders are then the same wherever the tree lies.
struct IncludeFolders {
  std::vector<std::string> folders;
  std::string root;
};

// Returns the name that an include found at `path` has in a request.
std::string NameOfInclude(const std::string& path, const std::string& root);

// Adds to `glsl` (whose text and name are set) the includes of its text, found beside `path` and in
// the folders. Appends unresolved ones to `missing`. ResourceExhausted: over a limit;
// InvalidArgument: ambiguous; others: an existing file cannot be read.
absl::Status ResolveIncludes(const std::string& path, const IncludeFolders& folders,
                             const IncludeLimits& limits, const ReadFile& read,
                             kiln::v1::GlslSource* glsl, std::vector<MissingInclude>* missing);

}  // namespace kiln::client

#endif  // KILN_CLIENT_SOURCE_INCLUDE_SCANNER_H_
