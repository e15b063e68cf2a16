// Metrics of connections, descriptors and the probe: see network.h.
#include "server/metrics/network.h"

#include "server/metrics/families.h"
#include "server/net/descriptors.h"

namespace kiln::metrics {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;

using Labels = std::vector<ClientMetric::Label>;

void CollectProbe(const net::SelfProbe::Counters& probe, std::vector<MetricFamily>* out) {
  Labels answered = {{"result", "answered"}}, failed = {{"result", "failed"}};
  Add(out, "kiln_self_probes_total", {{answered, D(probe.answered)}, {failed, D(probe.failed)}});
  Add(out, "kiln_listener_healthy", {{{}, probe.last.ok() ? 1.0 : 0.0}});
}

void CollectDescriptors(std::vector<MetricFamily>* out) {
  Add(out, "process_open_fds", {{{}, D(net::OpenDescriptors())}});
  Add(out, "process_max_fds", {{{}, D(net::GetDescriptorLimits().soft)}});
}

}  // namespace

std::vector<MetricFamily> Network::Collect() const {
  std::vector<Sample> open, limit, accepted, refused, closed;
  auto add = [&](const char* listener, const net::Listener::Counters& c) {
    auto with = [&](const char* reason) {
      return Labels{{"listener", listener}, {"reason", reason}};
    };
    open.push_back({{{"listener", listener}}, D(c.open)});
    limit.push_back({{{"listener", listener}}, D(c.limit)});
    accepted.push_back({{{"listener", listener}}, D(c.accepted)});
    refused.push_back({with("limit"), D(c.refused_limit)});
    refused.push_back({with("address_limit"), D(c.refused_address)});
    refused.push_back({with("descriptors"), D(c.refused_descriptors)});
  };
  net::Listener::Counters calls = calls_->counters();
  add("grpc", calls);
  closed.push_back({{{"listener", "grpc"}, {"reason", "silent"}}, D(calls.closed_silent)});
  closed.push_back({{{"listener", "grpc"}, {"reason", "idle"}}, D(calls.closed_idle)});
  if (scrapes_ != nullptr) {
    add("metrics", scrapes_->counters());
    net::HttpPages::Counters pages = pages_->counters();
    closed.push_back({{{"listener", "metrics"}, {"reason", "gave_way"}}, D(pages.gave_way)});
    closed.push_back({{{"listener", "metrics"}, {"reason", "late"}}, D(pages.late)});
  }

  std::vector<MetricFamily> out;
  Add(&out, "kiln_connections", open);
  Add(&out, "kiln_connections_limit", limit);
  Add(&out, "kiln_connections_accepted_total", accepted);
  Add(&out, "kiln_connections_refused_total", refused);
  Add(&out, "kiln_connections_closed_total", closed);
  CollectProbe(probe_->counters(), &out);
  CollectDescriptors(&out);
  return out;
}

}  // namespace kiln::metrics
