// A command of kiln: what it is called, what its help says, its flags and what runs it.
#ifndef KILN_CLIENT_CLI_COMMAND_H_
#define KILN_CLIENT_CLI_COMMAND_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "client/cli/exit_code.h"
#include "client/cli/flags.h"
#include "client/cli/interrupt.h"

namespace kiln::client {

// The surroundings that every command gets beside its flags.
struct Environment {
  bool out_colour = false;  // standard output
  bool err_colour = false;  // standard error
  bool json = false;
  Interrupt* interrupt = nullptr;
};

struct Command {
  absl::string_view name;
  // After the flags: "FILE|-". Small letters are words to be written as they are, "list|show";
  // "COMMAND" is the name of a command, everything else a file.
  absl::string_view arguments;
  absl::string_view summary;   // a line
  absl::string_view details;   // paragraphs for --help
  absl::string_view examples;  // lines for --help
  std::vector<Flag> flags;
  ExitCode (*run)(const ParsedFlags& flags, const Environment& environment);
  bool has_json = true;  // it has the common flag --json
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_CLI_COMMAND_H_
