// Salvages records from damaged files: see salvage.h.
#include "server/cache/salvage.h"

#include <rocksdb/env.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "absl/strings/match.h"

namespace kiln::cache {
namespace {

namespace fs = std::filesystem;

rocksdb::Status SalvageFile(const std::string& file, Salt salt, rocksdb::DB* db, uint64_t* count) {
  std::string bytes;
  rocksdb::Status s = rocksdb::ReadFileToString(db->GetEnv(), file, &bytes);
  if (!s.ok()) return s;
  if (absl::EndsWith(file, ".log")) JoinLogBlocks(&bytes);
  // A log may have a key twice: the last one counts.
  std::map<std::string, FoundFrame> newest;
  FindFrames(bytes, salt, [&](FoundFrame found) { newest[found.key] = std::move(found); });
  for (const auto& [key, found] : newest) {
    std::string known;
    s = db->Get(rocksdb::ReadOptions(), key, &known);
    const bool unknown = s.IsNotFound() || s.IsCorruption();
    if (!s.ok() && !unknown) return s;
    std::string_view rest = known;
    const bool erases = found.record_class == RecordClass::kErased;
    if (!unknown && (!erases || TakeOffFrame(&rest) == RecordClass::kErased)) continue;
    s = db->Put(rocksdb::WriteOptions(), key,
                rocksdb::Slice(found.frame.data(), found.frame.size()));
    if (!s.ok()) return s;
    ++*count;
  }
  return rocksdb::Status::OK();
}

}  // namespace

std::vector<std::string> DataFiles(const std::string& directory, bool logs_only) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    const std::string extension = it->path().extension();
    if (extension == ".log" || (!logs_only && extension == ".sst")) files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

rocksdb::Status Salvage(const std::vector<std::string>& files, Salt salt, rocksdb::DB* db,
                        uint64_t* count) {
  if (salt == 0) return rocksdb::Status::OK();
  for (const std::string& file : files) {
    rocksdb::Status s = SalvageFile(file, salt, db, count);
    if (!s.ok()) return s;
  }
  return rocksdb::Status::OK();
}

rocksdb::IOStatus HeldTables::DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                                         rocksdb::IODebugContext* context) {
  {
    absl::MutexLock lock(&mutex_);
    if (holding_ && absl::EndsWith(name, ".sst")) {
      held_.push_back(name);
      return rocksdb::IOStatus::OK();
    }
  }
  return target()->DeleteFile(name, options, context);
}

bool HeldTables::holds_any() const {
  absl::MutexLock lock(&mutex_);
  return !held_.empty();
}

void HeldTables::Release() {
  std::vector<std::string> names;
  {
    absl::MutexLock lock(&mutex_);
    holding_ = false;
    names.swap(held_);
  }
  for (const std::string& name : names) {
    target()->DeleteFile(name, rocksdb::IOOptions(), nullptr).PermitUncheckedError();
  }
}

}  // namespace kiln::cache
