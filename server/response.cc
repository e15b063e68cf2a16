// A CompileResponse put together from ready bytes: see response.h.
#include "server/response.h"

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

std::string RequestPart(const Reply& reply, const Answer& answer, int64_t service_ns) {
  kiln::v1alpha::TargetResult part;
  part.set_cache(answer.tier);
  part.mutable_timings()->set_translate_ns(reply.translate_ns);
  part.mutable_timings()->set_queue_ns(answer.queue_ns);
  part.mutable_timings()->set_service_ns(service_ns);
  return part.SerializeAsString();
}

grpc::Slice ByReference(const cache::MemoryTier::Value& value, size_t bytes) {
  auto* owner = new cache::MemoryTier::Value(value);
  return grpc::Slice(
      const_cast<char*>(value->data()), bytes,
      [](void* p) { delete static_cast<cache::MemoryTier::Value*>(p); }, owner);
}

}  // namespace

void BuildResponse(const Reply& reply, int64_t service_ns, grpc::ByteBuffer* out) {
  std::vector<grpc::Slice> slices;
  std::string pending;
  for (const Answer& answer : reply.answers) {
    std::string part = RequestPart(reply, answer, service_ns);
    size_t bytes = answer.ready.bytes->size() - 1;  // the last is the status
    pending.push_back(kResultsTag);
    AppendVarint(bytes + part.size(), &pending);
    if (bytes < kCopyBelow) {
      pending.append(*answer.ready.bytes, 0, bytes);
    } else {
      slices.emplace_back(pending);
      pending.clear();
      slices.push_back(ByReference(answer.ready.bytes, bytes));
    }
    pending.append(part);
  }
  slices.emplace_back(pending);
  *out = grpc::ByteBuffer(slices.data(), slices.size());
}

}  // namespace kiln::server
