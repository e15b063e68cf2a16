// Imports each sample shader of tests/shaders and checks that it computes the same as the forms
// that spirv-opt makes of it, on made-up data.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <spirv-tools/libspirv.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/front/glsl/glsl.h"
#include "core/front/testing/testing.h"
#include "core/mir/print.h"
#include "core/oracle/example_images.h"

namespace kiln::front {
namespace {

constexpr size_t kBufferBytes = 16384;

std::vector<std::string> Shaders() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator("tests/shaders")) {
    if (entry.path().extension() == ".comp") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string ReadText(const std::string& path) {
  std::ifstream in(path);
  return std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
}

// Makes a small integer, or a float in [0.5, 2).
uint32_t Word(uint32_t random, bool floats) {
  return floats ? 0x3f000000u + (random >> 8) % 0x01000000u : (random >> 24) % 9;
}

oracle::LaunchInputs Inputs(const mir::Module& module, bool floats) {
  oracle::LaunchInputs inputs;
  inputs.groups = {2, 1, 1};
  for (const mir::Resource& r : module.resources) {
    oracle::BoundBuffer buffer{r.set, r.binding, r.element, std::vector<uint8_t>(kBufferBytes)};
    uint32_t random = r.set * 77 + r.binding * 13 + r.element;
    for (size_t i = 0; i < kBufferBytes; i += 4) {
      random = random * 1664525 + 1013904223;
      const uint32_t word = Word(random, floats);
      std::memcpy(&buffer.bytes[i], &word, 4);
    }
    inputs.buffers.push_back(std::move(buffer));
  }
  oracle::BindExampleImages(module, 16, &inputs);
  inputs.push_constants.resize(128);
  for (uint32_t i = 0; i < 32; ++i) {
    const uint32_t word = i % 5 + 1;
    std::memcpy(&inputs.push_constants[4 * i], &word, 4);
  }
  return inputs;
}

// Compares floats with a tolerance, since optimised code may round slightly differently.
bool Close(uint32_t a, uint32_t b) {
  const float x = std::bit_cast<float>(a);
  const float y = std::bit_cast<float>(b);
  if (a == b || (std::isnan(x) && std::isnan(y))) return true;
  return std::fabs(x - y) <= 1e-5f * std::fabs(x);
}

// Returns the buffers and images after a run; none if the made-up data makes the run too long.
std::vector<std::pair<uint32_t, std::vector<uint8_t>>> RunOn(const mir::Module& module,
                                                             oracle::LaunchInputs inputs) {
  oracle::InterpLimits limits;
  limits.max_lane_steps = 40'000'000;
  const auto ran = oracle::Interpret(module, inputs, limits);
  if (ran.ok()) {
    std::vector<std::pair<uint32_t, std::vector<uint8_t>>> results;
    for (const auto& b : inputs.buffers) results.emplace_back(b.binding, b.bytes);
    for (const auto& b : inputs.images) results.emplace_back(b.binding, b.bytes);
    return results;
  }
  EXPECT_EQ(ran.status().code(), absl::StatusCode::kDeadlineExceeded) << ran.status();
  return {};
}

TEST(Shaders, MeanTheSameInEveryForm) {
  const std::vector<std::string> paths = Shaders();
  ASSERT_GT(paths.size(), 20u);
  size_t compared = 0;
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    const std::vector<uint32_t> words = CompileCompute(ReadText(path));
    const auto module = ImportVerified(words);
    ASSERT_TRUE(module.ok()) << module.status();
    const std::vector<std::vector<std::string>> forms = {
        {"-O"}, {"--merge-return", "--inline-entry-points-exhaustive", "--ssa-rewrite"}};
    for (const auto& flags : forms) {
      SCOPED_TRACE(flags[0]);
      const auto other = ImportVerified(Optimise(words, flags));
      ASSERT_TRUE(other.ok()) << other.status();
      for (const bool floats : {false, true}) {
        // Optimisation may drop a resource, never add one.
        const auto want = RunOn(*module, Inputs(*module, floats));
        const auto got = RunOn(*other, Inputs(*module, floats));
        if (want.empty() || got.empty()) continue;
        ++compared;
        ASSERT_EQ(want.size(), got.size());
        for (size_t r = 0; r < want.size(); ++r) {
          const auto& [binding, bytes] = want[r];
          for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
            uint32_t a = 0;
            uint32_t b = 0;
            std::memcpy(&a, &bytes[i], 4);
            std::memcpy(&b, &got[r].second[i], 4);
            ASSERT_TRUE(Close(a, b))
                << "binding " << binding << " byte " << i << ": " << a << " and " << b;
          }
        }
      }
    }
  }
  EXPECT_GT(compared, paths.size() * 3);  // of 4 each
}

uint32_t FarApart(uint32_t id) { return id == 0 ? 0 : id * 1009 + 5; }

// Replaces every id of the module by FarApart of it, through SPIRV-Tools' text form.
std::vector<uint32_t> Scatter(const std::vector<uint32_t>& words) {
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  std::string text;
  EXPECT_TRUE(tools.Disassemble(words, &text, SPV_BINARY_TO_TEXT_OPTION_NO_HEADER));
  std::string scattered;
  for (size_t at = 0; at < text.size();) {
    scattered += text[at++];
    if (scattered.back() != '%') continue;
    uint32_t id = 0;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9')
      id = id * 10 + (text[at++] - '0');
    scattered += std::to_string(FarApart(id));
  }
  std::vector<uint32_t> out = Assemble(scattered);
  if (out.size() > 1) out[1] = words[1];
  return out;
}

// Graphics stages are only imported here; lavapipe judges their results (tests/diff).
TEST(Shaders, OfVerticesImport) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("tests/shaders")) {
    if (entry.path().extension() != ".vert") continue;
    SCOPED_TRACE(entry.path().string());
    GlslSource source;
    source.name = entry.path().string();
    source.text = ReadText(source.name);
    source.stage = ShaderStage::kVertex;
    const auto words = CompileGlsl(source);
    ASSERT_TRUE(words.ok()) << words.status();
    const auto module = ImportVerified(*words);
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_EQ(module->stage, mir::Stage::kVertex);
    EXPECT_FALSE(module->outputs.empty());
    ++count;
  }
  EXPECT_GE(count, 40u);
}

// The module as tools that strip debug information leave it: the same code with a large id bound.
TEST(Shaders, IdsMayLieFarApart) {
  for (const std::string& path : Shaders()) {
    SCOPED_TRACE(path);
    const std::vector<uint32_t> words = CompileCompute(ReadText(path));
    const std::vector<uint32_t> scattered = Scatter(words);
    ASSERT_EQ(scattered.size(), words.size());
    ASSERT_GT(scattered[3], words.size());
    auto module = ImportVerified(words);
    const auto other = ImportVerified(scattered);
    ASSERT_TRUE(module.ok()) << module.status();
    ASSERT_TRUE(other.ok()) << other.status();
    for (mir::Inst& inst : module->insts) inst.spirv_id = FarApart(inst.spirv_id);
    for (mir::Needed& n : module->needs) n.spirv_id = FarApart(n.spirv_id);
    for (mir::Resource& r : module->resources) r.spirv_id = FarApart(r.spirv_id);
    for (mir::PrivateArray& a : module->private_arrays) a.spirv_id = FarApart(a.spirv_id);
    module->local_size_id = FarApart(module->local_size_id);
    module->shared_id = FarApart(module->shared_id);
    module->push_constant_id = FarApart(module->push_constant_id);
    EXPECT_EQ(mir::Print(*module), mir::Print(*other));
  }
}

}  // namespace
}  // namespace kiln::front
