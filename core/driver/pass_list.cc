#include "core/driver/pass_list.h"

#include <algorithm>

#include "core/driver/compile.h"
#include "core/driver/mid_pipeline.h"
#include "core/driver/targets.h"

namespace kiln {
namespace {

bool Has(const std::vector<PassRow>& rows, std::string_view name) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const PassRow& row) { return row.name == name; });
}

PassInfo InfoOf(const PassRow& row, std::string_view level) {
  return {std::string(row.name), std::string(level), row.optional, std::string(row.summary)};
}

}  // namespace

std::vector<PassRow> AllRows() {
  std::vector<PassRow> rows = MidRows();
  for (const Backend* backend : Backends()) {
    if (backend->passes == nullptr) continue;
    for (const PassRow& row : backend->passes()) {
      if (!Has(rows, row.name)) rows.push_back(row);
    }
  }
  return rows;
}

absl::Status CheckNames(const PassOptions& options) {
  const bool names_none =
      options.disabled.empty() && options.stop_after.empty() && options.print_after.empty();
  return names_none ? absl::OkStatus() : CheckOptions(AllRows(), options);
}

std::vector<PassInfo> AllPasses() {
  const size_t of_mid = MidRows().size();
  std::vector<PassInfo> all;
  for (const PassRow& row : AllRows())
    all.push_back(InfoOf(row, all.size() < of_mid ? "mir" : "lir"));
  return all;
}

}  // namespace kiln
