// Samples requests and completes their spans: see tracer.h.
#include "server/trace/tracer.h"

#include <cmath>
#include <optional>

#include "absl/strings/str_join.h"

namespace kiln::trace {

SpanId Trace::Add(Span step, const SpanId* parent) {
  const SpanId id = NewSpanId();
  step.context = own_;
  step.context.span = id;
  step.parent = parent == nullptr ? own_.span : *parent;
  exporter_->Add(std::move(step));
  return id;
}

void Trace::End(Span span) {
  span.context = own_;
  span.parent = parent_;
  span.parent_is_remote = parent_is_remote_;
  span.start = begun_;
  span.end = Now();
  exporter_->Add(std::move(span));
}

std::shared_ptr<Trace> Trace::Child() const {
  Context own = own_;
  own.span = NewSpanId();
  return std::make_shared<Trace>(exporter_, std::move(own), own_.span, false, clock_);
}

bool Tracer::IsIncluded(const TraceId& trace, double ratio) {
  constexpr size_t kBytes = 7;  // those that are random by the recommendation's second level
  uint64_t random = 0;
  for (size_t i = trace.size() - kBytes; i < trace.size(); ++i) random = random << 8 | trace[i];
  return std::ldexp(static_cast<double>(random >> 3), -53) < ratio;  // a double has 53 bits
}

std::shared_ptr<Trace> Tracer::Begin(const std::vector<std::string>& traceparent,
                                     const std::vector<std::string>& tracestate) const {
  std::optional<Context> parent;
  if (traceparent.size() == 1) parent = ParseTraceparent(traceparent[0]);
  if (!parent.has_value()) {
    if (sampling_.ratio <= 0) return nullptr;
    Context own = NewContext(true);
    if (!IsIncluded(own.trace, sampling_.ratio)) return nullptr;
    return std::make_shared<Trace>(exporter_, std::move(own), SpanId{}, false);
  }
  const bool traced =
      sampling_.by_parent ? parent->sampled() : IsIncluded(parent->trace, sampling_.ratio);
  if (!traced) return nullptr;
  Context own = *parent;
  own.span = NewSpanId();
  own.flags |= kSampled;
  own.state = CheckedTracestate(absl::StrJoin(tracestate, ","));
  return std::make_shared<Trace>(exporter_, std::move(own), parent->span, true);
}

}  // namespace kiln::trace
