// The shaders that workers compiled or refused last, by the keys of their results.
//
// A key tells nothing of its source, and no request is answered by key; sources, digests of
// sources, names and clients never come here. Bounded: kMaxShaders entries; the one that was
// longest without news is forgotten first. Thread-safe; O(1) each, but for All.
#ifndef KILN_SERVER_PAGES_SHADER_LIST_H_
#define KILN_SERVER_PAGES_SHADER_LIST_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "kiln/v1/compile.pb.h"
#include "proto/worker.pb.h"
#include "server/key/sha256.h"

namespace kiln::pages {

struct Shader {
  cache::Digest key{};
  std::string target, stage;  // stage: empty if it is not known
  kiln::v1::TargetResult::Status status = kiln::v1::TargetResult::UNSPECIFIED;
  std::string cause;       // of the last result; "ok" with OK
  absl::Time last;         // when it was made or refused last
  uint64_t made = 0;       // results that workers made
  uint64_t refused = 0;    // answers without code, also from the memory cache
  absl::Duration took;     // of the last result: processor time of its target's compile; of one
                           // that the worker did not survive, the time for which it ran
  int64_t code_bytes = 0;  // of all variants
  int variants = 0;
  // Each statistic of ShaderList::statistics(): that of the variant with most of it; kNoValue if
  // there is none. Empty without code.
  std::vector<int64_t> values;
  static constexpr int64_t kNoValue = -1;
};

class ShaderList {
 public:
  static constexpr size_t kMaxShaders = 512;
  using StatisticInfo = kiln::v1::Capabilities::StatisticInfo;

  explicit ShaderList(const worker::Hello& hello);

  // The statistics of all targets, each name once.
  const std::vector<StatisticInfo>& statistics() const { return statistics_; }

  // Notes a result that a worker made or did not survive; `ran`: how long it had the job.
  void Made(const cache::Digest& key, const kiln::v1::TargetResult& result, absl::Duration ran,
            absl::Time now);
  // Notes that a stored result without code was the answer to a request. Does nothing to a key that
  // is not in the list.
  void RefusedAgain(const cache::Digest& key, absl::Time now);
  // The one with the latest news first.
  std::vector<Shader> All() const;

 private:
  using Position = std::list<Shader>::iterator;
  Shader& Touch(const cache::Digest& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void AddVariant(const kiln::v1::Variant& variant, Shader* to) const;

  std::vector<StatisticInfo> statistics_;                 // constant
  std::map<std::string, size_t, std::less<>> positions_;  // constant; in statistics_
  mutable absl::Mutex mutex_;
  std::list<Shader> order_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<cache::Digest, Position, cache::DigestHash> index_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::pages

#endif  // KILN_SERVER_PAGES_SHADER_LIST_H_
