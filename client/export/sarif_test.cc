#include "client/export/sarif.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "client/export/testing.h"

namespace kiln::client {
namespace {

using Json = nlohmann::json;
using kiln::v1::TargetResult;

Json RunOf(const std::vector<ExportedResult>& results, const std::vector<Overrun>& overruns,
           ExitCode code) {
  const Json log = Json::parse(SarifText(results, overruns, code));
  EXPECT_EQ(log["version"], "2.1.0");
  EXPECT_EQ(log["runs"].size(), 1u);
  return log["runs"][0];
}

TEST(SarifText, HasEachErrorAtItsPlace) {
  const Diagnostic error = {"src/a b.comp", 4, 9, 10, "'y' : undeclared"};
  const Json run =
      RunOf({Made("ok.comp", {}), Failed("a b.comp", TargetResult::INVALID, "invalid_glsl", error)},
            {}, kExitSomeFailed);
  ASSERT_EQ(run["results"].size(), 1u);
  const Json& result = run["results"][0];
  EXPECT_EQ(result["ruleId"], "invalid_glsl");
  EXPECT_EQ(result["level"], "error");
  EXPECT_EQ(result["message"]["text"], "'y' : undeclared");
  const Json& place = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "src/a%20b.comp");
  EXPECT_EQ(place["region"], (Json{{"startLine", 4}, {"startColumn", 9}, {"endColumn", 10}}));
  const Json& rule = run["tool"]["driver"]["rules"][result["ruleIndex"].get<size_t>()];
  EXPECT_EQ(rule["id"], "invalid_glsl");
  EXPECT_EQ(rule["shortDescription"]["text"], "The text does not compile as GLSL for Vulkan.");
  EXPECT_EQ(rule["help"]["text"], "Correct the lines that the message names.");
  EXPECT_EQ(run["invocations"][0], (Json{{"executionSuccessful", true}, {"exitCode", 1}}));
}

TEST(SarifText, HasTheSameErrorOfSeveralPermutationsOnce) {
  const Diagnostic error = {"a.comp", 4, 0, 0, "bad"};
  std::vector<ExportedResult> results(
      3, Failed("a.comp", TargetResult::INVALID, "invalid_glsl", error));
  results[1].identity.defines = {"N=1"};
  results[2].result.set_target("two");
  results.push_back(Failed("a.comp", TargetResult::REFUSED, "images", error));
  const Json found = RunOf(results, {}, kExitSomeFailed)["results"];
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0]["occurrenceCount"], 3);
  EXPECT_EQ(found[0]["properties"]["targets"], (Json{"one", "two"}));
  EXPECT_EQ(found[0]["properties"]["subjects"], (Json{"main", "main, N=1", "main"}));
  EXPECT_EQ(found[0]["locations"][0]["physicalLocation"]["region"], (Json{{"startLine", 4}}));
  EXPECT_EQ(found[1]["ruleId"], "images");
  EXPECT_EQ(found[1]["ruleIndex"], 1);
}

TEST(SarifText, HasBoundsThatDoNotHold) {
  const Json found = RunOf(
      {Made("a.comp", {{"size", 9}})},
      {{2, 0, "one", "W8", "size", 9, 8, false}, {0, std::nullopt, "", "", "size", 9, 7, false}},
      kExitSomeFailed)["results"];
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0]["ruleId"], "over_budget");
  EXPECT_EQ(found[0]["message"]["text"], "W8 size 9, at most 8 (rule 3)");
  EXPECT_EQ(found[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "src/a.comp");
  EXPECT_EQ(found[1].count("locations"), 0u);
}

TEST(SarifText, SaysThatARunWasNotComplete) {
  EXPECT_EQ(RunOf({}, {}, kExitOk)["invocations"][0]["executionSuccessful"], true);
  for (const ExitCode code : {kExitUnreachable, kExitInternal, kExitInterrupted}) {
    EXPECT_EQ(RunOf({}, {}, code)["invocations"][0]["executionSuccessful"], false);
  }
}

TEST(UriOf, EncodesAllButPlainCharacters) {
  EXPECT_EQ(UriOf("/a/b c%.comp"), "file:///a/b%20c%25.comp");
  EXPECT_EQ(UriOf("x:y#z?\xc3\xa4"), "x%3Ay%23z%3F%C3%A4");
}

}  // namespace
}  // namespace kiln::client
