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
  EXPECT_EQ(Made("memory_barrier[1, device]"), "s_waitcnt s_waitcnt_vscnt");
  EXPECT_EQ(Made("memory_barrier.acquire[1, device]"), "s_waitcnt s_waitcnt_vscnt");
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

// A clock stays between the accesses around it, and is read anew each time.
TEST(SelectBarriers, Clocks) {
  const std::string clocks =
      "%10:i32, %11:i32 = read_clock[subgroup]\n%12:i32, %13:i32 = read_clock[device]\n"
      "%14:i32, %15:i32 = read_clock[device]\nstore_ssbo[0, align 4] 0, %10, %13, %14\n";
  const std::string made = SelectedOps(clocks);
  EXPECT_NE(made.find("s_memtime s_memrealtime s_memrealtime"), std::string::npos) << made;
}

constexpr char kRead[] = "%10:i32 = load_ssbo[0, align 4] 0\n";
constexpr char kReadUnchanging[] = "%10:i32 = load_ssbo[3, align 4] 0\n";

std::string Invalidates(const std::string& body) {
  std::string found;
  const std::string ops = SelectedOps(body);
  for (const char* op : {"buffer_gl1_inv", "buffer_gl0_inv"}) {
    if (ops.find(op) != std::string::npos) found += found.empty() ? op : std::string(" ") + op;
  }
  return found;
}

// Caches of loads are invalidated for the device; waves of a workgroup share them.
TEST(SelectBarriers, InvalidateWhatLoadsMayFindStale) {
  EXPECT_EQ(Invalidates(std::string("memory_barrier[1, device]\n") + kRead),
            "buffer_gl1_inv buffer_gl0_inv");
  EXPECT_EQ(Invalidates("memory_barrier[4, device]\n%10:i32 = load_ssbo[0, align 4] 0\n"),
            "buffer_gl1_inv buffer_gl0_inv");
  EXPECT_EQ(Invalidates(std::string("memory_barrier[1, workgroup]\n") + kRead), "");
  EXPECT_EQ(Invalidates(std::string("memory_barrier[2, device]\n") + kRead), "");
  EXPECT_EQ(Invalidates(std::string("memory_barrier.acquire[1, device]\n") + kRead),
            "buffer_gl1_inv buffer_gl0_inv");
  EXPECT_EQ(Invalidates(std::string("memory_barrier.release[1, device]\n") + kRead), "");
}

// A program without loads that the barrier orders has nothing to invalidate.
TEST(SelectBarriers, InvalidateNothingForProgramsWithoutLoads) {
  EXPECT_EQ(SelectedOps("memory_barrier[7, device]\n"), "s_waitcnt s_waitcnt_vscnt");
  EXPECT_EQ(Invalidates("store_ssbo[0, align 4] 0, 1\nmemory_barrier[1, device]\n"
                        "store_ssbo[0, align 4] 4, 1\n"),
            "");
  EXPECT_EQ(Invalidates(std::string("memory_barrier[1, device]\n") + kReadUnchanging), "");
}

}  // namespace
}  // namespace kiln::amd
