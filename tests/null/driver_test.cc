// Tests that the driver takes a second back end by its row alone: names, passes, figures, refusals
// and tools are its own, and the first target's stay.
#include <algorithm>
#include <string>
#include <vector>

#include "core/base/cause.h"
#include "core/driver/analyze.h"
#include "core/driver/compile.h"
#include "core/driver/prepared.h"
#include "core/driver/simulate.h"
#include "core/front/testing/testing.h"
#include "core/mir/parse.h"
#include "gtest/gtest.h"
#include "proto/launch_record_convert.h"
#include "tests/null/code.h"

namespace kiln {
namespace {

constexpr char kShader[] =
    "mir 1\nentry \"main\"\nlocal_size 6, 1, 1\nresource 0 ssbo 0.2.0\nbody {\n"
    "  %1:i32 = local_index\n  %2:i32 = shl %1, 2\n  %3:f32 = load_ssbo[0, align 4] %2\n"
    "  %4:f32 = fadd %3, 1.0f\n  store_ssbo[0, align 4] %2, %4\n  return\n}\n";

Target Null() { return *ParseTarget("null"); }

std::shared_ptr<const Prepared> PrepareText(const std::string& text,
                                            const PrepareOptions& options = {}) {
  absl::StatusOr<mir::Module> m = mir::Parse(text);
  EXPECT_TRUE(m.ok()) << m.status();
  auto p = PrepareMir(*std::move(m), options, nullptr, {});
  EXPECT_TRUE(p.ok()) << p.status();
  return *p;
}

// Compiles with the same options of passes from Prepare on.
absl::StatusOr<Compiled> CompileText(const PassOptions& passes, Target target = Null()) {
  PrepareOptions prepare;
  prepare.passes = passes;
  CompileOptions options;
  options.passes = passes;
  return Compile(*PrepareText(kShader, prepare), target, options, nullptr, {});
}

std::string CodeText(const Variant& v) { return *Disassemble(Null(), v.code); }

int64_t CountOf(const std::string& text, const std::string& word) {
  int64_t count = 0;
  for (size_t at = 0; (at = text.find(word, at)) != text.npos; ++at) ++count;
  return count;
}

TEST(Null, IsATargetAfterTheShippedOnes) {
  std::vector<std::string> names;
  for (const Target target : AllTargets()) names.emplace_back(TargetName(target));
  EXPECT_EQ(names, (std::vector<std::string>{"tgl", "gfx1030", "null", "bare"}));
  EXPECT_EQ(ParseTarget("pdp11").status().message(),
            "unknown target 'pdp11'; the targets are: tgl, gfx1030, null, bare");
  EXPECT_EQ(CodeGenerationVersion(Null()), 1u);
  EXPECT_EQ(AbiVersion(Null()), 1u);
  EXPECT_EQ(VariantName(Null(), 4), "NULL4");
}

TEST(Null, CompilesToOneVariantWithItsOwnFigures) {
  const auto compiled = CompileText({});
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  EXPECT_EQ(compiled->stage, "compute");
  ASSERT_EQ(compiled->variants.size(), 1u);
  const Variant& v = compiled->variants[0];
  EXPECT_EQ(v.name, "NULL4");
  EXPECT_EQ(CodeText(v), "mark\nend\n");
  EXPECT_EQ(v.statistics.At("bytes"), 2);
  EXPECT_EQ(v.statistics.At("ignored"), 0);
  EXPECT_EQ(v.statistics.Find("registers"), std::nullopt);
  EXPECT_EQ(v.launch.resources.size(), 1u);
  EXPECT_EQ(v.launch.resources[0].binding, 2u);
  EXPECT_EQ(StatisticsOf(Null()).size(), 2u);
}

TEST(Null, OtherWidthsAreRefused) {
  CompileOptions options;
  options.widths = {8, 16};
  const auto refused = Compile(*PrepareText(kShader), Null(), options, nullptr, {}).status();
  EXPECT_EQ(CauseOf(refused), "dispatch_width");
  EXPECT_TRUE(Compile(*PrepareText(kShader), Target::kTgl, options, nullptr, {}).ok());
}

TEST(Null, ItsPassIsListedStoppedAtAndLeftOut) {
  const std::vector<PassInfo> passes = AllPasses();
  EXPECT_EQ(passes.back().name, "remove_ignored");
  EXPECT_TRUE(passes.back().optional);

  PassOptions stop, leave_out;
  stop.stop_after = "remove_ignored";
  leave_out.disabled = {"remove_ignored"};
  const auto stopped = CompileText(stop);
  ASSERT_TRUE(stopped.ok()) << stopped.status();
  EXPECT_TRUE(stopped->variants.empty());

  const auto disabled = CompileText(leave_out);
  ASSERT_TRUE(disabled.ok()) << disabled.status();
  const Variant& v = disabled->variants[0];
  EXPECT_GT(v.statistics.At("ignored"), 3);
  EXPECT_EQ(v.statistics.At("ignored"), CountOf(CodeText(v), "ignore\n"));
}

// Bisection counts from the neutral passes on.
TEST(Null, BisectionReachesItsRewrites) {
  std::vector<int64_t> ignored;
  for (int64_t limit = 0; limit < 100 && (ignored.empty() || ignored.back() != 0); ++limit) {
    PassOptions options;
    options.bisect_limit = limit;
    const auto compiled = CompileText(options);
    ASSERT_TRUE(compiled.ok()) << compiled.status();
    ignored.push_back(compiled->variants[0].statistics.At("ignored"));
  }
  EXPECT_GT(ignored.size(), 4u);
  EXPECT_EQ(ignored.back(), 0);
  EXPECT_TRUE(std::is_sorted(ignored.rbegin(), ignored.rend()));
}

// The same result of Prepare: one target lacks what it needs, the other does not.
TEST(Null, RefusesWhatItsFeaturesLack) {
  const std::vector<uint32_t> words = front::CompileCompute(
      "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require\n"
      "layout(local_size_x = 4) in;\n"
      "layout(binding = 0) buffer B { float data[]; };\n"
      "void main() {\n"
      "  float16_t h = float16_t(data[gl_LocalInvocationIndex]);\n"
      "  data[gl_LocalInvocationIndex] = float(h * h);\n"
      "}\n");
  const auto prepared = Prepare(words, {}, nullptr, {});
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  const absl::Status refused = Compile(**prepared, Null(), {}, nullptr, {}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(CauseOf(refused), "half_floats");
  EXPECT_NE(SpirvIdOf(refused), 0u);
  EXPECT_TRUE(Compile(**prepared, Target::kTgl, {}, nullptr, {}).ok());
}

TEST(Null, AMissingCompilerIsRefusedByName) {
  const Target bare = *ParseTarget("bare");
  EXPECT_EQ(CodeGenerationVersion(bare), 0u);
  const absl::Status refused = CompileText({}, bare).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(CauseOf(refused), "missing_compiler");
  EXPECT_EQ(CauseOf(CheckCompiler(bare)), "missing_compiler");
  for (const Target target : AllTargets()) {
    EXPECT_EQ(CheckCompiler(target).ok(), target != bare) << TargetName(target);
  }
  EXPECT_EQ(*Disassemble(bare, CompileText({})->variants[0].code), "mark\nend\n");
}

TEST(Null, AMissingToolIsRefusedByName) {
  EXPECT_EQ(Analyze(Null(), std::vector<uint8_t>{0}).status().message(),
            "the target null has no analysis");
  EXPECT_EQ(CauseOf(CheckAnalysis(Null(), {})), "missing_tool");
  SimulationOptions options;
  options.switches = {"fusion"};
  EXPECT_EQ(CheckSimulation(Null(), options).message(),
            "--fusion: the simulator of null has no such mode");
  EXPECT_TRUE(CheckSimulation(Target::kTgl, options).ok());
  EXPECT_EQ(Disassemble(Null(), std::vector<uint8_t>{7}).status().message(),
            "byte 0: no instruction");
}

TEST(Null, ItsSimulatorMarksTheFirstBuffer) {
  const auto compiled = CompileText({});
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  const Variant& v = compiled->variants[0];
  sim::scene::Dispatch dispatch;
  dispatch.groups = {3, 1, 1};
  sim::scene::ClientBuffer& buffer = dispatch.buffers.emplace_back();
  buffer.where.binding = 2;
  buffer.bytes.resize(8);
  const auto stats = Simulate(Null(), v.code, v.launch, {}, dispatch);
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(buffer.bytes, (std::vector<uint8_t>{'N', 'U', 'L', 'L', 0, 0, 0, 0}));
  EXPECT_EQ(stats->threads, 6u);  // two of four lanes for each group of six
  EXPECT_EQ(stats->instructions, 12u);
  EXPECT_EQ(stats->executed, (std::vector<uint32_t>{0, 1}));
}

// Each target's simulator refuses the other's records.
TEST(Null, RecordsAreOfOneTarget) {
  const auto own = CompileText({});
  const auto other = CompileText({}, Target::kTgl);
  ASSERT_TRUE(own.ok() && other.ok());
  const Variant &v = own->variants[0], &w = other->variants[0];
  sim::scene::Dispatch dispatch;
  EXPECT_EQ(Simulate(Null(), v.code, w.launch, {}, dispatch).status().message(),
            "launch record: is not of a program of this target");
  EXPECT_EQ(Simulate(Target::kTgl, w.code, v.launch, {}, dispatch).status().message(),
            "launch record: is not of a program of this architecture");
}

// A record without a part for its architecture is written, and refused where it is read: the part
// is an alternative of LaunchRecord::arch and a message of proto, which tests cannot add.
TEST(Null, ARecordWithoutItsPartIsNotRead) {
  const auto compiled = CompileText({});
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  const auto read = proto::FromProto(proto::ToProto(compiled->variants[0].launch));
  EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(read.status().message().find("no part for an architecture"), std::string::npos);
}

}  // namespace
}  // namespace kiln
