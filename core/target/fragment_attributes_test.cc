// Tests which attributes fragment programs read: see fragment_attributes.h.
#include "core/target/fragment_attributes.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln {
namespace {

mir::Module Module(const std::string& inputs, const std::string& body) {
  const auto m =
      mir::Parse(absl::StrCat("mir 1\nentry \"main\"\nstage fragment\n", inputs,
                              "output 0 location 0.0 f32 x1\nbody {\n", body, "return\n}\n"));
  EXPECT_TRUE(m.ok()) << m.status();
  EXPECT_EQ(mir::Verify(*m), absl::OkStatus());
  return *m;
}

// "3", "3 flat", "clip_distance_0".
std::vector<std::string> Names(const FragmentAttributes& attributes) {
  std::vector<std::string> names;
  for (const FragmentAttribute& a : attributes.list) {
    names.push_back(absl::StrCat(a.input.builtin.empty() ? absl::StrCat(a.number) : a.input.builtin,
                                 a.input.flat ? " flat" : ""));
  }
  return names;
}

using Strings = std::vector<std::string>;

TEST(FragmentAttributes, LocationsAscendThenBuiltIns) {
  const mir::Module m = Module(
      "input 0 location 2.0 f32 x1\ninput 1 location 5.0 f32 x1\n"
      "input 2 builtin frag_coord f32 x4\ninput 3 builtin primitive_id i32 x1\n",
      "%0:i32 = load_input[3, 0]\n%1:f32 = load_input[1, 0]\n%2:f32 = load_input[0, 0]\n"
      "%3:f32 = load_input[2, 0]\n");
  const auto read = AttributesOf(m);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(Names(*read), (Strings{"2", "5", "primitive_id flat"}));
  EXPECT_EQ(read->of[1][0], 1u);
  EXPECT_EQ(read->of[2][0], FragmentAttributes::kNone) << "the position is no attribute";
}

TEST(FragmentAttributes, WhatIsNotReadIsNone) {
  const mir::Module m = Module("input 0 location 0.0 f32 x1\ninput 1 location 1.0 f32 x1 array 3\n",
                               "%0:f32 = load_input.indexed[1, 0] 2\n");
  const auto read = AttributesOf(m);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(Names(*read), Strings{"3"});
  EXPECT_EQ(read->of[0][0], FragmentAttributes::kNone);
  EXPECT_EQ(read->of[1],
            (std::vector<uint32_t>{FragmentAttributes::kNone, FragmentAttributes::kNone, 0}));
}

TEST(FragmentAttributes, AFlatPartOfALocationIsAnAttributeOfItsOwn) {
  const mir::Module m =
      Module("input 0 location 1.0 f32 x1\ninput 1 location 1.1 i32 x1 flat\n",
             "%0:f32 = load_input[0, 0]\n%1:i32 = load_input[1, 0]\n%2:f32 = i2f %1\n"
             "%3:f32 = fadd %0, %2\nstore_output[0, 0] %3\n");
  const auto read = AttributesOf(m);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(Names(*read), (Strings{"1", "1 flat"}));
  EXPECT_EQ(read->list[1].input.parts.size(), 1u);
}

TEST(FragmentAttributes, CullDistancesFollowClipDistances) {
  const mir::Module m = Module(
      "input 0 builtin clip_distance f32 x1 array 3\ninput 1 builtin cull_distance f32 x1 array 2\n",
      "%0:f32 = load_input.indexed[0, 0] 0\n%1:f32 = load_input.indexed[1, 0] 1\n");
  const auto read = AttributesOf(m);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(Names(*read), (Strings{"clip_distance_0", "clip_distance_1"}));
  EXPECT_EQ(DistanceComponent(m, m.inputs[1], 1), 0u);
}

TEST(FragmentAttributes, MoreThanEightDistancesAreRefused) {
  const mir::Module m = Module("input 0 builtin clip_distance f32 x1 array 9\n",
                               "%0:f32 = load_input.indexed[0, 0] 0\n");
  const auto read = AttributesOf(m);
  EXPECT_EQ(CauseOf(read.status()), "fragment_inputs");
}

TEST(FragmentAttributes, PerVertexComponentsAreAnAttributeOfTheirOwn) {
  const mir::Module m = Module(
      "input 0 location 2.0 f32 x1\ninput 1 location 2.1 i32 x1 flat\n"
      "input 2 location 2.2 i32 x2 per_vertex\n",
      "%0:f32 = load_input[0, 0]\n%1:i32 = load_input[1, 0]\n"
      "%2:i32 = interpolate[2, vertex0 0]\n%3:i32 = interpolate[2, vertex2 1]\n"
      "%4:i32 = iadd %2, %3\n%5:f32 = i2f %4\n%6:i32 = iadd %1, %4\n%7:f32 = i2f %6\n"
      "%8:f32 = fadd %0, %5\n%9:f32 = fadd %7, %8\nstore_output[0, 0] %9\n");
  const auto read = AttributesOf(m);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(Names(*read), (Strings{"2", "2", "2 flat"}));
  EXPECT_FALSE(read->list[0].input.per_vertex);
  EXPECT_TRUE(read->list[1].input.per_vertex);
  ASSERT_EQ(read->list[1].input.parts.size(), 1u);
  EXPECT_EQ(read->list[1].input.parts[0].component, 2u);
  EXPECT_EQ(read->list[1].input.parts[0].components, 2u);
}

}  // namespace
}  // namespace kiln
