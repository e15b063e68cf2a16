// Tests which operations on singles read halves. That results are the same, random programs show
// (tests/exec).
#include "core/amd/optimise/mix_words.h"

#include <string>

#include "absl/strings/match.h"
#include "core/amd/lir/machine.h"
#include "core/amd/lir/ops.h"
#include "core/lir/def_use.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/remove_dead.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

// %0 and %1 are given per lane, %2 to %4 are scalars. %5 is the single of %0's low half, and %6
// that of the high one.
const std::string kConverted =
    "  %5 = v_cvt_f32_f16 %0 {[]}\n"
    "  %6 = v_cvt_f32_f16 %0 {[form 4 sdwa_dst 6 sdwa_src0 5]}\n";

// Returns the code after the pass, without dead instructions, of `insts` whose results are stored.
std::string Mixed(const std::string& insts, int results = 1, bool may_rewrite = true) {
  std::string text = "function gfx1030 width 32\n";
  for (int i = 0; i < 16; ++i) {
    text += "value %" + std::to_string(i) + (i >= 2 && i <= 4 ? " S 4x1\n" : " V 4x1\n");
  }
  text +=
      "livein %0 at 0\nlivein %1 at 1\nlivein %2 at 4\nlivein %3 at 5\nlivein %4 at 6\n"
      "block b0 depth 0\n" +
      kConverted + insts;
  for (int i = 0; i < results; ++i) {
    text += "  buffer_store_dword %1 _ _ %" + std::to_string(10 + i) + " {[]}\n";
  }
  auto f = lir::Parse(Gfx1030Machine(), text + "  end\n");
  EXPECT_TRUE(f.ok()) << f.status();
  if (!f.ok()) return "";
  MixWords(*f, [&] { return may_rewrite; });
  lir::DefUse info = lir::FindDefUse(*f);
  lir::RemoveDead(Gfx1030Machine().ops, *f, info, [] { return true; });
  EXPECT_EQ(lir::Verify(Gfx1030Machine(), *f), absl::OkStatus());
  return lir::Print(Gfx1030Machine(), *f);
}

bool Has(const std::string& text, const std::string& part) {
  EXPECT_TRUE(absl::StrContains(text, part)) << text;
  return absl::StrContains(text, part);
}

TEST(MixWords, EachOperationHasItsForm) {
  Has(Mixed("  %10 = v_add_f32 %1 %5 {[]}\n"),
      "v_fma_mix_f32 #0x3f800000:b32 %1:b32 %0:b32 {[op_sel_hi 4]}");
  Has(Mixed("  %10 = v_sub_f32 %1 %6 {[]}\n"),
      "v_fma_mix_f32 #0x3f800000:b32 %1:b32 -%0:b32 {[op_sel 4 op_sel_hi 4]}");
  Has(Mixed("  %10 = v_subrev_f32 %5 %1 {[]}\n"),
      "v_fma_mix_f32 #0x3f800000:b32 -%0:b32 %1:b32 {[op_sel_hi 2]}");
  Has(Mixed("  %10 = v_mul_f32 %5 %6 {[]}\n"),
      "v_fma_mix_f32 %0:b32 %0:b32 -#0x0:b32 {[op_sel 2 op_sel_hi 3]}");
  Has(Mixed("  %10 = v_fma_f32 %5 %1 %6 {sat []}\n"),
      "v_fma_mix_f32 %0:b32 %1:b32 %0:b32 {sat [op_sel 4 op_sel_hi 5]}");
  Has(Mixed("  %10 = v_fmac_f32 %5 %2 _ %1 {[]}\n"),
      "v_fma_mix_f32 %0:b32 %2:b32 %1:b32 {[op_sel_hi 1]}");
}

TEST(MixWords, SignsAreTakenTogether) {
  const std::string signs = "  %7 = v_cvt_f32_f16 -%0 {[]}\n  %8 = v_cvt_f32_f16 |%0| {[]}\n";
  Has(Mixed(signs + "  %10 = v_mul_f32 -%7 %1 {[]}\n"), "v_fma_mix_f32 %0:b32 %1:b32");
  Has(Mixed(signs + "  %10 = v_mul_f32 |%7| %1 {[]}\n"), "v_fma_mix_f32 |%0|:b32 %1:b32");
  Has(Mixed(signs + "  %10 = v_mul_f32 -%8 %1 {[]}\n"), "v_fma_mix_f32 -|%0|:b32 %1:b32");
}

TEST(MixWords, AConversionThatOthersReadStays) {
  EXPECT_FALSE(absl::StrContains(
      Mixed("  %10 = v_mul_f32 %5 %1 {[]}\n  %11 = v_sqrt_f32 %5 {[]}\n", 2), "mix"));
  EXPECT_FALSE(absl::StrContains(Mixed("  %10 = v_mul_f32 %5 %1 {[]}\n", 1, false), "mix"));
  std::string many;
  for (int i = 10; i < 15; ++i) many += "  %" + std::to_string(i) + " = v_mul_f32 %5 %1 {[]}\n";
  EXPECT_FALSE(absl::StrContains(Mixed(many, 5), "mix")) << "five readers: longer";
  Has(Mixed("  %10 = v_mul_f32 %5 %1 {[]}\n  %11 = v_mul_f32 %5 %5 {[]}\n", 2),
      "v_fma_mix_f32 %0:b32 %0:b32 -#0x0:b32 {[op_sel_hi 3]}");
}

// A half in a scalar register is one of two scalars, and a literal another.
TEST(MixWords, TwoScalarsAreTheMost) {
  const std::string scalar = "  %7 = v_cvt_f32_f16 %2 {[]}\n";
  Has(Mixed(scalar + "  %10 = v_fma_f32 %7 %3 %1 {[]}\n"), "v_fma_mix_f32 %2:b32 %3:b32 %1:b32");
  EXPECT_FALSE(absl::StrContains(Mixed(scalar + "  %10 = v_fma_f32 %7 %3 %4 {[]}\n"), "mix"));
  EXPECT_FALSE(
      absl::StrContains(Mixed(scalar + "  %10 = v_fma_f32 %7 %3 #0x40490fdb {[]}\n"), "mix"));
}

}  // namespace
}  // namespace kiln::amd
