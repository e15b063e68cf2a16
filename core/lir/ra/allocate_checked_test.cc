#include "core/lir/ra/allocate_checked.h"

#include <string>

#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/testing_scalar.h"
#include "gtest/gtest.h"

namespace kiln::lir::ra {
namespace {

using testing::ScalarTestMachine;

Function Parsed(const std::string& text) {
  absl::StatusOr<Function> f = Parse(ScalarTestMachine(), "function scalar width 32\n" + text);
  EXPECT_TRUE(f.ok()) << f.status();
  return f.ok() ? *std::move(f) : Function();
}

const std::string kSum =
    "value %0 S 4x1\nvalue %1 S 4x1\n"
    "block b0 depth 0\n"
    "  %0:b32 = s_const #0x1:b32\n"
    "  %1:b32 = s_mul %0:b32 %0:b32\n"
    "  s_end\n";

TEST(AllocateChecked, TheCheckChangesNothing) {
  Function plain = Parsed(kSum), checked = plain, spilled = plain;
  Demand demand;
  EXPECT_TRUE(AllocateChecked(ScalarTestMachine(), &plain, false, &demand).ok());
  EXPECT_TRUE(AllocateChecked(ScalarTestMachine(), &checked, true).ok());
  EXPECT_TRUE(AllocateWithSpillsChecked(ScalarTestMachine(), &spilled, true).ok());
  const std::string text = Print(ScalarTestMachine(), plain);
  EXPECT_EQ(Print(ScalarTestMachine(), checked), text);
  EXPECT_EQ(Print(ScalarTestMachine(), spilled), text);
  EXPECT_EQ(demand.pressure[testing::kPoolS].physical, 1);
  EXPECT_EQ(demand.lacking, 0u);
}

// A value without a definition gets a register, but the checker finds nothing in it.
TEST(AllocateChecked, AnUnfoundedAllocationIsRefused) {
  Function f = Parsed(kSum);
  Function undefined = f;
  undefined.blocks[0].insts.erase(undefined.blocks[0].insts.begin());
  EXPECT_FALSE(AllocateChecked(ScalarTestMachine(), &undefined, true).ok());
}

}  // namespace
}  // namespace kiln::lir::ra
