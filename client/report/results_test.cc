#include "client/report/results.h"

#include <sstream>

#include "client/report/testing.h"
#include "gtest/gtest.h"

namespace kiln::client::report {
namespace {

absl::StatusOr<ResultSet> Read(const std::string& text) {
  std::istringstream in(text);
  return ReadResults(in, "a.jsonl", Kinds());
}

std::string ErrorOf(const std::string& text) { return std::string(Read(text).status().message()); }

TEST(ReadResults, KeepsWhatALineSays) {
  const auto set = Read(
      R"({"file":"x.comp","target":"tgl","status":"ok","variants":[{"name":"SIMD8","instructions":7,"spills":0}]})"
      "\n\n"
      R"({"file":"y.comp","target":"tgl","status":"refused","cause":"images","variants":[]})"
      "\n");
  ASSERT_TRUE(set.ok()) << set.status();
  ASSERT_EQ(set->results.size(), 2u);
  const Result& x = set->results.at({"x.comp", "tgl"});
  EXPECT_EQ(x.variants.at("SIMD8")[kInstructions], 7);
  EXPECT_EQ(x.variants.at("SIMD8")[kCycles], -1);  // there are none
  EXPECT_EQ(set->results.at({"y.comp", "tgl"}).cause, "images");
}

TEST(ReadResults, TheLaterOfTwoLinesCounts) {
  const auto set = Read(R"({"file":"x","target":"tgl","status":"crashed","variants":[]})"
                        "\n"
                        R"({"file":"x","target":"tgl","status":"ok","variants":[]})");
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(set->repeated, 1);
  EXPECT_EQ(set->results.at({"x", "tgl"}).status, "ok");
}

TEST(ReadResults, EntryPointsAreResultsOfTheirOwn) {
  auto line = [](const std::string& status, const std::string& more) {
    return R"({"file":"x","target":"tgl","status":")" + status + "\"" + more + "}\n";
  };
  // The first does not state its entry point, so the second replaces it; the two after it are
  // separate.
  const auto set = Read(line("crashed", "") + line("ok", R"(,"entry":"a","stage":"compute")") +
                        line("refused", R"(,"entry":"b","stage":"vertex")") +
                        line("timeout", R"(,"entry":"b","stage":"compute")"));
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ(set->repeated, 1);
  ASSERT_EQ(set->results.size(), 3u);
  EXPECT_EQ(set->results.at({"x", "tgl", "a", "compute"}).status, "ok");
  EXPECT_EQ(set->results.at({"x", "tgl", "b", "compute"}).status, "timeout");
  // Older lines have it as "entry_point".
  const auto old = Read(line("ok", R"(,"entry_point":"a")") + line("ok", R"(,"entry":"a")"));
  ASSERT_TRUE(old.ok()) << old.status();
  EXPECT_EQ(old->repeated, 1);
  EXPECT_EQ(old->results.count({"x", "tgl", "a"}), 1u);
}

TEST(ReadResults, PermutationsAreResultsOfTheirOwn) {
  auto line = [](const std::string& status, const std::string& more) {
    return R"({"file":"x","target":"tgl","entry":"main","stage":"compute","status":")" + status +
           "\"" + more + "}\n";
  };
  const auto set = Read(
      line("ok", R"(,"version":"1")") + line("refused", R"(,"version":"1","defines":["A=1","B"])") +
      line("invalid",
           R"(,"version":"1","defines":["A=1"],"spec":["3=uint:4"],"subgroup_size":16)") +
      line("invalid", R"(,"version":"1","full_subgroups":true,"dispatch_base":true)") +
      line("cancelled", R"(,"version":"1","widths":[8,16])") +
      line("refused", R"(,"version":"1","state":{"view_mask":3},"pair":"b.frag")") +
      line("ok", R"(,"version":"1","state":{"view_mask":3},"pair":"c.frag")") +
      line("crashed", R"(,"version":"1","name":"p","defines":["A=1","B"])") +
      line("timeout", R"(,"version":"1","name":"p","defines":["A=1","B"])"));
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ(set->repeated, 1);
  ASSERT_EQ(set->results.size(), 8u);
  auto status = [&](const std::string& name, const std::string& options) {
    return set->results.at({"x", "tgl", "main", "compute", Permutation{name, options}}).status;
  };
  EXPECT_EQ(status("", ""), "ok");
  EXPECT_EQ(set->results.at({"x", "tgl", "main", "compute", Permutation{"", "", "8 16"}}).status,
            "cancelled");
  EXPECT_EQ(status("", "A=1 B"), "refused");
  EXPECT_EQ(status("", "A=1; 3=uint:4; subgroup 16"), "invalid");
  EXPECT_EQ(status("", "full subgroups; dispatch base"), "invalid");
  EXPECT_EQ(status("", "{\"view_mask\":3}; with b.frag"), "refused");
  EXPECT_EQ(status("", "{\"view_mask\":3}; with c.frag"), "ok");
  EXPECT_EQ(status("p", "A=1 B"), "timeout");
  // An older line joins the only one that it can mean, or else stays separate.
  const auto old = Read(line("ok", R"(,"version":"1","defines":["A"])") + line("refused", ""));
  ASSERT_TRUE(old.ok()) << old.status();
  EXPECT_EQ(old->repeated, 1);
}

TEST(ReadResults, ErrorsNameTheLine) {
  const std::string good = R"({"file":"x","target":"tgl","status":"ok"})";
  EXPECT_EQ(ErrorOf(good + "\n{"), "a.jsonl:2: the line is not a JSON object");
  EXPECT_EQ(ErrorOf("[]"), "a.jsonl:1: the line is not a JSON object");
  EXPECT_NE(ErrorOf("{}").find("kiln batch --jsonl"), std::string::npos);
  EXPECT_EQ(ErrorOf("\n"), "a.jsonl: has no results");
  auto with = [](const std::string& variants) {
    return R"({"file":"x","target":"t","status":"ok","variants":)" + variants + "}";
  };
  EXPECT_NE(ErrorOf(with("3")).find("\"variants\" is not an array"), std::string::npos);
  EXPECT_NE(ErrorOf(with("[1]")).find("a variant is not an object"), std::string::npos);
  EXPECT_NE(ErrorOf(with("[{}]")).find("no \"name\""), std::string::npos);
  EXPECT_NE(ErrorOf(with(R"([{"name":"a","cycles":-1}])")).find("is not a count"),
            std::string::npos);
  EXPECT_NE(ErrorOf(with(R"([{"name":"a","cycles":"7"}])")).find("is not a count"),
            std::string::npos);
  EXPECT_NE(ErrorOf(with(R"([{"name":"a"},{"name":"a"}])")).find("comes twice"), std::string::npos);
}

}  // namespace
}  // namespace kiln::client::report
