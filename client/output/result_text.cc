// A result for people: see result_text.h.
#include "client/output/result_text.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "client/cli/terminal.h"
#include "client/output/reason.h"
#include "client/output/result_json.h"

namespace kiln::client {
namespace {

using kiln::v1alpha::TargetResult;

constexpr const char* kColumns[] = {"variant", "instructions", "sync",      "sends",  "loops",
                                    "spills",  "fills",        "registers", "cycles", "bytes"};

std::vector<std::string> Row(const kiln::v1alpha::Variant& variant) {
  const auto& s = variant.statistics();
  std::vector<std::string> row = {variant.name()};
  for (int64_t n : {s.instructions(), s.sync_instructions(), s.sends(), s.loops(), s.spills(),
                    s.fills(), s.registers(), s.cycles(), s.bytes()}) {
    row.push_back(absl::StrCat(n));
  }
  // 0 cycles: the target has no model yet.
  if (s.cycles() == 0) row[8] = "-";
  return row;
}

std::string Table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    text += "  ";
    for (size_t i = 0; i < row.size(); ++i) {
      std::string padding(widths[i] - row[i].size(), ' ');
      if (i == 0) absl::StrAppend(&text, row[i], padding);
      if (i > 0) absl::StrAppend(&text, "  ", padding, row[i]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string FailureText(absl::string_view file, const TargetResult& result, bool colour, Why why) {
  std::string text = absl::StrCat(Printable(file), ": ", result.target(), ": ",
                                  StatusText(StatusWord(result.status()), colour));
  if (!result.cause().empty()) absl::StrAppend(&text, " (", Printable(result.cause()), ")");
  const std::string blame = BlameText(result);
  absl::string_view shown = blame;
  // The client's own messages begin with the file's name, which `text` has already.
  absl::ConsumePrefix(&shown, absl::StrCat(Printable(file), ": "));
  if (!shown.empty()) absl::StrAppend(&text, ": ", shown);
  if (!result.last_pass().empty()) {
    absl::StrAppend(&text, " [in pass ", Printable(result.last_pass()), "]");
  }
  if (why == Why::kTell) absl::StrAppend(&text, WhyText(result));
  return text;
}

std::string SuccessText(absl::string_view file, const TargetResult& result, bool colour) {
  const auto& timings = result.timings();
  std::string text = absl::StrCat(
      Bold(Printable(file), colour), "  ", result.target(), "  ", result.stage(), "  ",
      StatusText("ok", colour), "  compiled in ",
      absl::StrFormat("%.2f ms", static_cast<double>(timings.translate_ns() + timings.prepare_ns() +
                                                     timings.compile_ns()) /
                                     1e6),
      "  cache ", CacheWord(result.cache()), "  loadable by ",
      result.loadable_by().empty() ? "none" : result.loadable_by(), "\n");
  std::vector<std::vector<std::string>> rows = {{std::begin(kColumns), std::end(kColumns)}};
  for (const auto& variant : result.variants()) rows.push_back(Row(variant));
  return text + Table(rows);
}

}  // namespace kiln::client
