// Figures about a variant: rows that a back end declares, and their values.
//
// Everything outside of the back end treats a row as data: results, requests' keys, tables, reports
// and the client's JSON lines have whatever rows the target declares, in their order. README.md
// says how to add one.
#ifndef KILN_CORE_TARGET_STATISTICS_H_
#define KILN_CORE_TARGET_STATISTICS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/types/span.h"

namespace kiln {

// The direction in which a figure is for the better.
enum class Better : uint8_t { kNeither, kLower, kHigher };

struct StatisticRow {
  // The key in results: snake_case, never renamed. Back ends that use the same name mean the same
  // by it; a figure that comes to be counted in another way gets another name, since results of
  // both are compared.
  std::string_view name;
  std::string_view unit;  // of the value, in the plural: "instructions", "bytes"
  Better better = Better::kNeither;
  std::string_view counts = {};  // what it counts, in one sentence for users
  std::string_view header = {};  // of its column in tables; empty: tables leave it out
  bool estimated = false;        // by a model of the machine, not counted in the code
  // Variants that differ in it are programs of different shape, whose other figures say nothing
  // about better or worse: reports list them apart.
  bool shape = false;
};

// A figure that is known.
struct Statistic {
  const StatisticRow* row;
  int64_t value;
};

class Statistics {
 public:
  Statistics() = default;
  // No value is known yet. `rows` must outlive the object: it is a back end's table.
  explicit Statistics(absl::Span<const StatisticRow> rows) : rows_(rows), values_(rows.size()) {}

  absl::Span<const StatisticRow> rows() const { return rows_; }
  // `row`: the position in rows(). `value` is not negative.
  void Set(size_t row, int64_t value);
  // Returns the known figures in the order of rows().
  std::vector<Statistic> Known() const;
  // Returns nothing for a name that is not declared, and for a figure that is not known.
  std::optional<int64_t> Find(std::string_view name) const;
  // Returns a figure that must be known.
  int64_t At(std::string_view name) const;

 private:
  absl::Span<const StatisticRow> rows_;
  std::vector<std::optional<int64_t>> values_;  // by row
};

// A row with the function that states its value from what a back end knows of a variant; nothing if
// it is not known.
template <typename Facts>
struct StatedRow {
  StatisticRow row;
  std::optional<int64_t> (*value)(const Facts& facts);
};

// Returns the rows of a back end's table without their functions.
template <typename Facts, size_t n>
constexpr std::array<StatisticRow, n> RowsOf(const StatedRow<Facts> (&table)[n]) {
  std::array<StatisticRow, n> rows;
  for (size_t i = 0; i < n; ++i) rows[i] = table[i].row;
  return rows;
}

// Returns the values of a table's rows. `rows` is RowsOf(table) and must outlive them.
template <typename Facts, size_t n>
Statistics StatisticsFrom(const StatedRow<Facts> (&table)[n],
                          const std::array<StatisticRow, n>& rows, const Facts& facts) {
  Statistics statistics(rows);
  for (size_t i = 0; i < n; ++i) {
    if (const std::optional<int64_t> value = table[i].value(facts)) statistics.Set(i, *value);
  }
  return statistics;
}

}  // namespace kiln

#endif  // KILN_CORE_TARGET_STATISTICS_H_
