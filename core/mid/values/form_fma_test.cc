#include "core/mid/values/form_fma.h"

#include <string>

#include "core/mid/testing/testing.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

TEST(FormFma, ProductsOnEitherSideOfSumsAndDifferences) {
  EXPECT_EQ(RunOnBody(R"(
  %0:f32, %1:f32, %2:f32 = load_ssbo[0, align 4] 0
  %3:f32 = fmul %0, %1
  %4:f32 = fadd %3, %2
  %5:f32 = fmul %0, %2
  %6:f32 = fsub %5, %1
  %7:f32 = fmul %1, %2
  %8:f32 = fsub %0, %7
  store_ssbo[1, align 4] 0, %4, %6, %8
  return)",
                      For<FormFma>),
            R"(  %0:f32, %1:f32, %2:f32 = load_ssbo[0, align 4] 0
  %3:f32 = ffma %0, %1, %2
  %4:f32 = fneg %1
  %5:f32 = ffma %0, %2, %4
  %6:f32 = fneg %1
  %7:f32 = ffma %6, %2, %0
  store_ssbo[1, align 4] 0, %3, %5, %7
  return
)");
}

TEST(FormFma, ChainOfProductsKeepsTheFirst) {
  EXPECT_EQ(RunOnBody(R"(
  %0:f32, %1:f32, %2:f32 = load_ssbo[0, align 4] 0
  %3:f32 = fmul %0, %0
  %4:f32 = fmul %1, %1
  %5:f32 = fadd %3, %4
  %6:f32 = fmul %2, %2
  %7:f32 = fadd %5, %6
  store_ssbo[1, align 4] 0, %7
  return)",
                      For<FormFma>),
            R"(  %0:f32, %1:f32, %2:f32 = load_ssbo[0, align 4] 0
  %3:f32 = fmul %1, %1
  %4:f32 = ffma %0, %0, %3
  %5:f32 = ffma %2, %2, %4
  store_ssbo[1, align 4] 0, %5
  return
)");
}

TEST(FormFma, NotWhereTheProductIsNeededOtherwise) {
  const char* const body = R"(  %0:f32, %1:f32 = load_ssbo[0, align 4] 0
  %2:f32 = fmul %0, %1
  %3:f32 = fadd %2, %1
  %4:f32 = fmul %0, %0
  %5:f32 = fadd %4, %4
  store_ssbo[1, align 4] 0, %2, %3, %5
  return
)";
  EXPECT_EQ(RunOnBody(body, For<FormFma>), body);
}

TEST(FormFma, NotWhereContractionIsForbidden) {
  const char* const body = R"(  %0:f32, %1:f32, %2:f32 = load_ssbo[0, align 4] 0
  %3:f32 = fmul.exact %0, %1
  %4:f32 = fadd %3, %2
  %5:f32 = fmul %0, %2
  %6:f32 = fadd.exact %5, %1
  store_ssbo[1, align 4] 0, %4, %6
  return
)";
  EXPECT_EQ(RunOnBody(body, For<FormFma>), body);
}

// kNoContraction on either instruction forbids fusing; other flags do not, and are kept.
TEST(FormFma, AsksForContractionOnly) {
  const char* const body = R"(  %0:f32, %1:f32, %2:f32 = load_ssbo[0, align 4] 0
  %3:f32 = fmul.no_contraction %0, %1
  %4:f32 = fadd %3, %2
  %5:f32 = fmul %0, %2
  %6:f32 = fadd.no_contraction %5, %1
  store_ssbo[1, align 4] 0, %4, %6
  return
)";
  EXPECT_EQ(RunOnBody(body, For<FormFma>), body);
  EXPECT_EQ(RunOnBody(R"(
  %0:f32, %1:f32, %2:f32 = load_ssbo[0, align 4] 0
  %3:f32 = fmul.keep_nan.keep_inf.keep_zero_sign.no_reciprocal %0, %1
  %4:f32 = fadd.no_reassociation.no_transform %3, %2
  store_ssbo[1, align 4] 0, %4
  return)",
                      For<FormFma>),
            R"(  %0:f32, %1:f32, %2:f32 = load_ssbo[0, align 4] 0
  %3:f32 = ffma.keep_nan.keep_inf.keep_zero_sign.no_reciprocal.no_reassociation.no_transform %0, %1, %2
  store_ssbo[1, align 4] 0, %3
  return
)");
}

TEST(FormFma, OneConstantButNotTwo) {
  EXPECT_EQ(RunOnBody(R"(
  %0:f32, %1:f32 = load_ssbo[0, align 4] 0
  %2:f32 = fmul %0, 3.0f
  %3:f32 = fsub %1, %2
  %4:f32 = fmul %0, 5.0f
  %5:f32 = fadd %4, 7.0f
  store_ssbo[1, align 4] 0, %3, %5
  return)",
                      For<FormFma>),
            R"(  %0:f32, %1:f32 = load_ssbo[0, align 4] 0
  %2:f32 = ffma %0, -3f, %1
  %3:f32 = fmul %0, 5f
  %4:f32 = fadd %3, 7f
  store_ssbo[1, align 4] 0, %2, %4
  return
)");
}

TEST(FormFma, AcrossRegions) {
  EXPECT_EQ(RunOnBody(R"(
  %0:f32, %1:f32 = load_ssbo[0, align 4] 0
  %2:f32 = fmul %0, %1
  %3:bool = flt %0, %1
  if %3 {
    %4:f32 = fadd %2, %0
    store_ssbo[1, align 4] 0, %4
    yield
  } else {
    %5:f32 = fadd %1, %2
    store_ssbo[1, align 4] 4, %5
    yield
  }
  return)",
                      For<FormFma>),
            R"(  %0:f32, %1:f32 = load_ssbo[0, align 4] 0
  %2:bool = flt %0, %1
  if %2 {
    %3:f32 = ffma %0, %1, %0
    store_ssbo[1, align 4] 0, %3
    yield
  } else {
    %4:f32 = ffma %0, %1, %1
    store_ssbo[1, align 4] 4, %4
    yield
  }
  return
)");
}

constexpr Features HalfAddends() {
  Features features = kFewFeatures;
  features.constant_addends = Features::Addends::kExactHalves;
  return features;
}
constexpr Features kHalfAddends = HalfAddends();

// 0.5 is exactly a half and free as an addend, of either sign; 0.1 is not, and a constant factor
// always needs a register.
TEST(FormFma, TwoConstantsWhereTheAddendIsFree) {
  EXPECT_EQ(RunOnBody(R"(
  %0:f32 = load_ssbo[0, align 4] 0
  %1:f32 = fmul %0, 0.1f
  %2:f32 = fadd 0.5f, %1
  %3:f32 = fmul %0, 0.1f
  %4:f32 = fsub %3, 0.5f
  %5:f32 = fmul %0, 0.1f
  %6:f32 = fsub 0.5f, %5
  %7:f32 = fmul %0, 0.5f
  %8:f32 = fadd %7, 0.1f
  store_ssbo[1, align 4] 0, %2, %4, %6, %8
  return)",
                      For<FormFma, kHalfAddends>),
            R"(  %0:f32 = load_ssbo[0, align 4] 0
  %1:f32 = ffma %0, 0.1f, 0.5f
  %2:f32 = ffma %0, 0.1f, -0.5f
  %3:f32 = ffma %0, -0.1f, 0.5f
  %4:f32 = fmul %0, 0.5f
  %5:f32 = fadd %4, 0.1f
  store_ssbo[1, align 4] 0, %1, %2, %3, %5
  return
)");
}

constexpr Features LiteralAddends() {
  Features features = kFewFeatures;
  features.constant_addends = Features::Addends::kOneLiteral;
  return features;
}
constexpr Features kLiteralAddends = LiteralAddends();

// A factor 2 and an addend -1 need no literal; of 3 and 0.1, one would need a register.
TEST(FormFma, OneLiteral) {
  EXPECT_EQ(RunOnBody(R"(
  %0:f32 = load_ssbo[0, align 4] 0
  %1:f32 = fmul %0, 2f
  %2:f32 = fsub %1, 1f
  %3:f32 = fmul %0, 0.1f
  %4:f32 = fadd %3, 4f
  %5:f32 = fmul %0, 3f
  %6:f32 = fadd %5, 0.1f
  store_ssbo[1, align 4] 0, %2, %4, %6
  return)",
                      For<FormFma, kLiteralAddends>),
            R"(  %0:f32 = load_ssbo[0, align 4] 0
  %1:f32 = ffma %0, 2f, -1f
  %2:f32 = ffma %0, 0.1f, 4f
  %3:f32 = fmul %0, 3f
  %4:f32 = fadd %3, 0.1f
  store_ssbo[1, align 4] 0, %1, %2, %4
  return
)");
}

// Two constants in one sum are worth registers if four sums share them.
TEST(FormFma, ConstantsThatManySumsShare) {
  const auto fused = [](int sums) {
    std::string body = "  %0:f32 = load_ssbo[0, align 4] 0\n";
    for (int i = 0; i < sums; ++i) {
      const int v = 2 * i;
      const auto name = [](int n) { return "%" + std::to_string(n); };
      body += "  " + name(v + 1) + ":f32 = fmul " + name(v) + ", 0.5f\n  " + name(v + 2) +
              ":f32 = fadd " + name(v + 1) + ", 0.5f\n";
    }
    body += "  store_ssbo[0, align 4] 0, %" + std::to_string(2 * sums) + "\n  return";
    return RunOnBody(body, For<FormFma>).find("ffma") != std::string::npos;
  };
  EXPECT_FALSE(fused(1));
  EXPECT_TRUE(fused(4));
}

}  // namespace
constexpr Features AllWidths() {
  Features features = LiteralAddends();
  features.fuses_all_widths = true;
  return features;
}
constexpr Features kAllWidths = AllWidths();

constexpr std::string_view kHalves = R"(
  %0:f16 = load_ssbo[0, align 4] 0
  %1:f16 = fmul %0, 2h
  %2:f16 = fsub 3h, %1
  %3:f16 = fmul %0, 5h
  %4:f16 = fadd 3h, %3
  store_ssbo[1, align 4] 0, %2
  store_ssbo[1, align 4] 4, %4
  return)";

// A factor 2 needs no literal, and its sign is turned; 5 and 3 are two literals.
TEST(FormFma, HalvesWhereTheTargetFusesThem) {
  EXPECT_EQ(RunOnBody(kHalves, For<FormFma, kAllWidths>), R"(  %0:f16 = load_ssbo[0, align 4] 0
  %1:f16 = ffma %0, -2h, 3h
  %2:f16 = fmul %0, 5h
  %3:f16 = fadd 3h, %2
  store_ssbo[1, align 4] 0, %1
  store_ssbo[1, align 4] 4, %3
  return
)");
}
TEST(FormFma, HalvesWhereItDoesNot) {
  const std::string text = RunOnBody(kHalves, For<FormFma, kLiteralAddends>);
  EXPECT_EQ(text.find("ffma"), std::string::npos);
  EXPECT_NE(text.find("fmul %0, 2h"), std::string::npos) << text;
}

}  // namespace kiln::mid
