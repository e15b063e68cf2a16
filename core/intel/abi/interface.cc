#include "core/intel/abi/interface.h"

namespace kiln::intel {

using mir::BuiltIn;
using mir::Op;

uint32_t DistanceNumber(const std::vector<mir::Interface>& list, const mir::Interface& distances,
                        uint32_t element) {
  if (distances.builtin == BuiltIn::kClipDistance) return element;
  for (const mir::Interface& v : list) {
    if (v.builtin == BuiltIn::kClipDistance) return v.elements + element;
  }
  return element;
}

bool TooManyDistances(const std::vector<mir::Interface>& list) {
  constexpr uint64_t kMostDistances = 8;
  uint64_t distances = 0;
  for (const mir::Interface& v : list) {
    if (v.builtin == BuiltIn::kClipDistance || v.builtin == BuiltIn::kCullDistance) {
      distances += v.elements;
    }
  }
  return distances > kMostDistances;
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

bool ChangesMemory(Op op) {
  switch (op) {
    case Op::kStoreSsbo:
    case Op::kSsboAtomic:
    case Op::kStoreGlobal:
    case Op::kGlobalAtomic:
    case Op::kGlobalAtomic64:
    case Op::kImageStore:
    case Op::kImageAtomic: return true;
    default: return false;
  }
}

}  // namespace kiln::intel
