// Paths as text: joined, normalised without looking at the file system; and files read with a
// bound.
#ifndef KILN_CLIENT_CLI_PATHS_H_
#define KILN_CLIENT_CLI_PATHS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kiln::client {

inline bool IsAbsolute(absl::string_view path) { return !path.empty() && path[0] == '/'; }
// "" for a name without a folder.
std::string FolderOf(absl::string_view path);
// The last component.
std::string NameOf(absl::string_view path);
// `path` seen from `folder`; absolute paths stay.
std::string JoinPath(absl::string_view folder, absl::string_view path);
// Without "." and "x/..", with "/" once between components.
std::string NormalPath(absl::string_view path);
// `path` relative to `root` where it lies below, else as it is. Both are normalised.
std::string RelativeTo(absl::string_view root, absl::string_view path);
// A relative path that cannot leave the folder it is joined to.
std::string ConfinedPath(absl::string_view path);

// Valid UTF-8, as text in protobuf messages must be: what is none becomes U+FFFD. Old shaders have
// Latin-1 in comments; elsewhere GLSL is ASCII, so that nothing becomes valid by this.
std::string ValidUtf8(absl::string_view text);

// Why `what` (a file, "standard output") cannot be written, from errno; PermissionDenied whatever
// it is, since the remedy is always the user's.
absl::Status WriteError(absl::string_view what, int error);
// A WriteError because the other end of the pipe is closed.
bool NobodyReads(const absl::Status& status);
// A file cannot be written because of its name or of what is in its place; others can.
bool IsOfThisName(const absl::Status& status);

// Writes all of it, also where the descriptor is one that does not wait. `what` is for the error;
// `written`, if not null: how many bytes it were.
absl::Status WriteAll(int fd, absl::string_view what, absl::string_view contents,
                      size_t* written = nullptr);

// "-" is standard input. Errors name the path and say what is wrong: NotFound, PermissionDenied,
// InvalidArgument (a folder), ResourceExhausted (larger than `most` bytes), FailedPrecondition.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path, uint64_t most);

// The same of a regular file only. What is none (a FIFO would be waited for, a device may be read
// for ever) is InvalidArgument.
absl::StatusOr<std::string> ReadRegularFile(const std::string& path, uint64_t most);
// No more than its first bytes.
absl::StatusOr<std::string> ReadRegularFileStart(const std::string& path, size_t bytes);

// Where a folder ("": the working one) is, through links, absolute. NotFound and the like; also
// where the system does not say (no /proc).
absl::StatusOr<std::string> RealFolder(const std::string& folder);

// RealFolder of a name that a user or a build script gave. OutOfRange: the name is one below the
// working directory (relative, without ..), and links lead out of it: somebody else may have put
// them there.
absl::StatusOr<std::string> NamedFolder(const std::string& folder);

// ReadRegularFile of what lies below one of the folders, which RealFolder has given, wherever links
// lead. What is opened is judged, and what was judged is read: nobody gains by exchanging a name in
// between. OutOfRange: it lies elsewhere, or nobody knows where; says where. A hard link is a file
// of the folder it is in.
absl::StatusOr<std::string> ReadRegularFileBelow(const std::vector<std::string>& folders,
                                                 const std::string& path, uint64_t most);

// Writes so that the file is there whole or not at all; makes missing folders. What is there and no
// file (a FIFO, a device, a link) is written to, not replaced. Errors name the path.
absl::Status WriteWholeFile(const std::string& path, absl::string_view contents);

// The same for `path`, which ConfinedPath has made, below `folder`, where others may have put
// things: links on the way are errors, and what is at its end is replaced, a link or FIFO, too.
absl::Status WriteWholeFileBelow(const std::string& folder, const std::string& path,
                                 absl::string_view contents);

}  // namespace kiln::client

#endif  // KILN_CLIENT_CLI_PATHS_H_
