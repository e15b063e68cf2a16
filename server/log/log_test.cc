// The log: levels, a limit for each kind with the count of what it kept back, readers that do not
// read, and lines from many threads.
#include "server/log/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_split.h"

namespace kiln::log {
namespace {

class LogTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(pipe2(fds_, O_CLOEXEC), 0);
    ASSERT_EQ(fcntl(fds_[0], F_SETFL, O_NONBLOCK), 0);
    options_.fd = fds_[1];
    options_.clock = [this] { return now_; };
  }
  void TearDown() override {
    close(fds_[0]);
    close(fds_[1]);
  }
  std::vector<std::string> Read() {
    std::string text;
    char buffer[65536];
    ssize_t n;
    while ((n = read(fds_[0], buffer, sizeof buffer)) > 0) text.append(buffer, size_t(n));
    std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
    return lines;
  }
  static bool Has(const std::string& line, const std::string& part) {
    return (line + " ").find(" " + part + " ") != std::string::npos;
  }

  int fds_[2] = {-1, -1};
  absl::Duration now_ = absl::Seconds(100);
  Options options_;
};

TEST_F(LogTest, NamesAreUniqueAndSnakeCase) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < kEvents; ++i) {
    const std::string_view name = Name(static_cast<Event>(i));
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos);
  }
}

TEST_F(LogTest, LevelsAndFormatsCanChange) {
  Log log(options_);
  log.Write(Event::kWorkerExited);  // debug
  log.Write(Event::kStarted, {{"a", 1}});
  log.Configure(Level::kError, Format::kJson);
  log.Write(Event::kStarted);
  log.Write(Event::kWorkerCrashed);
  log.Write(Event::kReloadFailed);
  const auto lines = Read();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(Has(lines[0], "event=started") && Has(lines[0], "a=1")) << lines[0];
  EXPECT_NE(lines[1].find("\"event\":\"reload_failed\"}"), std::string::npos) << lines[1];
}

TEST_F(LogTest, AFloodOfOneKindIsCountedAndHidesNoOther) {
  Log log(options_);
  for (int i = 0; i < 1000; ++i) log.Write(Event::kWorkerCrashed);
  log.Write(Event::kJobTimedOut);
  auto lines = Read();
  ASSERT_EQ(lines.size(), 11u);
  EXPECT_TRUE(Has(lines[10], "event=job_timed_out"));
  now_ += absl::Milliseconds(999);
  log.Write(Event::kWorkerCrashed);
  EXPECT_TRUE(Read().empty());
  now_ += absl::Milliseconds(1);
  log.Write(Event::kWorkerCrashed);
  log.Write(Event::kWorkerCrashed);
  lines = Read();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(Has(lines[0], "suppressed=991")) << lines[0];
  // After a quiet time there is a whole burst again, no more.
  now_ += absl::Hours(1);
  for (int i = 0; i < 100; ++i) log.Write(Event::kWorkerCrashed);
  lines = Read();
  ASSERT_EQ(lines.size(), 10u);
  EXPECT_TRUE(Has(lines[0], "suppressed=1")) << lines[0];
  EXPECT_FALSE(Has(lines[1], "suppressed=0")) << lines[1];
}

TEST_F(LogTest, CountsAreFlushedWhenNothingFollows) {
  Log log(options_);
  for (int i = 0; i < 15; ++i) log.Write(Event::kWorkerCrashed);
  Read();
  log.FlushCounts(false);
  EXPECT_TRUE(Read().empty());  // its limit holds for the count too
  now_ += absl::Seconds(1);
  log.FlushCounts(false);
  log.FlushCounts(false);
  auto lines = Read();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(Has(lines[0], "event=suppressed") && Has(lines[0], "of=worker_crashed") &&
              Has(lines[0], "suppressed=5"))
      << lines[0];
  log.Write(Event::kWorkerCrashed);
  log.FlushCounts(true);
  lines = Read();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(Has(lines[0], "suppressed=1")) << lines[0];
}

TEST_F(LogTest, WhatIsBelowTheLevelIsNotCounted) {
  Log log(options_);
  for (int i = 0; i < 100; ++i) log.Write(Event::kWorkerExited);
  log.FlushCounts(true);
  EXPECT_TRUE(Read().empty());
}

TEST_F(LogTest, AReaderThatDoesNotReadLosesLinesAndStopsNobody) {
  options_.burst = 100'000;
  Log log(options_);
  const std::string value(400, 'v');
  for (int i = 0; i < 1000; ++i) log.Write(Event::kWorkerCrashed, {{"v", value}});
  const auto kept = Read();
  EXPECT_LT(kept.size(), 200u);
  for (const std::string& line : kept) EXPECT_TRUE(Has(line, "v=" + value)) << line;
  log.Write(Event::kWorkerCrashed);
  log.Write(Event::kWorkerCrashed);
  const auto after = Read();
  ASSERT_EQ(after.size(), 2u);
  EXPECT_TRUE(Has(after[0], "lost_lines=" + std::to_string(1000 - kept.size()))) << after[0];
  EXPECT_EQ(after[1].find("lost_lines"), std::string::npos);
}

TEST_F(LogTest, AFullDiskIsSurvived) {
  options_.fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(options_.fd, 0);
  Log log(options_);
  log.Write(Event::kStarted);
  close(options_.fd);
}

TEST_F(LogTest, LinesOfManyThreadsAreWhole) {
  options_.burst = 100'000;
  Log log(options_);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) log.Write(Event::kWorkerCrashed, {{"a", 1}, {"z", 2}});
    });
  }
  for (auto& t : threads) t.join();
  const auto lines = Read();
  EXPECT_EQ(lines.size(), 200u);
  for (const std::string& line : lines) {
    EXPECT_EQ(line.rfind("time=", 0), 0u) << line;
    EXPECT_TRUE(line.ends_with(" a=1 z=2")) << line;
  }
}

}  // namespace
}  // namespace kiln::log
