#include "core/amd/select/one_values.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

// Returns whether %10, a load at a uniform address, must be one value if the body reads it.
bool IsOne(const std::string& body) {
  const absl::StatusOr<mir::Module> m = mir::Parse(absl::StrCat(
      "mir 1 entry \"main\" local_size 64, 1, 1 resource 0 ssbo 0.0.0 body {\n"
      "%1:i32 = subgroup_invocation %2:i32 = workgroup_id[0]\n%10:f32 = load_ssbo[0, align 4] %2\n",
      body, " return }"));
  EXPECT_TRUE(m.ok()) << m.status();
  if (!m.ok()) return false;
  EXPECT_EQ(mir::Verify(*m), absl::OkStatus());
  const std::vector<bool> one =
      FindOneValues(*m, mid::Divergence(*m, mid::UniformFor::kScalarRegister));
  for (size_t i = 0; i < m->insts.size(); ++i) {
    if (m->insts[i].op == mir::Op::kLoadSsbo) return one[m->insts[i].first_result.index];
  }
  ADD_FAILURE() << "no load";
  return false;
}

constexpr char kBranch[] = "if %30 { store_ssbo[0, align 4] 0, %1 yield } else { yield } ";

TEST(OneValues, ReadersThatTakeItForOne) {
  EXPECT_TRUE(IsOne(absl::StrCat("%30:bool = flt %10, 1f ", kBranch)));
  EXPECT_TRUE(IsOne(absl::StrCat("%11:f32 = fmul %10, %10 %30:bool = flt %11, 1f ", kBranch)));
  EXPECT_TRUE(
      IsOne("%11:i32 = f2i %10 %12:i32 = loop (%13:i32 = %11) { %14:bool = uge %13, 9 "
            "if %14 { break %13 } else { yield } %15:i32 = iadd %13, 1 continue %15 } "
            "store_ssbo[0, align 4] %1, %12"));
  EXPECT_TRUE(IsOne("%11:f32 = read_first %10 store_ssbo[0, align 4] %1, %11"));
}

TEST(OneValues, ReadersThatWorkByLane) {
  EXPECT_FALSE(IsOne("store_ssbo[0, align 4] %1, %10"));
  EXPECT_FALSE(IsOne("%11:f32 = reduce[fadd, 0] %10 store_ssbo[0, align 4] %1, %11"));
  EXPECT_FALSE(
      IsOne("%11:f32 = fmul %10, %10 %12:f32 = u2f %1 %13:f32 = fadd %11, %12 "
            "store_ssbo[0, align 4] %1, %13"));
  EXPECT_FALSE(
      IsOne("%11:i32 = f2i %10 %12:i32 = load_ssbo[0, align 4] %11 "
            "store_ssbo[0, align 4] %1, %12"));
}

// A sum that a loop carries is one value only if its reader behind the loop takes it for that.
TEST(OneValues, LoopsCarryTheNeed) {
  const std::string loop =
      "%20:f32 = loop (%21:f32 = 0f, %22:i32 = 0) { %23:f32 = fadd %21, %10 %24:bool = uge %22, 9 "
      "if %24 { break %23 } else { yield } %25:i32 = iadd %22, 1 continue %23, %25 } ";
  EXPECT_FALSE(IsOne(loop + "store_ssbo[0, align 4] %1, %20"));
  EXPECT_TRUE(IsOne(absl::StrCat(loop, "%30:bool = flt %20, 1f ", kBranch)));
}

}  // namespace
}  // namespace kiln::amd
