// Finds the command, parses its flags, runs it: see command.h.
#include "client/commands/command.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/paths.h"
#include "client/cli/version.h"

namespace kiln::client {
namespace {

constexpr absl::string_view kExitCodes =
    "Exit codes: 0 all ok, 1 some modules refused or invalid, 2 usage (wrong flags, files\n"
    "that cannot be read, output that cannot be written, such as a full disk or a closed\n"
    "pipe), 3 the service cannot be reached, 4 an internal failure (crash, timeout), 130\n"
    "interrupted.\n";

// Commands of the finished design, not of this version: named so that the author of a script gets a
// clear error.
constexpr absl::string_view kLater[] = {"precompile", "explain", "trace", "bisect", "cache"};

std::vector<Command> Commands() {
  return {CompileCommand(), BatchCommand(),   RunCommand(),    ReportCommand(),    TargetsCommand(),
          DisasmCommand(),  AnalyzeCommand(), HealthCommand(), QuarantineCommand()};
}

// A command may define one of them in its own way.
void AddCommonFlags(std::vector<Flag>* flags) {
  const Flag common[] = {
      {"json", 0, "", false, "print JSON instead of text"},
      {"color", 0, "WHEN", false,
       "when to use colour: always, never, or auto (default): on a terminal, unless NO_COLOR is "
       "set"},
      {"help", 'h', "", false, "print this help"},
  };
  for (const Flag& flag : common) {
    auto same = [&flag](const Flag& own) { return own.name == flag.name; };
    if (std::none_of(flags->begin(), flags->end(), same)) flags->push_back(flag);
  }
}

// "[=FILE]".
std::string OptionalText(absl::string_view value) { return absl::StrCat("[=", value.substr(1)); }

std::string FlagText(const Flag& flag) {
  std::string text;
  if (flag.letter != 0) absl::StrAppend(&text, "-", std::string(1, flag.letter));
  if (flag.letter != 0 && !flag.name.empty()) absl::StrAppend(&text, ", ");
  if (!flag.name.empty()) {
    absl::StrAppend(&text, "--", flag.name, flag.value.empty() || flag.ValueIsOptional() ? "" : "=",
                    flag.ValueIsOptional() ? OptionalText(flag.value) : std::string(flag.value));
  } else if (!flag.value.empty()) {
    absl::StrAppend(&text, " ", flag.value);
  }
  return text;
}

std::string HelpOf(const Command& command) {
  std::string text = absl::StrCat("kiln ", command.name, " - ", command.summary, "\n\nUsage: kiln ",
                                  command.name, " [FLAG...]", command.arguments.empty() ? "" : " ",
                                  command.arguments, "\n\n", command.details, "\nFlags:\n");
  for (const Flag& flag : command.flags) {
    std::string left = FlagText(flag);
    absl::StrAppend(&text, absl::StrFormat("  %-26s ", left));
    if (left.size() > 26) absl::StrAppend(&text, "\n", std::string(29, ' '));
    absl::StrAppend(&text, flag.help, "\n");
  }
  return absl::StrCat(text, "\nExamples:\n", command.examples, "\n", kExitCodes);
}

std::string Overview() {
  std::string text =
      "kiln - compiles GPU shaders (SPIR-V, Vulkan GLSL) to machine code, through the daemon\n"
      "kilnd or, with --local, without a daemon\n"
      "\n"
      "Usage: kiln COMMAND [FLAG...] [ARGUMENT...]\n"
      "\n"
      "Commands:\n";
  for (const Command& command : Commands()) {
    absl::StrAppend(&text, absl::StrFormat("  %-10s %s\n", command.name, command.summary));
  }
  return absl::StrCat(text,
                      "\n`kiln COMMAND --help` explains a command's flags; `kiln --version`.\n\n"
                      "Examples:\n"
                      "  kiln compile --target=tgl tests/shaders/saxpy.comp\n"
                      "  kiln compile --local --target=tgl --asm -o out tests/shaders/saxpy.comp\n"
                      "  kiln batch --target=tgl --jsonl=results.jsonl tests/shaders\n"
                      "  kiln targets\n\n",
                      kExitCodes);
}

absl::StatusOr<ColourChoice> ParseColour(const std::string& word) {
  if (word == "auto") return ColourChoice::kAuto;
  if (word == "always") return ColourChoice::kAlways;
  if (word == "never") return ColourChoice::kNever;
  return absl::InvalidArgumentError(
      absl::StrCat("--color=", word, ": must be auto, always or never"));
}

ExitCode RunCommand(Command command, absl::Span<const std::string> arguments,
                    Interrupt* interrupt) {
  AddCommonFlags(&command.flags);
  Environment environment;
  environment.err_colour = UsesColour(ColourChoice::kAuto, stderr);
  environment.interrupt = interrupt;
  absl::StatusOr<ParsedFlags> flags = ParseFlags(command.flags, arguments);
  if (!flags.ok()) {
    return Fail(absl::InvalidArgumentError(absl::StrCat(flags.status().message(), " (see kiln ",
                                                        command.name, " --help)")),
                environment);
  }
  if (flags->Has("help")) return PrintAndExit(HelpOf(command), environment);
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
  if (NobodyReads(status)) return ExitCodeOf(status);
  std::string message = Printable(status.message());
  absl::FPrintF(stderr, "kiln: %s%s\n", environment.err_colour ? "\x1b[31merror:\x1b[0m " : "",
                message.empty() ? status.ToString() : message);
  return ExitCodeOf(status);
}

int Main(absl::Span<const std::string> arguments, Interrupt* interrupt) {
  if (arguments.empty()) {
    absl::FPrintF(stderr, "%s", Overview());
    return kExitUsage;
  }
  const std::string& word = arguments[0];
  if (word == "--help" || word == "-h" || (word == "help" && arguments.size() == 1)) {
    return PrintAndExit(Overview(), {});
  }
  if (word == "--version") {
    return PrintAndExit(absl::StrCat("kiln ", kVersion, " (", kApi, ")\n"), {});
  }
  bool help = word == "help";
  const std::string& name = help ? arguments[1] : word;
  for (Command& command : Commands()) {
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
