// Dependencies for Make and Ninja: see depfile.h.
#include "client/export/depfile.h"

#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/base/utf8.h"

namespace kiln::client {
namespace {

// Characters that both tools take as they are; a "~" at the start is a home folder to Make.
constexpr absl::string_view kPlain = "-._/+,@!{}~";
// Those that are escaped: a blank, # and : by a backslash, $ by another one.
constexpr absl::string_view kEscaped = " #:$";

// Appends the escaped names, each after a blank.
absl::Status AppendNames(const std::vector<std::string>& names, std::string* line) {
  for (const std::string& name : names) {
    const absl::StatusOr<std::string> escaped = EscapedForMake(name);
    if (!escaped.ok()) return escaped.status();
    absl::StrAppend(line, line->empty() ? "" : " ", *escaped);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> EscapedForMake(absl::string_view name) {
  std::string escaped;
  bool good = !name.empty() && name.front() != '~';
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (kEscaped.find(c) != absl::string_view::npos) {
      escaped += c == '$' ? '$' : '\\';
    } else {
      good &=
          absl::ascii_isalnum(byte) || byte >= 0x80 || kPlain.find(c) != absl::string_view::npos;
    }
    escaped += c;
  }
  if (good) return escaped;
  return absl::InvalidArgumentError(
      absl::StrCat("--depfile: the name '", Quoted(std::string(name)),
                   "' cannot be written so that both Make and Ninja read it; use names of letters, "
                   "digits, blanks and ",
                   kPlain, "#:$"));
}

absl::StatusOr<std::string> DepfileText(const std::vector<Dependencies>& rules) {
  std::string text;
  std::set<std::string> firsts, phony;
  for (const Dependencies& rule : rules) {
    std::string line;
    if (absl::Status s = AppendNames(rule.outputs, &line); !s.ok()) return s;
    line += ':';
    if (absl::Status s = AppendNames(rule.inputs, &line); !s.ok()) return s;
    absl::StrAppend(&text, line, "\n");
    if (!rule.inputs.empty()) firsts.insert(rule.inputs[0]);
    phony.insert(rule.inputs.begin(), rule.inputs.end());
  }
  for (const std::string& input : phony) {
    if (firsts.count(input) != 0) continue;
    absl::StrAppend(&text, "\n", *EscapedForMake(input), ":\n");
  }
  return text;
}

}  // namespace kiln::client
