// Compares UnitSet with a plain array of bits.
#include "core/lir/ra/unit_set.h"

#include <algorithm>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace kiln::lir::ra {
namespace {

TEST(UnitSetTest, AgreesWithBits) {
  std::mt19937 random(3);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  UnitSet set;
  std::vector<char> bits(UnitSet::kMaxUnits);
  for (int round = 0; round < 3000; ++round) {
    const uint32_t first = below(UnitSet::kMaxUnits);
    const uint32_t n = below(std::min(140u, UnitSet::kMaxUnits - first) + 1);
    const auto lo = bits.begin() + first, hi = lo + n;
    if (round % 2 == 0) {
      set.insert(first, n);
      std::fill(lo, hi, 1);
    } else {
      set.erase(first, n);
      std::fill(lo, hi, 0);
    }
    const uint32_t from = below(UnitSet::kMaxUnits);
    const uint32_t len = below(UnitSet::kMaxUnits - from + 1), end = from + len;
    const auto a = bits.begin() + from, z = bits.begin() + end;
    ASSERT_EQ(set.count(from, len), static_cast<uint32_t>(std::count(a, z, 1)));
    ASSERT_EQ(set.intersects(from, len), std::count(a, z, 1) != 0);
    ASSERT_EQ(set.next_member(from, end), std::find(a, z, 1) - bits.begin());
    ASSERT_EQ(set.next_free(from, end), std::find(a, z, 0) - bits.begin());
    ASSERT_EQ(set.count(), static_cast<uint32_t>(std::count(bits.begin(), bits.end(), 1)));
    ASSERT_EQ(set.empty(), set.count() == 0);
  }
}

}  // namespace
}  // namespace kiln::lir::ra
