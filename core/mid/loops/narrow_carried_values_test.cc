#include "core/mid/loops/narrow_carried_values.h"

#include <string>

#include "core/mid/testing/testing.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

std::string Narrowed(const std::string& body) { return RunOnBody(body, NarrowCarriedValues); }

// A value carried through a loop and an if in it; `entry` defines it, `use` uses it.
std::string Carried(const std::string& entry, const std::string& use) {
  return R"(  %0:i32 = local_index
  %1:i16 = trunc %0
  %2:i32 = zext %1
  %9:i32 = loop (%3:i32 = )" +
         entry + R"() {
    %4:bool = ult %0, 7
    %5:i32 = if %4 {
      yield %3
    } else {
      yield %2
    }
    if %4 {
      break %5
    } else {
      continue %5
    }
    unreachable
  }
)" + use +
         "  return\n";
}

constexpr char kHalf[] = R"(  %6:i16 = trunc %9
  store_ssbo[0, align 2] 0, %6
)";

TEST(NarrowCarriedValues, ThroughLoopsAndIfs) {
  for (const char* entry : {"7", "%2", "65535"}) {
    const std::string after = Narrowed(Carried(entry, kHalf));
    EXPECT_NE(after.find(":i16 = loop ("), std::string::npos) << after;
    EXPECT_NE(after.find(":i16 = if"), std::string::npos) << after;
    EXPECT_EQ(after.find(":i32 = if"), std::string::npos) << after;
  }
}

TEST(NarrowCarriedValues, WhatDoesNotFitOrIsReadWholeStays) {
  const auto stays = [](const std::string& body) {
    return Narrowed(body) == RunOnBody(body, NarrowCarriedValues, 0);
  };
  EXPECT_FALSE(stays(Carried("7", kHalf)));
  EXPECT_TRUE(stays(Carried("65536", kHalf)));
  EXPECT_TRUE(stays(Carried("%0", kHalf)));
  EXPECT_TRUE(stays(Carried("7", std::string(kHalf) + "  store_ssbo[0, align 4] 4, %9\n")));
  EXPECT_TRUE(stays(Carried("7", "  %6:i8 = trunc %9\n  store_ssbo[0, align 1] 0, %6\n" +
                                     std::string("  %7:i16 = trunc %0\n"
                                                 "  store_ssbo[0, align 2] 2, %7\n"))));
}

// A select belongs to the group of its operands, unless it is wide for another reason.
TEST(NarrowCarriedValues, ThroughSelects) {
  const auto body = [](const std::string& other) {
    return R"(  %0:i32 = local_index
  %1:i16 = trunc %0
  %2:i32 = zext %1
  loop (%3:i32 = 0) {
    %4:bool = ult %0, 7
    %5:i32 = select %4, %3, )" +
           other + R"(
    %6:i16 = trunc %5
    store_ssbo[0, align 2] 0, %6
    if %4 { break } else { continue %5 }
    unreachable
  }
  return
)";
  };
  EXPECT_NE(Narrowed(body("%2")).find(":i16 = select"), std::string::npos) << Narrowed(body("%2"));
  EXPECT_NE(Narrowed(body("%0")).find(":i32 = select"), std::string::npos);
}

// Two values that are swapped in each iteration; an undefined one.
TEST(NarrowCarriedValues, SwapsAndUndefinedOnes) {
  const std::string after = Narrowed(R"(  %0:i32 = local_index
  %1:i16 = trunc %0
  %2:i32 = zext %1
  loop (%3:i32 = %2, %4:i32 = undef.i32) {
    %5:bool = ult %0, 7
    if %5 { yield } else { break }
    %6:i16 = trunc %3
    store_ssbo[0, align 2] 0, %6
    continue %4, %3
  }
  return
)");
  EXPECT_NE(after.find("loop (%2:i16 = %1, %3:i16 = undef.i16)"), std::string::npos) << after;
  EXPECT_NE(after.find("continue %3, %2"), std::string::npos) << after;
}

// Groups are decided separately: the second parameter is read as a dword.
TEST(NarrowCarriedValues, GroupsApart) {
  const std::string after = Narrowed(R"(  %0:i32 = local_index
  %1:i16 = trunc %0
  %2:i32 = zext %1
  loop (%3:i32 = 0, %4:i32 = 0) {
    %5:bool = ult %4, %0
    if %5 { yield } else { break }
    %6:i16 = trunc %3
    store_ssbo[0, align 2] 0, %6
    store_ssbo[0, align 4] 4, %4
    continue %2, %2
  }
  return
)");
  EXPECT_NE(after.find(":i16 = 0i16, "), std::string::npos) << after;
  EXPECT_NE(after.find(":i32 = 0)"), std::string::npos) << after;
}

}  // namespace
}  // namespace kiln::mid
