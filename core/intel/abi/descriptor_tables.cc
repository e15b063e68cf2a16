#include "core/intel/abi/descriptor_tables.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/cause.h"

namespace kiln::intel {
namespace {

bool SharesMemory(const mir::Module& m, const ResourceUses& uses, size_t a, size_t b) {
  const mir::Resource& x = m.resources[a];
  const mir::Resource& y = m.resources[b];
  return x.set == y.set && x.binding == y.binding && x.kind == y.kind &&
         uses.raw_image[a] == uses.raw_image[b];
}

// Returns the bindings that are used, in the order of their first resources.
std::vector<Binding> FindBindings(const mir::Module& m, const ResourceUses& uses) {
  std::vector<Binding> bindings;
  size_t first_of_set = 0;  // resources of a (set, binding) are consecutive
  for (size_t i = 0; i < m.resources.size(); ++i) {
    const mir::Resource& r = m.resources[i];
    if (!uses.surface[i] && !uses.sampler[i]) continue;
    size_t at = first_of_set;
    while (at < bindings.size() && !SharesMemory(m, uses, bindings[at].resources[0], i)) ++at;
    if (at == bindings.size()) {
      const bool same_place = at != 0 && m.resources[bindings[at - 1].resources[0]].set == r.set &&
                              m.resources[bindings[at - 1].resources[0]].binding == r.binding;
      if (!same_place) first_of_set = at;
      bindings.emplace_back();
    }
    Binding& b = bindings[at];
    b.resources.push_back(i);
    b.unsized = b.unsized || r.count == 0;
    b.elements = std::max(b.elements, uint64_t{r.element} + r.count);
    if (uses.surface[i]) b.surfaces += r.count;
    if (uses.sampler[i]) b.samplers += r.count;
  }
  return bindings;
}

// Returns the binding whose move to memory frees the most entries, the last one of equals; null if
// none frees any.
template <class Gain>
Binding* Largest(std::vector<Binding>& bindings, Gain gain) {
  Binding* best = nullptr;
  for (Binding& b : bindings) {
    if (gain(b) > 0 && (best == nullptr || gain(b) >= gain(*best))) best = &b;
  }
  return best;
}

// Requires that some binding has surfaces.
const Binding& LastWithSurfaces(const std::vector<Binding>& bindings) {
  return *std::find_if(bindings.rbegin(), bindings.rend(),
                       [](const Binding& b) { return b.surfaces != 0; });
}

absl::Status ChooseMemory(const mir::Module& m, const Limits& limits, uint64_t other_entries,
                          std::vector<Binding>& bindings) {
  uint64_t samplers = 0, surfaces = other_entries;
  for (Binding& b : bindings) {
    if (b.elements > limits.bindless_surfaces) {
      return BeyondLimit("too_many_descriptors",
                         {"descriptors of a binding", b.elements, limits.bindless_surfaces},
                         m.resources[b.resources[0]].spirv_id);
    }
    b.surfaces_in_memory = b.samplers_in_memory = b.unsized;
    samplers += b.unsized ? 0 : b.samplers;
    surfaces += b.unsized ? 1 : b.surfaces;
  }
  const auto sampler_gain = [](const Binding& b) {
    return b.samplers_in_memory ? int64_t{0} : static_cast<int64_t>(b.samplers);
  };
  while (samplers > limits.samplers) {
    Binding* b = Largest(bindings, sampler_gain);
    samplers -= b->samplers;
    if (!b->surfaces_in_memory) ++surfaces;
    b->samplers_in_memory = true;
  }
  const auto surface_gain = [](const Binding& b) {
    if (b.surfaces_in_memory) return int64_t{0};
    return static_cast<int64_t>(b.surfaces) - (b.samplers_in_memory ? 0 : 1);
  };
  while (surfaces > limits.surfaces) {
    Binding* b = Largest(bindings, surface_gain);
    if (b == nullptr) {
      return BeyondLimit("too_many_descriptors",
                         {"entries of the binding table", surfaces, limits.surfaces},
                         m.resources[LastWithSurfaces(bindings).resources[0]].spirv_id);
    }
    surfaces -= static_cast<uint64_t>(surface_gain(*b));
    b->surfaces_in_memory = true;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Binding>> ChooseTables(const mir::Module& m, const Limits& limits,
                                                  const ResourceUses& uses) {
  std::vector<Binding> bindings = FindBindings(m, uses);
  if (absl::Status s = ChooseMemory(m, limits, uses.other_entries, bindings); !s.ok()) return s;
  return bindings;
}

}  // namespace kiln::intel
