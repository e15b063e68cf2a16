#include "core/mid/values/merge_equal_values.h"

#include <string>

#include "core/mid/testing/testing.h"
#include "core/mir/build.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

TEST(Gvn, MergesEqualComputationsWhateverTheOrderOfCommutativeSources) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:i32 = subgroup_id
  %2:i32 = iadd %0, %1
  %3:i32 = iadd %1, %0
  %4:i32 = isub %0, %1
  %5:i32 = isub %1, %0
  store_ssbo[0, align 4] %2, %3, %4, %5
  return)",
                      MergeEqualValues),
            R"(  %0:i32 = local_index
  %1:i32 = subgroup_id
  %2:i32 = iadd %0, %1
  %3:i32 = isub %0, %1
  %4:i32 = isub %1, %0
  store_ssbo[0, align 4] %2, %2, %3, %4
  return
)");
}

TEST(Gvn, OuterServesInnerButSidesDoNotServeEachOther) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:i32 = iadd %0, 1
  %2:bool = ult %0, 4
  if %2 {
    %3:i32 = iadd %0, 1
    %4:i32 = iadd %0, 2
    store_ssbo[0, align 4] %3, %4
    yield
  } else {
    %5:i32 = iadd %0, 2
    store_ssbo[0, align 4] %1, %5
    yield
  }
  return)",
                      MergeEqualValues),
            R"(  %0:i32 = local_index
  %1:i32 = iadd %0, 1
  %2:bool = ult %0, 4
  if %2 {
    %3:i32 = iadd %0, 2
    store_ssbo[0, align 4] %1, %3
    yield
  } else {
    %4:i32 = iadd %0, 2
    store_ssbo[0, align 4] %1, %4
    yield
  }
  return
)");
}

TEST(Gvn, LoadsMergeIfTypesAgree) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = load_push[align 4] 0
  %1:i32 = load_push[align 4] 0
  %2:f32 = load_push[align 4] 0
  %3:i32, %4:i32 = load_ssbo[0, align 4] 0
  %5:i32 = load_ssbo[0, align 4] 4
  %6:i32 = load_ssbo.volatile[0, align 4] 0
  store_ssbo[1, align 4] 0, %0, %1, %2, %3, %4, %5, %6
  return)",
                      MergeEqualValues),
            R"(  %0:i32 = load_push[align 4] 0
  %1:f32 = load_push[align 4] 0
  %2:i32, %3:i32 = load_ssbo[0, align 4] 0
  %4:i32 = load_ssbo[0, align 4] 4
  %5:i32 = load_ssbo.volatile[0, align 4] 0
  store_ssbo[1, align 4] 0, %0, %0, %1, %2, %3, %3, %5
  return
)");
}

TEST(Gvn, StoresAnswerLoads) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:i32 = shl %0, 4
  %2:i32 = iadd %1, 4
  store_shared[align 4] %1, %0, 7
  %3:i32 = load_shared[align 4] %2
  store_shared[align 4] %2, 9
  %4:i32, %5:i32 = load_shared[align 4] %1
  store_ssbo[0, align 4] %1, %3, %4, %5
  return)",
                      MergeEqualValues),
            R"(  %0:i32 = local_index
  %1:i32 = shl %0, 4
  %2:i32 = iadd %1, 4
  store_shared[align 4] %1, %0, 7
  %3:i32 = load_shared[align 4] %2
  store_shared[align 4] %2, 9
  %4:i32, %5:i32 = load_shared[align 4] %1
  store_ssbo[0, align 4] %1, 7, %0, 9
  return
)");
}

// Stores to another base or to a buffer that may be the same, atomics and barriers invalidate
// entries.
TEST(Gvn, WhatMayChangeMemory) {
  const char* const kBefore = R"(
  %0:i32 = local_index
  %1:i32 = load_ssbo[0, align 4] 0
  %2:i32 = load_shared[align 4] 0
  )";
  const char* const kAfter = R"(
  %3:i32 = load_ssbo[0, align 4] 0
  %4:i32 = load_shared[align 4] 0
  store_ssbo[0, align 4] 0, %1, %2, %3, %4, %0
  return)";
  const auto stored = [&](const std::string& between) {
    const std::string text = RunOnBody(kBefore + between + kAfter, MergeEqualValues);
    const size_t at = text.rfind("store_ssbo");
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(stored("store_ssbo[0, align 4] 4, %0"), "store_ssbo[0, align 4] 0, %1, %2, %1, %2, %0");
  EXPECT_EQ(stored("store_ssbo[0, align 4] %0, %0"),
            "store_ssbo[0, align 4] 0, %1, %2, %3, %2, %0");
  // Another binding is other memory; an address may be any buffer's.
  EXPECT_EQ(stored("store_ssbo[1, align 4] 4, %0"), "store_ssbo[0, align 4] 0, %1, %2, %1, %2, %0");
  EXPECT_EQ(stored("store_global[align 4] %0, %0, %0"),
            "store_ssbo[0, align 4] 0, %1, %2, %3, %2, %0");
  EXPECT_EQ(stored("store_shared[align 4] %0, %0"), "store_ssbo[0, align 4] 0, %1, %2, %1, %4, %0");
  EXPECT_EQ(stored("%9:i32 = shared_atomic[add] 0, 1"),
            "store_ssbo[0, align 4] 0, %1, %2, %1, %5, %0");
  EXPECT_EQ(stored("control_barrier[1, workgroup]"),
            "store_ssbo[0, align 4] 0, %1, %2, %3, %4, %0");
  EXPECT_EQ(stored("control_barrier[2, workgroup]"),
            "store_ssbo[0, align 4] 0, %1, %2, %1, %4, %0");
}

TEST(Gvn, MemoryThatBothSidesLeaveAloneAndLoopsDoNotWrite) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:i32 = load_ssbo[0, align 4] 0
  %2:i32 = load_shared[align 4] 0
  %3:bool = ult %0, 4
  if %3 {
    store_shared[align 4] 0, 5
    %4:i32 = load_shared[align 4] 0
    store_shared[align 4] 4, %4
    yield
  } else {
    yield
  }
  %5:i32 = load_shared[align 4] 0
  loop (%6:i32 = 0) {
    %7:i32 = load_ssbo[0, align 4] 0
    %8:i32 = load_shared[align 4] 0
    %9:i32 = iadd %8, %7
    store_shared[align 4] 0, %9
    %10:bool = ult %9, 4
    if %10 {
      break
    } else {
      yield
    }
    continue %9
  }
  store_ssbo[1, align 4] 0, %1, %2, %5
  return)",
                      MergeEqualValues),
            R"(  %0:i32 = local_index
  %1:i32 = load_ssbo[0, align 4] 0
  %2:i32 = load_shared[align 4] 0
  %3:bool = ult %0, 4
  if %3 {
    store_shared[align 4] 0, 5
    %4:i32 = load_shared[align 4] 0
    store_shared[align 4] 4, 5
    yield
  } else {
    yield
  }
  %5:i32 = load_shared[align 4] 0
  loop (%6:i32 = 0) {
    %7:i32 = load_ssbo[0, align 4] 0
    %8:i32 = load_shared[align 4] 0
    %9:i32 = iadd %8, %1
    store_shared[align 4] 0, %9
    %10:bool = ult %9, 4
    if %10 {
      break
    } else {
      yield
    }
    continue %9
  }
  store_ssbo[1, align 4] 0, %1, %2, %5
  return
)");
}

// A loop that waits for another invocation keeps its coherent load.
TEST(Gvn, CoherentLoadsDoNotLeaveLoops) {
  const char* const body = R"(  %0:i32 = load_ssbo.coherent[0, align 4] 0
  loop {
    %1:i32 = load_ssbo.coherent[0, align 4] 0
    %2:bool = ieq %1, %0
    if %2 {
      yield
    } else {
      break
    }
    continue
  }
  store_ssbo[1, align 4] 0, %0
  return
)";
  EXPECT_EQ(RunOnBody(body, MergeEqualValues), body);
}

TEST(Gvn, ConditionsAreKnownWhereTheyWereTested) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ieq %0, 4
  %2:bool = ult %0, 9
  %3:bool = and %1, %2
  %4:i32 = if %3 {
    %5:i32 = select %1, %0, 8
    yield %5
  } else {
    %6:i32 = select %3, 7, %0
    yield %6
  }
  loop (%7:i32 = 0) {
    %8:bool = uge %7, %0
    if %8 {
      break
    } else {
      yield
    }
    %9:i32 = select %8, 1, 2
    %10:i32 = iadd %7, %9
    continue %10
  }
  store_ssbo[0, align 4] 0, %4
  return)",
                      MergeEqualValues),
            R"(  %0:i32 = local_index
  %1:bool = ieq %0, 4
  %2:bool = ult %0, 9
  %3:bool = and %1, %2
  %4:i32 = if %3 {
    %5:i32 = select true, 4, 8
    yield %5
  } else {
    %6:i32 = select false, 7, %0
    yield %6
  }
  loop (%7:i32 = 0) {
    %8:bool = uge %7, %0
    if %8 {
      break
    } else {
      yield
    }
    %9:i32 = select false, 1, 2
    %10:i32 = iadd %7, %9
    continue %10
  }
  store_ssbo[0, align 4] 0, %4
  return
)");
}

TEST(Gvn, EqualResultsAndParameters) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:i32, %3:i32, %4:i32 = if %1 {
    yield 1, %0, 1
  } else {
    yield 2, %0, 2
  }
  %5:i32, %6:i32 = loop (%7:i32 = 0, %8:i32 = 0) {
    %9:i32 = iadd %7, 1
    %10:bool = uge %9, %0
    if %10 {
      break %7, %8
    } else {
      yield
    }
    continue %9, %9
  }
  store_ssbo[0, align 4] 0, %2, %3, %4, %5, %6
  return)",
                      MergeEqualValues),
            R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:i32, %3:i32, %4:i32 = if %1 {
    yield 1, %0, 1
  } else {
    yield 2, %0, 2
  }
  %5:i32, %6:i32 = loop (%7:i32 = 0, %8:i32 = 0) {
    %9:i32 = iadd %7, 1
    %10:bool = uge %9, %0
    if %10 {
      break %7, %7
    } else {
      yield
    }
    continue %9, %9
  }
  store_ssbo[0, align 4] 0, %2, %3, %2, %5, %5
  return
)");
}

// Parameters need not be consecutive values: passes add some later.
TEST(Gvn, ParametersAddedLater) {
  mir::Module m;
  m.shared_bytes = 16;
  m.body = mir::NewRegion(m);
  mir::Builder b(m);
  b.SetRegion(m.body);
  const mir::ValueId zero = b.Int(0);
  const mir::InstId loop = b.Loop({zero});
  const mir::RegionId body = m.inst(loop).regions[0];
  b.SetRegion(body);
  const mir::ValueId first = m.region(body).params[0];
  const mir::ValueId next = b.Iadd(first, b.Int(1));
  const mir::ValueId second = mir::AddParam(m, body, mir::Type::kI32);
  const mir::ValueId third = mir::AddParam(m, body, mir::Type::kI32);
  mir::SetSources(m, loop, {zero, zero, zero});
  b.Store(mir::Op::kStoreShared, 0, zero, {first, second, third});
  b.Continue({next, next, next});
  b.SetRegion(m.body);
  b.Unreachable();
  ASSERT_EQ(mir::Verify(m), absl::OkStatus());
  PassContext context = PassContext::ForTest();
  EXPECT_TRUE(*MergeEqualValues(m, context));
  ASSERT_EQ(mir::Verify(m), absl::OkStatus());
  const mir::InstId store = m.region(body).insts[1];
  EXPECT_EQ(m.source(store, 0), zero);
  for (int i = 1; i < 4; ++i) EXPECT_EQ(m.source(store, i), first);
}

TEST(Gvn, ResultsThatMustNotBeFusedStayApart) {
  EXPECT_EQ(RunOnBody(R"(
  %0:f32 = load_ssbo[0, align 4] 0
  %1:f32 = fmul.exact %0, %0
  %2:f32 = fmul %0, %0
  store_ssbo[1, align 4] 0, %1, %2
  return)",
                      MergeEqualValues),
            R"(  %0:f32 = load_ssbo[0, align 4] 0
  %1:f32 = fmul.exact %0, %0
  %2:f32 = fmul %0, %0
  store_ssbo[1, align 4] 0, %1, %2
  return
)");
}

}  // namespace
}  // namespace kiln::mid
