// Keeps which client has sent which source (--require-source-once).
//
// Problem: a result can be asked for by the digest of its source alone, which saves sending the
// source. So a client that learns a digest, from a log or a build's manifest, gets the machine code
// of a source that it never had, and can find out if a source it guesses was ever compiled. Where
// clients do not trust each other, a digest is answered only to clients that have sent its source
// before.
//
// A client is its connection, which has a number of its own (clients.h), or the name that a trusted
// proxy gives. An entry does not end with its connection: it ends after `lifetime`.
//
// Bounded: the oldest entry is evicted, and its client has to send the source again.
#ifndef KILN_SERVER_ENGINE_KNOWN_SOURCES_H_
#define KILN_SERVER_ENGINE_KNOWN_SOURCES_H_

#include <cstddef>
#include <list>
#include <string_view>
#include <unordered_map>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/key/sha256.h"

namespace kiln::server {

class KnownSources {
 public:
  KnownSources(size_t most, absl::Duration lifetime) : most_(most), lifetime_(lifetime) {}
  KnownSources(const KnownSources&) = delete;
  KnownSources& operator=(const KnownSources&) = delete;

  // Both are thread-safe. `now`: of a clock that is never set back.
  void Add(std::string_view client, const cache::Digest& source, absl::Duration now);
  bool Has(std::string_view client, const cache::Digest& source, absl::Duration now) const;

 private:
  struct Entry {
    cache::Digest name;
    absl::Duration ends;
  };
  using Entries = std::list<Entry>;  // the oldest first

  const size_t most_;
  const absl::Duration lifetime_;
  mutable absl::Mutex mutex_;
  Entries entries_ ABSL_GUARDED_BY(mutex_);
  std::unordered_map<cache::Digest, Entries::iterator, cache::DigestHash> by_name_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::server

#endif  // KILN_SERVER_ENGINE_KNOWN_SOURCES_H_
