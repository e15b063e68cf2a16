// Finds the command, parses its flags, runs it: see command.h.
#include "client/commands/command.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/paths.h"
#include "client/cli/version.h"
#include "client/manual/help_text.h"

namespace kiln::client {
namespace {

// Commands of the finished design, not of this version: named so that the author of a script gets a
// clear error.
constexpr absl::string_view kLater[] = {"explain", "bisect", "cache"};

// A command may define one of them in its own way.
void AddCommonFlags(Command* command) {
  std::vector<Flag> common = {
      {"color", 0, "WHEN", false,
       "when to use colour: always, never, or auto (default): on a terminal, unless NO_COLOR is set",
       "auto always never"},
      {"help", 'h', "", false, "print this help"},
  };
  if (command->has_json)
    common.insert(common.begin(), {"json", 0, "", false, "print JSON instead of text"});
  for (const Flag& flag : common) {
    auto same = [&flag](const Flag& own) { return own.name == flag.name; };
    if (std::none_of(command->flags.begin(), command->flags.end(), same)) {
      command->flags.push_back(flag);
    }
  }
}

absl::StatusOr<ColourChoice> ParseColour(const std::string& word) {
  if (word == "auto") return ColourChoice::kAuto;
  if (word == "always") return ColourChoice::kAlways;
  if (word == "never") return ColourChoice::kNever;
  return absl::InvalidArgumentError(
      absl::StrCat("--color=", word, ": must be auto, always or never"));
}

ExitCode RunCommand(const Command& command, absl::Span<const std::string> arguments,
                    Interrupt* interrupt) {
  Environment environment;
  environment.err_colour = UsesColour(ColourChoice::kAuto, stderr);
  environment.interrupt = interrupt;
  absl::StatusOr<ParsedFlags> flags = ParseFlags(command.flags, arguments);
  if (!flags.ok()) {
    return Fail(absl::InvalidArgumentError(absl::StrCat(flags.status().message(), " (see kiln ",
                                                        command.name, " --help)")),
                environment);
  }
  if (flags->Has("help")) return PrintAndExit(HelpText(command), environment);
  absl::StatusOr<ColourChoice> colour = ParseColour(flags->Get("color", "auto"));
  if (!colour.ok()) return Fail(colour.status(), environment);
  environment.out_colour = UsesColour(*colour, stdout);
  environment.err_colour = UsesColour(*colour, stderr);
  environment.json = flags->Has("json");
  return command.run(*flags, environment);
}

absl::Status NoSuchCommand(const std::string& word) {
  if (std::find(std::begin(kLater), std::end(kLater), word) != std::end(kLater)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the command '", word, "' is not available yet in version ", kVersion));
  }
  std::vector<std::string> names;
  for (const Command& command : Commands()) names.emplace_back(command.name);
  return absl::InvalidArgumentError(absl::StrCat("there is no command '", word, "'",
                                                 DidYouMean(word, names), " (see kiln --help)"));
}

}  // namespace

std::vector<Command> Commands() {
  std::vector<Command> commands = {
      CompileCommand(),    BatchCommand(),  PrecompileCommand(), RunCommand(),   ReportCommand(),
      TargetsCommand(),    DisasmCommand(), AnalyzeCommand(),    TraceCommand(), HealthCommand(),
      QuarantineCommand(), ManCommand(),    CompletionCommand()};
  for (Command& command : commands) AddCommonFlags(&command);
  return commands;
}

std::vector<Flag> JoinFlags(std::initializer_list<std::vector<Flag>> parts) {
  std::vector<Flag> all;
  for (const std::vector<Flag>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

absl::Status Print(absl::string_view text) {
  return WriteAll(STDOUT_FILENO, "standard output", text);
}

ExitCode PrintAndExit(absl::string_view text, const Environment& environment, ExitCode code) {
  const absl::Status printed = Print(text);
  return printed.ok() ? code : Fail(printed, environment);
}

ExitCode Fail(const absl::Status& status, const Environment& environment) {
  if (ReaderIsGone(status)) return ExitCodeOf(status);
  std::string message = PrintableLines(status.message());
  absl::FPrintF(stderr, "kiln: %s%s\n", environment.err_colour ? "\x1b[31merror:\x1b[0m " : "",
                message.empty() ? status.ToString() : message);
  return ExitCodeOf(status);
}

int Main(absl::Span<const std::string> arguments, Interrupt* interrupt) {
  if (arguments.empty()) {
    absl::FPrintF(stderr, "%s", OverviewText(Commands()));
    return kExitUsage;
  }
  const std::string& word = arguments[0];
  if (word == "--help" || word == "-h" || (word == "help" && arguments.size() == 1)) {
    return PrintAndExit(OverviewText(Commands()), {});
  }
  if (word == "--version") {
    return PrintAndExit(absl::StrCat("kiln ", kVersion, " (", kApi, ")\n"), {});
  }
  bool help = word == "help";
  std::vector<Command> commands = Commands();
  const std::string& name = help ? arguments[1] : word;
  for (Command& command : commands) {
    if (command.name != name) continue;
    if (help) return RunCommand(std::move(command), {"--help"}, interrupt);
    return RunCommand(std::move(command), arguments.subspan(1), interrupt);
  }
  if (word[0] == '-') {
    return Fail(absl::InvalidArgumentError(absl::StrCat("the command comes before its flags; got ",
                                                        word, " (see kiln --help)")),
                {});
  }
  return Fail(NoSuchCommand(name), {});
}

}  // namespace kiln::client
