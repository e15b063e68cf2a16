// Tests atomic loads and stores, which are plain ones with bits of the device's level.
#include <string>

#include "absl/strings/match.h"
#include "core/amd/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

std::string Loaded(const std::string& load) {
  return SelectedText("%10:i32 = " + load + "\nstore_ssbo[0, align 4] 0, %10\n");
}

// Returns true if the line of an operation names these cache bits, as a number: 1 GLC, 4 DLC.
bool HasBits(const std::string& text, const std::string& op, const char* bits) {
  const size_t at = text.find(op);
  if (at == std::string::npos) return false;
  const std::string line = text.substr(at, text.find('\n', at) - at);
  return absl::StrContains(line, std::string("cache ") + bits);
}

TEST(SelectAtomics, LoadsAreLoads) {
  EXPECT_TRUE(HasBits(Loaded("ssbo_atomic[0, load] %1"), "buffer_load_dword", "5"));
  EXPECT_TRUE(HasBits(Loaded("global_atomic[load] %1, %1"), "global_load_dword", "5"));
  EXPECT_TRUE(HasBits(Loaded("image_atomic[1, texel load] %1, %1, %1"), "image_load", "5"));
  EXPECT_TRUE(absl::StrContains(Loaded("shared_atomic[load] %1"), "ds_read_b32"));
  EXPECT_FALSE(absl::StrContains(Loaded("ssbo_atomic[0, load] %1"), "buffer_atomic"));
}

TEST(SelectAtomics, StoresAreStores) {
  EXPECT_TRUE(
      HasBits(SelectedText("%10:i32 = ssbo_atomic[0, store] %1, %2\n"), "buffer_store_dword", "1"));
  EXPECT_TRUE(HasBits(SelectedText("%10:i32 = global_atomic[store] %1, %1, %2\n"),
                      "global_store_dword", "1"));
  EXPECT_TRUE(HasBits(SelectedText("%10:i32 = image_atomic[1, texel store] %1, %1, %1, %2\n"),
                      "image_store", "1"));
  EXPECT_TRUE(
      absl::StrContains(SelectedText("%10:i32 = shared_atomic[store] %1, %2\n"), "ds_write_b32"));
}

TEST(SelectAtomics, OfEightBytes) {
  EXPECT_TRUE(HasBits(SelectedText("%10:i64 = ssbo_atomic[0, load] %1\n"
                                   "store_ssbo[0, align 8] 0, %10\n"),
                      "buffer_load_dwordx2", "5"));
  EXPECT_TRUE(HasBits(SelectedText("%10:i64 = ssbo_atomic[0, store] %1, 5i64\n"),
                      "buffer_store_dwordx2", "1"));
  EXPECT_TRUE(
      absl::StrContains(SelectedText("%10:i64 = shared_atomic[store] %1, 5i64\n"), "ds_write_b64"));
}

// Two loads of one place may not pass each other: a wait for nothing is between them, which keeps
// the order of schedules.
TEST(SelectAtomics, LoadsStayInOrder) {
  EXPECT_TRUE(absl::StrContains(
      SelectedOps("%10:i32 = ssbo_atomic[0, load] %1\n%11:i32 = ssbo_atomic[0, load] %1\n"
                  "store_ssbo[0, align 4] 0, %10, %11\n"),
      "buffer_load_dword s_waitcnt buffer_load_dword"));
  EXPECT_FALSE(
      absl::StrContains(SelectedOps("%10:i32 = ssbo_atomic[0, load] %1\n"), "load_dword "));
}

}  // namespace
}  // namespace kiln::amd
