// Tests the addresses that selection makes of accesses to memory.
#include <string>

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

}  // namespace
}  // namespace kiln::amd
