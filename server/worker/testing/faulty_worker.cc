// kiln_worker with faults on demand: the compiler itself, for tests of how the service survives its
// deaths.
#include "server/worker/core_backend.h"
#include "server/worker/testing/faults.h"
#include "server/worker/testing/lies.h"
#include "server/worker/worker_main.h"

int main(int argc, char** argv) {
  kiln::worker::CoreBackend honest;
  kiln::worker::LyingBackend backend(&honest);
  return kiln::worker::WorkerMain(argc, argv, &backend, kiln::worker::InjectFault);
}
