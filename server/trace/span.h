// A finished span: a step of a request's way, with its time and what it found out.
//
// Names, keys of attributes and values come from bounded sets, are keys of results, or are request
// ids: never a source, an entry point's name or a client's address.
#ifndef KILN_SERVER_TRACE_SPAN_H_
#define KILN_SERVER_TRACE_SPAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "server/trace/context.h"

namespace kiln::trace {

using Value = std::variant<std::string, int64_t, bool>;
// The keys outlive the process' spans: they are literals.
using Attributes = std::vector<std::pair<std::string_view, Value>>;

// As in OTLP.
enum class Kind { kInternal = 1, kServer = 2 };

struct Event {
  absl::Time time;
  std::string_view name;  // a literal
  Attributes attributes;
};

// A span of another trace, or of another part of this one, to which a span belongs as well.
struct Link {
  TraceId trace{};
  SpanId span{};
};

struct Span {
  Context context;  // of the span itself
  SpanId parent{};  // zeros: it is the root
  bool parent_is_remote = false;
  std::string name;
  Kind kind = Kind::kInternal;
  absl::Time start, end;
  Attributes attributes;
  std::vector<Event> events;
  std::optional<Link> link;
  bool failed = false;

  // Returns about how many bytes the span has, texts included.
  size_t Bytes() const;
};

}  // namespace kiln::trace

#endif  // KILN_SERVER_TRACE_SPAN_H_
