// Decides which requests are traced, and takes their spans.
//
// A request with a valid traceparent is traced if its caller's sampled flag says so; others by a
// ratio of trace ids (OpenTelemetry's parentbased_traceidratio). An untraced request has a null
// Trace, which costs a comparison with null at each step.
#ifndef KILN_SERVER_TRACE_TRACER_H_
#define KILN_SERVER_TRACE_TRACER_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/trace/exporter.h"
#include "server/trace/span.h"

namespace kiln::trace {

// The time of day as a clock tells it that never goes back: the wall clock at its making, and what
// a steady clock has counted since. With the wall clock alone, a step of it (by NTP, say) during a
// request puts steps of the request after its end.
class SpanClock {
 public:
  explicit SpanClock(absl::Time wall = absl::Now()) : wall_(wall) {}

  absl::Time Now() const {
    return wall_ + absl::FromChrono(std::chrono::steady_clock::now() - steady_);
  }

 private:
  absl::Time wall_;
  std::chrono::steady_clock::time_point steady_ = std::chrono::steady_clock::now();
};

// The span of a request in progress, whose steps are its children. Safe for many threads.
class Trace {
 public:
  // `parent`: the span that this one is a child of, and whether it is another process'. Zeros:
  // none. `exporter` outlives this. `clock`: that of the request.
  Trace(Exporter* exporter, Context own, SpanId parent, bool parent_is_remote,
        SpanClock clock = SpanClock())
      : exporter_(exporter),
        own_(std::move(own)),
        parent_(parent),
        parent_is_remote_(parent_is_remote),
        clock_(clock) {}

  const Context& context() const { return own_; }
  absl::Time begun() const { return begun_; }
  // Times of all spans of one request come from here, so that they are in order.
  absl::Time Now() const { return clock_.Now(); }

  // Adds a finished step, as a child of this request's span or of `parent`. Returns its id.
  SpanId Add(Span step, const SpanId* parent = nullptr);
  // Ends the request's own span: `span` has its name, kind, attributes, events and result.
  void End(Span span);
  // Returns the trace of a part of this request, as a child of this request's span.
  std::shared_ptr<Trace> Child() const;

 private:
  Exporter* const exporter_;
  const Context own_;
  const SpanId parent_;
  const bool parent_is_remote_;
  const SpanClock clock_;
  const absl::Time begun_ = clock_.Now();
};

// A step that lasts as long as this object; does nothing without a trace.
class Step {
 public:
  Step(Trace* trace, std::string_view name) : trace_(trace) {
    if (trace_ == nullptr) return;
    span_.emplace();
    span_->name = name;
    span_->start = trace_->Now();
  }
  ~Step() {
    if (trace_ == nullptr) return;
    span_->end = trace_->Now();
    trace_->Add(*std::move(span_));
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  // Without a trace the value is not even converted: hits pass here.
  template <typename Any>
  void Set(std::string_view key, Any&& value) {
    if (trace_ != nullptr) span_->attributes.emplace_back(key, Value(std::forward<Any>(value)));
  }

 private:
  Trace* const trace_;
  std::optional<Span> span_;  // set if there is a trace
};

struct Sampling {
  bool by_parent = true;  // false: the ratio holds for all requests
  double ratio = 0;       // of requests without a parent, 0 to 1
};

class Tracer {
 public:
  // `exporter` outlives it and all traces.
  Tracer(Sampling sampling, Exporter* exporter) : sampling_(sampling), exporter_(exporter) {}

  // Returns the trace of a request that begins; null: it is not traced. The headers' values as the
  // client sent them; more than one traceparent counts as none.
  std::shared_ptr<Trace> Begin(const std::vector<std::string>& traceparent,
                               const std::vector<std::string>& tracestate) const;

  // Returns true if the ratio includes the trace: by the last 7 bytes of its id, so that all
  // services with the same ratio take the same traces.
  static bool IsIncluded(const TraceId& trace, double ratio);

 private:
  const Sampling sampling_;
  Exporter* const exporter_;
};

}  // namespace kiln::trace

#endif  // KILN_SERVER_TRACE_TRACER_H_
