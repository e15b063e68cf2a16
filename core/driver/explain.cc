#include "core/driver/explain.h"

#include <utility>

#include "core/base/utf8.h"
#include "core/front/spirv/origin.h"

namespace kiln {

Explanation Explain(const absl::Status& status, absl::Span<const uint32_t> spirv) {
  Explanation e;
  e.cause = CauseOf(status);
  if (const CauseInfo* row = FindCause(e.cause); row != nullptr) {
    e.sentence = row->sentence;
    e.remedy = row->remedy;
  }
  e.detail = DetailOf(status);
  e.detail.what = EscapeControls(e.detail.what);  // it may quote the module
  e.spirv_id = SpirvIdOf(status);
  front::Origin origin = front::FindOrigin(spirv, e.spirv_id, InstructionOf(status));
  e.name = std::move(origin.name);
  e.file = std::move(origin.file);
  e.line = origin.line;
  e.column = origin.column;
  if (const SourceLine source = SourceOf(status); !source.file.empty()) {
    e.file = QuotedFile(source.file);
    e.line = source.line;
    e.column = 0;
  }
  return e;
}

}  // namespace kiln
