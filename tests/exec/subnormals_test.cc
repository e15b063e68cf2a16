// Singles in modules that keep their subnormal numbers, on gfx1030, whose instructions for
// functions flush them: within the functions' errors of what the interpreter has.
#include <bit>
#include <cstring>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/mir/parse.h"
#include "gtest/gtest.h"
#include "tests/exec/exec.h"

namespace kiln {
namespace {

constexpr uint32_t kLanes = 64, kGroups = 8;

exec::Setup OnGfx1030() {
  exec::Setup setup;
  setup.target = Target::kGfx1030;
  setup.widths = exec::WidthsOf(setup.target);
  setup.floats = true;
  // A subnormal result is a multiple of 2^-149, which is at most four units of the scaled number
  // (results are 2^-128 and more): a function that errs by one unit gives that multiple or the
  // next.
  setup.ulp = 4;
  setup.disabled_passes = {"merge_factors"};  // the scaling would become part of the function
  return setup;
}

// Draws numbers whose exponent is one of the `exponents` lowest from `first` on (biased).
oracle::LaunchInputs Inputs(uint32_t first, uint32_t exponents) {
  oracle::LaunchInputs in;
  in.groups = {kGroups, 1, 1};
  std::mt19937 random(1);
  for (uint32_t binding = 0; binding < 2; ++binding) {
    oracle::BoundBuffer b;
    b.binding = binding;
    b.bytes.resize(size_t{8} * kGroups * kLanes);
    for (size_t i = 0; binding == 0 && i < b.bytes.size(); i += 4) {
      const uint32_t bits = (first + random() % exponents) << 23 | (random() & 0x7fffff);
      std::memcpy(&b.bytes[i], &bits, 4);
    }
    in.buffers.push_back(std::move(b));
  }
  return in;
}

// Stores the expression of %6 and %7, scaled so that results are normal numbers: those that are
// not count as equal to 0 elsewhere in these tests.
void ExpectAgreement(const std::string& expression, const oracle::LaunchInputs& in,
                     const char* scale) {
  const auto module = mir::Parse(absl::StrCat(
      "mir 1\nentry \"main\"\nlocal_size 64, 1, 1\ndenorms_f32 preserve\nresource 0 ssbo 0.0.0\n"
      "resource 1 ssbo 0.1.0\nbody {\n%1:i32 = local_index\n%2:i32 = workgroup_id[0]\n"
      "%3:i32 = imul %2, 64\n%4:i32 = iadd %1, %3\n%5:i32 = shl %4, 3\n"
      "%6:f32, %7:f32 = load_ssbo[0, align 8] %5\n%10:f32 = ",
      expression, "\n%11:f32 = fmul %10, ", scale,
      "\nstore_ssbo[1, align 4] %5, %11\nreturn\n}\n"));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(exec::CompareModule(*module, in, OnGfx1030()), "") << expression;
}

constexpr char kUp[] = "18446744073709551616.0f", kNot[] = "1.0f";

TEST(Subnormals, AreOperands) {
  const oracle::LaunchInputs small = Inputs(0, 3);
  for (const char* e : {"fsqrt %6", "frsq %6", "flog2 %6", "fdiv %6, %7"}) {
    ExpectAgreement(e, small, kNot);
  }
  for (const char* e : {"fadd %6, %7", "fmin %6, %7", "fmax %6, %7", "fdiv %6, 3.0f"}) {
    ExpectAgreement(e, small, kUp);
  }
}

TEST(Subnormals, AreResults) {
  const oracle::LaunchInputs large = Inputs(0xfc, 3);
  ExpectAgreement("frcp %6", large, kUp);
  ExpectAgreement("fdiv 1.0f, %6", large, kUp);
  ExpectAgreement("fdiv %6, %7", large, kNot);
  const oracle::LaunchInputs medium = Inputs(134, 1);  // 128 to 256
  ExpectAgreement("frcp %6", medium, kNot);
  ExpectAgreement("fmul %6, 1.0e-40f", medium, kUp);
}

}  // namespace
}  // namespace kiln
