#include "tests/null/statistics.h"

#include <algorithm>

namespace kiln::null {
namespace {

// The first is one that another target has, too, and means the same.
constexpr StatisticRow kRows[] = {{.name = "bytes",
                                   .unit = "bytes",
                                   .better = Better::kLower,
                                   .counts = "The size of the machine code.",
                                   .header = "bytes"},
                                  {.name = "ignored",
                                   .unit = "instructions",
                                   .better = Better::kLower,
                                   .counts = "Instructions that do nothing.",
                                   .header = "ignored"}};

}  // namespace

absl::Span<const StatisticRow> StatisticRows() { return kRows; }

Statistics Count(absl::Span<const Op> program) {
  Statistics statistics(kRows);
  statistics.Set(0, static_cast<int64_t>(program.size()));
  statistics.Set(1, std::count(program.begin(), program.end(), Op::kIgnore));
  return statistics;
}

}  // namespace kiln::null
