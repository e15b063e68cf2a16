// The quarantine's directory: a file for each entry, named by its key.
//
// A file is written beside its place, synchronised and renamed, and the directory synchronised: what
// Write and Remove have returned true for holds after a crash of the machine, and no file is ever
// half of an entry. Sources are other people's shaders: the directory is of the daemon's user and
// closed to others (0700), files are 0600. What is there instead (a link, another user's directory)
// is left alone, and nothing is kept.
//
// Not thread-safe.
#ifndef KILN_SERVER_QUARANTINE_ENTRY_FILES_H_
#define KILN_SERVER_QUARANTINE_ENTRY_FILES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proto/admin.pb.h"

namespace kiln::quarantine {

class EntryFiles {
 public:
  // Makes the directory. Empty: there is none, and everything below succeeds and does nothing.
  // Files larger than `most_bytes` are not read.
  EntryFiles(const std::string& directory, uint64_t most_bytes);
  ~EntryFiles();
  EntryFiles(const EntryFiles&) = delete;
  EntryFiles& operator=(const EntryFiles&) = delete;

  // Of all that is in it.
  std::vector<std::string> Names() const;
  // Nothing: it is no entry of this name.
  std::optional<kiln::v1alpha::QuarantineEntry> Read(const std::string& name) const;
  // Whether it is done, for good. `name` is one of Names or was written.
  bool Write(const kiln::v1alpha::QuarantineEntry& entry);
  bool Remove(const std::string& name);

 private:
  bool WriteFile(const std::string& name, const std::string& bytes);
  bool Sync();

  const bool wanted_;
  const uint64_t most_bytes_;
  int folder_ = -1;
};

}  // namespace kiln::quarantine

#endif  // KILN_SERVER_QUARANTINE_ENTRY_FILES_H_
