// Tests the loads that selection makes of a vertex's attributes, and its exports.
#include <string>

#include "absl/strings/str_cat.h"
#include "core/amd/select/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr char kInput[] = "input 0 location 3.0 f32 x4\n";
constexpr char kPosition[] = "output 0 builtin position f32 x4\n";

// Returns the lines with a word, each from its name on.
std::string LinesWith(const std::string& word, const std::string& text) {
  std::string lines;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    absl::StrAppend(&lines, text.substr(at, text.find('\n', at) - at), "\n");
  }
  return lines.empty() ? text : lines;
}

TEST(SelectVertex, AttributesAreLoadedAsFarAsTheyAreRead) {
  const std::string text = SelectedVertex(
      absl::StrCat(kInput, kPosition),
      "%0:f32 = load_input[0, 0]\n%1:f32 = load_input[0, 1]\nstore_output[0, 0] %0, %1, %0, %1\n");
  EXPECT_THAT(text, HasSubstr("buffer_load_format_xy "));
  EXPECT_THAT(LinesWith("buffer_load", text), HasSubstr("flags 1"));  // by index
  EXPECT_EQ(text.find("s_load_dwordx4"), text.rfind("s_load_dwordx4"));
}

TEST(SelectVertex, ThePositionIsExportedAsAWhole) {
  const std::string exports =
      LinesWith("exp ", SelectedVertex(absl::StrCat(kInput, kPosition),
                                       "%0:f32 = load_input[0, 0]\nstore_output[0, 1] %0, %0\n"));
  EXPECT_THAT(exports, HasSubstr("target 12 enable 15 export_flags 1"));
}

TEST(SelectVertex, TheLastPositionIsDoneAndParametersFollow) {
  const std::string exports = LinesWith(
      "exp ",
      SelectedVertex(absl::StrCat(kInput,
                                  "output 0 location 4.1 f32 x2\noutput 1 builtin position f32 x4\n"
                                  "output 2 builtin point_size f32 x1\n"),
                     "%0:f32 = load_input[0, 0]\nstore_output[0, 0] %0, %0\n"
                     "store_output[1, 0] %0, %0, %0, %0\nstore_output[2, 0] %0\n"));
  const size_t position = exports.find("target 12 enable 15]"),
               last = exports.find("target 13 enable 1 export_flags 1");
  const size_t parameter = exports.find("target 32 enable 6]");
  EXPECT_LT(position, last) << exports;
  EXPECT_LT(last, parameter) << exports;
  EXPECT_NE(parameter, std::string::npos) << exports;
}

// Fragments that find the stores may start at the last position where they wait for no parameter.
TEST(SelectVertex, StoresEndBeforeTheLastPositionWithoutParameters) {
  const std::string stores = "resource 0 ssbo 0.0.0\n";
  const std::string body = "store_ssbo[0, align 4] 0, 1\nstore_output[0, 0] 0f, 0f, 0f, 1f\n";
  PipelineState state;
  state.next_stage_reads.emplace();
  EXPECT_THAT(SelectedVertex(absl::StrCat(stores, kPosition), body, state),
              AllOf(HasSubstr("simm 16240"), HasSubstr("s_waitcnt_vscnt")));
  const std::string with_parameter = SelectedVertex(
      absl::StrCat(stores, "output 0 location 0.0 f32 x1\noutput 1 builtin position f32 x4\n"),
      "store_ssbo[0, align 4] 0, 1\nstore_output[0, 0] 0.5f\nstore_output[1, 0] 0f, 0f, 0f, 1f\n",
      state);
  EXPECT_THAT(with_parameter, HasSubstr("target 32"));
  EXPECT_THAT(with_parameter, Not(HasSubstr("s_waitcnt_vscnt")));
}

TEST(SelectVertex, ElementsOfInstancesAreFetchedByQuotients) {
  PipelineState state;
  const auto multiplies = [&](uint32_t divisor) {
    state.instance_rates = {{3, divisor}};
    return SelectedVertex(absl::StrCat(kInput, kPosition),
                          "%0:f32 = load_input[0, 0]\nstore_output[0, 0] %0, %0, %0, %0\n", state);
  };
  EXPECT_THAT(multiplies(1), Not(HasSubstr("v_lshrrev_b32")));
  EXPECT_THAT(multiplies(4), Not(HasSubstr("v_mul_hi_u32")));
  EXPECT_THAT(multiplies(4), HasSubstr("v_lshrrev_b32 #0x2"));
  EXPECT_THAT(multiplies(7), HasSubstr("v_mul_hi_u32"));
}

// The order of effects is kept; attributes are those of the vertex that was started last.
TEST(SelectVertex, EffectsOfProgramsThatCull) {
  PipelineState state;
  state.primitive_culling = PrimitiveCulling::kOn;
  const std::string text = SelectedVertex(
      absl::StrCat("local_size 128, 1, 1\n", kInput, kPosition),
      "%0:i32 = launch_scalar[0]\nstage_effect[0] %0\n"
      "%1:i32 = launch_vector[0]\nstage_effect[1] %1\n"
      "%2:i32 = launch_vector[2]\n%3:i32 = iadd %2, 7\nstage_effect[2] %3, %3\n"
      "%4:f32 = load_input[0, 0]\nstore_output[0, 0] %4, %4, %4, %4\nstage_effect[3]\n",
      state);
  const size_t request = text.find("request_room "), primitive = text.find("target 20 enable 1 "),
               load = text.find("buffer_load_format_x "), position = text.find("target 12 ");
  EXPECT_LT(request, primitive) << text;
  EXPECT_LT(primitive, load) << text;
  EXPECT_LT(load, position) << text;
  EXPECT_NE(position, std::string::npos) << text;
  EXPECT_EQ(text.find("target 12 ", position + 1), std::string::npos) << text;
}

TEST(SelectVertex, OutputsChosenByValueAreRefused) {
  EXPECT_THAT(
      SelectedVertex("input 0 builtin vertex_index i32 x1\noutput 0 location 0.0 f32 x1 array 3\n",
                     "%0:i32 = load_input[0, 0]\nstore_output.indexed[0, 0] %0, 0.5f\n"),
      HasSubstr("output chosen by value"));
}

}  // namespace
}  // namespace kiln::amd
