#include "tests/exec/gfx1030_rows.h"

#include <array>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "core/amd/isa/disasm.h"
#include "core/amd/perf/program.h"
#include "core/amd/waits/counts.h"
#include "gtest/gtest.h"

namespace kiln::exec {

amd::Program RowsOf(const Variant& variant) {
  const auto placed = amd::DecodeCode(variant.code);
  EXPECT_TRUE(placed.ok()) << placed.status();
  amd::Program program;
  program.wave = variant.width == 64 ? amd::isa::Wave::k64 : amd::isa::Wave::k32;
  if (!placed.ok()) return program;
  for (const amd::isa::PlacedInstruction& p : *placed) {
    amd::Row& row = program.rows.emplace_back();
    row.inst = p.inst;
    const int64_t target = amd::isa::BranchTarget(p);
    for (size_t i = 0; target >= 0 && i < placed->size(); ++i) {
      if (target == (*placed)[i].offset) row.target = static_cast<int>(i);
    }
  }
  return program;
}

std::vector<WithoutWait> WithoutWaits(const amd::Program& program, bool weaker) {
  constexpr std::array<const char*, amd::kCounters> kNames = {"vmcnt", "lgkmcnt", "expcnt",
                                                              "vscnt"};
  std::vector<WithoutWait> programs;
  for (size_t i = 0; i < program.rows.size(); ++i) {
    const auto counts = amd::CountsOf(program.rows[i].inst);
    if (!counts) continue;
    for (size_t c = 0; c < amd::kCounters; ++c) {
      if (counts->of[c] == amd::kNoWait) continue;
      amd::Counts changed = *counts;
      changed.of[c] = weaker ? changed.of[c] + 1 : amd::kNoWait;
      const auto waits = amd::WaitsFor(changed);
      WithoutWait& made = programs.emplace_back();
      made.text = absl::StrCat(kNames[c], " of row ", i);
      made.row = i;
      made.program = program;
      made.program.rows[i].inst = waits.empty() ? amd::isa::Instruction() : waits[0];
    }
  }
  return programs;
}

}  // namespace kiln::exec
