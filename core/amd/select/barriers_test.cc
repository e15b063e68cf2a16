// Tests which instructions barriers are.
#include <string>

#include "core/amd/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

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
