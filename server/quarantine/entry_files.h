// The quarantine's directory: a file for each entry, named by its key.
//
// A file is written beside its place, synchronised and renamed, and the directory synchronised:
// what Write and Remove have returned true for holds after a crash of the machine, and no file is
// ever half of an entry. Sources are other people's shaders: the directory is of the daemon's user
// and closed to others (0700), files are 0600. It is one of a cache directory (cache_directory.h),
// with whatever that demands; what is there instead (a link, another user's directory) is left
// alone. It is locked, so that a daemon that lost its cache directory to another leaves that one's
// alone.
//
// Either directory may come, go or be exchanged while this is in use: Look finds out.
//
// Not thread-safe.
#ifndef KILN_SERVER_QUARANTINE_ENTRY_FILES_H_
#define KILN_SERVER_QUARANTINE_ENTRY_FILES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "proto/admin.pb.h"
#include "server/cache/cache_directory.h"
#include "server/files/own.h"

namespace kiln::quarantine {

class EntryFiles {
 public:
  // `directory`: CACHE-DIR/NAME. Empty: there is none, and everything below succeeds and does
  // nothing. Nothing is opened before the first Look. Files larger than `most_bytes` are not read.
  EntryFiles(const std::string& directory, uint64_t most_bytes);

  enum class State {
    kSame,  // as at the last Look
    kNew,   // another one than then: made if it was missing
    kAway,  // there is none that may be used
  };
  State Look();
  bool has_unread() const { return unread_; }
  // The last failure: the path and what is wrong.
  const std::string& trouble() const { return trouble_; }

  // Of all in it that is named as entries are; what is not is somebody else's.
  std::vector<std::string> Names() const;
  enum class Found {
    kEntry,
    kNoEntry,  // what has this name is not one, and never becomes one
    kUnread,   // it could not be read, or is another user's; a later Look is kNew, to try again
  };
  Found Read(const std::string& name, kiln::v1alpha::QuarantineEntry* entry);
  // Whether it is done, for good. `name` is one of Names or was written.
  bool Write(const kiln::v1alpha::QuarantineEntry& entry);
  bool Remove(const std::string& name);

 private:
  bool Open();
  bool Lock(int folder);
  Found NotRead(const std::string& name, const std::string& why);
  bool WriteFile(const std::string& name, const std::string& bytes);
  bool Sync();
  // False, and `trouble` says why, with errno.
  bool Failed(const std::string& name);

  const bool wanted_;
  const std::string parent_, name_;
  const uint64_t most_bytes_;
  std::shared_ptr<const cache::CacheDirectory> cache_;
  files::Descriptor folder_, lock_;
  bool unread_ = false;  // something that is there
  int looks_ = 0;        // since then
  std::string trouble_;
};

}  // namespace kiln::quarantine

#endif  // KILN_SERVER_QUARANTINE_ENTRY_FILES_H_
