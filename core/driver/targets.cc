// The table of targets: a new target is a row here and a name in Target.
#include "core/driver/targets.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/amd/pipeline/backend.h"
#include "core/base/utf8.h"
#include "core/intel/pipeline/backend.h"

namespace kiln {
namespace {

constexpr const Backend* kBackends[] = {&intel::kTglBackend, &amd::kGfx1030Backend};

}  // namespace

absl::Span<const Backend* const> ShippedBackends() { return kBackends; }
[[gnu::weak]] absl::Span<const Backend* const> Backends() { return ShippedBackends(); }
const Backend& BackendOf(Target target) { return *Backends()[static_cast<size_t>(target)]; }

absl::StatusOr<Target> ParseTarget(std::string_view name) {
  std::string names;
  for (Target target : AllTargets()) {
    if (TargetName(target) == name) return target;
    absl::StrAppend(&names, names.empty() ? "" : ", ", std::string(TargetName(target)));
  }
  return WithCause(absl::InvalidArgumentError(absl::StrCat("unknown target '", Quoted(name),
                                                           "'; the targets are: ", names)),
                   "unknown_target");
}

std::string_view TargetName(Target target) { return BackendOf(target).name; }

std::vector<Target> AllTargets() {
  std::vector<Target> all;
  for (size_t i = 0; i < Backends().size(); ++i) all.push_back(static_cast<Target>(i));
  return all;
}

uint32_t CodeGenerationVersion(Target target) { return BackendOf(target).code_generation_version; }
uint32_t AbiVersion(Target target) { return BackendOf(target).abi_version; }

std::string VariantName(Target target, uint32_t width) {
  return BackendOf(target).variant_name(width);
}

absl::Span<const StatisticRow> StatisticsOf(const Backend& backend) {
  if (backend.statistics == nullptr) return {};
  return backend.statistics();
}
absl::Span<const StatisticRow> StatisticsOf(Target target) {
  return StatisticsOf(BackendOf(target));
}

}  // namespace kiln
