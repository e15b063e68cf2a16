#include "core/mid/arrays/promote_private_arrays.h"

#include <string>

#include "core/mid/testing/testing.h"
#include "core/mir/parse.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

TEST(PromotePrivateArrays, StoresReachLoads) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  store_private[0, align 4] 0, %0, 5
  store_private[0, align 4] 4, 6
  %1:i32, %2:i32 = load_private[0, align 4] 0
  %3:f32 = load_private[0, align 4] 0
  store_ssbo[0, align 4] 0, %1, %2, %3
  return)",
                      PromotePrivateArrays),
            R"(  %0:i32 = local_index
  %1:f32 = bitcast %0
  store_ssbo[0, align 4] 0, %0, 6, %1
  return
)");
}

TEST(PromotePrivateArrays, IfsGiveWhatTheirSidesStore) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ult %0, 4
  store_private[0, align 4] 0, 1, 2
  %9:i32 = if %1 {
    store_private[0, align 4] 0, 3
    yield 8
  } else {
    yield 9
  }
  %3:i32, %4:i32 = load_private[0, align 4] 0
  store_ssbo[0, align 4] 0, %3, %4, %9
  return)",
                      PromotePrivateArrays),
            R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:i32, %3:i32 = if %1 {
    yield 8, 3
  } else {
    yield 9, 1
  }
  store_ssbo[0, align 4] 0, %3, 2, %2
  return
)");
}

TEST(PromotePrivateArrays, LoopsCarryWhatIsStoredInThem) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  store_private[0, align 4] 0, 1, 2
  loop (%1:i32 = %0) {
    %2:i32, %3:i32 = load_private[0, align 4] 0
    %4:bool = ult %1, %2
    if %4 { break } else { yield }
    %5:i32 = iadd %2, %3
    store_private[0, align 4] 0, %5
    %6:i32 = isub %1, %3
    continue %6
  }
  %7:i32 = load_private[0, align 4] 0
  store_ssbo[0, align 4] 0, %7
  return)",
                      PromotePrivateArrays),
            R"(  %0:i32 = local_index
  %1:i32 = loop (%2:i32 = %0, %3:i32 = 1) {
    %4:bool = ult %2, %3
    if %4 {
      break %3
    } else {
      yield
    }
    %5:i32 = iadd %3, 2
    %6:i32 = isub %2, 2
    continue %6, %5
  }
  store_ssbo[0, align 4] 0, %1
  return
)");
}

TEST(PromotePrivateArrays, AVariableIndexSelects) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  store_private[0, align 16] 0, 10, 11, 12, 13
  %1:i32 = shl %0, 2
  %2:i32 = load_private[0, align 4] %1
  store_ssbo[0, align 4] 0, %2
  return)",
                      PromotePrivateArrays),
            R"(  %0:i32 = local_index
  %1:i32 = and %0, 1
  %2:bool = ine %1, 0
  %3:i32 = and %0, 2
  %4:bool = ine %3, 0
  %5:i32 = select %2, 11, 10
  %6:i32 = select %2, 13, 12
  %7:i32 = select %4, %6, %5
  store_ssbo[0, align 4] 0, %7
  return
)");
}

// Structures of two elements, of which the second is accessed; one before the first is index 1.
TEST(PromotePrivateArrays, StridesAndConstantsInTheOffset) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  store_private[0, align 16] 0, 10, 11, 12, 13
  %1:i32 = shl %0, 3
  %2:i32 = iadd %1, -4
  %3:i32 = load_private[0, align 4] %2
  store_ssbo[0, align 4] 0, %3
  return)",
                      PromotePrivateArrays),
            R"(  %0:i32 = local_index
  %1:i32 = iadd %0, -1
  %2:i32 = and %1, 1
  %3:bool = ine %2, 0
  %4:i32 = select %3, 13, 11
  store_ssbo[0, align 4] 0, %4
  return
)");
}

// An index whose product may wrap does not select the element: 12 * index may be any multiple of 4
// then; for 8 * index the bits of the product select.
TEST(PromotePrivateArrays, ProductsThatMayWrap) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = load_ssbo[1, align 4] 0
  store_private[0, align 16] 0, 10, 11, 12, 13
  %1:i32 = imul %0, 12
  %2:i32 = load_private[0, align 4] %1
  %3:i32 = shl %0, 3
  %4:i32 = load_private[0, align 4] %3
  store_ssbo[0, align 4] 0, %2, %4
  return)",
                      PromotePrivateArrays),
            R"(  %0:i32 = load_ssbo[1, align 4] 0
  %1:i32 = imul %0, 12
  %2:i32 = and %1, 4
  %3:bool = ine %2, 0
  %4:i32 = and %1, 8
  %5:bool = ine %4, 0
  %6:i32 = select %3, 11, 10
  %7:i32 = select %3, 13, 12
  %8:i32 = select %5, %7, %6
  %9:i32 = shl %0, 3
  %10:i32 = and %9, 8
  %11:bool = ine %10, 0
  %12:i32 = select %11, 12, 10
  store_ssbo[0, align 4] 0, %8, %12
  return
)");
}

TEST(PromotePrivateArrays, AVariableIndexStores) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  store_private[0, align 16] 0, 10, 11, 12, 13
  %1:i32 = and %0, 8
  store_private[0, align 8] %1, %0
  %2:i32, %3:i32, %4:i32 = load_private[0, align 4] 0
  store_ssbo[0, align 4] 0, %2, %3, %4
  return)",
                      PromotePrivateArrays),
            R"(  %0:i32 = local_index
  %1:i32 = and %0, 8
  %2:bool = ieq %1, 0
  %3:i32 = select %2, %0, 10
  %4:bool = ieq %1, 8
  %5:i32 = select %4, %0, 12
  store_ssbo[0, align 4] 0, %3, 11, %5
  return
)");
}

TEST(PromotePrivateArrays, NeverStoredIsUndefined) {
  EXPECT_EQ(RunOnBody(R"(
  %1:i32 = load_private[0, align 4] 8
  store_ssbo[0, align 4] 0, %1
  return)",
                      PromotePrivateArrays),
            R"(  store_ssbo[0, align 4] 0, undef.i32
  return
)");
}

constexpr char kLargeIndexed[] = R"(  %0:i32 = local_index
  %1:i32 = shl %0, 2
  store_private[0, align 4] %1, %0
  %2:i32 = load_private[0, align 4] 0
  store_ssbo[0, align 4] 0, %2
  return
)";

TEST(PromotePrivateArrays, StaysInMemoryWhereSelectsCostMore) {
  std::string body = kLargeIndexed;
  EXPECT_NE(RunOnBody(body, PromotePrivateArrays), kLargeIndexed);
  for (size_t at; (at = body.find("private[0")) != std::string::npos;) body[at + 8] = '1';
  // Array 0 is unused and dropped: the same text, but for the larger array.
  EXPECT_EQ(RunOnBody(body, PromotePrivateArrays), kLargeIndexed);
}

// Decided element by element: the first of the load and of the second store is inside.
TEST(PromotePrivateArrays, WhatIsOutsideIsUndefined) {
  EXPECT_EQ(RunOnBody(R"(  %9:i32 = local_index
  store_private[0, align 4] 4294967292, 5
  store_private[0, align 4] 12, %9, 6
  store_private[0, align 4] 16, 7
  %0:i32, %1:i32 = load_private[0, align 4] 12
  store_ssbo[0, align 4] 0, %0, %1
  return
)",
                      PromotePrivateArrays),
            R"(  %0:i32 = local_index
  store_ssbo[0, align 4] 0, %0, undef.i32
  return
)");
}

TEST(PromotePrivateArrays, VolatileStays) {
  constexpr char kVolatile[] = R"(  %0:i32 = load_private.volatile[0, align 4] 12
  store_ssbo[0, align 4] 0, %0
  return
)";
  EXPECT_EQ(RunOnBody(kVolatile, PromotePrivateArrays), kVolatile);
}

TEST(PromotePrivateArrays, UnusedArraysGo) {
  mir::Module m = *mir::Parse(
      "mir 1\nentry \"main\"\nlocal_size 1, 1, 1\nprivate 0 16\nprivate 1 16\nprivate 2 64\n"
      "body {\n %0:i32 = local_index\n store_private[1, align 4] 0, 1\n"
      " store_private.volatile[2, align 4] 0, 1\n return\n}\n");
  PassContext context = PassContext::ForTest();
  EXPECT_TRUE(*PromotePrivateArrays(m, context));
  ASSERT_EQ(m.private_arrays.size(), 1u);
  EXPECT_EQ(m.private_arrays[0].bytes, 64u);
  EXPECT_FALSE(*PromotePrivateArrays(m, context));
}

}  // namespace
}  // namespace kiln::mid
