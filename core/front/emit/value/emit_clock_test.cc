// Tests clocks, and the faces of cubes of SPV_AMD_gcn_shader, in the interpreter.
#include <bit>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/front/testing/testing.h"
#include "core/mir/print.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::front {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr char kGcn[] =
    "#extension GL_AMD_gcn_shader : require\n"
    "#extension GL_ARB_gpu_shader_int64 : require\n";
constexpr char kClocks[] =
    "#extension GL_ARB_shader_clock : require\n"
    "#extension GL_EXT_shader_realtime_clock : require\n"
    "#extension GL_ARB_gpu_shader_int64 : require\n";

struct Face {
  float x, y, z;
  float index, s, t;
};

// Vulkan, "Cube Map Face Selection": among equal components z is the major one before y, y before
// x. The coordinates are multiples of 1/8, so that every step is exact.
TEST(CubeFace, EachFaceAndItsEdges) {
  const std::vector<Face> faces = {
      {4, 1, 2, 0, 0.25f, 0.375f},  {-4, 1, 2, 1, 0.75f, 0.375f}, {1, 4, 2, 2, 0.625f, 0.75f},
      {1, -4, 2, 3, 0.625f, 0.25f}, {1, 2, 4, 4, 0.625f, 0.25f},  {1, 2, -4, 5, 0.375f, 0.25f},
      {2, 2, 2, 4, 1, 0},           {-2, -2, -2, 5, 1, 1},        {2, -2, 1, 3, 1, 0.25f},
      {-2, 2, -1, 2, 0, 0.25f},     {2, 0, -2, 5, 0, 0.5f},       {8, -4, 0, 0, 0.5f, 0.75f},
  };
  std::vector<uint32_t> words;
  for (const Face& f : faces) {
    for (const float x : {f.x, f.y, f.z}) words.push_back(std::bit_cast<uint32_t>(x));
  }
  words.resize(3 * 32);
  const std::string direction =
      "vec3 p = uintBitsToFloat(uvec3(in_[id * 3u], in_[id * 3u + 1u], in_[id * 3u + 2u]));";
  const std::vector<uint32_t> out =
      RunKernel(kGcn,
                direction +
                    "vec2 at = cubeFaceCoordAMD(p);"
                    "out_[id * 3u] = floatBitsToUint(cubeFaceIndexAMD(p));"
                    "out_[id * 3u + 1u] = floatBitsToUint(at.x);"
                    "out_[id * 3u + 2u] = floatBitsToUint(at.y);",
                words, 3 * 32);
  ASSERT_EQ(out.size(), 3u * 32);
  for (size_t i = 0; i < faces.size(); ++i) {
    SCOPED_TRACE(absl::StrCat("face ", i));
    EXPECT_EQ(std::bit_cast<float>(out[3 * i]), faces[i].index);
    EXPECT_EQ(std::bit_cast<float>(out[3 * i + 1]), faces[i].s);
    EXPECT_EQ(std::bit_cast<float>(out[3 * i + 2]), faces[i].t);
  }
}

std::string Text(const std::string& globals, const std::string& body) {
  const absl::StatusOr<mir::Module> m = ImportVerified(CompileCompute(KernelText(globals, body)));
  if (!m.ok()) return m.status().ToString();
  return mir::Print(*m, {.renumber = true, .spirv_ids = false});
}

TEST(Clock, ScopesAndForms) {
  EXPECT_THAT(
      Text(kClocks, "out_[id] = clock2x32ARB().x;"),
      AllOf(HasSubstr("needs clocks"), HasSubstr("= read_clock[subgroup]"), Not(HasSubstr("i64"))));
  EXPECT_THAT(Text(kClocks, "out_[id] = uint(clockARB());"), HasSubstr("= read_clock[subgroup]"));
  EXPECT_THAT(Text(kClocks, "out_[id] = clockRealtime2x32EXT().y;"),
              HasSubstr("= read_clock[device]"));
  EXPECT_THAT(Text(kGcn, "out_[id] = uint(timeAMD() >> 3);"), HasSubstr("= read_clock[subgroup]"));
}

// Two reads, around other code or not, stay two, in their order.
TEST(Clock, RunsForwards) {
  const std::vector<uint32_t> out = RunKernel(
      kClocks,
      "uint64_t a = clockARB(); uint64_t b = clockARB(); uint x = id;"
      "for (uint i = 0u; i < in_[id]; ++i) x = x * 3u + i; uint64_t c = clockARB();"
      "out_[id] = (x == 1234567u ? 8u : 0u) + (b > a ? 1u : 0u) + (c > b ? 2u : 0u) + (c - b > b - a ? 4u : 0u);",
      std::vector<uint32_t>(32, 5), 32);
  ASSERT_EQ(out.size(), 32u);
  for (const uint32_t x : out) EXPECT_EQ(x, 7u);
}

std::string Assembled(const std::string& preamble, const std::string& main) {
  const auto module = ImportVerified(Assemble(
      KernelAssembly("%ulong = OpTypeInt 64 0\n", main, true, "",
                     "OpCapability Shader\nOpCapability Int64\nOpCapability ShaderClockKHR\n"
                     "OpExtension \"SPV_KHR_shader_clock\"\n" +
                         preamble)));
  return module.ok() ? "" : TextOf(module.status());
}

TEST(Clock, WrongModulesAreRefused) {
  EXPECT_THAT(Assembled("", "%c = OpReadClockKHR %ulong %u_2\n%result = OpUConvert %uint %c\n"),
              HasSubstr("shader_clock: clock of another scope"));
  EXPECT_THAT(Assembled("", "%c = OpReadClockKHR %ulong %x\n%result = OpUConvert %uint %c\n"),
              HasSubstr("the scope of a clock is not a constant"));
  EXPECT_THAT(Assembled("", "%result = OpReadClockKHR %uint %u_3\n"),
              HasSubstr("a clock is no integer of 64 bits"));
  const std::string set = "%gcn = OpExtInstImport \"SPV_AMD_gcn_shader\"\n";
  EXPECT_THAT(
      Assembled(set,
                "%f = OpExtInst %float %gcn CubeFaceIndexAMD %f_1\n%result = OpBitcast %uint %f\n"),
      HasSubstr("a direction is no vector of three 32-bit floats"));
}

}  // namespace
}  // namespace kiln::front
