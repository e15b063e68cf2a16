#include "core/mid/memory/combine_memory.h"

#include <string>

#include "core/mid/testing/testing.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

TEST(CombineMemory, LoadsMoveUpAndStoresDown) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:i32 = shl %0, 4
  %2:i32 = iadd %1, 4
  %3:f32 = load_ssbo[0, align 4] %2
  %4:f32 = load_ssbo[0, align 16] %1
  store_ssbo[1, align 16] %1, %3
  store_ssbo[1, align 4] %2, %4
  return)",
                      For<CombineMemory>),
            R"(  %0:i32 = local_index
  %1:i32 = shl %0, 4
  %2:f32, %3:f32 = load_ssbo[0, align 16] %1
  store_ssbo[1, align 16] %1, %3, %2
  return
)");
}

TEST(CombineMemory, AtMostFourDwordsAndNoGaps) {
  EXPECT_EQ(RunOnBody(R"(
  %6:i32 = local_index
  %7:i32 = shl %6, 2
  %8:i32 = iadd %7, 4
  %9:i32 = iadd %7, 12
  %10:i32 = iadd %7, 24
  %0:f32 = load_shared[align 4] %7
  %1:f32, %2:f32 = load_shared[align 4] %8
  %3:f32, %4:f32 = load_shared[align 4] %9
  %5:f32 = load_shared[align 4] %10
  store_ssbo[0, align 4] 0, %0, %1, %2, %3, %4, %5
  return)",
                      For<CombineMemory>),
            R"(  %0:i32 = local_index
  %1:i32 = shl %0, 2
  %2:i32 = iadd %1, 12
  %3:i32 = iadd %1, 24
  %4:f32, %5:f32, %6:f32 = load_shared[align 4] %1
  %7:f32, %8:f32 = load_shared[align 4] %2
  %9:f32 = load_shared[align 4] %3
  store_ssbo[0, align 4] 0, %4, %5, %6, %7, %8, %9
  return
)");
}

// An instruction between the accesses keeps these apart; each body must be unchanged.
constexpr char kKept[][600] = {
    // A write to bytes that only the later load reads.
    R"(  %0:i32 = load_ssbo[0, align 4] 0
  %1:i32 = ssbo_atomic[0, add] 4, 5
  %2:i32 = load_ssbo[0, align 4] 4
  store_ssbo[1, align 4] 0, %0, %1, %2
  return
)",
    R"(  %0:i32 = load_shared[align 4] 0
  %1:i16 = load_ssbo[1, align 2] 0
  store_shared[align 2] 6, %1
  %2:i32 = load_shared[align 4] 4
  store_ssbo[0, align 4] 0, %0, %2
  return
)",
    // A store to the same buffer at an unknown offset.
    R"(  %0:i32 = local_index
  %1:i32 = load_ssbo[0, align 4] 0
  store_ssbo[0, align 4] %0, 1
  %2:i32 = load_ssbo[0, align 4] 4
  store_ssbo[1, align 4] 0, %1, %2
  return
)",
    // An address may be the buffer's.
    R"(  %0:i32 = load_ssbo[0, align 4] 0
  store_global[align 4] 0, 0, 1
  %1:i32 = load_ssbo[0, align 4] 4
  store_ssbo[1, align 4] 8, %0, %1
  return
)",
    // A load of the stored bytes.
    R"(  store_ssbo[0, align 4] 0, 1
  %0:i32 = load_ssbo[0, align 4] 0
  store_ssbo[0, align 4] 4, %0
  return
)",
    // A barrier.
    R"(  store_shared[align 4] 0, 1
  control_barrier[3, workgroup]
  store_shared[align 4] 4, 2
  return
)",
    // The same location twice.
    R"(  store_shared[align 4] 0, 1, 2
  store_shared[align 4] 4, 3
  return
)",
    // Volatile.
    R"(  %0:i32 = load_ssbo.volatile[0, align 4] 0
  %1:i32 = load_ssbo.volatile[0, align 4] 4
  store_ssbo[1, align 4] 8, %0, %1
  return
)",
    // Control flow.
    R"(  %0:i32 = local_index
  %1:bool = ult %0, 3
  %2:i32 = load_ssbo[0, align 4] 0
  if %1 {
    store_ssbo[0, align 4] 4, 1
    yield
  } else {
    yield
  }
  %3:i32 = load_ssbo[0, align 4] 4
  store_ssbo[1, align 4] 8, %2, %3
  return
)"};

TEST(CombineMemory, KeepsApartWhatMayTouchTheSameMemory) {
  for (const char* body : kKept) EXPECT_EQ(RunOnBody(body, For<CombineMemory>), body);
}

// The second pair begins after the write.
TEST(CombineMemory, AWriteBeginsAnotherGroupOfLoads) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = load_ssbo[0, align 4] 0
  %1:i32 = ssbo_atomic[0, add] 8, 5
  %2:i32 = load_ssbo[0, align 4] 4
  %3:i32 = load_ssbo[0, align 4] 8
  %4:i32 = load_ssbo[0, align 4] 12
  store_ssbo[1, align 4] 0, %0, %1, %2, %3
  store_ssbo[1, align 4] 16, %4
  return)",
                      For<CombineMemory>),
            R"(  %0:i32, %1:i32 = load_ssbo[0, align 4] 0
  %2:i32 = ssbo_atomic[0, add] 8, 5
  %3:i32, %4:i32 = load_ssbo[0, align 4] 8
  store_ssbo[1, align 4] 0, %0, %2, %1, %3
  store_ssbo[1, align 4] 16, %4
  return
)");
}

TEST(CombineMemory, BuffersOfOtherBindingsDoNotDisturb) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = load_ssbo[0, align 4] 0
  store_ssbo[1, align 4] 0, %0
  %1:i32 = load_ssbo[0, align 4] 4
  store_ssbo[1, align 4] 4, %1
  return)",
                      For<CombineMemory>),
            R"(  %0:i32, %1:i32 = load_ssbo[0, align 4] 0
  store_ssbo[1, align 4] 0, %0, %1
  return
)");
}

TEST(CombineMemory, MemoryByAddress) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:i32 = workgroup_id[0]
  %2:i32 = iadd %0, 8
  %3:i32 = uadd_carry %0, 8
  %4:i32 = iadd %1, %3
  %5:i32 = iadd %0, 12
  %6:i32 = uadd_carry %0, 12
  %7:i32 = iadd %1, %6
  %8:i32 = load_global[align 4] %5, %7
  %9:i32 = load_global[align 4] %2, %4
  store_global[align 4] %2, %4, %8
  store_global[align 4] %5, %7, %9
  return)",
                      For<CombineMemory>),
            R"(  %0:i32 = local_index
  %1:i32 = workgroup_id[0]
  %2:i32 = iadd %0, 8
  %3:i32 = uadd_carry %0, 8
  %4:i32 = iadd %1, %3
  %5:i32 = iadd %0, 8
  %6:i32 = uadd_carry %0, 8
  %7:i32 = iadd %1, %6
  %8:i32, %9:i32 = load_global[align 4] %5, %7
  store_global[align 4] %2, %4, %9, %8
  return
)");
}

TEST(CombineMemory, DisjointAccessesThroughOneBaseDoNotDisturb) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:i32 = iadd %0, 4
  %2:i32 = iadd %0, 8
  store_ssbo[0, align 4] %0, 1
  %3:i32 = load_ssbo[0, align 4] %2
  store_ssbo[0, align 4] %1, %3
  return)",
                      For<CombineMemory>),
            R"(  %0:i32 = local_index
  %1:i32 = iadd %0, 8
  %2:i32 = load_ssbo[0, align 4] %1
  store_ssbo[0, align 4] %0, 1, %2
  return
)");
}

TEST(CombineMemory, SharedAndBufferMemoryAreDifferent) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = load_shared[align 4] 0
  store_ssbo[0, align 4] 0, %0
  %1:i32 = load_shared[align 4] 4
  store_ssbo[0, align 4] 4, %1
  return)",
                      For<CombineMemory>),
            R"(  %0:i32, %1:i32 = load_shared[align 4] 0
  store_ssbo[0, align 4] 0, %0, %1
  return
)");
}

// One message reads 64 bytes if all lanes need the same.
TEST(CombineMemory, BlocksAtOffsetsThatLanesShareHaveGaps) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = workgroup_id[0]
  %1:i32 = shl %0, 6
  %2:i32 = iadd %1, 12
  %3:i32 = iadd %1, 60
  %4:i32 = iadd %1, 64
  %5:i32, %6:i32 = load_ssbo[0, align 4] %2
  %7:i32 = load_ssbo[0, align 4] %1
  %8:i32 = load_ssbo[0, align 4] %4
  %9:i32 = load_ssbo[0, align 4] %3
  store_ssbo[1, align 4] 0, %5, %6, %7, %8, %9
  return)",
                      For<CombineMemory>),
            R"(  %0:i32 = workgroup_id[0]
  %1:i32 = shl %0, 6
  %2:i32 = iadd %1, 64
  %3:i32, %4:i32, %5:i32, %6:i32, %7:i32, %8:i32, %9:i32, %10:i32, %11:i32, %12:i32, %13:i32, %14:i32, %15:i32, %16:i32, %17:i32, %18:i32 = load_ssbo[0, align 4] %1
  %19:i32 = load_ssbo[0, align 4] %2
  store_ssbo[1, align 4] 0, %6, %7, %3, %19, %18
  return
)");
  // Blocks of shared memory begin at multiples of 16 bytes.
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = workgroup_id[0]
  %1:i32 = shl %0, 4
  %2:i32 = iadd %1, 8
  %3:i32 = load_shared[align 16] %1
  %4:i32 = load_shared[align 8] %2
  store_ssbo[1, align 4] 0, %3, %4
  return)",
                      For<CombineMemory>),
            R"(  %0:i32 = workgroup_id[0]
  %1:i32 = shl %0, 4
  %2:i32, %3:i32, %4:i32 = load_shared[align 16] %1
  store_ssbo[1, align 4] 0, %2, %4
  return
)");
  // Not if offsets differ between lanes.
  const char* const kept[] = {
      R"(  %0:i32 = local_index
  %1:i32 = iadd %0, 8
  %2:i32 = load_ssbo[0, align 4] %0
  %3:i32 = load_ssbo[0, align 4] %1
  store_ssbo[1, align 4] %0, %2, %3
  return
)",
      R"(  %0:i32 = workgroup_id[0]
  %1:i32 = shl %0, 3
  %2:i32 = iadd %1, 8
  %3:i32 = load_shared[align 8] %1
  %4:i32 = load_shared[align 8] %2
  store_ssbo[1, align 4] 0, %3, %4
  return
)"};
  for (const char* body : kept) EXPECT_EQ(RunOnBody(body, For<CombineMemory>), body);
}

constexpr Features kWithConstantBlocks = [] {
  Features f = kFewFeatures;
  f.access.block_of_constants = true;
  return f;
}();

// Memory that nothing writes, at constant offsets: of targets whose selection makes no blocks
// there.
TEST(CombineMemory, BlocksAtConstantOffsets) {
  const std::string body = R"(  %0:i32 = load_constant[align 4] 16
  %1:i32 = load_constant[align 4] 28
  %2:i32 = load_constant[align 4] 76
  %3:i32 = load_constant[align 4] 80
  store_ssbo[1, align 4] 0, %0, %1, %2, %3
  return
)";
  EXPECT_EQ(RunOnBody(body, For<CombineMemory>).find("%4"), std::string::npos);
  EXPECT_EQ(
      RunOnBody(body, For<CombineMemory, kWithConstantBlocks>),
      R"(  %0:i32, %1:i32, %2:i32, %3:i32, %4:i32, %5:i32, %6:i32, %7:i32, %8:i32, %9:i32, %10:i32, %11:i32, %12:i32, %13:i32, %14:i32, %15:i32 = load_constant[align 4] 16
  %16:i32 = load_constant[align 4] 80
  store_ssbo[1, align 4] 0, %0, %3, %15, %16
  return
)");
}

// Offsets below the base are the largest, and do not precede the smallest.
TEST(CombineMemory, BlocksEndWhereOffsetsWrap) {
  const std::string body = R"(  %0:i32 = workgroup_id[0]
  %1:i32 = shl %0, 6
  %2:i32 = iadd %1, -4
  %3:i32 = load_ssbo[0, align 4] %1
  %4:i32 = load_ssbo[0, align 4] %2
  store_ssbo[1, align 4] 0, %3, %4
  return
)";
  EXPECT_EQ(RunOnBody(body, For<CombineMemory>), body);
}

TEST(CombineMemory, TheLowestOffsetIsComputedWhereItIsNeeded) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:i32 = iadd %0, 12
  %2:i32 = load_ssbo[0, align 4] %1
  %3:i32 = iadd %0, 8
  %4:i32 = load_ssbo[0, align 8] %3
  store_ssbo[1, align 4] 0, %2, %4
  return)",
                      For<CombineMemory>),
            R"(  %0:i32 = local_index
  %1:i32 = iadd %0, 8
  %2:i32, %3:i32 = load_ssbo[0, align 8] %1
  store_ssbo[1, align 4] 0, %3, %2
  return
)");
}

}  // namespace
}  // namespace kiln::mid
