#include "core/mid/analysis/known_bits.h"

#include <string>

#include "core/base/bitset.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/oracle/generate.h"
#include "core/oracle/interp.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

// Known zeros of the last value that the text defines, always %2; %0 is below 64, %1 is arbitrary.
uint32_t Zeros(const std::string& text) {
  const absl::StatusOr<mir::Module> m = mir::Parse(
      "mir 1 local_size 64, 1, 1 body { %0:i32 = local_index %1:i32 = subgroup_id %2:i32 = " +
      text + " return }");
  EXPECT_TRUE(m.ok()) << m.status();
  return KnownZeros(*m, mir::ValueId(2));
}

TEST(KnownBits, Operations) {
  EXPECT_EQ(Zeros("iadd %1, 0"), 0u);
  EXPECT_EQ(Zeros("iadd %0, 0"), 0xffffffc0u);
  EXPECT_EQ(Zeros("iadd %0, %0"), 0xffffff80u);
  EXPECT_EQ(Zeros("shl %1, 4"), 0x0000000fu);
  EXPECT_EQ(Zeros("shl %0, 4"), 0xfffffc0fu);
  EXPECT_EQ(Zeros("ushr %1, 28"), 0xfffffff0u);
  EXPECT_EQ(Zeros("ushr %0, %1"), 0xffffffc0u);
  EXPECT_EQ(Zeros("imul %0, 12"), 0xfffffc03u);
  EXPECT_EQ(Zeros("and %1, 48"), ~48u);
  EXPECT_EQ(Zeros("urem %1, 10"), 0xfffffff0u);
  EXPECT_EQ(Zeros("umin %1, 7"), 0xfffffff8u);
  EXPECT_EQ(Zeros("ubitfield_extract %1, 3, 5"), 0xffffffe0u);
  EXPECT_EQ(Zeros("workgroup_id[2]"), 0xffff0000u);
}

TEST(KnownBits, WhatFollows) {
  const absl::StatusOr<mir::Module> m = mir::Parse(
      "mir 1 local_size 64, 1, 1 body { %0:i32 = local_index %1:i32 = shl %0, 4 "
      "%2:i32 = iadd 0, 63 %3:i32 = iadd 0, 64 %4:i32 = iadd 0, -16 %5:i32 = iadd 0, -1 return }");
  ASSERT_TRUE(m.ok()) << m.status();
  const auto constant = [&](int inst) { return m->source(mir::InstId(inst), 1); };
  const auto ask = [&](mir::Op op, uint32_t a, int inst) {
    return SimplifyByKnownBits(*m, op, mir::ValueId(a), constant(inst));
  };
  using Kind = KnownBits::Kind;
  EXPECT_EQ(ask(mir::Op::kUlt, 0, 2).kind, Kind::kNothing);
  EXPECT_EQ(ask(mir::Op::kUlt, 0, 3).kind, Kind::kConstant);
  EXPECT_EQ(ask(mir::Op::kSlt, 0, 3).constant, 1u);
  EXPECT_EQ(ask(mir::Op::kSlt, 0, 5).constant, 0u);
  EXPECT_EQ(ask(mir::Op::kSlt, 0, 5).kind, Kind::kConstant);
  EXPECT_EQ(ask(mir::Op::kAnd, 1, 4).kind, Kind::kFirst);
  EXPECT_EQ(ask(mir::Op::kAnd, 0, 4).kind, Kind::kNothing);
  EXPECT_EQ(ask(mir::Op::kUrem, 0, 3).kind, Kind::kFirst);
  EXPECT_EQ(ask(mir::Op::kSdiv, 0, 3).op, mir::Op::kUdiv);
  EXPECT_EQ(ask(mir::Op::kSdiv, 0, 5).kind, Kind::kNothing);
  EXPECT_EQ(ask(mir::Op::kSmulHigh, 0, 3).op, mir::Op::kUmulHigh);
  EXPECT_EQ(ask(mir::Op::kUmulHigh, 0, 3).kind, Kind::kConstant);
  EXPECT_EQ(ask(mir::Op::kUmulHigh, 0, 5).kind, Kind::kNothing);
  EXPECT_EQ(ask(mir::Op::kUaddCarry, 0, 3).kind, Kind::kConstant);
  EXPECT_EQ(ask(mir::Op::kUaddCarry, 0, 5).kind, Kind::kNothing);
}

// On random modules, no bit that is reported as 0 is ever 1.
class Watch : public oracle::InterpObserver {
 public:
  explicit Watch(const mir::Module& module) : m_(module) {}

  void OnValue(mir::ValueId v, const BitSet& active, absl::Span<const uint64_t> lanes) override {
    const uint32_t zeros = KnownZeros(m_, v);
    known += zeros != 0;
    active.for_each([&](size_t lane) {
      if ((lanes[lane] & zeros) == 0 || !culprit.empty()) return;
      culprit = mir::PrintValue(m_, v);
    });
  }

  int64_t known = 0;
  std::string culprit;

 private:
  const mir::Module& m_;
};

TEST(KnownBits, HoldOnRandomModules) {
  int64_t known = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const mir::Module m = oracle::GenerateModule(seed, {.instructions = 80});
    oracle::LaunchInputs inputs = oracle::GenerateInputs(seed, m);
    Watch watch(m);
    inputs.observer = &watch;
    ASSERT_TRUE(oracle::Interpret(m, inputs).ok());
    ASSERT_EQ(watch.culprit, "") << "seed " << seed << "\n" << mir::Print(m);
    known += watch.known;
  }
  EXPECT_GT(known, 1000);
}

}  // namespace
}  // namespace kiln::mid
