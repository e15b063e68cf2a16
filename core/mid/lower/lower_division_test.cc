// The lowered code is executed: every dividend is a constant, so that folding gives the quotient,
// which is compared with the host's division.
#include "core/mid/lower/lower_division.h"

#include <bit>
#include <random>
#include <vector>

#include "core/mid/values/simplify.h"
#include "core/mir/build.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

using mir::Op;

// Computes op(n, d) for each n by lowering and folding; returns the values that would be stored.
std::vector<uint32_t> Evaluate(Op op, const std::vector<uint32_t>& dividends, uint32_t d) {
  mir::Module m;
  m.shared_bytes = 4 * dividends.size();
  m.body = mir::NewRegion(m);
  mir::Builder b(m);
  b.SetRegion(m.body);
  for (size_t i = 0; i < dividends.size(); ++i) {
    const mir::ValueId q = b.Emit(op, {b.Int(dividends[i]), b.Int(d)});
    b.Store(Op::kStoreShared, 0, b.Int(4 * i), {q});
  }
  b.Return();
  PassContext context = PassContext::ForTest();
  EXPECT_TRUE(*LowerDivision(m, context));
  EXPECT_TRUE(mir::Verify(m).ok()) << mir::Verify(m);
  mir::ForEachInst(m, m.body, [&](mir::InstId id) {
    const Op left = m.inst(id).op;
    EXPECT_TRUE(left != Op::kUdiv && left != Op::kUrem && left != Op::kSdiv && left != Op::kSrem &&
                left != Op::kSmod);
  });
  EXPECT_TRUE(Simplify(m, context).ok());
  EXPECT_TRUE(mir::Verify(m).ok()) << mir::Verify(m);
  std::vector<uint32_t> results;
  mir::ForEachInst(m, m.body, [&](mir::InstId id) {
    if (m.inst(id).op != Op::kStoreShared) return;
    const mir::ValueId v = m.source(id, 1);
    EXPECT_TRUE(m.IsConstant(v));
    results.push_back(m.value(v).bits);
  });
  return results;
}

uint32_t Reference(Op op, uint32_t n, uint32_t d) {
  const int64_t sn = static_cast<int32_t>(n), sd = static_cast<int32_t>(d);
  switch (op) {
    case Op::kUdiv: return n / d;
    case Op::kUrem: return n % d;
    case Op::kSdiv: return static_cast<uint32_t>(sn / sd);
    case Op::kSrem: return static_cast<uint32_t>(sn % sd);
    default: {
      const int64_t r = sn % sd;
      return static_cast<uint32_t>(r != 0 && (r < 0) != (sd < 0) ? r + sd : r);
    }
  }
}

class LowerDivisionTest : public testing::TestWithParam<Op> {};

TEST_P(LowerDivisionTest, AgreesWithTheHost) {
  std::mt19937 random(static_cast<uint32_t>(GetParam()));
  std::vector<uint32_t> divisors = {
      1,     2,     3,     5,          6,          7,          9,          10,        11,
      12,    25,    60,    100,        125,        625,        641,        1000,      1024,
      65535, 65536, 65537, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
  for (int i = 0; i < 300; ++i)
    divisors.push_back(std::max<uint32_t>(1, random() >> (random() % 32)));
  for (int i = 0; i < 100; ++i) divisors.push_back(~(random() >> (random() % 32)) | 1);
  for (uint32_t d : divisors) {
    std::vector<uint32_t> dividends = {0,          1,          2,          d,          d - 1,
                                       d + 1,      2 * d,      2 * d - 1,  0x7fffffff, 0x80000000,
                                       0x80000001, 0xffffffff, 0xfffffffe, 0 - d};
    // A wrong multiplier shows at the largest multiple of d and its neighbours.
    const uint32_t last = 0xffffffffu / d * d;
    dividends.insert(dividends.end(), {last, last - 1, last + 1});
    for (int i = 0; i < 20; ++i) dividends.push_back(random() >> (random() % 32));
    const std::vector<uint32_t> got = Evaluate(GetParam(), dividends, d);
    ASSERT_EQ(got.size(), dividends.size());
    for (size_t i = 0; i < dividends.size(); ++i) {
      EXPECT_EQ(got[i], Reference(GetParam(), dividends[i], d)) << dividends[i] << " by " << d;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, LowerDivisionTest,
                         testing::Values(Op::kUdiv, Op::kUrem, Op::kSdiv, Op::kSrem, Op::kSmod),
                         [](const auto& info) { return std::string(mir::Info(info.param).name); });

}  // namespace
}  // namespace kiln::mid
