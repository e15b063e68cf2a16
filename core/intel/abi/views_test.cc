// Tests the views of masks, and that the division by their number is exact.
#include "core/intel/abi/views.h"

#include "core/base/cause.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

TEST(Views, AreCountedAndNumbered) {
  EXPECT_EQ(Views{}.count(), 1u);
  EXPECT_EQ(Views{}.only(), 0u);
  EXPECT_EQ(Views{0x10}.only(), 4u);
  EXPECT_EQ(Views{0x10}.count(), 1u);
  const Views six = {0x2f | 0x100};
  EXPECT_EQ(six.count(), 6u);
  EXPECT_EQ(six.only(), std::nullopt);
  EXPECT_EQ(six.numbers(), 0x853210u);
  EXPECT_EQ(Views{0xffff}.numbers(), 0xfedcba9876543210u);
}

TEST(Views, WithoutGaps) {
  EXPECT_EQ(Views{0x3}.first_without_gaps(), 0u);
  EXPECT_EQ(Views{0xffff}.first_without_gaps(), 0u);
  EXPECT_EQ(Views{0x38}.first_without_gaps(), 3u);
  EXPECT_EQ(Views{0x5}.first_without_gaps(), std::nullopt);
  EXPECT_EQ(Views{0x2f}.first_without_gaps(), std::nullopt);
}

TEST(Views, AtMostSixteen) {
  EXPECT_TRUE(CheckViews({}).ok());
  EXPECT_TRUE(CheckViews({0xffff}).ok());
  EXPECT_EQ(CauseOf(CheckViews({0x10000})), "too_many_views");
  EXPECT_EQ(CauseOf(CheckViews({0x80000001})), "too_many_views");
}

// The quotient can be wrong only where it steps, and is wrong there first if anywhere: the error of
// the product grows with n.
TEST(Views, DivisionIsExact) {
  for (uint32_t d = 3; d < kMaxViews; ++d) {
    if (std::has_single_bit(d)) continue;
    const Reciprocal r = ReciprocalOf(d);
    const auto quotient = [&](uint64_t n) { return n * r.multiplier >> (32 + r.shift); };
    const uint64_t end = d * kViewedInstances;
    ASSERT_LE(end, 1ull << 32);
    for (uint64_t q = kViewedInstances - 1000; q < kViewedInstances; ++q) {
      EXPECT_EQ(quotient(q * d), q) << d;
      EXPECT_EQ(quotient(q * d + d - 1), q) << d;
    }
    for (uint64_t n = 0; n < 1000; ++n) EXPECT_EQ(quotient(n), n / d) << d;
  }
}

}  // namespace
}  // namespace kiln::intel
