// The kiln command.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "client/cli/interrupt.h"
#include "client/commands/command.h"

namespace {

// Occupies closed descriptors 0 to 2, which would otherwise be given to the first sockets and
// files, so that results would be written there. The replacement can be neither read nor written,
// like a closed descriptor.
void OccupyStandardDescriptors() {
  for (int fd = 0; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) == 0) continue;
    if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  OccupyStandardDescriptors();
  // gRPC's own log lines are not for the users of a command.
  setenv("GRPC_VERBOSITY", "NONE", 0);
  // `kiln ... | head`: a closed pipe is an error of a write, not the end of the process.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // and so is `ulimit -f`
  kiln::client::Interrupt interrupt;
  std::vector<std::string> arguments(argv + 1, argv + argc);
  return kiln::client::Main(arguments, &interrupt);
}
