// Reads the trace context of a command: see trace_flags.h.
#include "client/service/trace_flags.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/trace/context.h"

namespace kiln::client {

absl::StatusOr<TraceHeaders> TraceHeadersOf(
    const ParsedFlags& flags, const std::function<const char*(const char*)>& environment) {
  const auto variable = [&](const char* name) -> std::string {
    const char* value = environment(name);
    return value == nullptr ? "" : value;
  };
  TraceHeaders headers;
  const std::string flag = flags.Get("traceparent");
  if (flag == "new") {
    static const std::string own = trace::FormatTraceparent(trace::NewContext(true));
    headers.traceparent = own;
    headers.is_new = true;
    return headers;
  }
  const bool given = flags.Has("traceparent");
  const std::optional<trace::Context> context =
      trace::ParseTraceparent(given ? flag : variable("TRACEPARENT"));
  if (context.has_value()) {
    headers.traceparent = trace::FormatTraceparent(*context);
    // Belongs to the variable: with the flag another trace may be meant.
    if (!given) headers.tracestate = trace::CheckedTracestate(variable("TRACESTATE"));
  } else if (given) {
    return absl::InvalidArgumentError(
        absl::StrCat("--traceparent=", flag, ": must be 'new' or a W3C traceparent, for example ",
                     "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"));
  }
  return headers;
}

}  // namespace kiln::client
