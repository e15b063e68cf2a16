#include "core/amd/pipeline/analyze.h"

#include <vector>

#include "absl/strings/match.h"
#include "core/amd/perf/testing.h"
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

Instruction ReadLane() { return Make(Opcode::kVReadlaneB32, Sgpr(0), Vgpr(0), isa::Source(129)); }
Instruction Move() { return Make(Opcode::kSMovB32, Sgpr(2), Sgpr(0)); }
// A comparison whose result is a lane mask.
Instruction Compare() {
  Instruction inst = Make(Opcode::kVCmpEqU32, Sgpr(4), Vgpr(0), Vgpr(1));
  inst.form = isa::Form::kVop3;
  return inst;
}
Instruction AllLanes(Opcode move) {
  return Make(move, isa::Source(isa::kExecLo), isa::Source(193));
}

Analysis Of(const std::vector<Instruction>& program, std::vector<std::string> switches = {}) {
  const auto analysis = AnalyzeCode(Bytes(program), {.switches = std::move(switches)});
  EXPECT_TRUE(analysis.ok()) << analysis.status();
  return analysis.ok() ? *analysis : Analysis();
}

TEST(AnalyzeCode, CountsAndCosts) {
  const Analysis a = Of({ReadLane(), Move(), testing::GlobalStore(0, 2), End()});
  EXPECT_EQ(a.statistics.At("instructions"), 4);
  EXPECT_EQ(a.statistics.At("valu"), 1);
  EXPECT_EQ(a.statistics.At("lane_reads_stalls"), 4);
  EXPECT_EQ(a.statistics.Find("lds_bytes"), std::nullopt);
  EXPECT_EQ(a.opcodes.size(), 4u);
  ASSERT_EQ(a.messages.size(), 1u);
  EXPECT_EQ(a.messages[0].first, "global_store_dword");
  std::vector<std::string> units;
  for (const UnitCost& unit : a.units) units.push_back(unit.name);
  EXPECT_EQ(units, std::vector<std::string>({"scalar", "vector", "lane_reads", "vector_memory"}));
  EXPECT_EQ(a.units[2].waits, 4);
  EXPECT_EQ(a.units[3].waits, 320);
  EXPECT_TRUE(a.findings.empty());
}

TEST(AnalyzeCode, TheUnitsExplainAllCycles) {
  const Analysis a = Of({ReadLane(), Move(), Move(), testing::GlobalLoad(0, 2),
                         testing::WaitFor(0, 7, 63), Make(Opcode::kVRcpF32, Vgpr(1), Vgpr(0)),
                         Make(Opcode::kVRcpF32, Vgpr(2), Vgpr(0)), End()});
  int64_t all = 8;  // issues
  for (const UnitCost& unit : a.units) all += unit.waits + unit.queues;
  EXPECT_EQ(a.statistics.At("cycles"), all);
}

TEST(AnalyzeCode, TheWaveIsWhatTheCodeShowsOrTheCallerSays) {
  EXPECT_EQ(Of({End()}).statistics.At("wave_size"), 32);
  EXPECT_EQ(Of({End()}, {"wave64"}).statistics.At("wave_size"), 64);
  EXPECT_EQ(Of({AllLanes(Opcode::kSMovB64), End()}).statistics.At("wave_size"), 64);
}

TEST(AnalyzeCode, ALaunchRecordAddsWhatItSays) {
  testing::StoreProgram p = testing::MakeStoreProgram(7);
  p.record.shared_bytes = 1024;
  p.record.scratch_bytes_per_thread = 512;
  const std::vector<uint8_t> data(8, 0xff);  // constant data, no instructions
  p.code.insert(p.code.end(), data.begin(), data.end());
  EXPECT_FALSE(AnalyzeCode(p.code, {}).ok());
  const auto a = AnalyzeCode(p.code, {.record = &p.record});
  ASSERT_TRUE(a.ok()) << a.status();
  EXPECT_EQ(a->statistics.At("lds_bytes"), 1024);
  EXPECT_EQ(a->statistics.At("scratch_bytes"), 512);
  EXPECT_EQ(a->statistics.At("waves_per_simd"), 16);
  EXPECT_EQ(a->statistics.At("wave_size"), 32);
  EXPECT_EQ(a->statistics.Find("spilled_vgprs"), std::nullopt);
  EXPECT_EQ(a->statistics.At("bytes"), static_cast<int64_t>(p.record.code_bytes));
  const auto wide = AnalyzeCode(p.code, {.switches = {"wave64"}, .record = &p.record});
  EXPECT_EQ(wide.status().code(), absl::StatusCode::kFailedPrecondition);
  p.record.dispatch_width = 64;
  EXPECT_EQ(AnalyzeCode(p.code, {.record = &p.record})->statistics.At("wave_size"), 64);
}

TEST(AnalyzeCode, ListsBrokenRestrictions) {
  const Analysis a = Of({Move()});
  ASSERT_EQ(a.findings.size(), 1u);  // the program has no end
  EXPECT_TRUE(absl::StartsWith(a.findings[0], "byte 0: ")) << a.findings[0];
}

TEST(AnalyzeCode, SaysThatWaitsAreNotJudged) {
  const Analysis a = Of({End()});
  ASSERT_EQ(a.waits.size(), 1u);
  EXPECT_FALSE(a.waits[0].not_judged.empty());
}

TEST(AnalyzeCode, RefusesWhatIsNoProgram) {
  const std::vector<uint8_t> bytes(8, 0xff);
  EXPECT_EQ(AnalyzeCode(bytes, {}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(DisassembleCode(bytes).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(DisassembleCode, NamesMasksAsTheWaveHasThem) {
  const auto narrow = DisassembleCode(Bytes({{AllLanes(Opcode::kSMovB32), Compare(), End()}}));
  ASSERT_TRUE(narrow.ok()) << narrow.status();
  EXPECT_TRUE(absl::StrContains(*narrow, "v_cmp_eq_u32_e64 s4, v0, v1")) << *narrow;
  const auto wide = DisassembleCode(Bytes({{AllLanes(Opcode::kSMovB64), Compare(), End()}}));
  ASSERT_TRUE(wide.ok()) << wide.status();
  EXPECT_TRUE(absl::StrContains(*wide, "v_cmp_eq_u32_e64 s[4:5], v0, v1")) << *wide;
}

}  // namespace
}  // namespace kiln::amd
