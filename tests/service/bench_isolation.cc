// Benchmark: the cost of a separate worker process for a miss.
//
//   bazel run //tests/service:bench_isolation -- [--jobs=2000] [--bytes=10240]
//
// Sends jobs one at a time through the pool to a worker with the compiler double, whose work is
// next to nothing, and does the same work in this process. The difference is the price of
// isolation: serialising, two wake-ups, the copy of module and result. Goal: at most 100 us.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/synchronization/notification.h"
#include "core/base/step.h"
#include "server/worker/board.h"
#include "server/worker/job_sink.h"
#include "server/worker/pool.h"
#include "server/worker/testing/fake_backend.h"

namespace {

using Clock = std::chrono::steady_clock;

double Microseconds(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

void Print(const char* name, std::vector<double> us) {
  std::sort(us.begin(), us.end());
  printf("%-14s p50 %7.1f us   p90 %7.1f us   p99 %7.1f us\n", name, us[us.size() / 2],
         us[us.size() * 9 / 10], us[us.size() * 99 / 100]);
}

}  // namespace

int main(int argc, char** argv) {
  int jobs = 2000, bytes = 10240;
  for (int i = 1; i < argc; ++i) {
    if (sscanf(argv[i], "--jobs=%d", &jobs) == 1) continue;
    if (sscanf(argv[i], "--bytes=%d", &bytes) == 1) continue;
    fprintf(stderr, "bench_isolation: unknown argument %s\n", argv[i]);
    return 2;
  }
  kiln::worker::PoolOptions options;
  options.executable = "server/worker/testing/fake_worker";
  options.jobs_per_worker = 1'000'000;
  auto pool = kiln::worker::Pool::Start(std::move(options));
  if (!pool.ok()) {
    fprintf(stderr, "%s\n", std::string(pool.status().message()).c_str());
    return 1;
  }
  auto board = kiln::worker::Board::Create();
  if (!board.ok()) return 1;
  std::vector<double> isolated, here;
  for (int i = 0; i < jobs; ++i) {
    kiln::worker::Job job;
    job.mutable_compile()->set_spirv(
        kiln::worker::FakeModule(static_cast<uint32_t>(i + 1), bytes / 4 - 3));
    job.mutable_compile()->add_targets("tgl");

    auto start = Clock::now();
    (*board)->Reset();
    kiln::worker::JobSink sink(board->get(), {}, kiln::ThreadNanoseconds());
    kiln::worker::FakeBackend backend;
    backend.Compile(job.compile(), &sink, [](int, const kiln::v1::TargetResult&) {});
    here.push_back(Microseconds(start));

    start = Clock::now();
    absl::Notification done;
    bool ok = false;
    auto handle = (*pool)->Submit(job, [&](kiln::worker::JobOutcome outcome) {
      ok = outcome.results.size() == 1 && outcome.results[0].has_value();
      done.Notify();
    });
    if (!handle.ok()) return 1;
    done.WaitForNotification();
    isolated.push_back(Microseconds(start));
    if (!ok) return 1;
  }
  Print("in process", here);
  Print("in a worker", isolated);
  return 0;
}
