// Pass records summed by name (PassSums in compile.proto): made by the daemon, read by clients.
#ifndef KILN_PROTO_PASS_SUMS_H_
#define KILN_PROTO_PASS_SUMS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "kiln/v1/compile.pb.h"

namespace kiln {

// Sums the records of one result. Sums that do not fit into 64 bits wrap around.
class PassSummer {
 public:
  void Add(const v1::PassRecord& record);
  bool empty() const { return index_.empty(); }
  v1::PassSums Take() && { return std::move(sums_); }

 private:
  v1::PassSums sums_;
  absl::flat_hash_map<std::string, int> index_;  // index of a name in the lists of `sums_`
};

// Sets the sums of `result` from its records, which stay; none if there are no records.
void SumPasses(v1::TargetResult* result);

struct PassSum {
  absl::string_view name;
  int64_t runs = 0, changed = 0, nanoseconds = 0, instructions_delta = 0;
};

// Reads `sums`; the names point into it. From lists of different lengths, or names that are shorter
// than their stated lengths, returns the complete elements.
std::vector<PassSum> ReadPassSums(const v1::PassSums& sums);

}  // namespace kiln

#endif  // KILN_PROTO_PASS_SUMS_H_
