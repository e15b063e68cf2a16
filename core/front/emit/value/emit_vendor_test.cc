// Tests the extended instructions of vendors' extensions in the interpreter, with a subgroup of 32.
#include <algorithm>
#include <bit>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/front/testing/testing.h"
#include "gtest/gtest.h"

namespace kiln::front {
namespace {

const char kExtensions[] =
    "#extension GL_AMD_shader_trinary_minmax : require\n"
    "#extension GL_AMD_shader_ballot : require\n"
    "#extension GL_ARB_shader_ballot : require\n"
    "#extension GL_ARB_gpu_shader_int64 : require\n";

constexpr uint32_t kLanes = 32;

uint32_t Input(uint32_t lane) { return lane * 7 % 32 + 3; }

void Check(const std::string& body, const std::function<uint32_t(uint32_t)>& expected) {
  SCOPED_TRACE(body);
  std::vector<uint32_t> words(kLanes);
  for (uint32_t i = 0; i < kLanes; ++i) words[i] = Input(i);
  const std::vector<uint32_t> out = RunKernel(kExtensions, "uint x = in_[id]; " + body, words, 32);
  ASSERT_EQ(out.size(), kLanes);
  for (uint32_t i = 0; i < kLanes; ++i) EXPECT_EQ(out[i], expected(i)) << "lane " << i;
}

TEST(Trinary, LeastMostAndMiddleOfThree) {
  const auto sorted = [](uint32_t lane) {
    std::vector<uint32_t> three = {Input(lane), 11, Input(lane) * 5 % 23};
    std::sort(three.begin(), three.end());
    return three;
  };
  for (const std::string type : {"uint", "int", "float"}) {
    const std::string arguments =
        absl::StrCat("3(", type, "(x), ", type, "(11), ", type, "(x * 5u % 23u)));");
    Check("out_[id] = uint(min" + arguments, [&](uint32_t i) { return sorted(i)[0]; });
    Check("out_[id] = uint(mid" + arguments, [&](uint32_t i) { return sorted(i)[1]; });
    Check("out_[id] = uint(max" + arguments, [&](uint32_t i) { return sorted(i)[2]; });
  }
}

TEST(Trinary, SignsCount) {
  Check("out_[id] = uint(min3(int(x), -int(x), 0));", [](uint32_t i) { return 0u - Input(i); });
  Check("out_[id] = mid3(x, 0xffffffffu, 0u);", Input);
  Check("ivec2 v = mid3(ivec2(x, -int(x)), ivec2(-1), ivec2(2)); out_[id] = uint(v.x * 16 + v.y);",
        [](uint32_t) { return 2u * 16u - 1u; });
}

TEST(VendorBallot, SwizzlesWithinAQuad) {
  Check("out_[id] = swizzleInvocationsAMD(x, uvec4(1, 3, 0, 2));", [](uint32_t i) {
    constexpr uint32_t kFrom[] = {1, 3, 0, 2};
    return Input((i & ~3u) + kFrom[i & 3]);
  });
}

TEST(VendorBallot, LanesThatAreOffGiveZero) {
  Check(
      "out_[id] = 99u; if (id % 4u != 2u) out_[id] = swizzleInvocationsAMD(x, uvec4(2, 0, 1, 2));",
      [](uint32_t i) {
        if (i % 4 == 2) return 99u;
        return i % 4 == 1 ? Input(i & ~3u) : 0u;
      });
}

TEST(VendorBallot, SwizzlesByMasks) {
  Check("out_[id] = swizzleInvocationsMaskedAMD(x, uvec3(0x1c, 2, 9));",
        [](uint32_t i) { return Input((((i & 31) & 0x1c) | 2) ^ 9); });
}

TEST(VendorBallot, WritesOneLane) {
  Check(
      "uvec2 v = writeInvocationAMD(uvec2(x, 1u), uvec2(500u, 2u), 13u); out_[id] = v.x * 4u + v.y;",
      [](uint32_t i) { return i == 13 ? 2002u : Input(i) * 4 + 1; });
}

TEST(VendorBallot, CountsBitsBelowTheLane) {
  Check("out_[id] = mbcntAMD(ballotARB(x % 2u == 0u));", [](uint32_t lane) {
    uint32_t below = 0;
    for (uint32_t i = 0; i < lane; ++i) below += Input(i) % 2 == 0 ? 1 : 0;
    return below;
  });
  Check("out_[id] = mbcntAMD(0xffffffff00000000ul | uint64_t(x));", [](uint32_t lane) {
    return static_cast<uint32_t>(std::popcount(Input(lane) & ((1u << lane) - 1)));
  });
}

}  // namespace
}  // namespace kiln::front
