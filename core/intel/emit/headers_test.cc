// Tests the instructions that emission makes of each operation of headers.h.
#include "core/intel/emit/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

TEST(EmitHeaders, OfABlockRead) {
  EXPECT_EQ(Emitted(R"(
    %12x8:ud@16 = header #0x40:ud {w8 nomask}
    %12x8:ud@16 = header %10:ud@9 {w8 nomask}
)",
                    8),
            R"(
    (W) mov (8|M0) r2.0<1>:ud 0x40:ud
    (W) mov (8|M0) r2.0<1>:ud r1.1<0;1,0>:ud
)");
}

// Size and base come from r0; an offset beyond the reach of scratch block messages is in dword 2.
TEST(EmitHeaders, OfScratchMemory) {
  EXPECT_EQ(Emitted(R"(
    %12x8:ud@16 = scratch_header %13x8:ud@0 {w8 nomask}
    %12x8:ud@16 = scratch_header %13x8:ud@0 #0x9000:ud {w8 nomask}
)",
                    8),
            R"(
    (W) mov (8|M0) r2.0<1>:ud 0x0:ud
    (W) and (1|M0) r2.3<1>:ud r0.3<0;1,0>:ud 0xF:ud
    (W) and (1|M0) r2.5<1>:ud r0.5<0;1,0>:ud 0xFFFFFC00:ud
    (W) mov (8|M0) r2.0<1>:ud 0x0:ud
    (W) and (1|M0) r2.3<1>:ud r0.3<0;1,0>:ud 0xF:ud
    (W) and (1|M0) r2.5<1>:ud r0.5<0;1,0>:ud 0xFFFFFC00:ud
    (W) mov (1|M0) r2.2<1>:ud 0x2400:ud
)");
}

// Offsets that the program computes replace the constant ones.
TEST(EmitHeaders, OfTheSamplerWithChosenOffsets) {
  EXPECT_EQ(Emitted(R"(
    %12x8:ud@16 = chosen_sampler_header %13x8:ud@0 %10:ud@9 {w8 nomask}
    %12x8:ud@16 = chosen_sampler_header %13x8:ud@0 %10:ud@9 %10:ud@9 {w8 nomask}
)",
                    8),
            R"(
    (W) mov (8|M0) r2.0<1>:ud 0x0:ud
    (W) mov (1|M0) r2.2<1>:ud r1.1<0;1,0>:ud
    (W) and (1|M0) r2.3<1>:ud r0.3<0;1,0>:ud 0xFFFFFFE0:ud
    (W) mov (8|M0) r2.0<1>:ud 0x0:ud
    (W) mov (1|M0) r2.2<1>:ud r1.1<0;1,0>:ud
    (W) mov (1|M0) r2.3<1>:ud r1.1<0;1,0>:ud
)");
}

// Offsets, and the state pointer of r0 or a handle.
TEST(EmitHeaders, OfTheSampler) {
  EXPECT_EQ(Emitted(R"(
    %12x8:ud@16 = sampler_header %13x8:ud@0 {w8 nomask aux 4096}
    %12x8:ud@16 = sampler_header %13x8:ud@0 %10:ud@9 {w8 nomask}
)",
                    8),
            R"(
    (W) mov (8|M0) r2.0<1>:ud 0x0:ud
    (W) mov (1|M0) r2.2<1>:ud 0x1000:ud
    (W) and (1|M0) r2.3<1>:ud r0.3<0;1,0>:ud 0xFFFFFFE0:ud
    (W) mov (8|M0) r2.0<1>:ud 0x0:ud
    (W) mov (1|M0) r2.3<1>:ud r1.1<0;1,0>:ud
)");
}

}  // namespace
}  // namespace kiln::intel
