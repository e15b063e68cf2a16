#include "core/amd/lir/extra.h"

#include <cstring>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace kiln::amd {
namespace {

struct Field {
  std::string_view name;
  size_t at;
  size_t bytes;
};
#define KILN_FIELD(name) \
  { #name, offsetof(Extra, name), sizeof(Extra::name) }
constexpr Field kFields[] = {
    KILN_FIELD(offset),       KILN_FIELD(dpp_lanes), KILN_FIELD(dpp_control), KILN_FIELD(simm),
    KILN_FIELD(form),         KILN_FIELD(dpp_masks), KILN_FIELD(dpp_flags),   KILN_FIELD(omod),
    KILN_FIELD(op_sel),       KILN_FIELD(op_sel_hi), KILN_FIELD(neg_hi),      KILN_FIELD(sdwa_dst),
    KILN_FIELD(sdwa_src0),    KILN_FIELD(sdwa_src1), KILN_FIELD(sdwa_sext),   KILN_FIELD(cache),
    KILN_FIELD(flags),        KILN_FIELD(dmask),     KILN_FIELD(dim),         KILN_FIELD(format),
    KILN_FIELD(offset1),      KILN_FIELD(exact),     KILN_FIELD(target),      KILN_FIELD(enable),
    KILN_FIELD(export_flags), KILN_FIELD(attribute), KILN_FIELD(channel),     KILN_FIELD(high)};
#undef KILN_FIELD

}  // namespace

std::string PrintExtra(const lir::SideRow& row) {
  std::string text;
  for (const Field& field : kFields) {
    uint32_t value = 0;
    std::memcpy(&value, reinterpret_cast<const char*>(row.words.data()) + field.at, field.bytes);
    if (value == 0) continue;
    absl::StrAppend(&text, text.empty() ? "" : " ", std::string(field.name), " ", value);
  }
  return text;
}

bool ParseExtra(std::string_view text, lir::SideRow* row) {
  *row = {};
  const std::vector<std::string> words = absl::StrSplit(std::string(text), ' ', absl::SkipEmpty());
  if (words.size() % 2 != 0) return false;
  for (size_t i = 0; i < words.size(); i += 2) {
    uint32_t value = 0;
    if (!absl::SimpleAtoi(words[i + 1], &value)) return false;
    bool found = false;
    for (const Field& field : kFields) {
      if (field.name != words[i]) continue;
      if (field.bytes < 4 && value >> (8 * field.bytes) != 0) return false;
      std::memcpy(reinterpret_cast<char*>(row->words.data()) + field.at, &value, field.bytes);
      found = true;
    }
    if (!found) return false;
  }
  return true;
}

}  // namespace kiln::amd
