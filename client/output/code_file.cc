// Machine code as an argument of commands: see code_file.h.
#include "client/output/code_file.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/cli/paths.h"

namespace kiln::client {
namespace {

constexpr uint64_t kMaxBytes = uint64_t{64} << 20;

}  // namespace

absl::StatusOr<Target> TargetOf(const ParsedFlags& flags) {
  std::vector<std::string> names;
  for (Target target : AllTargets()) names.emplace_back(TargetName(target));
  std::string list;
  for (const std::string& name : names) absl::StrAppend(&list, list.empty() ? "" : ", ", name);
  if (!flags.Has("target")) {
    return absl::InvalidArgumentError(absl::StrCat("--target is missing; the targets are ", list));
  }
  absl::StatusOr<Target> target = ParseTarget(flags.Get("target"));
  if (target.ok()) return target;
  return absl::InvalidArgumentError(absl::StrCat("--target=", flags.Get("target"),
                                                 ": no such target; the targets are ", list,
                                                 DidYouMean(flags.Get("target"), names)));
}

absl::StatusOr<std::string> ReadCodeFile(const ParsedFlags& flags) {
  if (flags.arguments().size() != 1) {
    return absl::InvalidArgumentError("give one file of machine code, or - for standard input");
  }
  absl::StatusOr<std::string> code = ReadWholeFile(flags.arguments()[0], kMaxBytes);
  if (code.ok() && code->empty()) {
    return absl::InvalidArgumentError(absl::StrCat(flags.arguments()[0], ": is empty"));
  }
  return code;
}

}  // namespace kiln::client
