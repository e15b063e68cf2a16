// One of N parts of the inputs, for runs on several machines: `--shard=I/N`.
#ifndef KILN_CLIENT_PRECOMPILE_SHARD_H_
#define KILN_CLIENT_PRECOMPILE_SHARD_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kiln::client {

struct Shard {
  uint32_t number = 1;  // from 1
  uint32_t of = 1;

  // Returns true if a pipeline of this name is part of it. Each name is part of one shard, whatever
  // other inputs there are.
  bool Has(absl::string_view source, absl::string_view name) const;
};

// InvalidArgument: not I/N with 1 <= I <= N <= 10000.
absl::StatusOr<Shard> ParseShard(absl::string_view text);

}  // namespace kiln::client

#endif  // KILN_CLIENT_PRECOMPILE_SHARD_H_
