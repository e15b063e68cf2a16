#include "core/target/interface.h"

#include <array>

#include "core/mir/build.h"
#include "core/mir/uses.h"

namespace kiln {

using mir::BuiltIn;
using mir::InstId;
using mir::Interface;
using mir::Module;
using mir::Op;

namespace {

constexpr uint32_t kComponents = 4;  // of a location
constexpr uint32_t kBits = 32;       // of a component; values of 16 bits are passed on in 32, too

// The variable that each used component of a location belongs to.
class Components {
 public:
  // `used(i)` says if scalar number i of the instruction counts. The instruction has `count` of
  // them; the first one is component `first` of variable `v`.
  template <class Used>
  void Note(const Module& m, InstId id, const Interface& v, uint32_t first, int count,
            Used&& used) {
    if (v.builtin != BuiltIn::kNone) return;
    std::vector<bool> element(v.elements);
    NoteElements(m, id, element);
    for (uint32_t e = 0; e < v.elements; ++e) {
      for (int i = 0; i < count && element[e]; ++i) {
        const uint32_t component = v.component + first + static_cast<uint32_t>(i);
        if (component < kComponents && used(i)) at_[v.location + e][component] = &v;
      }
    }
  }

  LocationParts Parts() const {
    LocationParts parts;
    for (const auto& [location, components] : at_) {
      std::vector<UsedPart>& list = parts[location];
      for (uint32_t c = 0; c < kComponents; ++c) {
        if (components[c] == nullptr) continue;
        if (c != 0 && components[c - 1] == components[c]) {
          ++list.back().part.components;
          continue;
        }
        const Interface& v = *components[c];
        list.push_back({{c, 1, mir::IsFloat(v.type) ? "float" : "int", kBits},
                        v.interpolation == mir::Interpolation::kFlat,
                        v.interpolation == mir::Interpolation::kPerVertex});
      }
    }
    return parts;
  }

 private:
  absl::btree_map<uint32_t, std::array<const Interface*, kComponents>> at_;
};

}  // namespace

uint32_t DistanceNumber(const std::vector<mir::Interface>& list, const mir::Interface& distances,
                        uint32_t element) {
  if (distances.builtin == BuiltIn::kClipDistance) return element;
  for (const mir::Interface& v : list) {
    if (v.builtin == BuiltIn::kClipDistance) return v.elements + element;
  }
  return element;
}

uint64_t CountDistances(const std::vector<mir::Interface>& list) {
  uint64_t distances = 0;
  for (const mir::Interface& v : list) {
    if (v.builtin == BuiltIn::kClipDistance || v.builtin == BuiltIn::kCullDistance) {
      distances += v.elements;
    }
  }
  return distances;
}

void NoteElements(const mir::Module& m, mir::InstId access, std::vector<bool>& touched) {
  const mir::Inst& inst = m.inst(access);
  if ((inst.flags & mir::kIndexed) == 0) {
    touched[0] = true;
    return;
  }
  const mir::Value& index = m.value(m.source(access, 0));
  if (index.kind != mir::Value::Kind::kConstant) {
    touched.assign(touched.size(), true);
  } else if (index.bits < touched.size()) {
    touched[index.bits] = true;
  }
}

LocationParts PartsRead(const Module& m) {
  const mir::Uses uses(m);
  Components components;
  mir::ForEachInst(m, m.body, [&](InstId id) {
    const mir::Inst& inst = m.inst(id);
    if (inst.op != Op::kLoadInput && inst.op != Op::kInterpolate) return;
    const uint32_t first =
        inst.op == Op::kLoadInput ? inst.imm1 : mir::InterpolatedComponent(inst.imm1);
    components.Note(m, id, m.inputs[inst.imm0], first, inst.num_results,
                    [&](int i) { return !uses.Unused(m.result(id, i)); });
  });
  return components.Parts();
}

LocationParts PartsWritten(const Module& m) {
  Components components;
  mir::ForEachInst(m, m.body, [&](InstId id) {
    const mir::Inst& inst = m.inst(id);
    if (inst.op != Op::kStoreOutput) return;
    const int addresses = (inst.flags & mir::kIndexed) != 0 ? 1 : 0;
    components.Note(m, id, m.outputs[inst.imm0], inst.imm1, inst.num_sources - addresses,
                    [&](int i) {
                      const mir::ValueId v = m.source(id, addresses + i);
                      return m.value(v).kind != mir::Value::Kind::kUndef;
                    });
  });
  return components.Parts();
}

bool ChangesMemory(Op op) {
  switch (op) {
    case Op::kStoreSsbo:
    case Op::kSsboAtomic:
    case Op::kStoreGlobal:
    case Op::kGlobalAtomic:
    case Op::kGlobalAtomic64:
    case Op::kImageStore:
    case Op::kImageAtomic:
    case Op::kImageAtomic64: return true;
    default: return false;
  }
}

}  // namespace kiln
