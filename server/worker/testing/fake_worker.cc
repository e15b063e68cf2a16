// A worker executable with the compiler double inside.
#include "server/worker/testing/fake_backend.h"
#include "server/worker/testing/faults.h"
#include "server/worker/worker_main.h"

int main(int argc, char** argv) {
  kiln::worker::FakeBackend backend;
  return kiln::worker::WorkerMain(argc, argv, &backend, kiln::worker::InjectFault);
}
