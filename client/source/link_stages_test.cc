#include "client/source/link_stages.h"

#include <google/protobuf/text_format.h>

#include <numeric>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::client {
namespace {

using kiln::v1::TargetResult;
using testing::ElementsAre;
using testing::IsEmpty;

TargetResult Result(const std::string& text) {
  TargetResult result;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &result)) << text;
  return result;
}

std::string Variant(const std::string& inputs) {
  return "variants { launch { fragment { " + inputs + " } } } ";
}

TargetResult Fragment(const std::string& inputs) { return Result(Variant(inputs)); }

TargetResult Vertex(const std::string& outputs) {
  return Result("variants { launch { vertex { " + outputs + " } } }");
}

std::string Reads(const TargetResult& fragment) { return ReadsOf(fragment).ShortDebugString(); }

constexpr char kFloats[] = "type: 'float' bits: 32";

std::string Part(int component, int components, const std::string& type = kFloats) {
  return "{ component: " + std::to_string(component) +
         " components: " + std::to_string(components) + " " + type + " }";
}

TEST(ReadsOf, LocationsAndTheirComponents) {
  EXPECT_EQ(Reads(Fragment("inputs { location: 7 parts " + Part(0, 1) + " parts " + Part(2, 2) +
                           " } inputs { location: 1 parts " + Part(1, 1) + " }")),
            "locations { location: 1 components: 2 } locations { location: 7 components: 13 }");
}

// Flat components have a separate attribute; a location is named once nevertheless.
TEST(ReadsOf, ALocationOfTwoAttributes) {
  EXPECT_EQ(Reads(Fragment("inputs { location: 2 parts " + Part(0, 1) +
                           " } inputs { location: 2 flat: true parts " + Part(2, 1) + " }")),
            "locations { location: 2 components: 5 }");
}

// Distances of both kinds are one; what does not come from vertices is not listed.
TEST(ReadsOf, BuiltinsOfVertices) {
  EXPECT_EQ(
      Reads(Fragment("inputs { builtin: 'clip_distance_1' } inputs { builtin: 'clip_distance_0' } "
                     "inputs { builtin: 'point_coord' } inputs { builtin: 'primitive_id' }")),
      "builtins: \"clip_distance\" builtins: \"primitive_id\"");
}

// If the subgroup size decides which inputs are read, a draw may run either program.
TEST(ReadsOf, AllVariantsCount) {
  EXPECT_EQ(Reads(Result(Variant("inputs { location: 2 parts " + Part(0, 1) + " }") +
                         Variant("inputs { location: 2 parts " + Part(3, 1) +
                                 " } inputs { location: 4 parts " + Part(0, 1) + " }"))),
            "locations { location: 2 components: 9 } locations { location: 4 components: 1 }");
}

// No vertex shader has such outputs, and no request may name them.
TEST(ReadsOf, LocationsBeyondThoseOfVertices) {
  EXPECT_EQ(Reads(Fragment("inputs { location: 31 parts " + Part(0, 1) +
                           " } inputs { location: 32 parts " + Part(0, 1) + " }")),
            "locations { location: 31 components: 1 }");
}

TEST(ReadsEachVertex, AnyInputOfAnyVariant) {
  const std::string plain = Variant("inputs { location: 1 flat: true }");
  EXPECT_FALSE(ReadsEachVertex(Result(plain)));
  EXPECT_FALSE(ReadsEachVertex({}));
  EXPECT_TRUE(ReadsEachVertex(
      Result(plain + Variant("inputs { location: 1 } inputs { location: 2 per_vertex: true }"))));
}

TEST(ReadsOf, BuiltInsAreNoLocations) {
  EXPECT_EQ(Reads(Fragment("inputs { builtin: 'point_coord' }")), "");
}

// An older record lists locations only; a broken one does not exceed the four components.
TEST(ReadsOf, WhatIsNotSaidMayBeRead) {
  EXPECT_EQ(Reads(Fragment("inputs { location: 2 }")), "locations { location: 2 components: 15 }");
  EXPECT_EQ(Reads(Fragment("inputs { location: 2 parts { component: 3 components: 4294967295 "
                           "type: 'float' } }")),
            "locations { location: 2 components: 8 }");
}

TEST(CompareStages, MoreThanIsReadFits) {
  const auto faults = CompareStages(Vertex("outputs { location: 3 parts " + Part(0, 4) + " }"),
                                    Fragment("inputs { location: 3 parts " + Part(1, 2) + " }"));
  EXPECT_THAT(faults.undefined, IsEmpty());
  EXPECT_THAT(faults.mismatched, IsEmpty());
}

TEST(CompareStages, WhatIsReadAndNotWritten) {
  const auto faults = CompareStages(
      Vertex("outputs { location: 3 parts " + Part(0, 2) + " }"),
      Fragment("inputs { location: 3 parts " + Part(1, 3) + " } inputs { location: 4 parts " +
               Part(0, 1) + " } inputs { location: 5 }"));
  EXPECT_THAT(faults.undefined, ElementsAre("location 3.zw: read and never written",
                                            "location 4.x: read and never written",
                                            "location 5.xyzw: read and never written"));
  EXPECT_THAT(faults.mismatched, IsEmpty());
}

TEST(CompareStages, OtherTypes) {
  const auto faults =
      CompareStages(Vertex("outputs { location: 0 parts " + Part(0, 2) + " parts " +
                           Part(2, 1, "type: 'int' bits: 32") + " parts " +
                           Part(3, 1, "type: 'float' bits: 16") + " }"),
                    Fragment("inputs { location: 0 parts " + Part(0, 1) + " parts " +
                             Part(1, 2, "type: 'uint' bits: 32") + " parts " + Part(3, 1) + " }"));
  EXPECT_THAT(faults.undefined, IsEmpty());
  EXPECT_THAT(faults.mismatched, ElementsAre("location 0.w: written as float16, read as float32",
                                             "location 0.y: written as float32, read as int32"));
}

// The interpolation of an input is the fragment shader's own.
TEST(CompareStages, FlatOrNot) {
  const auto faults =
      CompareStages(Vertex("outputs { location: 0 parts " + Part(0, 2) + " }"),
                    Fragment("inputs { location: 0 flat: true parts " + Part(0, 1) + " }"));
  EXPECT_THAT(faults.mismatched, IsEmpty());
}

}  // namespace
}  // namespace kiln::client
