// Inputs of fragment shaders, as text and back.
#include "client/precompile/reads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln::client {
namespace {

using testing::HasSubstr;

TEST(ParseReads, ReadsLocations) {
  const auto reads = ParseReads("0:xyzw 3:x 31:yw");
  ASSERT_TRUE(reads.ok()) << reads.status();
  EXPECT_EQ(reads->ShortDebugString(),
            "locations { components: 15 } locations { location: 3 components: 1 } "
            "locations { location: 31 components: 10 }");
}

TEST(ParseReads, ReadsBuiltins) {
  const auto reads = ParseReads("1:x primitive_id viewport");
  ASSERT_TRUE(reads.ok()) << reads.status();
  EXPECT_EQ(
      reads->ShortDebugString(),
      "locations { location: 1 components: 1 } builtins: \"primitive_id\" builtins: \"viewport\"");
}

TEST(ParseReads, NothingIsWritten) {
  EXPECT_EQ(ParseReads("-")->locations_size(), 0);
  EXPECT_EQ(ReadsText({}), "-");
}

TEST(ReadsText, CannotNameValuesOfEachVertex) {
  kiln::v1::TargetResult fragment;
  auto* input = fragment.add_variants()->mutable_launch()->mutable_fragment()->add_inputs();
  input->set_location(2);
  EXPECT_EQ(ReadsText(fragment), "2:xyzw");
  input->set_per_vertex(true);
  EXPECT_EQ(ReadsText(fragment), "");
}

TEST(ParseReads, RefusesOtherTexts) {
  for (const char* text : {"", "0", "0:", ":x", "a:x", "0:x  1:x", "0:v", "0:x:y", "-1:x"}) {
    EXPECT_THAT(ParseReads(text).status().message(), HasSubstr("is no list of inputs")) << text;
  }
}

}  // namespace
}  // namespace kiln::client
