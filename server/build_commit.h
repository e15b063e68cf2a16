// The commit of this build.
#ifndef KILN_SERVER_BUILD_COMMIT_H_
#define KILN_SERVER_BUILD_COMMIT_H_

#include <string_view>

namespace kiln::server {

// Returns the label that the build was given (bazel build --embed_label=COMMIT, as
// deploy/quickstart does); empty if it was given none. Only the label's letters, digits and "._+-"
// are kept, 64 at most.
std::string_view BuildCommit();

}  // namespace kiln::server

#endif  // KILN_SERVER_BUILD_COMMIT_H_
