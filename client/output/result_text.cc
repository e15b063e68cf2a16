// A result for people: see result_text.h.
#include "client/output/result_text.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "client/cli/terminal.h"
#include "client/output/reason.h"
#include "client/output/result_json.h"
#include "client/output/text_table.h"
#include "proto/statistics.h"

namespace kiln::client {
namespace {

using kiln::v1::TargetResult;

using kiln::v1::Capabilities;
using kiln::v1::Variant;

struct Column {
  std::string name;
  std::string header;
  bool estimated = false;
};

std::vector<Column> ColumnsOf(const Capabilities::TargetInfo& target, const Variant& variant) {
  std::vector<Column> columns;
  for (const auto& row : target.statistics()) {
    if (!row.header().empty()) {
      columns.push_back({row.name(), Printable(row.header()), row.estimated()});
    }
  }
  if (!target.statistics().empty()) return columns;
  for (const NamedValue& v : ReadStatistics(variant)) {
    columns.push_back({std::string(v.name), std::string(v.name)});
  }
  return columns;
}

// Returns "-" for a figure that is not there, and for an estimate of 0: there is no model.
std::string Figure(const std::vector<NamedValue>& values, const Column& column) {
  for (const NamedValue& v : values) {
    if (v.name != column.name) continue;
    return column.estimated && v.value == 0 ? "-" : absl::StrCat(v.value);
  }
  return "-";
}

}  // namespace

std::string FailureText(absl::string_view file, const TargetResult& result, bool colour, Why why) {
  std::string text = absl::StrCat(Printable(file), ": ", Printable(result.target()), ": ",
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

std::string FiguresText(const Variant& variant, const Capabilities::TargetInfo& target) {
  const std::vector<NamedValue> values = ReadStatistics(variant);
  std::vector<std::string> figures;
  for (const Column& column : ColumnsOf(target, variant)) {
    figures.push_back(absl::StrCat(column.header, " ", Figure(values, column)));
  }
  return absl::StrJoin(figures, ", ");
}

std::string SuccessText(absl::string_view file, const TargetResult& result,
                        const Capabilities::TargetInfo& target, bool colour) {
  const auto& timings = result.timings();
  std::string text = absl::StrCat(
      Bold(Printable(file), colour), "  ", Printable(result.target()), "  ",
      Printable(result.stage()), "  ", StatusText("ok", colour), "  compiled in ",
      absl::StrFormat("%.2f ms", static_cast<double>(timings.translate_ns() + timings.prepare_ns() +
                                                     timings.compile_ns()) /
                                     1e6),
      "  cache ", CacheWord(result.cache()), "  loadable by ",
      result.loadable_by().empty() ? "none" : Printable(result.loadable_by()), "\n");
  if (result.variants().empty()) return text;
  const std::vector<Column> columns = ColumnsOf(target, result.variants(0));
  std::vector<std::vector<std::string>> rows = {{"variant"}};
  for (const Column& column : columns) rows[0].push_back(column.header);
  for (const Variant& variant : result.variants()) {
    const std::vector<NamedValue> values = ReadStatistics(variant);
    rows.push_back({Printable(variant.name())});
    for (const Column& column : columns) rows.back().push_back(Figure(values, column));
  }
  return text + TextTable(rows);
}

}  // namespace kiln::client
