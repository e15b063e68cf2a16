// Tests, with back ends of its own, that a tool is called with what was asked for, and that a
// target without it, or without one of its modes, refuses by name.
#include "core/driver/tools.h"

#include "core/base/cause.h"
#include "gtest/gtest.h"

namespace kiln {
namespace {

constexpr Backend kBare = {.name = "bare"};

constexpr Switch kFast[] = {{"fast", "runs fast"}};
constexpr Switch kBoth[] = {{"slow", "runs slowly"}, {"fast", "runs as fast as light"}};

absl::StatusOr<std::string> Bytes(absl::Span<const uint8_t> code) {
  return std::string(code.begin(), code.end());
}

absl::StatusOr<Analysis> Count(absl::Span<const uint8_t> code, const AnalyzeOptions& options) {
  Analysis analysis;
  analysis.bottleneck = Has(options.switches, "fast") ? "light" : "road";
  analysis.throughput_cycles = static_cast<int64_t>(code.size());
  return analysis;
}

absl::StatusOr<sim::scene::RunStats> Pretend(absl::Span<const uint8_t> code,
                                             const out::LaunchRecord& record,
                                             const SimulationOptions& options,
                                             sim::scene::Dispatch& dispatch) {
  dispatch.groups[0] = 9;
  sim::scene::RunStats stats;
  stats.instructions = code.size();
  stats.threads = record.dispatch_width;
  stats.messages = *options.memory_seed;
  return stats;
}

absl::StatusOr<Timeline> Draw(absl::Span<const uint8_t> code, const TraceOptions& options) {
  Timeline timeline;
  timeline.cycles = static_cast<int64_t>(code.size()) * (Has(options.switches, "fast") ? 1 : 2);
  return timeline;
}

constexpr Backend kWhole = {.name = "whole",
                            .disassemble = Bytes,
                            .analyze = Count,
                            .trace = Draw,
                            .simulate = Pretend,
                            .analysis_switches = kFast,
                            .trace_switches = kFast,
                            .simulation_switches = kBoth};

// Refusals are UNIMPLEMENTED with a cause of their own.
std::string Refusal(const absl::Status& s) {
  EXPECT_EQ(s.code(), absl::StatusCode::kUnimplemented) << s;
  EXPECT_EQ(CauseOf(s), "missing_tool");
  return std::string(s.message());
}

TEST(Tools, ABackEndWithoutAToolSaysWhich) {
  sim::scene::Dispatch dispatch;
  EXPECT_EQ(Refusal(DisassembleBy(kBare, {}).status()), "the target bare has no disassembler");
  EXPECT_EQ(Refusal(AnalyzeBy(kBare, {}, {}).status()), "the target bare has no analysis");
  EXPECT_EQ(Refusal(TraceBy(kBare, {}, {}).status()), "the target bare has no timeline");
  EXPECT_EQ(Refusal(SimulateBy(kBare, {}, {}, {}, dispatch).status()),
            "the target bare has no simulator");
  EXPECT_EQ(Refusal(CheckDisassembler(kBare)), "the target bare has no disassembler");
}

TEST(Tools, ABackEndWithoutACompilerSaysSo) {
  const absl::Status refused = CheckCompiler(kBare);
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(CauseOf(refused), "missing_compiler");
  EXPECT_EQ(refused.message(),
            "the target bare has tools for machine code of other compilers, and no compiler yet");
}

// Containers are data of the row, and so are their stages.
TEST(Tools, AContainerThatTheTargetOrTheStageDoesNotHaveIsRefused) {
  static constexpr std::string_view kStages[] = {"compute", "vertex"};
  static constexpr BackendContainer kContainers[] = {
      {out::Container::kAmdHsa, kStages, nullptr, nullptr}};
  Backend boxed = kBare;
  boxed.containers = kContainers;
  EXPECT_TRUE(CheckContainer(kBare, out::Container::kRaw, "compute").ok());
  EXPECT_TRUE(CheckContainer(boxed, out::Container::kRaw, "fragment").ok());
  EXPECT_TRUE(CheckContainer(boxed, out::Container::kAmdHsa, "compute").ok());
  EXPECT_TRUE(CheckContainer(boxed, out::Container::kAmdHsa, "vertex").ok());
  const absl::Status stage = CheckContainer(boxed, out::Container::kAmdHsa, "fragment");
  const absl::Status target = CheckContainer(kBare, out::Container::kAmdHsa, "compute");
  for (const absl::Status& s : {stage, target}) {
    EXPECT_EQ(s.code(), absl::StatusCode::kUnimplemented);
    EXPECT_EQ(CauseOf(s), "container");
  }
  EXPECT_EQ(stage.message(), "amdhsa for the stage fragment of the target bare");
  EXPECT_EQ(target.message(), "amdhsa for the target bare");
}

TEST(Tools, AFormOfScansThatTheTargetDoesNotHaveIsRefused) {
  static constexpr std::string_view kForms[] = {"tree", "line"};
  Backend scanner = kBare;
  scanner.scans = kForms;
  EXPECT_TRUE(CheckScan(kBare, "").ok());
  EXPECT_TRUE(CheckScan(scanner, "").ok());
  EXPECT_TRUE(CheckScan(scanner, "line").ok());
  for (const Backend& backend : {kBare, scanner}) {
    const absl::Status refused = CheckScan(backend, "star");
    EXPECT_EQ(refused.code(), absl::StatusCode::kUnimplemented);
    EXPECT_EQ(CauseOf(refused), "scan");
    EXPECT_EQ(refused.message(), "form of scans star for the target bare");
  }
}

TEST(Tools, WorkgroupsOfVerticesThatTheTargetOrTheStageDoesNotHaveAreRefused) {
  static constexpr uint32_t kSizes[] = {8, 16};
  Backend grouper = kBare;
  grouper.ngg_groups = kSizes;
  EXPECT_TRUE(CheckNggGroup(kBare, 0, "compute").ok());
  EXPECT_TRUE(CheckNggGroup(grouper, 0, "fragment").ok());
  EXPECT_TRUE(CheckNggGroup(grouper, 16, "vertex").ok());
  const absl::Status stage = CheckNggGroup(grouper, 16, "fragment");
  EXPECT_EQ(CauseOf(stage), "ngg_group");
  EXPECT_EQ(stage.message(), "workgroups of 16 vertices for the stage fragment");
  for (const Backend& backend : {kBare, grouper}) {
    const absl::Status size = CheckNggGroup(backend, 9, "vertex");
    EXPECT_EQ(size.code(), absl::StatusCode::kUnimplemented);
    EXPECT_EQ(CauseOf(size), "ngg_group");
    EXPECT_EQ(size.message(), "workgroups of 9 vertices for the target bare");
  }
  PipelineState state;
  EXPECT_TRUE(CheckCulling(kBare, state).ok());
  state.primitive_culling = PrimitiveCulling::kOff;
  EXPECT_TRUE(CheckCulling(kBare, state).ok());
  state.primitive_culling = PrimitiveCulling::kOn;
  EXPECT_TRUE(CheckCulling(grouper, state).ok());
  EXPECT_EQ(CauseOf(CheckCulling(kBare, state)), "primitive_culling");
}

TEST(Tools, AModeThatTheToolDoesNotHaveIsRefused) {
  EXPECT_EQ(Refusal(AnalyzeBy(kWhole, {}, {.switches = {"slow"}}).status()),
            "--slow: the analysis of whole has no such mode");
  EXPECT_EQ(Refusal(TraceBy(kWhole, {}, {.switches = {"slow"}}).status()),
            "--slow: the timeline of whole has no such mode");
  SimulationOptions options;
  options.switches = {"slow", "other"};
  sim::scene::Dispatch dispatch;
  EXPECT_EQ(Refusal(SimulateBy(kWhole, {}, {}, options, dispatch).status()),
            "--other: the simulator of whole has no such mode");
  EXPECT_EQ(dispatch.groups[0], 1u) << "nothing ran";
}

TEST(Tools, ALaunchRecordMustBeOfTheTarget) {
  constexpr Backend kReader = {.name = "reader", .analyze = Count, .analyzes_records = true};
  out::LaunchRecord record;
  record.target = "writer";
  EXPECT_EQ(Refusal(AnalyzeBy(kWhole, {}, {.record = &record}).status()),
            "--launch: the analysis of whole takes no launch record");
  const absl::Status other = AnalyzeBy(kReader, {}, {.record = &record}).status();
  EXPECT_EQ(other.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(other.message(), "is of a program for writer, not reader");
  constexpr Backend kDrawer = {.name = "drawer", .trace = Draw, .analyzes_records = true};
  EXPECT_EQ(Refusal(TraceBy(kWhole, {}, {.record = &record}).status()),
            "--launch: the timeline of whole takes no launch record");
  EXPECT_EQ(TraceBy(kDrawer, {}, {.record = &record}).status().message(),
            "is of a program for writer, not drawer");
  record.target = "reader";
  EXPECT_TRUE(AnalyzeBy(kReader, {}, {.record = &record}).ok());
}

TEST(Tools, AreCalledWithWhatWasAskedFor) {
  const std::vector<uint8_t> code = {'a', 'b'};
  EXPECT_EQ(*DisassembleBy(kWhole, code), "ab");
  EXPECT_EQ(AnalyzeBy(kWhole, code, {})->bottleneck, "road");
  const auto analysis = AnalyzeBy(kWhole, code, {.switches = {"fast"}});
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  EXPECT_EQ(analysis->bottleneck, "light");
  EXPECT_EQ(analysis->throughput_cycles, 2);
  EXPECT_EQ(TraceBy(kWhole, code, {})->cycles, 4);
  EXPECT_EQ(TraceBy(kWhole, code, {.switches = {"fast"}})->cycles, 2);
  SimulationOptions options;
  options.memory_seed = 7;
  options.switches = {"slow"};
  out::LaunchRecord record;
  record.dispatch_width = 64;
  sim::scene::Dispatch dispatch;
  const auto stats = SimulateBy(kWhole, code, record, options, dispatch);
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(stats->instructions, 2u);
  EXPECT_EQ(stats->threads, 64u);
  EXPECT_EQ(stats->messages, 7u);
  EXPECT_EQ(dispatch.groups[0], 9u);
}

TEST(SwitchesOf, HasEachNameOnce) {
  constexpr Backend kOther = {.name = "other", .simulation_switches = kFast};
  const Backend* const all[] = {&kBare, &kWhole, &kOther};
  const std::vector<Switch> rows = SwitchesOf(all, &Backend::simulation_switches);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "slow");
  EXPECT_EQ(rows[1].help, "runs as fast as light");
  EXPECT_EQ(SwitchesOf(all, &Backend::analysis_switches).size(), 1u);
}

}  // namespace
}  // namespace kiln
