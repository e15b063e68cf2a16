// Draws of vertices, made at random and for the interpreter: see vertices.h.
//
// Source: Vulkan 1.3, "Vertex Input Extraction" (components that are not given) and "Built-In
// Variables" (VertexIndex with vertexOffset or firstVertex, InstanceIndex with firstInstance).
#include <algorithm>
#include <bit>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "core/base/float_bits.h"
#include "core/oracle/generate.h"
#include "tests/exec/vertices.h"

namespace kiln::exec {
namespace {

using mir::BuiltIn;
using mir::Interface;
using mir::Type;
using sim::scene::VertexInput;
using sim::scene::VertexInputs;

uint32_t RandomComponent(std::mt19937& rng, Type type) {
  if (mir::IsFloat(type)) return AsBits((static_cast<float>(rng() % 512) - 256) / 64);
  return static_cast<uint32_t>(rng() >> rng() % 32);
}

VertexInput RandomInput(std::mt19937& rng, const VertexInputs& draw, uint32_t location, Type type) {
  VertexInput input;
  input.location = location;
  input.per_instance = rng() % 4 == 0;
  input.components = 1 + rng() % 4;
  if (input.per_instance && rng() % 2 == 0) input.step = 1 + rng() % 3;
  input.missing_w = mir::IsFloat(type) ? AsBits(1) : 1;
  const uint32_t elements = input.per_instance ? draw.first_instance + draw.instances
                                               : draw.first_vertex + oracle::kDrawnVertices;
  for (uint32_t i = 0; i < elements * input.components; ++i) {
    input.bits.push_back(RandomComponent(rng, type));
  }
  return input;
}

class Filler {
 public:
  explicit Filler(const VertexInputs& draw) : draw_(draw) {}

  uint64_t Value(const Interface& v, uint32_t element, uint32_t component, uint32_t run) const {
    const uint32_t place = run % draw_.count, instance = run / draw_.count;
    const uint32_t vertex = static_cast<uint32_t>(draw_.first_vertex) +
                            (draw_.indices.empty() ? place : draw_.indices[place]);
    switch (v.builtin) {
      case BuiltIn::kNone: break;
      case BuiltIn::kVertexIndex: return vertex;
      case BuiltIn::kInstanceIndex: return draw_.first_instance + instance;
      case BuiltIn::kBaseVertex: return static_cast<uint32_t>(draw_.first_vertex);
      case BuiltIn::kBaseInstance: return draw_.first_instance;
      default: return draw_.draw_id;
    }
    for (const VertexInput& input : draw_.inputs) {
      if (input.location != v.location + element) continue;
      const uint32_t at =
          input.per_instance ? draw_.first_instance + instance / input.step : vertex;
      return OfType(v.type, Component(input, at, v.component + component));
    }
    return 0;
  }

 private:
  static uint32_t Component(const VertexInput& input, uint32_t element, uint32_t component) {
    if (component < input.components) return input.bits[element * input.components + component];
    return component == 3 ? input.missing_w : 0;
  }

  // Formats are converted to 32 bits; narrow variables get their low bits.
  static uint64_t OfType(Type type, uint32_t bits) {
    if (type == Type::kI16) return bits & 0xffff;
    if (type != Type::kF16) return bits;
    return std::bit_cast<uint16_t>(static_cast<_Float16>(AsFloat(bits)));
  }

  const VertexInputs& draw_;
};

}  // namespace

VertexInputs RandomVertices(uint64_t seed, const mir::Module& module) {
  std::mt19937 rng(static_cast<uint32_t>(seed) * 2654435761u + 29);
  VertexInputs draw;
  draw.count = 1 + rng() % oracle::kDrawnVertices;
  draw.instances = 1 + rng() % oracle::kDrawnInstances;
  draw.first_vertex = static_cast<int32_t>(rng() % 5);
  draw.first_instance = rng() % 3;
  draw.draw_id = rng() % 9;
  if (rng() % 2 != 0) {
    // Each run owns the part of the buffers of its vertex: each part once, in any order.
    std::vector<uint32_t> all(oracle::kDrawnVertices);
    std::iota(all.begin(), all.end(), 0);
    for (uint32_t k = oracle::kDrawnVertices - 1; k > 0; --k) {
      std::swap(all[k], all[rng() % (k + 1)]);
    }
    draw.indices.assign(all.begin(), all.begin() + draw.count);
  }
  for (const Interface& v : module.inputs) {
    for (uint32_t e = 0; v.builtin == BuiltIn::kNone && e < v.elements; ++e) {
      const uint32_t location = v.location + e;
      const bool given = std::ranges::any_of(
          draw.inputs, [&](const VertexInput& i) { return i.location == location; });
      if (!given) draw.inputs.push_back(RandomInput(rng, draw, location, v.type));
    }
  }
  return draw;
}

namespace {

// Runs a part of the draw.
absl::Status InterpretRuns(const mir::Module& module, const VertexInputs& draw, uint32_t first,
                           uint32_t count, oracle::LaunchInputs& inputs) {
  const Filler filler(draw);
  inputs.stage = oracle::StageData();
  inputs.stage.invocations = count;
  for (const Interface& v : module.inputs) {
    std::vector<uint64_t>& values = inputs.stage.inputs.emplace_back();
    for (uint32_t n = 0; n < v.elements * v.components; ++n) {
      for (uint32_t run = first; run < first + count; ++run) {
        values.push_back(filler.Value(v, n / v.components, n % v.components, run));
      }
    }
  }
  for (const Interface& v : module.outputs) {
    inputs.stage.outputs.emplace_back(size_t{v.elements} * v.components * count, kNotStored);
  }
  return oracle::Interpret(module, inputs).status();
}

}  // namespace

absl::Status InterpretVertices(const mir::Module& module, const VertexInputs& draw, bool apart,
                               oracle::LaunchInputs& inputs) {
  const auto runs = static_cast<uint32_t>(draw.Runs());
  if (!apart) return InterpretRuns(module, draw, 0, runs, inputs);
  oracle::StageData all;
  all.invocations = runs;
  for (const Interface& v : module.outputs) {
    all.outputs.emplace_back(size_t{v.elements} * v.components * runs);
  }
  for (uint32_t first = 0; first < runs; first += draw.count) {
    if (absl::Status s = InterpretRuns(module, draw, first, draw.count, inputs); !s.ok()) return s;
    for (size_t o = 0; o < all.outputs.size(); ++o) {
      for (size_t i = 0; i < inputs.stage.outputs[o].size(); ++i) {
        const size_t n = i / draw.count, run = first + i % draw.count;
        all.outputs[o][n * runs + run] = inputs.stage.outputs[o][i];
      }
    }
  }
  inputs.stage = std::move(all);
  return absl::OkStatus();
}

}  // namespace kiln::exec
