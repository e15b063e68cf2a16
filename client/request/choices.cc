// Values of flags that are a fixed set: see choices.h.
#include "client/request/choices.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/cli/stage_name.h"
#include "core/driver/compile.h"
#include "core/out/container.h"

namespace kiln::client {

absl::string_view TargetChoices() {
  static const auto* const choices = [] {
    std::vector<std::string> names;
    for (Target target : AllTargets()) names.emplace_back(TargetName(target));
    return new std::string(absl::StrJoin(names, " "));
  }();
  return *choices;
}

absl::string_view StageChoices() {
  static const auto* const choices =
      new std::string(absl::StrReplaceAll(StageNames(), {{", ", " "}}));
  return *choices;
}

absl::string_view ContainerChoices() {
  static const auto* const choices = [] {
    std::vector<std::string> names;
    for (const out::ContainerInfo& row : out::kContainers) names.emplace_back(row.name);
    return new std::string(absl::StrJoin(names, " "));
  }();
  return *choices;
}

absl::string_view ScanChoices() {
  static const auto* const choices = [] {
    std::vector<std::string> names;
    for (Target target : AllTargets()) {
      for (std::string_view scan : ScansOf(target)) {
        const std::string name(scan);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    }
    return new std::string(absl::StrJoin(names, " "));
  }();
  return *choices;
}

absl::string_view NggGroupChoices() {
  static const auto* const choices = [] {
    std::set<uint32_t> sizes;
    for (Target target : AllTargets()) {
      sizes.insert(NggGroupsOf(target).begin(), NggGroupsOf(target).end());
    }
    return new std::string(absl::StrJoin(sizes, " "));
  }();
  return *choices;
}

absl::string_view PassChoices() {
  static const auto* const choices = [] {
    std::set<std::string> names;  // a pass may be in the lists of several levels
    for (const PassInfo& pass : AllPasses()) {
      if (pass.optional) names.insert(pass.name);
    }
    return new std::string(absl::StrJoin(names, " "));
  }();
  return *choices;
}

}  // namespace kiln::client
