// Refuses shaders that kill workers: see quarantine.h.
#include "server/quarantine/quarantine.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace kiln::quarantine {

using kiln::v1::CompileRequest;
using kiln::v1::QuarantineEntry;
using kiln::v1::QuarantineList;
using kiln::v1::TargetResult;
using Limits = QuarantineEntry::Limits;

namespace {

// Format of entries. Format 1 (written without a number) lacked the limits at which a shader died.
constexpr uint32_t kFormat = 2;
// Bound on an entry's size besides its source.
constexpr uint64_t kMaxEntryBytes = uint64_t{1} << 20;

TargetResult ResultOf(const QuarantineEntry& entry) {
  TargetResult result;
  result.set_target(entry.target());
  result.set_status(entry.status());
  result.set_cause("quarantined");
  result.set_message(absl::StrCat("the shader killed ", entry.deaths(),
                                  " workers and is not compiled again; ",
                                  "the last time: ", entry.cause(), ": ", entry.message(),
                                  " (kiln quarantine show ", entry.key(), ")"));
  result.set_last_pass(entry.last_pass());
  if (!entry.target().empty()) result.set_key(entry.key());
  return result;
}

// Returns the limits in `now` that may have had a part in the death.
Limits LimitsOf(const QuarantineEntry& death, const Limits& now) {
  Limits limits;
  if (death.status() == TargetResult::TIMED_OUT) {
    if (death.cause() == "wall_time_limit") {
      limits.set_job_time_ms(now.job_time_ms());
    } else {
      limits.set_job_cpu_time_ms(now.job_cpu_time_ms());
    }
  } else if (now.job_memory_bytes() != 0) {
    limits.set_job_memory_bytes(now.job_memory_bytes());
  }
  return limits;
}

bool AnyRaised(const Limits& then, const Limits& now) {
  return (then.has_job_time_ms() && now.job_time_ms() > then.job_time_ms()) ||
         (then.has_job_cpu_time_ms() && now.job_cpu_time_ms() > then.job_cpu_time_ms()) ||
         (then.has_job_memory_bytes() &&
          (now.job_memory_bytes() == 0 || now.job_memory_bytes() > then.job_memory_bytes()));
}

}  // namespace

Quarantine::Quarantine(Options options)
    : options_(std::move(options)),
      files_(options_.deaths == 0 ? std::string() : options_.directory,
             options_.max_bytes + kMaxEntryBytes) {
  Flush();
  if (options_.directory.empty() || options_.follow_interval == absl::ZeroDuration()) return;
  follower_ = std::jthread([this](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    while (!never.wait_for(lock, stop, absl::ToChronoNanoseconds(options_.follow_interval),
                           [&stop] { return stop.stop_requested(); })) {
      Follow();
    }
  });
}

uint64_t* Quarantine::ReasonToDrop(const std::optional<Entry>& entry, Dropped* dropped) const {
  if (!entry.has_value()) return &dropped->damaged;
  if (entry->format() != kFormat) return &dropped->format;
  if (entry->compiler() != options_.compiler(entry->target())) return &dropped->compiler;
  if (AnyRaised(entry->limits(), options_.limits)) return &dropped->limits;
  return nullptr;
}

// Returns the entries in the directory, the latest death first; sources stay in the files.
std::vector<QuarantineEntry> Quarantine::ReadFiles(Dropped* dropped,
                                                   std::set<std::string>* unread) {
  std::vector<Entry> found;
  for (const std::string& name : files_.Names()) {
    std::optional<Entry> entry(std::in_place);
    const EntryFiles::Found read = files_.Read(name, &*entry);
    if (read == EntryFiles::Found::kUnread) {
      unread->insert(name);
      continue;
    }
    if (read == EntryFiles::Found::kNoEntry) entry = std::nullopt;
    if (uint64_t* reason = ReasonToDrop(entry, dropped)) {
      ++*reason;
      files_.Remove(name);
      continue;
    }
    entry->set_refusals(0);
    entry->set_request_bytes(entry->has_request() ? entry->request().ByteSizeLong() : 0);
    entry->clear_request();
    found.push_back(*std::move(entry));
  }
  std::sort(found.begin(), found.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.last_death_unix_seconds(), a.key()) >
           std::pair(b.last_death_unix_seconds(), b.key());
  });
  return found;
}

void Quarantine::Load() {
  Dropped dropped;
  std::set<std::string> unread;
  std::vector<Entry> found = ReadFiles(&dropped, &unread);
  absl::MutexLock lock(&mutex_);
  dropped_.damaged += dropped.damaged;
  dropped_.format += dropped.format;
  dropped_.compiler += dropped.compiler;
  dropped_.limits += dropped.limits;
  Merge(std::move(found), unread);
  KeepBounds();
  Publish();
}

// An entry in memory is newer than a file of the same key. The source of a key is always the same
// and may be in that file only, so an entry whose file could not be read keeps its source.
void Quarantine::Merge(std::vector<Entry> found, const std::set<std::string>& unread) {
  for (Held& held : entries_) {
    held.written = false;
    if (held.source != nullptr || unread.contains(held.entry.key())) continue;
    bytes_ -= held.entry.request_bytes();
    held.entry.clear_request_bytes();
  }
  for (Entry& entry : found) {
    auto known = by_key_.find(entry.key());
    if (known != by_key_.end() && known->second->source != nullptr) continue;
    bytes_ += entry.request_bytes();
    if (known != by_key_.end()) {
      known->second->entry.set_request_bytes(entry.request_bytes());
      continue;
    }
    entries_.push_back({std::move(entry), nullptr, ++versions_, /*written=*/true});
    by_key_[entries_.back().entry.key()] = std::prev(entries_.end());
  }
  for (Held& held : entries_) {
    if (!held.written) Note(&held);
  }
}

void Quarantine::Insert(Entry entry, Source source) {
  // Without a directory the source could not be read.
  if (options_.directory.empty()) source = nullptr;
  entry.set_refusals(0);
  entry.set_request_bytes(source == nullptr ? 0 : source->ByteSizeLong());
  bytes_ += entry.request_bytes();
  entries_.push_front({std::move(entry), std::move(source)});
  by_key_[entries_.front().entry.key()] = entries_.begin();
  Publish();
}

void Quarantine::KeepBounds() {
  while (entries_.size() > options_.max_entries) Remove(std::prev(entries_.end()));
  for (auto it = entries_.rbegin(); bytes_ > options_.max_bytes && it != entries_.rend(); ++it) {
    DropSource(&*it);
  }
}

void Quarantine::DropSource(Held* held) {
  if (held->entry.request_bytes() == 0) return;
  bytes_ -= held->entry.request_bytes();
  held->source = nullptr;
  held->entry.clear_request_bytes();
  Note(held);
}

void Quarantine::Note(Held* held) {
  held->version = ++versions_;
  held->written = false;
  changes_.push_back({*held});
}

void Quarantine::Forget(Entries::iterator held) {
  bytes_ -= held->entry.request_bytes();
  by_key_.erase(held->entry.key());
  entries_.erase(held);
  Publish();
}

void Quarantine::Remove(Entries::iterator held, std::vector<std::string>* left) {
  changes_.push_back({{held->entry, nullptr}, /*remove=*/true, /*again=*/false, left});
  Forget(held);
}

void Quarantine::Publish() {
  refuses_.store(!entries_.empty(), std::memory_order_release);
  suspects_any_.store(!suspects_.empty(), std::memory_order_release);
}

void Quarantine::Follow() {
  {
    absl::MutexLock lock(&mutex_);
    for (const Held& held : entries_) {
      if (!held.written) changes_.push_back({held, /*remove=*/false, /*again=*/true});
    }
  }
  Flush();
}

void Quarantine::Flush() {
  absl::MutexLock writing(&writing_);
  const EntryFiles::State state = files_.Look();
  if (state == EntryFiles::State::kNew) Load();
  std::vector<Change> changes;
  {
    absl::MutexLock lock(&mutex_);
    changes.swap(changes_);
  }
  bool failed = state == EntryFiles::State::kAway;
  for (const Change& change : changes) {
    if (change.again && failed) continue;  // so would this
    const bool done = Perform(change);
    failed = failed || (!done && !change.remove);
    absl::MutexLock lock(&mutex_);
    Settle(change, done);
  }
  absl::MutexLock lock(&mutex_);
  if (failed || files_.has_unread()) {
    trouble_ = files_.trouble();
  } else if (CountUnwritten() == 0) {
    trouble_.clear();
  }
}

size_t Quarantine::CountUnwritten() const {
  return static_cast<size_t>(std::count_if(entries_.begin(), entries_.end(),
                                           [](const Held& held) { return !held.written; }));
}

void Quarantine::Settle(const Change& change, bool done) {
  if (!done && !change.again) ++write_errors_;
  if (!done && change.left != nullptr) change.left->push_back(change.held.entry.key());
  auto found = by_key_.find(change.held.entry.key());
  if (!done || change.remove || found == by_key_.end()) return;
  Held& held = *found->second;
  if (held.version != change.held.version) return;  // a newer version is waiting
  held.source = nullptr;
  held.written = true;
}

bool Quarantine::Perform(const Change& change) {
  if (options_.directory.empty()) return true;
  if (options_.before_write) options_.before_write();
  const std::string& key = change.held.entry.key();
  if (change.remove) return files_.Remove(key);
  Entry entry = change.held.entry;
  if (change.held.source != nullptr) {
    *entry.mutable_request() = *change.held.source;
  } else if (entry.request_bytes() != 0) {  // it is in the file that this one replaces
    Entry old;
    const EntryFiles::Found read = files_.Read(key, &old);
    if (read == EntryFiles::Found::kUnread) return false;
    if (read == EntryFiles::Found::kEntry) entry.mutable_request()->Swap(old.mutable_request());
  }
  return files_.Write(entry);
}

std::optional<TargetResult> Quarantine::Refuse(const cache::Digest& key) {
  if (!refuses_.load(std::memory_order_acquire)) return std::nullopt;
  const std::string name = cache::ToHex(key);
  absl::MutexLock lock(&mutex_);
  auto found = by_key_.find(name);
  if (found == by_key_.end()) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, found->second);
  ++refusals_;
  Entry& entry = found->second->entry;
  entry.set_refusals(entry.refusals() + 1);
  return ResultOf(entry);
}

bool Quarantine::CountDeath(const std::string& key, Entry* death) {
  absl::MutexLock lock(&mutex_);
  auto suspect = std::find_if(suspects_.begin(), suspects_.end(),
                              [&](const Suspect& one) { return one.key == key; });
  if (suspect == suspects_.end()) {
    suspects_.push_front({key, 0, {}});
    auto known = by_key_.find(key);  // its job was under way when it was quarantined
    if (known != by_key_.end()) {
      suspects_.front().deaths = known->second->entry.deaths();
      suspects_.front().limits = known->second->entry.limits();
    }
  } else {
    suspects_.splice(suspects_.begin(), suspects_, suspect);
  }
  suspect = suspects_.begin();
  ++suspect->deaths;
  suspect->limits.MergeFrom(LimitsOf(*death, options_.limits));
  death->set_deaths(suspect->deaths);
  *death->mutable_limits() = suspect->limits;
  if (suspects_.size() > options_.max_entries) suspects_.pop_back();
  Publish();
  return death->deaths() >= options_.deaths;
}

void Quarantine::AddDeath(const cache::Digest& key, Entry death,
                          const std::function<CompileRequest()>& request) {
  if (options_.deaths == 0) return;
  const std::string name = cache::ToHex(key);
  if (!CountDeath(name, &death)) return;
  death.set_key(name);
  death.set_format(kFormat);
  death.set_compiler(options_.compiler(death.target()));
  death.set_last_death_unix_seconds(absl::ToUnixSeconds(absl::Now()));
  Source source = std::make_shared<CompileRequest>(request());
  const Entry told = death;
  {
    absl::MutexLock lock(&mutex_);
    suspects_.remove_if([&](const Suspect& one) { return one.key == name; });
    auto known = by_key_.find(name);
    if (known != by_key_.end()) Forget(known->second);
    Insert(std::move(death), std::move(source));
    Note(&entries_.front());
    KeepBounds();
  }
  Flush();
  if (options_.on_quarantined) options_.on_quarantined(told);
}

void Quarantine::Absolve(const cache::Digest& key) {
  if (!suspects_any_.load(std::memory_order_acquire)) return;
  const std::string name = cache::ToHex(key);
  absl::MutexLock lock(&mutex_);
  suspects_.remove_if([&](const Suspect& one) { return one.key == name; });
  Publish();
}

QuarantineList Quarantine::List() const {
  QuarantineList list;
  absl::MutexLock lock(&mutex_);
  for (const Held& held : entries_) *list.add_entries() = held.entry;
  return list;
}

std::optional<QuarantineEntry> Quarantine::Show(const std::string& key) const {
  absl::MutexLock lock(&mutex_);
  auto found = by_key_.find(key);
  if (found == by_key_.end()) return std::nullopt;
  Entry entry = found->second->entry;
  if (entry.request_bytes() != 0 && found->second->written)
    entry.set_file(absl::StrCat(options_.directory, "/", key));
  return entry;
}

Quarantine::Cleared Quarantine::Clear(const std::vector<std::string>& keys) {
  Cleared cleared;
  {
    absl::MutexLock lock(&mutex_);
    for (const std::string& key : keys) {
      auto found = by_key_.find(key);
      if (found == by_key_.end()) continue;
      Remove(found->second, &cleared.left);
      ++cleared.entries;
    }
  }
  Flush();
  if (options_.on_cleared) options_.on_cleared(cleared.entries);
  return cleared;
}

Quarantine::Cleared Quarantine::ClearAll() {
  Cleared cleared;
  {
    absl::MutexLock lock(&mutex_);
    cleared.entries = static_cast<uint32_t>(entries_.size());
    while (!entries_.empty()) Remove(entries_.begin(), &cleared.left);
    suspects_.clear();
    Publish();
  }
  Flush();
  if (options_.on_cleared) options_.on_cleared(cleared.entries);
  return cleared;
}

Quarantine::Usage Quarantine::usage() const {
  absl::MutexLock lock(&mutex_);
  const size_t unwritten = options_.directory.empty() ? 0 : CountUnwritten();
  return {entries_.size(), bytes_, refusals_, write_errors_, dropped_, unwritten, trouble_};
}

}  // namespace kiln::quarantine
