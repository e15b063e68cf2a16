// The log as a file that never grows beyond a bound.
//
// A daemon runs for weeks, and a file to which its standard error is redirected only grows. So the
// file is opened here and put in the stead of standard error. When a line would make it larger than
// its bound it is renamed to FILE.1, which replaces the one before, and a new FILE is opened. All
// this happens in the process that writes, so no reader of a pipe can die or stall. Bytes that
// other code (a library that aborts) writes to the descriptor are counted when the next line comes.
//
// If the file is renamed or removed from outside (rm, logrotate), the next line goes to a new file
// of that name. A file put there from outside does not weaken the bound: only the file that is open
// here is renamed, links are not followed, and if renaming or opening fails the open file is
// emptied instead. If two daemons use the same FILE each keeps the bound, but they lose each
// other's lines. The log has keys of results, which are worth what the results are
// (server/README.md), so an existing file is written to only if it belongs to this user and has no
// second name.
//
// Costs three system calls a line; there are few lines (log.h).
#ifndef KILN_SERVER_LOG_LOG_FILE_H_
#define KILN_SERVER_LOG_LOG_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace kiln::log {

class LogFile {
 public:
  // Opens the file, keeping its contents, or makes it (0600), and puts it in the stead of the
  // descriptor `fd`. InvalidArgument: it is a link, no regular file, another user's, or has a
  // second name; other errors: it cannot be opened.
  static absl::StatusOr<LogFile> Open(std::string path, uint64_t bytes, int fd);

  // Says why the lines at the bound will be lost, not kept as FILE.1; empty: they are kept.
  std::string WhyNotKept() const;

  // To be called before a line of `line` bytes. If the bound is smaller than that, the line is the
  // only one in its file.
  void MakeRoom(size_t line);

 private:
  LogFile(std::string path, uint64_t bytes, int fd)
      : path_(std::move(path)), bytes_(bytes), fd_(fd) {}
  std::string OldPath() const { return path_ + ".1"; }
  bool HasRoom(size_t line) const;
  // Returns true if `path_` names the open file.
  bool IsNamed() const;
  // Opens `path_` and puts it in the stead of `fd_`.
  absl::Status OpenNamed() const;

  std::string path_;
  uint64_t bytes_;
  int fd_;
};

}  // namespace kiln::log

#endif  // KILN_SERVER_LOG_LOG_FILE_H_
