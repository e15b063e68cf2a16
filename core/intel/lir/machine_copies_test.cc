// Tests the copies, swaps and moves of flags that register allocation asks the machine for.
#include <array>
#include <map>
#include <string>

#include "core/intel/device/device.h"
#include "core/intel/lir/machine.h"
#include "core/intel/lir/ops.h"
#include "core/intel/lir/testing.h"
#include "core/lir/print.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using testing::FunctionOf;

// %0 is per lane, %1 per lane in words, %2 in qwords, %3 a vector of uniforms, %4 a flag.
lir::Function Values(int width) {
  return FunctionOf(width,
                    "value %0 G 4x1\nvalue %1 G 2x1\nvalue %2 G 8x1\nvalue %3 U 4x4\n"
                    "value %4 F 0x1\nvalue %5 U 4x1\n");
}

// Returns the text of the copy of so many units of a value from unit 32 to unit 64.
std::string Copy(int width, size_t value, uint32_t units, bool no_mask = false) {
  lir::Function f = Values(width);
  const lir::Machine& t = MachineOf(Tgl());
  const lir::InstId id = t.make_copy(f, f.values[value], 64, 32, units, no_mask);
  for (lir::Operand& o : f.defs(id)) o.id = static_cast<uint32_t>(value);
  for (lir::Operand& o : f.uses(id)) o.id = static_cast<uint32_t>(value);
  return lir::PrintInst(t, f, id);
}

// A copy of lanes has the width at which each bit of the mask meets its own lane.
TEST(MachineCopies, LanesAreCopiedUnderTheirMask) {
  EXPECT_EQ(Copy(16, 0, 16), "%0:ud@64 = mov.g %0:ud@32 {w16 ra aux 16}");
  EXPECT_EQ(Copy(8, 0, 8), "%0:ud@64 = mov.g %0:ud@32 {w8 ra aux 8}");
  EXPECT_EQ(Copy(16, 1, 8), "%1:uw@64 = mov.g %1:uw@32 {w16 ra aux 8}") << "as words";
  EXPECT_EQ(Copy(8, 1, 4), "%1:uw@64 = mov.g %1:uw@32 {w8 ra aux 4}");
  EXPECT_EQ(Copy(16, 0, 16, true), "%0:ud@64 = mov.g %0:ud@32 {w16 nomask ra aux 16}");
}

TEST(MachineCopies, UniformsAreCopiedWithoutMask) {
  EXPECT_EQ(Copy(16, 3, 4), "%3:ud@64 = mov.u %3:ud@32 {w4 nomask ra aux 4}");
  EXPECT_EQ(Copy(16, 3, 1), "%3:ud@64 = mov.u %3:ud@32 {nomask ra aux 1}");
}

// Does a swap's instructions, one after the other, on one number per register.
void ExpectSwap(int width, size_t value, uint32_t units, uint16_t op) {
  lir::Function f = Values(width);
  const lir::Machine& t = MachineOf(Tgl());
  std::array<lir::InstId, 3> out;
  ASSERT_EQ(t.make_swap(f, f.values[value], 32, 64, units, false, absl::MakeSpan(out)), 3);
  std::map<uint32_t, uint32_t> registers = {{32, 0x1234}, {64, 0xabcd}};
  for (const lir::InstId id : out) {
    EXPECT_EQ(f.inst(id).op, op);
    EXPECT_EQ(f.inst(id).aux, units);
    EXPECT_TRUE(f.inst(id).flags & lir::kInsertedCopy);
    ASSERT_EQ(f.uses(id).size(), 2u);
    registers.at(f.defs(id)[0].reg) =
        registers.at(f.uses(id)[0].reg) ^ registers.at(f.uses(id)[1].reg);
  }
  EXPECT_EQ(registers[32], 0xabcdu);
  EXPECT_EQ(registers[64], 0x1234u);
}

TEST(MachineCopies, ThreeExclusiveOrsSwap) {
  ExpectSwap(16, 0, 16, kXorG);
  ExpectSwap(8, 1, 4, kXorG);
  ExpectSwap(16, 3, 4, kXorU);
}

// All lanes of a flag are saved: as many bits as the flag has.
TEST(MachineCopies, FlagsAreSavedInUniforms) {
  const lir::Machine& t = MachineOf(Tgl());
  for (const auto& [width, type] : {std::pair(8, "uw"), std::pair(16, "uw"), std::pair(32, "ud")}) {
    lir::Function f = Values(width);
    const lir::InstId save = t.make_save(f, lir::ValueId(5), lir::ValueId(4));
    const lir::InstId restore = t.make_restore(f, lir::ValueId(4), lir::ValueId(5));
    const std::string of = std::string(":") + type;
    EXPECT_EQ(lir::PrintInst(t, f, save), "%5" + of + " = mov %4" + of + " {nomask}");
    EXPECT_EQ(lir::PrintInst(t, f, restore), "%4" + of + " = mov %5" + of + " {nomask}");
  }
}

}  // namespace
}  // namespace kiln::intel
