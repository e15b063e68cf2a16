// Paths as text: joined and normalised without the file system; and files read with a bound.
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
// Returns the folder; "" for a name without a folder.
std::string FolderOf(absl::string_view path);
// The last component.
std::string NameOf(absl::string_view path);
// Returns `path` seen from `folder`; absolute paths stay.
std::string JoinPath(absl::string_view folder, absl::string_view path);
// Removes "." and "x/..", leaves one "/" between components.
std::string NormalPath(absl::string_view path);
// Returns `path` relative to `root` if it lies below, else unchanged. Both are normalised.
std::string RelativeTo(absl::string_view root, absl::string_view path);
// Returns a relative path that cannot leave the folder it is joined to.
std::string ConfinedPath(absl::string_view path);

// Returns valid UTF-8, as text in protobuf messages must be: other bytes become U+FFFD. Old shaders
// have Latin-1 in comments; elsewhere GLSL is ASCII, so this makes no invalid shader valid.
std::string ValidUtf8(absl::string_view text);

// Returns why `what` (a file, "standard output") cannot be written, from errno; always
// PermissionDenied, since the remedy is always the user's.
absl::Status WriteError(absl::string_view what, int error);
// Returns true for a WriteError because the other end of the pipe is closed.
bool ReaderIsGone(const absl::Status& status);
// Returns true if a file cannot be written because of its name or an existing file; others can.
bool IsOfThisName(const absl::Status& status);

// Writes all of it, also to a non-blocking descriptor. `what` is for the error; `written`, if not
// null, gets the number of bytes written.
absl::Status WriteAll(int fd, absl::string_view what, absl::string_view contents,
                      size_t* written = nullptr);

// "-" is standard input. Errors name the path and the reason: NotFound, PermissionDenied,
// InvalidArgument (a folder), ResourceExhausted (larger than `most` bytes), FailedPrecondition.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path, uint64_t most);

// Does the same for a regular file only. Any other (a FIFO would block, reading a device may never
// end) is InvalidArgument.
absl::StatusOr<std::string> ReadRegularFile(const std::string& path, uint64_t most);
// Returns at most its first `bytes` bytes.
absl::StatusOr<std::string> ReadRegularFileStart(const std::string& path, size_t bytes);

// Returns the absolute path of a folder ("": the working one) after resolving links. NotFound and
// the like; also an error if the system does not report it (no /proc).
absl::StatusOr<std::string> RealFolder(const std::string& folder);

// RealFolder for a name that a user or a build script gave. OutOfRange: the name is one below the
// working directory (relative, without ..), and links, perhaps another user's, lead out of it.
absl::StatusOr<std::string> NamedFolder(const std::string& folder);

// ReadRegularFile for a file that lies, after resolving links, below one of the folders, which are
// RealFolder's results. Judges the opened file and reads that same file, so replacing the name in
// between has no effect. OutOfRange: it lies elsewhere, which the message names, or its path is
// unknown. A hard link is a file of the folder it is in.
absl::StatusOr<std::string> ReadRegularFileBelow(const std::vector<std::string>& folders,
                                                 const std::string& path, uint64_t most);

// Writes atomically: the file appears complete or not at all; makes missing folders. An existing
// FIFO, device or link is written to, not replaced. Errors name the path.
absl::Status WriteWholeFile(const std::string& path, absl::string_view contents);

// Does the same for `path`, a result of ConfinedPath, below `folder`, where other users may have
// put files: links on the way are errors, and the file at its end is replaced, even a link or FIFO.
absl::Status WriteWholeFileBelow(const std::string& folder, const std::string& path,
                                 absl::string_view contents);

}  // namespace kiln::client

#endif  // KILN_CLIENT_CLI_PATHS_H_
