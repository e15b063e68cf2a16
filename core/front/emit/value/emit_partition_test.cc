// Tests partitions of a subgroup and the reductions and scans over their subsets, lane by lane as
// SPV_NV_shader_subgroup_partitioned defines them, in the interpreter with a subgroup of 32.
#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "core/front/testing/fragment_testing.h"
#include "core/front/testing/testing.h"
#include "gtest/gtest.h"

namespace kiln::front {
namespace {

constexpr uint32_t kLanes = 32;
constexpr char kExtensions[] = "#extension GL_NV_shader_subgroup_partitioned : require\n";

uint32_t Input(uint32_t lane) { return lane * 7 % 32 + 3; }

// The lanes whose values equal the lane's own, of those that `active` holds.
using Value = std::function<uint32_t(uint32_t lane)>;
uint32_t Subset(uint32_t lane, const Value& value, uint32_t active = ~0u) {
  uint32_t bits = 0;
  for (uint32_t i = 0; i < kLanes; ++i) bits |= (value(i) == value(lane) ? 1u << i : 0) & active;
  return bits;
}

// The sum of the inputs of these lanes that are below `end`.
uint32_t Sum(uint32_t lanes, uint32_t end = kLanes) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < end; ++i) sum += (lanes >> i & 1) != 0 ? Input(i) : 0;
  return sum;
}

// Expects the kernel, which reads x = in_[id], to write `expected` of each lane.
void Check(const std::string& body, const Value& expected) {
  SCOPED_TRACE(body);
  std::vector<uint32_t> input(kLanes);
  for (uint32_t i = 0; i < kLanes; ++i) input[i] = Input(i);
  const std::vector<uint32_t> out =
      RunKernel(kExtensions, "uint x = in_[id]; " + body, input, kLanes);
  ASSERT_EQ(out.size(), kLanes);
  for (uint32_t i = 0; i < kLanes; ++i) EXPECT_EQ(out[i], expected(i)) << "lane " << i;
}

uint32_t Third(uint32_t lane) { return Input(lane) % 3; }
uint32_t Fifth(uint32_t lane) { return Input(lane) / 5; }

TEST(Partition, OfScalarsAndVectors) {
  Check("uvec4 b = subgroupPartitionNV(x % 3u); out_[id] = b.x | b.y | b.z | b.w;",
        [](uint32_t i) { return Subset(i, Third); });
  Check("out_[id] = subgroupPartitionNV(7u).x;", [](uint32_t) { return ~0u; });
  Check("out_[id] = subgroupPartitionNV(x).x;", [](uint32_t i) { return 1u << i; });
  Check("out_[id] = subgroupPartitionNV(x > 9u).x;",
        [](uint32_t i) { return Subset(i, [](uint32_t k) { return Input(k) > 9 ? 1 : 0; }); });
  Check("out_[id] = subgroupPartitionNV(uvec2(x % 3u, x / 5u)).x;",
        [](uint32_t i) { return Subset(i, [](uint32_t k) { return Third(k) * 100 + Fifth(k); }); });
  Check("out_[id] = subgroupPartitionNV(bvec3(x % 3u == 0u, true, x / 5u == 2u)).x;",
        [](uint32_t i) {
          return Subset(i, [](uint32_t k) { return (Third(k) == 0) * 2 + (Fifth(k) == 2); });
        });
}

TEST(Partition, IsOfActiveLanes) {
  const uint32_t odd = 0xaaaaaaaa;
  Check("out_[id] = 0u; if ((id & 1u) != 0u) out_[id] = subgroupPartitionNV(x % 3u).x;",
        [=](uint32_t i) { return i & 1 ? Subset(i, Third, odd) : 0; });
}

// Zeros of both signs are equal. Each NaN may be alone or with others, but never with numbers, and
// its lane must get its own bit.
TEST(Partition, OfFloats) {
  Check("out_[id] = subgroupPartitionNV(float(x % 3u) - 1.5).x;",
        [](uint32_t i) { return Subset(i, Third); });
  Check("out_[id] = subgroupPartitionNV(uintBitsToFloat(x % 2u << 31)).x;",
        [](uint32_t) { return ~0u; });
  const auto is_nan = [](uint32_t i) { return Input(i) % 2 == 0; };
  std::vector<uint32_t> input(kLanes);
  for (uint32_t i = 0; i < kLanes; ++i) input[i] = is_nan(i) ? 0x7fc00000 + Input(i) / 16 : 0;
  const std::vector<uint32_t> out = RunKernel(
      kExtensions, "out_[id] = subgroupPartitionNV(uintBitsToFloat(in_[id])).x;", input, kLanes);
  uint32_t numbers = 0;
  for (uint32_t i = 0; i < kLanes; ++i) numbers |= is_nan(i) ? 0 : 1u << i;
  for (uint32_t i = 0; i < kLanes; ++i) {
    EXPECT_NE(out[i] >> i & 1, 0u);
    EXPECT_EQ(out[i] & numbers, is_nan(i) ? 0 : numbers);
  }
}

TEST(Partition, ReductionsAndScans) {
  const std::string part = "uvec4 p = subgroupPartitionNV(x % 3u); ";
  const auto own = [](uint32_t i) { return Subset(i, Third); };
  Check(part + "out_[id] = subgroupPartitionedAddNV(x, p);",
        [&](uint32_t i) { return Sum(own(i)); });
  Check(part + "out_[id] = subgroupPartitionedInclusiveAddNV(x, p);",
        [&](uint32_t i) { return Sum(own(i), i + 1); });
  Check(part + "out_[id] = subgroupPartitionedExclusiveAddNV(x, p);",
        [&](uint32_t i) { return Sum(own(i), i); });
  Check(part +
            "vec2 v = subgroupPartitionedMaxNV(vec2(x, -float(x)), p); "
            "out_[id] = uint(v.x) * 100u + uint(-v.y);",
        [&](uint32_t i) {
          uint32_t least = ~0u, most = 0;
          for (uint32_t k = 0; k < kLanes; ++k) {
            if ((own(i) >> k & 1) == 0) continue;
            least = std::min(least, Input(k));
            most = std::max(most, Input(k));
          }
          return most * 100 + least;
        });
  Check(part + "out_[id] = subgroupPartitionedOrNV(x == 4u, p) ? 5u : 2u;",
        [&](uint32_t i) { return Third(i) == 1 ? 5u : 2u; });
  Check(part + "out_[id] = subgroupPartitionedExclusiveMulNV(2u, p);",
        [&](uint32_t i) { return 1u << std::popcount(own(i) & ((1u << i) - 1)); });
}

// The bits of a ballot beyond the subgroup are ignored, those of inactive lanes are not.
TEST(Partition, BallotsOfTheProgram) {
  Check(
      "uint half_ = (id & 1u) != 0u ? 0xaaaaaaaau : 0x55555555u; "
      "out_[id] = subgroupPartitionedAddNV(x, uvec4(half_, x, id, 9u));",
      [](uint32_t i) { return Sum(i & 1 ? 0xaaaaaaaa : 0x55555555); });
  Check("out_[id] = 0u; if (id < 9u) out_[id] = subgroupPartitionedAddNV(x, uvec4(~0u));",
        [](uint32_t i) { return i < 9 ? Sum(0x1ff) : 0; });
}

// A value that a helper lane reads of others is undefined, so that its turn may never come.
TEST(Partition, HelperLanesDoNotWait) {
  const std::string text = FragmentText({
      .main = "%p = OpGroupNonUniformPartitionNV %v4uint %u_1\nOpReturn\n",
      .preamble = "OpCapability GroupNonUniform\nOpCapability GroupNonUniformPartitionedNV\n"
                  "OpExtension \"SPV_NV_shader_subgroup_partitioned\"\n",
  });
  EXPECT_TRUE(absl::StrContains(text, "helper_invocation")) << text;
}

TEST(Partition, WithoutABallotIsMalformed) {
  const std::string head =
      "OpCapability Shader\nOpCapability GroupNonUniform\n"
      "OpCapability GroupNonUniformPartitionedNV\n"
      "OpExtension \"SPV_NV_shader_subgroup_partitioned\"\n";
  const auto import = [&](const std::string& main) {
    return ImportVerified(Assemble(KernelAssembly("", main, true, "", head)));
  };
  const std::string add = "%result = OpGroupNonUniformIAdd %uint %u_3 PartitionedReduceNV %x";
  const auto missing = import(add + "\n");
  ASSERT_FALSE(missing.ok());
  EXPECT_TRUE(absl::StrContains(missing.status().message(), "without a ballot"))
      << missing.status();
  const auto scalar = import(add + " %u_1\n");
  ASSERT_FALSE(scalar.ok());
  EXPECT_TRUE(absl::StrContains(scalar.status().message(), "four 32-bit integers"))
      << scalar.status();
  EXPECT_TRUE(import("%p = OpGroupNonUniformPartitionNV %v4uint %x\n" + add + " %p\n").ok());
}

}  // namespace
}  // namespace kiln::front
