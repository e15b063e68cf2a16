// See vertices.h.
#include "tests/exec/vertices.h"

#include <bit>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/oracle/generate.h"
#include "core/target/interface.h"
#include "tests/exec/culled_vertices.h"
#include "tests/exec/exec.h"

namespace kiln::exec {
namespace {

using mir::BuiltIn;
using mir::Interface;
using mir::Type;
using sim::scene::Dispatch;
using sim::scene::VertexInputs;

struct VueLocation {
  uint32_t slot = 0, component = 0;
};

// Returns where the record says that a scalar of an output lies.
std::optional<VueLocation> Find(const out::LaunchRecord& launch, const Interface& v,
                                uint32_t element, uint32_t component) {
  using out::VueContent;
  using out::VueValue;
  const auto part = [&](const out::VueSlot& slot, VueValue what) -> std::optional<VueLocation> {
    for (const out::VuePart& p : slot.parts) {
      if (p.what == what && p.element == element) return VueLocation{slot.slot, p.component};
    }
    return std::nullopt;
  };
  for (const out::VueSlot& slot : out::IntelOf(launch).vertex.vue) {
    std::optional<VueLocation> found;
    switch (v.builtin) {
      case BuiltIn::kNone:
        if (slot.what == VueContent::kLocation && slot.location == v.location + element) {
          found = VueLocation{slot.slot, v.component + component};
        }
        break;
      case BuiltIn::kPosition:
        if (slot.what == VueContent::kPosition) found = VueLocation{slot.slot, component};
        break;
      case BuiltIn::kClipDistance: found = part(slot, VueValue::kClipDistance); break;
      case BuiltIn::kCullDistance: found = part(slot, VueValue::kCullDistance); break;
      case BuiltIn::kPointSize: found = part(slot, VueValue::kPointSize); break;
      case BuiltIn::kLayer: found = part(slot, VueValue::kLayer); break;
      default: found = part(slot, VueValue::kViewport); break;
    }
    if (found) return found;
  }
  return std::nullopt;
}

const char* NameOf(BuiltIn builtin) {
  switch (builtin) {
    case BuiltIn::kNone: return "";
    case BuiltIn::kPosition: return "position";
    case BuiltIn::kClipDistance: return "clip_distance";
    case BuiltIn::kCullDistance: return "cull_distance";
    case BuiltIn::kPointSize: return "point_size";
    case BuiltIn::kLayer: return "layer";
    default: return "viewport";
  }
}

// Returns where the simulator of gfx1030 left a scalar of an output. Distances are listed as far as
// PA_CL_VS_OUT_CNTL has them.
std::optional<VueLocation> FindExported(const mir::Module& m, const out::LaunchRecord& launch,
                                        const VertexInputs& got, const Interface& v,
                                        uint32_t element, uint32_t component) {
  const uint32_t control = out::AmdOf(launch).vertex.pa_cl_vs_out_cntl;
  uint32_t mask = control & 0xff;
  if (v.builtin == BuiltIn::kCullDistance) mask = control >> 8 & 0xff & ~mask;
  if (v.builtin == BuiltIn::kClipDistance || v.builtin == BuiltIn::kCullDistance) {
    const uint32_t bit = DistanceNumber(m.outputs, v, element);
    if ((mask >> bit & 1) == 0) return std::nullopt;
    component = static_cast<uint32_t>(std::popcount(mask & ((1u << bit) - 1)));
  }
  for (const sim::scene::VertexOutput& o : got.outputs) {
    if (o.builtin != NameOf(v.builtin)) continue;
    if (v.builtin == BuiltIn::kNone && o.location != v.location + element) continue;
    const uint32_t c = v.builtin == BuiltIn::kNone ? v.component + component : component;
    return VueLocation{o.components[c].slot, o.components[c].component};
  }
  return std::nullopt;
}

// Narrow outputs have 32 bits in the entry, integers in the low ones.
bool SameScalar(Type type, uint64_t want, uint32_t got) {
  if (type == Type::kI16) return (want & 0xffff) == (got & 0xffff);
  auto bits = static_cast<uint32_t>(want);
  if (type == Type::kF16) {
    const auto half = std::bit_cast<_Float16>(static_cast<uint16_t>(want));
    bits = std::bit_cast<uint32_t>(static_cast<float>(half));
  }
  return SameDword(bits, got);
}

// Returns what fixed functions of gfx1030 find as layer or viewport of a run, which are halves of
// one dword, the layer the low one. One that does not fit its half is none (Vulkan, "Layer",
// "ViewportIndex"), but a program must not do more with it than this.
uint64_t HalfOf(const mir::Module& m, const oracle::StageData& want, BuiltIn half, uint32_t run) {
  uint32_t packed = 0;
  for (size_t o = 0; o < m.outputs.size(); ++o) {
    const BuiltIn builtin = m.outputs[o].builtin;
    if (builtin != BuiltIn::kLayer && builtin != BuiltIn::kViewportIndex) continue;
    const uint64_t value = want.outputs[o][run];
    if (value == kNotStored) continue;
    packed |= static_cast<uint32_t>(value) << (builtin == BuiltIn::kLayer ? 0 : 16);
  }
  return half == BuiltIn::kLayer ? packed & 0xffff : packed >> 16;
}

}  // namespace

std::string OutputDifference(const mir::Module& m, const out::LaunchRecord& launch,
                             const oracle::StageData& want, const VertexInputs& got,
                             const std::vector<bool>& needed) {
  for (size_t o = 0; o < m.outputs.size(); ++o) {
    const Interface& v = m.outputs[o];
    for (size_t i = 0; i < want.outputs[o].size(); ++i) {
      uint64_t x = want.outputs[o][i];
      if (x == kNotStored) continue;
      const auto n = static_cast<uint32_t>(i / want.invocations);
      const auto run = static_cast<uint32_t>(i % want.invocations);
      if (!needed.empty() && !needed[run]) continue;
      const bool half = v.builtin == BuiltIn::kLayer || v.builtin == BuiltIn::kViewportIndex;
      if (half && TestTarget() == Target::kGfx1030) x = HalfOf(m, want, v.builtin, run);
      const uint32_t element = n / v.components, component = n % v.components;
      const std::optional<VueLocation> found =
          TestTarget() == Target::kGfx1030 ? FindExported(m, launch, got, v, element, component)
                                           : Find(launch, v, element, component);
      const std::string name = absl::StrFormat("output %d element %d component %d of run %d", o,
                                               n / v.components, n % v.components, run);
      if (!found) return absl::StrCat(name, ": want a location in the record, got none");
      const size_t at = got.At(run, found->slot, found->component);
      if (got.written[at] == 0) return absl::StrFormat("%s: want %08x, got nothing", name, x);
      if (!SameScalar(v.type, x, got.entries[at])) {
        return absl::StrFormat("%s: want %08x, got %08x", name, x, got.entries[at]);
      }
    }
  }
  return "";
}

std::string CompareVertices(const mir::Module& module, uint64_t seed, uint32_t /*samples*/,
                            const DrawSetup& setup, DrawCounts* counts) {
  oracle::LaunchInputs inputs = oracle::GenerateInputs(seed, module);
  inputs.denormals = oracle::Denormals::kFlush;
  ExtendOwnBuffer(oracle::kDrawnVertices * oracle::kDrawnInstances * oracle::kOutputDwords, inputs);
  Dispatch dispatch = DispatchOf(inputs);
  dispatch.vertices = RandomVertices(seed, module);
  const bool gfx1030 = TestTarget() == Target::kGfx1030;
  DrawSetup stated = setup;
  for (const sim::scene::VertexInput& i : dispatch.vertices->inputs) {
    if (i.per_instance) stated.instance_rates.push_back({i.location, i.step});
  }
  const Widths widths = gfx1030 ? Widths{{32, 64}, {}} : Widths{{8}, {}};
  std::string text = CompileAndJudge(module, stated, 1, widths, [&](const Variant& v) {
    oracle::LaunchInputs want = inputs;
    want.subgroup_size = static_cast<uint32_t>(v.width);
    if (absl::Status s = InterpretVertices(module, *dispatch.vertices, gfx1030, want); !s.ok()) {
      return absl::StrCat("interpreter: ", s.message(), "\n");
    }
    for (const std::vector<uint64_t>& values : want.stage.outputs) {
      for (const uint64_t value : values) counts->written += value != kNotStored;
    }
    return SimulateDraws(
        v, setup, dispatch,
        [&](const Dispatch& got) {
          const std::string wrong =
              OutputDifference(module, v.launch, want.stage, *got.vertices, {});
          return wrong.empty() ? ResourceDifference(want, got) : wrong;
        },
        counts);
  });
  if (gfx1030) text += CompareCulled(module, seed, setup, counts);
  return text;
}

}  // namespace kiln::exec
