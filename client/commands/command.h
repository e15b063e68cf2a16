// The commands of kiln.
#ifndef KILN_CLIENT_COMMANDS_COMMAND_H_
#define KILN_CLIENT_COMMANDS_COMMAND_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "client/cli/command.h"
#include "client/cli/exit_code.h"
#include "client/cli/flags.h"
#include "client/cli/interrupt.h"
#include "client/cli/terminal.h"

namespace kiln::client {

Command CompileCommand();
Command BatchCommand();
Command PrecompileCommand();
Command TargetsCommand();
Command RunCommand();
Command AnalyzeCommand();
Command TraceCommand();
Command DisasmCommand();
Command ReportCommand();
Command HealthCommand();
Command QuarantineCommand();
Command ManCommand();
Command CompletionCommand();

// All of them in the order of `kiln --help`, with the flags that every command has: the table from
// which help texts, manual and completion are made.
std::vector<Command> Commands();

// All of kiln: finds the command, parses its flags, runs it.
int Main(absl::Span<const std::string> arguments, Interrupt* interrupt);

// Prints "kiln: MESSAGE" and returns the exit code for the error. A closed pipe has no message: the
// reader of `kiln ... | head` has all it needs.
ExitCode Fail(const absl::Status& status, const Environment& environment);

// Writes to standard output. A WriteError (paths.h): the disk is full, or the reader has closed it.
absl::Status Print(absl::string_view text);
// Prints likewise, as a command's end; returns `code`, or the exit code of the error.
ExitCode PrintAndExit(absl::string_view text, const Environment& environment,
                      ExitCode code = kExitOk);

// Joins the flags of a command with parts that it shares.
std::vector<Flag> JoinFlags(std::initializer_list<std::vector<Flag>> parts);

}  // namespace kiln::client

#endif  // KILN_CLIENT_COMMANDS_COMMAND_H_
