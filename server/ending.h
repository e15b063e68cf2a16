// What every compile request ends with, however it came: counters, and the response's bytes.
#ifndef KILN_SERVER_ENDING_H_
#define KILN_SERVER_ENDING_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <atomic>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "server/byte_budget.h"
#include "server/engine.h"
#include "server/metrics/metrics.h"
#include "server/response.h"

namespace kiln::server {

// A message from the bytes of a call; false where they are none.
template <typename Message>
bool ParseBuffer(const grpc::ByteBuffer& bytes, Message* message) {
  // The reader does not change the buffer.
  grpc::ProtoBufferReader reader(const_cast<grpc::ByteBuffer*>(&bytes));
  return reader.status().ok() && message->ParseFromZeroCopyStream(&reader);
}

// Made when the request begins; End is called once. `response` gets a CompileResponse where the
// reply is ok. `share`: of the request's bytes, given back with the answer; empty if it got none.
class Ending {
 public:
  Ending(metrics::Metrics* metrics, std::atomic<int>* in_flight,
         const kiln::v1alpha::CompileRequest& request, grpc::ByteBuffer* response,
         ByteBudget::Share share)
      : metrics_(metrics),
        in_flight_(in_flight),
        response_(response),
        share_(std::move(share)),
        targets_(request.targets().begin(), request.targets().end()) {
    metrics_->RequestBytes(static_cast<double>(share_.bytes()));
  }

  void End(const Reply& reply) {
    absl::Duration took = absl::Now() - start_;
    bool hit = true;
    if (reply.status.ok()) {
      for (size_t i = 0; i < reply.answers.size(); ++i) {
        const Answer& a = reply.answers[i];
        hit = hit && (a.tier == kiln::v1alpha::CACHE_MEMORY || a.tier == kiln::v1alpha::CACHE_DISK);
        metrics_->Result(targets_[i], a.ready.status, a.tier);
      }
      BuildResponse(reply, absl::ToInt64Nanoseconds(took), response_);
    }
    metrics_->RequestEnds(metrics::Metrics::Method::kCompile, reply.status.code(),
                          absl::ToDoubleSeconds(took), hit);
    metrics_->RequestBytes(-static_cast<double>(share_.bytes()));
    share_.Release();
    --*in_flight_;
  }

 private:
  metrics::Metrics* metrics_;
  std::atomic<int>* in_flight_;
  grpc::ByteBuffer* response_;
  ByteBudget::Share share_;
  absl::Time start_ = absl::Now();
  std::vector<std::string> targets_;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_ENDING_H_
