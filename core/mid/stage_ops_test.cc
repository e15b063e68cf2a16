// Ops of graphics stages in every pass that moves, merges or removes: no access crosses a kill that
// orders it, derivatives stay with the lanes that execute them, and helper_invocation keeps its
// value before and after a demote.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/mid/analysis/alias.h"
#include "core/mid/analysis/divergence.h"
#include "core/mid/control/convert_if_to_select.h"
#include "core/mid/control/remove_dead_control_flow.h"
#include "core/mid/loops/hoist_invariants.h"
#include "core/mid/loops/sink_values.h"
#include "core/mid/lower/lower_int64.h"
#include "core/mid/lower/lower_nonuniform.h"
#include "core/mid/memory/combine_memory.h"
#include "core/mid/memory/remove_dead_stores.h"
#include "core/mid/testing/testing.h"
#include "core/mid/values/hoist_common_code.h"
#include "core/mid/values/merge_equal_values.h"
#include "core/mid/values/remove_dead_code.h"
#include "core/mid/values/simplify.h"
#include "core/mid/values/simplify_subgroups.h"
#include "core/mir/build.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

using testing::HasSubstr;
using Pass = absl::StatusOr<bool> (*)(mir::Module&, PassContext&);

absl::StatusOr<bool> Nothing(mir::Module&, PassContext&) { return false; }

constexpr Pass kPasses[] = {
    MergeEqualValues,  HoistCommonCode,       HoistInvariants,    ConvertIfToSelect,
    SinkValues,        RemoveDeadStores,      For<CombineMemory>, Simplify,
    SimplifySubgroups, RemoveDeadControlFlow, RemoveDeadCode,
};

// Expects that no pass changes the body.
void ExpectUnchanged(const std::string& body) {
  const std::string before = RunOnFragmentBody(body, Nothing);
  ASSERT_THAT(before, HasSubstr("return")) << before;
  for (size_t i = 0; i < std::size(kPasses); ++i) {
    EXPECT_EQ(RunOnFragmentBody(body, kPasses[i]), before) << "pass " << i;
  }
}

class Kills : public testing::TestWithParam<std::string> {};

TEST_P(Kills, StoresInFrontOfOneAreNotDead) {
  ExpectUnchanged(absl::StrCat(R"(
    %0:i32 = load_input[1, 0]
    %1:bool = ult %0, 5
    store_ssbo[0, align 4] 0, %0
    )",
                               GetParam(), R"( %1
    store_ssbo[0, align 4] 0, 7
    return)"));
}

TEST_P(Kills, StoresAreNotCombinedAcrossOne) {
  ExpectUnchanged(absl::StrCat(R"(
    %0:i32 = load_input[1, 0]
    %1:bool = ult %0, 5
    store_ssbo[0, align 16] 0, %0
    )",
                               GetParam(), R"( %1
    store_ssbo[0, align 4] 4, %0
    return)"));
}

TEST_P(Kills, AreNotRemovedNorIsTheirIf) {
  ExpectUnchanged(absl::StrCat(R"(
    %0:i32 = load_input[1, 0]
    %1:bool = ult %0, 5
    if %1 {
      )",
                               GetParam(), R"( true
      yield
    } else {
      yield
    }
    return)"));
}

TEST_P(Kills, InALoopKeepIt) {
  ExpectUnchanged(absl::StrCat(R"(
    %0:i32 = load_input[1, 0]
    loop (%1:i32 = 0) {
      %2:bool = uge %1, %0
      if %2 {
        break
      } else {
        yield
      }
      %3:i32 = load_ssbo[0, align 4] %1
      %4:bool = ieq %3, 0
      )",
                               GetParam(), R"( %4
      %5:i32 = iadd %1, 4
      continue %5
    }
    return)"));
}

INSTANTIATE_TEST_SUITE_P(StageOps, Kills, testing::Values("demote", "discard", "terminate"));

// Code after a kill of all lanes is not reached; this does not extend to code before it.
TEST(StageOps, AnIfThatKillsStays) {
  for (const char* kill : {"discard", "terminate"}) {
    ExpectUnchanged(absl::StrCat(R"(
      %0:i32 = load_input[1, 0]
      %1:bool = ult %0, 5
      if %1 {
        )",
                                 kill, R"( true
        unreachable
      } else {
        yield
      }
      store_output[0, 0] 1f
      return)"));
  }
}

// Nor may a store after the if replace the same store before it.
TEST(StageOps, StoresAndAtomicsStayOnTheirSideOfAnIfThatKills) {
  for (const char* kill : {"discard", "terminate"}) {
    const std::string branch =
        absl::StrCat("if %1 { ", kill, " true unreachable } else { yield } ");
    const std::string start = "%0:i32 = load_input[1, 0] %1:bool = ult %0, 5 ";
    ExpectUnchanged(absl::StrCat(start, "store_ssbo[0, align 4] 0, %0 ", branch,
                                 "store_ssbo[0, align 4] 0, 7 return"));
    ExpectUnchanged(absl::StrCat(start, "store_ssbo[0, align 16] 0, %0 ", branch,
                                 "store_ssbo[0, align 4] 4, %0 return"));
    ExpectUnchanged(absl::StrCat(start, "%2:i32 = ssbo_atomic[0, add] 0, %0 ", branch,
                                 "%3:i32 = ssbo_atomic[0, add] 0, %0 return"));
    ExpectUnchanged(absl::StrCat(start, branch, "store_ssbo[0, align 4] 0, %0 return"));
    ExpectUnchanged(absl::StrCat(start, "%2:i32 = reduce[iadd, 0] %0 ", branch,
                                 "%3:i32 = reduce[iadd, 0] %0 ",
                                 "store_ssbo[0, align 4] 0, %2, %3 return"));
    ExpectUnchanged(absl::StrCat(start, "%2:f32 = load_input[0, 0] %3:f32 = ddx[any] %2 ", branch,
                                 "%4:f32 = ddx[any] %2 store_output[0, 0] %3, %4 return"));
  }
}

TEST(StageOps, HelpersBeforeAndAfterADemoteAreTwo) {
  ExpectUnchanged(R"(
    %0:i32 = load_input[1, 0]
    %1:bool = ult %0, 5
    %2:bool = helper_invocation
    demote %1
    %3:bool = helper_invocation
    %4:f32 = select %2, 1f, 2f
    %5:f32 = select %3, 3f, %4
    store_output[0, 0] %5
    return)");
}

TEST(StageOps, HelpersWithNoDemoteBetweenAreOne) {
  EXPECT_EQ(RunOnFragmentBody(R"(
    %0:i32 = load_input[1, 0]
    %2:bool = helper_invocation
    store_ssbo[0, align 4] 0, %0
    store_output[0, 1] 1f
    %3:bool = helper_invocation
    %4:f32 = select %2, 1f, 2f
    %5:f32 = select %3, 3f, %4
    store_output[0, 0] %5
    return)",
                              MergeEqualValues),
            "  %0:i32 = load_input[1, 0]\n"
            "  %1:bool = helper_invocation\n"
            "  store_ssbo[0, align 4] 0, %0\n"
            "  store_output[0, 1] 1f\n"
            "  %2:bool = helper_invocation\n"
            "  %3:f32 = select %1, 1f, 2f\n"
            "  %4:f32 = select %1, 3f, %3\n"
            "  store_output[0, 0] %4\n"
            "  return\n");
}

TEST(StageOps, AHelperInALoopThatDemotesIsNotTheOneInFrontOfIt) {
  ExpectUnchanged(R"(
    %0:i32 = load_input[1, 0]
    %1:bool = helper_invocation
    %2:f32 = select %1, 1f, 2f
    store_output[0, 1] %2
    loop (%3:i32 = 0) {
      %4:bool = helper_invocation
      if %4 {
        break
      } else {
        yield
      }
      %5:bool = uge %3, %0
      demote %5
      %6:i32 = iadd %3, 1
      continue %6
    }
    return)");
}

TEST(StageOps, HelpersBeforeAndAfterAnIfThatDemotesDiffer) {
  ExpectUnchanged(R"(
    %0:i32 = load_input[1, 0]
    %1:bool = helper_invocation
    %2:bool = ult %0, 5
    if %2 {
      %3:i32 = load_ssbo[0, align 4] 0
      %4:bool = ieq %3, 0
      demote %4
      yield
    } else {
      yield
    }
    %5:bool = helper_invocation
    %6:f32 = select %1, 1f, 2f
    %7:f32 = select %5, 3f, %6
    store_output[0, 0] %7
    return)");
}

// A pass may let the discarded lanes continue, as helpers (kill_in_line).
TEST(StageOps, HelpersBeforeAndAfterAnIfThatDiscardsDiffer) {
  for (const char* sides : {"if %2 { discard true unreachable } else { yield }",
                            "if %2 { yield } else { discard true unreachable }"}) {
    const std::string text = RunOnFragmentBody(absl::StrCat(R"(
      %0:i32 = load_input[1, 0]
      %1:bool = helper_invocation
      %2:bool = ult %0, 5
      )",
                                                            sides, R"(
      %3:bool = helper_invocation
      %4:f32 = select %1, 1f, 2f
      %5:f32 = select %3, 3f, %4
      store_output[0, 0] %5
      return)"),
                                               MergeEqualValues);
    EXPECT_THAT(text, testing::HasSubstr("select %3, 3f, %4")) << text;
  }
}

// A helper's store has no effect: its load then gives the old value, which other lanes see through
// derivatives.
TEST(StageOps, WhatAFragmentStoresIsNotWhatItLoads) {
  ExpectUnchanged(R"(
    %0:f32 = load_input[0, 0]
    store_ssbo[0, align 4] 0, %0
    %1:f32 = load_ssbo[0, align 4] 0
    %2:f32 = ddx[fine] %1
    store_output[0, 0] %2
    return)");
  // Private memory belongs to the lane, so that a helper's store counts.
  EXPECT_EQ(RunOnFragmentBody(R"(
    %0:f32 = load_input[0, 0]
    store_private[0, align 4] 0, %0
    %1:f32 = load_private[0, align 4] 0
    store_output[0, 0] %1
    return)",
                              MergeEqualValues),
            "  %0:f32 = load_input[0, 0]\n"
            "  store_private[0, align 4] 0, %0\n"
            "  %1:f32 = load_private[0, align 4] 0\n"
            "  store_output[0, 0] %0\n"
            "  return\n");
}

// ---- Derivatives ----

class Convergent : public testing::TestWithParam<std::string> {};

TEST_P(Convergent, StaysInBothSidesOfAnIf) {
  ExpectUnchanged(
      absl::StrCat(R"(
    %0:f32 = load_input[0, 0]
    %1:bool = flt %0, 5f
    %2:f32 = if %1 {
      )",
                   absl::StrReplaceAll(GetParam(), {{"RESULT", "%3"}, {"SOURCE", "%0"}}), R"(
      yield %3
    } else {
      )",
                   absl::StrReplaceAll(GetParam(), {{"RESULT", "%6"}, {"SOURCE", "%0"}}), R"(
      yield %6
    }
    store_output[0, 0] %2
    return)"));
}

TEST_P(Convergent, IsNotMergedSunkNorHoisted) {
  ExpectUnchanged(
      absl::StrCat(R"(
    %0:f32 = load_input[0, 0]
    %1:bool = flt %0, 5f
    )",
                   absl::StrReplaceAll(GetParam(), {{"RESULT", "%2"}, {"SOURCE", "%0"}}), R"(
    loop (%10:i32 = 0) {
      )",
                   absl::StrReplaceAll(GetParam(), {{"RESULT", "%12"}, {"SOURCE", "%0"}}), R"(
      store_output[0, 1] %12
      %20:i32 = load_ssbo[0, align 4] %10
      %21:bool = ieq %20, 0
      if %21 {
        break
      } else {
        yield
      }
      %22:i32 = iadd %10, 4
      continue %22
    }
    if %1 {
      store_output[0, 0] %2
      yield
    } else {
      yield
    }
    return)"));
}

INSTANTIATE_TEST_SUITE_P(StageOps, Convergent,
                         testing::Values("RESULT:f32 = ddx[fine] SOURCE",
                                         "RESULT:f32 = ddy[any] SOURCE",
                                         "RESULT:f32 = sample_implicit[2, texel dref] SOURCE, "
                                         "SOURCE, SOURCE"));

TEST(StageOps, InputsArePure) {
  EXPECT_EQ(RunOnFragmentBody(R"(
    %0:f32 = load_input[0, 0]
    %1:bool = flt %0, 5f
    demote %1
    %2:f32 = load_input[0, 0]
    %3:f32 = interpolate[0, centroid 1]
    %4:f32 = fadd %2, %3
    store_output[0, 0] %4
    return)",
                              MergeEqualValues),
            "  %0:f32 = load_input[0, 0]\n"
            "  %1:bool = flt %0, 5f\n"
            "  demote %1\n"
            "  %2:f32 = interpolate[0, centroid 1]\n"
            "  %3:f32 = fadd %0, %2\n"
            "  store_output[0, 0] %3\n"
            "  return\n");
}

TEST(StageOps, OnlyElementsThatAreThereAreReadWhereTheyWereNot) {
  const std::string body = R"(
    %0:i32 = load_input[1, 0]
    loop (%1:i32 = 0) {
      %2:bool = uge %1, %0
      if %2 {
        break
      } else {
        yield
      }
      %3:f32 = load_input.indexed[3, 0] ELEMENT
      store_output[0, 0] %3
      %4:i32 = iadd %1, 1
      continue %4
    }
    return)";
  const auto hoisted = [&](const char* element) {
    const std::string text =
        RunOnFragmentBody(absl::StrReplaceAll(body, {{"ELEMENT", element}}), HoistInvariants);
    return text.find("load_input.indexed") < text.find("loop");
  };
  EXPECT_FALSE(hoisted("%0"));
  EXPECT_TRUE(hoisted("3"));
}

TEST(StageOps, ElementsAreNoDescriptors) {
  const std::string body = R"(
    %0:i32 = load_input[1, 0]
    %1:f32 = load_input.indexed[3, 0] %0
    store_output[0, 0] %1
    return)";
  EXPECT_EQ(RunOnFragmentBody(body, For<LowerNonuniform>), RunOnFragmentBody(body, Nothing));
}

// No pass splits 64-bit variables: they are an error, not a store of twice as many components.
TEST(StageOps, InputsAndOutputsOf64BitsAreAnError) {
  for (const char* body : {"store_output[0, 0] 7i64", "%0:i64 = load_input[0, 0]"}) {
    absl::StatusOr<mir::Module> m = mir::Parse(absl::StrCat(
        "mir 1 stage vertex input 0 location 0.0 i64 x1 output 0 location 0.0 i64 x1 body { ", body,
        " return }"));
    ASSERT_TRUE(m.ok()) << m.status();
    ASSERT_EQ(mir::Verify(*m), absl::OkStatus());
    PassContext context = PassContext::ForTest();
    EXPECT_EQ(LowerInt64(*m, context).status().code(), absl::StatusCode::kInternal) << body;
  }
}

// The later one of two stores counts, on either side of an if and in every iteration of a loop:
// none of them is a duplicate, and none is executed elsewhere.
TEST(StageOps, StoresToOutputsStay) {
  ExpectUnchanged(R"(
    %0:f32, %1:f32 = load_input[0, 0]
    store_output[0, 0] %0, %1
    store_output[0, 0] %1
    %2:bool = flt %0, %1
    if %2 {
      store_output[0, 2] %0
      yield
    } else {
      store_output[0, 2] %0
      yield
    }
    loop (%3:f32 = %0) {
      store_output[0, 3] %1
      store_output[0, 2] %3
      %4:f32 = fadd %3, %1
      %5:bool = flt %4, 9f
      if %5 {
        yield
      } else {
        break
      }
      continue %4
    }
    return)");
}

TEST(StageOps, UnusedOnesGo) {
  EXPECT_EQ(RunOnFragmentBody(R"(
    %0:f32 = load_input[0, 0]
    %1:f32 = ddx[any] %0
    %2:bool = helper_invocation
    %3:f32 = interpolate[0, centroid 1]
    return)",
                              RemoveDeadCode),
            "  return\n");
}

// ---- Analyses ----

mir::Module Fragment(const std::string& body) {
  absl::StatusOr<mir::Module> m = mir::Parse(absl::StrCat(
      "mir 1 stage fragment input 0 location 0.0 f32 x1 input 1 location 1.0 i32 x1 flat "
      "resource 0 ssbo 0.0.0 private 0 16 body {\n",
      body, "\nreturn }"));
  EXPECT_TRUE(m.ok()) << m.status();
  EXPECT_EQ(mir::Verify(*m), absl::OkStatus());
  return *std::move(m);
}

// A fragment is not alone in a workgroup: its subgroup index is not constant, and reductions are
// not of one lane.
TEST(StageOps, AFragmentIsNotAlone) {
  ExpectUnchanged(R"(
    %0:i32 = subgroup_invocation
    %1:i32 = reduce[iadd, 0] %0
    store_ssbo[0, align 4] 0, %1
    return)");
}

TEST(StageOps, AreDivergent) {
  const mir::Module m = Fragment(R"(
    %0:i32 = load_input[1, 0]
    %1:f32 = interpolate[0, centroid 0]
    %2:bool = helper_invocation
    %3:f32 = ddx[any] 1f
    %4:i32 = load_ssbo[0, align 4] 0)");
  for (UniformFor use : {UniformFor::kLanes, UniformFor::kOneRegister}) {
    const Divergence divergence(m, use);
    for (uint32_t v = 0; v < 4; ++v) EXPECT_FALSE(divergence.Uniform(mir::ValueId(v))) << v;
    EXPECT_TRUE(divergence.Uniform(mir::ValueId(4)));
    for (mir::InstId id : m.region(m.body).insts) EXPECT_FALSE(divergence.AllLanesAt(id));
  }
}

TEST(StageOps, HelpersAreAMemoryOfTheirOwn) {
  const mir::Module m = Fragment(
      "%0:bool = helper_invocation %1:bool = helper_invocation store_ssbo[0, align 4] 0, 1 "
      "demote %0 store_private[0, align 4] 0, 1");
  const std::vector<mir::InstId>& insts = m.region(m.body).insts;
  const std::optional<Access> helper = AccessOf(m, insts[0]), other = AccessOf(m, insts[1]),
                              store = AccessOf(m, insts[2]);
  ASSERT_TRUE(helper.has_value() && other.has_value() && store.has_value());
  EXPECT_EQ(helper->space, Space::kHelper);
  EXPECT_TRUE(helper->reads && !helper->writes);
  EXPECT_TRUE(MayOverlap(*helper, *other));
  EXPECT_TRUE(SamePlace(*helper, *other));
  EXPECT_FALSE(MayOverlap(*helper, *store));
  EXPECT_FALSE(AccessOf(m, insts[3]).has_value());
  EXPECT_EQ(OrderedBy(m.inst(insts[3])) & MemorySetOf(*helper), MemorySetOf(*helper));
  EXPECT_EQ(OrderedBy(m.inst(insts[3])) & MemorySetOf(*store), MemorySetOf(*store));
}

}  // namespace
}  // namespace kiln::mid
