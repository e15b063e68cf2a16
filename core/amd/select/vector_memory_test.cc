// Tests the instructions that move several dwords, by alignment.
#include <string>

#include "absl/strings/str_cat.h"
#include "core/amd/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

// Returns the LDS instructions for a load and a store of `dwords` at a multiple of 1 << shift.
std::string Moved(int dwords, int shift) {
  std::string results, values;
  for (int i = 0; i < dwords; ++i) {
    absl::StrAppend(&results, i == 0 ? "" : ", ", "%", 20 + i, ":i32");
    absl::StrAppend(&values, ", %", 20 + i);
  }
  const std::string ops = SelectedOps(
      absl::StrCat("%10:i32 = shl %1, ", shift, "\n%11:i32 = iadd %10, 512\n", results,
                   " = load_shared[align 4] %10\nstore_shared[align 4] %11", values, "\n"));
  std::string names;
  for (size_t at = ops.find("ds_"); at != std::string::npos; at = ops.find("ds_", at + 1)) {
    absl::StrAppend(&names, names.empty() ? "" : " ", ops.substr(at, ops.find(' ', at) - at));
  }
  return names;
}

TEST(VectorMemory, SharedMemoryByAlignment) {
  EXPECT_EQ(Moved(1, 2), "ds_read_b32 ds_write_b32");
  EXPECT_EQ(Moved(2, 2), "ds_read2_b32 ds_write2_b32");
  EXPECT_EQ(Moved(2, 3), "ds_read_b64 ds_write_b64");
  EXPECT_EQ(Moved(3, 2), "ds_read2_b32 ds_read_b32 ds_write2_b32 ds_write_b32");
  EXPECT_EQ(Moved(3, 3), "ds_read_b64 ds_read_b32 ds_write_b64 ds_write_b32");
  EXPECT_EQ(Moved(3, 4), "ds_read_b96 ds_write_b96");
  EXPECT_EQ(Moved(4, 2), "ds_read2_b32 ds_read2_b32 ds_write2_b32 ds_write2_b32");
  EXPECT_EQ(Moved(4, 3), "ds_read2_b64 ds_write2_b64");
  EXPECT_EQ(Moved(4, 4), "ds_read_b128 ds_write_b128");
  EXPECT_EQ(Moved(6, 4), "ds_read_b128 ds_read_b64 ds_write_b128 ds_write_b64");
}

// Dwords that nothing uses are not loaded where an instruction less or a smaller one does.
TEST(VectorMemory, UnusedDwords) {
  const auto loads = [](const char* flags, const char* used) {
    const std::string ops =
        SelectedOps(absl::StrCat("%10:i32, %11:i32, %12:i32, %13:i32, %14:i32, %15:i32 = load_ssbo",
                                 flags, "[0, align 4] %1\nstore_ssbo[0, align 4] 0, ", used, "\n"));
    return ops.substr(ops.find("buffer_load"),
                      ops.rfind("buffer_store") - 1 - ops.find("buffer_load"));
  };
  EXPECT_EQ(loads("", "%15"), "buffer_load_dword");
  EXPECT_EQ(loads("", "%11"), "buffer_load_dword");
  EXPECT_EQ(loads(".volatile", "%11"), "buffer_load_dwordx4 buffer_load_dwordx2");
}

}  // namespace
}  // namespace kiln::amd
