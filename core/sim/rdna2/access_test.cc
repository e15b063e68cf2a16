// Tests access.h.
#include "core/sim/rdna2/access.h"

#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

using isa::Opcode;

TEST(AccessTest, SizesSignsAndHalves) {
  EXPECT_EQ(AccessOf(Opcode::kGlobalLoadDwordx3).bytes, 12);
  EXPECT_EQ(AccessOf(Opcode::kDsReadI16).bytes, 2);
  EXPECT_TRUE(AccessOf(Opcode::kDsReadI16).sign);
  EXPECT_FALSE(AccessOf(Opcode::kBufferLoadUbyte).sign);
  EXPECT_TRUE(AccessOf(Opcode::kBufferLoadSbyte).sign);
  EXPECT_FALSE(AccessOf(Opcode::kBufferLoadShortD16).high);
  EXPECT_TRUE(AccessOf(Opcode::kBufferLoadShortD16Hi).high);
  EXPECT_TRUE(AccessOf(Opcode::kDsRead2st64B64).stride64);
  EXPECT_EQ(AccessOf(Opcode::kBufferLoadFormatD16Xyz).kind, AccessKind::kFormatLoad);
  EXPECT_EQ(AccessOf(Opcode::kDsBpermuteB32).kind, AccessKind::kOther);
  EXPECT_EQ(AccessOf(Opcode::kImageLoad).kind, AccessKind::kOther);
}

TEST(AccessTest, AtomicsOfLdsByType) {
  EXPECT_EQ(AccessOf(Opcode::kDsMinRtnI32).atomic, AtomicOp::kSignedMin);
  EXPECT_EQ(AccessOf(Opcode::kDsMaxU64).atomic, AtomicOp::kUnsignedMax);
  EXPECT_EQ(AccessOf(Opcode::kDsMaxU64).bytes, 8);
  EXPECT_EQ(AccessOf(Opcode::kDsAddF32).atomic, AtomicOp::kFloatAdd);
  EXPECT_EQ(AccessOf(Opcode::kDsCmpstF32).atomic, AtomicOp::kFloatCompareSwap);
  EXPECT_EQ(AccessOf(Opcode::kDsWrxchg2RtnB32).atomic, AtomicOp::kSwap);
}

// Every load, store and atomic of these encodings has a size, but those with reasons.
TEST(AccessTest, NoOpcodeIsForgotten) {
  for (int i = 0; i < isa::kOpcodeCount; ++i) {
    const isa::OpcodeInfo& info = isa::Info(i);
    const bool here = info.encoding == isa::Encoding::kDs || isa::IsBuffer(info.encoding) ||
                      isa::IsFlatFormat(info.encoding);
    const uint64_t any =
        isa::opcode_flag::kLoad | isa::opcode_flag::kStore | isa::opcode_flag::kAtomic;
    if (!here || !info.Has(any) || info.Has(isa::opcode_flag::kGds)) continue;
    const bool known = AccessOf(info.op).kind != AccessKind::kOther && AccessOf(info.op).bytes != 0;
    // Addressed by M0 and the lane; counters.
    const bool reason = info.mnemonic.find("addtid") != absl::string_view::npos ||
                        info.op == Opcode::kDsAppend || info.op == Opcode::kDsConsume ||
                        info.op == Opcode::kDsCondxchg32RtnB64;
    EXPECT_EQ(known, !reason) << info.mnemonic;
  }
}

}  // namespace
}  // namespace kiln::sim::rdna2
