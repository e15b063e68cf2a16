// Tests the ring of samples: columns, quantiles between rows, the bound.
#include "server/pages/history.h"

#include <gtest/gtest.h>
#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <cmath>
#include <string>

namespace kiln::pages {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1'000'000);

class HistoryTest : public testing::Test {
 protected:
  void Take(absl::Time now) {
    const auto families = registry_.Collect();
    history_.Take(Readings(families), now);
  }
  static double Value(const Sample& sample, std::string_view name) {
    const auto columns = History::Columns();
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].name == name) return sample.at(i);
    }
    ADD_FAILURE() << "no column " << name;
    return 0;
  }
  double Last(std::string_view name) const { return Value(history_.All().back(), name); }

  prometheus::Registry registry_;
  History history_;
};

TEST_F(HistoryTest, ARowHasEachColumn) {
  auto& requests = prometheus::BuildCounter().Name("kiln_requests_total").Register(registry_);
  requests.Add({{"method", "Compile"}, {"code", "OK"}}).Increment(5);
  requests.Add({{"method", "CompileStream/item"}, {"code", "UNAVAILABLE"}}).Increment(2);
  requests.Add({{"method", "CompileStream"}, {"code", "OK"}}).Increment(100);
  Take(kStart);
  ASSERT_EQ(history_.All()[0].size(), History::Columns().size());
  EXPECT_EQ(Last("time"), 1'000'000);
  EXPECT_EQ(Last("requests"), 7) << "a stream is no request";
  EXPECT_EQ(Last("errors"), 2);
  EXPECT_TRUE(std::isnan(Last("busy"))) << "not collected";
}

TEST_F(HistoryTest, QuantilesAreOfTheTimeBetweenTwoRows) {
  auto& times =
      prometheus::BuildHistogram().Name("kiln_request_duration_seconds").Register(registry_);
  auto& hits = times.Add({{"cache", "memory"}}, prometheus::Histogram::BucketBoundaries{1, 10});
  hits.Observe(9);
  Take(kStart);
  for (int i = 0; i < 4; ++i) hits.Observe(0.5);
  const auto families = registry_.Collect();
  const Sample look = history_.Look(Readings(families), kStart + absl::Seconds(5));
  EXPECT_DOUBLE_EQ(Value(look, "hit_p50"), 0.5) << "without the 9 before the row";
  EXPECT_EQ(history_.All().size(), 1u) << "looking adds no row";
  Take(kStart + absl::Seconds(10));
  EXPECT_DOUBLE_EQ(Last("hit_p50"), 0.5);
  Take(kStart + absl::Seconds(20));
  EXPECT_TRUE(std::isnan(Last("hit_p50"))) << "no hit since the row before";
  EXPECT_TRUE(std::isnan(Last("miss_p99")));
}

TEST_F(HistoryTest, AnHourIsKept) {
  for (size_t i = 0; i < History::kSamples + 5; ++i) {
    Take(kStart + static_cast<double>(i) * History::kInterval);
  }
  const auto all = history_.All();
  ASSERT_EQ(all.size(), History::kSamples);
  EXPECT_EQ(all.back()[0] - all.front()[0], 3600);
  EXPECT_EQ(all.front()[0], 1'000'050) << "the oldest are forgotten";
}

}  // namespace
}  // namespace kiln::pages
