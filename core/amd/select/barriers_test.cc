// Tests what barriers of memory wait for and invalidate, by class and scope. The workgroup has two
// waves of 32 lanes, one of 64.
#include <string>

#include "core/amd/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

// Returns what is selected for a barrier, as operations after the load of descriptors.
std::string Made(const std::string& barrier, uint32_t width = 32) {
  const std::string store = "store_ssbo[0, align 4] 0, 1\n";
  const std::string ops = SelectedOps(store + barrier + "\n" + store, width);
  const size_t first = ops.find("buffer_store_dword") + sizeof("buffer_store_dword");
  const size_t last = ops.rfind("v_copy collect buffer_store_dword");
  return last <= first ? "" : ops.substr(first, last - 1 - first);
}

// Buffers (class 1) are in order for the workgroup: the wait is for nothing, and keeps the order of
// schedules.
TEST(SelectBarriers, OfMemory) {
  EXPECT_EQ(Made("memory_barrier[1, workgroup]"), "s_waitcnt");
  EXPECT_EQ(Made("memory_barrier[7, workgroup]"), "s_waitcnt");
  EXPECT_EQ(Made("memory_barrier[1, device]"),
            "s_waitcnt s_waitcnt_vscnt buffer_gl1_inv buffer_gl0_inv");
  EXPECT_EQ(Made("memory_barrier.acquire[1, device]"),
            "s_waitcnt s_waitcnt_vscnt buffer_gl1_inv buffer_gl0_inv");
  EXPECT_EQ(Made("memory_barrier.release[1, device]"), "s_waitcnt s_waitcnt_vscnt");
  EXPECT_EQ(Made("memory_barrier[1, subgroup]"), "");
  EXPECT_EQ(Made("memory_barrier[1, workgroup]", 64), "");
}

TEST(SelectBarriers, OfExecution) {
  EXPECT_EQ(Made("control_barrier[3, workgroup]"), "s_barrier");
  EXPECT_EQ(Made("control_barrier[3, workgroup]", 64), "");
  // Shared memory (class 2) alone is waited for.
  const auto simm = [](const char* classes) {
    return SelectedText("control_barrier[" + std::string(classes) + ", workgroup]\n")
               .find("simm 1") != std::string::npos;
  };
  EXPECT_TRUE(simm("3"));
  EXPECT_TRUE(simm("2"));
  EXPECT_FALSE(simm("1"));
}

}  // namespace
}  // namespace kiln::amd
