// propagate_saturate: see passes.h.
#include <string>

#include "core/intel/optimise/passes.h"
#include "core/intel/optimise/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using testing::After;

TEST(PropagateSaturate, OnlyUseMovesOn) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:f = mul %21.3:f %21.4:f {w8}\n"
                  "  %1:f = mov %0:f {w8 sat}\n"
                  "  msg.write %1:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  PropagateSaturate),
            "block b0 depth 0\n"
            "  %0:f = mul %21.3:f %21.4:f {w8 sat}\n"
            "  %1:f = mov %0:f {w8}\n"
            "  msg.write %1:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(PropagateSaturate, AnotherUseForbids) {
  const std::string same =
      "block b0 depth 0\n"
      "  %0:f = mul %21.3:f %21.4:f {w8}\n"
      "  %1:f = mov %0:f {w8 sat}\n"
      "  msg.write %0:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n";
  EXPECT_EQ(After(same, PropagateSaturate), same);
}

}  // namespace
}  // namespace kiln::intel
