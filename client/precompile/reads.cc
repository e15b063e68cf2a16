// Inputs of a fragment shader as text: see reads.h.
#include "client/precompile/reads.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/source/link_stages.h"

namespace kiln::client {
namespace {

constexpr absl::string_view kComponents = "xyzw";
constexpr absl::string_view kNothing = "-";
constexpr absl::string_view kBuiltins[] = {"clip_distance", "primitive_id", "viewport"};

}  // namespace

std::string ReadsText(const kiln::v1::TargetResult& fragment) {
  if (ReadsEachVertex(fragment)) return "";
  std::string text;
  const kiln::v1::NextStageReads reads = ReadsOf(fragment);
  for (const auto& location : reads.locations()) {
    absl::StrAppend(&text, text.empty() ? "" : " ", location.location(), ":");
    for (size_t i = 0; i < kComponents.size(); ++i) {
      if ((location.components() >> i & 1) != 0) text.push_back(kComponents[i]);
    }
  }
  for (const std::string& name : reads.builtins()) {
    absl::StrAppend(&text, text.empty() ? "" : " ", name);
  }
  return text.empty() ? std::string(kNothing) : text;
}

absl::StatusOr<kiln::v1::NextStageReads> ParseReads(absl::string_view text) {
  kiln::v1::NextStageReads reads;
  if (text == kNothing) return reads;
  for (absl::string_view part : absl::StrSplit(text, ' ')) {
    const std::vector<absl::string_view> halves = absl::StrSplit(part, ':');
    if (std::ranges::find(kBuiltins, part) != std::end(kBuiltins)) {
      reads.add_builtins(std::string(part));
      continue;
    }
    uint32_t number = 0, components = 0;
    bool good = halves.size() == 2 && absl::SimpleAtoi(halves[0], &number) && !halves[1].empty();
    if (good) {
      for (const char c : halves[1]) {
        const size_t at = kComponents.find(c);
        good = good && at != absl::string_view::npos;
        if (good) components |= uint32_t{1} << at;
      }
    }
    if (!good) return absl::DataLossError(absl::StrCat("'", text, "' is no list of inputs"));
    auto* location = reads.add_locations();
    location->set_location(number);
    location->set_components(components);
  }
  return reads;
}

}  // namespace kiln::client
