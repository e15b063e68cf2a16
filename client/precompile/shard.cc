// One of N parts of the inputs: see shard.h.
#include "client/precompile/shard.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/key/sha256.h"

namespace kiln::client {
namespace {

constexpr uint32_t kMaxShards = 10000;

}  // namespace

bool Shard::Has(absl::string_view source, absl::string_view name) const {
  if (of == 1) return true;
  cache::CanonicalWriter writer("shard");
  writer.Add(std::string_view(source.data(), source.size()));
  writer.Add(std::string_view(name.data(), name.size()));
  const cache::Digest digest = writer.Finish();
  uint32_t number_of_name = 0;
  for (int i = 0; i < 4; ++i) number_of_name = number_of_name << 8 | digest[static_cast<size_t>(i)];
  return number_of_name % of == number - 1;
}

absl::StatusOr<Shard> ParseShard(absl::string_view text) {
  const std::pair<std::string, std::string> halves = absl::StrSplit(text, absl::MaxSplits('/', 1));
  Shard shard;
  if (absl::SimpleAtoi(halves.first, &shard.number) && absl::SimpleAtoi(halves.second, &shard.of) &&
      shard.number >= 1 && shard.number <= shard.of && shard.of <= kMaxShards) {
    return shard;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", text, "' is not I/N, with I from 1 to N and N at most ", kMaxShards));
}

}  // namespace kiln::client
