// Opens files and directories that belong to this process's user, without following links.
//
// Problem: a name in a directory that other users could write to, now or once, may be a link to
// another file, a FIFO that blocks, a second name of a file elsewhere, or a file that another user
// keeps open for writing. So a name is opened below a descriptor of its directory, its last
// component is not followed, and the checks look at what was opened, not at the name, whose file
// may have changed before or after.
//
// Thread-safe.
#ifndef KILN_SERVER_FILES_OWN_H_
#define KILN_SERVER_FILES_OWN_H_

#include <sys/stat.h>

#include <string>
#include <utility>
#include <vector>

namespace kiln::files {

// Owns a descriptor; closes it when destroyed.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { Reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(other.Release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    Reset(other.Release());
    return *this;
  }
  bool ok() const { return fd_ >= 0; }
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }
  void Reset(int fd = -1);

 private:
  int fd_;
};

struct Opened {
  Descriptor fd;      // not ok: one of the two below has the reason
  int error = 0;      // errno
  std::string unfit;  // it exists and is not ours: words that follow its path in a message
  bool ok() const { return fd.ok(); }
  std::string Why() const;
};

// Opens a directory that belongs to the effective user. `at`: a descriptor of its parent, or
// AT_FDCWD for a path, which must not end in a slash.
Opened OpenDirectory(int at, const std::string& name);
// Opens a regular file of the effective user that has no second name. O_CREAT in `flags` makes it
// with mode 0600. Do not pass O_TRUNC: it would cut the file before the checks.
Opened OpenFile(int at, const std::string& name, int flags);

// Returns true if a process holds a lock (flock) on a regular file, even if the file is unfit
// otherwise.
bool IsLocked(int at, const std::string& name);

// Returns the names in a directory except . and .. , in no order. `error` may be null; gets 0 or
// errno.
std::vector<std::string> Names(int directory, int* error = nullptr);

// Returns true for a directory, false for a link to one.
bool IsDirectory(int at, const std::string& name);
// Returns true if `name` now names the file that `fd` refers to.
bool IsStill(int fd, int at, const std::string& name);

// Removes `name` and all that is in it, as far as that is possible.
void Remove(int at, const std::string& name);

}  // namespace kiln::files

#endif  // KILN_SERVER_FILES_OWN_H_
