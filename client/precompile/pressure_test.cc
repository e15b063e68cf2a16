// Pauses under pressure.
#include "client/precompile/pressure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/cli/paths.h"

namespace kiln::client {
namespace {

using testing::HasSubstr;

std::string File(double avg10) {
  return absl::StrCat("some avg10=", avg10, " avg60=1.00 avg300=0.50 total=12345\n",
                      "full avg10=99.00 avg60=0.00 avg300=0.00 total=5\n");
}

TEST(ParsePressureLimits, TakesKindsAndPercentages) {
  const auto limits = ParsePressureLimits("cpu=80,io=12.5,memory=100");
  ASSERT_TRUE(limits.ok()) << limits.status();
  ASSERT_EQ(limits->size(), 3u);
  EXPECT_EQ((*limits)[1].kind, "io");
  EXPECT_EQ((*limits)[1].percent, 12.5);
  for (const char* text : {"", "cpu", "cpu=", "cpu=0", "cpu=101", "disk=5", "cpu=5,", "cpu=nan"}) {
    EXPECT_FALSE(ParsePressureLimits(text).ok()) << text;
  }
}

TEST(ParsePressure, ReadsTheTenSecondsOfSome) {
  EXPECT_EQ(*ParsePressure(File(7.25)), 7.25);
  EXPECT_FALSE(ParsePressure("").ok());
  EXPECT_FALSE(ParsePressure("full avg10=1.00").ok());
}

TEST(PressureGate, TellsWhatIsNotReported) {
  EXPECT_THAT(PressureGate::Make({{"io", 5}}, "/no/such/folder").status().message(),
              HasSubstr("does not report io pressure"));
}

class PressureGateTest : public testing::Test {
 protected:
  void Set(double avg10) { ASSERT_TRUE(WriteWholeFile(folder_ + "/cpu", File(avg10)).ok()); }
  std::unique_ptr<PressureGate> Gate() {
    auto gate = PressureGate::Make({{"cpu", 50}}, folder_);
    EXPECT_TRUE(gate.ok()) << gate.status();
    return *std::move(gate);
  }
  const std::string folder_ = testing::TempDir() + "/pressure";
};

TEST_F(PressureGateTest, LetsThroughBelowTheLimit) {
  Set(50);
  const auto gate = Gate();
  gate->Wait();
  EXPECT_EQ(gate->Waiting(), "");
}

TEST_F(PressureGateTest, WaitsAboveTheLimitUntilItFalls) {
  Set(51);
  const auto gate = Gate();
  std::atomic<bool> through{false};
  std::thread worker([&] {
    gate->Wait();
    through = true;
  });
  while (gate->Waiting().empty()) absl::SleepFor(absl::Milliseconds(5));
  EXPECT_EQ(gate->Waiting(), "paused: cpu pressure 51 % is above 50 %");
  EXPECT_FALSE(through);
  Set(10);
  worker.join();
  EXPECT_EQ(gate->Waiting(), "");
}

TEST_F(PressureGateTest, StopEndsWaiting) {
  Set(90);
  const auto gate = Gate();
  std::thread worker([&] { gate->Wait(); });
  while (gate->Waiting().empty()) absl::SleepFor(absl::Milliseconds(5));
  gate->Stop();
  worker.join();
}

}  // namespace
}  // namespace kiln::client
