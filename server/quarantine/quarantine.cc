// Shaders that kill workers: see quarantine.h.
#include "server/quarantine/quarantine.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace kiln::quarantine {

using kiln::v1alpha::CompileRequest;
using kiln::v1alpha::QuarantineEntry;
using kiln::v1alpha::QuarantineList;
using kiln::v1alpha::TargetResult;

namespace fs = std::filesystem;

namespace {

constexpr char kUnfinished[] = ".new";

TargetResult ResultOf(const QuarantineEntry& entry) {
  TargetResult result;
  result.set_target(entry.target());
  result.set_status(entry.status());
  result.set_cause("quarantined");
  result.set_message(absl::StrCat("it killed ", entry.deaths(),
                                  " workers and is not compiled again; ",
                                  "the last time: ", entry.cause(), ": ", entry.message(),
                                  " (kiln quarantine show ", entry.key(), ")"));
  result.set_last_pass(entry.last_pass());
  if (!entry.target().empty()) result.set_key(entry.key());
  return result;
}

std::optional<QuarantineEntry> ReadEntry(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  QuarantineEntry entry;
  if (!file || !entry.ParseFromIstream(&file) || entry.key() != path.filename())
    return std::nullopt;
  return entry;
}

}  // namespace

Quarantine::Quarantine(Options options) : options_(std::move(options)) {
  if (!options_.directory.empty() && options_.deaths != 0) Load();
}

void Quarantine::Load() {
  std::error_code error;
  fs::create_directories(options_.directory, error);
  std::vector<Entry> found;
  for (fs::directory_iterator it(options_.directory, error), end; !error && it != end;
       it.increment(error)) {
    std::optional<Entry> entry = ReadEntry(it->path());
    if (entry.has_value() && entry->compiler() == options_.compiler(entry->target())) {
      found.push_back(*std::move(entry));
    } else {
      std::error_code ignored;
      fs::remove(it->path(), ignored);
    }
  }
  std::sort(found.begin(), found.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.last_death_unix_seconds(), a.key()) <
           std::pair(b.last_death_unix_seconds(), b.key());
  });
  absl::MutexLock lock(&mutex_);
  for (Entry& entry : found) Insert(std::move(entry));
  KeepBounds();
}

void Quarantine::Insert(Entry entry) {
  any_ = true;
  entry.set_refusals(0);
  entry.set_request_bytes(entry.request().ByteSizeLong());
  bytes_ += entry.request_bytes();
  entries_.push_front(std::move(entry));
  by_key_[entries_.front().key()] = entries_.begin();
}

void Quarantine::KeepBounds() {
  while (entries_.size() > options_.max_entries) Remove(std::prev(entries_.end()));
  for (auto it = entries_.rbegin(); bytes_ > options_.max_bytes && it != entries_.rend(); ++it) {
    DropSource(&*it);
  }
}

void Quarantine::DropSource(Entry* entry) {
  if (!entry->has_request()) return;
  bytes_ -= entry->request_bytes();
  entry->clear_request();
  entry->clear_request_bytes();
  Write(*entry);
}

void Quarantine::Remove(Entries::iterator entry) {
  bytes_ -= entry->request_bytes();
  if (!options_.directory.empty()) {
    std::error_code ignored;
    fs::remove(PathOf(entry->key()), ignored);
  }
  by_key_.erase(entry->key());
  entries_.erase(entry);
}

std::string Quarantine::PathOf(const std::string& key) const {
  return absl::StrCat(options_.directory, "/", key);
}

void Quarantine::Write(const Entry& entry) {
  if (options_.directory.empty()) return;
  const std::string path = PathOf(entry.key());
  std::ofstream file(path + kUnfinished, std::ios::binary | std::ios::trunc);
  const bool written = file && entry.SerializeToOstream(&file) && file.flush().good();
  file.close();
  std::error_code error;
  if (written) fs::rename(path + kUnfinished, path, error);
  if (!written || error) ++write_errors_;
}

std::optional<TargetResult> Quarantine::Refuse(const cache::Digest& key) {
  if (!any_) return std::nullopt;
  absl::MutexLock lock(&mutex_);
  auto found = by_key_.find(cache::ToHex(key));
  if (found == by_key_.end()) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, found->second);
  ++refusals_;
  found->second->set_refusals(found->second->refusals() + 1);
  return ResultOf(*found->second);
}

void Quarantine::AddDeath(const cache::Digest& key, Entry death,
                          const std::function<CompileRequest()>& request) {
  if (options_.deaths == 0) return;
  const std::string name = cache::ToHex(key);
  absl::MutexLock lock(&mutex_);
  any_ = true;
  auto known = by_key_.find(name);
  uint32_t deaths = known == by_key_.end() ? 0 : known->second->deaths();
  auto suspect = std::find_if(suspects_.begin(), suspects_.end(),
                              [&](const auto& one) { return one.first == name; });
  if (suspect != suspects_.end()) {
    deaths = suspect->second;
    suspects_.erase(suspect);
  }
  death.set_deaths(++deaths);
  if (deaths < options_.deaths) {
    suspects_.emplace_front(name, deaths);
    if (suspects_.size() > options_.max_entries) suspects_.pop_back();
    return;
  }
  if (known != by_key_.end()) Remove(known->second);
  death.set_key(name);
  death.set_compiler(options_.compiler(death.target()));
  death.set_last_death_unix_seconds(absl::ToUnixSeconds(absl::Now()));
  *death.mutable_request() = request();
  Insert(std::move(death));
  Write(entries_.front());
  KeepBounds();
}

void Quarantine::Absolve(const cache::Digest& key) {
  if (!any_) return;
  absl::MutexLock lock(&mutex_);
  if (suspects_.empty()) return;
  suspects_.remove_if([name = cache::ToHex(key)](const auto& one) { return one.first == name; });
}

QuarantineList Quarantine::List() const {
  QuarantineList list;
  absl::MutexLock lock(&mutex_);
  for (const Entry& entry : entries_) {
    Entry* copy = list.add_entries();
    copy->set_key(entry.key());
    copy->set_target(entry.target());
    copy->set_compiler(entry.compiler());
    copy->set_deaths(entry.deaths());
    copy->set_refusals(entry.refusals());
    copy->set_last_death_unix_seconds(entry.last_death_unix_seconds());
    copy->set_status(entry.status());
    copy->set_cause(entry.cause());
    copy->set_message(entry.message());
    copy->set_last_pass(entry.last_pass());
    copy->set_request_bytes(entry.request_bytes());
  }
  return list;
}

std::optional<QuarantineEntry> Quarantine::Show(const std::string& key) const {
  absl::MutexLock lock(&mutex_);
  auto found = by_key_.find(key);
  if (found == by_key_.end()) return std::nullopt;
  return *found->second;
}

uint32_t Quarantine::Clear(const std::vector<std::string>& keys) {
  uint32_t cleared = 0;
  absl::MutexLock lock(&mutex_);
  for (const std::string& key : keys) {
    auto found = by_key_.find(key);
    if (found == by_key_.end()) continue;
    Remove(found->second);
    ++cleared;
  }
  return cleared;
}

uint32_t Quarantine::ClearAll() {
  absl::MutexLock lock(&mutex_);
  const auto cleared = static_cast<uint32_t>(entries_.size());
  while (!entries_.empty()) Remove(entries_.begin());
  suspects_.clear();
  return cleared;
}

Quarantine::Usage Quarantine::usage() const {
  absl::MutexLock lock(&mutex_);
  return {entries_.size(), bytes_, refusals_, write_errors_};
}

}  // namespace kiln::quarantine
