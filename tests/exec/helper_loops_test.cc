// Loops whose exit depends on an atomic, in fragment programs with helper or demoted lanes: from
// GLSL through the whole compiler into the simulator, where the atomics of such lanes have no
// result. All threads must end, and lanes that cover something count as if they were alone.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/driver/compile.h"
#include "core/driver/simulate.h"
#include "core/front/glsl/glsl.h"
#include "core/sim/scene/rasterise.h"
#include "gtest/gtest.h"
#include "tests/exec/exec.h"

namespace kiln {
namespace {

constexpr uint32_t kSize = 8;  // pixels per edge

constexpr char kHead[] = R"(#version 450
#extension GL_EXT_demote_to_helper_invocation : require
layout(set = 0, binding = 0) coherent buffer Counts { uint count[8]; };
layout(set = 0, binding = 1, r32ui) uniform uimage2D image;
layout(location = 0) out vec4 color;
void main() {
)";
constexpr char kTail[] = " color = vec4(1.0) + dFdx(gl_FragCoord.x); }\n";

std::vector<Variant> CompileBody(const std::string& body) {
  front::GlslSource source;
  source.text = absl::StrCat(kHead, body, kTail);
  source.stage = ShaderStage::kFragment;
  const auto words = front::CompileGlsl(source);
  EXPECT_TRUE(words.ok()) << words.status();
  if (!words.ok()) return {};
  PrepareOptions prepare;
  CompileOptions options;
  prepare.passes.verify_each = options.passes.verify_each = true;
  const auto prepared = Prepare(*words, prepare, nullptr, {});
  EXPECT_TRUE(prepared.ok()) << prepared.status();
  if (!prepared.ok()) return {};
  auto compiled = Compile(**prepared, exec::TestTarget(), options, nullptr, {});
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  return compiled.ok() ? std::move(compiled->variants) : std::vector<Variant>();
}

// Returns the counts after a draw of a triangle that covers quads in part.
std::vector<uint32_t> CountsOf(const Variant& v, bool fusion) {
  sim::scene::Triangle triangle;
  triangle.position = {{{-1, -1, 0, 1}, {1.9f, -0.6f, 0, 1}, {-0.8f, 1.7f, 0, 1}}};
  sim::scene::Dispatch dispatch;
  dispatch.buffers.emplace_back().bytes.resize(32);
  sim::scene::ClientImage& image = dispatch.images.emplace_back();
  image.where.binding = 1;
  image.format = sim::scene::TexelFormat::kR32ui;
  image.texels.resize(4);
  sim::scene::FragmentInputs& draw = dispatch.draw.emplace();
  draw.width = draw.height = kSize;
  draw.targets.push_back({0, std::vector<uint32_t>(4 * kSize * kSize)});
  const absl::Status rasterised = sim::scene::Rasterise({triangle}, draw);
  EXPECT_TRUE(rasterised.ok()) << rasterised;
  SimulationOptions options;
  if (fusion) options.switches = {"fusion"};
  options.max_instructions = 1'000'000;
  const auto ran = Simulate(exec::TestTarget(), v.code, v.launch, options, dispatch);
  EXPECT_TRUE(ran.ok()) << ran.status();
  std::vector<uint32_t> counts(8);
  std::memcpy(counts.data(), dispatch.buffers[0].bytes.data(), 32);
  uint32_t last = 0;
  std::memcpy(&last, dispatch.images[0].texels.data(), 4);
  counts.push_back(last);
  return counts;
}

// Returns the number of drawn pixels, by a program that only counts them.
uint32_t Covered() {
  const std::vector<Variant> variants = CompileBody("atomicAdd(count[0], 1u);");
  return variants.empty() ? 0 : CountsOf(variants[0], false)[0];
}

struct Case {
  const char* body;
  uint32_t rounds;  // atomics of a fragment; 0: differs between fragments
};

TEST(HelperLoops, AllThreadsEnd) {
  const uint32_t covered = Covered();
  ASSERT_GT(covered, 8u);
  ASSERT_LT(covered, kSize * kSize);
  const Case cases[] = {
      {"while (atomicAdd(count[0], 1u) % 3u != 2u) {}", 0},
      {"uint n; do { n = atomicAdd(count[0], 1u); } while ((n & 1u) == 0u);", 0},
      {"uint n = 0u; for (;;) { if (imageAtomicAdd(image, ivec2(0), 1u) % 5u == 4u) break; ++n; }",
       0},
      // A lock; its critical section increments a shared number.
      {"for (bool done = false; !done;) { if (atomicCompSwap(count[1], 0u, 1u) == 0u) {"
       " count[0] = count[0] + 1u; memoryBarrierBuffer(); atomicExchange(count[1], 0u); done = true; } }",
       1},
      // Demoted lanes are helper lanes, too.
      {"if ((int(gl_FragCoord.x) & 1) == 0) demote;"
       " while (atomicAdd(count[0], 1u) % 3u != 2u) {}",
       0},
  };
  for (const Case& c : cases) {
    const std::vector<Variant> variants = CompileBody(c.body);
    EXPECT_GE(variants.size(), 2u) << c.body;
    for (const Variant& v : variants) {
      for (const bool fusion : {false, true}) {
        if (fusion && exec::TestTarget() != Target::kTgl) continue;  // the only one that has it
        const std::vector<uint32_t> counts = CountsOf(v, fusion);
        EXPECT_GT(counts[0] + counts[8], 0u) << c.body;
        if (c.rounds == 0) continue;
        EXPECT_EQ(counts[0], c.rounds * covered) << c.body << v.name;
      }
    }
  }
}

}  // namespace
}  // namespace kiln
