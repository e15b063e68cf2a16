// A worker executable with the compiler double inside.
#include "server/worker/testing/fake_backend.h"
#include "server/worker/testing/faults.h"
#include "server/worker/testing/lies.h"
#include "server/worker/worker_main.h"

int main(int argc, char** argv) {
  kiln::worker::FakeBackend honest;
  kiln::worker::LyingBackend backend(&honest);
  return kiln::worker::WorkerMain(argc, argv, &backend, kiln::worker::InjectFault);
}
