#include "core/target/switches.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"

namespace kiln {

absl::Status CheckSwitches(absl::Span<const std::string> asked, absl::Span<const Switch> known,
                           std::string_view tool) {
  for (const std::string& name : asked) {
    const auto is_it = [&](const Switch& each) { return each.name == name; };
    if (std::any_of(known.begin(), known.end(), is_it)) continue;
    return WithCause(absl::UnimplementedError(
                         absl::StrCat("--", name, ": ", std::string(tool), " has no such mode")),
                     "missing_tool");
  }
  return absl::OkStatus();
}

}  // namespace kiln
