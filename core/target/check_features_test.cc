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

TEST(CheckFeatures, HalfFloats) {
  const mir::Module m = Parse("needs half_floats at 9 ;%7", "");
  mid::Features features = mid::kFewFeatures;
  EXPECT_EQ(CheckFeatures(m, features), absl::OkStatus());
  features.half_floats = false;
  EXPECT_EQ(TextOf(CheckFeatures(m, features)), "half_floats: float of 16 bits (%7)");
}

TEST(CheckFeatures, Addresses) {
  const mir::Module m = Parse("needs addresses at 9 ;%7", "");
  mid::Features features = mid::kFewFeatures;
  EXPECT_EQ(CheckFeatures(m, features), absl::OkStatus());
  features.addresses = false;
  EXPECT_EQ(TextOf(CheckFeatures(m, features)),
            "device_addresses: access by a 64-bit address [capability "
            "PhysicalStorageBufferAddresses] (%7)");
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

TEST(CheckFeatures, DoublesAreNamedByTheirFirstUse) {
  const auto refusal = [](const std::string& use) {
    mid::Features features = mid::kFewFeatures;
    const mir::Module m = Parse("needs float64 " + use + " at 9 ;%7", "%0:f64 = fadd 1d, 2d");
    EXPECT_EQ(CheckFeatures(m, features), absl::OkStatus());
    features.float64 = false;
    EXPECT_EQ(InstructionOf(CheckFeatures(m, features)), 9u);
    return TextOf(CheckFeatures(m, features));
  };
  const auto expected = [](const std::string& what) {
    return "float64: " + what + " [capability Float64] (%7)";
  };
  EXPECT_EQ(refusal("0"), expected("value of this type"));
  EXPECT_EQ(refusal("1"), expected("constant"));
  EXPECT_EQ(refusal("2"), expected("variable"));
  EXPECT_EQ(refusal("3"), expected("local variable"));
  EXPECT_EQ(refusal("4"), expected("element of an array or vector in memory"));
  EXPECT_EQ(refusal("5"), expected("GLSL.std.450 PackDouble2x32"));
  EXPECT_EQ(refusal("6"), expected("GLSL.std.450 UnpackDouble2x32"));
}

TEST(CheckFeatures, AtomicsOfDoubles) {
  const mir::Module m =
      Parse("needs float64 needs float64_atomics at 9 ;%7", "%0:f64 = shared_atomic[fadd] 0, 2d");
  EXPECT_EQ(CheckFeatures(m, With(&mid::Features::float64_atomics)), absl::OkStatus());
  EXPECT_EQ(TextOf(CheckFeatures(m, mid::kFewFeatures)),
            "float64_atomics: atomic on a float of 64 bits (%7)");
}

TEST(CheckFeatures, Clocks) {
  const mir::Module m = Parse("needs clocks ;%7", "%0:i32, %1:i32 = read_clock[device]");
  EXPECT_EQ(CheckFeatures(m, With(&mid::Features::clocks)), absl::OkStatus());
  EXPECT_EQ(TextOf(CheckFeatures(m, mid::kFewFeatures)), "shader_clock: clock (%7)");
}

TEST(CheckFeatures, Int64Images) {
  const mir::Module m =
      Parse("needs int64_images ;%7 resource 0 storage_image 0.0.0 image 1d uint rg32ui",
            "%0:i32, %1:i32 = image_atomic64[0, texel add] 0, 1, 0");
  EXPECT_EQ(CheckFeatures(m, With(&mid::Features::int64_images)), absl::OkStatus());
  EXPECT_EQ(TextOf(CheckFeatures(m, mid::kFewFeatures)),
            "images: image of 64-bit integers [capability Int64ImageEXT] (%7)");
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

std::string RefusalOf(const std::string& needs, const mid::Features& features) {
  const absl::Status s = CheckFeatures(Parse(needs, ""), features);
  EXPECT_EQ(InstructionOf(s), s.ok() ? 0u : 260u);
  return s.ok() ? "" : TextOf(s);
}

TEST(CheckFeatures, TexelOffsets) {
  mid::Features wide = mid::kFewFeatures;
  wide.sample_offsets = {.least = -32, .most = 31, .by_lane = true};
  const std::string far = "texel_offset_range: texel offset beyond -8 to 7 (%9)";
  const std::string beyond_wide = "texel_offset_range: texel offset beyond -32 to 31 (%9)";
  const std::string least = "needs least_texel_offset ", most = "needs greatest_texel_offset ";
  const std::string place = " at 260 ;%9 ";
  EXPECT_EQ(RefusalOf(least + "-9" + place, mid::kFewFeatures), far);
  EXPECT_EQ(RefusalOf(most + "8" + place, mid::kFewFeatures), far);
  EXPECT_EQ(RefusalOf(least + "-32" + place + most + "31" + place, wide), "");
  EXPECT_EQ(RefusalOf(least + "-33" + place, wide), beyond_wide);
  EXPECT_EQ(RefusalOf(least + "-9 at 3 ;%7 " + most + "32" + place, wide), beyond_wide);
}

// An offset that a pass made constant is the program's own: far ones are undefined in Vulkan.
TEST(CheckFeatures, TexelOffsetsInSourcesAreNoNeed) {
  const mir::Module m = Parse(
      "resource 0 combined 2.3.0 image 2d float unknown",
      "%0:f32, %1:f32, %2:f32, %3:f32 = sample[0, texel lod offsets] 0f, 0f, 0f, 7, -9 ;%9\n");
  EXPECT_EQ(CheckFeatures(m, mid::kFewFeatures), absl::OkStatus());
}

TEST(CheckFeatures, Barycentrics) {
  const mir::Module m = Parse("needs barycentrics ;%7", "");
  EXPECT_EQ(CheckFeatures(m, With(&mid::Features::barycentrics)), absl::OkStatus());
  EXPECT_EQ(
      TextOf(CheckFeatures(m, mid::kFewFeatures)),
      "barycentric_coordinates: barycentric coordinate, or input with a value for each vertex "
      "[capability FragmentBarycentricKHR] (%7)");
}

}  // namespace
}  // namespace kiln
