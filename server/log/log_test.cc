// Tests the log: levels, a limit for each kind with the count of suppressed lines, readers that do
// not read, and lines from many threads.
#include "server/log/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "core/base/testing/await.h"

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
  // Returns all lines that `log` has written or is about to write.
  std::vector<std::string> Read(const Log& log) {
    std::string text;
    for (bool drained = false; !drained;) {
      drained = log.Drain(absl::Milliseconds(2));
      char buffer[65536];
      ssize_t n;
      while ((n = read(fds_[0], buffer, sizeof buffer)) > 0) text.append(buffer, size_t(n));
    }
    std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
    return lines;
  }
  // Returns the sum of the numbers after `name` in all lines.
  static uint64_t Sum(const std::vector<std::string>& lines, const std::string& name) {
    uint64_t sum = 0;
    for (const std::string& line : lines) {
      const size_t at = line.find(" " + name + "=");
      if (at != std::string::npos) sum += std::stoull(line.substr(at + name.size() + 2));
    }
    return sum;
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
  const auto lines = Read(log);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(Has(lines[0], "event=started") && Has(lines[0], "a=1")) << lines[0];
  EXPECT_NE(lines[1].find("\"event\":\"reload_failed\"}"), std::string::npos) << lines[1];
}

TEST_F(LogTest, TheLatestLinesAreKeptForThePage) {
  Log log(options_);
  log.Write(Event::kWorkerExited);  // debug
  log.Write(Event::kWorkerCrashed, {{"request", "r-1"}, {"key", "ab"}, {"module", "cd"}});
  ASSERT_EQ(log.Recent().size(), 1u);
  const std::string line = log.Recent()[0];
  EXPECT_NE(line.find("\"event\":\"worker_crashed\",\"key\":\"ab\"}"), std::string::npos) << line;
  EXPECT_TRUE(Has(Read(log)[0], "request=r-1"));
  for (size_t i = 0; i < 2 * Log::kMaxRecent; ++i) {
    now_ += options_.interval;
    log.Write(Event::kStarted, {{"number", i}});
  }
  const std::vector<std::string> recent = log.Recent();
  ASSERT_EQ(recent.size(), Log::kMaxRecent);
  EXPECT_NE(recent.back().find("\"number\":511}"), std::string::npos) << recent.back();
  Read(log);
}

TEST_F(LogTest, AFloodOfOneKindIsCountedAndHidesNoOther) {
  Log log(options_);
  for (int i = 0; i < 1000; ++i) log.Write(Event::kWorkerCrashed);
  log.Write(Event::kJobTimedOut);
  auto lines = Read(log);
  ASSERT_EQ(lines.size(), 11u);
  EXPECT_TRUE(Has(lines[10], "event=job_timed_out"));
  now_ += absl::Milliseconds(999);
  log.Write(Event::kWorkerCrashed);
  EXPECT_TRUE(Read(log).empty());
  now_ += absl::Milliseconds(1);
  log.Write(Event::kWorkerCrashed);
  log.Write(Event::kWorkerCrashed);
  lines = Read(log);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(Has(lines[0], "suppressed=991")) << lines[0];
  // After a quiet time there is a whole burst again, no more.
  now_ += absl::Hours(1);
  for (int i = 0; i < 100; ++i) log.Write(Event::kWorkerCrashed);
  lines = Read(log);
  ASSERT_EQ(lines.size(), 10u);
  EXPECT_TRUE(Has(lines[0], "suppressed=1")) << lines[0];
  EXPECT_FALSE(Has(lines[1], "suppressed=0")) << lines[1];
}

TEST_F(LogTest, CountsAreFlushedWhenNothingFollows) {
  Log log(options_);
  for (int i = 0; i < 15; ++i) log.Write(Event::kWorkerCrashed);
  Read(log);
  log.FlushCounts(false);
  EXPECT_TRUE(Read(log).empty());  // the limit holds for the count too
  now_ += absl::Seconds(1);
  log.FlushCounts(false);
  log.FlushCounts(false);
  auto lines = Read(log);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(Has(lines[0], "event=suppressed") && Has(lines[0], "of=worker_crashed") &&
              Has(lines[0], "suppressed=5"))
      << lines[0];
  log.Write(Event::kWorkerCrashed);
  log.FlushCounts(true);
  lines = Read(log);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(Has(lines[0], "suppressed=1")) << lines[0];
}

TEST_F(LogTest, WhatIsBelowTheLevelIsNotCounted) {
  Log log(options_);
  for (int i = 0; i < 100; ++i) log.Write(Event::kWorkerExited);
  log.FlushCounts(true);
  EXPECT_TRUE(Read(log).empty());
}

TEST_F(LogTest, AReaderThatDoesNotReadLosesLinesAndBlocksNoWriter) {
  options_.burst = 100'000;
  Log log(options_);
  const std::string value(400, 'v');
  for (int i = 0; i < 1000; ++i) log.Write(Event::kWorkerCrashed, {{"v", value}});
  EXPECT_FALSE(log.Drain(absl::Milliseconds(20)));
  const auto kept = Read(log);
  EXPECT_LT(kept.size(), 800u);
  for (const std::string& line : kept) EXPECT_TRUE(Has(line, "v=" + value)) << line;
  log.Write(Event::kWorkerCrashed);
  log.Write(Event::kWorkerCrashed);
  const auto after = Read(log);
  ASSERT_EQ(after.size(), 2u);
  // The writer may have made room meanwhile: then one of the kept lines tells what was lost before
  // it.
  EXPECT_EQ(Sum(kept, "lost_lines") + Sum({after[0]}, "lost_lines"), 1000 - kept.size())
      << after[0];
  EXPECT_EQ(after[1].find("lost_lines"), std::string::npos);
}

// poll() reports a terminal writable if it takes one byte; writing a whole line then blocks.
TEST_F(LogTest, AnUnreadTerminalBlocksNoWriter) {
  const int reader = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  ASSERT_EQ(grantpt(reader) | unlockpt(reader), 0);
  options_.fd = open(ptsname(reader), O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(options_.fd, 0);
  const int other = open(ptsname(reader), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  const std::string filler(500, 'x');
  while (write(other, filler.data(), filler.size()) > 0) {
  }
  // Leaves room for less than a line.
  pollfd room = {other, POLLOUT, 0};
  char buffer[4096];
  while (poll(&room, 1, 0) == 0) ASSERT_GT(read(reader, buffer, 256), 0);
  options_.burst = 100'000;
  auto log = std::make_unique<Log>(options_);
  std::atomic<bool> said = false;
  std::thread speaker([&] {
    for (int i = 0; i < 2000; ++i) log->Write(Event::kWorkerCrashed, {{"v", filler}});
    said = true;
  });
  EXPECT_TRUE(Await([&] { return said.load(); }));
  EXPECT_FALSE(log->Drain(absl::Milliseconds(20)));
  fcntl(reader, F_SETFL, O_NONBLOCK);
  EXPECT_TRUE(Await([&] {
    while (read(reader, buffer, sizeof buffer) > 0) {
    }
    return said && log->Drain(absl::Milliseconds(2));
  }));
  speaker.join();
  log = nullptr;
  for (int fd : {reader, other, options_.fd}) close(fd);
}

// 1,000 events of a kind at its limit, with a reader that is away in between: each is accounted
// for.
TEST_F(LogTest, EveryEventIsALineOrCounted) {
  options_.queue_bytes = 1000;
  ASSERT_GT(fcntl(fds_[1], F_SETPIPE_SZ, 4096), 0);
  Log log(options_);
  std::vector<std::string> lines;
  for (int i = 0; i < 1000; ++i) {
    if (i % 3 == 0) now_ += absl::Seconds(1);
    log.Write(Event::kWorkerCrashed);
    if (i % 300 == 299) {
      for (auto& line : Read(log)) lines.push_back(line);
    }
  }
  log.FlushCounts(true);
  for (auto& line : Read(log)) lines.push_back(line);
  log.FlushCounts(true);
  for (auto& line : Read(log)) lines.push_back(line);
  uint64_t events = Sum(lines, "suppressed") + Sum(lines, "lost_lines");
  EXPECT_GT(Sum(lines, "lost_lines"), 0u);
  for (const std::string& line : lines) events += Has(line, "event=worker_crashed");
  EXPECT_EQ(events, 1000u);
}

TEST_F(LogTest, AFullDiskIsSurvived) {
  options_.fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(options_.fd, 0);
  {
    Log log(options_);
    for (int i = 0; i < 15; ++i) log.Write(Event::kStarted);
    EXPECT_TRUE(log.Drain(absl::Seconds(30)));
    // Room again: the count that could not be written before is written now.
    ASSERT_GE(dup2(fds_[1], options_.fd), 0);
    log.FlushCounts(true);
    const auto lines = Read(log);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(Sum(lines, "suppressed") + Sum(lines, "lost_lines"), 15u) << lines[0];
  }
  close(options_.fd);
}

TEST_F(LogTest, ALineThatBrokeOffIsEnded) {
  const std::string path = testing::TempDir() + "/log_broken_off";
  options_.fd = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  ASSERT_GE(options_.fd, 0);
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_IGN);
  {
    Log log(options_);
    const rlimit less = {100, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &less);
    for (int i = 0; i < 2; ++i) log.Write(Event::kWorkerCrashed, {{"v", std::string(90, 'v')}});
    EXPECT_TRUE(log.Drain(absl::Seconds(30)));
    setrlimit(RLIMIT_FSIZE, &before);
    log.Write(Event::kStopped);
    log.Write(Event::kStopped);
    EXPECT_TRUE(log.Drain(absl::Seconds(30)));
  }
  close(options_.fd);
  std::stringstream all;
  all << std::ifstream(path).rdbuf();
  const std::vector<std::string> lines = absl::StrSplit(all.str(), '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 3u) << all.str();
  EXPECT_EQ(lines[0].size(), 100u);
  EXPECT_EQ(lines[1].rfind("time=", 0), 0u) << lines[1];
  EXPECT_TRUE(Has(lines[1], "lost_lines=2")) << lines[1];
  EXPECT_TRUE(lines[2].ends_with("event=stopped")) << lines[2];
}

// Lines written before a crash are there after it, in order.
TEST_F(LogTest, DrainedBeforeTheEnd) {
  options_.burst = 100'000;
  Log log(options_);
  for (int i = 0; i < 200; ++i) log.Write(Event::kWorkerCrashed, {{"n", i}});
  EXPECT_TRUE(log.Drain(absl::Seconds(30)));
  char buffer[65536];
  const ssize_t n = read(fds_[0], buffer, sizeof buffer);
  const std::vector<std::string> lines =
      absl::StrSplit(std::string(buffer, size_t(n)), '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 200u);
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(Has(lines[size_t(i)], "n=" + std::to_string(i)));
}

// The prepared line has the usual form, with the present time.
TEST_F(LogTest, LastWordsAreALineOfTheirTime) {
  for (Format format : {Format::kText, Format::kJson}) {
    Log log(options_);
    log.Configure(Level::kInfo, Format::kText);
    log.PrepareLastWords(Event::kOutOfMemory, "no \"more\"");
    log.Configure(Level::kInfo, format);
    log.Write(Event::kStarted);
    const absl::Time before = absl::Now();
    log.SayLastWords(absl::Seconds(1));
    const absl::Time after = absl::Now();
    const std::vector<std::string> lines = Read(log);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_NE(lines[0].find("started"), std::string::npos);
    const std::string& line = lines[1];
    absl::Time time;
    std::string error;
    const size_t at = line.find("20");
    ASSERT_TRUE(absl::ParseTime(absl::RFC3339_full, line.substr(at, 24), &time, &error))
        << line << error;
    EXPECT_GE(time, before - absl::Milliseconds(1));
    EXPECT_LE(time, after);
    EXPECT_EQ(line + "\n", FormatLine(format, time, Level::kError, "out_of_memory",
                                      {{"message", "no \"more\""}}));
  }
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
  const auto lines = Read(log);
  EXPECT_EQ(lines.size(), 200u);
  for (const std::string& line : lines) {
    EXPECT_EQ(line.rfind("time=", 0), 0u) << line;
    EXPECT_TRUE(line.ends_with(" a=1 z=2")) << line;
  }
}

}  // namespace
}  // namespace kiln::log
