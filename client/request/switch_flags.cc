#include "client/request/switch_flags.h"

#include <string_view>

namespace kiln::client {
namespace {

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

std::vector<Flag> FlagsOf(absl::Span<const Switch> switches) {
  std::vector<Flag> flags;
  for (const Switch& each : switches) {
    flags.push_back({View(each.name), 0, "", false, View(each.help)});
  }
  return flags;
}

std::vector<std::string> Given(absl::Span<const Switch> switches, const ParsedFlags& flags) {
  std::vector<std::string> names;
  for (const Switch& each : switches) {
    if (flags.Has(View(each.name))) names.emplace_back(each.name);
  }
  return names;
}

}  // namespace kiln::client
