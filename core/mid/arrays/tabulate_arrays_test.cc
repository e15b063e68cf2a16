#include "core/mid/arrays/tabulate_arrays.h"

#include <string>

#include "core/mid/testing/testing.h"
#include "core/mir/parse.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

// The test module has 12 bytes of constant data: the first table begins at 64.
TEST(TabulateArrays, ConstantsAreReadFromATable) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  store_private[1, align 16] 0, 10, 11, 12, 13
  store_private[1, align 16] 16, 1f
  %1:bool = ult %0, 4
  if %1 {
    %2:i32 = shl %0, 2
    %3:i32, %4:i32 = load_private[1, align 4] %2
    store_ssbo[0, align 4] 0, %3, %4
    yield
  } else {
    yield
  }
  return)",
                      TabulateArrays),
            R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  if %1 {
    %2:i32 = shl %0, 2
    %3:i32 = iadd %2, 64
    %4:i32, %5:i32 = load_constant[align 4] %3
    store_ssbo[0, align 4] 0, %4, %5
    yield
  } else {
    yield
  }
  return
)");
}

TEST(TabulateArrays, WritesTheTable) {
  mir::Module m = *mir::Parse(
      "mir 1\nentry \"main\"\nlocal_size 1, 1, 1\nprivate 0 8\ndata 0x01020304\n"
      "resource 0 ssbo 0.0.0\nbody {\n %0:i32 = local_index\n"
      " store_private[0, align 4] 4, 0x0a0b0c0d\n %1:i32 = load_private[0, align 4] %0\n"
      " store_ssbo[0, align 4] 0, %1\n return\n}\n");
  PassContext context = PassContext::ForTest();
  EXPECT_TRUE(*TabulateArrays(m, context));
  ASSERT_EQ(m.constant_data.size(), 80u);
  EXPECT_EQ(m.constant_data[0], 1);
  EXPECT_EQ(m.constant_data[64], 0);  // never stored
  EXPECT_EQ(m.constant_data[68], 0x0d);
  EXPECT_EQ(m.constant_data[71], 0x0a);
}

void Stays(const std::string& stores, const std::string& more = "") {
  const std::string text = "  %0:i32 = local_index\n" + stores +
                           "  %1:i32 = load_private[1, align 4] %0\n" + more +
                           "  store_ssbo[0, align 4] 0, %1\n  return\n";
  EXPECT_EQ(RunOnBody(text, TabulateArrays), text);
}

TEST(TabulateArrays, WhatStays) {
  Stays("  store_private[1, align 4] 0, %0\n");                                   // no constant
  Stays("  store_private[1, align 4] %0, 7\n");                                   // anywhere
  Stays("  store_private[1, align 4] 0, 7\n  store_private[1, align 4] 0, 8\n");  // two values
  Stays("  store_private.volatile[1, align 4] 0, 7\n");
  Stays("  store_private[1, align 4] 0, 7\n", "  store_private[1, align 4] 4, 7\n");  // too late
  Stays("");
  constexpr char kBytes[] = R"(  store_private[1, align 4] 0, 7
  %0:i8 = load_private[1, align 4] 0
  store_ssbo[0, align 4] 0, %0
  return
)";
  EXPECT_EQ(RunOnBody(kBytes, TabulateArrays), kBytes);
}

// A store in one side of an if does not count after it.
TEST(TabulateArrays, StoredOnOnePathOnly) {
  constexpr char kText[] = R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  if %1 {
    store_private[1, align 4] 0, 7
    yield
  } else {
    yield
  }
  %2:i32 = load_private[1, align 4] %0
  store_ssbo[0, align 4] 0, %2
  return
)";
  EXPECT_EQ(RunOnBody(kText, TabulateArrays), kText);
}

}  // namespace
}  // namespace kiln::mid
