// Tests the instructions that emission makes of each operation of scratch.h.
#include "core/intel/emit/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

// Messages of eight, four, two and one registers.
TEST(EmitScratch, RegistersInBlocks) {
  EXPECT_EQ(Emitted(R"(
    %14x32:ud@64 = fill %12x8:ud@0 #0x8:ud {w16 nomask ra}
    spill %12x8:ud@0 %5x2:ud@64 #0x8:ud {w16 nomask ra}
)",
                    16),
            R"(
    (W) send.dc0 (16|M0) r8 r0 null 0x0 0x024C2001
    (W) send.dc0 (16|M0) null r0 r8 0x100 0x020F2001
)");
}

// The header holds the offset of an oword block.
TEST(EmitScratch, FarPlacesByOwordBlocks) {
  EXPECT_EQ(Emitted(R"(
    %14x32:ud@64 = fill %12x8:ud@16 #0x8000:ud {w16 nomask ra}
)",
                    16),
            R"(
    (W) send.dc0 (16|M0) r8 r2 null 0x0 0x024804FD
)");
}

// Far stores are NoMask and have 16 channels, whatever is left to store: a lane that is off would
// suppress its dword of the block.
TEST(EmitScratch, FarStoresHaveNoMask) {
  EXPECT_EQ(Emitted(R"(
    spill %12x8:ud@16 %14x24:ud@64 #0x8000:ud {w16 nomask ra}
)",
                    16),
            R"(
    (W) send.dc0 (16|M0) null r2 r8 0x80 0x020A03FD
    (W) add (1|M0) r2.2<1>:ud r2.2<0;1,0>:ud 0x4:ud
    (W) send.dc0 (16|M0) null r2 r10 0x40 0x020A02FD
)");
}

TEST(EmitScratch, MaskedStores) {
  EXPECT_EQ(Emitted(R"(
    spill %12x8:ud@0 %0:ud@64 #0x10:ud {w16 ra}
)",
                    16),
            R"(
    send.dc0 (16|M0) null r0 r8 0x80 0x020F1002
)");
}

// The old data are read, overwritten under the mask, and stored.
TEST(EmitScratch, ShortLanesAreMerged) {
  EXPECT_EQ(Emitted(R"(
    %13x8:ud@128 = merge_spill %12x8:ud@0 %3:uw@64 #0x10:ud {w16}
)",
                    16),
            R"(
    (W) send.dc0 (8|M0) r16 r0 null 0x0 0x021C0002
    mov (16|M0) r16.0<1>:uw r8.0<8;8,1>:uw
    (W) send.dc0 (8|M0) null r0 r16 0x40 0x020F0002
)");
}

}  // namespace
}  // namespace kiln::intel
