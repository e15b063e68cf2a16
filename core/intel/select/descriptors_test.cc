// Tests the LIR that selection makes of each operation of descriptors.h.
#include <string>

#include "core/intel/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

// All active lanes have the same index as the first: it is not read again inside the region.
TEST(SelectDescriptors, IndicesOfLanesAreReadOnce) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = and %1, 3
    %3:i32 = read_first %2
    %4:i32 = load_ssbo.indexed[8, align 4] %3, %1
    %5:i32 = load_ssbo.indexed[8, align 4] %3, %4
    store_ssbo[0, align 4] 0, %5
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = and %2:ud #0x3:ud {w8}
    %4:ud = broadcast %3:ud #0x0:ud {nomask}
    %5:ud = msg.read %2:ud %4:ud {w8 [untyped_read bti 1 channels 1 indirect]}
    %6:ud = msg.read %5:ud %4:ud {w8 [untyped_read bti 1 channels 1 indirect]}
    %7:ud = mov #0x0:ud {w8}
    msg.write %7:ud %6:ud {w8 [untyped_write channels 1]}
)");
}

// The index is added to the descriptor for both.
TEST(SelectDescriptors, ImageAndSamplerOfOneArray) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = load_push[align 4] 0
    %2:f32, %3:f32, %4:f32, %5:f32 = sample.indexed[10, texel lod] %1, 0.5f, 0.25f, 0f
    store_ssbo[0, align 4] 0, %2
)",
                     8),
            R"(
    %2:ud = shl %1:ud #0x8:ud {nomask}
    %3:ud = add %1:ud %2:ud {nomask}
    %4x8:ud = sampler #0x3f000000:ud #0x3e800000:ud %3:ud {w8 nomask [sample_lz bti 1 indirect]}
    %5:ud = mov %4:ud {w8}
    %6:ud = mov #0x0:ud {w8}
    msg.write %6:ud %5:ud {w8 [untyped_write channels 1]}
)");
}

// Helper lanes may have any index: beyond the array (of two), it names the last. Condition 5 of a
// `sel` is "less", so the sel is the minimum of both as unsigned numbers, and the message uses its
// result.
TEST(SelectDescriptors, IndicesInFragmentsStayInTheArray) {
  const std::string selected = SelectedFragment(R"(
    %0:f32, %1:f32 = load_input[0, 0]
    %2:i32 = f2u %0
    %3:i32 = read_first %2
    %4:f32 = load_ubo.indexed[3, align 4] %3, 0
    store_output[0, 0] %4, %4, %4, %4
)",
                                                8);
  const auto has = [&](const std::string& line) { return selected.find(line) != selected.npos; };
  EXPECT_TRUE(has("%7:ud = mov %6:f {w8}")) << selected;
  EXPECT_TRUE(has("%12:ud = broadcast %7:ud %14:uw {nomask}")) << selected;
  EXPECT_TRUE(has("%15:ud = sel %12:ud #0x1:ud {nomask cmod 5}")) << selected;
  EXPECT_TRUE(
      has("msg %16x8:ud %15:ud {w8 nomask [const_block_read_unaligned header 1 bti 2 "
          "owords 2 indirect]}"))
      << selected;
}

}  // namespace
}  // namespace kiln::intel
