// The daemon's own pages for people, on the port of its metrics: status, passes, shaders, log.
//
// All of it is in the program: HTML, style and script of site/, and the JSON that the script reads.
// Nothing can be changed through them, and a browser is told to load nothing from elsewhere
// (Content-Security-Policy). A thread takes a sample of the metrics every ten seconds, so that the
// charts show the last hour to a browser that comes now.
#ifndef KILN_SERVER_PAGES_PAGES_H_
#define KILN_SERVER_PAGES_PAGES_H_

#include <prometheus/metric_family.h>

#include <functional>
#include <vector>

#include "proto/worker.pb.h"
#include "server/cache/periodic_thread.h"
#include "server/log/log.h"
#include "server/net/http_pages.h"
#include "server/pages/activity.h"
#include "server/pages/documents.h"
#include "server/pages/history.h"

namespace kiln::pages {

class Pages {
 public:
  struct Sources {
    // Collects the metrics as for a scrape. May wait for a disk.
    std::function<std::vector<prometheus::MetricFamily>()> collect;
    std::function<Health()> health;
    // Outlive the pages.
    const Activity* activity = nullptr;
    const log::Log* log = nullptr;
    worker::Hello hello;
    Facts facts;
  };
  // Takes the first sample soon, in its own thread.
  explicit Pages(Sources sources);
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  // Pages that may wait for a disk, and pages that do not; they refer to this object.
  net::HttpPages::Pages Slow() const;
  net::HttpPages::Pages Quick() const;

 private:
  const Sources sources_;
  History history_;
  cache::PeriodicThread sampling_;  // last: ends before the rest
};

}  // namespace kiln::pages

#endif  // KILN_SERVER_PAGES_PAGES_H_
