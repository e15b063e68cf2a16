// The strings of launch records as tables, searched in both directions. Internal to the conversion.
#ifndef KILN_PROTO_LAUNCH_NAMES_H_
#define KILN_PROTO_LAUNCH_NAMES_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace kiln::proto {

template <typename E>
struct NameOf {
  const char* name;
  E value;
};

template <typename E, size_t N>
std::optional<E> Value(const NameOf<E> (&table)[N], const std::string& name) {
  for (const NameOf<E>& row : table) {
    if (name == row.name) return row.value;
  }
  return std::nullopt;
}

// Returns the first name of a value; "" if it has none.
template <typename E, size_t N>
const char* NameFor(const NameOf<E> (&table)[N], E value) {
  for (const NameOf<E>& row : table) {
    if (value == row.value) return row.name;
  }
  return "";
}

inline absl::Status Wrong(const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("launch record: ", what));
}

inline absl::Status Unknown(const char* what, const std::string& name) {
  return Wrong(absl::StrCat("unknown ", what, " '", name, "'"));
}

}  // namespace kiln::proto

#endif  // KILN_PROTO_LAUNCH_NAMES_H_
