// Text tests of the LIR optimisations: LIR in, one pass, LIR out (blocks only, values keep their
// names).
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/intel/lir/ops.h"
#include "core/intel/lir/target.h"
#include "core/intel/optimise/passes.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

// %0..%9 per lane, %10..%14 uniform, %15..%19 flags, %20 a vector of two, %21 a live-in register,
// %22 and %23 per lane with 16 bits, %24 and %25 as %20.
std::string Header() {
  std::string text = "function tgl width 8\n";
  for (int i = 0; i < 10; ++i) absl::StrAppend(&text, "value %", i, " G 4x1\n");
  for (int i = 10; i < 15; ++i) absl::StrAppend(&text, "value %", i, " U 4x1\n");
  for (int i = 15; i < 20; ++i) absl::StrAppend(&text, "value %", i, " F 0x1\n");
  absl::StrAppend(&text, "value %20 G 4x2\nvalue %21 U 4x8 whole\n"
                         "value %22 G 2x1\nvalue %23 G 2x1\nvalue %24 G 4x2\nvalue %25 G 4x2\n"
                         "livein %21 at 0\n");
  return text;
}

std::string After(const std::string& body,
                absl::StatusOr<bool> (*pass)(lir::Function&, PassContext&),
                int64_t rewrites = -1) {
  absl::StatusOr<lir::Function> f = lir::Parse(TargetOf(Tgl()), Header() + body);
  if (!f.ok()) return std::string(f.status().message());
  if (absl::Status s = lir::Verify(TargetOf(Tgl()), *f); !s.ok()) return std::string(s.message());
  PassContext context = PassContext::ForTest(rewrites);
  const absl::StatusOr<bool> changed = pass(*f, context);
  if (!changed.ok()) return std::string(changed.status().message());
  if (absl::Status s = lir::Verify(TargetOf(Tgl()), *f); !s.ok()) return std::string(s.message());
  const std::string text = lir::Print(TargetOf(Tgl()), *f);
  const size_t begin = text.find("block b0");
  std::string out = text.substr(begin);
  EXPECT_EQ(*changed, out != body) << "what the pass says it did";
  return out;
}

// ---- propagate_copies ----

TEST(PropagateCopies, ModifiersMoveIntoFloatArithmetic) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %1:ud = mov %21:ud {w8}\n"
                  "  %0:ud = msg.read %1:ud {w8 [untyped_read channels 1]}\n"
                  "  %2:f = mov -%0:f {w8}\n"
                  "  %3:f = mov |%2|:f {w8}\n"
                  "  %4:f = add %2:f %3:f {w8}\n"
                  "  %5:f = mul -%2:f -%3:f {w8}\n"
                  "  msg.write %1:ud %4:ud {w8 [untyped_write bti 1 channels 1]}\n"
                  "  msg.write %1:ud %5:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  PropagateCopies),
            "block b0 depth 0\n"
            "  %1:ud = mov %21:ud {w8}\n"
            "  %0:ud = msg.read %1:ud {w8 [untyped_read channels 1]}\n"
            "  %2:f = mov -%0:f {w8}\n"
            "  %3:f = mov |%0|:f {w8}\n"
            "  %4:f = add -%0:f |%0|:f {w8}\n"
            "  %5:f = mul %0:f -|%0|:f {w8}\n"
            "  msg.write %1:ud %4:ud {w8 [untyped_write bti 1 channels 1]}\n"
            "  msg.write %1:ud %5:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(PropagateCopies, ModifiersStayOutOfLogicAndOfOtherTypes) {
  const std::string same =
      "block b0 depth 0\n"
      "  %1:ud = mov %21:ud {w8}\n"
      "  %0:ud = msg.read %1:ud {w8 [untyped_read channels 1]}\n"
      "  %2:f = mov -%0:f {w8}\n"
      "  %3:d = mov -%0:d {w8}\n"
      "  %4:ud = and %2:ud %3:ud {w8}\n"
      "  %5:d = mul %3:d #0x7:w {w8}\n"
      "  msg.write %1:ud %4:ud {w8 [untyped_write bti 1 channels 1]}\n"
      "  msg.write %1:ud %5:ud {w8 [untyped_write bti 1 channels 1]}\n";
  EXPECT_EQ(After(same, PropagateCopies), same);
}

// -INT_MIN is INT_MIN in a register and 2^31 inside an instruction: a sum wraps to the same, a maximum
// does not.
TEST(PropagateCopies, IntegerModifiersMoveOnlyWhereResultsWrap) {
  const std::string head =
      "block b0 depth 0\n"
      "  %1:ud = mov %21:ud {w8}\n"
      "  %0:ud = msg.read %1:ud {w8 [untyped_read channels 1]}\n"
      "  %2:d = mov -%0:d {w8}\n";
  const std::string tail =
      "  %4:d = sel %2:d %21:d {w8 cmod 3}\n"
      "  %5:f = mov %2:d {w8}\n"
      "  msg.write %1:ud %3:ud {w8 [untyped_write bti 1 channels 1]}\n"
      "  msg.write %1:ud %4:ud {w8 [untyped_write bti 1 channels 1]}\n"
      "  msg.write %1:ud %5:ud {w8 [untyped_write bti 1 channels 1]}\n";
  EXPECT_EQ(After(head + "  %3:d = add %2:d %21:d {w8}\n" + tail, PropagateCopies),
            head + "  %3:d = add -%0:d %21:d {w8}\n" + tail);
}

// Of a word that is 0x8000 the copy holds 0x8000, an addition of dwords would take +32768.
TEST(PropagateCopies, ModifiersOfWordsStayOutOfDwordArithmetic) {
  const auto sum = [](const std::string& type, const std::string& a) {
    return "block b0 depth 0\n"
           "  %1:ud = mov %21:ud {w8}\n"
           "  %0:ud = msg.read %1:ud {w8 [untyped_read channels 1]}\n"
           "  %2:w = mov -%0:w {w8}\n"
           "  %3:" +
           type + " = add %21:" + type + " " + a +
           ":w {w8}\n"
           "  msg.write %1:ud %3:ud {w8 [untyped_write bti 1 channels 1]}\n";
  };
  EXPECT_EQ(After(sum("d", "%2"), PropagateCopies), sum("d", "%2"));
  EXPECT_EQ(After(sum("w", "%2"), PropagateCopies), sum("w", "-%0"));
}

TEST(PropagateCopies, UniformSourcesReachArithmeticButNotPayloads) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:ud = mov %21.3:ud {w8}\n"
                  "  %1:d = add %0:d #0x4:d {w8}\n"
                  "  msg.write %0:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  PropagateCopies),
            "block b0 depth 0\n"
            "  %0:ud = mov %21.3:ud {w8}\n"
            "  %1:d = add %21.3:d #0x4:d {w8}\n"
            "  msg.write %0:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(PropagateCopies, ConversionsAreNotCopies) {
  const std::string same =
      "block b0 depth 0\n"
      "  %0:f = mov %21.3:d {w8}\n"
      "  %1:f = add %0:f #0x3f800000:f {w8}\n"
      "  %2:f = mov %1:f {w8 sat}\n"
      "  %3:f = add %2:f #0x3f800000:f {w8}\n"
      "  msg.write %3:ud %3:ud {w8 [untyped_write bti 1 channels 1]}\n";
  EXPECT_EQ(After(same, PropagateCopies), same);
}

TEST(PropagateCopies, StopsAtTheRewriteLimit) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:ud = mov %21.3:ud {w8}\n"
                  "  %1:d = add %0:d %0:d {w8}\n"
                  "  msg.write %0:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  PropagateCopies, 1),
            "block b0 depth 0\n"
            "  %0:ud = mov %21.3:ud {w8}\n"
            "  %1:d = add %21.3:d %0:d {w8}\n"
            "  msg.write %0:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

// A consumer takes its 16-bit source from where it lies; a payload or a wider read does not.
TEST(PropagateCopies, WordsAreReadInPlace) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %1:ud = mov %21:ud {w8}\n"
                  "  %0:ud = msg.read %1:ud {w8 [untyped_read channels 1]}\n"
                  "  %22:uw = mov %0+2:uw {w8}\n"
                  "  %23:hf = add %22:hf %22:hf {w8}\n"
                  "  %2:uw = mov %22:uw {w8}\n"
                  "  %3:ud = mov %2:ud {w8}\n"
                  "  %4:ud = pack %23:uw %2:uw {w8}\n"
                  "  msg.write %2:ud %4:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  PropagateCopies),
            "block b0 depth 0\n"
            "  %1:ud = mov %21:ud {w8}\n"
            "  %0:ud = msg.read %1:ud {w8 [untyped_read channels 1]}\n"
            "  %22:uw = mov %0+2:uw {w8}\n"
            "  %23:hf = add %0+2:hf %0+2:hf {w8}\n"
            "  %2:uw = mov %0+2:uw {w8}\n"
            "  %3:ud = mov %2:ud {w8}\n"
            "  %4:ud = pack %23:uw %0+2:uw {w8}\n"
            "  msg.write %2:ud %4:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

// A widened byte or word is read in place by what has another source of 32 bits, but a byte only
// first, and a signed one only where the sign is the same.
TEST(PropagateCopies, WidenedPartsAreReadInPlace) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %1:ud = mov %21:ud {w8}\n"
                  "  %0:ud = msg.read %1:ud {w8 [untyped_read channels 1]}\n"
                  "  %2:ud = mov %0+3:ub {w8}\n"
                  "  %3:d = mov %0+2:w {w8}\n"
                  "  %4:d = add %2:d #0x5:d {w8}\n"
                  "  %5:d = add %4:d %2:d {w8}\n"
                  "  %6:f = mov %3:d {w8}\n"
                  "  %7:f = mov %3:ud {w8}\n"
                  "  %15:uw = cmp %3:d %4:d {w8 cmod 5}\n"
                  "  %16:uw = cmp %3:ud %4:ud {w8 cmod 5}\n"
                  "  %8:ud = and %2:ud %3:ud {w8}\n"
                  "  msg.write %6:ud %8:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  PropagateCopies),
            "block b0 depth 0\n"
            "  %1:ud = mov %21:ud {w8}\n"
            "  %0:ud = msg.read %1:ud {w8 [untyped_read channels 1]}\n"
            "  %2:ud = mov %0+3:ub {w8}\n"
            "  %3:d = mov %0+2:w {w8}\n"
            "  %4:d = add %0+3:ub #0x5:d {w8}\n"
            "  %5:d = add %4:d %2:d {w8}\n"
            "  %6:f = mov %0+2:w {w8}\n"
            "  %7:f = mov %3:ud {w8}\n"
            "  %15:uw = cmp %0+2:w %4:d {w8 cmod 5}\n"
            "  %16:uw = cmp %3:ud %4:ud {w8 cmod 5}\n"
            "  %8:ud = and %0+3:ub %3:ud {w8}\n"
            "  msg.write %6:ud %8:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

// ---- propagate_saturate ----

TEST(PropagateSaturate, OnlyUseMovesOn) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:f = mul %21.3:f %21.4:f {w8}\n"
                  "  %1:f = mov %0:f {w8 sat}\n"
                  "  msg.write %1:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  PropagateSaturate),
            "block b0 depth 0\n"
            "  %0:f = mul %21.3:f %21.4:f {w8 sat}\n"
            "  %1:f = mov %0:f {w8}\n"
            "  msg.write %1:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(PropagateSaturate, AnotherUseForbids) {
  const std::string same =
      "block b0 depth 0\n"
      "  %0:f = mul %21.3:f %21.4:f {w8}\n"
      "  %1:f = mov %0:f {w8 sat}\n"
      "  msg.write %0:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n";
  EXPECT_EQ(After(same, PropagateSaturate), same);
}

// ---- propagate_conditions ----

TEST(PropagateConditions, TestOfLogicBecomesItsCondition) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:ud = and %21.3:ud %21.4:ud {w8}\n"
                  "  %15:uw = cmp %0:d #0x0:d {w8 cmod 2}\n"
                  "  %1:ud = sel %21.5:ud %21.6:ud %15:uw {w8 pred 1}\n"
                  "  msg.write %1:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  PropagateConditions),
            "block b0 depth 0\n"
            "  %15:uw = and %21.3:ud %21.4:ud {w8 cmod 2}\n"
            "  %1:ud = sel %21.5:ud %21.6:ud %15:uw {w8 pred 1}\n"
            "  msg.write %1:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(PropagateConditions, ThreeSourcesKeepTheirResult) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:f = mad %21.3:f %21.4:f %21.5:f {w8}\n"
                  "  %15:uw = cmp %0:f #0x0:f {w8 cmod 3}\n"
                  "  %1:ud = sel %21.5:ud %21.6:ud %15:uw {w8 pred 1}\n"
                  "  msg.write %1:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  PropagateConditions),
            "block b0 depth 0\n"
            "  %0:f %15:uw = mad %21.3:f %21.4:f %21.5:f {w8 cmod 3}\n"
            "  %1:ud = sel %21.5:ud %21.6:ud %15:uw {w8 pred 1}\n"
            "  msg.write %1:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(PropagateConditions, TestOfStoredCompareUsesItsFlag) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:d %15:uw = cmp %21.3:d %21.4:d {w8 cmod 5}\n"
                  "  %16:uw = cmp %0:d #0x0:d {w8 cmod 2}\n"
                  "  %1:ud = sel %21.5:ud %21.6:ud %16:uw {w8 pred 1}\n"
                  "  msg.write %1:ud %0:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  PropagateConditions),
            "block b0 depth 0\n"
            "  %0:d %15:uw = cmp %21.3:d %21.4:d {w8 cmod 5}\n"
            "  %1:ud = sel %21.5:ud %21.6:ud %15:uw {w8 pred 1}\n"
            "  msg.write %1:ud %0:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(PropagateConditions, IntegerSumsWrapAndStay) {
  const std::string same =
      "block b0 depth 0\n"
      "  %0:d = add %21.3:d %21.4:d {w8}\n"
      "  %15:uw = cmp %0:d #0x0:d {w8 cmod 5}\n"
      "  %1:ud = sel %21.5:ud %21.6:ud %15:uw {w8 pred 1}\n"
      "  msg.write %1:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n";
  EXPECT_EQ(After(same, PropagateConditions), same);
}

// ---- merge_equal_instructions ----

TEST(MergeEqualInstructions, EqualSumsAreOne) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:d = add %21.3:d %21.4:d {w8}\n"
                  "  %1:d = add %21.3:d %21.4:d {w8}\n"
                  "  %10:d = add %21.3:d %21.4:d {nomask}\n"
                  "  %2:d = add %0:d %1:d {w8}\n"
                  "  %3:d = add %2:d %10:d {w8}\n"
                  "  msg.write %2:ud %3:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  MergeEqualInstructions),
            "block b0 depth 0\n"
            "  %0:d = add %21.3:d %21.4:d {w8}\n"
            "  %10:d = add %21.3:d %21.4:d {nomask}\n"
            "  %2:d = add %0:d %0:d {w8}\n"
            "  %3:d = add %2:d %10:d {w8}\n"
            "  msg.write %2:ud %3:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(MergeEqualInstructions, FlagsOnlyInsideABlockAndReadsNever) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:d = add %21.3:d %21.4:d {w8}\n"
                  "  %1:ud = msg.read %0:ud {w8 [untyped_read channels 1]}\n"
                  "  %2:ud = msg.read %0:ud {w8 [untyped_read channels 1]}\n"
                  "  %15:uw = cmp %1:d %2:d {w8 cmod 5}\n"
                  "  %16:uw = cmp %1:d %2:d {w8 cmod 5}\n"
                  "  %3:ud = sel %1:ud %2:ud %16:uw {w8 pred 1}\n"
                  "  if %15:uw {w8 pred 1}\n"
                  "  -> b1, b2\n"
                  "block b1 depth 0\n"
                  "  %17:uw = cmp %1:d %2:d {w8 cmod 5}\n"
                  "  %4:ud = sel %1:ud %3:ud %17:uw {w8 pred 1}\n"
                  "  msg.write %4:ud %4:ud {w8 [untyped_write bti 1 channels 1]}\n"
                  "  endif {w8}\n"
                  "  -> b2\n"
                  "block b2 depth 0\n"
                  "  msg.write %3:ud %3:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  MergeEqualInstructions),
            "block b0 depth 0\n"
            "  %0:d = add %21.3:d %21.4:d {w8}\n"
            "  %1:ud = msg.read %0:ud {w8 [untyped_read channels 1]}\n"
            "  %2:ud = msg.read %0:ud {w8 [untyped_read channels 1]}\n"
            "  %15:uw = cmp %1:d %2:d {w8 cmod 5}\n"
            "  %3:ud = sel %1:ud %2:ud %15:uw {w8 pred 1}\n"
            "  if %15:uw {w8 pred 1}\n"
            "  -> b1, b2\n"
            "block b1 depth 0\n"
            "  %17:uw = cmp %1:d %2:d {w8 cmod 5}\n"
            "  %4:ud = sel %1:ud %3:ud %17:uw {w8 pred 1}\n"
            "  msg.write %4:ud %4:ud {w8 [untyped_write bti 1 channels 1]}\n"
            "  endif {w8}\n"
            "  -> b2\n"
            "block b2 depth 0\n"
            "  msg.write %3:ud %3:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(MergeEqual, SumsOfDwordsAreTheSameSignedOrNot) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:ud = add %21.3:ud %21.4:ud {w8}\n"
                  "  %1:d = add %21.3:d %21.4:d {w8}\n"
                  "  msg.write %0:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  MergeEqualInstructions),
            "block b0 depth 0\n"
            "  %0:ud = add %21.3:ud %21.4:ud {w8}\n"
            "  msg.write %0:ud %0:ud {w8 [untyped_write bti 1 channels 1]}\n");
  // Shifts to the right and saturated sums are not.
  const std::string other =
      "block b0 depth 0\n"
      "  %0:ud = shr %21.3:ud %21.4:ud {w8}\n"
      "  %1:d = shr %21.3:d %21.4:d {w8}\n"
      "  %2:ud = add %21.3:ud %21.4:ud {w8 sat}\n"
      "  %3:d = add %21.3:d %21.4:d {w8 sat}\n"
      "  msg.write %0:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n"
      "  msg.write %2:ud %3:ud {w8 [untyped_write bti 1 channels 1]}\n";
  EXPECT_EQ(After(other, MergeEqualInstructions), other);
}

// ---- merge_equal_payloads ----

TEST(MergeEqualPayloads, OfConstantsAndUniformValues) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:d = add %21.3:d %21.4:d {w8}\n"
                  "  %1:ud = mov #0x7:ud {w8}\n"
                  "  %2:ud = mov %21.1:ud {w8}\n"
                  "  %20x2:ud = collect %1:ud %2:ud {w8}\n"
                  "  msg.write %0:ud %20x2:ud {w8 [untyped_write bti 1 channels 1]}\n"
                  "  %3:ud = mov #0x7:ud {w8}\n"
                  "  %4:ud = mov %21.1:ud {w8}\n"
                  "  %24x2:ud = collect %3:ud %4:ud {w8}\n"
                  "  msg.write %0:ud %24x2:ud {w8 [untyped_write bti 1 channels 1]}\n"
                  "  %5:ud = mov %21.1:ud {w8}\n"
                  "  msg.write %0:ud %5:ud {w8 [untyped_write bti 1 channels 1]}\n"
                  "  %6:ud = mov %21.1:ud {w8}\n"
                  "  msg.write %0:ud %6:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  MergeEqualPayloads),
            "block b0 depth 0\n"
            "  %0:d = add %21.3:d %21.4:d {w8}\n"
            "  %1:ud = mov #0x7:ud {w8}\n"
            "  %2:ud = mov %21.1:ud {w8}\n"
            "  %20x2:ud = collect %1:ud %2:ud {w8}\n"
            "  msg.write %0:ud %20x2:ud {w8 [untyped_write bti 1 channels 1]}\n"
            "  msg.write %0:ud %20x2:ud {w8 [untyped_write bti 1 channels 1]}\n"
            "  %5:ud = mov %21.1:ud {w8}\n"
            "  msg.write %0:ud %5:ud {w8 [untyped_write bti 1 channels 1]}\n"
            "  msg.write %0:ud %5:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(MergeEqualPayloads, NotOfOtherPartsOrInOtherBlocks) {
  const std::string same =
      "block b0 depth 0\n"
      "  %0:d = add %21.3:d %21.4:d {w8}\n"
      "  %1:ud = mov #0x7:ud {w8}\n"
      "  %2:ud = mov %21.1:ud {w8}\n"
      "  %20x2:ud = collect %1:ud %2:ud {w8}\n"
      "  msg.write %0:ud %20x2:ud {w8 [untyped_write bti 1 channels 1]}\n"
      "  %3:ud = mov #0x7:ud {w8}\n"
      "  %4:ud = mov %21.2:ud {w8}\n"
      "  %24x2:ud = collect %3:ud %4:ud {w8}\n"
      "  msg.write %0:ud %24x2:ud {w8 [untyped_write bti 1 channels 1]}\n"
      "  -> b1\n"
      "block b1 depth 0\n"
      "  %5:ud = mov #0x7:ud {w8}\n"
      "  %6:ud = mov %21.1:ud {w8}\n"
      "  %25x2:ud = collect %5:ud %6:ud {w8}\n"
      "  msg.write %0:ud %25x2:ud {w8 [untyped_write bti 1 channels 1]}\n";
  EXPECT_EQ(After(same, MergeEqualPayloads), same);
}

// ---- place_constants ----

constexpr int kFirst = 400;  // constants are %400 and up, what is per lane has names below

// `n` constants, made in front of `rest`.
std::string Constants(int n, const std::string& rest) {
  std::string text = "function tgl width 8\nvalue %0 G 4x1\nvalue %1 F 0x1\n";
  for (int i = 2; i < kFirst + n; ++i) {
    absl::StrAppend(&text, "value %", i, i < kFirst ? " G" : " U", " 4x1\n");
  }
  const int live_in = kFirst + n;
  absl::StrAppend(&text, "value %", live_in, " U 4x8 whole\nlivein %", live_in, " at 0\n");
  text += "block b0 depth 0\n";
  for (int i = kFirst; i < live_in; ++i) {
    absl::StrAppend(&text, "  %", i, ":ud = mov #0x7:ud {w1 nomask}\n");
  }
  return absl::StrCat(text, "  %0:ud = mov %", live_in, ".1:ud {w8}\n", rest);
}

// Of the first n; results from %result on.
std::string Uses(int n, int result = 2) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    absl::StrAppend(&text, "  %", result + i, ":ud = shl %", kFirst + i, ":ud %0:ud {w8}\n");
  }
  return text;
}

// How many moves of constants each block has afterwards.
std::vector<int> Made(const std::string& text) {
  absl::StatusOr<lir::Function> f = lir::Parse(TargetOf(Tgl()), text);
  EXPECT_TRUE(f.ok()) << f.status();
  PassContext context = PassContext::ForTest(-1);
  EXPECT_EQ(lir::Verify(TargetOf(Tgl()), *f), absl::OkStatus());
  EXPECT_TRUE(PlaceConstants(*f, context).ok());
  EXPECT_EQ(lir::Verify(TargetOf(Tgl()), *f), absl::OkStatus());
  std::vector<int> made;
  for (const lir::Block& b : f->blocks) {
    made.push_back(0);
    for (lir::InstId i : b.insts) {
      const bool constant = f->inst(i).op == Op(isa::Opcode::kMov) &&
                            f->uses(i)[0].kind == lir::Operand::Kind::kImm;
      if (!constant) continue;
      EXPECT_EQ(f->uses(i)[0].id, 7u);
      ++made.back();
    }
  }
  return made;
}

TEST(PlaceConstants, FewStayWhereTheyAre) {
  EXPECT_EQ(Made(Constants(256, "  -> b1\nblock b1 depth 0\n" + Uses(256))),
            (std::vector<int>{256, 0}));
}

TEST(PlaceConstants, ManyAreMadeNearTheirUses) {
  EXPECT_EQ(Made(Constants(257, "  -> b1\nblock b1 depth 0\n" + Uses(257))),
            (std::vector<int>{128, 129}));
  // Twice near each other: one copy.
  EXPECT_EQ(Made(Constants(257, "  -> b1\nblock b1 depth 0\n" + Uses(33) + Uses(257, 50))),
            (std::vector<int>{128, 129}));
  // In two blocks: those with more uses stay.
  EXPECT_EQ(Made(Constants(257, "  -> b1\nblock b1 depth 0\n" + Uses(257) +
                                    "  -> b2\nblock b2 depth 0\n" + Uses(130, 260))),
            (std::vector<int>{128, 129, 2}));
}

TEST(PlaceConstants, LoopsKeepTheirBest) {
  const std::string loop =
      "  -> b1\nblock b1 depth 1\n" + Uses(300) +
      "  %1:uw = cmp %0:d #0x5:d {w8 cmod 5}\n  if %1:uw {w8 pred 1}\n  -> b2, b3\n"
      "block b2 depth 1\n  break {w8}\n  -> b5\n  ~> b3\n"
      "block b3 depth 1\n  endif {w8}\n  -> b4\n"
      "block b4 depth 1\n  while {w8}\n  -> b1\n  ~> b5\n"
      "block b5 depth 0\n  msg.write %0:ud %0:ud {w8 [untyped_write bti 1 channels 1]}\n";
  EXPECT_EQ(Made(Constants(300, loop)), (std::vector<int>{192, 108, 0, 0, 0, 0}));
}

// ---- remove_dead_instructions ----

TEST(RemoveDeadInstructions, ChainsGoAndEffectsStay) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:d = add %21.3:d %21.4:d {w8}\n"
                  "  %1:d = add %0:d %21.4:d {w8}\n"
                  "  %2:ud = msg.read %1:ud {w8 [untyped_read channels 1]}\n"
                  "  %3:ud = msg.atomic %0:ud %0:ud {w8 [untyped_atomic op 7]}\n",
                  RemoveDeadInstructions),
            "block b0 depth 0\n"
            "  %0:d = add %21.3:d %21.4:d {w8}\n"
            "  %3:ud = msg.atomic %0:ud %0:ud {w8 [untyped_atomic op 7]}\n");
}

// Bit 13 of the descriptor asks for the values before.
TEST(RemoveDeadInstructions, AtomicsWhoseResultNobodyUsesAskForNone) {
  const std::string sums = "block b0 depth 0\n  %0:d = add %21.3:d %21.4:d {w8}\n";
  EXPECT_EQ(After(sums + "  %3:ud = msg.atomic %0:ud %0:ud {w8 [untyped_atomic op 7 returns 1]}\n",
                  RemoveDeadInstructions),
            sums + "  msg.atomic %0:ud %0:ud {w8 [untyped_atomic op 7]}\n");
  const std::string used = sums +
                           "  %3:ud = msg.atomic %0:ud %0:ud {w8 [untyped_atomic op 7 returns 1]}\n"
                           "  msg.write %3:ud %0:ud {w8 [untyped_write bti 1 channels 1]}\n";
  EXPECT_EQ(After(used, RemoveDeadInstructions), used);
}

TEST(RemoveDeadInstructions, VolatileReadsStayWhole) {
  const std::string read =
      "block b0 depth 0\n  %0:d = add %21.3:d %21.4:d {w8}\n"
      "  %3:ud = msg.volatile_read %0:ud {w8 [untyped_read channels 1]}\n";
  EXPECT_EQ(After(read, RemoveDeadInstructions), read);
}

// ---- separate_payloads ----

TEST(SeparatePayloads, OneValueAsAddressAndDataIsCopied) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:ud = mov %21:ud {w8}\n"
                  "  msg.write %0:ud %0:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  SeparatePayloads),
            "block b0 depth 0\n"
            "  %0:ud = mov %21:ud {w8}\n"
            "  %26:ud = mov %0:ud {w8}\n"
            "  msg.write %26:ud %0:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(SeparatePayloads, AComponentOfTheDataIsAnOverlapToo) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:ud = mov %21:ud {w8}\n"
                  "  %1:ud = mov %21:ud {w8}\n"
                  "  %20x2:ud = collect %0:ud %1:ud {w8}\n"
                  "  msg.write %20.1:ud %20x2:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  SeparatePayloads),
            "block b0 depth 0\n"
            "  %0:ud = mov %21:ud {w8}\n"
            "  %1:ud = mov %21:ud {w8}\n"
            "  %20x2:ud = collect %0:ud %1:ud {w8}\n"
            "  %26:ud = mov %20.1:ud {w8}\n"
            "  msg.write %26:ud %20x2:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(SeparatePayloads, DifferentValuesStay) {
  const std::string body =
      "block b0 depth 0\n"
      "  %0:ud = mov %21:ud {w8}\n"
      "  %1:ud = mov %21:ud {w8}\n"
      "  msg.write %0:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n";
  EXPECT_EQ(After(body, SeparatePayloads), body);
}

}  // namespace
}  // namespace kiln::intel
