// The catalogue of metrics: see catalogue.h.
#include "server/metrics/catalogue.h"

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace kiln::metrics {
namespace {

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

constexpr char kHead[] = R"(# Metrics of kilnd

`kilnd --metrics-markdown` prints this page; a test compares the two, and both with what a daemon serves. README.md has
queries, and how results, methods and queues are counted.

`/metrics` is served in the text format of Prometheus, and to clients whose Accept header prefers it in OpenMetrics 1.0; with
gzip to those that accept that. In OpenMetrics a counter's family has no `_total` in its name and `*_info` is of the type info;
each counter and histogram has `_created`, the time at which it was 0 (the start of the process); histograms of calls that were
compiled have exemplars whose `request_id` is that of the log and of the header `kiln-request-id`. Prometheus 2 stores `_created`
as series of their own: deploy/prometheus/prometheus.yml drops them.

Labels are from bounded sets: targets, stages and passes as the workers announced them (any other is `other`), statuses,
tiers, reasons, causes; never a hash, the name of a shader or a client.

)";

absl::string_view TypeName(const Row& row) {
  if (IsInfo(row)) return "info";
  switch (row.type) {
    case prometheus::MetricType::Counter: return "counter";
    case prometheus::MetricType::Gauge: return "gauge";
    default: return "histogram";
  }
}

void AppendRows(absl::string_view title, const std::vector<Row>& rows, std::string* page) {
  absl::StrAppend(
      page, "## ", title,
      "\n\n| name | type | unit | labels | what it is | for seeing |\n|---|---|---|---|---|---|\n");
  for (const Row& row : rows) {
    const auto cell = [](std::string_view text) {
      return absl::StrReplaceAll(View(text), {{"|", "\\|"}});
    };
    absl::StrAppend(page, "| `", cell(row.name), "` | ", TypeName(row), " | ", cell(row.unit),
                    " | ", absl::StrReplaceAll(View(row.labels), {{",", ", "}}), " | ",
                    cell(row.help), " | ", cell(row.use), " |\n");
  }
}

}  // namespace

const Row& RowOf(std::string_view name) {
  static const auto& rows = *[] {
    auto* map = new std::map<std::string_view, const Row*>;
    for (const auto* some : {&ServiceRows(), &CompilerRows(), &CacheRows()}) {
      for (const Row& row : *some) map->emplace(row.name, &row);
    }
    return map;
  }();
  const auto found = rows.find(name);
  if (found == rows.end()) {
    fprintf(stderr, "the catalogue has no metric %.*s\n", static_cast<int>(name.size()),
            name.data());
    abort();
  }
  return *found->second;
}

bool IsInfo(const Row& row) { return absl::EndsWith(View(row.name), "_info"); }

std::string MetricsPage() {
  std::string page = kHead;
  AppendRows("Calls, queues, connections, the process", ServiceRows(), &page);
  page += '\n';
  AppendRows("Compiles, passes, generated code, workers", CompilerRows(), &page);
  page += '\n';
  AppendRows("Cache", CacheRows(), &page);
  return page;
}

}  // namespace kiln::metrics
