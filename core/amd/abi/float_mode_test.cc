#include "core/amd/abi/float_mode.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/mir/parse.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

mir::Module Parse(const std::string& head, const std::string& body = "") {
  auto m = mir::Parse(absl::StrCat("mir 1\nentry \"main\"\nlocal_size 64, 1, 1\n", head,
                                   "\nbody {\n", body, "return\n}\n"));
  EXPECT_TRUE(m.ok()) << m.status();
  return *std::move(m);
}
uint32_t ModeOf(const std::string& head) { return FloatModeOf(Parse(head)); }
std::string Refusal(const std::string& head, const std::string& body = "") {
  return std::string(CheckFloatModes(Parse(head, body)).message());
}

TEST(FloatMode, FollowsTheControls) {
  EXPECT_EQ(ModeOf(""), 0xc0u);
  EXPECT_EQ(ModeOf("denorms_f32 flush"), 0xc0u);
  EXPECT_EQ(ModeOf("denorms_f32 preserve"), 0xf0u);
  EXPECT_EQ(ModeOf("denorms_f16 flush"), 0x00u);
  EXPECT_EQ(ModeOf("denorms_f64 flush\nneeds float64"), 0x00u);
  EXPECT_EQ(ModeOf("rounding_f16 to_zero\nrounding_f32 to_zero"), 0xcfu);
  EXPECT_EQ(ModeOf("rounding_f16 to_zero\nrounding_f32 to_even\nneeds rounding_by_width"), 0xccu);
  EXPECT_EQ(ModeOf("rounding_f16 to_even\nrounding_f32 to_zero\nneeds rounding_by_width"), 0xc3u);
  // Doubles decide if there are any.
  EXPECT_EQ(ModeOf("rounding_f16 to_even\nrounding_f32 to_even\nrounding_f64 to_zero\n"
                   "needs rounding_by_width needs float64"),
            0xccu);
}

TEST(FloatMode, HalfsAndDoublesShareOne) {
  const std::string both = "needs half_floats needs rounding_by_width needs float64";
  EXPECT_EQ(Refusal("rounding_f16 to_even\nrounding_f64 to_zero\n" + both),
            "two rounding modes of floats of 16 and 64 bits");
  EXPECT_EQ(Refusal("denorms_f16 flush\ndenorms_f64 preserve\n" + both),
            "subnormals kept and flushed of floats of 16 and 64 bits");
  EXPECT_EQ(Refusal("denorms_f16 flush\n" + both), "");
  EXPECT_EQ(Refusal("denorms_f16 flush\ndenorms_f64 preserve\nneeds float64"), "");
}

TEST(FloatMode, DoublesDivideToTheNearestOnly) {
  const std::string to_zero = "rounding_f16 to_zero\nrounding_f32 to_zero\nneeds float64";
  EXPECT_EQ(Refusal(to_zero, "%1:f64 = fadd 1d, 3d\n"), "");
  EXPECT_EQ(Refusal(to_zero, "%1:f64 = fdiv 1d, 3d\n"),
            "division or square root of doubles rounded towards zero");
  EXPECT_EQ(Refusal("needs float64", "%1:f64 = fdiv 1d, 3d\n"), "");
}

}  // namespace
}  // namespace kiln::amd
