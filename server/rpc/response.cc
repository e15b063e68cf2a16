// Builds a CompileResponse from ready bytes: see response.h.
#include "server/rpc/response.h"

#include <string>
#include <utility>
#include <vector>

namespace kiln::server {
namespace {

// Below this a copy is cheaper than a slice of its own.
constexpr size_t kCopyBelow = 2048;
// Field 1 of CompileResponse, length-delimited.
constexpr char kResultsTag = (1 << 3) | 2;

void AppendVarint(uint64_t n, std::string* out) {
  while (n >= 0x80) {
    out->push_back(static_cast<char>(n | 0x80));
    n >>= 7;
  }
  out->push_back(static_cast<char>(n));
}

void AppendField(int number, uint64_t value, std::string* out) {
  if (value == 0) return;
  AppendVarint(static_cast<uint64_t>(number) << 3, out);
  AppendVarint(value, out);
}

// Encodes the fields of a TargetResult that belong to this request, by hand: a message object of
// that type, with its dozen sub-objects, costs more than all the rest of a hit's response.
std::string RequestPart(const Reply& reply, const Answer& answer, int64_t service_ns) {
  using kiln::v1::TargetResult;
  using kiln::v1::Timings;
  std::string timings;
  AppendField(Timings::kTranslateNsFieldNumber, static_cast<uint64_t>(reply.translate_ns),
              &timings);
  AppendField(Timings::kQueueNsFieldNumber, static_cast<uint64_t>(answer.queue_ns), &timings);
  AppendField(Timings::kServiceNsFieldNumber, static_cast<uint64_t>(service_ns), &timings);
  AppendField(Timings::kStartNsFieldNumber, static_cast<uint64_t>(reply.start_ns), &timings);
  std::string part;
  AppendVarint((TargetResult::kTimingsFieldNumber << 3) | 2, &part);
  AppendVarint(timings.size(), &part);
  part.append(timings);
  AppendField(TargetResult::kCacheFieldNumber, static_cast<uint64_t>(answer.tier), &part);
  return part;
}

grpc::Slice ByReference(const cache::MemoryTier::Value& value) {
  auto* owner = new cache::MemoryTier::Value(value);
  return grpc::Slice(
      const_cast<char*>(value->data()), value->size(),
      [](void* p) { delete static_cast<cache::MemoryTier::Value*>(p); }, owner);
}

}  // namespace

std::vector<grpc::Slice> BuildResponse(const Reply& reply, int64_t service_ns) {
  std::vector<grpc::Slice> slices;
  slices.reserve(2 * reply.answers.size() + 2);
  std::string pending;
  for (const Answer& answer : reply.answers) {
    std::string part = RequestPart(reply, answer, service_ns);
    const size_t bytes = answer.ready.bytes->size();
    pending.push_back(kResultsTag);
    AppendVarint(bytes + part.size(), &pending);
    if (bytes < kCopyBelow) {
      pending.append(*answer.ready.bytes);
    } else {
      slices.emplace_back(pending);
      pending.clear();
      slices.push_back(ByReference(answer.ready.bytes));
    }
    pending.append(part);
  }
  slices.emplace_back(pending);
  return slices;
}

}  // namespace kiln::server
