// The figures of a variant (Statistics in compile.proto) as names and values: packed by workers,
// read by clients.
//
// Problem: figures travel by name, since each target has its own. Clients of before that read a
// field for each of the twelve that there were, and daemons of before that send nothing else. So
// the fields are filled and read as well, by their names in the message's descriptor.
#ifndef KILN_PROTO_STATISTICS_H_
#define KILN_PROTO_STATISTICS_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "kiln/v1/compile.pb.h"

namespace kiln {

struct NamedValue {
  absl::string_view name;
  int64_t value = 0;

  friend bool operator==(const NamedValue&, const NamedValue&) = default;
};

// The most figures that a variant may have.
inline constexpr int kMaxStatistics = 64;

// Returns true for a name that a figure may have: 1 to 60 lower-case letters, digits and
// underscores, which is none of the other keys that the client's JSON has for a variant.
bool IsStatisticName(absl::string_view name);

// Returns the message that has these figures, in this order.
v1::Statistics PackStatistics(absl::Span<const NamedValue> values);

// Returns the figures of a variant in the order of its target's rows; none if it has none. The
// names point into `variant`. Whatever a service sends, the names can be keys of one JSON object:
// leaves out names that no figure may have, repeated ones, negative values, and those after the
// first kMaxStatistics.
std::vector<NamedValue> ReadStatistics(const v1::Variant& variant);

// Returns true for a message as PackStatistics makes it, whose figures are as ReadStatistics
// returns them, all of them.
bool IsPacked(const v1::Statistics& statistics);

}  // namespace kiln

#endif  // KILN_PROTO_STATISTICS_H_
