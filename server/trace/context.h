// W3C Trace Context: which trace a request belongs to, and whether its caller records it.
//
// `traceparent` has version, trace id, the caller's span id and flags; `tracestate` is a list of
// other systems' entries that travels with it unread. A traceparent that is not valid counts as
// none, as the recommendation asks, and so does its tracestate.
#ifndef KILN_SERVER_TRACE_CONTEXT_H_
#define KILN_SERVER_TRACE_CONTEXT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kiln::trace {

using TraceId = std::array<uint8_t, 16>;
using SpanId = std::array<uint8_t, 8>;

inline constexpr char kTraceparentHeader[] = "traceparent";
inline constexpr char kTracestateHeader[] = "tracestate";

// Flags of version 00: the caller records the trace; the trace id is random.
inline constexpr uint8_t kSampled = 1, kRandom = 2;

struct Context {
  TraceId trace{};
  SpanId span{};
  uint8_t flags = 0;
  std::string state;  // tracestate; empty: none

  bool sampled() const { return (flags & kSampled) != 0; }
};

// Parses a traceparent. Nothing: it is not valid. Versions after 00 are read as far as 00 goes.
std::optional<Context> ParseTraceparent(std::string_view text);

// Returns the context as a traceparent of version 00.
std::string FormatTraceparent(const Context& context);

// Returns the tracestate without empty members and spaces around members. Empty if it is not valid
// (32 members and 512 characters at most, keys and values of the recommendation's form, no key
// twice): then it is to be dropped as a whole.
std::string CheckedTracestate(std::string_view text);

// Returns a context of a new trace, with random ids.
Context NewContext(bool sampled);
// Returns a random id, never 0.
SpanId NewSpanId();

// Returns the bytes as digits of base 16, in lower case.
std::string Hex(std::span<const uint8_t> bytes);

}  // namespace kiln::trace

#endif  // KILN_SERVER_TRACE_CONTEXT_H_
