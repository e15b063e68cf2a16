#include "core/intel/pipeline/statistics.h"

#include <string>

#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

std::string Text(const Statistics& statistics) {
  std::string text;
  for (const Statistic& s : statistics.Known()) {
    text += std::string(s.row->name) + " " + std::to_string(s.value) + "\n";
  }
  return text;
}

ProgramFacts Facts() {
  ProgramFacts f;
  f.counted = {.instructions = 1,
               .sync_instructions = 2,
               .sends = 3,
               .loops = 7,
               .registers = 8,
               .cycles = 4,
               .exit_cycles = 12,
               .busiest_cycles = 99};
  f.bytes = 9;
  f.transfers = {.spills = 5, .fills = 6, .spill_bytes = 10, .fill_bytes = 11};
  return f;
}

// The first twelve are the keys of JSON lines since 0.1.0.
TEST(StatisticsOf, IsInTheOrderOfTheContract) {
  EXPECT_EQ(Text(StatisticsOf(Facts())),
            "instructions 1\nsync_instructions 2\nsends 3\ncycles 4\nspills 5\nfills 6\nloops 7\n"
            "registers 8\nbytes 9\nspill_bytes 10\nfill_bytes 11\nexit_cycles 12\n");
}

TEST(StatisticsOf, LeavesOutWhatIsNotKnown) {
  ProgramFacts f = Facts();
  f.counted.cycles.reset();
  f.transfers.reset();
  EXPECT_EQ(Text(StatisticsOf(f)),
            "instructions 1\nsync_instructions 2\nsends 3\nloops 7\nregisters 8\nbytes 9\n");
}

}  // namespace
}  // namespace kiln::intel
