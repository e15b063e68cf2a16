#include "client/export/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/export/testing.h"

namespace kiln::client {
namespace {

using kiln::v1::TargetResult;
using testing::HasSubstr;

TEST(JunitText, CountsAndNamesEachResult) {
  std::vector<ExportedResult> results = {
      Made("a.comp", {{"size", 1}}),
      Failed("b.comp", TargetResult::INVALID, "invalid_glsl", {"src/b.comp", 2, 3, 4, "'y' : bad"}),
      Failed("c.comp", TargetResult::CRASHED, "crashed", {"src/c.comp", 0, 0, 0, "died"}),
      Made("d.comp", {{"size", 9}}, "two")};
  results[0].result.mutable_timings()->set_compile_ns(1'500'000);
  const std::string text = JunitText(results, {{0, 3, "two", "W8", "size", 9, 8, false},
                                               {1, std::nullopt, "", "", "size", 10, 9, false}});
  EXPECT_THAT(text, HasSubstr("<testsuites name=\"kiln\" tests=\"5\" failures=\"3\" errors=\"1\""));
  EXPECT_THAT(text,
              HasSubstr("<testsuite name=\"kiln.one\" tests=\"3\" failures=\"1\" errors=\"1\""));
  EXPECT_THAT(text, HasSubstr("<testcase classname=\"a.comp\" name=\"main\" time=\"0.001500\"/>"));
  EXPECT_THAT(text, HasSubstr("<failure type=\"invalid_glsl\" message=\"'y' : bad\">"
                              "b.comp: one: invalid (invalid_glsl): 'y' : bad</failure>"));
  EXPECT_THAT(text, HasSubstr("<error type=\"crashed\" message=\"died\">"));
  EXPECT_THAT(text, HasSubstr("<failure type=\"over_budget\" message=\"W8 size 9, at most 8\">"
                              "W8 size 9, at most 8</failure>"));
  EXPECT_THAT(text, HasSubstr("<testcase classname=\"budget\" name=\"rule 2 size\""));
}

TEST(JunitText, AllowedCausesAreSkipped) {
  const std::vector<ExportedResult> results = {
      Failed("a", TargetResult::REFUSED, "float64", {"a", 0, 0, 0, "no doubles"}),
      Failed("b", TargetResult::REFUSED, "float16", {"b", 0, 0, 0, "no halves"}),
      Failed("c", TargetResult::CRASHED, "float64", {"c", 0, 0, 0, "died"})};
  const std::string text = JunitText(results, {}, {"float64"});
  EXPECT_THAT(text, HasSubstr("tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"1\""));
  EXPECT_THAT(text, HasSubstr("<skipped type=\"float64\" message=\"no doubles\">"));
}

TEST(XmlText, HasOnlyCharactersOfXml) {
  EXPECT_EQ(XmlText("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(XmlText("a\n\tb"), "a&#10;&#9;b");
  EXPECT_EQ(XmlText(std::string("a\x01\xff\0b", 5)),
            "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
            "b");
  EXPECT_EQ(XmlText("\xef\xbf\xbf\xc3\xa4"), "\xef\xbf\xbd\xc3\xa4");
}

}  // namespace
}  // namespace kiln::client
