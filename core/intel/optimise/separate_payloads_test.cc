// separate_payloads: see passes.h.
#include <string>

#include "core/intel/optimise/passes.h"
#include "core/intel/optimise/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using testing::After;

TEST(SeparatePayloads, OneValueAsAddressAndDataIsCopied) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:ud = mov %21:ud {w8}\n"
                  "  msg.write %0:ud %0:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  SeparatePayloads),
            "block b0 depth 0\n"
            "  %0:ud = mov %21:ud {w8}\n"
            "  %26:ud = mov %0:ud {w8}\n"
            "  msg.write %26:ud %0:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(SeparatePayloads, AComponentOfTheDataIsAnOverlapToo) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:ud = mov %21:ud {w8}\n"
                  "  %1:ud = mov %21:ud {w8}\n"
                  "  %20x2:ud = collect %0:ud %1:ud {w8}\n"
                  "  msg.write %20.1:ud %20x2:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  SeparatePayloads),
            "block b0 depth 0\n"
            "  %0:ud = mov %21:ud {w8}\n"
            "  %1:ud = mov %21:ud {w8}\n"
            "  %20x2:ud = collect %0:ud %1:ud {w8}\n"
            "  %26:ud = mov %20.1:ud {w8}\n"
            "  msg.write %26:ud %20x2:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

// Values of whole registers that are not per lane are copied, too.
TEST(SeparatePayloads, RegistersAreCopiedToo) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  msg.write %21x8:ud %21x8:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  SeparatePayloads),
            "block b0 depth 0\n"
            "  %26x8:ud = mov %21x8:ud {w8 nomask}\n"
            "  msg.write %26x8:ud %21x8:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(SeparatePayloads, DifferentValuesStay) {
  const std::string body =
      "block b0 depth 0\n"
      "  %0:ud = mov %21:ud {w8}\n"
      "  %1:ud = mov %21:ud {w8}\n"
      "  msg.write %0:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n";
  EXPECT_EQ(After(body, SeparatePayloads), body);
}

}  // namespace
}  // namespace kiln::intel
