// Outputs of fragments that gfx1030 packs into 16 bits a component because state says that the
// attachment keeps no more: from GLSL through the whole compiler into the simulator, against what
// the same shader leaves with 32 bits, converted here.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/float_bits.h"
#include "core/driver/compile.h"
#include "core/driver/simulate.h"
#include "core/front/glsl/glsl.h"
#include "core/sim/scene/float16.h"
#include "core/sim/scene/rasterise.h"
#include "gtest/gtest.h"
#include "tests/exec/exec.h"

namespace kiln {
namespace {

using Precision = AttachmentPrecision;

constexpr uint32_t kSize = 8;  // pixels per edge

std::vector<Variant> CompileFor(const std::string& text, const ColorAttachment& attachment) {
  front::GlslSource source;
  source.text = absl::StrCat("#version 450\n", text);
  source.stage = ShaderStage::kFragment;
  const auto words = front::CompileGlsl(source);
  EXPECT_TRUE(words.ok()) << words.status();
  if (!words.ok()) return {};
  CompileOptions options;
  options.state.fragment.attachments = {attachment};
  options.passes.verify_each = true;
  PrepareOptions prepare;
  prepare.passes.verify_each = true;
  const auto prepared = Prepare(*words, prepare, nullptr, {});
  EXPECT_TRUE(prepared.ok()) << prepared.status();
  if (!prepared.ok()) return {};
  auto compiled = Compile(**prepared, exec::TestTarget(), options, nullptr, {});
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  return compiled.ok() ? std::move(compiled->variants) : std::vector<Variant>();
}

// Returns the dwords of the render target after a draw of all pixels.
std::vector<uint32_t> Drawn(const Variant& v) {
  sim::scene::Triangle triangle;
  triangle.position = {{{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}}};
  sim::scene::Dispatch dispatch;
  sim::scene::FragmentInputs& draw = dispatch.draw.emplace();
  draw.width = draw.height = kSize;
  draw.targets.push_back({0, std::vector<uint32_t>(size_t{4} * kSize * kSize, 0xdead)});
  EXPECT_TRUE(sim::scene::Rasterise({triangle}, draw).ok());
  SimulationOptions options;
  const auto ran = Simulate(exec::TestTarget(), v.code, v.launch, options, dispatch);
  EXPECT_TRUE(ran.ok()) << ran.status();
  return dispatch.draw->targets[0].texels;
}

// Checks that a packed output is `converted` of the unpacked one, at both wave sizes.
void Check(const std::string& text, const ColorAttachment& packed,
           const std::function<bool(uint32_t wide, uint32_t narrow)>& converted) {
  ColorAttachment plain = packed;
  plain.precision = Precision::k32;
  const std::vector<Variant> wide = CompileFor(text, plain), narrow = CompileFor(text, packed);
  ASSERT_EQ(wide.size(), 2u);
  ASSERT_EQ(narrow.size(), 2u);
  for (size_t k = 0; k < wide.size(); ++k) {
    const std::vector<uint32_t> want = Drawn(wide[k]), got = Drawn(narrow[k]);
    ASSERT_EQ(want.size(), got.size());
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_TRUE(converted(want[i], got[i])) << text << " component " << i % 4 << " of pixel "
                                              << i / 4 << ": " << want[i] << ", " << got[i];
    }
  }
}

constexpr char kFloats[] =
    "layout(location = 0) out vec4 color;\n"
    "void main() { vec2 p = gl_FragCoord.xy;\n"
    "  color = vec4(p.x * 0.37 - 1.5, p.y * 0.113, 1e6, p.x * p.y * 0.021); }\n";
constexpr char kIntegers[] =
    "layout(location = 0) out ivec4 color;\n"
    "void main() { ivec2 p = ivec2(gl_FragCoord.xy);\n"
    "  color = ivec4(p.x * 20000 - 70000, p.y, -5, p.x * p.y * 3000); }\n";
constexpr char kUnsigned[] =
    "layout(location = 0) out uvec4 color;\n"
    "void main() { uvec2 p = uvec2(gl_FragCoord.xy);\n"
    "  color = uvec4(p.x * 20000u, p.y, 0xffffffffu, p.x * p.y * 3000u); }\n";

bool IsHalf(uint32_t wide, uint32_t narrow) {
  const uint16_t half = sim::scene::DoubleToHalf(AsFloat(wide), sim::scene::Rounding::kZero);
  return sim::scene::HalfToFloat(half) == AsFloat(narrow);
}

TEST(ExportFormats, Halves) { Check(kFloats, {.precision = Precision::kFloat16}, IsHalf); }

TEST(ExportFormats, NormalisedComponents) {
  const auto near = [](double low, double most) {
    return [low, most](uint32_t wide, uint32_t narrow) {
      const double exact = std::clamp<double>(AsFloat(wide), low, 1) * most;
      return std::abs(AsFloat(narrow) * most - exact) <= 0.51;
    };
  };
  Check(kFloats, {.precision = Precision::kUnorm16}, near(0, 65535));
  Check(kFloats, {.precision = Precision::kSnorm16}, near(-1, 32767));
}

TEST(ExportFormats, IntegersSaturate) {
  Check(kIntegers, {.type = AttachmentType::kSint, .precision = Precision::kInt16},
        [](uint32_t wide, uint32_t narrow) {
          return std::clamp(static_cast<int32_t>(wide), -32768, 32767) ==
                 static_cast<int32_t>(narrow);
        });
  Check(kUnsigned, {.type = AttachmentType::kUint, .precision = Precision::kInt16},
        [](uint32_t wide, uint32_t narrow) { return std::min(wide, 65535u) == narrow; });
}

// The mask leaves red alone; alpha is there for factors, if they read it.
TEST(ExportFormats, AnAlphaThatBlendingReadsIsExported) {
  const std::vector<Variant> all = CompileFor(kFloats, {}),
                             masked = CompileFor(kFloats, {.write_mask = 1}),
                             read =
                                 CompileFor(kFloats, {.write_mask = 1, .blend_reads_alpha = true});
  ASSERT_EQ(all.size(), 2u);
  for (size_t k = 0; k < all.size(); ++k) {
    const std::vector<uint32_t> want = Drawn(all[k]), without = Drawn(masked[k]),
                                with = Drawn(read[k]);
    for (size_t i = 0; i < want.size(); i += 4) {
      EXPECT_EQ(with[i], want[i]);
      EXPECT_EQ(with[i + 3], want[i + 3]);
      EXPECT_EQ(without[i], want[i]);
      EXPECT_EQ(without[i + 3], 0u) << "not exported";
    }
  }
}

// A program of one component, which exports one pair, and one that kills.
TEST(ExportFormats, OneComponentAndKilledPixels) {
  const std::string one =
      "layout(location = 0) out float color;\n"
      "void main() { if (int(gl_FragCoord.x) % 3 == 1) discard; color = gl_FragCoord.y * 0.37; }\n";
  size_t component = 0;
  Check(one, {.write_mask = 1, .precision = Precision::kFloat16},
        [&](uint32_t wide, uint32_t narrow) {
          if (component++ % 4 != 0) return true;
          return wide == 0xdead ? narrow == 0xdead : IsHalf(wide, narrow);
        });
}

}  // namespace
}  // namespace kiln
