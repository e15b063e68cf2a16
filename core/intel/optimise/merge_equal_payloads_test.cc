// merge_equal_payloads: see passes.h.
#include <string>

#include "core/intel/optimise/passes.h"
#include "core/intel/optimise/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using testing::After;

TEST(MergeEqualPayloads, OfConstantsAndUniformValues) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:d = add %21.3:d %21.4:d {w8}\n"
                  "  %1:ud = mov #0x7:ud {w8}\n"
                  "  %2:ud = mov %21.1:ud {w8}\n"
                  "  %20x2:ud = collect %1:ud %2:ud {w8}\n"
                  "  msg.write %0:ud %20x2:ud {w8 [untyped_write bti 1 channels 1]}\n"
                  "  %3:ud = mov #0x7:ud {w8}\n"
                  "  %4:ud = mov %21.1:ud {w8}\n"
                  "  %24x2:ud = collect %3:ud %4:ud {w8}\n"
                  "  msg.write %0:ud %24x2:ud {w8 [untyped_write bti 1 channels 1]}\n"
                  "  %5:ud = mov %21.1:ud {w8}\n"
                  "  msg.write %0:ud %5:ud {w8 [untyped_write bti 1 channels 1]}\n"
                  "  %6:ud = mov %21.1:ud {w8}\n"
                  "  msg.write %0:ud %6:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  MergeEqualPayloads),
            "block b0 depth 0\n"
            "  %0:d = add %21.3:d %21.4:d {w8}\n"
            "  %1:ud = mov #0x7:ud {w8}\n"
            "  %2:ud = mov %21.1:ud {w8}\n"
            "  %20x2:ud = collect %1:ud %2:ud {w8}\n"
            "  msg.write %0:ud %20x2:ud {w8 [untyped_write bti 1 channels 1]}\n"
            "  msg.write %0:ud %20x2:ud {w8 [untyped_write bti 1 channels 1]}\n"
            "  %5:ud = mov %21.1:ud {w8}\n"
            "  msg.write %0:ud %5:ud {w8 [untyped_write bti 1 channels 1]}\n"
            "  msg.write %0:ud %5:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(MergeEqualPayloads, NotOfOtherPartsOrInOtherBlocks) {
  const std::string same =
      "block b0 depth 0\n"
      "  %0:d = add %21.3:d %21.4:d {w8}\n"
      "  %1:ud = mov #0x7:ud {w8}\n"
      "  %2:ud = mov %21.1:ud {w8}\n"
      "  %20x2:ud = collect %1:ud %2:ud {w8}\n"
      "  msg.write %0:ud %20x2:ud {w8 [untyped_write bti 1 channels 1]}\n"
      "  %3:ud = mov #0x7:ud {w8}\n"
      "  %4:ud = mov %21.2:ud {w8}\n"
      "  %24x2:ud = collect %3:ud %4:ud {w8}\n"
      "  msg.write %0:ud %24x2:ud {w8 [untyped_write bti 1 channels 1]}\n"
      "  -> b1\n"
      "block b1 depth 0\n"
      "  %5:ud = mov #0x7:ud {w8}\n"
      "  %6:ud = mov %21.1:ud {w8}\n"
      "  %25x2:ud = collect %5:ud %6:ud {w8}\n"
      "  msg.write %0:ud %25x2:ud {w8 [untyped_write bti 1 channels 1]}\n";
  EXPECT_EQ(After(same, MergeEqualPayloads), same);
}

}  // namespace
}  // namespace kiln::intel
