// Results beside a budget: what is over it, as records and as a table.
#ifndef KILN_CLIENT_EXPORT_JUDGE_H_
#define KILN_CLIENT_EXPORT_JUDGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/export/budget.h"
#include "client/export/exported_result.h"

namespace kiln::client {

// A bound that does not hold.
struct Overrun {
  size_t rule = 0;               // in Budget.rules
  std::optional<size_t> result;  // in the list of results; nullopt: of a total
  std::string target;            // empty: of a total of several
  std::string variant;           // "SIMD16"; empty: of a total
  std::string statistic;
  std::optional<int64_t> value;  // nullopt: the variant does not state it
  int64_t bound = 0;
  bool least = false;  // the bound is a minimum
};

struct Verdict {
  std::vector<Overrun> overruns;  // of results in their order, then totals in that of their rules
  std::vector<size_t> unused;     // rules that no OK result fits
  size_t judged = 0;              // variants that some rule bounds
};

// Judges results that are OK; others have no figures. A figure that a bound needs and a variant
// does not have is an overrun: a gate must not pass for want of a number.
Verdict Judge(const Budget& budget, const std::vector<ExportedResult>& results);

// Returns the table of a verdict for people, with line feeds, and a line for each unused rule;
// `file` is the budget's. Empty: nothing is over, and every rule was used.
std::string VerdictText(const Verdict& verdict, const Budget& budget,
                        const std::vector<ExportedResult>& results, const std::string& file);

// Returns one overrun on a line: "SIMD16 instructions 120, at most 100".
std::string OverrunText(const Overrun& overrun);

}  // namespace kiln::client

#endif  // KILN_CLIENT_EXPORT_JUDGE_H_
