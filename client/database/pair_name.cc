// The name of a pair: see pair_name.h.
#include "client/database/pair_name.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace kiln::client {
namespace {

constexpr absl::string_view kBetween = " + ";

}  // namespace

std::string PairName(const std::string& vertex, const std::string& fragment) {
  return absl::StrCat(vertex, kBetween, fragment);
}

std::optional<std::pair<std::string, std::string>> FilesOfPair(const std::string& name) {
  const absl::string_view whole = name;
  const size_t at = whole.find(kBetween);
  if (at == absl::string_view::npos || whole.find(kBetween, at + 1) != absl::string_view::npos) {
    return std::nullopt;
  }
  return std::pair(std::string(whole.substr(0, at)),
                   std::string(whole.substr(at + kBetween.size())));
}

}  // namespace kiln::client
