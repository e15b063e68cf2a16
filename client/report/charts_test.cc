// Tests the charts of a report: dots where they belong, bins of changes, names that are escaped.
#include "client/report/charts.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace kiln::client::report {
namespace {

StatisticReport Lower() {
  StatisticReport s;
  s.name = "instructions";
  s.better = Direction::kLower;
  return s;
}

void Add(const Change& change, StatisticReport* s) {
  const bool helped = change.after < change.before;
  ++(helped ? s->helped : s->hurt).count;
  (helped ? s->best : s->worst).push_back(change);
}

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Returns the number after `name=" of the first element that has `part`.
double Attribute(const std::string& text, const std::string& part, const std::string& name) {
  const size_t element = text.rfind('<', text.find(part));
  const size_t at = text.find(" " + name + "=\"", element);
  return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 3));
}

TEST(ChartsTest, NothingAffectedHasNoCharts) {
  EXPECT_EQ(Scatter(Lower()), "");
  EXPECT_EQ(Histogram(Lower()), "");
}

TEST(ChartsTest, DotsAreAboveTheDiagonalIfThereIsMoreAfter) {
  StatisticReport s = Lower();
  Add({"less", 1000, 900}, &s);
  Add({"more", 900, 1000}, &s);
  const std::string svg = Scatter(s);
  EXPECT_EQ(Count(svg, "<circle class=\"helped\""), 1u);
  EXPECT_EQ(Count(svg, "<circle class=\"hurt\""), 1u);
  EXPECT_NE(svg.find("<title>less: 1000 → 900 (-10.00%)</title>"), std::string::npos) << svg;
  const auto dot = [&](const std::string& kind, const std::string& name) {
    return Attribute(svg, "circle class=\"" + kind, name);
  };
  EXPECT_GT(dot("helped", "cx"), dot("hurt", "cx"));
  EXPECT_GT(dot("helped", "cy"), dot("hurt", "cy")) << "downwards";
  // Both axes have the same scale: the two mirror each other at the diagonal.
  EXPECT_NEAR(dot("helped", "cx") - dot("hurt", "cx"), dot("helped", "cy") - dot("hurt", "cy"),
              0.2);
}

TEST(ChartsTest, ZeroIsOnTheAxis) {
  StatisticReport s = Lower();
  Add({"spills", 0, 50}, &s);
  const std::string svg = Scatter(s);
  EXPECT_EQ(Attribute(svg, "circle class=\"hurt\"", "cx"), 46);
}

TEST(ChartsTest, BinsAreSidesOfNoChange) {
  StatisticReport s = Lower();
  Add({"a", 1000, 999}, &s);   // -0.1 %
  Add({"b", 1000, 990}, &s);   // -1 %: not above it
  Add({"c", 1000, 1001}, &s);  // 0.1 %
  Add({"d", 100, 250}, &s);    // 150 %
  Add({"e", 0, 3}, &s);        // counts as 100 %
  Add({"f", 100, 1}, &s);      // -99 %
  const std::string svg = Histogram(s);
  EXPECT_NE(svg.find("<title>-1 to 0 %: 1</title>"), std::string::npos) << svg;
  EXPECT_NE(svg.find("<title>-2 to -1 %: 1</title>"), std::string::npos);
  EXPECT_NE(svg.find("<title>0 to 1 %: 1</title>"), std::string::npos);
  EXPECT_NE(svg.find("<title>above 50 %: 2</title>"), std::string::npos);
  EXPECT_NE(svg.find("<title>to -50 %: 1</title>"), std::string::npos);
  EXPECT_EQ(Count(svg, "<rect class=\"helped\""), 7u);
  EXPECT_EQ(Count(svg, "<rect class=\"hurt\""), 7u);
}

TEST(ChartsTest, ColoursFollowTheDirectionThatIsBetter) {
  StatisticReport s = Lower();
  s.better = Direction::kHigher;
  s.helped.count = 1;
  s.best = {{"a", 1, 2}};
  const std::string svg = Histogram(s);
  EXPECT_LT(svg.find("class=\"hurt\""), svg.find("class=\"helped\"")) << "falls hurt";
  s.better = Direction::kNeither;
  EXPECT_EQ(Count(Histogram(s), "<rect class=\"changed\""), 14u);
}

TEST(ChartsTest, DotsAreBoundedToThoseThatChangedMost) {
  StatisticReport s = Lower();
  for (int64_t i = 1; i <= 3000; ++i) Add({absl::StrCat("s", i, "."), 10'000, 10'000 - i}, &s);
  const std::string svg = Scatter(s);
  EXPECT_EQ(Count(svg, "<circle"), kMaxDots);
  EXPECT_NE(svg.find("s3000."), std::string::npos);
  EXPECT_EQ(svg.find(">s1000."), std::string::npos);
}

TEST(ChartsTest, NamesAreEscaped) {
  StatisticReport s = Lower();
  Add({"<b> \"&'", 2, 1}, &s);
  EXPECT_NE(Scatter(s).find("&lt;b&gt; &quot;&amp;&#39;: 2"), std::string::npos);
}

}  // namespace
}  // namespace kiln::client::report
