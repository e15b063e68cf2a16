// The worker executable: the compiler in a process of its own. Started by kilnd and kiln --local.
#include "server/worker/core_backend.h"
#include "server/worker/worker_main.h"

int main(int argc, char** argv) {
  kiln::worker::CoreBackend backend;
  return kiln::worker::WorkerMain(argc, argv, &backend);
}
