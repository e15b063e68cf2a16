// Tests the instructions that emission makes of each operation of sends.h.
#include "core/intel/device/testing.h"
#include "core/intel/emit/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

TEST(EmitSends, LengthsAreThoseOfTheOperands) {
  EXPECT_EQ(Emitted(R"(
    %5x2:ud@64 = msg.read %0:ud@32 {w16 [untyped_read bti 3 lanes 16 channels 3]}
    msg.write %0:ud@32 %5x2:ud@64 {w16 [untyped_write bti 3 lanes 16 channels 3]}
)",
                    16),
            R"(
    send.dc1 (16|M0) r8 r4 null 0x0 0x04405C03
    send.dc1 (16|M0) null r4 r8 0x100 0x04025C03
)");
}

TEST(EmitSends, MessagesOfEightLanesAreSentTwice) {
  EXPECT_EQ(Emitted(R"(
    %0:ud@64 = msg.atomic %7:ud@32 %1:ud@128 {w16 [a64_atomic bti 253 op 7 returns 1]}
)",
                    16),
            R"(
    send.dc1 (8|M0) r8 r4 r16 0x40 0x0414A7FD
    send.dc1 (8|M8) r9 r6 r17 0x40 0x0414A7FD
)");
}

// By an index into the binding table, and by a surface's handle.
TEST(EmitSends, ComputedDescriptors) {
  EXPECT_EQ(Emitted(R"(
    msg.write %0:ud@32 %1:ud@64 %10:ud@9 {w8 [untyped_write channels 1 indirect]}
    msg.write %0:ud@32 %1:ud@64 %10:ud@9 {w8 [untyped_write bti 252 channels 1 bindless]}
)",
                    8),
            R"(
    (W) add (1|M0) a0.0<1>:ud r1.1<0;1,0>:ud 0x2026E00:ud
    send.dc1 (8|M0) null r4 r8 0x40 a0.0
    (W) or (1|M0) a0.1<1>:ud r1.1<0;1,0>:ud 0x4C:ud
    send.dc1 (8|M0) null r4 r8 a0.1 0x02026EFC
)");
}

TEST(EmitSends, GuardsPredicate) {
  EXPECT_EQ(Emitted(R"(
    %16x16:ud@64 = msg %12x8:ud@16 %9:uw@0 {w8 nomask pred 1 [const_block_read_unaligned header 1 bti 1 owords 4]}
)",
                    8),
            R"(
    (W&f0.0)send.dcro (8|M0) r8 r2 null 0x0 0x02284301
)");
}

TEST(EmitSends, FencesAreWaitedFor) {
  EXPECT_EQ(Emitted(R"(
    %12x8:ud@16 = fence %13x8:ud@0 {nomask [memory_fence header 1 commit 1]}
)",
                    8),
            R"(
    (W) send.dc0 (1|M0) r2 r0 null 0x0 0x0219E000
    (W) sync.nop r2.0
)");
}

TEST(EmitSends, BarriersNameTheirs) {
  EXPECT_EQ(Emitted(R"(
    %12x8:ud@16 = barrier %13x8:ud@0 {nomask}
)",
                    8),
            R"(
    (W) mov (8|M0) r2.0<1>:ud 0x0:ud
    (W) and (1|M0) r2.2<1>:ud r0.2<0;1,0>:ud 0x7F000000:ud
    (W) send.gtwy (8|M0) null r2 null 0x0 0x02000004
    (W) sync.bar null
)");
}

// Hardware that interlocks registers waits for a message as its result is read, and for a barrier
// by an instruction.
TEST(EmitSends, WaitsWithoutASoftwareScoreboard) {
  const Device& device = TglBut(&Instructions::software_scoreboard);
  EXPECT_EQ(Emitted(R"(
    %12x8:ud@16 = fence %13x8:ud@0 {nomask [memory_fence header 1 commit 1]}
)",
                    8, device),
            R"(
    (W) send.dc0 (1|M0) r2 r0 null 0x0 0x0219E000
    (W) mov (1|M0) null<1>:ud r2.0<0;1,0>:ud
)");
  EXPECT_EQ(Emitted(R"(
    %12x8:ud@16 = barrier %13x8:ud@0 {nomask}
)",
                    8, device),
            R"(
    (W) mov (8|M0) r2.0<1>:ud 0x0:ud
    (W) and (1|M0) r2.2<1>:ud r0.2<0;1,0>:ud 0x7F000000:ud
    (W) send.gtwy (8|M0) null r2 null 0x0 0x02000004
    (W) wait (1|M0) n0.0<1>:ud n0.0<0;1,0>:ud
)");
}

TEST(EmitSends, TheEnd) {
  EXPECT_EQ(Emitted(R"(
    eot %12x8:ud@1016 {w8 nomask}
)",
                    8),
            R"(
    (W) send.ts (8|M0) null r127 null 0x0 0x02000000 {EOT}
)");
}

}  // namespace
}  // namespace kiln::intel
