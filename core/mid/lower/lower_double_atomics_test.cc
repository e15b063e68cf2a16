#include "core/mid/lower/lower_double_atomics.h"

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

// Additions of doubles, by 64-bit exchanges; each lane adds to one of two sums.
TEST(LowerDoubleAtomics, AddsTheSame) {
  const auto m = mir::Parse(
      "mir 1 local_size 16, 1, 1 needs float64 needs float64_atomics shared 16 "
      "resource 0 ssbo 0.0.0 body { %0:i32 = local_index %1:i32 = and %0, 8 %2:f64 = u2f %0 "
      "%3:f64 = ssbo_atomic[0, fadd] %1, %2 %4:f64 = shared_atomic[fadd] %1, %2 "
      "%5:f64 = ssbo_atomic[0, fmax] 16, %2 control_barrier[2, workgroup] "
      "%6:f64 = load_shared[align 8] %1 %7:i32 = shl %0, 3 %8:i32 = iadd %7, 24 "
      "store_ssbo[0, align 8] %8, %6 return }");
  ASSERT_TRUE(m.ok()) << m.status();
  mir::Module lowered = *m;
  PassContext context = PassContext::ForTest();
  EXPECT_TRUE(*LowerDoubleAtomics(lowered, kFewFeatures, context));
  EXPECT_EQ(mir::Verify(lowered), absl::OkStatus());
  const std::string text = mir::Print(lowered);
  EXPECT_THAT(text, Not(HasSubstr("fadd]")));
  EXPECT_THAT(text, HasSubstr("ssbo_atomic[0, fmax]"));
  std::vector<uint8_t> results[2];
  for (int i = 0; i < 2; ++i) {
    oracle::LaunchInputs inputs;
    inputs.buffers.resize(1);
    inputs.buffers[0].bytes.resize(152);
    EXPECT_TRUE(oracle::Interpret(i == 0 ? *m : lowered, inputs).ok());
    results[i] = inputs.buffers[0].bytes;
  }
  double sums[3];
  std::memcpy(sums, results[1].data(), sizeof(sums));
  EXPECT_EQ(sums[0], 28.0);
  EXPECT_EQ(sums[1], 92.0);
  EXPECT_EQ(sums[2], 15.0);
  EXPECT_EQ(results[0], results[1]);
}

}  // namespace
}  // namespace kiln::mid
