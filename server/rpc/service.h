// kiln.v1alpha.Compiler over gRPC's callback API.
//
// Compile and CompileStream (stream.h) work on raw bytes: requests are parsed here, responses are
// put together from cached bytes (response.h). Nothing here blocks. A client that leaves, or whose
// deadline passes, cancels its call in the engine, and with it a compile that nobody else waits
// for.
#ifndef KILN_SERVER_RPC_SERVICE_H_
#define KILN_SERVER_RPC_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <string>

#include "proto/compiler.grpc.pb.h"
#include "server/engine/byte_budget.h"
#include "server/engine/engine.h"
#include "server/metrics/metrics.h"
#include "server/request/wire_bounds.h"
#include "server/rpc/clients.h"

namespace kiln::server {

using CompilerBase = kiln::v1alpha::Compiler::WithRawCallbackMethod_Compile<
    kiln::v1alpha::Compiler::WithRawCallbackMethod_CompileStream<
        kiln::v1alpha::Compiler::WithRawCallbackMethod_GetCapabilities<
            kiln::v1alpha::Compiler::Service>>>;

class CompilerService final : public CompilerBase {
 public:
  // All outlive the service; `connections` may be null. `request_bytes`: of all requests in flight,
  // and of all answers that wait in streams. `faults`: obey the kiln-fault header (tests).
  CompilerService(Engine* engine, metrics::Metrics* metrics,
                  const net::ConnectionTable* connections, kiln::v1alpha::Capabilities capabilities,
                  uint64_t request_bytes, bool faults)
      : engine_(engine),
        metrics_(metrics),
        connections_(connections),
        capabilities_(std::move(capabilities)),
        bounds_(capabilities_.limits()),
        budget_(request_bytes),
        answers_(request_bytes),
        faults_(faults) {}

  grpc::ServerUnaryReactor* Compile(grpc::CallbackServerContext* context,
                                    const grpc::ByteBuffer* request,
                                    grpc::ByteBuffer* response) override;
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* CompileStream(
      grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* GetCapabilities(grpc::CallbackServerContext* context,
                                            const grpc::ByteBuffer* request,
                                            grpc::ByteBuffer* response) override;

  // From now on calls are refused with Unavailable, and those that are refused are told so at once.
  void Drain() {
    draining_ = true;
    engine_->refusals().Stop();
  }
  // Compile calls that are not answered.
  int in_flight() const { return in_flight_; }

 private:
  // What the client calls it, or a new one; it is told in the call's header.
  static std::string GiveId(grpc::CallbackServerContext* context);
  // As known_sources.h has it; empty where it does not matter.
  std::string ClientOf(const net::OpenCall& open, const worker::Owner& owner) const;
  // The refusal of a call that has not begun is told later. gRPC's own reactor hears of no client
  // that leaves: then it is told to nobody, when its turn comes.
  bool Hold(grpc::ServerUnaryReactor* reactor, const grpc::CallbackServerContext& context,
            net::OpenCall open, const grpc::Status& status);
  worker::Fault FaultOf(const grpc::CallbackServerContext& context) const;

  Engine* engine_;
  metrics::Metrics* metrics_;
  const net::ConnectionTable* connections_;
  const kiln::v1alpha::Capabilities capabilities_;
  const WireBounds bounds_;
  ByteBudget budget_;
  ByteBudget answers_;
  const bool faults_;
  std::atomic<bool> draining_ = false;
  std::atomic<int> in_flight_ = 0;
};

// The kiln-fault header: KIND[:PASS[:MILLISECONDS]], for example "crash:cse". Kind NONE where it is
// not understood.
worker::Fault ParseFault(std::string_view text);

}  // namespace kiln::server

#endif  // KILN_SERVER_RPC_SERVICE_H_
