// Tests subgroup operations and integer dot products as GLSL and SPIR-V define them, lane by lane,
// in the interpreter with a subgroup of 32.
#include <algorithm>
#include <bit>
#include <functional>
#include <string>
#include <vector>

#include "core/front/testing/testing.h"
#include "gtest/gtest.h"

namespace kiln::front {
namespace {

const char kExtensions[] =
    "#extension GL_KHR_shader_subgroup_basic : require\n"
    "#extension GL_KHR_shader_subgroup_vote : require\n"
    "#extension GL_KHR_shader_subgroup_ballot : require\n"
    "#extension GL_KHR_shader_subgroup_arithmetic : require\n"
    "#extension GL_KHR_shader_subgroup_shuffle : require\n"
    "#extension GL_KHR_shader_subgroup_shuffle_relative : require\n"
    "#extension GL_KHR_shader_subgroup_clustered : require\n"
    "#extension GL_KHR_shader_subgroup_quad : require\n";

uint32_t Input(uint32_t lane) { return lane * 7 % 32 + 3; }

std::vector<uint32_t> Inputs() {
  std::vector<uint32_t> words(32);
  for (uint32_t i = 0; i < 32; ++i) words[i] = Input(i);
  return words;
}

struct Case {
  const char* body;                            // reads the kernel's in_, out_, id
  std::function<uint32_t(uint32_t)> expected;  // by lane
};

void Check(absl::Span<const Case> cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.body);
    const std::vector<uint32_t> out =
        RunKernel(kExtensions, std::string("uint x = in_[id]; ") + c.body, Inputs(), 32);
    ASSERT_EQ(out.size(), 32u);
    for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], c.expected(i)) << "lane " << i;
  }
}

uint32_t Sum(uint32_t first, uint32_t last) {
  uint32_t sum = 0;
  for (uint32_t i = first; i < last; ++i) sum += Input(i);
  return sum;
}

// Returns a mask: bit i is set if the input of lane i is even.
uint32_t Even() {
  uint32_t bits = 0;
  for (uint32_t i = 0; i < 32; ++i) bits |= (Input(i) % 2 == 0 ? 1u : 0u) << i;
  return bits;
}
uint32_t LowBits(uint32_t n) { return n >= 32 ? ~0u : (1u << n) - 1; }

TEST(Subgroup, BuiltIns) {
  Check({
      {"out_[id] = gl_SubgroupSize * 100u + gl_NumSubgroups * 10u + gl_SubgroupID;",
       [](uint32_t) { return 3210u; }},
      {"out_[id] = gl_SubgroupInvocationID;", [](uint32_t i) { return i; }},
      {"out_[id] = gl_SubgroupEqMask.x + gl_SubgroupEqMask.y;", [](uint32_t i) { return 1u << i; }},
      {"out_[id] = gl_SubgroupGeMask.x;", [](uint32_t i) { return ~LowBits(i); }},
      {"out_[id] = gl_SubgroupGtMask.x;", [](uint32_t i) { return ~LowBits(i + 1); }},
      {"out_[id] = gl_SubgroupLeMask.x;", [](uint32_t i) { return LowBits(i + 1); }},
      {"out_[id] = gl_SubgroupLtMask[id & 1u];", [](uint32_t i) { return i & 1 ? 0 : LowBits(i); }},
  });
}

TEST(Subgroup, VotesAndElection) {
  Check({
      {"out_[id] = 7u; if (x > 20u) out_[id] = subgroupElect() ? 1u : 0u;",
       [](uint32_t i) {
         uint32_t first = 0;
         while (Input(first) <= 20) ++first;
         return Input(i) <= 20 ? 7u : i == first ? 1u : 0u;
       }},
      {"out_[id] = (subgroupAny(x == 34u) ? 1u : 0u) + (subgroupAny(x == 35u) ? 2u : 0u) + "
       "(subgroupAll(x >= 3u) ? 4u : 0u) + (subgroupAll(x > 3u) ? 8u : 0u);",
       [](uint32_t) { return 5u; }},
      {"out_[id] = (subgroupAllEqual(x) ? 1u : 0u) + (subgroupAllEqual(vec2(3, x / 100u)) ? 2u : 0u)"
       " + (subgroupAllEqual(bvec2(true, x > 5u)) ? 4u : 0u);",
       [](uint32_t) { return 2u; }},
  });
}

TEST(Subgroup, Ballots) {
  Check({
      {"uvec4 b = subgroupBallot(x % 2u == 0u); out_[id] = b.x + b.y + b.z + b.w;",
       [](uint32_t) { return Even(); }},
      {"uvec4 b = subgroupBallot(x % 2u == 0u); out_[id] = subgroupInverseBallot(b) ? 1u : 0u;",
       [](uint32_t i) { return Even() >> i & 1; }},
      {"uvec4 b = subgroupBallot(x % 2u == 0u); "
       "out_[id] = subgroupBallotBitExtract(b, 31u - id) ? 1u : 0u;",
       [](uint32_t i) { return Even() >> (31 - i) & 1; }},
      {"uvec4 b = subgroupBallot(x % 2u == 0u); out_[id] = subgroupBallotBitCount(b) * 10000u + "
       "subgroupBallotInclusiveBitCount(b) * 100u + subgroupBallotExclusiveBitCount(b);",
       [](uint32_t i) {
         return std::popcount(Even()) * 10000u + std::popcount(Even() & LowBits(i + 1)) * 100u +
                std::popcount(Even() & LowBits(i));
       }},
      // Bits of lanes that do not exist do not count.
      {"out_[id] = subgroupBallotBitCount(uvec4(0xf0u, ~0u, 1u, 1u)) * 10000u + "
       "subgroupBallotFindLSB(uvec4(0xf0u, 1u, 0u, 1u)) * 100u + "
       "subgroupBallotFindMSB(uvec4(0xf0u, 1u, 0u, 1u));",
       [](uint32_t) { return 40407u; }},
  });
}

TEST(Subgroup, ReadingOtherLanes) {
  Check({
      {"out_[id] = subgroupBroadcast(x, 5u) * 100u + subgroupBroadcastFirst(x);",
       [](uint32_t) { return Input(5) * 100 + Input(0); }},
      {"out_[id] = subgroupShuffle(x, 31u - id);", [](uint32_t i) { return Input(31 - i); }},
      {"out_[id] = subgroupShuffleXor(x, 5u);", [](uint32_t i) { return Input(i ^ 5); }},
      {"uint y = subgroupShuffleUp(x, 3u); out_[id] = id < 3u ? 0u : y;",
       [](uint32_t i) { return i < 3 ? 0 : Input(i - 3); }},
      {"uint y = subgroupShuffleDown(x, 2u); out_[id] = id > 29u ? 0u : y;",
       [](uint32_t i) { return i > 29 ? 0 : Input(i + 2); }},
      {"vec2 v = subgroupShuffleXor(vec2(x, id), 1u); out_[id] = uint(v.x * 100.0 + v.y);",
       [](uint32_t i) { return Input(i ^ 1) * 100 + (i ^ 1); }},
      {"out_[id] = subgroupShuffleXor(x > 10u, 1u) ? 1u : 0u;",
       [](uint32_t i) { return Input(i ^ 1) > 10 ? 1u : 0u; }},
      {"out_[id] = subgroupQuadBroadcast(x, 2u);", [](uint32_t i) { return Input((i & ~3u) + 2); }},
      {"out_[id] = subgroupQuadSwapHorizontal(x) * 10000u + subgroupQuadSwapVertical(x) * 100u + "
       "subgroupQuadSwapDiagonal(x);",
       [](uint32_t i) { return Input(i ^ 1) * 10000 + Input(i ^ 2) * 100 + Input(i ^ 3); }},
  });
}

TEST(Subgroup, ReductionsAndScans) {
  Check({
      {"out_[id] = subgroupAdd(x);", [](uint32_t) { return Sum(0, 32); }},
      {"out_[id] = subgroupInclusiveAdd(x) * 1000u + subgroupExclusiveAdd(x);",
       [](uint32_t i) { return Sum(0, i + 1) * 1000 + Sum(0, i); }},
      {"out_[id] = subgroupClusteredAdd(x, 8u);",
       [](uint32_t i) { return Sum(i & ~7u, (i & ~7u) + 8); }},
      {"out_[id] = subgroupClusteredAdd(x, 1u);", [](uint32_t i) { return Input(i); }},
      {"out_[id] = subgroupMin(x) * 100u + subgroupMax(x);", [](uint32_t) { return 334u; }},
      {"out_[id] = uint(subgroupMin(int(x) - 20) + 17) * 100u + uint(subgroupMax(int(x) - 50) + 16);",
       [](uint32_t) { return 0u; }},
      {"out_[id] = subgroupMul(id < 3u ? x : 1u);",
       [](uint32_t) { return Input(0) * Input(1) * Input(2); }},
      {"out_[id] = uint(subgroupAdd(float(x)) + subgroupMax(float(x)) - subgroupMin(float(x)));",
       [](uint32_t) { return Sum(0, 32) + 31; }},
      {"out_[id] = subgroupAnd(x | 64u) + subgroupOr(x) + subgroupXor(x);",
       [](uint32_t) {
         uint32_t o = 0, x = 0;
         for (uint32_t i = 0; i < 32; ++i) o |= Input(i), x ^= Input(i);
         return 64 + o + x;
       }},
      {"out_[id] = (subgroupAnd(x > 2u) ? 1u : 0u) + (subgroupOr(x > 99u) ? 2u : 0u) + "
       "(subgroupXor(x == 9u) ? 4u : 0u);",
       [](uint32_t) { return 5u; }},
      {"out_[id] = 0u; if ((id & 1u) != 0u) out_[id] = subgroupInclusiveAdd(1u);",
       [](uint32_t i) { return i & 1 ? i / 2 + 1 : 0; }},
  });
}

TEST(Subgroup, Barriers) {
  Check(
      {{"out_[id] = x; subgroupBarrier(); subgroupMemoryBarrier(); subgroupMemoryBarrierBuffer();",
        [](uint32_t i) { return Input(i); }}});
}

std::vector<uint32_t> RunAssembly(const std::string& capabilities, const std::string& types,
                                  const std::string& main) {
  const auto module = ImportVerified(Assemble(KernelAssembly(types, main, true, "", capabilities)));
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return std::vector<uint32_t>(32);
  const auto out = RunWords(*module, Inputs(), 32);
  EXPECT_TRUE(out.ok()) << out.status();
  return *out;
}

TEST(Subgroup, ExtensionForms) {
  const auto out = RunAssembly(
      "OpCapability Shader\nOpCapability SubgroupBallotKHR\nOpCapability SubgroupVoteKHR\n"
      "OpExtension \"SPV_KHR_shader_ballot\"\nOpExtension \"SPV_KHR_subgroup_vote\"\n",
      "", R"(
    %odd = OpBitwiseAnd %uint %x %u_1
    %is_odd = OpINotEqual %bool %odd %u_0
    %ballot = OpSubgroupBallotKHR %v4uint %is_odd
    %bits = OpCompositeExtract %uint %ballot 0
    %first = OpSubgroupFirstInvocationKHR %uint %x
    %third = OpSubgroupReadInvocationKHR %uint %x %u_3
    %any = OpSubgroupAnyKHR %bool %is_odd
    %all = OpSubgroupAllKHR %bool %is_odd
    %equal = OpSubgroupAllEqualKHR %bool %is_odd
    %any_u = OpSelect %uint %any %u_1 %u_0
    %all_u = OpSelect %uint %all %u_2 %u_0
    %equal_u = OpSelect %uint %equal %u_4 %u_0
    %r1 = OpIAdd %uint %bits %first
    %r2 = OpIAdd %uint %r1 %third
    %r3 = OpIAdd %uint %r2 %any_u
    %r4 = OpIAdd %uint %r3 %all_u
    %result = OpIAdd %uint %r4 %equal_u
)");
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], ~Even() + Input(0) + Input(3) + 1);
}

// Bytes and words wrap at their size, have their own signs and identities, halfs round each step.
TEST(Subgroup, OtherTypes) {
  const std::string extensions =
      std::string(kExtensions) +
      "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
      "#extension GL_EXT_shader_subgroup_extended_types_int8 : require\n"
      "#extension GL_EXT_shader_subgroup_extended_types_int16 : require\n"
      "#extension GL_EXT_shader_subgroup_extended_types_int64 : require\n"
      "#extension GL_EXT_shader_subgroup_extended_types_float16 : require\n";
  const Case cases[] = {
      {"out_[id] = uint(subgroupAdd(uint8_t(x)));", [](uint32_t) { return Sum(0, 32) & 0xff; }},
      {"out_[id] = uint(subgroupExclusiveMin(int8_t(x)));",
       [](uint32_t i) {
         uint32_t least = 127;
         for (uint32_t k = 0; k < i; ++k) least = std::min(least, Input(k));
         return least;
       }},
      {"out_[id] = uint(subgroupInclusiveMul(uint16_t(x | 1u)));",
       [](uint32_t i) {
         uint32_t product = 1;
         for (uint32_t k = 0; k <= i; ++k) product = product * (Input(k) | 1) & 0xffff;
         return product;
       }},
      {"out_[id] = uint(subgroupMax(uint64_t(x) << 40) >> 40);", [](uint32_t) { return 34u; }},
      {"out_[id] = uint(subgroupAdd(uint64_t(x) << 30) >> 30);",
       [](uint32_t) { return Sum(0, 32); }},
      {"out_[id] = uint(subgroupShuffleXor(uint64_t(x) << 32, 3u) >> 32);",
       [](uint32_t i) { return Input(i ^ 3); }},
      {"out_[id] = uint(subgroupClusteredAdd(float16_t(x) * 64.0hf, 2u));",
       [](uint32_t i) {  // halfs from 4,096 on have steps of 4, which divides 64
         return 64 * (Input(i & ~1u) + Input(i | 1));
       }},
      {"out_[id] = subgroupAllEqual(int16_t(x & 0u)) && !subgroupAllEqual(uint8_t(x)) ? 5u : 0u;",
       [](uint32_t) { return 5u; }},
      {"out_[id] = uint(subgroupBroadcast(uint8_t(x), 7u)) + uint(subgroupQuadSwapVertical(int16_t(x)));",
       [](uint32_t i) { return Input(7) + Input(i ^ 2); }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.body);
    const std::vector<uint32_t> out =
        RunKernel(extensions, std::string("uint x = in_[id]; ") + c.body, Inputs(), 32);
    ASSERT_EQ(out.size(), 32u);
    for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], c.expected(i)) << "lane " << i;
  }
}

// The older forms: those of the capability Groups, and AMD's.
TEST(Subgroup, GroupReductions) {
  const std::string head =
      "OpCapability Shader\nOpCapability Groups\nOpExtension \"SPV_AMD_shader_ballot\"\n";
  const auto sum = RunAssembly(head, "", "%result = OpGroupIAdd %uint %u_3 Reduce %x\n");
  const auto scan =
      RunAssembly(head, "", "%result = OpGroupUMaxNonUniformAMD %uint %u_3 ExclusiveScan %x\n");
  uint32_t most = 0;
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(sum[i], Sum(0, 32));
    EXPECT_EQ(scan[i], most);
    most = std::max(most, Input(i));
  }
}

TEST(Subgroup, Rotations) {
  const std::string head =
      "OpCapability Shader\nOpCapability GroupNonUniform\nOpCapability GroupNonUniformRotateKHR\n"
      "OpExtension \"SPV_KHR_subgroup_rotate\"\n";
  const auto whole =
      RunAssembly(head, "", "%result = OpGroupNonUniformRotateKHR %uint %u_3 %x %u_5\n");
  const auto clusters =
      RunAssembly(head, "", "%result = OpGroupNonUniformRotateKHR %uint %u_3 %x %u_5 %u_8\n");
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(whole[i], Input((i + 5) % 32));
    EXPECT_EQ(clusters[i], Input((i & ~7u) + (i + 5) % 8));
  }
}

TEST(IntegerDot, PackedVectorsAndSaturation) {
  const std::string head =
      "OpCapability Shader\nOpCapability DotProduct\nOpCapability DotProductInput4x8BitPacked\n"
      "OpCapability DotProductInputAll\nOpExtension \"SPV_KHR_integer_dot_product\"\n";
  const std::string types = R"(
    %a = OpConstant %uint 0x80ff7f01
    %b = OpConstant %uint 0x02030405
    %big = OpConstant %uint 0x7fffff00
    %i_max = OpConstant %uint 0x7fffffff
)";
  const auto run = [&](const std::string& main) { return RunAssembly(head, types, main)[0]; };
  const std::string packed = " PackedVectorFormat4x8BitKHR\n";
  // Bytes of a: 1, 127, -1 or 255, -128 or 128; of b: 5, 4, 3, 2.
  EXPECT_EQ(run("%result = OpSDotKHR %uint %a %b" + packed), 5u + 508 - 3 - 256);
  EXPECT_EQ(run("%result = OpUDotKHR %uint %a %b" + packed), 5u + 508 + 765 + 256);
  EXPECT_EQ(run("%result = OpSUDotKHR %uint %b %a" + packed), 5u + 508 + 765 + 256);
  EXPECT_EQ(run("%result = OpSDotAccSatKHR %uint %a %b %big" + packed), 0x7fffff00u + 254);
  EXPECT_EQ(run("%result = OpSUDotAccSatKHR %uint %b %a %big" + packed), 0x7fffffffu);
  EXPECT_EQ(run("%v = OpCompositeConstruct %v2uint %u_3 %u_4\n"
                "%result = OpSDotAccSatKHR %uint %v %v %i_max\n"),
            0x7fffffffu);
  EXPECT_EQ(run("%v = OpCompositeConstruct %v2uint %u_3 %u_4\n"
                "%result = OpUDotAccSatKHR %uint %v %v %i_max\n"),
            0x7fffffffu + 25);
}

}  // namespace
}  // namespace kiln::front
