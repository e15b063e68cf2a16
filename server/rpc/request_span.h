// The span of a request: a call of Compile, a stream, or an item of a stream.
//
// Attributes follow OpenTelemetry's conventions for RPC (rpc.system.name, rpc.method,
// rpc.status_code, error.type); those that begin with "kiln." are Kiln's, and server/README.md
// lists them.
#ifndef KILN_SERVER_RPC_REQUEST_SPAN_H_
#define KILN_SERVER_RPC_REQUEST_SPAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "server/engine/engine.h"
#include "server/metrics/metrics.h"
#include "server/rpc/clients.h"
#include "server/trace/tracer.h"

namespace kiln::server {

// Returns the trace of a call that begins, by its headers; null: it is not traced. `tracer` null:
// no call is.
std::shared_ptr<trace::Trace> BeginTrace(const trace::Tracer* tracer, const Headers& headers);

// The end of a request, as its span tells it.
struct RequestEnd {
  metrics::Metrics::Method method;
  absl::StatusCode code = absl::StatusCode::kOk;
  std::string_view request_id;                        // empty: it has none
  const std::vector<std::string>* targets = nullptr;  // null: none
  const Reply* reply = nullptr;                       // null: none
  uint64_t response_bytes = 0;
};
void EndTrace(const RequestEnd& end, trace::Trace* trace);

}  // namespace kiln::server

#endif  // KILN_SERVER_RPC_REQUEST_SPAN_H_
