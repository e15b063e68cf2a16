#include "client/batch/permutations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/request/spec_constant.h"

namespace kiln::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> All(const std::string& text) {
  const auto permutations = Permutations::Parse(text);
  if (!permutations.ok()) return {std::string(permutations.status().message())};
  std::vector<std::string> all;
  for (size_t i = 0; i < permutations->size(); ++i) {
    const Permutation one = permutations->At(i);
    std::vector<std::string> parts = one.defines;
    for (const auto& constant : one.spec_constants) parts.push_back(SpecConstantText(constant));
    all.push_back(absl::StrJoin(parts, " "));
  }
  return all;
}

TEST(Permutations, AreTheProductWithTheLastAxisFastest) {
  EXPECT_THAT(All("A=0,1;B=0..2"),
              ElementsAre("A=0 B=0", "A=0 B=1", "A=0 B=2", "A=1 B=0", "A=1 B=1", "A=1 B=2"));
  EXPECT_THAT(All(" A = x , -1..1 ; "), ElementsAre("A=x", "A=-1", "A=0", "A=1"));
}

TEST(Permutations, OfASwitchAreWithoutAndWithIt) {
  EXPECT_THAT(All("FOG?;N=1,2"), ElementsAre("N=1", "N=2", "FOG N=1", "FOG N=2"));
  EXPECT_THAT(All("FOG=,1"), ElementsAre("FOG", "FOG=1"));
}

TEST(Permutations, OfConstantsHaveAType) {
  EXPECT_THAT(All("3=uint:1..2;4=bool:false,true"),
              ElementsAre("3=uint:1 4=bool:false", "3=uint:1 4=bool:true", "3=uint:2 4=bool:false",
                          "3=uint:2 4=bool:true"));
  EXPECT_TRUE(Permutations::Parse("A?;3=uint:1")->HasDefines());
  EXPECT_FALSE(Permutations::Parse("3=uint:1")->HasDefines());
}

TEST(Permutations, OtherTextsAreErrors) {
  const auto error = [](const std::string& text) {
    return std::string(Permutations::Parse(text).status().message());
  };
  EXPECT_THAT(error(""), HasSubstr("names no define"));
  EXPECT_THAT(error("A"), HasSubstr("must be NAME=VALUE"));
  EXPECT_THAT(error("A B=1"), HasSubstr("must be an identifier"));
  EXPECT_THAT(error("3?"), HasSubstr("not of a constant"));
  EXPECT_THAT(error("3=vec2:1"), HasSubstr("'3=vec2:1': "));
  EXPECT_THAT(error("A=1;A=2"), HasSubstr("given before"));
  EXPECT_THAT(error("A=1,1"), HasSubstr("has the value '1' twice"));
  EXPECT_THAT(error("A=0..3,2"), HasSubstr("has the value '2' twice"));
  EXPECT_THAT(error("A=3..0"), HasSubstr("goes down"));
  EXPECT_THAT(error("A=0..9999999999"), HasSubstr("large numbers"));
  EXPECT_THAT(error("A=\xff"), HasSubstr("not UTF-8"));
}

TEST(Permutations, AreBounded) {
  EXPECT_EQ(Permutations::Parse("A=0..255;B=0..255")->size(), kMaxPermutations);
  for (const char* text : {"A=0..255;B=0..256", "A=0..65536", "A=1..65536,0",
                           "A=0..60000;B=0..60000;C=0..60000;D=0..60000;E=0..60000"}) {
    EXPECT_THAT(std::string(Permutations::Parse(text).status().message()),
                HasSubstr("makes more than 65536 permutations"))
        << text;
  }
}

}  // namespace
}  // namespace kiln::client
