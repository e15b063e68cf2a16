// Pairs of vertex shaders that compute the same invariant position within different other code,
// like a pass that draws depth alone and a pass that shades. Through all passes over MIR their
// positions stay the same expressions and give the same bits. Without the declaration they do not:
// the other shader's use of a product decides whether it is fused into a sum.
#include <bit>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/driver/mid_pipeline.h"
#include "core/front/glsl/glsl.h"
#include "core/front/import.h"
#include "core/mid/testing/testing.h"
#include "core/mir/build.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "core/oracle/interp.h"
#include "gtest/gtest.h"

namespace kiln::diff {
namespace {

using mir::BuiltIn;
using mir::Inst;
using mir::InstId;
using mir::Interface;
using mir::Module;
using mir::Op;
using mir::ValueId;

constexpr char kHead[] = R"(#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 3) in ivec4 bones;
layout(location = 0) out vec4 colour;
layout(location = 1) out vec4 more;
layout(set = 0, binding = 0) uniform U { mat4 view; mat4 world; vec4 light; mat4 bone[4]; int count; };
)";

struct Pair {
  const char* name;
  const char* place;  // the function vec4 place(), which both have
  const char* other;  // further code of the second shader, with p = place()
  bool straight;      // no ifs and loops: compared as expressions too
};

constexpr Pair kPairs[] = {
    {"products that are used again",
     "vec4 place() { return view * (world * vec4(position, 1.0)); }",
     "colour = world * vec4(position, 1.0); more = world[0] * position.x + view[1] * p.y;", true},
    {"a sum of products", "vec4 place() { return vec4(position * light.xyz + normal, 1.0); }",
     "colour.xyz = position * light.xyz; more.xyz = normal - position * light.xyz;", true},
    {"a division", "vec4 place() { return vec4(position / light.w + uv.x / 3.0, 1.0); }",
     "colour = vec4(uv.x / 3.0, 1.0 / light.w, 0.0, position.x / light.w);", true},
    {"a length", "vec4 place() { return vec4(normalize(position + normal * uv.x), 1.0); }",
     "colour.x = length(position + normal * uv.x); more.xyz = normal * uv.x;", true},
    {"terms of zero", "vec4 place() { return vec4(position + 0.0 * normal, 1.0) * (light - 0.0); }",
     "colour.xyz = 0.0 * normal; more = light - 0.0;", true},
    {"a choice", R"(vec4 place() {
       vec3 p = position;
       if (dot(normal, light.xyz) > uv.x) p += normal * uv.x; else p -= normal * uv.y;
       return view * vec4(p, 1.0); })",
     "colour.x = dot(normal, light.xyz); more.xyz = normal * uv.x + normal * uv.y;", false},
    {"a loop of a known length", R"(vec4 place() {
       vec4 p = vec4(0.0);
       for (int i = 0; i < 4; ++i) p += (bone[bones[i] & 3] * vec4(position, 1.0)) / float(i + 3);
       return view * p; })",
     "for (int i = 0; i < 4; ++i) { colour += bone[i] * vec4(normal, 0.0); } more = view * p;",
     false},
    {"a loop of another length", R"(vec4 place() {
       vec4 p = vec4(position, 1.0);
       for (int i = 0; i < count; ++i) { p = p * light + vec4(normal, uv.x); if (p.x > 9.0) break; }
       return p; })",
     "for (int i = 0; i < count; ++i) colour = colour * light + vec4(normal, uv.x); more = p * p;",
     false},
    {"an array", R"(vec4 place() {
       vec3 kept[4] = vec3[4](position, normal, position * 2.0 + normal, vec3(uv * uv.x + 1.0, 0.0));
       return vec4(kept[bones.x & 3] * light.x + kept[bones.y & 3], 1.0); })",
     "colour.xyz = position * 2.0; more.xy = uv * uv.x;", false},
};

std::string Shader(const Pair& pair, bool shading, bool invariant) {
  return absl::StrCat(kHead, invariant ? "invariant gl_Position;\n" : "", pair.place,
                      "\nvoid main() {\n  colour = vec4(0.0); more = vec4(0.0);\n",
                      "  vec4 p = place();\n  gl_Position = p;\n", shading ? pair.other : "",
                      "\n}\n");
}

// Runs all passes that Prepare and Compile run.
Module Compiled(const std::string& text) {
  front::GlslSource source;
  source.name = "test.vert";
  source.text = text;
  source.stage = ShaderStage::kVertex;
  const auto words = front::CompileGlsl(source);
  EXPECT_TRUE(words.ok()) << words.status() << text;
  if (!words.ok()) return {};
  absl::StatusOr<Module> module = front::ImportSpirv(*words, {});
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return {};
  PassContext context = PassContext::ForTest();
  for (int round = 0; round < 3; ++round) {
    for (const Pass<Module>& pass : NeutralPasses()) {
      EXPECT_TRUE(pass.run(*module, context).ok()) << pass.name;
    }
  }
  Lowering lowering = {*module, mid::kFewFeatures};
  for (const Pass<Lowering>& pass : LoweringPasses()) {
    EXPECT_TRUE(pass.run(lowering, context).ok()) << pass.name;
  }
  EXPECT_EQ(mir::Verify(*module), absl::OkStatus());
  return *std::move(module);
}

// ---- Expressions ----

// Returns a value as text: the whole tree, in which inputs and resources have names that both
// shaders share.
std::string TreeOf(const Module& m, ValueId v, std::map<uint32_t, std::string>& seen) {
  const mir::Value& value = m.value(v);
  if (value.kind == mir::Value::Kind::kConstant) return absl::StrCat("0x", absl::Hex(value.bits));
  if (value.kind != mir::Value::Kind::kResult) return "?";
  if (const auto it = seen.find(v.index); it != seen.end()) return it->second;
  const InstId id(value.owner);
  const Inst& inst = m.inst(id);
  std::string text = absl::StrCat("(", std::string(mir::Info(inst.op).name));
  if (inst.op == Op::kLoadInput) {
    const Interface& input = m.inputs[inst.imm0];
    absl::StrAppend(&text, " ", input.location, ".", input.component + inst.imm1 + value.component);
  } else if (inst.op == Op::kLoadUbo) {
    absl::StrAppend(&text, " binding ", m.resources[inst.imm0].binding, " ");
    // An access may have been combined with its neighbours.
    const ValueId offset = m.source(id, 0);
    EXPECT_TRUE(m.IsConstant(offset));
    absl::StrAppend(&text, m.value(offset).bits + 4 * value.component);
    return text + ")";
  } else {
    absl::StrAppend(&text, " ", inst.imm0, " ", inst.imm1, " ", inst.flags);
  }
  for (const ValueId source : m.sources(id)) {
    absl::StrAppend(&text, " ", TreeOf(m, source, seen));
  }
  return seen[v.index] = text + ")";
}

std::vector<std::string> PositionTrees(const Module& m) {
  std::vector<std::string> trees(4);
  std::map<uint32_t, std::string> seen;
  mir::ForEachInst(m, m.body, [&](InstId id) {
    const Inst& inst = m.inst(id);
    if (inst.op != Op::kStoreOutput || m.outputs[inst.imm0].builtin != BuiltIn::kPosition) return;
    for (int i = 0; i < inst.num_sources; ++i) {
      trees[inst.imm1 + static_cast<uint32_t>(i)] = TreeOf(m, m.source(id, i), seen);
    }
  });
  return trees;
}

// ---- Bits ----

constexpr uint32_t kLanes = 256;

// A value that depends only on the interface location and component, not on the rest of the shader.
uint32_t Word(uint32_t a, uint32_t b, bool floats) {
  uint32_t x = (a * 2654435761u) ^ (b * 2246822519u + 374761393u);
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return floats ? std::bit_cast<uint32_t>(static_cast<float>(x % 100003) / 9973.0f - 5.0f) : x & 3;
}

std::vector<uint64_t> Positions(const Module& m) {
  oracle::LaunchInputs inputs;
  inputs.stage.invocations = kLanes;
  for (const Interface& v : m.inputs) {
    std::vector<uint64_t> values;
    for (uint32_t c = 0; c < v.elements * v.components; ++c) {
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        values.push_back(Word(4 * v.location + v.component + c, lane, v.type == mir::Type::kF32));
      }
    }
    inputs.stage.inputs.push_back(std::move(values));
  }
  constexpr uint32_t kCount = 16 + 16 + 4 + 4 * 16;  // the dword of U::count
  std::vector<uint8_t> bytes(4 * (kCount + 1));
  for (uint32_t i = 0; i <= kCount; ++i) {
    const uint32_t word = i == kCount ? 5 : Word(99, i, true);
    std::memcpy(&bytes[size_t{4} * i], &word, 4);
  }
  inputs.buffers.push_back({0, 0, 0, bytes});
  EXPECT_TRUE(oracle::Interpret(m, inputs).ok());
  for (size_t i = 0; i < m.outputs.size(); ++i) {
    if (m.outputs[i].builtin == BuiltIn::kPosition) return inputs.stage.outputs[i];
  }
  return {};
}

TEST(InvariantPositions, AreTheSameExpressions) {
  int others = 0;
  for (const Pair& pair : kPairs) {
    if (!pair.straight) continue;
    SCOPED_TRACE(pair.name);
    const auto first = PositionTrees(Compiled(Shader(pair, false, true)));
    const auto second = PositionTrees(Compiled(Shader(pair, true, true)));
    EXPECT_EQ(first, second);
    EXPECT_NE(first[0], "");
    others += PositionTrees(Compiled(Shader(pair, false, false))) !=
              PositionTrees(Compiled(Shader(pair, true, false)));
  }
  EXPECT_GE(others, 3) << "of pairs that are not invariant some must differ, or nothing was tested";
}

TEST(InvariantPositions, HaveTheSameBits) {
  int others = 0;
  for (const Pair& pair : kPairs) {
    SCOPED_TRACE(pair.name);
    const auto first = Positions(Compiled(Shader(pair, false, true)));
    const auto second = Positions(Compiled(Shader(pair, true, true)));
    ASSERT_EQ(first.size(), 4 * kLanes);
    EXPECT_EQ(first, second);
    others += Positions(Compiled(Shader(pair, false, false))) !=
              Positions(Compiled(Shader(pair, true, false)));
  }
  EXPECT_GE(others, 4) << "of pairs that are not invariant some must differ, or nothing was tested";
}

}  // namespace
}  // namespace kiln::diff
