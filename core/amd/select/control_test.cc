// Tests which registers carry values through control flow, and what kills become.
#include <string>

#include "absl/strings/str_cat.h"
#include "core/amd/select/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using testing::HasSubstr;
using testing::Not;

// A value that both sides of a divergent if have in common is uniform. The second side must not
// write it for all lanes while those of the first one hold it.
TEST(SelectControl, JoinsOfMaskedIfsHaveNoScalars) {
  const auto copies = [](const std::string& condition, const std::string& other) {
    return SelectedOps("%10:bool = ult " + condition +
                       ", 9\n%11:i32 = if %10 {\nyield 5\n} else {\nyield " + other +
                       "\n}\nstore_ssbo[0, align 4] %1, %11\n");
  };
  for (const char* other : {"5", "6"}) {
    EXPECT_THAT(copies("%1", other), Not(HasSubstr("s_copy mask_"))) << other;
  }
  EXPECT_THAT(
      SelectedText("%10:bool = ult %1, 9\n%11:i32 = if %10 {\nyield 5\n} else {\nyield 5\n}\n"
                   "store_ssbo[0, align 4] %1, %11\n"),
      HasSubstr("params"));
}

constexpr char kIn[] = "input 0 location 0.0 f32 x1\noutput 0 location 0.0 f32 x1\n";

std::string Kill(const std::string& op, bool quads) {
  return SelectedFragment(
      kIn, absl::StrCat("%0:f32 = load_input[0, 0]\n%1:bool = flt %0, 0f\n", op, " %1\n",
                        quads ? "%2:f32 = ddx[any] %0\n" : "%2:f32 = fadd %0, 1f\n",
                        "store_output[0, 0] %2\n"));
}

TEST(SelectControl, LanesBecomeHelpersWhereQuadsNeedThem) {
  EXPECT_THAT(Kill("demote", true), HasSubstr(" kill "));
  EXPECT_THAT(Kill("discard", true), HasSubstr(" kill "));
  EXPECT_THAT(Kill("terminate", true), HasSubstr("end_lanes"));
  for (const char* op : {"demote", "discard", "terminate"}) {
    EXPECT_THAT(Kill(op, false), HasSubstr("end_lanes")) << op;
  }
}

TEST(SelectControl, LanesEndByTheInverseOfACondition) {
  const std::string text = SelectedFragment(
      kIn,
      "%0:f32 = load_input[0, 0]\n%1:bool = flt %0, 0f\n%2:bool = flt 2f, %0\n"
      "%3:bool = and %1, %2\n%4:bool = not %3\nterminate %4\nstore_output[0, 0] %0\n");
  EXPECT_THAT(text, HasSubstr("inv"));
  EXPECT_THAT(Kill("terminate", false), Not(HasSubstr("inv")));
}

// Behind the last operation that needs whole quads the lanes that help are off for good: kills end
// lanes, and effects need no mask of their own.
TEST(SelectControl, HelpersEndAfterTheLastQuad) {
  const std::string declared = std::string(kIn) + "resource 0 ssbo 0.0.0\n";
  const std::string slope = "%1:f32 = ddx[any] %0\n", store = "store_ssbo[0, align 4] 0, 1\n";
  const auto text = [&](const std::string& body) {
    return SelectedFragment(declared, "%0:f32 = load_input[0, 0]\n" + body);
  };
  const std::string before = text(slope + store + "store_output[0, 0] %1\n");
  EXPECT_LT(before.find("end_helpers"), before.find("buffer_store_dword")) << before;
  EXPECT_THAT(before, Not(HasSubstr("exact")));
  const std::string after = text(store + slope + "store_output[0, 0] %1\n");
  EXPECT_GT(after.find("end_helpers"), after.find("buffer_store_dword")) << after;
  EXPECT_THAT(after, HasSubstr("exact"));
  EXPECT_THAT(text("%2:bool = flt %0, 0f\ndemote %2\nstore_output[0, 0] %0\n"),
              Not(HasSubstr("end_helpers")));
}

}  // namespace
}  // namespace kiln::amd
