// The quarantine's directory: a file for each entry, named by its key.
//
// A file is written under a temporary name, synchronised and renamed, and the directory
// synchronised: what Write and Remove have returned true for holds after a crash of the machine,
// and no file is ever half an entry. Sources are clients' shaders, so the directory belongs to the
// daemon's user and is closed to others (0700), and files are 0600. It is a subdirectory of a cache
// directory (cache_directory.h), with all that this demands; anything else under its name (a link,
// another user's directory) is left alone. It is locked, so that a daemon whose cache directory was
// taken over by another daemon leaves this one alone.
//
// Either directory may appear, vanish or be exchanged while this is in use: Look finds out.
//
// Not thread-safe.
#ifndef KILN_SERVER_QUARANTINE_ENTRY_FILES_H_
#define KILN_SERVER_QUARANTINE_ENTRY_FILES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kiln/v1/admin.pb.h"
#include "server/cache/cache_directory.h"
#include "server/files/own.h"

namespace kiln::quarantine {

class EntryFiles {
 public:
  // `directory`: CACHE-DIR/NAME. Empty: none, and all functions below succeed and do nothing. Opens
  // nothing before the first Look. Files larger than `most_bytes` are not read.
  EntryFiles(const std::string& directory, uint64_t most_bytes);

  enum class State {
    kSame,  // as at the last Look
    kNew,   // another directory; made if it was missing
    kAway,  // no directory can be used
  };
  State Look();
  bool has_unread() const { return unread_; }
  // Describes the last failure: the path and what is wrong.
  const std::string& trouble() const { return trouble_; }

  // Returns the names of the files that are named as entries are; other files are not ours.
  std::vector<std::string> Names() const;
  enum class Found {
    kEntry,
    kNoEntry,  // the file of this name is no entry, and never becomes one
    kUnread,   // cannot be read, or is another user's; a later Look returns kNew, to try again
  };
  Found Read(const std::string& name, kiln::v1::QuarantineEntry* entry);
  // Write and Remove return true once it is done, for good. `name` is one of Names or was written.
  bool Write(const kiln::v1::QuarantineEntry& entry);
  bool Remove(const std::string& name);

 private:
  bool Open();
  bool Lock(int folder);
  Found NotRead(const std::string& name, const std::string& why);
  bool WriteFile(const std::string& name, const std::string& bytes);
  bool Sync();
  // Returns false, and sets `trouble` to the reason, with errno.
  bool Failed(const std::string& name);

  const bool wanted_;
  const std::string parent_, name_;
  const uint64_t most_bytes_;
  std::shared_ptr<const cache::CacheDirectory> cache_;
  files::Descriptor folder_, lock_;
  bool unread_ = false;  // an existing file could not be read
  int looks_ = 0;        // since then
  std::string trouble_;
};

}  // namespace kiln::quarantine

#endif  // KILN_SERVER_QUARANTINE_ENTRY_FILES_H_
