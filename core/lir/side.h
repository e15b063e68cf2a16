// The side table: records of the machine's for operations with kOpSide (lir.h).
#ifndef KILN_CORE_LIR_SIDE_H_
#define KILN_CORE_LIR_SIDE_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/lir/lir.h"

namespace kiln::lir {

// Returns the row's index: that of an equal row if there is one, else of the row appended. Linear
// in the rows, which are as many as there are different messages; searches from the newest.
inline uint32_t InternSide(Function& f, const SideRow& row) {
  const auto found = std::find(f.side.rbegin(), f.side.rend(), row);
  if (found != f.side.rend()) return static_cast<uint32_t>(f.side.rend() - found - 1);
  f.side.push_back(row);
  return static_cast<uint32_t>(f.side.size() - 1);
}

// Converts a machine's record to a row. `T` has no padding between its members, so that equal
// records have equal bytes.
template <class T>
SideRow RowOf(const T& record) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(SideRow));
  static_assert(std::has_unique_object_representations_v<T>);
  SideRow row;
  std::memcpy(row.words.data(), &record, sizeof record);
  return row;
}

template <class T>
T RecordOf(const SideRow& row) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(SideRow));
  T record;
  std::memcpy(static_cast<void*>(&record), row.words.data(), sizeof record);
  return record;
}

}  // namespace kiln::lir

#endif  // KILN_CORE_LIR_SIDE_H_
