// A budget: the most that the statistics of shaders may be, by folder or shader.
//
//   {"rules": [{"path": "ui", "target": "tgl", "stage": "fragment", "entry": "main",
//               "name": "lit", "widths": [16], "max": {STATISTIC: NUMBER}, "min": {...},
//               "total": {STATISTIC: NUMBER}}]}
//
// A rule applies to the results that all of its keys but the last three fit; "path" is a file, or
// the folder that it is in, as results name it, and of a capture's pipelines also "base.foz" and
// "base.foz:graphics". "max" and "min" bound every variant (of "widths", if these are given),
// "total" the sum over the variants of all results to which the rule applies. If several rules
// bound the same statistic of a variant in the same direction, the last one counts: general rules
// come first, exceptions after them; a "total" is each rule's own. The statistics are those that
// targets declare; one that is better higher is bounded by "min", one that is better lower by "max"
// and "total".
#ifndef KILN_CLIENT_EXPORT_BUDGET_H_
#define KILN_CLIENT_EXPORT_BUDGET_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

// By statistic.
using Bounds = std::map<std::string, int64_t>;

struct BudgetRule {
  std::string path;                        // normalised; empty: any
  std::string target, stage, entry, name;  // empty: any
  std::vector<uint32_t> widths;            // empty: any
  Bounds max, min, total;
};

struct Budget {
  std::vector<BudgetRule> rules;
  // By target, its statistics; true: an estimate, which is 0 where there is no model for it.
  std::map<std::string, std::map<std::string, bool>> declared;
};

// Reads a budget from JSON. InvalidArgument: "rule 3: ..." says what is wrong; the numbers of rules
// start from 1. `capabilities` are those of the service whose results are judged.
absl::StatusOr<Budget> ParseBudget(absl::string_view text,
                                   const kiln::v1::Capabilities& capabilities);

}  // namespace kiln::client

#endif  // KILN_CLIENT_EXPORT_BUDGET_H_
