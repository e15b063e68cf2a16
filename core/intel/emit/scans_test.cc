// Tests the instructions that emission makes of each reduction and scan: see scans.h.
#include <string>

#include "core/intel/emit/testing.h"
#include "core/intel/lir/subgroup.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using mir::ReduceOp;

// Returns the instructions of a scan of all lanes; `defs` and `uses` are text.
std::string Scanned(const std::string& defs, const std::string& uses, int width, ScanAux aux) {
  return Emitted("    " + defs + " = lane_scan " + uses + " {w" + std::to_string(width) +
                     " nomask aux " + std::to_string(aux.Pack()) + "}\n",
                 width);
}

TEST(EmitScans, AReductionHalvesWhatIsLeft) {
  EXPECT_EQ(Scanned("%10:ud@0 %1:ud@32", "%0:ud@64 #0x0:ud", 8,
                    {ReduceOp::kIadd, ScanAux::kReduce, 8, true}),
            R"(
    (W) add (4|M0) r4.0<1>:ud r8.0<1;1,0>:ud r8.4<1;1,0>:ud
    (W) add (2|M0) r4.0<1>:ud r4.0<1;1,0>:ud r4.2<1;1,0>:ud
    (W) add (1|M0) r0.0<1>:ud r4.0<0;1,0>:ud r4.1<0;1,0>:ud
)");
  EXPECT_EQ(Scanned("%10:f@0 %1:f@32", "%0:f@64 #0xff800000:f", 32,
                    {ReduceOp::kFmax, ScanAux::kReduce, 32, true}),
            R"(
    (W) sel (16|M0) (ge)f0.0 r4.0<1>:f r8.0<1;1,0>:f r10.0<1;1,0>:f
    (W) sel (8|M0) (ge)f0.0 r4.0<1>:f r4.0<1;1,0>:f r5.0<1;1,0>:f
    (W) sel (4|M0) (ge)f0.0 r4.0<1>:f r4.0<1;1,0>:f r4.4<1;1,0>:f
    (W) sel (2|M0) (ge)f0.0 r4.0<1>:f r4.0<1;1,0>:f r4.2<1;1,0>:f
    (W) sel (1|M0) (ge)f0.0 r0.0<1>:f r4.0<0;1,0>:f r4.1<0;1,0>:f
)");
}

TEST(EmitScans, LanesThatAreOffCountAsTheIdentity) {
  EXPECT_EQ(Scanned("%10:ud@0 %1:ud@32", "%0:ud@64 #0xffffffff:ud", 8,
                    {ReduceOp::kUmin, ScanAux::kReduce, 8, false}),
            R"(
    (W) mov (8|M0) r4.0<1>:ud 0xFFFFFFFF:ud
    mov (8|M0) r4.0<1>:ud r8.0<8;8,1>:ud
    (W) sel (4|M0) (lt)f0.0 r4.0<1>:ud r4.0<1;1,0>:ud r4.4<1;1,0>:ud
    (W) sel (2|M0) (lt)f0.0 r4.0<1>:ud r4.0<1;1,0>:ud r4.2<1;1,0>:ud
    (W) sel (1|M0) (lt)f0.0 r0.0<1>:ud r4.0<0;1,0>:ud r4.1<0;1,0>:ud
)");
}

// All pairs at once, quads by position, then group by group with the last lane of the lower half.
TEST(EmitScans, AnInclusiveScanGrowsItsGroups) {
  EXPECT_EQ(
      Scanned("%1:ud@32", "%0:ud@64 #0x0:ud", 8, {ReduceOp::kIadd, ScanAux::kInclusive, 8, false}),
      R"(
    (W) mov (8|M0) r4.0<1>:ud 0x0:ud
    mov (8|M0) r4.0<1>:ud r8.0<8;8,1>:ud
    (W) add (4|M0) r4.1<2>:ud r4.0<2;1,0>:ud r4.1<2;1,0>:ud
    (W) add (2|M0) r4.2<4>:ud r4.1<4;1,0>:ud r4.2<4;1,0>:ud
    (W) add (2|M0) r4.3<4>:ud r4.1<4;1,0>:ud r4.3<4;1,0>:ud
    (W) add (4|M0) r4.4<1>:ud r4.3<0;1,0>:ud r4.4<1;1,0>:ud
)");
}

// The lane before the first, at the end of the register before, has the identity.
TEST(EmitScans, AnExclusiveScanIsOneLaneOff) {
  EXPECT_EQ(Scanned("%1:ud@32 %5x2:ud@128", "%0:ud@64 #0x0:ud", 8,
                    {ReduceOp::kOr, ScanAux::kExclusive, 8, true}),
            R"(
    (W) mov (8|M0) r17.0<1>:ud r8.0<8;8,1>:ud
    (W) or (4|M0) r17.1<2>:ud r17.0<2;1,0>:ud r17.1<2;1,0>:ud
    (W) or (2|M0) r17.2<4>:ud r17.1<4;1,0>:ud r17.2<4;1,0>:ud
    (W) or (2|M0) r17.3<4>:ud r17.1<4;1,0>:ud r17.3<4;1,0>:ud
    (W) or (4|M0) r17.4<1>:ud r17.3<0;1,0>:ud r17.4<1;1,0>:ud
    (W) mov (1|M0) r16.7<1>:ud 0x0:ud
    (W) mov (8|M0) r4.0<1>:ud r16.7<1;1,0>:ud
)");
}

TEST(EmitScans, ClustersReadTheirLastLane) {
  EXPECT_EQ(Scanned("%1:ud@32 %2:ud@128", "%0:ud@64 #0x0:ud", 16,
                    {ReduceOp::kXor, ScanAux::kReduceClusters, 4, true}),
            R"(
    (W) xor (8|M0) r16.1<2>:ud r8.0<2;1,0>:ud r8.1<2;1,0>:ud
    (W) xor (4|M0) r16.3<4>:ud r16.1<4;1,0>:ud r16.3<4;1,0>:ud
    (W) mov (16|M0) r4.0<1>:ud r16.3<4;4,0>:ud
)");
}

// Dwords are multiplied by the high and the low word of the other factor; the high product is
// shifted by 16.
TEST(EmitScans, ProductsAreMadeOfWords) {
  EXPECT_EQ(Scanned("%10:ud@0 %1:ud@32 %2:ud@40", "%0:ud@64 #0x1:ud", 8,
                    {ReduceOp::kImul, ScanAux::kReduce, 8, true}),
            R"(
    (W) mul (4|M0) r5.0<1>:ud r8.0<1;1,0>:ud r8.9<2;1,0>:uw
    (W) mul (4|M0) r4.0<1>:ud r8.0<1;1,0>:ud r8.8<2;1,0>:uw
    (W) shl (4|M0) r5.0<1>:ud r5.0<1;1,0>:ud 0x10:ud
    (W) add (4|M0) r4.0<1>:ud r4.0<1;1,0>:ud r5.0<1;1,0>:ud
    (W) mul (2|M0) r5.0<1>:ud r4.0<1;1,0>:ud r4.5<2;1,0>:uw
    (W) mul (2|M0) r4.0<1>:ud r4.0<1;1,0>:ud r4.4<2;1,0>:uw
    (W) shl (2|M0) r5.0<1>:ud r5.0<1;1,0>:ud 0x10:ud
    (W) add (2|M0) r4.0<1>:ud r4.0<1;1,0>:ud r5.0<1;1,0>:ud
    (W) mul (1|M0) r5.0<1>:ud r4.0<0;1,0>:ud r4.3<0;1,0>:uw
    (W) mul (1|M0) r0.0<1>:ud r4.0<0;1,0>:ud r4.2<0;1,0>:uw
    (W) shl (1|M0) r5.0<1>:ud r5.0<0;1,0>:ud 0x10:ud
    (W) add (1|M0) r0.0<1>:ud r0.0<0;1,0>:ud r5.0<0;1,0>:ud
)");
}

}  // namespace
}  // namespace kiln::intel
