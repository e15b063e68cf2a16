// kiln.v1.Compiler over gRPC's callback API.
//
// Compile and CompileStream (stream.h) work on raw bytes: requests are parsed here, responses are
// built from cached bytes (response.h). Nothing here blocks. A client that leaves, or whose
// deadline passes, cancels its call in the engine, and with it a compile that no other call waits
// for.
#ifndef KILN_SERVER_RPC_SERVICE_H_
#define KILN_SERVER_RPC_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <string>

#include "kiln/v1/compiler.grpc.pb.h"
#include "server/engine/byte_budget.h"
#include "server/engine/engine.h"
#include "server/metrics/metrics.h"
#include "server/request/wire_bounds.h"
#include "server/rpc/clients.h"
#include "server/trace/tracer.h"

namespace kiln::server {

using CompilerBase = kiln::v1::Compiler::WithRawCallbackMethod_Compile<
    kiln::v1::Compiler::WithRawCallbackMethod_CompileStream<
        kiln::v1::Compiler::WithRawCallbackMethod_GetCapabilities<kiln::v1::Compiler::Service>>>;

class CompilerService final : public CompilerBase {
 public:
  // All arguments outlive the service; `connections` may be null. `request_bytes`: bound for all
  // requests in flight, and for all answers that wait in streams. `faults`: obey the kiln-fault
  // header (tests). `tracer` null: no call is traced.
  CompilerService(Engine* engine, metrics::Metrics* metrics,
                  const net::ConnectionTable* connections, kiln::v1::Capabilities capabilities,
                  uint64_t request_bytes, bool faults, const trace::Tracer* tracer = nullptr)
      : engine_(engine),
        metrics_(metrics),
        connections_(connections),
        capabilities_(std::move(capabilities)),
        bounds_(capabilities_.limits()),
        budget_(request_bytes),
        answers_(request_bytes),
        faults_(faults),
        tracer_(tracer) {}

  grpc::ServerUnaryReactor* Compile(grpc::CallbackServerContext* context,
                                    const grpc::ByteBuffer* request,
                                    grpc::ByteBuffer* response) override;
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* CompileStream(
      grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* GetCapabilities(grpc::CallbackServerContext* context,
                                            const grpc::ByteBuffer* request,
                                            grpc::ByteBuffer* response) override;

  // From now on new calls are refused with Unavailable, and refusals held back are told at once.
  void Drain() {
    draining_ = true;
    engine_->refusals().Stop();
  }
  // Number of Compile calls without an answer yet.
  int in_flight() const { return in_flight_; }

 private:
  // Returns the id that the client sent, or a new one, and sends it back in the call's header.
  static std::string GiveId(grpc::CallbackServerContext* context);
  // Returns the client's name for known_sources.h; empty if it is not needed.
  std::string ClientOf(const net::OpenCall& open, const worker::Owner& owner) const;
  // Holds back the refusal of a call that has not begun. gRPC's own reactor does not report a
  // client that leaves; its refusal then goes nowhere when its turn comes.
  bool Hold(grpc::ServerUnaryReactor* reactor, const grpc::CallbackServerContext& context,
            net::OpenCall open, const grpc::Status& status);
  worker::Fault FaultOf(const grpc::CallbackServerContext& context) const;

  Engine* engine_;
  metrics::Metrics* metrics_;
  const net::ConnectionTable* connections_;
  const kiln::v1::Capabilities capabilities_;
  const WireBounds bounds_;
  ByteBudget budget_;
  ByteBudget answers_;
  const bool faults_;
  const trace::Tracer* const tracer_;
  std::atomic<bool> draining_ = false;
  std::atomic<int> in_flight_ = 0;
};

// Parses the kiln-fault header: KIND[:PASS[:MILLISECONDS]], for example "crash:cse". Kind NONE if
// it is not understood.
worker::Fault ParseFault(std::string_view text);

}  // namespace kiln::server

#endif  // KILN_SERVER_RPC_SERVICE_H_
