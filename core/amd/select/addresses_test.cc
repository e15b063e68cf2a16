// Tests which constants become offsets of instructions.
#include <string>

#include "absl/strings/match.h"
#include "core/amd/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

// %10 is the base of two loads, so that it is in a register.
std::string Loads(const std::string& base, const char* constant) {
  return SelectedText(base + "%11:i32 = iadd %10, " + constant +
                      "\n%12:i32 = load_ssbo[0, align 4] %11\n"
                      "%13:i32 = load_ssbo[0, align 4] %10\nstore_ssbo[0, align 4] 0, %12, %13\n");
}
bool Has(const std::string& text, const char* part) { return absl::StrContains(text, part); }

constexpr char kUnknown[] = "%19:i32 = load_ssbo[0, align 4] %1\n";

// Lanes are at most 127, the sum of an unknown number and a constant may wrap.
TEST(Addresses, ConstantsOfBuffersThatDoNotWrap) {
  EXPECT_TRUE(Has(Loads("%10:i32 = shl %1, 2\n", "48"), "offset 48"));
  EXPECT_FALSE(Has(Loads(std::string(kUnknown) + "%10:i32 = iadd %19, %1\n", "48"), "offset 48"));
  // The low bits of a multiple of 128 have room.
  EXPECT_TRUE(Has(Loads(std::string(kUnknown) + "%10:i32 = shl %19, 7\n", "48"), "offset 48"));
  // A uniform offset in S, too.
  EXPECT_TRUE(Has(Loads("%10:i32 = shl %2, 2\n", "48"), "offset 48"));
  EXPECT_FALSE(Has(Loads("%10:i32 = shl %2, 2\n", "4080"), "offset 4080"));
  // The part that an immediate cannot hold is an offset in S.
  const std::string far = Loads("%10:i32 = shl %1, 2\n", "20480");
  EXPECT_TRUE(Has(far, "0x5000")) << far;
  EXPECT_FALSE(Has(far, "v_add_nc_u32 0x5000")) << far;
}

TEST(Addresses, ConstantsOfSharedMemoryAlways) {
  const char* const load =
      "%12:i32 = load_shared[align 4] %11\n%13:i32 = load_ssbo[0, align 4] %10\n"
      "store_ssbo[0, align 4] 0, %12, %13\n";
  const std::string unknown = std::string(kUnknown) + "%10:i32 = iadd %19, %1\n";
  EXPECT_TRUE(Has(SelectedText(unknown + "%11:i32 = iadd %10, 48\n" + load), "offset 48"));
  EXPECT_FALSE(Has(SelectedText(unknown + "%11:i32 = iadd %10, 65536\n" + load), "offset"));
  EXPECT_FALSE(Has(SelectedText(unknown + "%11:i32 = iadd %10, -4\n" + load), "offset"));
}

}  // namespace
}  // namespace kiln::amd
