// Metrics of the export of traces: see traces.h.
#include "server/metrics/traces.h"

#include "server/metrics/families.h"

namespace kiln::metrics {

std::vector<prometheus::MetricFamily> Traces::Collect() const {
  const trace::Exporter::Counters c =
      exporter_ == nullptr ? trace::Exporter::Counters() : exporter_->counters();
  const auto result = [](const char* name, uint64_t number) {
    return Sample{{{"result", name}}, D(number)};
  };
  std::vector<prometheus::MetricFamily> out;
  Add(&out, "kiln_trace_spans_total",
      {result("exported", c.exported), result("queue_full", c.queue_full),
       result("rejected", c.rejected), result("unreachable", c.unreachable)});
  Add(&out, "kiln_trace_requests_total",
      {result("accepted", c.accepted_requests), result("retried", c.retried_requests),
       result("failed", c.failed_requests)});
  Add(&out, "kiln_trace_queue_spans", {{{}, D(c.queued)}});
  Add(&out, "kiln_trace_queue_limit",
      {{{}, exporter_ == nullptr ? 0 : D(exporter_->queue_limit())}});
  return out;
}

}  // namespace kiln::metrics
