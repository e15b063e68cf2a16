// The code that derivatives are lowered to, and equal results in the interpreter.
#include "core/mid/lower/lower_derivatives.h"

#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/mid/testing/testing.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "core/oracle/example_images.h"
#include "core/oracle/interp.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

TEST(LowerDerivatives, ADifferenceWithTheOtherLaneOfThePair) {
  EXPECT_EQ(RunOnFragmentBody(R"(
    %0:f32 = load_input[0, 0]
    %1:f32 = ddy[coarse] %0
    store_output[0, 0] %1
    return)",
                              LowerDerivatives),
            "  %0:f32 = load_input[0, 0]\n"
            "  %1:f32 = quad_swap[2] %0\n"
            "  %2:i32 = subgroup_invocation\n"
            "  %3:i32 = and %2, 2\n"
            "  %4:bool = ieq %3, 0\n"
            "  %5:f32 = select %4, %0, %1\n"
            "  %6:f32 = select %4, %1, %0\n"
            "  %7:f32 = fsub %6, %5\n"
            "  store_output[0, 0] %7\n"
            "  return\n");
}

TEST(LowerDerivatives, HalfsAreTakenInSinglePrecision) {
  const std::string text = RunOnFragmentBody(R"(
    %0:f32 = load_input[0, 0]
    %1:f16 = f2f %0
    %2:f16 = ddx[any] %1
    %3:f32 = f2f %2
    store_output[0, 0] %3
    return)",
                                             LowerDerivatives);
  const size_t difference = text.find(":f32 = fsub ");
  EXPECT_LT(text.find("%2:f32 = f2f %1\n"), difference) << text;
  EXPECT_NE(text.find(":f16 = f2f ", difference), std::string::npos) << text;
  EXPECT_EQ(text.find(":f16 = fsub"), std::string::npos) << text;
}

// Expects the same results before and after the pass: a body of 8 lanes in linear quads stores one
// float a lane at %1. It has %0, the lane's number, and %2, a float that is no linear function of
// it.
void ExpectSame(const std::string& body) {
  absl::StatusOr<mir::Module> m = mir::Parse(absl::StrCat(
      "mir 1 local_size 8, 1, 1 resource 0 ssbo 0.0.0 "
      "resource 1 combined 0.1.0 image 2d arrayed float rgba32f "
      "resource 2 sampled_image 0.2.0 image cube float rgba32f resource 3 sampler 0.3.0 array 2 "
      "body { %0:i32 = local_index %1:i32 = shl %0, 2 %90:i32 = imul %0, %0 %91:f32 = u2f %90 "
      "%2:f32 = fmul %91, 0.0625f ",
      body, " store_ssbo[0, align 4] %1, %9 return }"));
  ASSERT_TRUE(m.ok()) << m.status();
  ASSERT_EQ(mir::Verify(*m), absl::OkStatus());
  const auto stored = [&] {
    oracle::LaunchInputs inputs;
    inputs.buffers.push_back({0, 0, 0, std::vector<uint8_t>(32)});
    oracle::BindExampleImages(*m, 8, &inputs);
    for (oracle::BoundSampler& s : inputs.samplers) {
      s.linear_mips = true;
      s.compare = {};
    }
    EXPECT_TRUE(oracle::Interpret(*m, inputs).ok());
    std::vector<float> f(8);
    std::memcpy(f.data(), inputs.buffers[0].bytes.data(), 32);
    return f;
  };
  const std::vector<float> before = stored();
  PassContext context = PassContext::ForTest();
  ASSERT_TRUE(*LowerDerivatives(*m, context));
  ASSERT_EQ(mir::Verify(*m), absl::OkStatus());
  const std::vector<float> after = stored();
  bool differ = false;
  for (int i = 0; i < 8; ++i) {
    EXPECT_NEAR(after[i], before[i], 1e-5f) << body << ", lane " << i;
    differ |= before[i] != before[0];
  }
  EXPECT_TRUE(differ) << body;
  EXPECT_FALSE(*LowerDerivatives(*m, context));
}

TEST(LowerDerivatives, KeepsWhatTheInterpreterSees) {
  ExpectSame("%9:f32 = ddx[fine] %2");
  ExpectSame("%9:f32 = ddy[any] %2");
  ExpectSame("%3:f16 = f2f %2 %4:f16 = ddy[fine] %3 %9:f32 = f2f %4");
}

TEST(LowerDerivatives, KeepsImplicitSamples) {
  const std::string four = "%9:f32, %10:f32, %11:f32, %12:f32 = sample_implicit";
  const std::string three = "%3:f32 = fmul %2, 0.5f ";
  ExpectSame(three + four + "[1, texel] %2, %3, 1f");
  ExpectSame(three + four + "[1, texel bias] %2, %3, 1f, -0.75f");
  ExpectSame(three + four + "[1, texel bias min_lod at 1 0 0] %2, %3, 0f, 0.25f, 0.125f");
  ExpectSame(three + four + "[1, texel min_lod offsets] %2, %3, 0f, 0.5f, 1, -1");
  ExpectSame(three + four + "[2, texel sampler 3 sampler_index] 1, %2, %3, 1f");
}

TEST(LowerDerivatives, KeepsTheOrderOfComparedSamples) {
  for (const char* sample : {"sample_implicit[2, texel dref bias min_lod] %0, %1, 0.5f, 2f, 3f",
                             "sample_implicit[2, texel dref min_lod] %0, %1, 0.5f, 3f"}) {
    const std::string text =
        RunOnFragmentBody(absl::StrCat("%0:f32, %1:f32 = load_input[0, 0] %2:f32 = ", sample,
                                       " store_output[0, 0] %2 return"),
                          LowerDerivatives);
    EXPECT_NE(text.find("sample[2, texel dref grad min_lod] %0, %1, 0.5f, %"), std::string::npos)
        << text;
    EXPECT_NE(text.find(", 3f\n"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace kiln::mid
