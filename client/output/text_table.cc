// A table for people: see text_table.h.
#include "client/output/text_table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace kiln::client {

std::string TextTable(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    text += "  ";
    for (size_t i = 0; i < row.size(); ++i) {
      std::string padding(widths[i] - row[i].size(), ' ');
      if (i == 0) absl::StrAppend(&text, row[i], padding);
      if (i > 0) absl::StrAppend(&text, "  ", padding, row[i]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace kiln::client
