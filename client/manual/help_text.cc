// The texts of --help: see help_text.h.
#include "client/manual/help_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace kiln::client {

const absl::string_view kExitCodes =
    "Exit codes: 0 all ok, 1 some modules refused or invalid, 2 usage (wrong flags, files\n"
    "that cannot be read, output that cannot be written, such as a full disk or a closed\n"
    "pipe), 3 the service cannot be reached, 4 an internal failure (crash, timeout), 130\n"
    "interrupted.\n";

const absl::string_view kOverview =
    "compiles GPU shaders (SPIR-V, Vulkan GLSL, HLSL) to machine code, through the daemon\n"
    "kilnd or, with --local, without a daemon\n";

const absl::string_view kOverviewExamples =
    "  kiln compile --target=tgl tests/shaders/saxpy.comp\n"
    "  kiln compile --local --target=tgl --asm -o out tests/shaders/saxpy.comp\n"
    "  kiln batch --target=tgl --jsonl=results.jsonl tests/shaders\n"
    "  kiln targets\n";

std::string HelpText(const Command& command) {
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

std::string OverviewText(absl::Span<const Command> commands) {
  std::string text = absl::StrCat("kiln - ", kOverview,
                                  "\nUsage: kiln COMMAND [FLAG...] [ARGUMENT...]\n\nCommands:\n");
  for (const Command& command : commands) {
    absl::StrAppend(&text, absl::StrFormat("  %-10s %s\n", command.name, command.summary));
  }
  return absl::StrCat(text,
                      "\n`kiln COMMAND --help` explains a command's flags; `kiln --version`.\n\n"
                      "Examples:\n",
                      kOverviewExamples, "\n", kExitCodes);
}

}  // namespace kiln::client
