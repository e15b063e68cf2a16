// Results of an instruction on vectors are all its components, in all calls.
#include "tests/diff/spirv_results.h"

#include <string>
#include <vector>

#include "core/front/testing/testing.h"
#include "core/mir/mir.h"
#include "gtest/gtest.h"

namespace kiln::diff {
namespace {

// The ids of GLSL.std.450 functions in a module: words 1, result; 3, set; 4, number.
std::vector<uint32_t> CallsOf(const std::vector<uint32_t>& words, uint32_t function) {
  std::vector<uint32_t> ids;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    if ((words[at] & 0xffff) == 12 && words[at + 4] == function) ids.push_back(words[at + 2]);
  }
  return ids;
}

std::vector<mir::Type> ResultTypes(const std::string& globals, const std::string& body,
                                   uint32_t function) {
  const std::vector<uint32_t> words = front::CompileCompute(
      front::KernelText(globals, "float f = uintBitsToFloat(in_[id]); " + body));
  const auto module = front::ImportVerified(words);
  EXPECT_TRUE(module.ok()) << module.status();
  std::vector<mir::Type> types;
  for (uint32_t id : CallsOf(words, function)) {
    for (mir::InstId inst : ResultsOf(*module, id))
      types.push_back(module->value(module->result(inst)).type);
  }
  return types;
}

constexpr uint32_t kAsin = 16, kAcos = 17, kAtan = 18, kAtan2 = 25;
using Types = std::vector<mir::Type>;

TEST(SpirvResults, EachComponent) {
  const std::string vector = "vec3 v = vec3(f, f * 0.5, f * f); ";
  EXPECT_EQ(ResultTypes("", vector + "out_[id] = floatBitsToUint(dot(acos(v), vec3(1)));", kAcos),
            Types(3, mir::Type::kF32));
  EXPECT_EQ(ResultTypes("", vector + "out_[id] = floatBitsToUint(dot(asin(v), atan(v, vec3(2))));",
                        kAtan2),
            Types(3, mir::Type::kF32));
  EXPECT_EQ(ResultTypes("", "out_[id] = floatBitsToUint(asin(f));", kAsin),
            Types(1, mir::Type::kF32));
}

TEST(SpirvResults, HalfsAreRoundedLast) {
  EXPECT_EQ(ResultTypes("#extension GL_EXT_shader_explicit_arithmetic_types : require\n",
                        "f16vec2 h = f16vec2(f, 2 * f); out_[id] = packFloat2x16(atan(h));", kAtan),
            Types(2, mir::Type::kF16));
}

TEST(SpirvResults, OfEachCall) {
  const std::string globals = "float g(float x) { if (x < 0.0) return 1.0; return atan(x); }";
  EXPECT_EQ(ResultTypes(globals, "out_[id] = floatBitsToUint(g(f) + g(2 * f));", kAtan),
            Types(2, mir::Type::kF32));
}

}  // namespace
}  // namespace kiln::diff
