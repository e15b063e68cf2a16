// See columns.h.
#include "core/intel/isa/columns.h"

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"

namespace kiln::intel::isa {

absl::string_view Name(Generation gen) {
  switch (gen) {
    case Generation::kGen7p5: return "Gen7.5";
    case Generation::kGen9: return "Gen9";
    case Generation::kGen12: return "Gen12";
  }
  return "?";
}

absl::Status CheckCell(const ColumnTable& table, Generation gen, size_t row) {
  if (table.cell(gen, row) != Cell::kUnfilled) return absl::OkStatus();
  return Unsupported("isa_table_unfilled",
                     absl::StrCat(table.name, " '", table.row(row), "' of ", Name(gen)));
}

absl::Status CheckColumn(const ColumnTable& table, Generation gen) {
  for (size_t row = 0; row < table.rows; ++row) {
    if (absl::Status s = CheckCell(table, gen, row); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace kiln::intel::isa
