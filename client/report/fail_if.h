// The conditions of `kiln report --fail-if`.
//
//   EXPR      := CONDITION { ("," | "or") CONDITION }       fails if any of them holds
//   CONDITION := METRIC (">" | ">=") NUMBER ["%"]
//   METRIC    := STATISTIC             change of the total, in its unit or in per cent
//              | STATISTIC ".max"      largest change of one variant for the worse
//              | STATISTIC ".hurt"     number of variants hurt
//              | "lost" | "gained"     number of variants
//              | "only_before" | "only_after"    number of results that only one set names
//              | "loops_changed"                 number of variants whose loops changed
//              | "loops_changed." STATISTIC [".max" | ".hurt"]   of those variants
//
// STATISTIC: one that has a direction for the better; a statistic of shape (loops) is of all
// variants. Also `compile_us`, of modules. Changes for the worse count as positive: so does a fall
// of a statistic that is better higher.
#ifndef KILN_CLIENT_REPORT_FAIL_IF_H_
#define KILN_CLIENT_REPORT_FAIL_IF_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "client/report/compare.h"

namespace kiln::client::report {

struct Condition {
  enum class Of : uint8_t {
    kTotal,
    kMax,
    kHurt,
    kLost,
    kGained,
    kOnlyBefore,
    kOnlyAfter,
    kLoopsChanged
  };
  std::string text;  // as written
  Of of = Of::kTotal;
  std::string statistic;       // for kTotal, kMax, kHurt
  bool loops_changed = false;  // for these: among the variants whose loops changed
  bool or_equal = false;
  bool percent = false;
  double bound = 0;
};

// InvalidArgument names the wrong part and the right form.
absl::StatusOr<std::vector<Condition>> ParseFailIf(absl::string_view expression,
                                                   absl::Span<const StatisticKind> kinds);

// Returns the conditions that hold, "instructions>1% (1.52%)". A statistic that no result has is an
// error, since such a gate could not fail.
absl::StatusOr<std::vector<std::string>> Failures(const std::vector<Condition>& conditions,
                                                  const Report& report);

}  // namespace kiln::client::report

#endif  // KILN_CLIENT_REPORT_FAIL_IF_H_
