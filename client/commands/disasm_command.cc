// kiln disasm: machine code as text, without any service.
//
// The bytes are hostile input: the core's decoder checks every bound and names what it cannot
// decode.
#include "client/commands/command.h"
#include "client/output/code_file.h"
#include "client/request/choices.h"
#include "core/driver/compile.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace kiln::client {
namespace {

std::string JsonText(const std::string& file, const std::string& target, const std::string& text) {
  nlohmann::ordered_json json = {
      {"file", file}, {"target", target}, {"lines", nlohmann::ordered_json::array()}};
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    json["lines"].push_back(std::string(line));
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

ExitCode Run(const ParsedFlags& flags, const Environment& environment) {
  absl::StatusOr<Target> target = TargetOf(flags);
  if (!target.ok()) return Fail(target.status(), environment);
  if (absl::Status s = CheckDisassembler(*target); !s.ok()) return Fail(s, environment);
  absl::StatusOr<std::string> code = ReadCodeFile(flags);
  if (!code.ok()) return Fail(code.status(), environment);
  const std::string& file = flags.arguments()[0];
  absl::StatusOr<std::string> text = Disassemble(
      *target, absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(code->data()), code->size()));
  if (!text.ok()) {
    // The file is wrong, not the command line.
    Fail(absl::InvalidArgumentError(absl::StrCat(file, ": ", text.status().message(), "; is it ",
                                                 flags.Get("target"), " machine code?")),
         environment);
    return kExitSomeFailed;
  }
  return PrintAndExit(environment.json ? JsonText(file, flags.Get("target"), *text) : *text,
                      environment);
}

}  // namespace

Command DisasmCommand() {
  return {
      "disasm",
      "FILE|-",
      "print machine code as text",
      "FILE is a .bin that `kiln compile -o` wrote, or machine code of any other compiler. For a code\n"
      "object of ROCm (.hsaco) it prints first what a launch of its kernel needs.\n",
      "  kiln disasm --target=tgl out/saxpy.comp.tgl.16.bin\n"
      "  kiln compile --target=tgl --widths=16 -o - tests/shaders/saxpy.comp | kiln disasm --target=tgl -\n",
      {{"target", 't', "T", false, "target of the machine code; `kiln targets` lists the targets",
        TargetChoices()}},
      Run};
}

}  // namespace kiln::client
