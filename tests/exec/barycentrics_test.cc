// Weights and values of a triangle's vertices on gfx1030, at both wave sizes, against the
// interpreter. The simulator begins the vertices of i and j with each of the three by turns.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"
#include "tests/exec/fragments.h"

namespace kiln::exec {
namespace {

constexpr int kDraws = 12;

// Compares a program on several draws, of one or two triangles each.
void Compare(const std::string& declarations, const std::string& body, uint32_t samples = 1) {
  const auto m = mir::Parse(absl::StrCat("mir 1\nstage fragment\n", declarations,
                                         "resource 0 ssbo 0.0.0\nneeds barycentrics\nbody {\n",
                                         body, "return\n}\n"));
  ASSERT_TRUE(m.ok()) << m.status();
  ASSERT_EQ(mir::Verify(*m), absl::OkStatus());
  DrawCounts counts;
  for (uint64_t seed = 1; seed <= kDraws; ++seed) {
    EXPECT_EQ(CompareDraw(*m, seed, samples, {}, &counts), "") << "draw " << seed;
  }
  EXPECT_EQ(counts.programs, 2 * kDraws);
  EXPECT_GT(counts.written, 0);
}

// Weights without perspective are exact on these draws.
TEST(Barycentrics, WeightsWithoutPerspective) {
  Compare(
      "input 0 builtin bary_coord_no_perspective f32 x3 noperspective\n"
      "output 0 location 0.0 f32 x4\n",
      "%0:f32, %1:f32, %2:f32 = load_input[0, 0]\nstore_output[0, 0] %0, %1, %2, 1f\n");
}

// With perspective in 64ths, since 1 - i - j is rounded.
TEST(Barycentrics, WeightsWithPerspective) {
  Compare("input 0 builtin bary_coord f32 x3\noutput 0 location 0.0 f32 x4\n",
          "%0:f32, %1:f32, %2:f32 = load_input[0, 0]\n"
          "%3:f32 = fmul %0, 64f\n%4:f32 = fmul %1, 64f\n%5:f32 = fmul %2, 64f\n"
          "%6:f32 = fround_even %3\n%7:f32 = fround_even %4\n%8:f32 = fround_even %5\n"
          "store_output[0, 0] %6, %7, %8, 1f\n");
}

// 1 / w changes within a pixel: by the differences of i and j these would be up to 0.004 away.
TEST(Barycentrics, WeightsWithPerspectiveAwayFromTheCentre) {
  const auto rounded = [](absl::string_view at) {
    return absl::StrCat("%0:f32, %1:f32, %2:f32 = ", at,
                        "\n%3:f32 = fmul %0, 1024f\n%4:f32 = fmul %1, 1024f\n"
                        "%5:f32 = fmul %2, 1024f\n%6:f32 = fround_even %3\n"
                        "%7:f32 = fround_even %4\n%8:f32 = fround_even %5\n"
                        // Zeros have either sign.
                        "%9:f32 = fadd %6, 4096f\n%10:f32 = fadd %7, 4096f\n"
                        "%11:f32 = fadd %8, 4096f\nstore_output[0, 0] %9, %10, %11, 1f\n");
  };
  const std::string declarations =
      "input 0 builtin bary_coord f32 x3\noutput 0 location 0.0 f32 x4\n";
  Compare(declarations, rounded("interpolate[0, offset 0] 0.4375f, -0.375f"));
  Compare(declarations, rounded("interpolate[0, offset 0] -0.5f, 0.25f"), 4);
  Compare(declarations, rounded("interpolate[0, sample 0] 0"));
  for (const char* sample : {"0", "1", "2", "3"}) {
    Compare(declarations, rounded(absl::StrCat("interpolate[0, sample 0] ", sample)), 4);
  }
}

TEST(Barycentrics, WeightsWithoutPerspectiveAtAnOffset) {
  Compare(
      "input 0 builtin bary_coord_no_perspective f32 x3 noperspective\n"
      "output 0 location 0.0 f32 x4\n",
      "%0:f32, %1:f32, %2:f32 = interpolate[0, offset 0] 0.25f, -0.375f\n"
      "store_output[0, 0] %0, %1, %2, 1f\n");
}

TEST(Barycentrics, WeightsAtASample) {
  Compare(
      "modes sample_rate\ninput 0 builtin bary_coord_no_perspective f32 x3 noperspective sample\n"
      "output 0 location 0.0 f32 x4\n",
      "%0:f32, %1:f32, %2:f32 = load_input[0, 0]\nstore_output[0, 0] %0, %1, %2, 1f\n", 4);
}

TEST(Barycentrics, ValuesOfVertices) {
  Compare(
      "input 0 location 0.0 f32 x2 array 2 per_vertex\ninput 1 location 4.0 i32 x3 per_vertex\n"
      "input 2 location 5.0 f32 x1 flat\n"
      "output 0 location 0.0 f32 x4\noutput 1 location 1.0 i32 x4\n",
      "%0:f32 = interpolate.indexed[0, vertex0 1] 0\n"
      "%1:f32 = interpolate.indexed[0, vertex1 0] 1\n"
      "%2:f32 = interpolate.indexed[0, vertex2 1] 1\n%3:f32 = load_input[2, 0]\n"
      "%4:i32, %5:i32 = interpolate[1, vertex2 0]\n%6:i32 = interpolate[1, vertex0 2]\n"
      "%7:i32 = interpolate[1, vertex1 1]\n"
      "store_output[0, 0] %0, %1, %2, %3\nstore_output[1, 0] %4, %5, %6, %7\n");
}

// A vertex chosen by what lanes of the wave differ in.
TEST(Barycentrics, ValuesUnderDivergentControl) {
  Compare(
      "input 0 location 0.0 i32 x1 per_vertex\ninput 1 builtin frag_coord f32 x4\n"
      "output 0 location 0.0 i32 x1\n",
      "%0:f32 = load_input[1, 0]\n%1:bool = flt %0, 3f\n"
      "%2:i32 = if %1 {\n%3:i32 = interpolate[0, vertex1 0]\nyield %3\n} else {\n"
      "%4:i32 = interpolate[0, vertex2 0]\nyield %4\n}\nstore_output[0, 0] %2\n");
}

}  // namespace
}  // namespace kiln::exec
