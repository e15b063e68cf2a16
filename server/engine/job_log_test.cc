// Tests the log lines for jobs that ended badly, and what they never contain.
#include "server/engine/job_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace kiln::server {
namespace {

using kiln::v1::TargetResult;

class JobLogTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(pipe2(fds_, O_CLOEXEC | O_NONBLOCK), 0);
    hello_.add_passes()->set_name("fold");
    hello_.add_steps("translate_glsl");
    outcome_.status = TargetResult::CRASHED;
    outcome_.cause = "segmentation_fault";
    outcome_.message = "the compiler accessed memory outside its address space";
    outcome_.last_pass = "fold";
    outcome_.blamed_target = 1;
    outcome_.ran = absl::Milliseconds(12);
  }
  void TearDown() override {
    for (int fd : fds_) close(fd);
  }
  std::string Line() {
    log::Options options;
    options.fd = fds_[1];
    log::Log log(options);
    if (JobLog::Tells(outcome_)) JobLog(&log, hello_).Tell(outcome_, origin_);
    log.Drain(absl::Seconds(10));
    char buffer[8192];
    const ssize_t n = read(fds_[0], buffer, sizeof buffer);
    return n <= 0 ? "" : std::string(buffer, static_cast<size_t>(n));
  }
  bool Has(const std::string& part) { return Line().find(" " + part) != std::string::npos; }

  int fds_[2] = {-1, -1};
  worker::Hello hello_;
  worker::JobOutcome outcome_;
  JobOrigin origin_ = {"r-1.4", {"tgl", "skl"}, "0a0b", "0c0d"};
};

TEST_F(JobLogTest, ACrash) {
  for (const char* part :
       {"event=worker_crashed request=r-1.4 cause=segmentation_fault last_pass=fold target=skl ",
        "key=0a0b module=0c0d ", "ran_seconds=0.012 ", "message=\"the compiler accessed memory "}) {
    EXPECT_TRUE(Has(part)) << part << " in " << Line();
  }
  outcome_.blamed_target = -1;
  EXPECT_TRUE(Has("target=\"tgl skl\" "));
  outcome_.blamed_target = 7;
  EXPECT_TRUE(Has("target=\"tgl skl\" "));
}

TEST_F(JobLogTest, KindsAndWhatIsNoDeath) {
  outcome_.status = TargetResult::TIMED_OUT;
  EXPECT_TRUE(Has("event=job_timed_out "));
  outcome_.status = TargetResult::MEMORY_LIMIT;
  EXPECT_TRUE(Has("event=job_over_memory "));
  for (auto status :
       {TargetResult::OK, TargetResult::REFUSED, TargetResult::INVALID, TargetResult::CANCELLED}) {
    outcome_.status = status;
    EXPECT_EQ(Line(), "");
  }
}

TEST_F(JobLogTest, ATranslationHasNoTarget) {
  origin_.targets.clear();
  origin_.module.clear();
  outcome_.last_pass = "translate_glsl";
  EXPECT_TRUE(Has("last_pass=translate_glsl key=0a0b queued_seconds="));
}

// A worker that runs hostile input may write anything as its pass and its assertion.
TEST_F(JobLogTest, WhatAWorkerWroteStaysOut) {
  outcome_.last_pass = "SECRET";
  outcome_.cause = "assertion";
  outcome_.message = "SECRET";
  EXPECT_TRUE(Has("cause=assertion last_pass=other ")) << Line();
  EXPECT_EQ(Line().find("SECRET"), std::string::npos) << Line();
}

}  // namespace
}  // namespace kiln::server
