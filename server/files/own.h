// Files and directories that are this process's user's own, opened without following anything.
//
// Problem: a name in a directory that others could write to, now or once, may be a link to another
// file, a FIFO that waits, a second name of a file elsewhere, or a file that somebody else goes on
// writing. So a name is opened below a descriptor of its directory, its last component is not
// followed, and what was opened is looked at, not what had the name before or has it after.
//
// Thread-safe.
#ifndef KILN_SERVER_FILES_OWN_H_
#define KILN_SERVER_FILES_OWN_H_

#include <sys/stat.h>

#include <string>
#include <utility>
#include <vector>

namespace kiln::files {

// Closed at the end.
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
  Descriptor fd;      // not ok: one of the two below says why
  int error = 0;      // errno
  std::string unfit;  // it is there and is not ours: words that go behind its path
  bool ok() const { return fd.ok(); }
  std::string Why() const;
};

// A directory that belongs to the effective user; `at`: of the one that it is in, or AT_FDCWD for a
// path, whose last component must not end in a slash.
Opened OpenDirectory(int at, const std::string& name);
// A regular file of the effective user that has this one name. Made with mode 0600 where `flags`
// has O_CREAT; do not cut it with O_TRUNC, which would come first.
Opened OpenFile(int at, const std::string& name, int flags);

// Whether somebody holds a lock (flock) on a regular file, whatever else is wrong with it.
bool IsLocked(int at, const std::string& name);

// What is in a directory, but . and .. , in no order. `error` may be null: 0 or errno.
std::vector<std::string> Names(int directory, int* error = nullptr);

// Whether a name is a directory, and no link to one.
bool IsDirectory(int at, const std::string& name);
// Whether `fd` is what has the name now.
bool IsStill(int fd, int at, const std::string& name);

// With all that is in it, as far as that can be done.
void Remove(int at, const std::string& name);

}  // namespace kiln::files

#endif  // KILN_SERVER_FILES_OWN_H_
