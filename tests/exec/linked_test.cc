// A vertex shader compiled for a fragment shader: it writes only the outputs that the latter reads,
// with the values that the interpreter gives for the whole shader.
//
// Both programs of the vertex shader run in the simulator, the one for all readers and the one for
// this reader; arithmetic is on small whole numbers, so that results are equal in every bit. Then
// the fragment programs draw a triangle from the vertex program's outputs, at the locations where
// it left them, and must give the same colours as with all outputs of the interpreter: they must
// not depend on unwritten outputs, which are arbitrary. On gfx1030 the records of both say which
// parameter an input reads, of the vertex program for all readers and of the one for this reader.
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/driver/compile.h"
#include "core/front/glsl/glsl.h"
#include "core/front/import.h"
#include "core/oracle/interp.h"
#include "core/sim/eu/simulator.h"
#include "core/sim/rdna2/simulator.h"
#include "core/sim/scene/rasterise.h"
#include "gtest/gtest.h"
#include "tests/exec/exec.h"

namespace kiln {
namespace {

constexpr uint32_t kVertices = 11;          // a full thread and a part of one
constexpr uint32_t kFirstLocation = 4;      // slot of location 0 (core/intel/ABI.md, "Vertices")
constexpr uint32_t kPositionLocation = 64;  // stands for the position's location

using Location = std::pair<uint32_t, uint32_t>;            // location, component
using Values = std::map<Location, std::vector<uint32_t>>;  // by vertex

bool OnTgl() { return exec::TestTarget() == Target::kTgl; }

constexpr char kHead[] =
    "#version 460\n"
    "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
    "#extension GL_EXT_shader_16bit_storage : require\n";

std::vector<uint32_t> Spirv(const std::string& text, ShaderStage stage) {
  front::GlslSource source;
  source.text = kHead + text;
  source.stage = stage;
  const auto words = front::CompileGlsl(source);
  EXPECT_TRUE(words.ok()) << words.status();
  return words.ok() ? *words : std::vector<uint32_t>();
}

std::vector<Variant> CompileAll(const std::vector<uint32_t>& words,
                                const std::optional<std::vector<ReadLocation>>& reads = {}) {
  PrepareOptions prepare;
  CompileOptions options;
  prepare.passes.verify_each = options.passes.verify_each = true;
  options.state.next_stage_reads = reads;
  const auto prepared = Prepare(words, prepare, nullptr, {});
  EXPECT_TRUE(prepared.ok()) << prepared.status();
  if (!prepared.ok()) return {};
  auto compiled = Compile(**prepared, exec::TestTarget(), options, nullptr, {});
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  return compiled.ok() ? compiled->variants : std::vector<Variant>();
}

// Compiles a vertex shader, which has one width on tgl and two on gfx1030.
std::vector<Variant> CompileVertex(const std::vector<uint32_t>& words,
                                   const std::optional<std::vector<ReadLocation>>& reads = {}) {
  std::vector<Variant> variants = CompileAll(words, reads);
  const size_t widths = OnTgl() ? 1 : 2;
  EXPECT_EQ(variants.size(), widths);
  variants.resize(widths);
  return variants;
}

std::vector<ReadLocation> ReadsOf(const std::vector<Variant>& fragment) {
  std::map<uint32_t, uint8_t> components;
  for (const Variant& v : fragment) {
    for (const out::FragmentInput& a : v.launch.fragment.inputs) {
      for (const out::LocationPart& p : a.parts) {
        for (uint32_t c = 0; c < p.components; ++c) {
          components[a.location] |= static_cast<uint8_t>(1u << (p.component + c));
        }
      }
    }
  }
  std::vector<ReadLocation> reads;
  for (const auto& [location, mask] : components) reads.push_back({location, mask});
  return reads;
}

uint32_t Attribute(uint32_t location, uint32_t component, uint32_t vertex) {
  return std::bit_cast<uint32_t>(
      static_cast<float>(1 + 16 * location + 4 * component + 3 * vertex % 7));
}

// Converts a half that is a normal number, or 0.
uint32_t FloatOfHalf(uint64_t half) {
  const int exponent = static_cast<int>(half >> 10 & 31);
  if (exponent == 0) return 0;
  const float size = std::ldexp(1.0f + static_cast<float>(half & 1023) / 1024.0f, exponent - 15);
  return std::bit_cast<uint32_t>((half >> 15 & 1) != 0 ? -size : size);
}

// Returns all outputs with locations, of the shader as imported, as they are passed on.
Values Interpreted(const std::vector<uint32_t>& words) {
  const auto module = front::ImportSpirv(words, {});
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return {};
  oracle::LaunchInputs inputs;
  inputs.stage.invocations = kVertices;
  for (const mir::Interface& v : module->inputs) {
    std::vector<uint64_t>& bits = inputs.stage.inputs.emplace_back();
    for (uint32_t e = 0; e < v.elements; ++e) {
      for (uint32_t c = 0; c < v.components; ++c) {
        for (uint32_t vertex = 0; vertex < kVertices; ++vertex) {
          bits.push_back(Attribute(v.location + e, v.component + c, vertex));
        }
      }
    }
  }
  const auto ran = oracle::Interpret(*module, inputs);
  EXPECT_TRUE(ran.ok()) << ran.status();
  Values values;
  for (size_t i = 0; ran.ok() && i < module->outputs.size(); ++i) {
    const mir::Interface& v = module->outputs[i];
    if (v.builtin != mir::BuiltIn::kNone) continue;
    EXPECT_LE(mir::BitsOf(v.type), 32u);
    const std::vector<uint64_t>& bits = inputs.stage.outputs[i];
    for (size_t n = 0; n < bits.size(); ++n) {
      const auto scalar = static_cast<uint32_t>(n / kVertices);
      values[{v.location + scalar / v.components, v.component + scalar % v.components}].push_back(
          v.type == mir::Type::kF16 ? FloatOfHalf(bits[n]) : static_cast<uint32_t>(bits[n]));
    }
  }
  return values;
}

// Returns what the draw's entries have, of the position and of locations.
Values ContentsOf(const sim::scene::VertexInputs& draw) {
  Values values;
  const auto add = [&](const Location& location, uint32_t slot, uint32_t component) {
    for (uint32_t vertex = 0; vertex < kVertices; ++vertex) {
      const size_t at = draw.At(vertex, slot, component);
      if (draw.written[at] != 0) values[location].push_back(draw.entries[at]);
    }
  };
  if (OnTgl()) {  // whole slots, also what no output says
    for (uint32_t slot = 1; slot < draw.slots; ++slot) {
      if (slot > 1 && slot < kFirstLocation) continue;
      const uint32_t location = slot == 1 ? kPositionLocation : slot - kFirstLocation;
      for (uint32_t c = 0; c < 4; ++c) add({location, c}, slot, c);
    }
    return values;
  }
  for (const sim::scene::VertexOutput& o : draw.outputs) {
    if (!o.builtin.empty() && o.builtin != "position") continue;
    for (uint32_t c = 0; c < o.components.size(); ++c) {
      add({o.builtin.empty() ? o.location : kPositionLocation, c}, o.components[c].slot,
          o.components[c].component);
    }
  }
  return values;
}

// Returns the program's outputs at locations, and the position.
Values Simulated(const Variant& v) {
  sim::scene::Dispatch dispatch;
  sim::scene::VertexInputs& draw = dispatch.vertices.emplace();
  draw.count = kVertices;
  for (const uint32_t location : v.launch.vertex.attributes) {
    sim::scene::VertexInput& input = draw.inputs.emplace_back();
    input.location = location;
    for (uint32_t vertex = 0; vertex < kVertices; ++vertex) {
      for (uint32_t c = 0; c < 4; ++c) input.bits.push_back(Attribute(location, c, vertex));
    }
  }
  const auto ran = OnTgl() ? sim::eu::Run(v.code, v.launch, {}, dispatch)
                           : sim::rdna2::Run(v.code, v.launch, {}, dispatch);
  EXPECT_TRUE(ran.ok()) << ran.status();
  return ran.ok() ? ContentsOf(draw) : Values();
}

// Returns the colours of location 0 of a triangle whose vertices have these values. With `opposite`
// absent values have other bits. `vertex`: the program that left them, if one did.
std::vector<uint32_t> Drawn(const Variant& v, const Values& values, bool opposite,
                            const Variant* vertex = nullptr) {
  sim::scene::Triangle triangle;
  triangle.position = {{{-1, -1, 0.25f, 1}, {3, -1, 0.25f, 1}, {-1, 3, 0.75f, 1}}};
  for (const auto& [location, bits] : values) {
    triangle.values.push_back({location.first, location.second, {bits[0], bits[1], bits[2]}});
  }
  sim::scene::Dispatch dispatch;
  sim::scene::FragmentInputs& draw = dispatch.draw.emplace();
  draw.width = draw.height = 8;
  draw.targets.push_back({0, std::vector<uint32_t>(4 * draw.width * draw.height)});
  const absl::Status rasterised = sim::scene::Rasterise({triangle}, draw);
  EXPECT_TRUE(rasterised.ok()) << rasterised;
  sim::eu::Options of_tgl;
  sim::rdna2::Options of_gfx1030;
  of_tgl.opposite = of_gfx1030.opposite = opposite;
  if (vertex != nullptr) of_gfx1030.vertex_record = &vertex->launch;
  const auto ran = OnTgl() ? sim::eu::Run(v.code, v.launch, of_tgl, dispatch)
                           : sim::rdna2::Run(v.code, v.launch, of_gfx1030, dispatch);
  EXPECT_TRUE(ran.ok()) << ran.status();
  return draw.targets[0].texels;
}

// Returns the values that reached the entry, for the locations that the record says are written.
// They lie where the fragment program's state will look for them.
Values Left(const Variant& vertex) {
  Values left;
  for (const auto& [location, bits] : Simulated(vertex)) {
    if (location.first < kPositionLocation && bits.size() == kVertices) left[location] = bits;
  }
  return left;
}

std::set<Location> Written(const Variant& v) {
  std::set<Location> locations;
  for (const out::VertexOutput& output : v.launch.vertex.outputs) {
    for (const out::LocationPart& p : output.parts) {
      for (uint32_t c = 0; c < p.components; ++c) {
        locations.insert({output.location, p.component + c});
      }
    }
  }
  return locations;
}

std::string Text(const std::set<Location>& locations) {
  std::string text;
  uint32_t location = ~0u;
  for (const auto& [l, c] : locations) {
    absl::StrAppend(&text, l == location ? "" : absl::StrCat(" ", l, "."),
                    std::string(1, "xyzw"[c]));
    location = l;
  }
  return text;
}

struct Pair {
  Variant all;
  Variant linked;
};

// Compares the outputs of the two with the interpreter's.
void CheckOutputs(const Pair& pair, const Values& meant, const std::string& expected) {
  EXPECT_EQ(Text(Written(pair.linked)), expected);
  const Values all = Simulated(pair.all), linked = Simulated(pair.linked);
  std::set<Location> whole;
  for (const auto& [location, bits] : meant) whole.insert(location);
  EXPECT_EQ(Text(Written(pair.all)), Text(whole));
  for (const Location& location : Written(pair.linked)) {
    EXPECT_EQ(linked.at(location), meant.at(location)) << location.first << "." << location.second;
    EXPECT_EQ(all.at(location), meant.at(location)) << location.first << "." << location.second;
    EXPECT_EQ(linked.at(location).size(), kVertices);
  }
  for (uint32_t c = 0; c < 4; ++c)
    EXPECT_EQ(linked.at({kPositionLocation, c}), all.at({kPositionLocation, c}));
  // Slots that the reader does not read are not sent.
  for (const auto& [location, bits] : linked) {
    bool some = location.first == kPositionLocation;
    for (const Location& written : Written(pair.linked)) some |= written.first == location.first;
    EXPECT_TRUE(some) << location.first << "." << location.second;
  }
}

// Compiles the vertex shader for all readers and for these, and compares the outputs of the two, at
// each width. `expected` is the list of written components, in the form of Text.
std::vector<Pair> Check(const std::string& vertex, const std::vector<ReadLocation>& reads,
                        const std::string& expected) {
  const std::vector<uint32_t> words = Spirv(vertex, ShaderStage::kVertex);
  const std::vector<Variant> all = CompileVertex(words), linked = CompileVertex(words, reads);
  const Values meant = Interpreted(words);
  std::vector<Pair> pairs;
  for (size_t k = 0; k < all.size(); ++k) {
    pairs.push_back({all[k], linked[k]});
    CheckOutputs(pairs.back(), meant, expected);
  }
  return pairs;
}

// Returns the pair of the first width.
Pair CheckPair(const std::string& vertex, const std::string& fragment,
               const std::string& expected) {
  const std::vector<Variant> programs = CompileAll(Spirv(fragment, ShaderStage::kFragment));
  EXPECT_GT(programs.size(), 1u);
  const std::vector<Pair> pairs = Check(vertex, ReadsOf(programs), expected);
  const Values all = Interpreted(Spirv(vertex, ShaderStage::kVertex));
  for (const Variant& program : programs) {
    const std::vector<uint32_t> meant = Drawn(program, all, false);
    for (const Pair& pair : pairs) {
      for (const Variant* by : {&pair.linked, &pair.all}) {
        const Values left = Left(*by);
        EXPECT_EQ(Drawn(program, left, false, by), meant) << program.width << " " << by->width;
        EXPECT_EQ(Drawn(program, left, true, by), meant) << program.width << " " << by->width;
      }
    }
    if (!expected.empty()) {
      EXPECT_NE(Drawn(program, {}, false), meant) << program.width;  // they do read
    }
  }
  return pairs[0];
}

constexpr char kVertexPlain[] = R"(
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
layout(location = 0) out vec4 first;
layout(location = 3) out vec2 second;
layout(location = 3, component = 2) out float third;
layout(location = 5) out vec3 fourth;
void main() {
  gl_Position = a;
  first = a + b;
  second = a.xy * 2.0;
  third = b.z + 1.0;
  fourth = b.xyz - a.zyx;
}
)";

TEST(LinkedStages, WhatIsNotReadIsNotWritten) {
  const Pair pair = CheckPair(kVertexPlain, R"(
layout(location = 3) in vec2 second;
layout(location = 0) out vec4 color;
void main() { color = vec4(second, 0.0, 1.0); }
)",
                              " 3.xy");
  const char* const sent = OnTgl() ? "sends" : "exports";
  EXPECT_LT(pair.linked.statistics.At(sent), pair.all.statistics.At(sent));
  EXPECT_LT(pair.linked.statistics.At("instructions"), pair.all.statistics.At("instructions"));
  // One attribute is enough, and its slot does not change: slots are those of separate programs.
  EXPECT_EQ(pair.linked.launch.vertex.attributes.size(), 1u);
  if (!OnTgl()) return;
  EXPECT_EQ(out::IntelOf(pair.linked.launch).vertex.vue_slots, kFirstLocation + 4);
}

TEST(LinkedStages, ComponentsAreReadOneByOne) {
  CheckPair(kVertexPlain, R"(
layout(location = 0) in vec4 first;
layout(location = 3, component = 2) in float third;
layout(location = 5) in vec3 fourth;
layout(location = 0) out vec4 color;
void main() { color = vec4(first.w, third, fourth.xz); }
)",
            " 0.w 3.z 5.xz");
}

// After all passes, an input that is declared, loaded and multiplied but has no live use is not
// read.
TEST(LinkedStages, WhatIsLoadedForNothingIsNotRead) {
  CheckPair(kVertexPlain, R"(
layout(location = 0) in vec4 first;
layout(location = 5) in vec3 fourth;
layout(location = 0) out vec4 color;
void main() {
  vec4 unused = first * 2.0;
  if (unused.x > 3.0) unused.y = 1.0;
  color = vec4(fourth.y);
}
)",
            " 5.y");
}

TEST(LinkedStages, NothingIsRead) {
  const Pair pair =
      CheckPair(kVertexPlain,
                "layout(location = 0) out vec4 color;\nvoid main() { color = vec4(1.0); }\n", "");
  if (!OnTgl()) {
    EXPECT_EQ(pair.linked.statistics.At("exports"), 2) << "the primitive, the position";
    return;
  }
  EXPECT_EQ(pair.linked.statistics.At("sends"), 1);
  EXPECT_EQ(out::IntelOf(pair.linked.launch).vertex.vue_slots, 2u);
}

constexpr char kVertexAggregates[] = R"(
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
struct Light { vec3 direction; float strength; };
layout(location = 0) out Light light;
layout(location = 2) out vec2 row[4];
layout(location = 6) out mat3 frame;
layout(location = 9) out Block { vec4 tint; layout(location = 12) vec2 place; } block;
void main() {
  gl_Position = b;
  light.direction = a.xyz + b.yzw;
  light.strength = a.w;
  for (int i = 0; i < 4; ++i) row[i] = a.xy * float(i) + b.zw;
  frame = mat3(a.xyz, b.xyz, a.xyz + b.xyz);
  block.tint = a * 2.0;
  block.place = b.xy * 4.0;
}
)";

TEST(LinkedStages, MembersElementsAndColumns) {
  CheckPair(kVertexAggregates, R"(
struct Light { vec3 direction; float strength; };
layout(location = 0) in Light light;
layout(location = 2) in vec2 row[4];
layout(location = 6) in mat3 frame;
layout(location = 9) in Block { vec4 tint; layout(location = 12) vec2 place; } block;
layout(location = 0) out vec4 color;
void main() { color = vec4(light.strength, row[2].y, frame[1].z, block.place.x); }
)",
            " 1.x 4.y 7.z 12.x");
}

TEST(LinkedStages, AnElementChosenByValueIsAnyOfThem) {
  CheckPair(kVertexAggregates, R"(
layout(location = 2) in vec2 row[4];
layout(location = 0) out vec4 color;
void main() { color = vec4(row[int(gl_FragCoord.x) & 3].y); }
)",
            " 2.y 3.y 4.y 5.y");
}

// A vector of three continues in the next location; halves are passed as floats, shorts as low
// words.
TEST(LinkedStages, OtherWidths) {
  constexpr char kVertex[] = R"(
layout(location = 0) in vec4 a;
layout(location = 0) flat out u64vec3 wide;
layout(location = 2) flat out uint64_t narrow;
void main() {
  gl_Position = a;
  wide = u64vec3(uint64_t(a.x), uint64_t(a.y) << 33, uint64_t(a.z) * 4294967297ul);
  narrow = uint64_t(a.w) << 20;
}
)";
  Check(kVertex, {{0, 0xc}, {1, 1}}, " 0.zw 1.x");
  Check(kVertex, {{2, 2}}, " 2.y");
  constexpr char kHalves[] = R"(
layout(location = 0) in vec4 a;
layout(location = 0) out f16vec4 halves;
layout(location = 1) flat out u16vec3 words;
void main() {
  gl_Position = a;
  halves = f16vec4(a) * 0.5hf;
  words = u16vec3(uint16_t(a.x), uint16_t(a.y) + 60000us, uint16_t(a.z));
}
)";
  Check(kHalves, {{0, 9}, {1, 2}}, " 0.xw 1.y");
  CheckPair(kHalves, R"(
layout(location = 0) in f16vec4 halves;
layout(location = 1) flat in u16vec3 words;
layout(location = 0) out vec4 color;
void main() { color = vec4(halves.yw, float(words.y), 1.0); }
)",
            " 0.yw 1.y");
  CheckPair(kVertex, R"(
layout(location = 0) flat in u64vec3 wide;
layout(location = 0) out vec4 color;
void main() { color = vec4(uint(wide.y >> 32), uint(wide.z), 0.0, 1.0); }
)",
            " 0.w 1.x");
}

// Code that only feeds an unread output is removed with it, loops and arrays included.
TEST(LinkedStages, ControlFlowGoesToo) {
  const Pair pair =
      CheckPair(R"(
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 kept;
layout(location = 1) out vec4 lost;
void main() {
  gl_Position = a;
  kept = a.wzyx;
  float sum = 0.0;
  float table[8];
  for (int i = 0; i < 8; ++i) table[i] = a[i & 3] + float(i);
  for (int i = 0; i < int(a.x); ++i) {
    if (a.y > float(i)) sum += table[(i + int(a.z)) & 7];
  }
  lost = vec4(sum);
}
)",
                "layout(location = 0) in vec4 kept;\nlayout(location = 0) out vec4 color;\n"
                "void main() { color = kept; }\n",
                " 0.xyzw");
  EXPECT_GT(pair.all.statistics.At("loops"), 0);
  EXPECT_EQ(pair.linked.statistics.At("loops"), 0);
}

// Fixed-function hardware reads these, whatever the fragment shader does.
TEST(LinkedStages, BuiltInsStay) {
  const std::vector<uint32_t> words = Spirv(R"(
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 color;
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; };
void main() {
  gl_Position = a;
  gl_PointSize = a.x;
  gl_ClipDistance[0] = a.y;
  gl_ClipDistance[1] = a.z;
  color = a;
}
)",
                                            ShaderStage::kVertex);
  const Variant all = CompileVertex(words)[0];
  const Variant linked = CompileVertex(words, std::vector<ReadLocation>())[0];
  EXPECT_EQ(Simulated(linked).count({0, 0}), 0u);
  if (!OnTgl()) {  // position; point size; distances
    EXPECT_EQ(linked.statistics.At("exports"), 4) << "and the primitive";
    EXPECT_EQ(all.statistics.At("exports"), 7) << "colour, distances, the primitive's number";
    return;
  }
  EXPECT_EQ(out::IntelOf(linked.launch).vertex.clip_distance_mask, 3u);
  const std::vector<out::VueSlot>& vue = out::IntelOf(linked.launch).vertex.vue;
  EXPECT_TRUE(vue[0].parts[3].from_shader);  // point size
  EXPECT_EQ(out::IntelOf(all.launch).vertex.vue.size(), vue.size() + 1);
}

// A location with one flat and one interpolated component, and packed variables beside them.
TEST(LinkedStages, FlatInPart) {
  constexpr char kVertex[] = R"(
layout(location = 0) in vec4 a;
layout(location = 3) out vec2 smooth_part;
layout(location = 3, component = 2) flat out vec2 flat_part;
void main() {
  gl_Position = a;
  smooth_part = a.xy;
  flat_part = a.zw;
}
)";
  CheckPair(kVertex, R"(
layout(location = 3) in vec2 smooth_part;
layout(location = 3, component = 2) flat in vec2 flat_part;
layout(location = 0) out vec4 color;
void main() { color = vec4(smooth_part.y, flat_part.x, 0.0, 1.0); }
)",
            " 3.yz");
}

// Programs of different widths read different inputs; the vertex program serves them all.
TEST(LinkedStages, WhatTheSizeOfSubgroupsDecides) {
  const std::string fragment = R"(
#extension GL_KHR_shader_subgroup_basic : require
layout(location = 0) in vec4 first;
layout(location = 5) in vec3 fourth;
layout(location = 0) out vec4 color;
void main() { color = gl_SubgroupSize == WIDTH ? vec4(first.x) : vec4(fourth.y); }
)";
  CheckPair(kVertexPlain, absl::StrReplaceAll(fragment, {{"WIDTH", OnTgl() ? "8" : "32"}}),
            " 0.x 5.y");
}

// All outputs are read: the program is the same as for all readers.
TEST(LinkedStages, AllIsRead) {
  const std::vector<uint32_t> words = Spirv(kVertexPlain, ShaderStage::kVertex);
  const std::vector<Variant> all = CompileVertex(words),
                             linked = CompileVertex(words, {{{0, 15}, {3, 7}, {5, 7}, {9, 15}}});
  for (size_t k = 0; k < all.size(); ++k) {
    // For readers that are not known gfx1030 exports the primitive's number as well.
    if (OnTgl()) {
      EXPECT_EQ(all[k].code, linked[k].code);
    }
    EXPECT_EQ(Text(Written(all[k])), Text(Written(linked[k])));
  }
}

}  // namespace
}  // namespace kiln
