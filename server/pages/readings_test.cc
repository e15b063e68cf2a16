// Tests values looked up in collected metrics, and quantiles between two readings.
#include "server/pages/readings.h"

#include <gtest/gtest.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <cmath>

namespace kiln::pages {
namespace {

class ReadingsTest : public testing::Test {
 protected:
  ReadingsTest() {
    auto& calls = prometheus::BuildCounter().Name("calls").Register(registry_);
    calls.Add({{"method", "a"}, {"code", "OK"}}).Increment(1);
    calls.Add({{"method", "a"}, {"code", "BAD"}}).Increment(2);
    calls.Add({{"method", "b"}, {"code", "OK"}}).Increment(4);
    prometheus::BuildGauge().Name("size").Register(registry_).Add({}).Set(8);
    auto& times = prometheus::BuildHistogram().Name("times").Register(registry_);
    for (const char* tier : {"memory", "disk", "miss"}) {
      histograms_.push_back(&times.Add({{"tier", tier}}, Bounds{1, 2, 4}));
    }
  }
  using Bounds = prometheus::Histogram::BucketBoundaries;
  Buckets Hits() const {
    const auto families = registry_.Collect();
    return Readings(families).Histogram("times", {{"tier", {"memory", "disk"}}});
  }

  prometheus::Registry registry_;
  std::vector<prometheus::Histogram*> histograms_;
};

TEST_F(ReadingsTest, SumsMeetAllConditions) {
  const auto families = registry_.Collect();
  const Readings readings(families);
  EXPECT_EQ(readings.Sum("calls"), 7);
  EXPECT_EQ(readings.Sum("calls", {{"code", {"OK"}}}), 5);
  EXPECT_EQ(readings.Sum("calls", {{"method", {"a", "b"}}, {"code", {"OK"}, true}}), 2);
  EXPECT_EQ(readings.Sum("size"), 8);
  EXPECT_EQ(readings.Sum("calls", {{"method", {"c"}}}), 0);
  EXPECT_TRUE(std::isnan(readings.Sum("no such family")));
}

TEST_F(ReadingsTest, QuantilesAreOfObservationsSinceTheReadingBefore) {
  histograms_[0]->Observe(100);
  const Buckets before = Hits();
  EXPECT_TRUE(std::isnan(Quantile(0.5, before, before)));
  for (int i = 0; i < 8; ++i) histograms_[0]->Observe(1.5);
  for (int i = 0; i < 2; ++i) histograms_[1]->Observe(3);
  histograms_[2]->Observe(0.1);  // no hit
  const Buckets now = Hits();
  EXPECT_DOUBLE_EQ(Quantile(0.5, before, now), 1 + 5.0 / 8);
  EXPECT_DOUBLE_EQ(Quantile(0.9, before, now), 2 + 2 * 1.0 / 2);
  EXPECT_DOUBLE_EQ(Quantile(1, {}, now), 4) << "above all bounds: the largest bound";
}

TEST_F(ReadingsTest, AHistogramThatDoesNotExistHasNoQuantile) {
  EXPECT_TRUE(std::isnan(Quantile(0.5, {}, {})));
}

}  // namespace
}  // namespace kiln::pages
