// The log as a file that never grows beyond a bound.
//
// A daemon runs for weeks, and a file to which its standard error is redirected only grows. So the
// file is opened here, takes the place of standard error, and where a line would make it larger
// than its bound it becomes FILE.1, in whose place the one before is gone, and FILE is a new one.
// All in the process that writes: there is no reader of a pipe who could die or stand still. Also
// counted is what others (a library that aborts) write to the descriptor, when the next line comes.
//
// Who takes the file's name away (rm, logrotate) finds the next line in a new file of that name.
// Nothing that is put there takes from the bound: only what is open here is renamed, links are not
// followed, and where renaming or opening fails the file that is open is emptied instead. Of two
// daemons with the same FILE each keeps the bound, but they take each other's lines away. The log
// has keys of results, which are worth what the results are (server/README.md): what is there
// already is written to only if it is this user's and has no other name.
//
// Costs three system calls a line, of which there are few (log.h).
#ifndef KILN_SERVER_LOG_LOG_FILE_H_
#define KILN_SERVER_LOG_LOG_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace kiln::log {

class LogFile {
 public:
  // Opens the file, which stays as it is, or makes it (0600), in the place of the descriptor `fd`.
  // InvalidArgument: it is a link, no regular file, another user's, or has a second name; others:
  // it cannot be opened.
  static absl::StatusOr<LogFile> Open(std::string path, uint64_t bytes, int fd);

  // Why what the file has at its bound will be thrown away, not kept as FILE.1; empty: it is kept.
  std::string WhyNotKept() const;

  // Before a line of so many bytes, which the bound may be too small for: then it stands alone.
  void MakeRoom(size_t line);

 private:
  LogFile(std::string path, uint64_t bytes, int fd)
      : path_(std::move(path)), bytes_(bytes), fd_(fd) {}
  std::string OldPath() const { return path_ + ".1"; }
  bool HasRoom(size_t line) const;
  // What is open is what `path_` names.
  bool IsNamed() const;
  // Opens `path_` in the place of `fd_`.
  absl::Status OpenNamed() const;

  std::string path_;
  uint64_t bytes_;
  int fd_;
};

}  // namespace kiln::log

#endif  // KILN_SERVER_LOG_LOG_FILE_H_
