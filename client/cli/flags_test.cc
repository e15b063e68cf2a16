// Flags: forms, repetitions, errors and their proposals.
#include "client/cli/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Flag kFlags[] = {
    {"target", 0, "T[,T...]", true, ""}, {"server", 0, "HOST:PORT", false, ""},
    {"", 'D', "NAME=V", true, ""},       {"output", 'o', "DIR", false, ""},
    {"json", 0, "", false, ""},          {"no-validate", 0, "", false, ""},
    {"jobs", 'j', "N", false, ""},       {"timeout", 0, "S", false, ""},
};

absl::StatusOr<ParsedFlags> Parse(const std::vector<std::string>& arguments) {
  return ParseFlags(kFlags, arguments);
}

std::string ErrorOf(const std::vector<std::string>& arguments) {
  auto parsed = Parse(arguments);
  return parsed.ok() ? "no error" : std::string(parsed.status().message());
}

TEST(ParseFlags, AnOptionalValueIsTakenOnlyAfterEquals) {
  const std::vector<Flag> flags = {{"json", 0, "[FILE]", false, ""}};
  auto parsed = ParseFlags(flags, {"--json", "a.jsonl"});
  ASSERT_TRUE(parsed.ok());
  EXPECT_TRUE(parsed->Has("json"));
  EXPECT_EQ(parsed->Get("json"), "");
  EXPECT_EQ(parsed->arguments(), std::vector<std::string>{"a.jsonl"});
  parsed = ParseFlags(flags, {"--json=x"});
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->Get("json"), "x");
}

TEST(Flags, AllForms) {
  auto f = Parse({"--target=tgl,skl", "--target", "hsw", "-DA=1", "-D", "B", "-o", "out", "--json",
                  "x.spv", "-", "--", "--json"});
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_THAT(f->Commas("target"), ElementsAre("tgl", "skl", "hsw"));
  EXPECT_THAT(f->All("D"), ElementsAre("A=1", "B"));
  EXPECT_EQ(f->Get("output"), "out");
  EXPECT_TRUE(f->Has("json"));
  EXPECT_FALSE(f->Has("no-validate"));
  EXPECT_EQ(f->Get("server", "fallback"), "fallback");
  EXPECT_THAT(f->arguments(), ElementsAre("x.spv", "-", "--json"));
}

TEST(Flags, ValueMayBeEmptyOrContainEquals) {
  auto f = Parse({"--server=", "-DX=a=b"});
  ASSERT_TRUE(f.ok());
  EXPECT_TRUE(f->Has("server"));
  EXPECT_EQ(f->Get("server", "fallback"), "");
  EXPECT_THAT(f->All("D"), ElementsAre("X=a=b"));
}

TEST(Flags, Errors) {
  EXPECT_THAT(ErrorOf({"--tagret=tgl"}),
              HasSubstr("unknown flag --tagret; did you mean --target?"));
  EXPECT_THAT(ErrorOf({"-target=tgl"}), HasSubstr("did you mean --target?"));
  EXPECT_THAT(ErrorOf({"--zzzzzzzz"}), testing::StrEq("unknown flag --zzzzzzzz"));
  EXPECT_THAT(ErrorOf({"--json=1"}), HasSubstr("--json takes no value"));
  EXPECT_THAT(ErrorOf({"--server"}), HasSubstr("--server needs a value: --server=HOST:PORT"));
  EXPECT_THAT(ErrorOf({"--server=a", "--server=b"}), HasSubstr("--server is given twice"));
  EXPECT_THAT(ErrorOf({"-x"}), HasSubstr("unknown flag -x"));
}

TEST(Flags, APathIsNotEmpty) {
  EXPECT_EQ(Parse({"-o", "out"})->Get("output"), "out");
  EXPECT_THAT(ErrorOf({"-o", ""}), HasSubstr("--output is given without a name"));
  EXPECT_THAT(ErrorOf({"--output="}), HasSubstr("--output is given without a name"));
  EXPECT_TRUE(Parse({"--server="}).ok());  // names no file: its own reader reports the error
}

TEST(Flags, Numbers) {
  auto f = Parse({"--jobs=12", "--timeout=0.5"});
  ASSERT_TRUE(f.ok());
  EXPECT_EQ(*f->Number("jobs", 1, 1, 64), 12);
  EXPECT_FALSE(f->Number("jobs", 1, 1, 8).ok());
  EXPECT_EQ(*f->Seconds("timeout", 9), 0.5);
  auto bad = Parse({"--jobs=many", "--timeout=-1"});
  ASSERT_TRUE(bad.ok());
  EXPECT_THAT(std::string(bad->Number("jobs", 1, 1, 64).status().message()),
              HasSubstr("--jobs=many: must be a whole number from 1 to 64"));
  EXPECT_FALSE(bad->Seconds("timeout", 9).ok());
}

TEST(Flags, NearestIsNotGuessedFromAfar) {
  EXPECT_EQ(Nearest("tlg", {"tgl", "gfx1030"}), "tgl");
  EXPECT_EQ(Nearest("navi21", {"tgl", "gfx1030"}), "");
  EXPECT_EQ(Nearest("comp", {"batch", "compile"}), "compile");
  EXPECT_EQ(Nearest("x", {"y"}), "");
}

TEST(Flags, ANearMissIsAMisspelling) {
  EXPECT_EQ(NearMiss("target", {"file", "targets"}), "targets");
  EXPECT_EQ(NearMiss("wdiths", {"widths"}), "widths");
  EXPECT_EQ(NearMiss("fil", {"file"}), "file");
  EXPECT_EQ(NearMiss("date", {"name"}), "");  // half of it differs
  EXPECT_EQ(NearMiss("title", {"file"}), "");
  EXPECT_EQ(NearMiss("variant", {"widths"}), "");
}

}  // namespace
}  // namespace kiln::client
