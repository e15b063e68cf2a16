#include "core/mid/arrays/array_loops.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "core/mid/arrays/promote_private_arrays.h"
#include "core/mid/budgets.h"
#include "core/mid/control/nest_exits.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::RegionId;

// A bit for each private array.
using Arrays = std::vector<bool>;

class Finder {
 public:
  explicit Finder(const Module& module)
      : m_(module), analysis_(module), arrays_(module.private_arrays.size()) {}

  std::vector<UnrollableLoop> Run() {
    Found found = Find(m_.body);
    for (size_t i = 0; i < arrays_; ++i) {
      const bool small = m_.private_arrays[i].bytes / 4 <= budgets::kPromotedElements;
      if (small && !found.unknown[i]) Weigh(i, found.elements[i], found.roots);
    }
    std::vector<UnrollableLoop> chosen;
    for (const Root& r : found.roots) {
      if (r.chosen) chosen.push_back({r.loop, r.count});
    }
    return chosen;
  }

 private:
  struct Root {
    InstId loop;
    LoopIterations count;
    Arrays arrays;  // with offsets in it that are unknown before it is unrolled
    bool chosen = false;
  };

  // Findings about a region.
  struct Found {
    std::vector<Root> roots;
    // Outside of the roots:
    Arrays unknown;                 // by array: some offset is not constant
    std::vector<int64_t> elements;  // by array: of all accesses
    // Some loop is too large, and so are the loops around it.
    bool too_large = false;
  };

  Found Nothing() const { return {{}, Arrays(arrays_), std::vector<int64_t>(arrays_), false}; }

  static void Merge(Found part, Found* into) {
    std::move(part.roots.begin(), part.roots.end(), std::back_inserter(into->roots));
    for (size_t i = 0; i < into->unknown.size(); ++i) {
      into->unknown[i] = into->unknown[i] || part.unknown[i];
      into->elements[i] += part.elements[i];
    }
    into->too_large = into->too_large || part.too_large;
  }

  Found Find(RegionId region) {
    Found found = Nothing();
    for (InstId id : m_.region(region).insts) {
      const Inst& inst = m_.inst(id);
      if (inst.op == Op::kLoop) {
        Merge(FindLoop(id), &found);
      } else if (AccessesPrivateArray(inst.op)) {
        found.elements[inst.imm0] += ElementsOf(inst);
        if (!m_.IsConstant(m_.source(id, 0))) found.unknown[inst.imm0] = true;
      } else {
        for (int r = 0; r < inst.num_regions; ++r) Merge(Find(inst.regions[r]), &found);
      }
    }
    return found;
  }

  Found FindLoop(InstId loop) {
    Found inside = Find(m_.inst(loop).regions[0]);
    const bool any =
        std::find(inside.unknown.begin(), inside.unknown.end(), true) != inside.unknown.end();
    if (!any || inside.too_large) return inside;
    const LoopIterations count =
        analysis_.CountIterations(loop, {.max_iterations = budgets::kIterations,
                                         .max_steps = budgets::kArrayNestSteps,
                                         .max_residue = budgets::kArrayNestResidue,
                                         .max_unknown_exits = kMaxNestedExits,
                                         .into_loops = true});
    inside.too_large = count.residue > budgets::kArrayNestResidue;
    if (!count.bounded || count.unknown_array_accesses > 0) return inside;
    Arrays arrays = inside.unknown;
    for (const Root& r : inside.roots) {
      for (size_t i = 0; i < arrays.size(); ++i) arrays[i] = arrays[i] || r.arrays[i];
    }
    Found found = Nothing();
    found.roots.push_back({loop, count, std::move(arrays)});
    return found;
  }

  // Chooses the roots of an array if that pays. `elements`: accessed outside of the roots.
  void Weigh(size_t array, int64_t elements, std::vector<Root>& roots) {
    int64_t residue = 0, more = 0;
    for (const Root& r : roots) {
      if (!r.arrays[array]) continue;
      residue += r.count.residue;
      elements += r.count.array_elements;
      if (!r.chosen) more += r.count.residue;
    }
    if (residue > budgets::kElementResidue * elements ||
        chosen_residue_ + more > budgets::kArrayNestResidue)
      return;
    chosen_residue_ += more;
    for (Root& r : roots) r.chosen = r.chosen || r.arrays[array];
  }

  const Module& m_;
  LoopAnalysis analysis_;
  const size_t arrays_;
  int64_t chosen_residue_ = 0;
};

}  // namespace

std::vector<UnrollableLoop> LoopsThatKeepArrays(const Module& module) {
  if (module.private_arrays.empty()) return {};
  return Finder(module).Run();
}

}  // namespace kiln::mid
