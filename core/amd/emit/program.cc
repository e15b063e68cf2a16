#include "core/amd/emit/program.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/amd/isa/disasm.h"

namespace kiln::amd {

bool FallsThrough(const isa::Instruction& inst) {
  using isa::Opcode;
  return !isa::Info(inst.op).Has(isa::opcode_flag::kEnd) && inst.op != Opcode::kSBranch &&
         inst.op != Opcode::kSSetpcB64;
}

void InsertIsland(Program& program, size_t at, absl::Span<const Row> island) {
  const int count = static_cast<int>(island.size());
  std::vector<Row>& rows = program.rows;
  for (Row& row : rows) {
    if (row.target >= static_cast<int>(at)) row.target += count;
  }
  rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(at), island.begin(), island.end());
}

void InsertRows(Program& program, absl::Span<const Insertion> insertions) {
  if (insertions.empty()) return;
  std::vector<int> moved;
  std::vector<Row> rows;
  moved.reserve(program.rows.size() + 1);
  rows.reserve(program.rows.size() + insertions.size());
  auto next = insertions.begin();
  for (size_t i = 0; i <= program.rows.size(); ++i) {
    moved.push_back(static_cast<int>(rows.size()));
    for (; next != insertions.end() && next->before == i; ++next) rows.push_back(next->row);
    if (i < program.rows.size()) rows.push_back(program.rows[i]);
  }
  for (Row& row : rows) {
    if (row.target != Row::kNoTarget) row.target = moved[static_cast<size_t>(row.target)];
  }
  program.rows = std::move(rows);
}

void EraseRows(Program& program, const std::vector<bool>& erased) {
  if (std::find(erased.begin(), erased.end(), true) == erased.end()) return;
  const size_t count = program.rows.size();
  std::vector<int> moved(count + 1);
  int kept = 0;
  for (size_t i = 0; i < count; ++i) {
    moved[i] = kept;
    if (!erased[i]) ++kept;
  }
  moved[count] = kept;
  std::vector<Row> rows;
  rows.reserve(static_cast<size_t>(kept));
  for (size_t i = 0; i < count; ++i) {
    if (erased[i]) continue;
    rows.push_back(program.rows[i]);
    int& target = rows.back().target;
    if (target != Row::kNoTarget) target = moved[static_cast<size_t>(target)];
  }
  program.rows = std::move(rows);
}

std::string ProgramText(const Program& program) {
  std::string text;
  for (size_t i = 0; i < program.rows.size(); ++i) {
    const Row& row = program.rows[i];
    absl::StrAppend(&text, i, ": ", isa::Disassemble(row.inst, program.wave));
    if (row.target != Row::kNoTarget) absl::StrAppend(&text, " -> ", row.target);
    text += '\n';
  }
  return text;
}

}  // namespace kiln::amd
