// Partitions of a subgroup, from GLSL through the whole compiler into the simulator, at every
// width: the interpreter's results, in workgroups whose last subgroup is not full, in loops that
// lanes leave one after another, for values of several types.
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/front/testing/testing.h"
#include "gtest/gtest.h"
#include "tests/exec/exec.h"

namespace kiln::exec {
namespace {

constexpr uint32_t kLanes = 72;  // of a workgroup

// Compiles the body, which reads x (of this lane) and writes y, and compares the buffers.
std::string Difference(const std::string& globals, const std::string& body) {
  const auto module = front::ImportVerified(front::CompileCompute(
      absl::StrCat("#version 450\n#extension GL_NV_shader_subgroup_partitioned : require\n",
                   globals, "layout(local_size_x = ", kLanes, ") in;\n",
                   "layout(set = 0, binding = 0) readonly buffer In { uint in_[]; };\n"
                   "layout(set = 0, binding = 1) buffer Out { uint out_[]; };\n"
                   "void main() { uint id = gl_GlobalInvocationID.x, x = in_[id], y = 0u; ",
                   body, " out_[id] = y; }")));
  if (!module.ok()) return std::string(module.status().message());
  oracle::LaunchInputs in;
  in.groups = {2, 1, 1};
  in.denormals = oracle::Denormals::kFlush;
  in.buffers.resize(2);
  for (uint32_t i = 0; i < 2; ++i) {
    in.buffers[i].binding = i;
    in.buffers[i].bytes.resize(4 * kLanes * 2);
  }
  for (uint32_t i = 0; i < 2 * kLanes; ++i) {
    const uint32_t word = i * 2654435761u >> 26;
    std::memcpy(in.buffers[0].bytes.data() + 4 * i, &word, 4);
  }
  Setup setup;
  setup.opposite = true;
  return CompareModule(*module, in, setup);
}

TEST(Partitions, OfValues) {
  EXPECT_EQ(Difference("", "uvec4 p = subgroupPartitionNV(x % 5u); y = p.x + 3u * p.y;"), "");
  EXPECT_EQ(Difference("", "uvec4 p = subgroupPartitionNV(x); y = p.x + 3u * p.y;"), "");
  EXPECT_EQ(
      Difference("", "uvec4 p = subgroupPartitionNV(vec2(x % 3u, x & 1u) / 4.0); y = p.x + p.y;"),
      "");
  EXPECT_EQ(Difference("", "y = subgroupPartitionNV(uintBitsToFloat(x % 4u << 30 | 1u << 23)).x;"),
            "");
  // Only NaNs with equal bits are together, which is the choice of both sides.
  EXPECT_EQ(Difference("", "y = subgroupPartitionNV(uintBitsToFloat(0x7fc00000u | x % 3u)).x;"),
            "");
  EXPECT_EQ(Difference("", "y = subgroupPartitionNV(bvec2(x > 30u, x % 3u == 1u)).x;"), "");
}

TEST(Partitions, Reductions) {
  const char* const kPart = "uvec4 p = subgroupPartitionNV(x % 5u); ";
  for (const char* of : {"Add", "Mul", "Min", "Max", "And", "Or", "Xor"}) {
    for (const char* scan : {"", "Inclusive", "Exclusive"}) {
      EXPECT_EQ(Difference(
                    "", absl::StrCat(kPart, "y = subgroupPartitioned", scan, of, "NV(x + 1u, p);")),
                "")
          << scan << of;
    }
  }
  EXPECT_EQ(
      Difference("",
                 absl::StrCat(kPart, "y = uint(subgroupPartitionedInclusiveAddNV(vec3(x), p).y);")),
      "");
  EXPECT_EQ(Difference("",
                       "y = subgroupPartitionedAddNV(x, (id & 1u) != 0u ? uvec4(0xaaaaaaaau, "
                       "0xaaaaaaaau, x, x) : uvec4(0x55555555u, 0x55555555u, x, id));"),
            "");
}

// Fewer lanes are active in each turn of the loop.
TEST(Partitions, InDivergentLoops) {
  EXPECT_EQ(Difference(
                "",
                "for (uint i = 0u; i < x % 7u; ++i) { uvec4 p = subgroupPartitionNV((x >> i) % 3u);"
                " y = y * 5u + p.x + subgroupPartitionedAddNV(i + x, p); }"),
            "");
  EXPECT_EQ(
      Difference("",
                 "if (x % 2u == 0u) y = subgroupPartitionNV(x % 4u).x; else { uvec4 p = "
                 "subgroupPartitionNV(x % 3u); y = subgroupPartitionedExclusiveAddNV(x, p); }"),
      "");
}

TEST(Partitions, OfOtherTypes) {
  const std::string types =
      "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
      "#extension GL_EXT_shader_subgroup_extended_types_int16 : require\n"
      "#extension GL_EXT_shader_subgroup_extended_types_int64 : require\n"
      "#extension GL_EXT_shader_subgroup_extended_types_float16 : require\n";
  EXPECT_EQ(
      Difference(types,
                 "uvec4 p = subgroupPartitionNV(uint64_t(x % 3u) << 40); y = p.x + 3u * p.y + "
                 "uint(subgroupPartitionedAddNV(uint64_t(x) << 30, p) >> 30);"),
      "");
  EXPECT_EQ(Difference(types,
                       "uvec4 p = subgroupPartitionNV(float16_t(x % 3u) - 1.5hf); y = p.x + p.y + "
                       "uint(subgroupPartitionedMaxNV(uint16_t(x), p));"),
            "");
  if (TestTarget() != Target::kGfx1030) return;  // the target that has doubles
  EXPECT_EQ(
      Difference("",
                 "uvec4 p = subgroupPartitionNV(double(x % 3u) / 8.0LF); y = p.x + 3u * p.y + "
                 "uint(subgroupPartitionedInclusiveAddNV(double(x), p));"),
      "");
}

}  // namespace
}  // namespace kiln::exec
