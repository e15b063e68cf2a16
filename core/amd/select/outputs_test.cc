// Tests the exports that selection makes of a fragment's outputs.
#include <string>

#include "absl/strings/str_cat.h"
#include "core/amd/select/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kColour[] = "output 0 location 0.0 f32 x4\n";
constexpr char kStore[] = "store_output[0, 0] 0.25f, 0.5f, 0.75f, 0.125f\n";

// Returns the lines of exports, each from its name on.
std::string Exports(const std::string& text) {
  std::string lines;
  for (size_t at = text.find(" exp "); at != std::string::npos; at = text.find(" exp ", at + 1)) {
    absl::StrAppend(&lines, text.substr(at + 1, text.find('\n', at) - at));
  }
  return lines.empty() ? text : lines;
}

std::string Of(const std::string& declarations, const std::string& body,
               const FragmentState& state = {}) {
  return Exports(SelectedFragment(declarations, body, 32, state));
}

// Flags: 1 done, 2 compressed, 4 valid mask.
TEST(SelectOutputs, TheLastExportSaysWhichLanesAreLeft) {
  const std::string one = Of(kColour, kStore);
  EXPECT_THAT(one, HasSubstr("enable 15"));
  EXPECT_THAT(one, HasSubstr("export_flags 5"));
  const std::string two = Of(absl::StrCat(kColour, "output 1 location 2.0 f32 x1\n"),
                             absl::StrCat(kStore, "store_output[1, 0] 1f\n"));
  EXPECT_EQ(two.find("export_flags 5"), two.rfind("export_flags 5"));
  EXPECT_GT(two.find("export_flags"), two.find('\n')) << two;
  EXPECT_THAT(two, HasSubstr("target 1")) << "targets have no holes";
}

TEST(SelectOutputs, WithoutOutputsNothingIsExported) {
  EXPECT_THAT(Of("", ""), Not(HasSubstr("exp ")));
}

TEST(SelectOutputs, DepthComesFirst) {
  const std::string text =
      Of(absl::StrCat("modes depth any\n", kColour, "output 1 builtin frag_depth f32 x1\n"),
         absl::StrCat(kStore, "store_output[1, 0] 0.5f\n"));
  EXPECT_THAT(text.substr(0, text.find('\n')), HasSubstr("target 8")) << text;
}

// Coverage needs the alpha that the program computed, colours have 1.
TEST(SelectOutputs, AlphaToOneKeepsTheAlphaForCoverage) {
  FragmentState state;
  state.alpha_to_one = true;
  EXPECT_THAT(Of(kColour, kStore, state), Not(HasSubstr("target 8")));
  state.alpha_to_coverage = true;
  const std::string both = Of(kColour, kStore, state);
  EXPECT_THAT(both.substr(0, both.find('\n')), HasSubstr("target 8")) << both;
  EXPECT_THAT(both.substr(0, both.find('\n')), HasSubstr("enable 2"));
}

// The block that waves go to when all their lanes are killed exports that none is left.
TEST(SelectOutputs, KilledWavesExportToNoTarget) {
  const std::string text = Of(absl::StrCat("input 0 location 0.0 f32 x1\n", kColour),
                              absl::StrCat("%0:f32 = load_input[0, 0]\n%1:bool = flt %0, 0f\n"
                                           "terminate %1\n",
                                           kStore));
  EXPECT_THAT(text, HasSubstr("target 9"));
}

FragmentState Precision(AttachmentPrecision precision, AttachmentType type, uint8_t mask = 15) {
  FragmentState state;
  state.attachments.emplace();
  state.attachments->push_back({.type = type, .write_mask = mask, .precision = precision});
  return state;
}

TEST(SelectOutputs, SixteenBitsAreACompressedExportOfTwoDwords) {
  using P = AttachmentPrecision;
  const auto check = [](const std::string& name, const FragmentState& state, bool integers) {
    const std::string output = integers ? "output 0 location 0.0 i32 x4\n" : kColour;
    const std::string store = integers ? "store_output[0, 0] 1, 2, 3, 4\n" : kStore;
    const std::string text = SelectedFragment(output, store, 32, state);
    const size_t first = text.find(name);
    EXPECT_NE(first, std::string::npos) << name << text;
    EXPECT_NE(text.find(name, first + 1), std::string::npos) << name << text;
    EXPECT_THAT(Exports(text), HasSubstr("enable 15"));
    EXPECT_THAT(Exports(text), HasSubstr("export_flags 7"));
  };
  check("v_cvt_pkrtz_f16_f32", Precision(P::kFloat16, AttachmentType::kFloat), false);
  check("v_cvt_pknorm_u16_f32", Precision(P::kUnorm16, AttachmentType::kFloat), false);
  check("v_cvt_pknorm_i16_f32", Precision(P::kSnorm16, AttachmentType::kFloat), false);
  check("v_cvt_pk_u16_u32", Precision(P::kInt16, AttachmentType::kUint), true);
  check("v_cvt_pk_i16_i32", Precision(P::kInt16, AttachmentType::kSint), true);
}

// Only what is not stored: blending may read an alpha that the mask keeps from being written.
TEST(SelectOutputs, PairsOfWhichNothingIsStoredAreOff) {
  const auto half = [](uint8_t mask) {
    return Precision(AttachmentPrecision::kFloat16, AttachmentType::kFloat, mask);
  };
  EXPECT_THAT(Of(kColour, kStore, half(2)), HasSubstr("enable 15"));
  EXPECT_THAT(Of(kColour, kStore, half(8)), HasSubstr("enable 15"));
  EXPECT_THAT(Of("output 0 location 0.0 f32 x2\n", "store_output[0, 0] 0.25f, 0.5f\n", half(15)),
              HasSubstr("enable 3"));
}

}  // namespace
}  // namespace kiln::amd
