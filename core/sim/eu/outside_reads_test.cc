#include "core/sim/eu/outside_reads.h"

#include "core/intel/isa/encode.h"
#include "core/sim/eu/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::eu {
namespace {

using testing::Dst;
using testing::Grf;
using testing::Scalar;

// Returns a move of eight dwords as the simulator decodes it.
Op Move(const isa::Operand& to, const isa::Operand& from) {
  const auto bytes = isa::Encode(kGeneration, testing::Make(isa::Opcode::kMov, 8, to, from));
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  const absl::StatusOr<Program> loaded = Load(*bytes);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  return loaded->ops[0];
}

Thread With(uint32_t dword) {
  Thread t;
  t.outside = {{dword, 0x40, "set 0 binding 1"}};
  return t;
}

TEST(OutsideReads, ADwordCountsWhenAnInstructionReadsIt) {
  const Op scalar = Move(Dst(20, isa::Type::kUD), Scalar(10, isa::Type::kUD, 12));
  Thread t = With(10 * 8 + 3);
  const std::vector<OutsideDword> read = TakeOutsideReads(scalar, nullptr, 0xff, t);
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].op, 0x40u);
  EXPECT_TRUE(t.outside.empty()) << "once";
  Thread other = With(10 * 8 + 4);
  EXPECT_TRUE(TakeOutsideReads(scalar, nullptr, 0xff, other).empty());
  EXPECT_EQ(other.outside.size(), 1u);
}

TEST(OutsideReads, OnlyEnabledChannelsRead) {
  const Op whole = Move(Dst(20, isa::Type::kUD), Grf(10, isa::Type::kUD));
  Thread t = With(10 * 8 + 3);
  EXPECT_TRUE(TakeOutsideReads(whole, nullptr, 0x7, t).empty());
  EXPECT_EQ(TakeOutsideReads(whole, nullptr, 0x8, t).size(), 1u);
}

TEST(OutsideReads, WhatIsOverwrittenIsForgotten) {
  Thread t = With(20 * 8 + 1);
  const Op whole = Move(Dst(20, isa::Type::kUD), Grf(10, isa::Type::kUD));
  EXPECT_TRUE(TakeOutsideReads(whole, nullptr, 0xff, t).empty());
  EXPECT_TRUE(t.outside.empty());
  t = With(5);
  ForgetOutside(4, 2, t);
  EXPECT_TRUE(t.outside.empty());
}

}  // namespace
}  // namespace kiln::sim::eu
