// The quarantine's directory: see entry_files.h.
#include "server/quarantine/entry_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace kiln::quarantine {

using kiln::v1alpha::QuarantineEntry;

namespace {

constexpr char kUnfinished[] = ".new";

// The directory, if it is ours; -1.
int OpenFolder(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return -1;
  const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat st;
  if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_uid != geteuid() || fchmod(fd, 0700) != 0)) {
    close(fd);
    return -1;
  }
  return fd;
}

bool WriteAll(int fd, const std::string& bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t n = write(fd, bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<size_t>(n);
  }
  return true;
}

}  // namespace

EntryFiles::EntryFiles(const std::string& directory, uint64_t most_bytes)
    : wanted_(!directory.empty()), most_bytes_(most_bytes) {
  if (wanted_) folder_ = OpenFolder(directory);
}

EntryFiles::~EntryFiles() {
  if (folder_ >= 0) close(folder_);
}

std::vector<std::string> EntryFiles::Names() const {
  std::vector<std::string> names;
  const int own = folder_ < 0 ? -1 : openat(folder_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* folder = own < 0 ? nullptr : fdopendir(own);
  if (folder == nullptr) return names;
  while (const dirent* one = readdir(folder)) {
    const std::string name = one->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  closedir(folder);
  return names;
}

std::optional<QuarantineEntry> EntryFiles::Read(const std::string& name) const {
  // Not to wait for a writer where somebody put a FIFO.
  const int fd = openat(folder_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  struct stat st;
  QuarantineEntry entry;
  const bool read = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
                    static_cast<uint64_t>(st.st_size) <= most_bytes_ &&
                    entry.ParseFromFileDescriptor(fd);
  close(fd);
  if (!read || entry.key() != name) return std::nullopt;
  return entry;
}

bool EntryFiles::Write(const QuarantineEntry& entry) {
  if (!wanted_) return true;
  const std::string unfinished = entry.key() + kUnfinished;
  const bool written = folder_ >= 0 && WriteFile(unfinished, entry.SerializeAsString()) &&
                       renameat(folder_, unfinished.c_str(), folder_, entry.key().c_str()) == 0;
  if (!written && folder_ >= 0) unlinkat(folder_, unfinished.c_str(), 0);
  return written && Sync();
}

bool EntryFiles::WriteFile(const std::string& name, const std::string& bytes) {
  unlinkat(folder_, name.c_str(), 0);
  const int fd = openat(folder_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const bool written = WriteAll(fd, bytes) && fsync(fd) == 0;
  return close(fd) == 0 && written;
}

bool EntryFiles::Remove(const std::string& name) {
  if (!wanted_) return true;
  if (folder_ < 0 || (unlinkat(folder_, name.c_str(), 0) != 0 && errno != ENOENT)) return false;
  return Sync();
}

bool EntryFiles::Sync() { return fsync(folder_) == 0; }

}  // namespace kiln::quarantine
