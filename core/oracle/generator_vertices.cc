// Vertices of random modules, drawn or not: attributes, outputs of all kinds, numbers of
// invocations.
#include "core/oracle/generator.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace kiln::oracle::random_modules {

void Generator::DeclareVertex() {
  m_.inputs = {{.components = 4, .type = Type::kF32},
               {.location = 1, .components = 2, .type = Type::kI32},
               {.location = 2, .components = 2, .array = true, .elements = 3, .type = Type::kF32},
               {.builtin = BuiltIn::kVertexIndex, .type = Type::kI32},
               {.builtin = BuiltIn::kInstanceIndex, .type = Type::kI32}};
  m_.outputs = {
      {.components = 4, .type = Type::kF32},
      {.location = 1, .components = 2, .array = true, .elements = 3, .type = Type::kI32},
      {.builtin = BuiltIn::kPosition, .components = 4, .type = Type::kF32, .invariant = true},
      {.builtin = BuiltIn::kClipDistance, .array = true, .elements = 4, .type = Type::kF32}};
}

// Further inputs and outputs of a draw. Variables share locations 2 to 4 and 0; distances end in
// the second of their slots; some outputs are left out, so that headers are written in part.
void Generator::DeclareDrawnVertex() {
  // the mode at the start of the program is not specified
  m_.f16_mode.denorms = mir::DenormMode::kPreserve;
  m_.inputs.insert(
      m_.inputs.end(),
      {{.builtin = BuiltIn::kBaseVertex, .type = Type::kI32},
       {.builtin = BuiltIn::kBaseInstance, .type = Type::kI32},
       {.builtin = BuiltIn::kDrawIndex, .type = Type::kI32},
       {.location = 2, .component = 3, .type = Type::kF32},
       {.location = 6, .component = 1, .components = 2, .type = Type::kF32},
       {.location = 9, .components = 4, .array = true, .elements = 2, .type = Type::kI32}});
  m_.outputs.back().elements = 1 + random_.Below(6);  // clip distances
  const Interface others[] = {
      {.location = 1, .component = 2, .type = Type::kF32},
      {.location = 8, .component = 1, .components = 3, .type = Type::kI32, .invariant = true},
      {.builtin = BuiltIn::kCullDistance, .array = true, .elements = 2, .type = Type::kF32},
      {.builtin = BuiltIn::kPointSize, .type = Type::kF32},
      {.builtin = BuiltIn::kLayer, .type = Type::kI32},
      {.builtin = BuiltIn::kViewportIndex, .type = Type::kI32}};
  for (const Interface& v : others) {
    if (!random_.OneIn(3)) m_.outputs.push_back(v);
  }
  if (options_.types) DeclareNarrowVertex();
  for (std::vector<Interface>* list : {&m_.inputs, &m_.outputs}) {
    std::sort(list->begin(), list->end(), [](const Interface& a, const Interface& b) {
      return std::tuple(a.builtin != BuiltIn::kNone, a.location, a.component, a.builtin) <
             std::tuple(b.builtin != BuiltIn::kNone, b.location, b.component, b.builtin);
    });
  }
}

void Generator::DeclareNarrowVertex() {
  m_.inputs.push_back({.location = 7, .components = 3, .type = Type::kF16});
  m_.inputs.push_back({.location = 8, .components = 2, .type = Type::kI16});
  m_.outputs.push_back({.location = 9, .components = 2, .type = Type::kF16});
  m_.outputs.push_back({.location = 10, .component = 2, .components = 2, .type = Type::kI16});
}

// A number that is different for every invocation of a draw, whatever its first vertex and
// instance.
ValueId Generator::NumberOfRun() {
  const auto input = [&](BuiltIn builtin) {
    uint32_t i = 0;
    while (m_.inputs[i].builtin != builtin) ++i;
    return m_.result(b_.LoadInput(i, 0, 1));
  };
  const ValueId vertex = b_.Isub(input(BuiltIn::kVertexIndex), input(BuiltIn::kBaseVertex));
  const ValueId instance = b_.Isub(input(BuiltIn::kInstanceIndex), input(BuiltIn::kBaseInstance));
  return b_.Iadd(b_.Imul(instance, b_.Int(kDrawnVertices)), vertex);
}

// Writes some components of an element, whose index is constant or not.
void Generator::WriteVertexOutput() {
  const auto output = random_.Below(static_cast<uint32_t>(m_.outputs.size()));
  const Interface v = m_.outputs[output];
  const uint32_t first = random_.Below(v.components);
  std::vector<ValueId> values;
  for (uint32_t c = first; c < v.components; ++c) values.push_back(Pick(v.type));
  b_.StoreOutput(output, first, values, v.array ? Element(v) : ValueId());
}

// Writes some components of some elements, at the end as the importer does.
void Generator::WriteDrawnVertex() {
  for (uint32_t i = 0; i < m_.outputs.size(); ++i) {
    const Interface v = m_.outputs[i];
    for (uint32_t element = 0; element < v.elements; ++element) {
      if (random_.OneIn(5)) continue;
      const uint32_t first = random_.Below(v.components);
      std::vector<ValueId> values;
      for (uint32_t c = first; c < v.components; ++c) values.push_back(OfOneZero(Pick(v.type)));
      b_.StoreOutput(i, first, values, v.array ? b_.Int(element) : ValueId());
    }
  }
}

ValueId Generator::Element(const Interface& v) {
  if (random_.OneIn(2)) return b_.Int(random_.Below(v.elements));
  return b_.Urem(Pick(Type::kI32), b_.Int(v.elements));
}

void Generator::VertexOperation() {
  if (!options_.drawn && random_.OneIn(2)) return WriteVertexOutput();
  const auto input = random_.Below(static_cast<uint32_t>(m_.inputs.size()));
  const Interface v = m_.inputs[input];
  const uint32_t first = random_.Below(v.components);
  DefineResults(b_.LoadInput(input, first, 1 + random_.Below(v.components - first),
                             v.array ? Element(v) : ValueId()));
}

}  // namespace kiln::oracle::random_modules
