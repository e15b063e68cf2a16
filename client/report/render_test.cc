#include "client/report/render.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/report/testing.h"
#include "gtest/gtest.h"

namespace kiln::client::report {
namespace {

Report Example() {
  ResultSet before, after;
  Numbers n = NoNumbers();
  for (int i = 0; i < 3; ++i) {
    n[kInstructions] = 100;
    n[kLoops] = 0;
    before.results[{absl::StrCat("<s", i, ">"), "tgl"}] = {"ok", "", {{"SIMD8", n}}};
    n[kInstructions] = 90 - i;
    after.results[{absl::StrCat("<s", i, ">"), "tgl"}] = {"ok", "", {{"SIMD8", n}}};
  }
  after.results[{"new", "tgl"}] = {"ok", "", {{"SIMD8", n}}};
  return Compare(before, after, Kinds());
}

TEST(Render, TextHasTheCustomaryForm) {
  EXPECT_EQ(RenderText(Example(), {"a", "b"}),
            "a (3 results) -> b (4 results), 3 variants compared\n"
            "not compared: 0 results only before, 1 only after\n"
            "\n"
            "instructions: 300 -> 267 (-11.00%) in 3 variants\n"
            "  affected: 300 -> 267 (-11.00%) in 3\n"
            "  helped: 3\n"
            "    absolute min: -12.00 max: -10.00 x̄: -11.00 x̃: -11.00\n"
            "    relative min: -12.00% max: -10.00% x̄: -11.00% x̃: -11.00%\n"
            "  HURT: 0\n"
            "  95% mean confidence interval: -13.48 .. -8.52, -13.48% .. -8.52%\n"
            "  verdict: helped\n"
            "  best  100 -> 88 (-12.00%)  <s2> tgl SIMD8\n"
            "  best  100 -> 89 (-11.00%)  <s1> tgl SIMD8\n"
            "  best  100 -> 90 (-10.00%)  <s0> tgl SIMD8\n"
            "\n"
            "loops: 0 -> 0 (0.00%) in 3 variants, none affected\n"
            "\n"
            "LOST: 0\n"
            "GAINED: 0\n");
}

TEST(Render, ShadersOfThePageLeadToTheirResults) {
  ResultSet before, after;
  Numbers n = NoNumbers();
  n[kInstructions] = 100;
  before.results[{"a", "tgl"}] = {"ok", "", {{"SIMD8", n}}, -1, std::string(64, '1')};
  before.results[{"b", "tgl"}] = {"ok", "", {{"SIMD8", n}}};
  n[kInstructions] = 90;
  after.results[{"a", "tgl"}] = {"ok", "", {{"SIMD8", n}}, -1, std::string(64, '2')};
  after.results[{"b", "tgl"}] = {"ok", "", {{"SIMD8", n}}};
  const Report report = Compare(before, after, Kinds());
  const std::string page = RenderHtml(report, {"a", "b", "http://h:1/?a=\"&b/"});
  const std::string base = "href=\"http://h:1/?a=&quot;&amp;b/shaders#";
  EXPECT_NE(page.find(base + std::string(64, '2') + "\">"), page.npos);
  EXPECT_NE(page.find(base + std::string(64, '1') + "\">before</a>"), page.npos);
  EXPECT_NE(page.find("<td class=\"l\"><code>b tgl SIMD8</code></td>"), page.npos);
  const std::string plain = RenderHtml(report, {"a", "b"});
  EXPECT_EQ(plain.find("href="), plain.npos);
  EXPECT_NE(plain.find("title=\"key " + std::string(64, '2') + "\">a tgl"), plain.npos);
}

// Lines of results name files, which others may have named.
TEST(Render, NamesStayOnTheirLine) {
  ResultSet before, after;
  Numbers n = NoNumbers();
  n[0] = 100;
  before.results[{"a/x\nLOST: 9\xc2\x9b", "tgl"}] = {"ok", "", {{"SIMD8", n}}};
  before.results[{"b/y\nLOST: 9", "tgl"}] = {"ok", "", {{"SIMD8", n}}};
  after.results[{"a/x\nLOST: 9\xc2\x9b", "tgl"}] = {"refused", "float64", {}};
  n[0] = 90;
  after.results[{"b/y\nLOST: 9", "tgl"}] = {"ok", "", {{"SIMD8", n}}};
  const std::string text = RenderText(Compare(before, after, Kinds()), {"a\n", "b"});
  EXPECT_EQ(text.find("\nLOST: 9"), text.npos) << text;
  EXPECT_NE(text.find("a/x\\x0aLOST: 9\\xc2\\x9b"), text.npos) << text;
  EXPECT_NE(text.find("b/y\\x0aLOST: 9"), text.npos) << text;
  EXPECT_EQ(text.rfind("a\\x0a (", 0), 0u) << text;
}

// 30 affected shaders in two folders, one of them with other loops.
Report Large() {
  ResultSet before, after;
  Numbers n = NoNumbers();
  for (int i = 0; i < 30; ++i) {
    const std::string file = absl::StrCat(i < 20 ? "game/" : "tools/", i, ".spv");
    n[kInstructions] = 100;
    n[kLoops] = 1;
    before.results[{file, "tgl"}] = {"ok", "", {{"SIMD8", n}}, 1000};
    n[kInstructions] = 200 + i;
    n[kLoops] = i == 0 ? 0 : 1;
    after.results[{file, "tgl"}] = {"ok", "", {{"SIMD8", n}}, 1500};
  }
  return Compare(before, after, Kinds());
}

TEST(Render, NothingIsCutOffInJsonAndHtml) {
  const auto json = nlohmann::json::parse(RenderJson(Large(), {"a", "b"}));
  const auto& s = json["statistics"][0];
  EXPECT_EQ(s["hurt_shaders"].size(), 29u);
  EXPECT_EQ(s["worst"].size(), 5u);
  EXPECT_EQ(json["loops_changed_statistics"][0]["after"], 200);
  EXPECT_EQ(json["folders"][1]["folder"], "tools");
  EXPECT_EQ(json["folders"][1]["statistics"][0]["before"], 1000);
  EXPECT_EQ(json["folders"][1]["statistics"][1]["name"], "compile_us");
  const std::string page = RenderHtml(Large(), {"a", "b"});
  for (int i = 1; i < 20; ++i) {
    EXPECT_NE(page.find(absl::StrCat("game/", i, ".spv tgl SIMD8")), std::string::npos) << i;
  }
  EXPECT_NE(page.find("<td><code>tools</code></td><td>1000 → 2245<br>124.50% "), std::string::npos);
  EXPECT_NE(page.find("loops changed: instructions"), std::string::npos);
}

TEST(Render, TextNamesTheWorstAndTheFolders) {
  const std::string text = RenderText(Large(), {"a", "b"});
  EXPECT_EQ(text.find("22.spv"), std::string::npos);
  EXPECT_NE(text.find("worst 100 -> 229 (129.00%)  tools/29.spv tgl SIMD8"), std::string::npos);
  EXPECT_NE(text.find("loops changed, left out above: 1\n  1 -> 0  game/0.spv tgl SIMD8\n"
                      "  their instructions: 100 -> 200 (100.00%), helped 0, HURT 1\n"),
            std::string::npos);
  EXPECT_NE(text.find("by folder (2):\n  game: instructions 1900 -> 3990 (110.00%)"),
            std::string::npos);
}

TEST(Render, JsonCarriesTheFigures) {
  const auto json = nlohmann::json::parse(RenderJson(Example(), {"a", "b"}));
  EXPECT_EQ(json["compared"], 3);
  const auto& s = json["statistics"][0];
  EXPECT_EQ(s["name"], "instructions");
  EXPECT_EQ(s["verdict"], "helped");
  EXPECT_EQ(s["helped"]["count"], 3);
  EXPECT_NEAR(s["mean_interval_absolute"][0].get<double>(), -13.484, 1e-3);
}

TEST(Render, AStatisticWithoutADirectionHasChangesOnly) {
  ResultSet before, after;
  Numbers n = NoNumbers();
  n[kForm] = 1;
  before.results[{"a", "gfx"}] = {"ok", "", {{"wave32", n}}};
  n[kForm] = 2;
  after.results[{"a", "gfx"}] = {"ok", "", {{"wave32", n}}};
  const Report report = Compare(before, after, Kinds());
  EXPECT_NE(RenderText(report, {"a", "b"})
                .find("form: 1 -> 2 (100.00%) in 1 variants\n"
                      "  affected: 1 -> 2 (100.00%) in 1\n"
                      "  changed: 1\n"
                      "    absolute min: 1.00 max: 1.00 x̄: 1.00 x̃: 1.00\n"
                      "    relative min: 100.00% max: 100.00% x̄: 100.00% x̃: 100.00%\n"
                      "  95% mean confidence interval: one variant affected, no interval\n"
                      "  verdict: changed\n"
                      "  most  1 -> 2 (100.00%)  a gfx wave32\n"),
            std::string::npos);
  const auto s = nlohmann::json::parse(RenderJson(report, {"a", "b"}))["statistics"][0];
  EXPECT_EQ(s["better"], "neither");
  EXPECT_EQ(s["changed"]["count"], 1);
  EXPECT_EQ(s["changed_shaders"][0]["shader"], "a gfx wave32");
  EXPECT_NE(RenderHtml(report, {"a", "b"}).find("<td class=\"changed\">changed</td>"),
            std::string::npos);
}

TEST(Render, HtmlIsTitledByNamesNotPaths) {
  const auto title = [](const std::string& before, const std::string& after) {
    const std::string page = RenderHtml(Example(), {before, after});
    const size_t at = page.find("<h1>") + 4;
    EXPECT_EQ(page.find("/home"), std::string::npos);
    return page.substr(at, page.find("</h1>") - at);
  };
  EXPECT_EQ(title("/home/me/before.jsonl", "/home/me/after.jsonl"), "before → after");
  EXPECT_EQ(title("/home/v1.2/out.jsonl", "/home/v1.3/out.jsonl"), "v1.2 → v1.3");
  EXPECT_EQ(title("/home/a/x.y.sqlite", "b/z.jsonl"), "x.y → z");
  EXPECT_EQ(title("-", "out/.jsonl"), "standard input → .jsonl");
  EXPECT_EQ(title("same.jsonl", "same.jsonl"), "same → same");
  EXPECT_EQ(title("out.jsonl", "new/out.jsonl"), "out → new");
}

TEST(Render, HtmlDrawsEachAffectedStatistic) {
  const std::string page = RenderHtml(Example(), {"a", "b"});
  EXPECT_NE(page.find("instructions, before against after"), std::string::npos);
  EXPECT_NE(page.find("<title>-20 to -10 %: 3</title>"), std::string::npos) << page;
  EXPECT_EQ(page.find("loops, before"), std::string::npos) << "none changed";
}

TEST(Render, TheTimeOfOneRunHasNoVerdict) {
  const auto json = nlohmann::json::parse(RenderJson(Large(), {"a", "b"}));
  const auto& time = json["statistics"].back();
  EXPECT_EQ(time["name"], "compile_us");
  EXPECT_EQ(time["verdict"], "one_run") << "30 of 30 took 1500 instead of 1000";
  EXPECT_EQ(time["hurt"]["count"], 30);
  EXPECT_NE(RenderText(Large(), {"a", "b"}).find("verdict: none: time, one run\n"),
            std::string::npos);
  EXPECT_NE(RenderHtml(Large(), {"a", "b"}).find("none: time, one run</td>"), std::string::npos);
}

TEST(Render, HtmlEscapesNames) {
  const std::string page = RenderHtml(Example(), {"a&b", "\"c\""});
  EXPECT_NE(page.find("a&amp;b → &quot;c&quot;"), std::string::npos);
  EXPECT_NE(page.find("&lt;s0&gt; tgl SIMD8"), std::string::npos);
  EXPECT_EQ(page.find("<s0>"), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos);  // nothing from elsewhere
}

}  // namespace
}  // namespace kiln::client::report
