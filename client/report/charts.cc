// Charts of one statistic: see charts.h.
#include "client/report/charts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/output/html.h"
#include "client/report/render.h"

namespace kiln::client::report {
namespace {

// Pixels.
constexpr double kSize = 300, kLeft = 46, kTop = 8, kBottom = 22;

struct Dot {
  const Change* change;
  absl::string_view kind;  // class: "helped", "hurt", "changed"
};

// The largest relative change last, so that it is drawn over the others.
std::vector<Dot> Dots(const StatisticReport& s) {
  std::vector<Dot> dots;
  for (const auto& [list, kind] :
       {std::pair{&s.best, "helped"}, {&s.worst, "hurt"}, {&s.other, "changed"}}) {
    for (const Change& change : *list) dots.push_back({&change, kind});
  }
  std::stable_sort(dots.begin(), dots.end(), [](const Dot& a, const Dot& b) {
    return std::abs(a.change->Relative()) < std::abs(b.change->Relative());
  });
  if (dots.size() > kMaxDots) dots.erase(dots.begin(), dots.end() - kMaxDots);
  return dots;
}

// Maps a value to the axis: linear to 10, logarithmic above, without a step between them.
double Scale(double value) { return value <= 10 ? value / 10 : 1 + std::log10(value / 10); }

std::string Open(double width, absl::string_view label) {
  return absl::StrFormat(
      "<svg width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
      "aria-label=\"%s\">",
      width, kSize, width, kSize, EscapeHtml(label));
}

std::string Text(double x, double y, absl::string_view anchor, absl::string_view text) {
  return absl::StrFormat("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", x, y, anchor,
                         text);
}

std::string Line(double x1, double y1, double x2, double y2, absl::string_view kind) {
  return absl::StrFormat("<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
                         kind, x1, y1, x2, y2);
}

// Returns 10, 1k, 10k, 1M.
std::string Power(double value) {
  if (value < 1e3) return absl::StrFormat("%.0f", value);
  if (value < 1e6) return absl::StrFormat("%.0fk", value / 1e3);
  return absl::StrFormat("%.0fM", value / 1e6);
}

// The upper bounds of the histogram's bins, in percent of change, without the last, which has none.
constexpr std::array<double, 13> kEdges = {-50, -20, -10, -5, -2, -1, 0, 1, 2, 5, 10, 20, 50};
constexpr size_t kBins = kEdges.size() + 1;

// Falls are in (lower, upper], rises in (lower, upper]; no change has no bin.
size_t BinOf(double percent) {
  return static_cast<size_t>(std::lower_bound(kEdges.begin(), kEdges.end(), percent) -
                             kEdges.begin());
}

std::string BinText(size_t bin) {
  if (bin == 0) return absl::StrFormat("to %g %%", kEdges[0]);
  if (bin == kEdges.size()) return absl::StrFormat("above %g %%", kEdges.back());
  return absl::StrFormat("%g to %g %%", kEdges[bin - 1], kEdges[bin]);
}

// Returns if a change in that direction helps, hurts, or neither: a class of the page.
absl::string_view KindOf(const StatisticReport& s, bool more) {
  if (s.better == Direction::kNeither) return "changed";
  return more == (s.better == Direction::kHigher) ? "helped" : "hurt";
}

}  // namespace

std::string Scatter(const StatisticReport& s) {
  const std::vector<Dot> dots = Dots(s);
  if (dots.empty()) return "";
  int64_t largest = 1;
  for (const Dot& dot : dots) largest = std::max({largest, dot.change->before, dot.change->after});
  const double span = Scale(static_cast<double>(largest)) * 1.03;
  const double side = kSize - kTop - kBottom;
  const auto x = [&](double value) { return kLeft + Scale(value) / span * side; };
  const auto y = [&](double value) { return kTop + side - Scale(value) / span * side; };
  std::string out = Open(kLeft + side + 8, absl::StrCat(s.name, ", before against after"));
  const auto grid = [&](double value, absl::string_view text) {
    absl::StrAppend(&out, Line(x(value), kTop, x(value), kTop + side, "grid"),
                    Line(kLeft, y(value), kLeft + side, y(value), "grid"),
                    Text(x(value), kSize - 9, "middle", text),
                    Text(kLeft - 5, y(value) + 3.5, "end", text));
  };
  grid(0, "0");
  for (double value = 10; value <= static_cast<double>(largest); value *= 10)
    grid(value, Power(value));
  absl::StrAppend(&out, Line(kLeft, kTop + side, kLeft + side, kTop, "same"));
  for (const Dot& dot : dots) {
    const Change& c = *dot.change;
    absl::StrAppendFormat(
        &out,
        "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>%s: %d → %d (%s)</title></circle>",
        dot.kind, x(static_cast<double>(c.before)), y(static_cast<double>(c.after)),
        EscapeHtml(c.shader), c.before, c.after, Percent(c.Relative()));
  }
  return out + "</svg>";
}

std::string Histogram(const StatisticReport& s) {
  if (s.affected() == 0) return "";
  std::array<int64_t, kBins> counts{};
  for (const auto* list : {&s.best, &s.worst, &s.other}) {
    for (const Change& change : *list) ++counts[BinOf(change.Relative() * 100)];
  }
  const double width = 420, height = kSize - kTop - kBottom, step = (width - kLeft) / kBins;
  const double largest = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
  std::string out = Open(width + 8, absl::StrCat(s.name, ", variants by change"));
  absl::StrAppend(&out, Line(kLeft, kTop + height, width, kTop + height, "grid"));
  for (size_t bin = 0; bin < kBins; ++bin) {
    const double x = kLeft + step * static_cast<double>(bin);
    // A count of 1 stays visible beside any other.
    const double bar =
        counts[bin] == 0
            ? 0
            : std::max(2.0, (height - 14) * static_cast<double>(counts[bin]) / largest);
    const double y = kTop + height - bar;
    absl::StrAppendFormat(
        &out,
        "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s: "
        "%d</title></rect>",
        KindOf(s, bin > kEdges.size() / 2), x + 1, y, step - 2, bar, BinText(bin), counts[bin]);
    if (counts[bin] != 0)
      absl::StrAppend(&out, Text(x + step / 2, y - 3, "middle", absl::StrCat(counts[bin])));
    if (bin < kEdges.size()) {
      absl::StrAppend(&out,
                      Text(x + step, kSize - 9, "middle", absl::StrFormat("%g", kEdges[bin])));
    }
  }
  return absl::StrCat(out,
                      Line(kLeft + step * (kEdges.size() / 2 + 1), kTop,
                           kLeft + step * (kEdges.size() / 2 + 1), kTop + height, "same"),
                      "</svg>");
}

}  // namespace kiln::client::report
