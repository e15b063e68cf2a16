#include "core/mid/memory/remove_dead_stores.h"

#include <string>

#include "core/mid/testing/testing.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

TEST(DeadStores, OverwrittenElementsByOneOrSeveralStores) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  store_ssbo[0, align 4] %0, 1, 2
  store_ssbo[0, align 4] 64, 8, 9
  %1:i32 = iadd %0, 4
  store_ssbo[0, align 4] %1, 3
  store_ssbo[0, align 4] %0, 4
  store_ssbo[0, align 4] 64, 7
  return)",
                      RemoveDeadStores),
            R"(  %0:i32 = local_index
  store_ssbo[0, align 4] 64, 8, 9
  %1:i32 = iadd %0, 4
  store_ssbo[0, align 4] %1, 3
  store_ssbo[0, align 4] %0, 4
  store_ssbo[0, align 4] 64, 7
  return
)");
}

// The instructions between two stores to one location decide.
TEST(DeadStores, ReadersAndBarriers) {
  const auto dead = [](const std::string& between) {
    const std::string text = RunOnBody("%0:i32 = local_index store_ssbo[0, align 4] 0, 1 " +
                                           between + " store_ssbo[0, align 4] 0, 2 return",
                                       RemoveDeadStores);
    return text.find("store_ssbo[0, align 4] 0, 1") == text.npos;
  };
  EXPECT_TRUE(dead(""));
  EXPECT_TRUE(dead("%1:i32 = load_ssbo[0, align 4] 4"));
  EXPECT_TRUE(dead("%1:i32 = load_shared[align 4] 0"));
  EXPECT_FALSE(dead("%1:i32 = load_ssbo[0, align 4] %0 store_ssbo[1, align 4] 0, %1"));
  EXPECT_TRUE(dead("%1:i32 = load_ssbo[1, align 4] 0"));
  EXPECT_FALSE(dead("%1:i32 = load_global[align 4] 0, 0 store_ssbo[1, align 4] 0, %1"));
  EXPECT_FALSE(dead("%1:i32 = ssbo_atomic[0, add] 0, 1"));
  EXPECT_FALSE(dead("control_barrier[1, workgroup]"));
  EXPECT_FALSE(dead("memory_barrier[1, device]"));
}

TEST(DeadStores, VolatileStays) {
  const char* const body = R"(  store_ssbo.volatile[0, align 4] 0, 1
  store_ssbo.volatile[0, align 4] 0, 2
  return
)";
  EXPECT_EQ(RunOnBody(body, RemoveDeadStores), body);
}

TEST(DeadStores, BothSidesOfAnIf) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ult %0, 4
  store_ssbo[0, align 4] 0, 1
  store_ssbo[0, align 4] 4, 1
  if %1 {
    store_ssbo[0, align 4] 0, 2
    store_ssbo[0, align 4] 4, 2
    yield
  } else {
    store_ssbo[0, align 4] 0, 3
    yield
  }
  return)",
                      RemoveDeadStores),
            R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  store_ssbo[0, align 4] 4, 1
  if %1 {
    store_ssbo[0, align 4] 0, 2
    store_ssbo[0, align 4] 4, 2
    yield
  } else {
    store_ssbo[0, align 4] 0, 3
    yield
  }
  return
)");
}

// Shared memory ends with the workgroup, but another iteration may read what this one stores.
TEST(DeadStores, EndOfMemoryAndLoops) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  store_shared[align 4] 8, 1
  loop (%1:i32 = 0) {
    %2:i32 = load_shared[align 4] 4
    %3:bool = ieq %2, %0
    if %3 {
      store_shared[align 4] 0, 1
      break
    } else {
      yield
    }
    store_shared[align 4] 4, %1
    %4:i32 = iadd %1, 1
    continue %4
  }
  store_shared[align 4] 0, 4
  return)",
                      RemoveDeadStores),
            R"(  %0:i32 = local_index
  store_shared[align 4] 8, 1
  loop (%1:i32 = 0) {
    %2:i32 = load_shared[align 4] 4
    %3:bool = ieq %2, %0
    if %3 {
      break
    } else {
      yield
    }
    store_shared[align 4] 4, %1
    %4:i32 = iadd %1, 1
    continue %4
  }
  return
)");
}

}  // namespace
}  // namespace kiln::mid
