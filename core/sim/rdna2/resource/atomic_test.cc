// Arithmetic of atomics.
#include "core/sim/rdna2/resource/atomic.h"

#include <bit>

#include "core/amd/isa/opcodes.h"
#include "core/base/float_bits.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

namespace isa = ::kiln::amd::isa;

TEST(AtomicTest, EveryAtomicOpcodeHasAnOperation) {
  int atomics = 0;
  for (int i = 0; i < isa::kOpcodeCount; ++i) {
    const isa::OpcodeInfo& info = isa::Info(i);
    const bool memory =
        info.encoding == isa::Encoding::kMubuf || info.encoding == isa::Encoding::kMimg ||
        info.encoding == isa::Encoding::kFlat || info.encoding == isa::Encoding::kGlobal;
    if (!memory) continue;
    EXPECT_EQ(AtomicOpOf(info.op).has_value(), info.Has(isa::opcode_flag::kAtomic))
        << info.mnemonic;
    atomics += info.Has(isa::opcode_flag::kAtomic);
  }
  EXPECT_GT(atomics, 100);
  EXPECT_EQ(AtomicOpOf(isa::Opcode::kBufferAtomicCmpswapX2), AtomicOp::kCompareSwap);
  EXPECT_EQ(AtomicOpOf(isa::Opcode::kImageAtomicDec), AtomicOp::kDecrement);
  EXPECT_EQ(AtomicOpOf(isa::Opcode::kBufferLoadDword), std::nullopt);
}

TEST(AtomicTest, Integers) {
  const auto op = [](AtomicOp o, uint32_t old, uint32_t data, uint32_t compare = 0) {
    return ApplyAtomic(o, 32, old, data, compare);
  };
  EXPECT_EQ(op(AtomicOp::kSwap, 1, 2), 2u);
  EXPECT_EQ(op(AtomicOp::kCompareSwap, 1, 2, 1), 2u);
  EXPECT_EQ(op(AtomicOp::kCompareSwap, 3, 2, 1), 3u);
  EXPECT_EQ(op(AtomicOp::kAdd, 0xffffffff, 2), 1u) << "without a carry into bit 32";
  EXPECT_EQ(op(AtomicOp::kSub, 1, 2), 0xffffffffu);
  EXPECT_EQ(op(AtomicOp::kClampedSub, 1, 2), 0u);
  EXPECT_EQ(op(AtomicOp::kClampedSub, 5, 2), 3u);
  EXPECT_EQ(op(AtomicOp::kSignedMin, 1, 0xffffffff), 0xffffffffu);
  EXPECT_EQ(op(AtomicOp::kUnsignedMin, 1, 0xffffffff), 1u);
  EXPECT_EQ(op(AtomicOp::kSignedMax, 1, 0xffffffff), 1u);
  EXPECT_EQ(op(AtomicOp::kUnsignedMax, 1, 0xffffffff), 0xffffffffu);
  EXPECT_EQ(op(AtomicOp::kAnd, 6, 3), 2u);
  EXPECT_EQ(op(AtomicOp::kOr, 6, 3), 7u);
  EXPECT_EQ(op(AtomicOp::kXor, 6, 3), 5u);
  EXPECT_EQ(op(AtomicOp::kIncrement, 6, 7), 7u);
  EXPECT_EQ(op(AtomicOp::kIncrement, 7, 7), 0u);
  EXPECT_EQ(op(AtomicOp::kDecrement, 6, 7), 5u);
  EXPECT_EQ(op(AtomicOp::kDecrement, 0, 7), 7u);
  EXPECT_EQ(op(AtomicOp::kDecrement, 8, 7), 7u);
  EXPECT_EQ(ApplyAtomic(AtomicOp::kAdd, 64, 0xffffffff, 1, 0), 0x100000000u);
  EXPECT_EQ(ApplyAtomic(AtomicOp::kSignedMin, 64, 1, ~uint64_t{0}, 0), ~uint64_t{0});
}

TEST(AtomicTest, OfLdsAlone) {
  EXPECT_EQ(ApplyAtomic(AtomicOp::kReverseSub, 32, 5, 3, 0), 0xfffffffeu);
  EXPECT_EQ(ApplyAtomic(AtomicOp::kMaskedOr, 32, 0xff, 0x0f, 0x105), 0x1f5u);
  EXPECT_EQ(ApplyAtomic(AtomicOp::kWrap, 32, 7, 5, 9), 2u);
  EXPECT_EQ(ApplyAtomic(AtomicOp::kWrap, 32, 3, 5, 9), 12u);
  EXPECT_EQ(ApplyAtomic(AtomicOp::kFloatAdd, 32, 0x3f800000, 0x40000000, 0), 0x40400000u);
}

TEST(AtomicTest, Floats) {
  const auto op = [](AtomicOp o, float old, float data, float compare = 0) {
    return AsFloat(
        static_cast<uint32_t>(ApplyAtomic(o, 32, AsBits(old), AsBits(data), AsBits(compare))));
  };
  EXPECT_EQ(op(AtomicOp::kFloatMin, 1, -2), -2);
  EXPECT_EQ(op(AtomicOp::kFloatMax, 1, -2), 1);
  EXPECT_EQ(op(AtomicOp::kFloatCompareSwap, 0.f, 2, -0.f), 2) << "zeros are equal";
  const uint64_t three = std::bit_cast<uint64_t>(3.0), four = std::bit_cast<uint64_t>(4.0);
  EXPECT_EQ(ApplyAtomic(AtomicOp::kFloatMax, 64, three, four, 0), four);
}

}  // namespace
}  // namespace kiln::sim::rdna2
