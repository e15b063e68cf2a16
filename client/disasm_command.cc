// kiln disasm: machine code as text, without any service.
//
// The bytes are hostile input: the core's decoder checks every bound and names what it cannot
// decode.
#include "client/command.h"
#include "client/paths.h"
#include "core/driver/compile.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace kiln::client {
namespace {

constexpr uint64_t kMostBytes = uint64_t{64} << 20;

absl::StatusOr<Target> TargetOf(const ParsedFlags& flags) {
  std::vector<std::string> names;
  for (Target target : AllTargets()) names.emplace_back(TargetName(target));
  std::string list;
  for (const std::string& name : names) absl::StrAppend(&list, list.empty() ? "" : ", ", name);
  if (!flags.Has("target")) {
    return absl::InvalidArgumentError(absl::StrCat("--target is missing; there are ", list));
  }
  absl::StatusOr<Target> target = ParseTarget(flags.Get("target"));
  if (target.ok()) return target;
  return absl::InvalidArgumentError(absl::StrCat("--target=", flags.Get("target"),
                                                 ": there is no such target; there are ", list,
                                                 DidYouMean(flags.Get("target"), names)));
}

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
  if (flags.arguments().size() != 1) {
    return Fail(absl::InvalidArgumentError("one file of machine code is needed, or -"),
                environment);
  }
  const std::string& file = flags.arguments()[0];
  absl::StatusOr<std::string> code = ReadWholeFile(file, kMostBytes);
  if (!code.ok()) return Fail(code.status(), environment);
  if (code->empty()) {
    return Fail(absl::InvalidArgumentError(absl::StrCat(file, ": is empty")), environment);
  }
  absl::StatusOr<std::string> text = Disassemble(
      *target, absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(code->data()), code->size()));
  if (!text.ok()) {
    // The file's fault, not the command line's.
    Fail(absl::InvalidArgumentError(absl::StrCat(file, ": ", text.status().message(), "; is it ",
                                                 flags.Get("target"), " machine code?")),
         environment);
    return kExitSomeFailed;
  }
  bool written = Print(environment.json ? JsonText(file, flags.Get("target"), *text) : *text);
  return written ? kExitOk : kExitInternal;
}

}  // namespace

Command DisasmCommand() {
  return {"disasm",
          "FILE|-",
          "print machine code as text",
          "FILE is a .bin that `kiln compile -o` wrote, or machine code of any other origin.\n",
          "  kiln disasm --target=tgl out/blur.comp.tgl.16.bin\n"
          "  kiln compile --target=tgl --widths=16 -o - blur.comp | kiln disasm --target=tgl -\n",
          {{"target", 't', "T", false, "whose machine code it is"}},
          Run};
}

}  // namespace kiln::client
