#include "core/mid/values/rematerialise_compares.h"

#include <string>

#include "core/mid/testing/testing.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

// Repeats the compare before the if and once for both selects of a line; the original is removed.
TEST(RematerialiseCompares, BesideEachLineThatAsks) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ult %0, 4
  if %1 {
    store_ssbo[0, align 4] 0, %0
    yield
  } else {
    yield
  }
  %2:i32 = imul %0, 3
  %3:i32 = select %1, %0, %2
  %4:i32 = select %1, %2, %0
  store_ssbo[0, align 4] %3, %4
  if %1 {
    store_ssbo[0, align 4] 4, %0
    yield
  } else {
    yield
  }
  return)",
                      RematerialiseCompares),
            R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  if %1 {
    store_ssbo[0, align 4] 0, %0
    yield
  } else {
    yield
  }
  %2:i32 = imul %0, 3
  %3:bool = ult %0, 4
  %4:i32 = select %3, %0, %2
  %5:i32 = select %3, %2, %0
  store_ssbo[0, align 4] %4, %5
  if %3 {
    store_ssbo[0, align 4] 4, %0
    yield
  } else {
    yield
  }
  return
)");
}

// A negation is repeated with its compare; if a line needs both, they share the compare.
TEST(RematerialiseCompares, NegationsGoWithTheirCompare) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32, %1:f32 = load_ssbo[0, align 4] 0
  %2:bool = flt %1, 0f
  %3:bool = not %2
  if %2 {
    store_ssbo[0, align 4] 0, 1
    yield
  } else {
    yield
  }
  %4:i32 = select %3, 7, %0
  %5:i32 = select %2, 8, %0
  store_ssbo[0, align 4] %4, %5, %1
  return)",
                      RematerialiseCompares),
            R"(  %0:i32, %1:f32 = load_ssbo[0, align 4] 0
  %2:bool = flt %1, 0f
  if %2 {
    store_ssbo[0, align 4] 0, 1
    yield
  } else {
    yield
  }
  %3:bool = flt %1, 0f
  %4:bool = not %3
  %5:i32 = select %4, 7, %0
  %6:i32 = select %3, 8, %0
  store_ssbo[0, align 4] %5, %6, %1
  return
)");
}

// The outcome for %3, used as the flag of two lines.
std::string Repeated(const std::string& front, const std::string& number,
                     const std::string& end = "") {
  const std::string body = front + "  %3:bool = ult %1, %2\n" + number + R"(  if %3 {
    store_ssbo[0, align 4] 0, 1
    yield
  } else {
    yield
  }
  %9:i32 = select %3, 7, 8
  store_ssbo[0, align 4] 0, %9
)" + end + "  return\n";
  const std::string text = RunOnBody(body, RematerialiseCompares);
  if (text == RunOnBody(body, RematerialiseCompares, 0)) return "kept";
  return text.find("ult") != text.rfind("ult") ? "repeated" : text;
}

// If the condition is needed as a number, it stays live rather than two operands per lane. It is
// repeated if the number is not needed, if the operands are needed later anyway, or if they are
// uniform and it is not.
TEST(RematerialiseCompares, NotWhereOperandsWouldLiveOnInstead) {
  const std::string index = "  %0:i32 = local_index\n";
  const std::string lanes = index + "  %1:i32, %2:i32 = load_ssbo[0, align 4] %0\n";
  const std::string half = index + "  %1:i32 = load_push[align 4] 0\n  %2:i32 = imul %0, 9\n";
  const std::string number =
      "  %4:bool = subgroup_any %3\n  %5:i32 = select %4, 1, 2\n"
      "  store_ssbo[0, align 4] 4, %5\n";
  EXPECT_EQ(Repeated(lanes, number), "kept");
  EXPECT_EQ(Repeated(lanes, ""), "repeated");
  EXPECT_EQ(Repeated(lanes, number, "  store_ssbo[0, align 4] 0, %1, %2\n"), "repeated");
  EXPECT_EQ(Repeated(half, number, "  store_ssbo[0, align 4] 0, %2\n"), "repeated");
}

// A select between a constant and zero masks the existing number; it is no reason to repeat.
TEST(RematerialiseCompares, MasksTakeTheNumber) {
  constexpr char kText[] = R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:bool = subgroup_any %1
  if %2 {
    store_ssbo[0, align 4] 0, %0
    yield
  } else {
    yield
  }
  %3:i32 = select %1, 12, 0
  store_ssbo[0, align 4] %0, %3
  return
)";
  EXPECT_EQ(RunOnBody(kText, RematerialiseCompares), kText);
}

// In a loop, values from outside of it are live up to its end in every iteration: repeating costs
// nothing.
TEST(RematerialiseCompares, LoopsKeepTheirOperands) {
  constexpr char kBody[] = R"(
  %0:i32 = local_index
  %1:i32, %2:i32 = load_ssbo[0, align 4] %0
  %3:bool = ult %1, %2
  loop (%4:i32 = 0) {
    if %3 {
      break
    } else {
      yield
    }
    %5:i32 = iadd %4, %1
    %6:i32 = iadd %5, %2
    continue %6
  }
  return)";
  const std::string text = RunOnBody(kBody, RematerialiseCompares);
  EXPECT_GT(text.find("ult"), text.find("loop")) << text;
}

// The boolean is stored for its other use: repeating ends its live range there.
TEST(RematerialiseCompares, OtherUsesStay) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:bool = ieq %0, 2
  %3:bool = xor %1, %2
  if %3 {
    if %1 {
      store_ssbo[0, align 4] 0, %0
      yield
    } else {
      yield
    }
    yield
  } else {
    yield
  }
  return)",
                      RematerialiseCompares),
            R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:bool = ieq %0, 2
  %3:bool = xor %1, %2
  if %3 {
    %4:bool = ult %0, 4
    if %4 {
      store_ssbo[0, align 4] 0, %0
      yield
    } else {
      yield
    }
    yield
  } else {
    yield
  }
  return
)");
}

TEST(RematerialiseCompares, StopsWhenToldTo) {
  constexpr char kText[] = R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  if %1 {
    if %1 {
      store_ssbo[0, align 4] 0, %0
      yield
    } else {
      yield
    }
    yield
  } else {
    yield
  }
  return
)";
  EXPECT_EQ(RunOnBody(kText, RematerialiseCompares, 0), kText);
}

}  // namespace
}  // namespace kiln::mid
