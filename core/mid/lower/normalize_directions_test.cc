#include "core/mid/lower/normalize_directions.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

// The code after the pass for a sample with the results %5 to %8; %1 to %4 are floats.
std::string After(const std::string& sample) {
  const auto m =
      mir::Parse(absl::StrCat("mir 1 local_size 8, 1, 1 resource 0 ssbo 0.0.0 "
                              "resource 1 combined 0.1.0 image cube float unknown "
                              "resource 2 combined 0.2.0 image cube arrayed float unknown "
                              "resource 3 combined 0.3.0 image 3d float unknown body { "
                              "%1:f32, %2:f32, %3:f32, %4:f32 = load_ssbo[0, align 4] 0 ",
                              sample, " store_ssbo[0, align 4] 0, %5 return }"));
  if (!m.ok()) return std::string(m.status().message());
  mir::Module module = *m;
  PassContext context = PassContext::ForTest();
  EXPECT_TRUE(NormalizeDirections(module, context).ok());
  EXPECT_EQ(mir::Verify(module), absl::OkStatus());
  const std::string text = mir::Print(module, {.renumber = true, .spirv_ids = false});
  const size_t begin = text.find("align 4] 0\n") + 11;
  return text.substr(begin, text.find("  store_ssbo") - begin);
}

constexpr char kDivision[] =
    R"(  %4:f32 = fabs %0
  %5:f32 = fabs %1
  %6:f32 = fmax %4, %5
  %7:f32 = fabs %2
  %8:f32 = fmax %6, %7
  %9:f32 = frcp %8
  %10:f32 = fmul %0, %9
  %11:f32 = fmul %1, %9
  %12:f32 = fmul %2, %9
)";

TEST(NormalizeDirections, AllPartsAreDividedByTheLargest) {
  EXPECT_EQ(After("%5:f32, %6:f32, %7:f32, %8:f32 = sample[1, texel lod] %1, %2, %3, %4"),
            absl::StrCat(kDivision,
                         "  %13:f32, %14:f32, %15:f32, %16:f32 = sample[1, texel lod] "
                         "%10, %11, %12, %3\n"));
}

TEST(NormalizeDirections, ArrayIndexAndReferenceStay) {
  EXPECT_EQ(After("%5:f32 = sample[2, texel dref] %1, %2, %3, %4, 0.5f"),
            absl::StrCat(kDivision, "  %13:f32 = sample[2, texel dref] %10, %11, %12, %3, 0.5f\n"));
}

TEST(NormalizeDirections, GathersToo) {
  EXPECT_EQ(After("%5:f32, %6:f32, %7:f32, %8:f32 = gather[2, texel component 1] %1, %2, %3, %4"),
            absl::StrCat(kDivision,
                         "  %13:f32, %14:f32, %15:f32, %16:f32 = "
                         "gather[2, texel component 1] %10, %11, %12, %3\n"));
}

TEST(NormalizeDirections, OtherImagesHaveNone) {
  EXPECT_EQ(After("%5:f32, %6:f32, %7:f32, %8:f32 = sample[3, texel lod] %1, %2, %3, %4"),
            "  %4:f32, %5:f32, %6:f32, %7:f32 = sample[3, texel lod] %0, %1, %2, %3\n");
}

}  // namespace
}  // namespace kiln::mid
