#include "core/mid/lower/lower_float_atomics.h"

#include <bit>
#include <cstring>

#include "core/mid/testing/testing.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "core/oracle/interp.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(LowerFloatAtomics, OnlyAdditionsOfBuffersAndSharedMemory) {
  const std::string after = RunOnBody(
      "%0:f32 = ssbo_atomic.coherent[1, fadd] 4, 1f %1:f32 = shared_atomic[fadd] 8, 2f "
      "%2:f32 = ssbo_atomic[0, fmin] 0, 3f return",
      For<LowerFloatAtomics>);
  EXPECT_THAT(after, Not(HasSubstr("fadd]")));
  EXPECT_THAT(after, HasSubstr("ssbo_atomic.coherent[1, compare_exchange] 4"));
  EXPECT_THAT(after, HasSubstr("shared_atomic[compare_exchange] 8"));
  EXPECT_THAT(after, HasSubstr("ssbo_atomic[0, fmin] 0"));
}

// Every lane adds to one of two sums; the old value is stored too.
TEST(LowerFloatAtomics, AddsTheSame) {
  const auto m = mir::Parse(
      "mir 1 local_size 16, 1, 1 resource 0 ssbo 0.0.0 body { %0:i32 = local_index "
      "%1:i32 = and %0, 4 %2:f32 = u2f %0 %3:f32 = ssbo_atomic[0, fadd] %1, %2 "
      "%4:i32 = shl %0, 2 %5:i32 = iadd %4, 8 store_ssbo[0, align 4] %5, %3 return }");
  ASSERT_TRUE(m.ok()) << m.status();
  mir::Module lowered = *m;
  PassContext context = PassContext::ForTest();
  EXPECT_TRUE(*LowerFloatAtomics(lowered, kFewFeatures, context));
  EXPECT_EQ(mir::Verify(lowered), absl::OkStatus());
  std::vector<uint8_t> results[2];
  for (int i = 0; i < 2; ++i) {
    oracle::LaunchInputs inputs;
    inputs.buffers.resize(1);
    inputs.buffers[0].bytes.resize(72);
    EXPECT_TRUE(oracle::Interpret(i == 0 ? *m : lowered, inputs).ok());
    results[i] = inputs.buffers[0].bytes;
  }
  // Lanes run in lockstep, so the old value that a lane sees may differ; the sums may not.
  float sums[2][2];
  for (int i = 0; i < 2; ++i) std::memcpy(sums[i], results[i].data(), 8);
  EXPECT_EQ(sums[0][0] + sums[0][1], 120.0f);
  EXPECT_EQ(sums[1][0], sums[0][0]);
  EXPECT_EQ(sums[1][1], sums[0][1]);
}

// The result of an exchange in a helper is undefined, here random, and yet its loop ends.
TEST(LowerFloatAtomics, HelpersDoNotWaitForTheirSum) {
  absl::StatusOr<mir::Module> m = mir::Parse(
      "mir 1 stage fragment input 0 location 0.0 i32 x1 flat resource 0 ssbo 0.0.0 body { "
      "%0:i32 = load_input[0, 0] %1:bool = ieq %0, 2 demote %1 %2:f32 = u2f %0 "
      "%3:f32 = ssbo_atomic[0, fadd] 0, %2 return }");
  ASSERT_TRUE(m.ok()) << m.status();
  PassContext context = PassContext::ForTest();
  EXPECT_TRUE(*LowerFloatAtomics(*m, kFewFeatures, context));
  ASSERT_EQ(mir::Verify(*m), absl::OkStatus());
  for (uint32_t seed = 1; seed < 20; ++seed) {
    oracle::LaunchInputs inputs;
    inputs.stage.inputs = {{0, 1, 2, 3}};
    inputs.stage.helpers = {false, false, false, true};
    inputs.undefined_seed = seed;
    inputs.buffers.resize(1);
    inputs.buffers[0].bytes.resize(4);
    oracle::InterpLimits limits;
    limits.max_lane_steps = 10000;
    const auto run = oracle::Interpret(*m, inputs, limits);
    ASSERT_TRUE(run.ok()) << run.status();
    float sum = 0;
    std::memcpy(&sum, inputs.buffers[0].bytes.data(), 4);
    EXPECT_EQ(sum, 1.0f);
  }
}

}  // namespace
}  // namespace kiln::mid
