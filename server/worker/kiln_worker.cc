// The worker executable: the compiler in a process of its own. Started by kilnd and kiln --local.
#include <malloc.h>

#include "server/worker/core_backend.h"
#include "server/worker/worker_main.h"

namespace {

// A compile takes and gives back some MiB in small pieces. glibc would return them to the kernel
// after every job, and take them page by page, each zeroed, in the next one. The worker keeps that
// much; what is larger goes back, and a worker that has grown too large is replaced
// (resident_bytes_per_worker of pool.h).
void KeepMemoryBetweenJobs() {
  constexpr int kKeptBytes = 32 << 20;  // the most that glibc takes as M_MMAP_THRESHOLD
  mallopt(M_TRIM_THRESHOLD, kKeptBytes);
  mallopt(M_MMAP_THRESHOLD, kKeptBytes);
  mallopt(M_TOP_PAD, 1 << 20);
}

}  // namespace

int main(int argc, char** argv) {
  KeepMemoryBetweenJobs();
  kiln::worker::CoreBackend backend;
  return kiln::worker::WorkerMain(argc, argv, &backend);
}
