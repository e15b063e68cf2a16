// Names and versions of the targets.
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/utf8.h"
#include "core/driver/compile.h"

namespace kiln {
namespace {

struct TargetRow {
  Target target;
  std::string_view name;
  uint32_t code_generation_version;
  uint32_t abi_version;
};

constexpr TargetRow kTargets[] = {{Target::kTgl, "tgl", 7, 2}};

const TargetRow& Row(Target target) { return kTargets[static_cast<size_t>(target)]; }

}  // namespace

absl::StatusOr<Target> ParseTarget(std::string_view name) {
  std::string names;
  for (const TargetRow& row : kTargets) {
    if (row.name == name) return row.target;
    absl::StrAppend(&names, names.empty() ? "" : ", ", std::string(row.name));
  }
  return WithCause(absl::InvalidArgumentError(absl::StrCat(
                       "unknown target '", Shortened(name), "'; the targets are: ", names)),
                   "unknown_target");
}

std::string_view TargetName(Target target) { return Row(target).name; }

std::vector<Target> AllTargets() {
  std::vector<Target> all;
  for (const TargetRow& row : kTargets) all.push_back(row.target);
  return all;
}

uint32_t CodeGenerationVersion(Target target) { return Row(target).code_generation_version; }
uint32_t AbiVersion(Target target) { return Row(target).abi_version; }

}  // namespace kiln
