#include "core/amd/cull/cull.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/amd/cull/numbers.h"
#include "core/mid/values/remove_dead_code.h"
#include "core/mir/build.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using mir::InstId;
using mir::Op;
using testing::ElementsAre;

constexpr char kInterfaces[] =
    "mir 1 entry \"main\" stage vertex\n"
    "input 0 location 0.0 f32 x4\ninput 1 location 1.0 f32 x4\n"
    "input 2 builtin vertex_index i32 x1\n"
    "output 0 location 0.0 f32 x4\noutput 1 builtin position f32 x4\n"
    "output 2 builtin clip_distance f32 x1 array 3\n"
    "output 3 builtin cull_distance f32 x1 array 2\nbody {\n"
    "%0:f32, %1:f32, %2:f32, %3:f32 = load_input[0, 0]\n"
    "%4:f32, %5:f32, %6:f32, %7:f32 = load_input[1, 0]\n";

absl::StatusOr<mir::Module> Culled(const std::string& body, uint32_t width, uint32_t group = 128) {
  absl::StatusOr<mir::Module> m = mir::Parse(absl::StrCat(kInterfaces, body, " return }"));
  if (!m.ok()) return m.status();
  EXPECT_EQ(mir::Verify(*m), absl::OkStatus());
  VertexAbi abi;
  abi.culls = true;
  abi.group_size = group;
  abi.reads_vertex_id = true;
  if (absl::Status s = CullPrimitives(*m, abi, width); !s.ok()) return s;
  return m;
}

// Returns the inputs that are loaded after each start of a vertex.
std::vector<std::vector<uint32_t>> LoadsByPart(const mir::Module& m) {
  std::vector<std::vector<uint32_t>> parts;
  mir::ForEachInst(m, m.body, [&](InstId id) {
    const mir::Inst& inst = m.inst(id);
    if (inst.op == Op::kStageEffect &&
        static_cast<StageEffect>(inst.imm0) == StageEffect::kStartVertex) {
      parts.emplace_back();
    }
    if (inst.op == Op::kLoadInput) parts.back().push_back(inst.imm0);
  });
  return parts;
}

std::vector<StageEffect> EffectsOf(const mir::Module& m) {
  std::vector<StageEffect> effects;
  mir::ForEachInst(m, m.body, [&](InstId id) {
    if (m.inst(id).op == Op::kStageEffect) {
      effects.push_back(static_cast<StageEffect>(m.inst(id).imm0));
    }
  });
  return effects;
}

constexpr char kStores[] = "store_output[1, 0] %0, %1, %2, %3\nstore_output[0, 0] %4, %5, %6, %7\n";

TEST(Cull, PartsLoadWhatTheyNeed) {
  for (const uint32_t width : {32u, 64u}) {
    for (const uint32_t group : {128u, 256u}) {
      auto m = Culled(kStores, width, group);
      ASSERT_TRUE(m.ok()) << m.status();
      EXPECT_EQ(mir::Verify(*m), absl::OkStatus());
      EXPECT_EQ(m->local_size[0], group);
      EXPECT_EQ(m->shared_bytes, 28 * group);  // position, the vertex's number, its mark, odd
      EXPECT_THAT(LoadsByPart(*m), ElementsAre(ElementsAre(0), ElementsAre(1)));
      using enum StageEffect;
      EXPECT_THAT(EffectsOf(*m), ElementsAre(kStartVertex, kRequestRoom, kRequestRoom,
                                             kExportPrimitive, kStartVertex, kExportVertex));
    }
  }
}

TEST(Cull, ARecordHasTheNumbersThatAreNeeded) {
  auto m = Culled("store_output[1, 0] %0, %1, %2, %3\n", 32);
  ASSERT_TRUE(m.ok()) << m.status();
  EXPECT_EQ(m->shared_bytes, 20u * 128);
  EXPECT_THAT(LoadsByPart(*m), ElementsAre(ElementsAre(0), ElementsAre()));
}

TEST(Cull, TheSecondPartStoresThePositionOfTheFirst) {
  auto m = Culled(absl::StrCat("%8:f32 = fadd %0, %4\nstore_output[1, 0] %8, %1, %2, %3\n"
                               "store_output[0, 0] %0, %5, %6, %7\n"),
                  32);
  ASSERT_TRUE(m.ok()) << m.status();
  EXPECT_THAT(LoadsByPart(*m), ElementsAre(ElementsAre(0, 1), ElementsAre(0, 1)));
  int sums = 0, positions = 0;
  mir::ForEachInst(*m, m->body, [&](InstId id) {
    const mir::Inst& inst = m->inst(id);
    sums += inst.op == Op::kFadd && inst.flags == 0 ? 1 : 0;
    positions += inst.op == Op::kStoreOutput && inst.imm0 == 1 ? 1 : 0;
  });
  EXPECT_EQ(sums, 1);
  EXPECT_EQ(positions, 1);
}

TEST(Cull, OutputsMadeOfThePositionNeedNoMore) {
  auto m = Culled(
      "%8:f32 = fadd %0, %1\n%9:f32 = fmul %8, 0.5f\n"
      "store_output[1, 0] %8, %1, %8, 1f\nstore_output[0, 0] %9, %8, %1, 1f\n",
      32);
  ASSERT_TRUE(m.ok()) << m.status();
  EXPECT_EQ(mir::Verify(*m), absl::OkStatus());
  EXPECT_EQ(m->shared_bytes, 20u * 128);
  EXPECT_THAT(LoadsByPart(*m), ElementsAre(ElementsAre(0), ElementsAre()));
}

// The rest has no copy of what only the position needs, whose vertex it would not know.
TEST(Cull, NothingIsLeftForOtherPasses) {
  auto m = Culled(
      "%8:i32 = load_input[2, 0]\n%9:f32 = u2f %8\n"
      "store_output[1, 0] %9, %1, %2, %3\n",
      64);
  ASSERT_TRUE(m.ok()) << m.status();
  EXPECT_THAT(LoadsByPart(*m), ElementsAre(ElementsAre(0, 2), ElementsAre()));
  EXPECT_FALSE(mid::SweepDeadCode(*m));
}

// Returns the number of comparisons with 0 of values that are none of the position's.
int DistancesOf(const mir::Module& m) {
  int count = 0;
  mir::ForEachInst(m, m.body, [&](InstId id) {
    count += m.inst(id).op == Op::kFlt && m.inst(id).flags == mir::kExact &&
             m.IsConstant(m.source(id, 1)) && m.value(m.source(id, 1)).bits == 0;
  });
  return count;
}

// Returns the count for stores to output 2, three distances to clip by, and 3, two to cull by.
int DistancesOf(const std::string& stores) {
  auto m = Culled(absl::StrCat("store_output[1, 0] %0, %1, %2, %3\n", stores), 32);
  EXPECT_TRUE(m.ok()) << m.status();
  if (!m.ok()) return -1;
  EXPECT_EQ(mir::Verify(*m), absl::OkStatus());
  EXPECT_EQ(m->shared_bytes, 20u * 128) << stores;  // their bits are where the position's z goes
  return DistancesOf(*m);
}

TEST(Cull, DistancesAreTested) {
  EXPECT_EQ(DistancesOf(""), 0);
  EXPECT_EQ(DistancesOf("store_output.indexed[2, 0] 0, %0\n"), 1);
  EXPECT_EQ(DistancesOf("store_output.indexed[2, 0] 0, %0\nstore_output.indexed[2, 0] 2, %1\n"
                        "store_output.indexed[3, 0] 1, %2\n"),
            3);
  // The last store counts; positive numbers and unknown elements do not.
  EXPECT_EQ(DistancesOf("store_output.indexed[2, 0] 0, %0\nstore_output.indexed[2, 0] 0, %1\n"), 1);
  EXPECT_EQ(DistancesOf("store_output.indexed[2, 0] 0, %0\nstore_output.indexed[2, 0] 0, 1f\n"), 0);
  EXPECT_EQ(DistancesOf("store_output.indexed[2, 0] 0, -1f\n"), 1);
  EXPECT_EQ(DistancesOf("%8:i32 = f2u %0\n%9:i32 = urem %8, 3\n"
                        "store_output.indexed[2, 0] 0, %0\nstore_output.indexed[2, 0] %9, %1\n"
                        "store_output.indexed[3, 0] 1, %2\n"),
            1);
}

// Distances are stored in the second part, and what they need is computed in both.
TEST(Cull, DistancesAreInBothParts) {
  auto m = Culled("store_output[1, 0] %0, %1, %2, %3\nstore_output.indexed[2, 0] 0, %4\n", 32);
  ASSERT_TRUE(m.ok()) << m.status();
  EXPECT_THAT(LoadsByPart(*m), ElementsAre(ElementsAre(0, 1), ElementsAre(1)));
}

TEST(Cull, StoresUnderAConditionAreAFault) {
  const auto m = Culled(
      "%8:bool = flt %0, %1\nif %8 { store_output[1, 0] %0, %1, %2, %3\nyield } else { yield }\n",
      32);
  EXPECT_EQ(m.status().code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace kiln::amd
