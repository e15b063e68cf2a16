// Null descriptors, from GLSL through the whole compiler into the simulator: texels and sizes of
// null surfaces are 0, also where the program clamps the hardware's answer to at least 1 (array
// layers, sizes of a level), and writes to them change nothing.
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/driver/simulate.h"
#include "gtest/gtest.h"
#include "tests/exec/exec.h"
#include "tests/exec/glsl.h"

namespace kiln::exec {
namespace {

// `level` and `place` come from a buffer, so that the compiler does not know their values.
constexpr char kHead[] = R"(#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Out { uint results[64]; };
layout(set = 0, binding = 1) readonly buffer In { int numbers[4]; };
layout(set = 1, binding = 0) uniform sampler2DArray flat_array;
layout(set = 1, binding = 1) uniform samplerCubeArray cube_array;
layout(set = 1, binding = 2) uniform sampler3D volume;
layout(set = 1, binding = 3, r32ui) uniform uimage2DArray stored_array;
layout(set = 1, binding = 4, rgba16f) uniform imageCubeArray stored_cubes;
layout(set = 1, binding = 5) uniform samplerBuffer texels;
layout(set = 1, binding = 6) buffer Block { uint words[]; } block;
layout(set = 2, binding = 0) uniform sampler2DArray many[];
layout(set = 2, binding = 1, r32ui) uniform uimage1DArray many_stored[];
uint at = 0u;
void put(uint x) { results[at++] = x; }
void put(int x) { results[at++] = uint(x); }
void put(ivec2 v) { put(v.x); put(v.y); }
void put(ivec3 v) { put(v.x); put(v.y); put(v.z); }
void put(vec4 v) { for (int i = 0; i < 4; ++i) put(floatBitsToUint(v[i])); }
void main() {
  if (gl_LocalInvocationIndex != 0u) return;
  int level = numbers[0], place = numbers[1];
)";

// The queries and loads of a shader, and the answers of surfaces that exist: of level 2, of 5
// layers, 6 cubes, all texels 1.
struct Question {
  std::string body;
  std::vector<uint32_t> answers;
};

constexpr uint32_t kOne = 0x3f800000;

std::vector<Question> Questions() {
  // A load after a store to the same texel may be forwarded from the store, null or not. So the
  // last question loads where the compiler cannot know that the texel is the same.
  return {
      {"put(textureSize(flat_array, level)); put(textureSize(flat_array, 0));",
       {4, 2, 5, 16, 8, 5}},
      {"put(textureSize(cube_array, level)); put(textureSize(cube_array, 0));",
       {4, 4, 6, 16, 16, 6}},
      {"put(textureSize(volume, level)); put(textureQueryLevels(volume));", {4, 2, 1, 4}},
      {"put(imageSize(stored_array));", {16, 8, 5}},
      {"put(imageSize(stored_cubes));", {16, 16, 6}},
      {"put(textureSize(texels)); put(block.words.length());", {16, 8}},
      {"put(textureSize(many[place], level)); put(imageSize(many_stored[place]));",
       {4, 2, 5, 16, 5}},
      {"put(textureLod(flat_array, vec3(0.5), 0.0)); put(texelFetch(volume, ivec3(place), 0));",
       {kOne, kOne, kOne, kOne, kOne, kOne, kOne, kOne}},
      {"put(textureLod(cube_array, vec4(1, 0, 0, 0), 0.0)); put(texelFetch(texels, place));",
       {kOne, kOne, kOne, kOne, kOne, kOne, kOne, kOne}},
      {"put(textureGather(flat_array, vec3(0.5)));", {kOne, kOne, kOne, kOne}},
      {"put(imageLoad(stored_array, ivec3(place)).x); put(block.words[place]);", {7, 9}},
      {"put(imageAtomicAdd(stored_array, ivec3(place), 1u)); put(atomicAdd(block.words[place], "
       "1u));",
       {7, 9}},
      {"imageStore(stored_array, ivec3(place), uvec4(3)); block.words[place] = 3u;"
       "put(imageLoad(stored_array, ivec3(place)).x); put(block.words[place + numbers[2]]);",
       {3, 3}},
  };
}

sim::scene::ClientImage Image(uint32_t set, uint32_t binding, sim::scene::ImageDim dim,
                              bool arrayed, const std::string& format) {
  sim::scene::ClientImage image;
  image.where = {set, binding, 0};
  image.format = *sim::scene::TexelFormatNamed(format);
  image.dim = dim;
  image.arrayed = arrayed;
  image.width = 16;
  if (dim == sim::scene::ImageDim::k2d || dim == sim::scene::ImageDim::k3d) image.height = 8;
  if (dim == sim::scene::ImageDim::kCube) image.height = 16;
  if (dim == sim::scene::ImageDim::k3d) image.depth = 4;
  if (arrayed) image.layers = dim == sim::scene::ImageDim::kCube ? 36 : 5;
  const bool sampled = format == "rgba32f" && dim != sim::scene::ImageDim::kBuffer;
  if (sampled) image.levels = 4;
  image.texels.resize(image.Bytes());
  const uint32_t texel = format == "r32ui" ? 7 : kOne;
  for (size_t i = 0; i + 4 <= image.texels.size(); i += 4) std::memcpy(&image.texels[i], &texel, 4);
  return image;
}

sim::scene::Dispatch MakeDispatch(bool null) {
  using sim::scene::ImageDim;
  sim::scene::Dispatch d;
  const std::vector<uint32_t> numbers = {2, 1, 0, 0}, nines(8, 9);
  d.buffers.resize(3);
  d.buffers[0].where = {0, 0, 0};
  d.buffers[0].bytes.resize(256);
  d.buffers[1].where = {0, 1, 0};
  d.buffers[2].where = {1, 6, 0};
  d.buffers[2].null_surface = null;
  for (const auto& [buffer, data] : {std::pair{1, &numbers}, std::pair{2, &nines}}) {
    d.buffers[buffer].bytes.resize(4 * data->size());
    std::memcpy(d.buffers[buffer].bytes.data(), data->data(), 4 * data->size());
  }
  d.images = {Image(1, 0, ImageDim::k2d, true, "rgba32f"),
              Image(1, 1, ImageDim::kCube, true, "rgba32f"),
              Image(1, 2, ImageDim::k3d, false, "rgba32f"),
              Image(1, 3, ImageDim::k2d, true, "r32ui"),
              Image(1, 4, ImageDim::kCube, true, "rgba16f"),
              Image(1, 5, ImageDim::kBuffer, false, "rgba32f"),
              Image(2, 0, ImageDim::k2d, true, "rgba32f"),
              Image(2, 1, ImageDim::k1d, true, "r32ui")};
  for (sim::scene::ClientImage& image : d.images) {
    image.null_surface = null;
    if (image.where.set == 2) image.where.element = 1;
    if (!null) continue;
    image.width = image.height = image.depth = image.layers = image.levels = 1;
    image.texels.clear();
  }
  for (const auto& [set, binding, element] :
       {std::array{1, 0, 0}, std::array{1, 1, 0}, std::array{1, 2, 0}, std::array{2, 0, 1}}) {
    sim::scene::ClientSampler sampler;
    sampler.where = {static_cast<uint32_t>(set), static_cast<uint32_t>(binding),
                     static_cast<uint32_t>(element)};
    d.samplers.push_back(sampler);
  }
  return d;
}

std::vector<Variant> Compiled(const std::string& body) {
  front::GlslSource source;
  source.text = absl::StrCat(kHead, body, "}\n");
  auto variants = CompileGlslFor(TestTarget(), source, WidthsOf(TestTarget()));
  EXPECT_TRUE(variants.ok()) << body << variants.status();
  if (!variants.ok()) return {};
  return *std::move(variants);
}

void ExpectAnswers(const Variant& v, const std::string& body, bool null,
                   const std::vector<uint32_t>& want) {
  sim::scene::Dispatch dispatch = MakeDispatch(null);
  const sim::scene::Dispatch before = dispatch;
  SimulationOptions options;
  options.max_instructions = 100000;
  const auto run = Simulate(TestTarget(), v.code, v.launch, options, dispatch);
  ASSERT_TRUE(run.ok()) << v.name << body << run.status();
  std::vector<uint32_t> got(want.size());
  std::memcpy(got.data(), dispatch.buffers[0].bytes.data(), 4 * got.size());
  EXPECT_EQ(got, want) << v.name << (null ? " null: " : ": ") << body;
  if (!null) return;
  EXPECT_EQ(dispatch.buffers[2].bytes, before.buffers[2].bytes) << body;
  // Accesses to null images do not count as out of bounds: there is no bound.
  for (const sim::scene::OutOfBounds& o : run->out_of_bounds) {
    const bool image = absl::StrContains(o.where, "set 1 ") || absl::StrContains(o.where, "set 2 ");
    EXPECT_TRUE(!image || absl::StrContains(o.where, "binding 6")) << o.where << body;
  }
}

TEST(NullSurfaces, TexelsAndSizesAreZero) {
  for (const Question& q : Questions()) {
    for (const Variant& v : Compiled(q.body)) {
      ExpectAnswers(v, q.body, false, q.answers);
      ExpectAnswers(v, q.body, true, std::vector<uint32_t>(q.answers.size()));
    }
  }
}

}  // namespace
}  // namespace kiln::exec
