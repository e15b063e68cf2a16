// Tests the parts of locations that programs use, and the slots of distances: see interface.h.
#include "core/target/interface.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/mir/build.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln {
namespace {

mir::Module Module(const std::string& stage, const std::string& interfaces,
                   const std::string& body) {
  auto m = mir::Parse(absl::StrCat("mir 1\nentry \"main\"\nstage ", stage, "\n", interfaces,
                                   "body {\n", body, "return\n}\n"));
  EXPECT_TRUE(m.ok()) << m.status();
  if (!m.ok()) return {};
  EXPECT_TRUE(mir::Verify(*m).ok()) << mir::Verify(*m);
  return *std::move(m);
}

std::string Text(const LocationParts& parts) {
  std::string text;
  for (const auto& [location, list] : parts) {
    for (const auto& [p, flat, per_vertex] : list) {
      absl::StrAppend(&text, location, ".", p.component, " x", p.components, " ", p.type, p.bits,
                      flat         ? " flat\n"
                      : per_vertex ? " per_vertex\n"
                                   : "\n");
    }
  }
  return text;
}

constexpr char kInputs[] =
    "input 0 location 0.0 f32 x2\ninput 1 location 0.2 f32 x2\ninput 2 location 1.1 i32 x3 flat\n"
    "input 3 location 2.0 f32 x2 array 3\ninput 4 builtin frag_coord f32 x4\n"
    "output 0 location 0.0 f32 x4\n";

std::string Read(const std::string& body) {
  return Text(PartsRead(Module("fragment", kInputs, body)));
}

TEST(PartsRead, ComponentsWhoseResultIsUsed) {
  EXPECT_EQ(Read("%0:f32, %1:f32 = load_input[0, 0]\n%2:i32, %3:i32, %4:i32 = load_input[2, 0]\n"
                 "%5:f32 = bitcast %2\n%6:f32 = bitcast %4\nstore_output[0, 0] %1, %5, %6\n"),
            "0.1 x1 float32\n1.1 x1 int32 flat\n1.3 x1 int32 flat\n");
  EXPECT_EQ(Read("%0:f32, %1:f32 = load_input[0, 0]\n"), "");
}

// Two variables in one location are two parts, as are two of a kind.
TEST(PartsRead, PartsAreOfOneVariable) {
  EXPECT_EQ(Read("%0:f32, %1:f32 = load_input[0, 0]\n%2:f32 = load_input[1, 0]\n"
                 "store_output[0, 0] %0, %1, %2\n"),
            "0.0 x2 float32\n0.2 x1 float32\n");
}

TEST(PartsRead, ElementsAreLocations) {
  EXPECT_EQ(Read("%0:f32 = load_input.indexed[3, 1] 2\nstore_output[0, 0] %0\n"),
            "4.1 x1 float32\n");
  EXPECT_EQ(Read("%0:i32 = load_input[2, 0]\n%1:f32 = load_input.indexed[3, 1] %0\n"
                 "store_output[0, 0] %1\n"),
            "1.1 x1 int32 flat\n2.1 x1 float32\n3.1 x1 float32\n4.1 x1 float32\n");
  EXPECT_EQ(Read("%0:f32 = load_input.indexed[3, 1] 3\nstore_output[0, 0] %0\n"), "");  // no such
}

TEST(PartsRead, WhereverInThePixel) {
  EXPECT_EQ(Read("%0:f32 = interpolate[1, centroid 1]\n%1:f32, %2:f32 = load_input[4, 0]\n"
                 "store_output[0, 0] %0, %1, %2\n"),
            "0.3 x1 float32\n");
}

std::string Written(const std::string& body) {
  return Text(PartsWritten(Module(
      "vertex",
      "input 0 location 0.0 f32 x4\noutput 0 location 0.0 f32 x4\n"
      "output 1 location 1.2 f16 x2\noutput 2 location 2.0 i32 x1 array 2\n"
      "output 3 builtin position f32 x4\n",
      "%0:f32, %1:f32, %2:f32 = load_input[0, 0]\n%3:i32 = bitcast %0\n%4:f16 = f2f %1\n" + body)));
}

TEST(PartsWritten, WhatHasAValue) {
  EXPECT_EQ(Written("store_output[0, 1] %0, undef.f32, %2\nstore_output[1, 0] undef.f16, %4\n"
                    "store_output[3, 0] %0, %0, %0, %0\n"),
            "0.1 x1 float32\n0.3 x1 float32\n1.3 x1 float32\n");
}

TEST(PartsWritten, StoresOfOnePlaceCountTogether) {
  EXPECT_EQ(Written("store_output[0, 0] %0\nstore_output[0, 1] %1, %2\n"
                    "store_output.indexed[2, 0] 1, %3\n"),
            "0.0 x3 float32\n3.0 x1 int32\n");
}

TEST(DistanceNumber, CullDistancesFollowClipDistances) {
  const mir::Module both = Module("vertex",
                                  "output 0 builtin clip_distance f32 x1 array 3\n"
                                  "output 1 builtin cull_distance f32 x1 array 2\n",
                                  "");
  EXPECT_EQ(DistanceNumber(both.outputs, both.outputs[0], 2), 2u);
  EXPECT_EQ(DistanceNumber(both.outputs, both.outputs[1], 1), 4u);
  const mir::Module cull = Module("vertex", "output 0 builtin cull_distance f32 x1 array 2\n", "");
  EXPECT_EQ(DistanceNumber(cull.outputs, cull.outputs[0], 1), 1u);
}

TEST(NoteElements, OfConstantsAndValues) {
  const mir::Module m = Module("fragment", kInputs,
                               "%0:i32 = load_input[2, 0]\n%1:f32 = load_input.indexed[3, 0] 1\n"
                               "%2:f32 = load_input.indexed[3, 0] 9\n"
                               "%3:f32 = load_input.indexed[3, 0] %0\n");
  std::vector<std::vector<bool>> used;
  mir::ForEachInst(m, m.body, [&](mir::InstId id) {
    if (m.inst(id).op != mir::Op::kLoadInput) return;
    used.emplace_back(m.inputs[m.inst(id).imm0].elements);
    NoteElements(m, id, used.back());
  });
  ASSERT_EQ(used.size(), 4u);
  EXPECT_EQ(used[0], std::vector<bool>({true}));
  EXPECT_EQ(used[1], std::vector<bool>({false, true, false}));
  EXPECT_EQ(used[2], std::vector<bool>({false, false, false}));
  EXPECT_EQ(used[3], std::vector<bool>({true, true, true}));
}

TEST(ChangesMemory, WhatOthersSee) {
  EXPECT_TRUE(ChangesMemory(mir::Op::kStoreSsbo));
  EXPECT_TRUE(ChangesMemory(mir::Op::kImageAtomic));
  EXPECT_TRUE(ChangesMemory(mir::Op::kGlobalAtomic64));
  EXPECT_FALSE(ChangesMemory(mir::Op::kStorePrivate));
  EXPECT_FALSE(ChangesMemory(mir::Op::kStoreOutput));
  EXPECT_FALSE(ChangesMemory(mir::Op::kLoadSsbo));
}

}  // namespace
}  // namespace kiln
