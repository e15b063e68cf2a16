#include "core/mid/values/remove_dead_code.h"

#include "core/mid/testing/testing.h"
#include "core/mir/build.h"
#include "core/mir/parse.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

TEST(Dce, DropsUnusedChains) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:i32 = load_ssbo[0, align 4] %0
  %2:i32 = iadd %1, 1
  %3:i32 = imul %0, 2
  store_ssbo[1, align 4] %3, 7
  return)",
                      RemoveDeadCode),
            R"(  %0:i32 = local_index
  %1:i32 = imul %0, 2
  store_ssbo[1, align 4] %1, 7
  return
)");
}

TEST(Dce, VolatileLoadsAndAtomicsStay) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = load_ssbo.volatile[0, align 4] 0
  %1:i32 = ssbo_atomic[0, add] 0, 1
  return)",
                      RemoveDeadCode),
            R"(  %0:i32 = load_ssbo.volatile[0, align 4] 0
  %1:i32 = ssbo_atomic[0, add] 0, 1
  return
)");
}

TEST(Dce, ClocksThatNothingReads) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32, %1:i32 = read_clock[subgroup]
  %2:i32, %3:i32 = read_clock[subgroup]
  store_ssbo[0, align 4] 0, %3
  return)",
                      RemoveDeadCode),
            R"(  %0:i32, %1:i32 = read_clock[subgroup]
  store_ssbo[0, align 4] 0, %1
  return
)");
}

TEST(Dce, UnusedResultsOfIfs) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:i32, %3:i32, %4:i32 = if %1 {
    %5:i32 = iadd %0, 1
    %6:i32 = iadd %0, 2
    yield %5, %6, %0
  } else {
    yield 1, 2, 3
  }
  store_ssbo[0, align 4] 0, %3
  return)",
                      RemoveDeadCode),
            R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:i32 = if %1 {
    %3:i32 = iadd %0, 2
    yield %3
  } else {
    yield 2
  }
  store_ssbo[0, align 4] 0, %2
  return
)");
}

TEST(Dce, IfsWithoutEffectGo) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:i32 = if %1 {
    %3:i32 = load_shared[align 4] 0
    yield %3
  } else {
    yield 1
  }
  return)",
                      RemoveDeadCode),
            "  return\n");
}

// The sum is dead though it feeds itself; the counter determines how often the store runs.
TEST(Dce, UnusedLoopParamsAndResults) {
  EXPECT_EQ(RunOnBody(R"(
  %8:i32, %9:i32 = loop (%1:i32 = 0, %2:i32 = 0) {
    %3:bool = uge %1, 8
    if %3 {
      break %1, %2
    } else {
      yield
    }
    store_ssbo[0, align 4] %1, 7
    %4:i32 = iadd %1, 4
    %5:i32 = iadd %2, %1
    continue %4, %5
  }
  return)",
                      RemoveDeadCode),
            R"(  loop (%0:i32 = 0) {
    %1:bool = uge %0, 8
    if %1 {
      break
    } else {
      yield
    }
    store_ssbo[0, align 4] %0, 7
    %2:i32 = iadd %0, 4
    continue %2
  }
  return
)");
}

TEST(Dce, LocalMemoryThatIsNotReadIsNotWritten) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  store_shared[align 4] 0, %0
  %1:i32 = shared_atomic[add] 4, %0
  return)",
                      RemoveDeadCode),
            "  return\n");
  const char* read = R"(  %0:i32 = local_index
  store_shared[align 4] 0, %0
  %1:i32 = load_shared[align 4] 4
  store_ssbo[0, align 4] 0, %1
  return
)";
  EXPECT_EQ(RunOnBody(read, RemoveDeadCode), read);
}

TEST(Dce, TrailingDwordsOfLoads) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32, %1:i32, %2:i32, %3:i32 = load_ssbo[0, align 16] 0
  store_ssbo[1, align 4] 0, %1
  return)",
                      RemoveDeadCode),
            R"(  %0:i32, %1:i32 = load_ssbo[0, align 16] 0
  store_ssbo[1, align 4] 0, %1
  return
)");
}

// The conditions of a needed loop's jumps are needed.
TEST(Dce, ConditionsOfJumpsStay) {
  const char* body = R"(  %0:i32 = local_index
  loop {
    %1:i32 = load_ssbo[0, align 4] %0
    %2:bool = ult %1, 4
    if %2 {
      break
    } else {
      yield
    }
    control_barrier[3, workgroup]
    continue
  }
  return
)";
  EXPECT_EQ(RunOnBody(body, RemoveDeadCode), body);
}

TEST(Dce, BisectionKeepsEverything) {
  const char* body = "  if true {\n    yield\n  } else {\n    yield\n  }\n  return\n";
  EXPECT_EQ(RunOnBody(body, RemoveDeadCode, 0), body);
  EXPECT_EQ(RunOnBody(body, RemoveDeadCode, 1), "  return\n");
}

struct LoopCase {
  bool finite;
  const char* body;
};

// No other invocation can end them, and their end is not observable.
TEST(Dce, EndlessLoopsThatOnlyComputeGo) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  loop (%1:i32 = %0) {
    %2:bool = ult %1, 4
    if %2 { break } else { yield }
    continue %1
  }
  loop {
    continue
  }
  unreachable)",
                      RemoveDeadCode),
            "  unreachable\n");
  // This one waits for another invocation.
  constexpr char kWaits[] = R"(  loop {
    %0:i32 = load_ssbo[0, align 4] 0
    %1:bool = ieq %0, 0
    if %1 {
      yield
    } else {
      break
    }
    continue
  }
  return
)";
  EXPECT_EQ(RunOnBody(kWaits, RemoveDeadCode), kWaits);
}

TEST(Dce, FiniteLoops) {
  const LoopCase cases[] = {
      {true, "loop { break }"},
      {false, "loop { continue }"},
      {true,
       "loop (%1:i32 = 0) { %2:bool = uge %1, %0 if %2 { break } else { yield } "
       "%3:i32 = iadd %1, 1 continue %3 }"},
      {true,
       "loop (%1:i32 = 0) { %2:bool = ult %1, %0 if %2 { yield } else { break } "
       "%3:i32 = iadd %1, 1 continue %3 }"},
      // Never below 0.
      {false,
       "loop (%1:i32 = 0) { %2:bool = ult %1, %0 if %2 { break } else { yield } "
       "%3:i32 = iadd %1, 1 continue %3 }"},
      // Steps of two may jump over an unknown bound, not over this one.
      {false,
       "loop (%1:i32 = 0) { %2:bool = uge %1, %0 if %2 { break } else { yield } "
       "%3:i32 = iadd %1, 2 continue %3 }"},
      {true,
       "loop (%1:i32 = 0) { %2:bool = uge %1, 64 if %2 { break } else { yield } "
       "%3:i32 = iadd %1, 2 continue %3 }"},
      {false,
       "loop (%1:i32 = 0) { %2:bool = uge %1, -1 if %2 { break } else { yield } "
       "%3:i32 = iadd %1, 2 continue %3 }"},
      {true,
       "loop (%1:i32 = 10) { %2:bool = slt %0, %1 if %2 { yield } else { break } "
       "%3:i32 = isub %1, 1 continue %3 }"},
      // The advanced counter is tested.
      {true,
       "loop (%1:i32 = 0) { %3:i32 = iadd %1, 4 %2:bool = sge %3, 64 if %2 { break } "
       "else { yield } continue %3 }"},
      // Two continues, one of which does not advance.
      {false,
       "loop (%1:i32 = 0) { %2:bool = uge %1, 64 if %2 { break } else { yield } "
       "%3:i32 = iadd %1, 1 %4:bool = ine %0, 3 if %4 { continue %1 } else { yield } "
       "continue %3 }"},
      // A continue before the test.
      {false,
       "loop (%1:i32 = 0) { %3:i32 = iadd %1, 1 %4:bool = ine %0, 3 "
       "if %4 { continue %3 } else { yield } %2:bool = uge %1, 64 "
       "if %2 { break } else { yield } continue %3 }"},
      // The bound moves.
      {false,
       "loop (%1:i32 = 0, %5:i32 = 9) { %2:bool = uge %1, %5 if %2 { break } else { yield } "
       "%3:i32 = iadd %1, 1 %6:i32 = iadd %5, 1 continue %3, %6 }"},
  };
  for (const LoopCase& c : cases) {
    const absl::StatusOr<mir::Module> m =
        mir::Parse(std::string("mir 1 body { %0:i32 = local_index ") + c.body + " return }");
    ASSERT_TRUE(m.ok()) << m.status() << c.body;
    const mir::InstId loop = m->region(m->body).insts[1];
    ASSERT_EQ(m->inst(loop).op, mir::Op::kLoop);
    EXPECT_EQ(FiniteLoop(*m, loop), c.finite) << c.body;
  }
}

}  // namespace
}  // namespace kiln::mid
