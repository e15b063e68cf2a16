// Tests that the memory tier's bound bounds memory: resident memory of the process, with kilnd's
// allocator, while it is full and after ten turnovers, at results of several sizes. The disk tier's
// is disk_memory_bound_test.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "server/cache/resident_bytes.h"
#include "server/cache/result_cache.h"

namespace kiln::cache {
namespace {

constexpr size_t kBound = size_t{48} << 20;

class MemoryBoundTest : public testing::TestWithParam<size_t> {};

// Stores a result as the engine does.
void MakeOne(uint64_t number, ResultCache* cache) {
  kiln::v1::TargetResult result;
  result.set_status(kiln::v1::TargetResult::OK);
  result.add_variants()->set_code(std::string(MemoryBoundTest::GetParam(), 'c'));
  kiln::v1::OutputMask mask;
  mask.set_binary(true);
  const Outputs outputs(mask);
  cache->Remember(Sha256(std::to_string(number)), outputs,
                  ResultCache::Prepare(outputs, std::move(result)));
}

TEST_P(MemoryBoundTest, HoldsForResidentMemory) {
  if (kSanitised) GTEST_SKIP() << "a sanitiser has memory of its own";
  const double before = ResidentBytes();
  ResultCache cache(kBound, nullptr);
  uint64_t made = 0;
  while (cache.memory_usage().evicted_entries == 0) {
    ASSERT_LT(made * (GetParam() + 1), 2 * kBound) << "nothing is evicted";
    MakeOne(made++, &cache);
  }
  const uint64_t full = made;
  EXPECT_LE(ResidentBytes() - before, 1.2 * kBound) << full << " results";
  while (made < 11 * full) MakeOne(made++, &cache);
  EXPECT_LE(ResidentBytes() - before, 1.2 * kBound) << made << " results";
  // And the bound is used: bookkeeping takes little, unless results are tiny.
  const MemoryTier::Usage usage = cache.memory_usage();
  EXPECT_GE(static_cast<double>(usage.bytes), 0.9 * kBound);
  EXPECT_GE(static_cast<double>(usage.entries * GetParam()), 0.35 * kBound);
}

INSTANTIATE_TEST_SUITE_P(Sizes, MemoryBoundTest, testing::Values(100, 1000, 100'000));

}  // namespace
}  // namespace kiln::cache
