#include "core/front/hlsl/hlsl_registers.h"

#include "gtest/gtest.h"

namespace kiln::front {
namespace {

TEST(RegisterShifts, ThoseOfASpaceComeFirst) {
  RegisterShifts shifts;
  EXPECT_EQ(shifts.Of(RegisterKind::kB, 0), 0u);
  EXPECT_EQ(shifts.Of(RegisterKind::kT, 3), 1000u);
  EXPECT_EQ(shifts.Of(RegisterKind::kS, 0), 3000u);
  EXPECT_EQ(shifts.Of(RegisterKind::kU, 0), 2000u);
  shifts.all[1] = 16;
  shifts.of_space[{RegisterKind::kT, 3}] = 32;
  EXPECT_EQ(shifts.Of(RegisterKind::kT, 3), 32u);
  EXPECT_EQ(shifts.Of(RegisterKind::kT, 2), 16u);
  EXPECT_EQ(shifts.Of(RegisterKind::kU, 3), 2000u);
}

}  // namespace
}  // namespace kiln::front
