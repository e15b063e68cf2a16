#include "core/mid/loops/unroll_loops.h"

#include <string>

#include "core/mid/testing/testing.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

TEST(UnrollLoops, RoundsFollowEachOther) {
  EXPECT_EQ(RunOnBody(R"(
  %9:i32 = local_index
  %8:i32 = loop (%0:i32 = 0, %1:i32 = %9) {
    %2:bool = slt %0, 3
    if %2 { yield } else { break %1 }
    %3:i32 = imul %1, %9
    %4:i32 = iadd %0, 1
    continue %4, %3
  }
  store_ssbo[0, align 4] 0, %8
  return)",
                      UnrollLoops),
            R"(  %0:i32 = local_index
  %1:i32 = loop {
    %2:i32 = imul %0, %0
    %3:i32 = imul %2, %0
    %4:i32 = imul %3, %0
    break %4
  }
  store_ssbo[0, align 4] 0, %1
  return
)");
}

// The same loop may stay rolled in another program, in which the target computes the powers.
TEST(UnrollLoops, WhatTargetsApproximateStaysInInvariantExpressions) {
  const auto unrolled = [](const std::string& flag) {
    const absl::StatusOr<mir::Module> parsed = mir::Parse(
        "mir 1 stage vertex output 0 location 0.0 f32 x1 body { "
        "%9:f32 = loop (%0:i32 = 1, %1:f32 = 0f) { %2:bool = slt %0, 3 "
        "if %2 { yield } else { break %1 } %3:f32 = i2f %0 %4:f32 = fexp2" +
        flag +
        " %3 "
        "%5:f32 = fadd" +
        flag +
        " %1, %4 %6:i32 = iadd %0, 1 continue %6, %5 } "
        "store_output[0, 0] %9 return }");
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    mir::Module m = *parsed;
    PassContext context = PassContext::ForTest();
    EXPECT_TRUE(*UnrollLoops(m, context));
    return mir::Print(m, {.renumber = true});
  };
  const auto powers = [](const std::string& text) {
    int n = 0;
    for (size_t at = 0; (at = text.find("fexp2", at)) != std::string::npos; ++at) ++n;
    return n;
  };
  EXPECT_EQ(powers(unrolled("")), 0);
  EXPECT_EQ(powers(unrolled(".exact")), 2);
}

TEST(UnrollLoops, WhatTheCounterDecidesIsNotBuilt) {
  EXPECT_EQ(RunOnBody(R"(
  loop (%0:i32 = 0) {
    %1:bool = uge %0, 2
    if %1 { break } else { yield }
    %2:bool = ieq %0, 0
    %3:i32 = if %2 {
      store_ssbo[0, align 4] 0, 7
      yield 1
    } else {
      yield 2
    }
    store_ssbo[0, align 4] 4, %3
    %4:i32 = iadd %0, 1
    continue %4
  }
  return)",
                      UnrollLoops),
            R"(  loop {
    store_ssbo[0, align 4] 0, 7
    store_ssbo[0, align 4] 4, 1
    store_ssbo[0, align 4] 4, 2
    break
  }
  return
)");
}

TEST(UnrollLoops, ALoopWithoutIterations) {
  EXPECT_EQ(RunOnBody(R"(
  loop (%0:i32 = 9) {
    %1:bool = ult %0, 9
    if %1 { yield } else { break }
    store_ssbo[0, align 4] 0, %0
    %2:i32 = iadd %0, 1
    continue %2
  }
  return)",
                      UnrollLoops),
            R"(  loop {
    break
  }
  return
)");
}

TEST(UnrollLoops, EarlyContinuesAreNested) {
  EXPECT_EQ(RunOnBody(R"(
  %9:i32 = local_index
  loop (%0:i32 = 0) {
    %1:bool = ult %0, 2
    if %1 { yield } else { break }
    %4:i32 = iadd %0, 1
    %5:bool = ult %9, %0
    if %5 { continue %4 } else { yield }
    store_ssbo[0, align 4] 0, %0
    continue %4
  }
  return)",
                      UnrollLoops),
            R"(  %0:i32 = local_index
  loop {
    %1:bool = ult %0, 0
    %2:i32 = if %1 {
      yield 1
    } else {
      store_ssbo[0, align 4] 0, 0
      yield 1
    }
    %3:bool = ult %0, 1
    %4:i32 = if %3 {
      yield 2
    } else {
      store_ssbo[0, align 4] 0, 1
      yield 2
    }
    break
  }
  return
)");
}

TEST(UnrollLoops, DataDependentBreaksStay) {
  EXPECT_EQ(RunOnBody(R"(
  %9:i32 = local_index
  %8:i32 = loop (%0:i32 = 0) {
    %1:bool = ult %0, 2
    if %1 { yield } else { break -1 }
    %5:bool = ieq %9, %0
    if %5 { break %0 } else { yield }
    %4:i32 = iadd %0, 1
    continue %4
  }
  store_ssbo[0, align 4] 0, %8
  return)",
                      UnrollLoops),
            R"(  %0:i32 = local_index
  %1:i32 = loop {
    %2:bool = ieq %0, 0
    if %2 {
      break 0
    } else {
      yield
    }
    %3:bool = ieq %0, 1
    if %3 {
      break 1
    } else {
      yield
    }
    break -1
  }
  store_ssbo[0, align 4] 0, %1
  return
)");
}

constexpr char kManyStores[] = R"(  %0:i32 = local_index
  loop (%1:i32 = 0) {
    %2:bool = ult %1, 40
    if %2 {
      yield
    } else {
      break
    }
    %3:i32 = iadd %0, %1
    store_ssbo[0, align 4] %3, %0
    store_ssbo[0, align 4] %3, %1
    store_ssbo[0, align 4] %3, %3
    store_ssbo[0, align 4] %0, %3
    %4:i32 = iadd %1, 1
    continue %4
  }
  return
)";

TEST(UnrollLoops, LargeResultsAreNotMade) {
  EXPECT_EQ(RunOnBody(kManyStores, UnrollLoops), kManyStores);
}

TEST(UnrollLoops, InnerFirstOuterTheNextTime) {
  EXPECT_EQ(RunOnBody(R"(
  loop (%0:i32 = 0) {
    %1:bool = ult %0, 1
    if %1 { yield } else { break }
    loop (%5:i32 = 0) {
      %6:bool = ult %5, 1
      if %6 { yield } else { break }
      store_ssbo[0, align 4] %0, %5
      %7:i32 = iadd %5, 1
      continue %7
    }
    %2:i32 = iadd %0, 1
    continue %2
  }
  return)",
                      UnrollLoops),
            R"(  loop (%0:i32 = 0) {
    %1:bool = ult %0, 1
    if %1 {
      yield
    } else {
      break
    }
    loop {
      store_ssbo[0, align 4] %0, 0
      break
    }
    %2:i32 = iadd %0, 1
    continue %2
  }
  return
)");
}

TEST(UnrollLoops, AsksBeforeItChangesAnything) {
  constexpr char kText[] = R"(  %0:i32 = local_index
  loop (%1:i32 = 0) {
    %2:bool = ult %1, 2
    if %2 {
      yield
    } else {
      break
    }
    %3:i32 = iadd %1, 1
    %4:bool = ult %0, %1
    if %4 {
      continue %3
    } else {
      yield
    }
    store_ssbo[0, align 4] 0, %1
    continue %3
  }
  return
)";
  EXPECT_EQ(RunOnBody(kText, UnrollLoops, 0), kText);
  EXPECT_NE(RunOnBody(kText, UnrollLoops, 1), kText);
}

// Array 0 has 16 bytes: the fourth element is the last that an iteration can store.
TEST(UnrollLoops, UpToTheEndOfAnArray) {
  EXPECT_EQ(RunOnBody(R"(
  %9:i32 = local_index
  loop (%0:i32 = 0) {
    %1:bool = ult %0, %9
    if %1 { yield } else { break }
    %2:i32 = shl %0, 3
    store_private[0, align 4] %2, %0
    %3:i32 = iadd %0, 1
    continue %3
  }
  return)",
                      UnrollLoops),
            R"(  %0:i32 = local_index
  loop {
    %1:bool = ult 0, %0
    if %1 {
      yield
    } else {
      break
    }
    store_private[0, align 4] 0, 0
    %2:bool = ult 1, %0
    if %2 {
      yield
    } else {
      break
    }
    store_private[0, align 4] 8, 1
    %3:bool = ult 2, %0
    if %3 {
      yield
    } else {
      break
    }
    unreachable
  }
  return
)");
}

// Values that each iteration would recompute under its condition are computed once; except reads,
// products that may become fused, and values under no condition but the loop.
TEST(UnrollLoops, InvariantsUnderConditionsAreComputedOnce) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32, %1:f32 = load_ssbo[0, align 4] 0
  loop (%2:i32 = 0) {
    %3:bool = ult %2, 2
    if %3 { yield } else { break }
    %4:i32 = iadd %0, 5
    %5:i32 = iadd %2, %0
    %6:bool = ult %5, 9
    if %6 {
      %7:i32 = imul %4, %0
      %8:i32 = iadd %7, %2
      %9:f32 = fmul %1, %1
      %10:bool = ult %7, 3
      %11:i32 = load_push[align 4] %0
      %12:i32 = select %10, %11, %8
      store_ssbo[1, align 4] %12, %9
      yield
    } else {
      yield
    }
    %13:i32 = iadd %2, 1
    continue %13
  }
  return)",
                      UnrollLoops),
            R"(  %0:i32, %1:f32 = load_ssbo[0, align 4] 0
  %2:i32 = iadd %0, 5
  %3:i32 = imul %2, %0
  %4:bool = ult %3, 3
  loop {
    %5:i32 = iadd 0, %0
    %6:bool = ult %5, 9
    if %6 {
      %7:i32 = iadd %3, 0
      %8:f32 = fmul %1, %1
      %9:i32 = load_push[align 4] %0
      %10:i32 = select %4, %9, %7
      store_ssbo[1, align 4] %10, %8
      yield
    } else {
      yield
    }
    %11:i32 = iadd 1, %0
    %12:bool = ult %11, 9
    if %12 {
      %13:i32 = iadd %3, 1
      %14:f32 = fmul %1, %1
      %15:i32 = load_push[align 4] %0
      %16:i32 = select %4, %15, %13
      store_ssbo[1, align 4] %16, %14
      yield
    } else {
      yield
    }
    break
  }
  return
)");
}

// Sixteen iterations that leave some 700 instructions: unrolled for an array's sake, but only if
// nothing inside of the loop may grow in turn. An index may be out of range where its guard does
// not hold.
TEST(UnrollLoops, QueriesOfChosenDescriptorsStayUnderTheirGuard) {
  absl::StatusOr<mir::Module> m = mir::Parse(R"(mir 1
entry ""
local_size 8, 1, 1
resource 0 ssbo 0.0.0
resource 1 ssbo 0.1.0 array 4
body {
  %0:i32 = workgroup_id[0]
  %1:bool = ult %0, 4
  loop (%2:i32 = 0) {
    %3:bool = ult %2, 2
    if %3 { yield } else { break }
    if %1 {
      %4:i32 = ssbo_size.indexed[1] %0
      store_ssbo[0, align 4] %2, %4
      yield
    } else {
      yield
    }
    %5:i32 = iadd %2, 1
    continue %5
  }
  return
}
)");
  ASSERT_TRUE(m.ok()) << m.status();
  PassContext context = PassContext::ForTest();
  ASSERT_TRUE(*UnrollLoops(*m, context));
  const std::string text = mir::Print(*m);
  EXPECT_EQ(text.find("continue"), std::string::npos) << text;
  EXPECT_LT(text.find("if "), text.find("ssbo_size")) << text;
}

TEST(UnrollLoops, LongForArraysWhereInnermost) {
  const auto unrolls = [](const std::string& offset, const std::string& inside) {
    std::string body =
        "  %0:i32 = local_index\n  loop (%1:i32 = 0) {\n    %2:bool = ult %1, 16\n"
        "    if %2 { yield } else { break }\n    %3:i32 = shl %1, 2\n"
        "    store_private[1, align 4] " +
        offset + ", %0\n" + inside;
    for (int i = 0; i < 42; ++i) body += "    store_ssbo[0, align 4] %0, 1\n";
    body += "    %4:i32 = iadd %1, 1\n    continue %4\n  }\n  return\n";
    return RunOnBody(body, UnrollLoops) != RunOnBody(body, UnrollLoops, 0);
  };
  EXPECT_TRUE(unrolls("%3", ""));
  EXPECT_FALSE(unrolls("%0", ""));
  EXPECT_FALSE(unrolls("%3", "    loop { break }\n"));
}

// Three iterations of some 420 instructions, not four.
TEST(UnrollLoops, FewIterationsOfLongLoops) {
  const auto unrolls = [](int iterations) {
    std::string body = "  %0:i32 = local_index\n  loop (%1:i32 = 0) {\n    %2:bool = ult %1, " +
                       std::to_string(iterations) + "\n    if %2 { yield } else { break }\n";
    for (int i = 0; i < 420; ++i) body += "    store_ssbo[0, align 4] %0, 1\n";
    body += "    %3:i32 = iadd %1, 1\n    continue %3\n  }\n  return\n";
    return RunOnBody(body, UnrollLoops) != RunOnBody(body, UnrollLoops, 0);
  };
  EXPECT_TRUE(unrolls(3));
  EXPECT_FALSE(unrolls(4));
}

}  // namespace
}  // namespace kiln::mid
