#include "core/mid/values/merge_factors.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/mid/testing/testing.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

TEST(MergeFactors, AChainBecomesOneProduct) {
  EXPECT_EQ(RunOnBody(R"(
  %0:f32 = load_ssbo[0, align 4] 0
  %1:f32 = fmul %0, 4f
  %2:f32 = fmul 0.5f, %1
  %3:f32 = fmul %2, -3f
  store_ssbo[1, align 4] 0, %3
  return)",
                      MergeFactors),
            R"(  %0:f32 = load_ssbo[0, align 4] 0
  %1:f32 = fmul %0, -6f
  store_ssbo[1, align 4] 0, %1
  return
)");
}

TEST(MergeFactors, HalfsAreOfTheirOwnType) {
  EXPECT_EQ(RunOnBody(R"(
  %0:f32 = load_ssbo[0, align 4] 0
  %1:f16 = f2f %0
  %2:f16 = fmul %1, 4h
  %3:f16 = fmul %2, 0.5h
  %4:f32 = f2f %3
  store_ssbo[1, align 4] 0, %4
  return)",
                      MergeFactors),
            R"(  %0:f32 = load_ssbo[0, align 4] 0
  %1:f16 = f2f %0
  %2:f16 = fmul %1, 2h
  %3:f32 = f2f %2
  store_ssbo[1, align 4] 0, %3
  return
)");
}

// Everything but a chain of factors, each used once, is left unchanged.
class Stays : public testing::TestWithParam<const char*> {};

TEST_P(Stays, AsItIs) {
  const std::string body = GetParam();
  EXPECT_EQ(RunOnBody(body, MergeFactors), body);
}

INSTANTIATE_TEST_SUITE_P(MergeFactors, Stays,
                         testing::Values(
                             // The inner product has another use.
                             R"(  %0:f32 = load_ssbo[0, align 4] 0
  %1:f32 = fmul %0, 4f
  %2:f32 = fmul %1, 3f
  store_ssbo[1, align 4] 0, %1, %2
  return
)",
                             // A product of one value with itself.
                             R"(  %0:f32 = load_ssbo[0, align 4] 0
  %1:f32 = fmul %0, 4f
  %2:f32 = fmul %1, %1
  store_ssbo[1, align 4] 0, %2
  return
)",
                             // Either product forbids reordering.
                             R"(  %0:f32 = load_ssbo[0, align 4] 0
  %1:f32 = fmul.exact %0, 4f
  %2:f32 = fmul %1, 3f
  store_ssbo[1, align 4] 0, %2
  return
)",
                             R"(  %0:f32 = load_ssbo[0, align 4] 0
  %1:f32 = fmul %0, 4f
  %2:f32 = fmul.exact %1, 3f
  store_ssbo[1, align 4] 0, %2
  return
)",
                             // The product of the constants is infinite, or subnormal.
                             R"(  %0:f32 = load_ssbo[0, align 4] 0
  %1:f32 = fmul %0, 1e+30f
  %2:f32 = fmul %1, 1e+30f
  store_ssbo[1, align 4] 0, %2
  return
)",
                             R"(  %0:f32 = load_ssbo[0, align 4] 0
  %1:f32 = fmul %0, 1e-30f
  %2:f32 = fmul %1, 1e-30f
  store_ssbo[1, align 4] 0, %2
  return
)"));

TEST(MergeFactors, AsksForReassociationOnly) {
  const auto merged = [](const char* inner, const char* outer) {
    return RunOnBody(absl::StrCat("%0:f32 = load_ssbo[0, align 4] 0\n%1:f32 = fmul", inner,
                                  " %0, 4f\n%2:f32 = fmul", outer,
                                  " %1, 3f\nstore_ssbo[1, align 4] 0, %2\nreturn"),
                     MergeFactors);
  };
  for (const bool outer : {false, true}) {
    const std::string text =
        merged(outer ? "" : ".no_reassociation", outer ? ".no_reassociation" : "");
    EXPECT_EQ(text.find("12f"), text.npos) << text;
  }
  const std::string text =
      merged(".keep_nan.keep_inf.keep_zero_sign", ".no_reciprocal.no_contraction.no_transform");
  EXPECT_NE(text.find("fmul.keep_nan.keep_inf.keep_zero_sign.no_reciprocal.no_contraction."
                      "no_transform %0, 12f"),
            text.npos)
      << text;
}

}  // namespace
}  // namespace kiln::mid
