// Joins constant tables, so that a table may begin with rows that others share.
#ifndef KILN_CORE_BASE_JOINED_H_
#define KILN_CORE_BASE_JOINED_H_

#include <array>
#include <cstddef>

namespace kiln {

// Returns the rows of all tables, in their order.
template <class T, size_t... n>
constexpr std::array<T, (n + ...)> Joined(const std::array<T, n>&... tables) {
  std::array<T, (n + ...)> all{};
  size_t at = 0;
  const auto append = [&](const auto& table) {
    for (const T& row : table) all[at++] = row;
  };
  (append(tables), ...);
  return all;
}

}  // namespace kiln

#endif  // KILN_CORE_BASE_JOINED_H_
