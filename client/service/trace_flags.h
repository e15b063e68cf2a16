// --traceparent and TRACEPARENT: the trace that a command's calls belong to.
#ifndef KILN_CLIENT_SERVICE_TRACE_FLAGS_H_
#define KILN_CLIENT_SERVICE_TRACE_FLAGS_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "client/cli/flags.h"

namespace kiln::client {

// The headers that a command sends with each call; empty: none.
struct TraceHeaders {
  std::string traceparent;
  std::string tracestate;
  bool is_new = false;  // the trace begins with this command
};

// Returns the headers that the flag or the environment asks for. A new trace is sampled, since its
// user asked for it, and is the same for all calls of this process. InvalidArgument: the flag's
// value is no traceparent; a variable that is none is ignored, as W3C's recommendation says.
// `environment`: as getenv.
absl::StatusOr<TraceHeaders> TraceHeadersOf(
    const ParsedFlags& flags, const std::function<const char*(const char*)>& environment);

}  // namespace kiln::client

#endif  // KILN_CLIENT_SERVICE_TRACE_FLAGS_H_
