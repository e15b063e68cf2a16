// The JSON lines of `kiln batch`, as far as a comparison needs them.
//
// Lines are read one at a time; only a few numbers per variant are kept. A line that is no result
// is an error that names the line. A file, entry point, target and permutation that come twice (a
// resumed batch) count once: the later line wins and `repeated` counts such lines.
#ifndef KILN_CLIENT_REPORT_RESULTS_H_
#define KILN_CLIENT_REPORT_RESULTS_H_

#include <cstdint>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace kiln::client::report {

enum class Direction : uint8_t { kNeither, kLower, kHigher };

// A statistic of variants. The caller has the list of those that targets declare.
struct StatisticKind {
  std::string name;                        // the key in the JSON line
  Direction better = Direction::kNeither;  // the direction of a change for the better
  // Variants that differ in it are listed apart, and left out of the other statistics.
  bool shape = false;
  // Differs between two runs of the same compile: a sum and changes are shown, a verdict is not.
  bool measured = false;
};

// By kind; -1 for a statistic that a line lacks.
using Numbers = std::vector<int64_t>;

struct Result {
  std::string status;  // "ok", "refused", ...
  std::string cause;
  std::map<std::string, Numbers> variants;  // by name, "SIMD16"
  int64_t compile_us = -1;                  // the compile's time; -1: not stated
  std::string key = {};                     // of the daemon's cache; empty: not stated
};

// Distinguishes permutations of a module.
struct Permutation {
  std::string name;  // given by a manifest; may be empty
  // Defines, constants, subgroup size, pipeline state and so on in force, and the other file of a
  // pair, as text; may be empty.
  std::string options;
  std::string widths = {};  // requested, separated by spaces; empty: none are stated

  auto operator<=>(const Permutation&) const = default;
};

// Identifies a line's subject. Lines older than "entry" name the entry point only if the module was
// compiled; two entry points of a module may have the same name, but then different stages. Lines
// older than "version" do not state their permutation.
struct ResultKey {
  std::string file;
  std::string target;
  std::string entry = "";                                 // empty: not said
  std::string stage = "";                                 // empty: not said
  std::optional<Permutation> permutation = std::nullopt;  // nullopt: not said

  // Returns true if both may mean the same result: no part that both state differs.
  bool MayBe(const ResultKey& other) const;
  // Does the same without regard to permutations.
  bool MayBeSameModule(const ResultKey& other) const;
  // Returns true if all parts are stated: then only an equal key may mean the same, among keys that
  // are complete, too.
  bool SaysAll() const { return !entry.empty() && !stage.empty() && permutation.has_value(); }
  auto operator<=>(const ResultKey&) const = default;
};

struct ResultSet {
  std::map<ResultKey, Result> results;
  int64_t repeated = 0;
  // Set if some key is not complete.
  bool vague = false;
};

// Reads the statistics of `kinds`, and ignores other keys. `name` is used in errors
// ("before.jsonl"). InvalidArgument: "before.jsonl:3: ...".
absl::StatusOr<ResultSet> ReadResults(std::istream& in, absl::string_view name,
                                      absl::Span<const StatisticKind> kinds);

}  // namespace kiln::client::report

#endif  // KILN_CLIENT_REPORT_RESULTS_H_
