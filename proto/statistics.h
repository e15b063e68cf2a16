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
#include "proto/compile.pb.h"

namespace kiln {

struct NamedValue {
  absl::string_view name;
  int64_t value = 0;

  friend bool operator==(const NamedValue&, const NamedValue&) = default;
};

// Returns the message that has these figures, in this order.
v1alpha::Statistics PackStatistics(absl::Span<const NamedValue> values);

// Returns the figures of a variant in the order of its target's rows; none if it has none. The
// names point into `variant`. Leaves out values whose names are no words of 1 to 60 letters, digits
// and underscores, which JSON could not have as they are.
std::vector<NamedValue> ReadStatistics(const v1alpha::Variant& variant);

// Returns true for a message as PackStatistics makes it, of at most `most` figures whose names are
// words and different, and whose values are not negative.
bool IsPacked(const v1alpha::Statistics& statistics, int most);

}  // namespace kiln

#endif  // KILN_PROTO_STATISTICS_H_
