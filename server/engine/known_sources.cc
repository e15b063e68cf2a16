// Keeps which client has sent which source: see known_sources.h.
#include "server/engine/known_sources.h"

namespace kiln::server {
namespace {

// Has a fixed size, however long a peer's address is.
cache::Digest NameOf(std::string_view client, const cache::Digest& source) {
  cache::CanonicalWriter writer("kiln known source 1");
  writer.Add(client);
  writer.Add(cache::AsBytes(source));
  return writer.Finish();
}

}  // namespace

void KnownSources::Add(std::string_view client, const cache::Digest& source, absl::Duration now) {
  const cache::Digest name = NameOf(client, source);
  absl::MutexLock lock(&mutex_);
  auto known = by_name_.find(name);
  if (known != by_name_.end()) {
    known->second->ends = now + lifetime_;
    entries_.splice(entries_.end(), entries_, known->second);
    return;
  }
  if (entries_.size() == most_) {
    by_name_.erase(entries_.front().name);
    entries_.pop_front();
  }
  entries_.push_back({name, now + lifetime_});
  by_name_[name] = std::prev(entries_.end());
}

bool KnownSources::Has(std::string_view client, const cache::Digest& source,
                       absl::Duration now) const {
  const cache::Digest name = NameOf(client, source);
  absl::MutexLock lock(&mutex_);
  auto known = by_name_.find(name);
  return known != by_name_.end() && now < known->second->ends;
}

}  // namespace kiln::server
