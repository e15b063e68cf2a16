// Metrics of connections, descriptors and the daemon's probe of itself. Read when scraped.
#ifndef KILN_SERVER_METRICS_NETWORK_H_
#define KILN_SERVER_METRICS_NETWORK_H_

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <vector>

#include "server/net/http_pages.h"
#include "server/net/listener.h"
#include "server/net/self_probe.h"

namespace kiln::metrics {

class Network : public prometheus::Collectable {
 public:
  // All outlive this; `scrapes` and `pages` are null where there is no metrics listener.
  Network(net::Listener* calls, net::Listener* scrapes, const net::HttpPages* pages,
          const net::SelfProbe* probe)
      : calls_(calls), scrapes_(scrapes), pages_(pages), probe_(probe) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  net::Listener* calls_;
  net::Listener* scrapes_;
  const net::HttpPages* pages_;
  const net::SelfProbe* probe_;
};

}  // namespace kiln::metrics

#endif  // KILN_SERVER_METRICS_NETWORK_H_
