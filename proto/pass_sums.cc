// Pass records summed by name: see pass_sums.h.
#include "proto/pass_sums.h"

#include <algorithm>

namespace kiln {
namespace {

using v1::PassRecord;
using v1::PassSums;
using v1::TargetResult;

// Adds any numbers: a worker that a shader has taken over may send any.
int64_t Wrapped(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

}  // namespace

void PassSummer::Add(const PassRecord& record) {
  const auto [found, is_new] = index_.try_emplace(record.pass(), sums_.runs_size());
  if (is_new) {
    sums_.mutable_names()->append(record.pass());
    sums_.add_name_bytes(static_cast<uint32_t>(record.pass().size()));
    sums_.add_runs(0);
    sums_.add_changed(0);
    sums_.add_nanoseconds(0);
    sums_.add_instructions_delta(0);
  }
  const int i = found->second;
  const int64_t fewer = Wrapped(~record.instructions_before(), 1);
  const int64_t delta = Wrapped(record.instructions_after(), fewer);
  sums_.set_runs(i, sums_.runs(i) + 1);
  sums_.set_changed(i, sums_.changed(i) + (record.changed() ? 1 : 0));
  sums_.set_nanoseconds(i, Wrapped(sums_.nanoseconds(i), record.nanoseconds()));
  sums_.set_instructions_delta(i, Wrapped(sums_.instructions_delta(i), delta));
}

void SumPasses(TargetResult* result) {
  result->clear_pass_sums();
  PassSummer summer;
  for (const PassRecord& record : result->passes()) summer.Add(record);
  if (!summer.empty()) *result->mutable_pass_sums() = std::move(summer).Take();
}

std::vector<PassSum> ReadPassSums(const PassSums& sums) {
  const int n = std::min({sums.name_bytes_size(), sums.runs_size(), sums.changed_size(),
                          sums.nanoseconds_size(), sums.instructions_delta_size()});
  std::vector<PassSum> read;
  read.reserve(static_cast<size_t>(n));
  absl::string_view names = sums.names();
  for (int i = 0; i < n && sums.name_bytes(i) <= names.size(); ++i) {
    read.push_back({names.substr(0, sums.name_bytes(i)), sums.runs(i), sums.changed(i),
                    sums.nanoseconds(i), sums.instructions_delta(i)});
    names.remove_prefix(sums.name_bytes(i));
  }
  return read;
}

}  // namespace kiln
