// Tests the catalogue of metrics: names, units and labels as Prometheus wants them.
#include "server/metrics/catalogue.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/str_split.h"

namespace kiln::metrics {
namespace {

std::vector<Row> All() {
  std::vector<Row> all;
  for (const auto* some : {&ServiceRows(), &CompilerRows(), &CacheRows()}) {
    all.insert(all.end(), some->begin(), some->end());
  }
  return all;
}

TEST(CatalogueTest, EveryNameIsThereOnceAndFound) {
  std::set<std::string_view> names;
  for (const Row& row : All()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(&RowOf(row.name), &RowOf(row.name));
    EXPECT_EQ(RowOf(row.name).help, row.help);
  }
  EXPECT_DEATH(RowOf("kiln_no_such_metric"), "has no metric kiln_no_such_metric");
}

TEST(CatalogueTest, NamesSayTypeAndUnit) {
  for (const Row& row : All()) {
    const bool counter = row.type == prometheus::MetricType::Counter;
    EXPECT_EQ(row.name.ends_with("_total"), counter) << row.name;
    const std::string_view base = row.name.substr(0, row.name.size() - (counter ? 6 : 0));
    for (std::string_view unit : {"seconds", "bytes"}) {
      const bool is = base == "process_start_time_seconds" ? unit == "seconds" : row.unit == unit;
      EXPECT_EQ(base.ends_with("_" + std::string(unit)), is) << row.name;
    }
    EXPECT_TRUE(row.name.starts_with("kiln_") || row.name.starts_with("process_")) << row.name;
    EXPECT_FALSE(row.help.empty() || row.use.empty()) << row.name;
    EXPECT_FALSE(row.help.ends_with(".") || row.use.ends_with(".")) << row.name;
  }
}

TEST(CatalogueTest, NoLabelNamesAClientOrAShader) {
  const std::set<std::string> bounded = {
      "abi",     "cache",   "cause",   "class",    "client", "code",    "code_generation",
      "commit",  "feature", "glslang", "listener", "method", "pass",    "phase",
      "process", "queue",   "rank",    "reason",   "result", "results", "stage",
      "state",   "target",  "tier",    "version"};
  for (const Row& row : All()) {
    if (row.labels.empty()) continue;
    for (absl::string_view label :
         absl::StrSplit(absl::string_view(row.labels.data(), row.labels.size()), ',')) {
      EXPECT_EQ(bounded.count(std::string(label)), 1u) << row.name << " " << label;
    }
  }
}

TEST(CatalogueTest, ThePageHasThemAll) {
  const std::string page = MetricsPage();
  for (const Row& row : All()) {
    EXPECT_NE(page.find("| `" + std::string(row.name) + "` | "), std::string::npos) << row.name;
  }
}

}  // namespace
}  // namespace kiln::metrics
