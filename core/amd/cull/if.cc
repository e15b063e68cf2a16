#include "core/amd/cull/if.h"

namespace kiln::amd {

std::vector<mir::ValueId> EmitIf(mir::Builder& b, mir::ValueId condition,
                                 absl::Span<const mir::Type> types, const Side& then,
                                 const Side& otherwise) {
  mir::Module& m = b.module();
  const mir::InstId id = b.If(condition);
  const mir::Builder::InsertionPoint outside = b.insertion_point();
  for (const int side : {0, 1}) {
    b.SetRegion(m.inst(id).regions[side]);
    std::vector<mir::ValueId> values;
    if (side == 0) {
      values = then();
    } else if (otherwise) {
      values = otherwise();
    } else {
      for (const mir::Type type : types) values.push_back(b.Undef(type));
    }
    b.Yield(values);
  }
  b.SetInsertionPoint(outside);
  mir::SetResults(m, id, types);
  std::vector<mir::ValueId> results;
  for (size_t i = 0; i < types.size(); ++i) results.push_back(m.result(id, static_cast<int>(i)));
  return results;
}

}  // namespace kiln::amd
