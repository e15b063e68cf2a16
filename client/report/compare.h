// Differences between two sets of results.
//
// Compares variants that both sets have: same file, entry point, target, permutation and variant
// name. If a set lacks entry points or permutations, they are taken from the other set where only
// one fits; a permutation of other requested widths is the same one if it has no other
// candidate; one whose options changed is known by its name; if no set has two permutations of a
// module, its options do not matter: a batch may be compared with one of other -D. A variant whose
// shape changed, by a statistic that says so (its loops), is listed separately, with its own
// totals, and left out of the other statistics: unrolling trades instructions for trips, so its
// instruction count says nothing about better or worse. Names and keys call these `loops_changed`.
// `compile_us` is of modules that both sets compiled, one run of each: times differ from run to run
// by more than most changes, so it has no verdict. A variant that only one set has, for a file
// and target that both have, is LOST or GAINED. Files that only one set names at all are counted,
// not judged.
//
// A statistic that is better neither lower nor higher is compared and has no verdict: its changes
// are in `changed`, none is helped or hurt.
//
// A relative change is (after - before) / before; from 0 to n it counts as +100 %.
#ifndef KILN_CLIENT_REPORT_COMPARE_H_
#define KILN_CLIENT_REPORT_COMPARE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/report/results.h"
#include "client/report/statistics.h"

namespace kiln::client::report {

enum class Verdict : uint8_t { kUnchanged, kHelped, kHurt, kInconclusive, kChanged, kOneRun };

// "helped" and so on: a word of the JSON.
absl::string_view VerdictWord(Verdict verdict);
// Likewise for people.
absl::string_view VerdictText(Verdict verdict);

struct Change {
  std::string shader;  // "file target variant"
  int64_t before = 0;
  int64_t after = 0;
  // Keys of the two results in a daemon's cache; empty: not stated.
  std::string key_before = {}, key_after = {};
  double Relative() const;
};

// One direction of change of one statistic.
struct Group {
  int64_t count = 0;
  Spread absolute;  // of after - before
  Spread relative;
};

struct StatisticReport {
  std::string name;
  Direction better = Direction::kNeither;
  bool shape = false;
  int64_t compared = 0;  // variants that have the statistic on both sides
  int64_t total_before = 0, total_after = 0;
  int64_t affected_before = 0, affected_after = 0;
  Group helped, hurt;
  Group changed;                // neither better nor worse
  Interval absolute, relative;  // of the mean change over the affected
  Verdict verdict = Verdict::kUnchanged;
  std::vector<Change> best, worst, other;  // all, the largest relative change first

  int64_t affected() const { return helped.count + hurt.count + changed.count; }
};

// One statistic of the variants below one folder.
struct FolderTotal {
  int64_t compared = 0;
  int64_t before = 0, after = 0;
  int64_t helped = 0, hurt = 0;  // none of a statistic without a direction
};

struct Report {
  int64_t modules_before = 0, modules_after = 0;  // results, a file and target each
  int64_t only_before = 0, only_after = 0;        // of them, those that the other set does not name
  int64_t repeated = 0;
  int64_t compared = 0;                     // variants in both, loops unchanged
  std::vector<StatisticReport> statistics;  // the kinds that occur; compile_us
  std::vector<Change> loops_changed;
  std::vector<StatisticReport> loops_changed_statistics;  // of those variants, but of no shape
  // By folder of the file ("." for none), then in the order of `statistics`, but of no shape.
  std::map<std::string, std::vector<std::pair<std::string, FolderTotal>>> folders;
  std::map<std::string, std::vector<std::string>> lost, gained;  // variant name -> shaders
  std::vector<std::string> status_changed;  // "file target: ok -> refused (cause)"

  int64_t Lost() const;
  int64_t Gained() const;
};

inline constexpr absl::string_view kCompileTime = "compile_us";

// Both sets were read with these kinds.
Report Compare(const ResultSet& before, const ResultSet& after,
               absl::Span<const StatisticKind> kinds);

}  // namespace kiln::client::report

#endif  // KILN_CLIENT_REPORT_COMPARE_H_
