#include "core/base/step.h"

#include <time.h>

#include <algorithm>

namespace kiln {
namespace {

constexpr int64_t kShort = 20'000;

int64_t Read(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

}  // namespace

int64_t ThreadNanoseconds() {
  // Last readings of both clocks, per thread. They influence nothing but times.
  static thread_local int64_t wall = 0, cpu = 0;
  const int64_t now = Read(CLOCK_MONOTONIC);
  const int64_t passed = now - wall;
  wall = now;
  cpu = passed < kShort ? cpu + passed : std::max(cpu, Read(CLOCK_THREAD_CPUTIME_ID));
  return cpu;
}

Step::Step(Sink* sink, std::string_view name, std::string_view level, int width) : sink_(sink) {
  if (sink_ == nullptr) return;
  record_.pass = name;
  record_.level = level;
  record_.width = width;
  sink_->OnPassBegin(name);
  record_.nanoseconds = -ThreadNanoseconds();
}

Step::~Step() {
  if (sink_ == nullptr) return;
  record_.nanoseconds += ThreadNanoseconds();
  sink_->OnPass(record_);
}

}  // namespace kiln
