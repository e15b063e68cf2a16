// Modules with each need, for targets with and without the feature.
#include "core/target/check_features.h"

#include <string>

#include "core/base/cause.h"
#include "core/mid/testing/testing.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln {
namespace {

mir::Module Parse(const std::string& head, const std::string& body) {
  const auto m =
      mir::Parse("mir 1 local_size 8, 1, 1 shared 64 " + head + " body { " + body + " return }");
  EXPECT_TRUE(m.ok()) << m.status();
  EXPECT_EQ(mir::Verify(*m), absl::OkStatus());
  return *m;
}

mid::Features With(bool mid::Features::*feature) {
  mid::Features features = mid::kFewFeatures;
  features.*feature = true;
  return features;
}

TEST(CheckFeatures, SharedInt64Atomics) {
  const mir::Module m =
      Parse("needs shared_int64_atomics at 260 ;%77", "%0:i64 = shared_atomic[add] 0, 5i64");
  EXPECT_EQ(CheckFeatures(m, With(&mid::Features::shared_int64_atomics)), absl::OkStatus());
  const absl::Status refused = CheckFeatures(m, mid::kFewFeatures);
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(TextOf(refused),
            "int64_atomics: atomic of 64 bits on shared memory [capability Int64Atomics] (%77)");
  EXPECT_EQ(InstructionOf(refused), 260u);
}

TEST(CheckFeatures, RoundingByWidth) {
  const mir::Module m =
      Parse("rounding_f16 to_even rounding_f32 to_zero needs rounding_by_width ;%4", "");
  EXPECT_EQ(CheckFeatures(m, With(&mid::Features::rounding_by_width)), absl::OkStatus());
  EXPECT_EQ(TextOf(CheckFeatures(m, mid::kFewFeatures)), "float_controls: two rounding modes (%4)");
}

TEST(CheckFeatures, TheFirstNeedIsNamed) {
  const std::string modes = "rounding_f16 to_even rounding_f32 to_zero ";
  const auto cause = [&](const std::string& needs) {
    return CauseOf(CheckFeatures(Parse(modes + needs, ""), mid::kFewFeatures));
  };
  EXPECT_EQ(cause("needs rounding_by_width needs shared_int64_atomics"), "float_controls");
  EXPECT_EQ(cause("needs shared_int64_atomics needs rounding_by_width"), "int64_atomics");
}

// The refusal of a sample with the offset `x` in the op, or with `chosen` as two sources.
std::string RefusalOf(int x, const std::string& chosen, const mid::Features& features) {
  const std::string params =
      chosen.empty() ? "lod at " + std::to_string(x) + " 0 0" : std::string("lod offsets");
  const std::string sources = "0f, 0f, 0f" + (chosen.empty() ? "" : ", " + chosen);
  const mir::Module m = Parse(
      "resource 0 combined 2.3.0 image 2d float unknown",
      "%0:f32, %1:f32, %2:f32, %3:f32 = sample[0, texel " + params + "] " + sources + " ;%9\n");
  const absl::Status s = CheckFeatures(m, features);
  EXPECT_EQ(SpirvIdOf(s), s.ok() ? 0u : 9u);
  return s.ok() ? "" : TextOf(s);
}

TEST(CheckFeatures, TexelOffsets) {
  mid::Features wide = mid::kFewFeatures;
  wide.sample_offsets = {.least = -32, .most = 31};
  const std::string far = "texel_offset_range: texel offset beyond -8 to 7 (%9)";
  EXPECT_EQ(RefusalOf(-8, "", mid::kFewFeatures), "");
  EXPECT_EQ(RefusalOf(7, "", mid::kFewFeatures), "");
  EXPECT_EQ(RefusalOf(-9, "", mid::kFewFeatures), far);
  EXPECT_EQ(RefusalOf(8, "", mid::kFewFeatures), far);
  EXPECT_EQ(RefusalOf(8, "", wide), "");
  EXPECT_EQ(RefusalOf(0, "7, -8", mid::kFewFeatures), "");
  EXPECT_EQ(RefusalOf(0, "7, -9", mid::kFewFeatures), far);
  EXPECT_EQ(RefusalOf(0, "7, -32", wide), "");
  EXPECT_EQ(RefusalOf(0, "7, -33", wide), "texel_offset_range: texel offset beyond -32 to 31 (%9)");
}

}  // namespace
}  // namespace kiln
