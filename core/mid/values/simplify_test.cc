#include "core/mid/values/simplify.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/mid/testing/testing.h"
#include "core/mir/build.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

TEST(Simplify, FoldsThroughChains) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = iadd 2, 3
  %1:i32 = imul %0, 4
  %2:f32 = u2f %1
  store_ssbo[0, align 4] 0, %2
  return)",
                      Simplify),
            R"(  store_ssbo[0, align 4] 0, 20f
  return
)");
}

// Ops that round fold where the width rounds to nearest even.
TEST(Simplify, FoldsByTheRoundingModeOfTheWidth) {
  const auto folded = [](const std::string& modes) {
    absl::StatusOr<mir::Module> m = mir::Parse(
        absl::StrCat("mir 1 ", modes,
                     " resource 0 ssbo 0.0.0 body { %0:f32 = fadd 1f, 0.1f %1:f16 = fadd 1h, 0.1h "
                     "store_ssbo[0, align 4] 0, %0 store_ssbo[0, align 4] 4, %1 return }"));
    EXPECT_TRUE(m.ok()) << m.status();
    PassContext context = PassContext::ForTest();
    EXPECT_TRUE(Simplify(*m, context).ok());
    const std::string text = mir::Print(*m);
    return std::pair(text.find("f32 = fadd") == text.npos, text.find("f16 = fadd") == text.npos);
  };
  EXPECT_EQ(folded(""), std::pair(true, true));
  EXPECT_EQ(folded("rounding_f32 to_even"), std::pair(true, true));
  EXPECT_EQ(folded("rounding_f32 to_zero"), std::pair(false, false));
  EXPECT_EQ(folded("rounding_f16 to_zero"), std::pair(false, false));
  const std::string both = " needs rounding_by_width";
  EXPECT_EQ(folded("rounding_f16 to_even rounding_f32 to_zero" + both), std::pair(false, true));
  EXPECT_EQ(folded("rounding_f16 to_zero rounding_f32 to_even" + both), std::pair(true, false));
}

TEST(Simplify, ConstantsGoSecondAndSumsMerge) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:i32 = iadd 4, %0
  %2:i32 = iadd %1, 8
  store_ssbo[0, align 4] 0, %2
  return)",
                      Simplify),
            R"(  %0:i32 = local_index
  %1:i32 = iadd %0, 12
  store_ssbo[0, align 4] 0, %1
  return
)");
}

TEST(Simplify, TheOnlyInvocationIsTheFirst) {
  absl::StatusOr<mir::Module> m = mir::Parse(
      "mir 1 local_size 1, 1, 1 shared 4 body { %0:i32 = local_index %1:i32 = subgroup_id "
      "%2:i32 = subgroup_invocation store_shared[align 4] 0, %0, %1, %2 return }");
  ASSERT_TRUE(m.ok()) << m.status();
  PassContext context = PassContext::ForTest();
  EXPECT_TRUE(*Simplify(*m, context));
  const mir::InstId store = m->region(m->body).insts[0];
  for (int i = 1; i < 4; ++i) EXPECT_EQ(m->value(m->source(store, i)).bits, 0u);
}

// An invariant output must not depend on its operands being known in one program and not in
// another.
TEST(Simplify, WhatTargetsApproximateStaysInInvariantExpressions) {
  const auto text = [](const char* stage, const char* flag) {
    absl::StatusOr<mir::Module> m = mir::Parse(absl::StrCat(
        "mir 1 stage ", stage, " output 0 location 0.0 f32 x4 body { %0:f32 = fdiv", flag,
        " 1f, 3f %1:f32 = fdiv", flag, " 6f, 4f %2:f32 = fadd", flag, " 1f, 3f %3:f32 = fpow", flag,
        " 5f, 1f store_output[0, 0] %0, %1, %2, %3 return }"));
    EXPECT_TRUE(m.ok()) << m.status();
    PassContext context = PassContext::ForTest();
    EXPECT_TRUE(Simplify(*m, context).ok());
    const std::string printed = mir::Print(*m, {.renumber = true});
    return printed.substr(printed.find("body {"));
  };
  const std::string kept = R"(body {
  %0:f32 = fdiv.exact 1f, 3f
  %1:f32 = fdiv.exact 6f, 4f
  %2:f32 = fpow.exact 5f, 1f
  store_output[0, 0] %0, %1, 4f, %2
  return
}
)";
  EXPECT_EQ(text("vertex", ".exact"), kept);
  EXPECT_EQ(text("fragment", ".exact"), kept);
  const std::string folded = R"(body {
  store_output[0, 0] 0.33333334f, 1.5f, 4f, 5f
  return
}
)";
  EXPECT_EQ(text("vertex", ""), folded);
  EXPECT_EQ(text("fragment", ""), folded);
}

TEST(Simplify, AConditionStoredAsNumberIsACondition) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ult %0, 7
  %2:i32 = select %1, 1, 0
  %3:bool = ieq %2, 0
  if %3 {
    yield
  } else {
    store_ssbo[0, align 4] 0, %0
    yield
  }
  return)",
                      Simplify),
            R"(  %0:i32 = local_index
  %1:bool = uge %0, 7
  if %1 {
    yield
  } else {
    store_ssbo[0, align 4] 0, %0
    yield
  }
  return
)");
}

TEST(Simplify, MultiplicationByPowersOfTwoShifts) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:i32 = imul %0, 3
  %2:i32 = imul %1, 8
  %3:i32 = imul %0, 16
  store_ssbo[0, align 4] %3, %2
  return)",
                      Simplify),
            R"(  %0:i32 = local_index
  %1:i32 = imul %0, 24
  %2:i32 = shl %0, 4
  store_ssbo[0, align 4] %2, %1
  return
)");
}

// The instructions of a body after its loads, with `flag` on the operation marked `@`.
std::string SimplifiedWith(std::string body, std::string_view flag) {
  for (size_t at = body.find('@'); at != body.npos; at = body.find('@')) body.replace(at, 1, flag);
  std::string text = RunOnBody("%0:f32, %1:f32, %2:f32 = load_ssbo[0, align 4] 0\n" + body +
                                   "\nstore_ssbo[0, align 4] 16, %9\nreturn",
                               Simplify);
  text.erase(0, text.find('\n') + 1);
  return text.substr(0, text.find("  store_ssbo"));
}

// For each flag a rewrite that it forbids and no other flag does.
TEST(Simplify, EachLicenceHasARewriteThatNeedsIt) {
  constexpr std::string_view kFlags[] = {".keep_nan",      ".keep_inf",       ".keep_zero_sign",
                                         ".no_reciprocal", ".no_contraction", ".no_reassociation",
                                         ".no_transform"};
  struct Case {
    const char* body;
    std::set<std::string_view> forbidden_by;
  };
  const Case cases[] = {
      {"%9:f32 = fadd@ %0, 0f", {".keep_zero_sign"}},
      {"%9:f32 = fsub@ 0f, %0", {".keep_zero_sign"}},
      {"%8:f32 = fmin@ %0, 1f %9:f32 = fmax@ %8, 0f", {".keep_nan"}},
      {"%9:f32 = fmul@ %0, 0f", {".keep_nan", ".keep_inf", ".keep_zero_sign"}},
      {"%7:bool = flt %1, %2 %8:f32 = select %7, %0, 0f %9:f32 = fsub@ %0, %8",
       {".keep_nan", ".keep_inf"}},
      {"%9:f32 = fdiv@ %0, 3f", {".no_reciprocal"}},
      {"%8:f32 = frcp@ %0 %9:f32 = frcp@ %8", {".no_transform"}},
      {"%8:f32 = fsqrt@ %0 %9:f32 = fdiv@ %1, %8", {".no_reciprocal", ".no_transform"}},
      {"%9:f32 = fpow@ %0, 2f", {".no_transform"}},
      {"%8:f32 = ffloor@ %0 %9:f32 = fsub@ %0, %8", {".no_transform", ".keep_nan", ".keep_inf"}},
  };
  for (const Case& c : cases) {
    const std::string free = SimplifiedWith(c.body, "");
    for (std::string_view flag : kFlags) {
      // The flag is printed, and removed for the comparison.
      std::string text = SimplifiedWith(c.body, flag);
      for (size_t at = text.find(flag); at != text.npos; at = text.find(flag)) {
        text.erase(at, flag.size());
      }
      EXPECT_EQ(text != free, c.forbidden_by.contains(flag)) << c.body << " with " << flag;
    }
  }
}

// Every instruction of a pattern must permit the rewrite, and the replacement has the flags of all.
TEST(Simplify, LicencesAreAskedOfAllInstructionsOfAPattern) {
  const std::string sum = "%8:f32 = fsqrt.no_transform %0 %9:f32 = frcp %8";
  EXPECT_EQ(SimplifiedWith(sum, ""), "  %3:f32 = fsqrt.no_transform %0\n  %4:f32 = frcp %3\n");
  EXPECT_EQ(SimplifiedWith("%8:f32 = fmax.keep_inf %0, 0f %9:f32 = fmin.no_transform %8, 1f", ""),
            "  %3:f32 = fsaturate.keep_inf.no_transform %0\n");
}

TEST(Simplify, NoContractionKeepsInexactIdentities) {
  constexpr char kBody[] = R"(
  %0:f32 = load_ssbo[0, align 4] 0
  %1:f32 = fadd.exact %0, 0f
  %2:f32 = fadd %0, 0f
  store_ssbo[0, align 8] 8, %1, %2
  return)";
  EXPECT_EQ(RunOnBody(kBody, Simplify), R"(  %0:f32 = load_ssbo[0, align 4] 0
  %1:f32 = fadd.exact %0, 0f
  store_ssbo[0, align 8] 8, %1, %0
  return
)");
}

TEST(Simplify, ReadsConstantTables) {
  EXPECT_EQ(RunOnBody(R"(
  %0:f32, %1:f32 = load_constant[align 4] 4
  %2:f32 = fadd %0, %1
  store_ssbo[0, align 4] 0, %2
  return)",
                      Simplify),
            R"(  store_ssbo[0, align 4] 0, 5f
  return
)");
}

TEST(Simplify, ReachesIntoLoopsAndKeepsCarriedValues) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = loop (%1:i32 = 0) {
    %2:bool = uge %1, 10
    %3:bool = not %2
    if %3 {
      yield
    } else {
      break %1
    }
    %4:i32 = isub %1, -1
    continue %4
  }
  store_ssbo[0, align 4] 0, %0
  return)",
                      Simplify),
            R"(  %0:i32 = loop (%1:i32 = 0) {
    %2:bool = ult %1, 10
    if %2 {
      yield
    } else {
      break %1
    }
    %3:i32 = iadd %1, 1
    continue %3
  }
  store_ssbo[0, align 4] 0, %0
  return
)");
}

TEST(Simplify, ARewriteLimitStopsIt) {
  constexpr char kBody[] = R"(
  %0:i32 = local_index
  %1:i32 = iadd %0, 0
  %2:i32 = imul %1, 1
  store_ssbo[0, align 4] 0, %2
  return)";
  EXPECT_EQ(RunOnBody(kBody, Simplify, 1), R"(  %0:i32 = local_index
  %1:i32 = imul %0, 1
  store_ssbo[0, align 4] 0, %1
  return
)");
}

}  // namespace
}  // namespace kiln::mid
