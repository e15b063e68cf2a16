// Runs a command in a test and captures what it prints.
#ifndef KILN_CLIENT_COMMANDS_TESTING_H_
#define KILN_CLIENT_COMMANDS_TESTING_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/commands/command.h"

namespace kiln::client {

struct Ran {
  int code = -1;
  std::string out, err;
};

// Runs the command with these flags and arguments, without colours.
inline Ran RunWith(const Command& command, const std::vector<std::string>& arguments,
                   const Environment& environment = {}) {
  const absl::StatusOr<ParsedFlags> flags = ParseFlags(command.flags, arguments);
  if (!flags.ok()) {
    ADD_FAILURE() << flags.status();
    return {};
  }
  Ran ran;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  ran.code = command.run(*flags, environment);
  ran.out = testing::internal::GetCapturedStdout();
  ran.err = testing::internal::GetCapturedStderr();
  return ran;
}

}  // namespace kiln::client

#endif  // KILN_CLIENT_COMMANDS_TESTING_H_
