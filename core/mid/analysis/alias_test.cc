#include "core/mid/analysis/alias.h"

#include <string>
#include <vector>

#include "core/mir/build.h"
#include "core/mir/parse.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

// Returns true if the two accesses of the body may overlap.
bool Overlap(const std::string& body) {
  const absl::StatusOr<mir::Module> m = mir::Parse(
      "mir 1 local_size 8, 1, 1 shared 64 resource 0 ssbo 0.0.0 resource 1 ssbo 0.1.0 "
      "resource 2 storage_image 0.2.0 image 1d uint r32ui "
      "resource 3 storage_image 0.3.0 image 1d uint r32ui "
      "resource 4 storage_texel_buffer 0.4.0 image buffer uint r32ui "
      "resource 5 ssbo 0.5.0 aliased resource 6 ssbo 0.6.0 resource 7 ssbo 0.6.1 "
      "private 0 64 private 1 64 body { %0:i32 = local_index %1:i32 = iadd %0, 4 " +
      body + " return }");
  EXPECT_TRUE(m.ok()) << m.status();
  std::vector<Access> accesses;
  mir::ForEachInst(*m, m->body, [&](mir::InstId id) {
    if (const auto access = AccessOf(*m, id)) accesses.push_back(*access);
  });
  EXPECT_EQ(accesses.size(), 2u);
  EXPECT_EQ(MayOverlap(accesses[0], accesses[1]), MayOverlap(accesses[1], accesses[0]));
  const bool overlap = MayOverlap(accesses[0], accesses[1]);
  EXPECT_TRUE(!overlap || (MemorySetOf(accesses[0]) & MemorySetOf(accesses[1])) != 0);
  return overlap;
}

TEST(Alias, OffsetsFromOneBase) {
  EXPECT_FALSE(Overlap("store_shared[align 4] %0, 1 store_shared[align 4] %1, 1"));
  EXPECT_TRUE(Overlap("store_shared[align 4] %0, 1, 2 store_shared[align 4] %1, 1"));
  EXPECT_TRUE(Overlap("store_shared[align 4] %0, 1 store_shared[align 4] 4, 1"));
  EXPECT_FALSE(Overlap("store_shared[align 4] 0, 1 store_shared[align 4] 4, 1"));
  // Addresses wrap around.
  EXPECT_TRUE(Overlap("store_shared[align 4] -4, 1, 2 store_shared[align 4] 0, 1"));
}

TEST(Alias, DifferentMemories) {
  EXPECT_FALSE(Overlap("store_ssbo[0, align 4] 0, 1 store_ssbo[1, align 4] 0, 1"));
  EXPECT_TRUE(Overlap("store_ssbo[0, align 4] 0, 1 store_global[align 4] 64, 0, 1"));
  EXPECT_FALSE(Overlap("store_ssbo[0, align 4] 0, 1 store_shared[align 4] 0, 1"));
  EXPECT_FALSE(Overlap("store_private[0, align 4] 0, 1 store_private[1, align 4] 0, 1"));
  EXPECT_TRUE(Overlap("store_private[1, align 4] 0, 1 store_private[1, align 4] %0, 1"));
}

TEST(Alias, AliasedBuffersAndThoseOfOneBindingMeet) {
  const std::string stores = "store_ssbo[5, align 4] 0, 1 ";
  EXPECT_TRUE(Overlap(stores + "store_ssbo[0, align 4] 64, 1"));
  EXPECT_TRUE(Overlap("store_ssbo[6, align 4] 0, 1 store_ssbo[7, align 4] 64, 1"));
  EXPECT_FALSE(Overlap("store_ssbo[6, align 4] 0, 1 store_ssbo[1, align 4] 0, 1"));
}

TEST(Alias, AddressesOfOneBase) {
  // Halves with a carry, and a 64-bit value.
  const std::string halves =
      "%2:i32 = workgroup_id[1] %3:i32 = iadd %0, 8 %4:i32 = uadd_carry %0, 8 %5:i32 = iadd %2, %4 ";
  EXPECT_FALSE(
      Overlap(halves + "store_global[align 4] %0, %2, 1, 2 store_global[align 4] %3, %5, 1"));
  EXPECT_TRUE(
      Overlap(halves + "store_global[align 4] %0, %2, 1, 2, 3 store_global[align 4] %3, %5, 1"));
  // The carry of another sum makes another base.
  EXPECT_TRUE(Overlap(halves + "%6:i32 = iadd %0, 16 store_global[align 4] %0, %2, 1 "
                               "store_global[align 4] %6, %5, 1"));
  EXPECT_TRUE(Overlap(halves + "store_global[align 4] %0, %2, 1 store_global[align 4] %3, %2, 1"));
  const std::string whole =
      "%2:i64 = zext %0 %3:i64 = iadd %2, 8i64 %4:i64 = ushr %2, 32 %5:i64 = ushr %3, 32 "
      "%6:i32 = trunc %2 %7:i32 = trunc %4 %8:i32 = trunc %3 %9:i32 = trunc %5 ";
  EXPECT_FALSE(
      Overlap(whole + "store_global[align 4] %6, %7, 1, 2 store_global[align 4] %8, %9, 1"));
  EXPECT_TRUE(
      Overlap(whole + "store_global[align 4] %6, %7, 1, 2, 3 store_global[align 4] %8, %9, 1"));
  EXPECT_TRUE(Overlap(whole + "store_global[align 4] %6, %9, 1 store_global[align 4] %8, %9, 1"));
  EXPECT_TRUE(Overlap(halves + "store_global[align 4] %0, %2, 1 store_ssbo[0, align 4] 0, 1"));
}

// The number of a target's own operation is no set of memory classes.
TEST(Alias, StageEffectsOrderAllMemory) {
  for (const uint32_t number : {0u, 1u, 2u, 7u}) {
    mir::Module m;
    m.body = mir::NewRegion(m);
    mir::Builder b(m);
    b.SetRegion(m.body);
    const mir::InstId effect = b.EmitInst(mir::Op::kStageEffect, {}, {}, number);
    EXPECT_EQ(OrderedBy(m.inst(effect)), kSharedMemory | kOutsideMemory) << number;
    const mir::InstId shared = b.EmitInst(mir::Op::kControlBarrier, {}, {}, mir::kMemoryShared,
                                          static_cast<uint32_t>(mir::Scope::kWorkgroup));
    EXPECT_EQ(OrderedBy(m.inst(shared)), kSharedMemory);
  }
}

TEST(Alias, ImagesMeetEachOther) {
  const std::string store = "image_store[2, texel] 0, 1, 1, 1, 1 ";
  EXPECT_TRUE(Overlap(store + "image_store[3, texel] 1, 1, 1, 1, 1"));
  EXPECT_TRUE(Overlap(store + "%2:i32 = image_atomic[2, texel add] 0, 1"));
  EXPECT_FALSE(Overlap(store + "store_ssbo[0, align 4] 0, 1"));
  EXPECT_FALSE(Overlap(store + "image_store[4, texel] 0, 1, 1, 1, 1"));
  EXPECT_TRUE(Overlap("image_store[4, texel] 0, 1, 1, 1, 1 store_ssbo[0, align 4] 0, 1"));
}

}  // namespace
}  // namespace kiln::mid
