#include "core/mid/analysis/loop_analysis.h"

#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/mir/build.h"
#include "core/mir/parse.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

// The iterations of the first loop of the body.
LoopIterations IterationsOf(std::string_view body, const LoopLimits& limits = {100, 10000, 10000}) {
  const absl::StatusOr<mir::Module> m = mir::Parse(
      absl::StrCat("mir 1\nentry \"main\"\nlocal_size 8, 1, 1\nshared 256\nprivate 0 64\n"
                   "data 0x03000000050000000700000009000000\nbody {\n",
                   absl::string_view(body.data(), body.size()), "\nreturn\n}\n"));
  EXPECT_TRUE(m.ok()) << m.status();
  mir::InstId loop;
  mir::ForEachInst(*m, m->body, [&](mir::InstId id) {
    if (m->inst(id).op == mir::Op::kLoop && !loop.valid()) loop = id;
  });
  return LoopAnalysis(*m).CountIterations(loop, limits);
}

TEST(LoopAnalysis, CountsUp) {
  // Three iterations do work, the fourth only tests.
  const LoopIterations r = IterationsOf(R"(
  loop (%0:i32 = 0) {
    %1:bool = slt %0, 3
    if %1 { yield } else { break }
    store_shared[align 4] %0, %0
    %2:i32 = iadd %0, 1
    continue %2
  })");
  EXPECT_TRUE(r.bounded);
  EXPECT_EQ(r.iterations, 4);
  EXPECT_EQ(r.unknown_exits, 0);
  EXPECT_EQ(r.residue, 3);  // the stores
  constexpr std::string_view kStores = R"(
  loop (%0:i32 = 0) {
    %1:bool = slt %0, 3
    if %1 { yield } else { break }
    store_shared[align 4] %0, %0
    %2:i32 = iadd %0, 1
    continue %2
  })";
  EXPECT_FALSE(IterationsOf(kStores, {100, 10000, 2}).bounded);
}

TEST(LoopAnalysis, NoIterationAndOneIteration) {
  EXPECT_EQ(IterationsOf(R"(
  loop (%0:i32 = 5) {
    %1:bool = slt %0, 5
    if %1 { yield } else { break }
    %2:i32 = iadd %0, 1
    continue %2
  })")
                .iterations,
            1);
  EXPECT_EQ(IterationsOf(R"(
  loop (%0:i32 = 4) {
    %2:i32 = iadd %0, 1
    %1:bool = slt %2, 5
    if %1 { yield } else { break }
    continue %2
  })")
                .iterations,
            1);
}

TEST(LoopAnalysis, AnyStepAndSeveralCounters) {
  const LoopIterations r = IterationsOf(R"(
  loop (%0:i32 = 64, %1:i32 = 1) {
    %2:bool = ieq %0, 0
    %3:bool = ult 100, %1
    %4:bool = or %2, %3
    if %4 { break } else { yield }
    %5:i32 = ushr %0, 1
    %6:i32 = imul %1, 3
    continue %5, %6
  })");
  EXPECT_TRUE(r.bounded);
  EXPECT_EQ(r.iterations, 6);  // 1, 3, 9, 27, 81, 243
}

TEST(LoopAnalysis, WrapsAsTheProgramWould) {
  EXPECT_EQ(IterationsOf(R"(
  loop (%0:i32 = -3) {
    %1:bool = uge %0, 4294967293
    if %1 { yield } else { break }
    %2:i32 = iadd %0, 1
    continue %2
  })")
                .iterations,
            4);
}

TEST(LoopAnalysis, IsNotWalkedBeyondItsLimits) {
  const std::string_view body = R"(
  %9:i32 = local_index
  loop (%0:i32 = 0) {
    %1:bool = slt %0, 20
    if %1 { yield } else { break }
    %3:bool = ieq %9, %0
    if %3 { break } else { yield }
    %2:i32 = iadd %0, 1
    continue %2
  })";
  EXPECT_EQ(IterationsOf(body).iterations, 21);
  const LoopIterations exits = IterationsOf(body, {100, 10000, 10000, 10000, 4});
  EXPECT_FALSE(exits.bounded);
  EXPECT_EQ(exits.unknown_exits, 5);
  const LoopIterations count = IterationsOf(body, {100, 10000, 10000, 12});
  EXPECT_FALSE(count.bounded);
  EXPECT_LT(count.iterations, 6);
}

TEST(LoopAnalysis, ResidueOfIterationsIsNotThatOfOne) {
  const std::string_view body = R"(
  %9:i32 = local_index
  loop (%0:i32 = 0) {
    %1:i32 = iadd %9, %9
    %2:i32 = imul %1, %9
    %3:bool = slt %0, 0
    if %3 { yield } else { break }
    continue %2
  })";
  const LoopIterations once = IterationsOf(body, {100, 10000, 10000, 1});
  EXPECT_TRUE(once.bounded);
  EXPECT_EQ(once.iterations, 1);
  EXPECT_GT(once.residue, 1);
}

TEST(LoopAnalysis, UnknownExitsLeaveABound) {
  const LoopIterations r = IterationsOf(R"(
  %9:i32 = local_index
  loop (%0:i32 = 0) {
    %1:bool = slt %0, 2
    if %1 { yield } else { break }
    %3:bool = ieq %9, %0
    if %3 { break } else { yield }
    %2:i32 = iadd %0, 1
    continue %2
  })");
  EXPECT_TRUE(r.bounded);
  EXPECT_EQ(r.iterations, 3);
  EXPECT_EQ(r.unknown_exits, 2);
}

TEST(LoopAnalysis, ContinuesThatDisagreeLoseTheValue) {
  const std::string body = R"(
  %9:bool = ieq 0, 0
  %8:i32 = local_index
  %7:bool = ult %8, 4
  loop (%0:i32 = 0) {
    %1:bool = slt %0, 8
    if %1 { yield } else { break }
    if %7 {
      %2:i32 = iadd %0, 1
      continue %2
    } else {
      yield
    }
    %3:i32 = iadd %0, 2
    continue %3
  })";
  EXPECT_FALSE(IterationsOf(body).bounded);
  std::string agree = body;
  agree.replace(agree.find("iadd %0, 2"), 10, "iadd %0, 1");
  const LoopIterations r = IterationsOf(agree);
  EXPECT_TRUE(r.bounded);
  EXPECT_EQ(r.iterations, 9);
}

TEST(LoopAnalysis, StopsWhereNothingCanBecomeKnown) {
  const LoopIterations r = IterationsOf(R"(
  %9:i32 = local_index
  loop (%0:i32 = %9) {
    %1:bool = slt %0, 8
    if %1 { yield } else { break }
    %2:i32 = iadd %0, 1
    continue %2
  })");
  EXPECT_FALSE(r.bounded);
  EXPECT_EQ(r.iterations, 1);
}

TEST(LoopAnalysis, Limits) {
  constexpr std::string_view kLong = R"(
  loop (%0:i32 = 0) {
    %1:bool = slt %0, 50
    if %1 { yield } else { break }
    %2:i32 = iadd %0, 1
    continue %2
  })";
  EXPECT_TRUE(IterationsOf(kLong).bounded);
  EXPECT_FALSE(IterationsOf(kLong, {50, 10000, 10000}).bounded);
  EXPECT_FALSE(IterationsOf(kLong, {100, 100, 10000}).bounded);
}

TEST(LoopAnalysis, SeesArraysThatBecomeValues) {
  const LoopIterations r = IterationsOf(R"(
  loop (%0:i32 = 0) {
    %1:bool = slt %0, 3
    if %1 { yield } else { break }
    %2:i32 = shl %0, 2
    %3:i32 = load_private[0, align 4] %2
    %5:i32 = load_constant[align 4] %2
    store_private[0, align 4] %2, %5
    %4:i32 = iadd %0, 1
    continue %4
  })");
  EXPECT_EQ(r.array_accesses, 6);
  EXPECT_EQ(r.residue, 0);  // table entries are known too
}

TEST(LoopAnalysis, NestedLoopsAreCountedOnce) {
  const LoopIterations r = IterationsOf(R"(
  %9:i32 = local_index
  loop (%0:i32 = 0) {
    %1:bool = slt %0, 2
    if %1 { yield } else { break }
    loop (%5:i32 = %0) {
      %6:bool = ult %5, %9
      if %6 { yield } else { break }
      %7:i32 = iadd %5, 1
      continue %7
    }
    %2:i32 = iadd %0, 1
    continue %2
  })");
  EXPECT_EQ(r.iterations, 3);
  EXPECT_EQ(r.residue, 2 * 7);
}

// Four stores of a tile: their offsets are known if the iterations of the inner loop are walked.
TEST(LoopAnalysis, WalksIntoLoopsWhereAsked) {
  const auto iterations_of = [](const std::string& limit, bool into_loops) {
    return IterationsOf(
        R"(
  %9:i32 = local_index
  loop (%0:i32 = 0) {
    %1:bool = slt %0, 2
    if %1 { yield } else { break }
    %2:i32 = shl %0, 3
    loop (%5:i32 = 0) {
      %6:bool = ult %5, )" +
            limit + R"(
      if %6 { yield } else { break }
      %3:i32 = shl %5, 2
      %4:i32 = iadd %2, %3
      store_private[0, align 4] %4, %9
      store_ssbo[0, align 4] %4, %9
      %7:i32 = iadd %5, 1
      continue %7
    }
    %8:i32 = iadd %0, 1
    continue %8
  })",
        {.max_iterations = 100, .max_steps = 1000, .max_residue = 1000, .into_loops = into_loops});
  };
  const LoopIterations known = iterations_of("2", true);
  EXPECT_TRUE(known.bounded);
  EXPECT_EQ(known.iterations, 3);
  EXPECT_EQ(known.array_accesses, 4);
  EXPECT_EQ(known.unknown_array_accesses, 0);
  EXPECT_EQ(known.residue, 4);
  for (const LoopIterations& r : {iterations_of("2", false), iterations_of("%9", true)}) {
    EXPECT_TRUE(r.bounded);
    EXPECT_EQ(r.array_accesses, 0);
    EXPECT_EQ(r.unknown_array_accesses, 2);
    EXPECT_EQ(r.residue, 2 * 11);
  }
}

TEST(LoopAnalysis, AnArrayBoundsItsLoop) {
  // The bound is unknown, but a fifth store would exceed the array of 64 bytes.
  const LoopIterations r = IterationsOf(R"(
  %9:i32 = local_index
  loop (%0:i32 = 0) {
    %1:bool = slt %0, %9
    if %1 { yield } else { break }
    %2:i32 = shl %0, 4
    store_private[0, align 4] %2, %0
    %3:i32 = iadd %0, 1
    continue %3
  })");
  EXPECT_TRUE(r.bounded);
  EXPECT_EQ(r.iterations, 5);
  EXPECT_EQ(r.unknown_exits, 5);
  // Not from a load: its result may be dropped.
  EXPECT_FALSE(IterationsOf(R"(
  %9:i32 = local_index
  loop (%0:i32 = 0) {
    %1:bool = slt %0, %9
    if %1 { yield } else { break }
    %2:i32 = shl %0, 4
    %4:i32 = load_private[0, align 4] %2
    store_shared[align 4] 0, %4
    %3:i32 = iadd %0, 1
    continue %3
  })")
                   .bounded);
  // Not if an iteration may skip the store.
  EXPECT_FALSE(IterationsOf(R"(
  %9:i32 = local_index
  loop (%0:i32 = 0) {
    %1:bool = slt %0, %9
    if %1 { yield } else { break }
    %2:i32 = shl %0, 4
    %4:bool = ieq %0, %9
    if %4 {
      store_private[0, align 4] %2, %0
      yield
    } else {
      yield
    }
    %3:i32 = iadd %0, 1
    continue %3
  })")
                   .bounded);
}

TEST(LoopAnalysis, WhatStoresOutside) {
  const absl::StatusOr<mir::Module> m = mir::Parse(
      "mir 1 local_size 8, 1, 1 shared 64 private 0 64 body { %9:i32 = local_index "
      "store_private[0, align 4] %9, 1, 2 %0:i32, %1:i32 = load_private[0, align 4] %9 "
      "store_shared[align 4] %9, 1 return }");
  ASSERT_TRUE(m.ok()) << m.status();
  const std::vector<mir::InstId>& insts = m->region(m->body).insts;
  EXPECT_FALSE(StoresOutside(*m, insts[1], 56));
  EXPECT_TRUE(StoresOutside(*m, insts[1], 60));
  EXPECT_TRUE(StoresOutside(*m, insts[1], 0xfffffffc));
  EXPECT_FALSE(StoresOutside(*m, insts[2], 1000));
  EXPECT_FALSE(StoresOutside(*m, insts[3], 1000));
}

}  // namespace
}  // namespace kiln::mid
