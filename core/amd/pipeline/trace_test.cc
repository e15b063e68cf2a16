#include "core/amd/pipeline/trace.h"

#include <vector>

#include "core/amd/isa/instruction.h"
#include "core/amd/perf/testing.h"
#include "core/amd/pipeline/analyze.h"
#include "core/amd/pipeline/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Sgpr;
using isa::Vgpr;
using testing::Bytes;
using testing::End;
using testing::Make;

const std::vector<Instruction>& Program() {
  static const std::vector<Instruction> program = {
      Make(Opcode::kVReadlaneB32, Sgpr(0), Vgpr(0), isa::Source(129)),
      Make(Opcode::kSAddU32, Sgpr(1), Sgpr(0), Sgpr(2)),
      testing::GlobalLoad(2, 4),
      testing::WaitFor(0, 7, 63),
      Make(Opcode::kVRcpF32, Vgpr(0), Vgpr(2)),
      Make(Opcode::kVRcpF32, Vgpr(1), Vgpr(3)),
      testing::WithImmediate(Opcode::kSCbranchScc0, static_cast<uint16_t>(-3)),
      End()};
  return program;
}

TEST(TraceCode, NamesWhatIsWaitedFor) {
  const auto timeline = TraceCode(Bytes(Program()), {});
  ASSERT_TRUE(timeline.ok()) << timeline.status();
  ASSERT_EQ(timeline->instructions.size(), Program().size());
  const auto wait = [&](size_t i) { return timeline->instructions[i].waits.at(0); };
  EXPECT_EQ(wait(1).name, "s0");
  EXPECT_EQ(wait(1).kind, "lane_reads");
  EXPECT_EQ(wait(1).producer, 0);
  EXPECT_EQ(wait(3).name, "vmcnt");
  EXPECT_EQ(wait(3).kind, "vector_memory");
  EXPECT_EQ(wait(3).producer, 2);
  EXPECT_EQ(wait(5).name, "complex");
  EXPECT_TRUE(wait(5).is_unit());
  EXPECT_EQ(timeline->instructions[3].text, "s_waitcnt vmcnt(0)");
  EXPECT_EQ(timeline->instructions[3].unit, "");
  EXPECT_EQ(timeline->instructions[4].unit, "complex");
  EXPECT_EQ(timeline->instructions[4].label, "L24");
  EXPECT_EQ(timeline->instructions[4].offset, 24);
}

// The timeline is the analysis in detail.
TEST(TraceCode, TotalsAreThoseOfTheAnalysis) {
  for (const std::vector<std::string>& switches : {std::vector<std::string>(), {"wave64"}}) {
    const std::vector<uint8_t> code = Bytes(Program());
    const auto timeline = TraceCode(code, {.switches = switches});
    const auto analysis = AnalyzeCode(code, {.switches = switches});
    ASSERT_TRUE(timeline.ok() && analysis.ok());
    EXPECT_EQ(timeline->cycles, analysis->statistics.At("cycles"));
    double all = 0;
    for (const TimelineTotal& total : TotalsOf(*timeline)) {
      all += total.weighted;
      for (const UnitCost& unit : analysis->units) {
        if (unit.name != total.kind) continue;
        EXPECT_EQ(total.weighted, static_cast<double>(total.is_unit ? unit.queues : unit.waits))
            << unit.name;
      }
    }
    EXPECT_EQ(all, static_cast<double>(timeline->cycles));
  }
}

TEST(TraceCode, TakesALaunchRecord) {
  testing::StoreProgram p = testing::MakeStoreProgram(7);
  const auto narrow = TraceCode(p.code, {.record = &p.record});
  p.record.dispatch_width = 64;
  const auto wide = TraceCode(p.code, {.record = &p.record});
  ASSERT_TRUE(narrow.ok() && wide.ok());
  EXPECT_GT(wide->cycles, narrow->cycles);
  EXPECT_EQ(TraceCode(std::vector<uint8_t>(8, 0xff), {}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace kiln::amd
