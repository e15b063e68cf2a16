#include "core/mid/analysis/stored_output.h"

#include "core/base/cause.h"
#include "core/mid/analysis/module_cursor.h"

namespace kiln::mid {

absl::StatusOr<StoredOutput> StoredOutputOf(const mir::Module& m, mir::InstId store) {
  const mir::Inst& inst = m.inst(store);
  StoredOutput stored;
  stored.output = &m.outputs[inst.imm0];
  if ((inst.flags & mir::kIndexed) != 0) {
    // Modules store the elements of an array one by one, at their end
    // (core/front/emit/interface/emit_output.cc).
    const mir::ValueId element = m.source(store, 0);
    if (!m.IsConstant(element)) return ModuleCursor::Unexpected(inst, "output chosen by value");
    stored.element = static_cast<uint32_t>(m.value(element).bits);
    stored.first = 1;
  }
  const bool is_colour = stored.output->builtin == mir::BuiltIn::kNone;
  if (is_colour && stored.location() >= kRenderTargets) {
    return Unsupported(
        "fragment_outputs",
        {"store to a location that no render target has", stored.location(), kRenderTargets - 1},
        inst.spirv_id);
  }
  if (mir::BitsOf(stored.output->type) != 32) {
    return ModuleCursor::Unexpected(inst, "output not of 32 bits");
  }
  return stored;
}

}  // namespace kiln::mid
