#include "core/target/statistics.h"

#include <cassert>

namespace kiln {

void Statistics::Set(size_t row, int64_t value) {
  assert(row < values_.size() && value >= 0);
  values_[row] = value;
}

std::vector<Statistic> Statistics::Known() const {
  std::vector<Statistic> known;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (values_[i].has_value()) known.push_back({&rows_[i], *values_[i]});
  }
  return known;
}

std::optional<int64_t> Statistics::Find(std::string_view name) const {
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].name == name) return values_[i];
  }
  return std::nullopt;
}

int64_t Statistics::At(std::string_view name) const {
  const std::optional<int64_t> value = Find(name);
  assert(value.has_value());
  return *value;
}

}  // namespace kiln
