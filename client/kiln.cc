// The kiln command.
#include <signal.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "client/command.h"
#include "client/interrupt.h"

int main(int argc, char** argv) {
  // gRPC's own log lines are not for the users of a command.
  setenv("GRPC_VERBOSITY", "NONE", 0);
  // `kiln ... | head`: a closed pipe is an error of a write, not the end of the process.
  signal(SIGPIPE, SIG_IGN);
  kiln::client::Interrupt interrupt;
  std::vector<std::string> arguments(argv + 1, argv + argc);
  return kiln::client::Main(arguments, &interrupt);
}
