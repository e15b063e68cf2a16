// Rows of statistics that back ends share, and the shapes that many rows have.
#ifndef KILN_CORE_TARGET_STATISTIC_ROWS_H_
#define KILN_CORE_TARGET_STATISTIC_ROWS_H_

#include <string_view>

#include "core/target/statistics.h"

namespace kiln {

// Returns a row of things that are counted, of which fewer are better. Without a header, tables
// leave it out.
constexpr StatisticRow CountRow(std::string_view name, std::string_view unit,
                                std::string_view counts, std::string_view header = {}) {
  return {.name = name, .unit = unit, .better = Better::kLower, .counts = counts, .header = header};
}

// Returns a row of cycles by the cost model. `counts` says that it is the model's.
constexpr StatisticRow CyclesRow(std::string_view name, std::string_view counts,
                                 std::string_view header = {}) {
  StatisticRow row = CountRow(name, "cycles", counts, header);
  row.estimated = true;
  return row;
}

inline constexpr StatisticRow kLoopsRow = {.name = "loops",
                                           .unit = "loops",
                                           .better = Better::kLower,
                                           .counts = "Loops of the encoded program.",
                                           .header = "loops",
                                           .shape = true};
inline constexpr StatisticRow kBytesRow =
    CountRow("bytes", "bytes", "The size of the machine code.", "bytes");

}  // namespace kiln

#endif  // KILN_CORE_TARGET_STATISTIC_ROWS_H_
