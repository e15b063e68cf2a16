// Sums of pass runs by pass, target and stage, since the daemon's start.
//
// Bounded: names that the workers did not announce count as "other". Thread-safe.
#ifndef KILN_SERVER_PAGES_PASS_TABLE_H_
#define KILN_SERVER_PAGES_PASS_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "proto/worker.pb.h"
#include "server/worker/pool.h"

namespace kiln::pages {

// Names with numbers; the last name is "other" and stands for all that are not known.
class NameList {
 public:
  void Add(std::string_view name);
  // To be called once, after the last Add.
  void End();
  size_t NumberOf(std::string_view name) const;
  std::string_view At(size_t number) const { return names_[number]; }

 private:
  std::vector<std::string> names_;
  std::map<std::string, size_t, std::less<>> numbers_;
};

class PassTable {
 public:
  struct Row {
    std::string_view pass, target, stage;  // valid as long as the table
    uint64_t runs = 0;
    uint64_t changed = 0;     // runs that changed the code
    int64_t nanoseconds = 0;  // processor time
    int64_t removed = 0;      // instructions, summed over runs that lowered their number
    int64_t added = 0;        // and over runs that raised it
    uint64_t deaths = 0;      // workers that died or exceeded a limit in it
  };
  // Target of steps that are done once for all targets of a job.
  static constexpr std::string_view kAny = "any";

  explicit PassTable(const worker::Hello& hello);

  // Counts the passes of one job.
  void Add(const worker::JobOutcome& outcome, const worker::Job& job);
  // Returns the rows with at least one run or death, in no order.
  std::vector<Row> Rows() const;

 private:
  Row& At(std::string_view pass, std::string_view target, std::string_view stage)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  NameList passes_, targets_, stages_;  // constant
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<uint64_t, Row> rows_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::pages

#endif  // KILN_SERVER_PAGES_PASS_TABLE_H_
