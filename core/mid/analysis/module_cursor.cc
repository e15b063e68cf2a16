#include "core/mid/analysis/module_cursor.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace kiln::mid {

const mir::Uses& ModuleCursor::uses() {
  if (!uses_) uses_.emplace(m_);
  return *uses_;
}

std::optional<mir::InstId> ModuleCursor::DefinedBy(mir::ValueId v, mir::Op op) const {
  if (m_.value(v).kind != mir::Value::Kind::kResult) return std::nullopt;
  const mir::InstId def{m_.value(v).owner};
  if (m_.inst(def).op != op) return std::nullopt;
  return def;
}

uint32_t ModuleCursor::UsedMask(mir::InstId id) {
  uint32_t mask = 0;
  for (int i = 0; i < m_.inst(id).num_results; ++i) {
    if (Used(m_.result(id, i))) mask |= 1u << i;
  }
  return mask;
}

absl::Status ModuleCursor::Refuse(const mir::Inst& inst, KnownCause cause, std::string_view what) {
  return Unsupported(cause, std::string(what), inst.spirv_id);
}

absl::Status ModuleCursor::Unexpected(const mir::Inst& inst, std::string_view why) {
  const std::string text =
      absl::StrCat("selection: ", std::string(mir::Info(inst.op).name), ": ", std::string(why));
  return WithSpirvId(absl::InternalError(text), inst.spirv_id);
}

}  // namespace kiln::mid
