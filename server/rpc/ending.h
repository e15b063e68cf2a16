// The end of every compile request, over any method: counters, and the response's bytes.
#ifndef KILN_SERVER_RPC_ENDING_H_
#define KILN_SERVER_RPC_ENDING_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/clock.h"
#include "server/engine/byte_budget.h"
#include "server/engine/engine.h"
#include "server/metrics/metrics.h"
#include "server/request/wire_bounds.h"
#include "server/rpc/request_span.h"
#include "server/rpc/response.h"

namespace kiln::server {

// Parses a message from the bytes of a call. Returns false if they are none.
template <typename Message>
bool ParseBuffer(const grpc::ByteBuffer& bytes, Message* message) {
  // The reader does not change the buffer.
  grpc::ProtoBufferReader reader(const_cast<grpc::ByteBuffer*>(&bytes));
  return reader.status().ok() && message->ParseFromZeroCopyStream(&reader);
}

inline metrics::Metrics::Source SourceOf(const Answer& answer) {
  using Source = metrics::Metrics::Source;
  if (answer.ready.status == kiln::v1::TargetResult::NOT_CACHED) return Source::kProbe;
  if (answer.quarantined) return Source::kQuarantine;
  switch (answer.tier) {
    case kiln::v1::CACHE_MEMORY: return Source::kMemory;
    case kiln::v1::CACHE_DISK: return Source::kDisk;
    case kiln::v1::CACHE_COALESCED: return Source::kCoalesced;
    default: return Source::kMiss;
  }
}

inline const cache::ResultTag& TagOf(const Answer& answer) {
  static const cache::ResultTag none;
  return answer.ready.bytes ? answer.ready.bytes.tag() : none;
}

// Returns what is too many in the bytes of a message, before it is parsed.
inline std::optional<WireBounds::TooMany> CheckBuffer(const WireBounds& bounds,
                                                      const grpc::ByteBuffer& bytes,
                                                      const google::protobuf::Descriptor& type) {
  grpc::ProtoBufferReader reader(const_cast<grpc::ByteBuffer*>(&bytes));
  if (!reader.status().ok()) return std::nullopt;
  return bounds.Check(&reader, type);
}

inline size_t BytesOf(const std::vector<grpc::Slice>& slices) {
  size_t bytes = 0;
  for (const grpc::Slice& slice : slices) bytes += slice.size();
  return bytes;
}

// Made when the request begins; End is called once. A response of more than `most_bytes` does not
// reach the client. `share`: of the request's bytes, given back with the answer; empty if it got
// none. `trace`: null: the request is not traced.
class Ending {
 public:
  using Method = metrics::Metrics::Method;
  Ending(metrics::Metrics* metrics, Method method, std::atomic<int>* in_flight,
         const kiln::v1::CompileRequest& request, ByteBudget::Share share,
         std::shared_ptr<trace::Trace> trace,
         size_t most_bytes = std::numeric_limits<size_t>::max())
      : metrics_(metrics),
        method_(method),
        in_flight_(in_flight),
        most_bytes_(most_bytes),
        share_(std::move(share)),
        trace_(std::move(trace)),
        targets_(request.targets().begin(), request.targets().end()) {
    metrics_->RequestBytes(static_cast<double>(share_.bytes()));
  }

  absl::Time begun() const { return start_; }

  // Returns the bytes of a CompileResponse; none if the reply is not ok. `request_id`: empty if the
  // request has none.
  std::vector<grpc::Slice> End(const Reply& reply, std::string_view request_id = "") {
    std::vector<grpc::Slice> response;
    absl::Duration took = absl::Now() - start_;
    absl::StatusCode code = reply.status.code();
    if (reply.status.ok()) {
      auto source = metrics::Metrics::Source::kQuarantine;
      for (size_t i = 0; i < reply.answers.size(); ++i) {
        const Answer& a = reply.answers[i];
        source = std::max(source, SourceOf(a));
        metrics_->Result(targets_[i], a.ready.status, SourceOf(a), TagOf(a));
      }
      response = BuildResponse(reply, absl::ToInt64Nanoseconds(took));
      metrics_->RequestTook(method_, targets_, source, absl::ToDoubleSeconds(took), request_id);
      if (BytesOf(response) > most_bytes_) code = absl::StatusCode::kResourceExhausted;
    }
    metrics_->RequestEnds(method_, code);
    if (trace_ != nullptr) {
      EndTrace({method_, code, request_id, &targets_, &reply, BytesOf(response)}, trace_.get());
    }
    metrics_->RequestBytes(-static_cast<double>(share_.bytes()));
    share_.Release();
    --*in_flight_;
    return response;
  }

 private:
  metrics::Metrics* metrics_;
  Method method_;
  std::atomic<int>* in_flight_;
  size_t most_bytes_;
  ByteBudget::Share share_;
  std::shared_ptr<trace::Trace> trace_;
  absl::Time start_ = absl::Now();
  std::vector<std::string> targets_;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_RPC_ENDING_H_
