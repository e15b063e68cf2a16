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

void NoteElements(const mir::Module& m, mir::InstId load, std::vector<bool>& read) {
  const mir::Inst& inst = m.inst(load);
  if ((inst.flags & mir::kIndexed) == 0) {
    read[0] = true;
    return;
  }
  const mir::Value& index = m.value(m.source(load, 0));
  if (index.kind != mir::Value::Kind::kConstant) {
    read.assign(read.size(), true);
  } else if (index.bits < read.size()) {
    read[index.bits] = true;
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
