// Tests the addresses that selection makes of accesses to memory.
#include <string>

#include "absl/strings/match.h"
#include "core/amd/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

std::string Loaded(const std::string& low, const std::string& carry) {
  return SelectedText("%10:i32 = iadd %2, " + low + "\n%11:i32 = uadd_carry %2, " + carry +
                      "\n%12:i32 = iadd %2, %11\n%13:i32 = load_global[align 4] %10, %12\n" +
                      "store_ssbo[0, align 4] 0, %13\n");
}

// The constant of a sum of 64 bits, if the carry is that of the low words and it is within reach.
TEST(SelectMemory, ConstantsOfGlobalAddresses) {
  EXPECT_NE(Loaded("48", "48").find("offset 48"), std::string::npos) << Loaded("48", "48");
  EXPECT_EQ(Loaded("48", "44").find("offset 48"), std::string::npos);
  EXPECT_EQ(Loaded("4000", "4000").find("offset 4000"), std::string::npos);
}

bool HasReadFirst(const std::string& ops) { return absl::StrContains(ops, "v_readfirstlane_b32"); }

// What a load finds for each lane becomes one value where a reader takes it for uniform.
TEST(SelectMemory, UniformLoadsAreOneValue) {
  const std::string loads[] = {"load_ssbo[0, align 4] %2", "load_ssbo[0, align 4] 8",
                               "load_global[align 4] %2, %2", "load_shared[align 4] %2"};
  for (const std::string& load : loads) {
    const auto with = [&](const std::string& readers) {
      return SelectedOps("%10:i32 = " + load + "\n" + readers);
    };
    for (
        const char* reader :
        {"%11:i32 = iadd %10, %2\nstore_ssbo[0, align 4] %1, %11\n",
         "%11:i32 = load_ssbo[0, align 4] %10\nstore_ssbo[0, align 4] %1, %11\n",
         "%11:bool = ieq %10, 3\nif %11 {\nstore_ssbo[0, align 4] 4, %1\nyield\n} else {\nyield\n}\n",
         "%11:f32 = bitcast %10\n%12:f32 = fmul %11, %4\n%13:f32 = fadd %12, %3\n"
         "store_ssbo[0, align 4] %1, %13\n"}) {
      EXPECT_TRUE(HasReadFirst(with(reader))) << load << reader << with(reader);
    }
    for (const char* reader : {"%11:i32 = iadd %10, %1\nstore_ssbo[0, align 4] %1, %11\n",
                               "store_ssbo[0, align 4] %1, %10\n"}) {
      EXPECT_FALSE(HasReadFirst(with(reader))) << load << reader << with(reader);
    }
  }
}

// Doubles and parts of dwords as well.
TEST(SelectMemory, UniformLoadsOfOtherSizesAreOneValue) {
  EXPECT_TRUE(
      HasReadFirst(SelectedOps("%10:f64 = load_ssbo[0, align 8] 8\n%11:f64 = fadd %10, %10\n"
                               "store_ssbo[0, align 8] %1, %11\n")));
  EXPECT_TRUE(HasReadFirst(
      SelectedOps("%10:i16 = load_ssbo[0, align 2] 8\n%11:i32 = zext %10\n%12:i32 = iadd %11, %2\n"
                  "store_ssbo[0, align 4] %1, %12\n")));
}

}  // namespace
}  // namespace kiln::amd
