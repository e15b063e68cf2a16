// Contracts of the driver: tables in order, widths, refusals, options, determinism.
#include "core/driver/compile.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/driver/analyze.h"
#include "core/driver/mid_pipeline.h"
#include "core/driver/prepared.h"
#include "core/intel/device/device.h"
#include "core/intel/pipeline/backend.h"
#include "core/intel/pipeline/passes.h"
#include "core/intel/pipeline/testing.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "gtest/gtest.h"

namespace kiln {
namespace {

constexpr char kShader[] =
    "mir 1\nentry \"main\"\nlocal_size 64, 1, 1\nresource 0 ssbo 0.0.0\nbody {\n"
    "  %1:i32 = local_index\n  %2:i32 = shl %1, 2\n  %3:f32 = load_ssbo[0, align 4] %2\n"
    "  %4:f32 = fadd %3, 1.0f\n  store_ssbo[0, align 4] %2, %4\n  return\n}\n";

std::shared_ptr<const Prepared> PrepareText(const std::string& text) {
  absl::StatusOr<mir::Module> m = mir::Parse(text);
  EXPECT_TRUE(m.ok()) << m.status();
  PrepareOptions options;
  options.passes.verify_each = true;
  auto p = PrepareMir(*std::move(m), options, nullptr, {});
  EXPECT_TRUE(p.ok()) << p.status();
  return *p;
}

std::string PrintLowered(const Prepared& p) {
  const auto lowered = Lower(p, *intel::kTglBackend.features, {}, nullptr, {});
  return lowered.ok() ? mir::Print(lowered->module) : std::string(lowered.status().message());
}

absl::StatusOr<Compiled> CompileText(const std::string& text, const CompileOptions& options = {},
                                     Sink* sink = nullptr, const Budget& budget = {}) {
  return Compile(*PrepareText(text), Target::kTgl, options, sink, budget);
}

std::string WithSize(const std::string& size) {
  std::string text = kShader;
  return text.replace(text.find("64, 1, 1"), 8, size);
}

struct Remarks : Sink {
  void OnRemark(const Remark& r) override { kinds.emplace_back(r.kind); }
  std::vector<std::string> kinds;
};

TEST(Driver, TablesHold) {
  EXPECT_TRUE(CheckTable(MidRows(), MidPassOrder()).ok());
  const std::vector<Pass<intel::Work>> at_width = intel::IntelPasses(intel::Tgl());
  EXPECT_TRUE(
      CheckTable(Rows(absl::MakeConstSpan(at_width)), intel::IntelPassOrder(intel::Tgl())).ok());
}

size_t Count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// Ignoring the state would not compile what was requested.
TEST(Driver, ComputeWithPipelineStateIsRefused) {
  absl::StatusOr<mir::Module> m = mir::Parse("mir 1 local_size 8, 1, 1 body { return }");
  ASSERT_TRUE(m.ok()) << m.status();
  const auto prepared = PrepareMir(*std::move(m), {}, nullptr, {});
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  CompileOptions options;
  EXPECT_TRUE(Compile(**prepared, Target::kTgl, options, nullptr, {}).ok());
  options.state.fragment.samples = 4;
  const absl::Status s = Compile(**prepared, Target::kTgl, options, nullptr, {}).status();
  EXPECT_EQ(s.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CauseOf(s), "pipeline_state");
}

// No pass merges, removes or moves out of a loop volatile accesses, used or not, to equal or
// neighbouring addresses; without the flag most of them are removed. Image reads by texel ops are
// among them.
TEST(Driver, VolatileAccessesStay) {
  const std::string text = R"(mir 1
entry "main"
local_size 64, 1, 1
shared 64
resource 0 ssbo 0.0.0
resource 1 ssbo 0.1.0
resource 2 storage_image 0.2.0 image 2d uint r32ui
body {
  %1:i32 = load_ssbo.volatile[0, align 4] 0
  %2:i32 = load_ssbo.volatile[0, align 4] 0
  %3:i32 = load_ssbo.volatile[0, align 4] 4
  %4:i32 = load_shared.volatile[align 4] 0
  %5:i32 = load_shared.volatile[align 4] 0
  store_shared.volatile[align 4] 8, %1
  store_shared.volatile[align 4] 8, %4
  store_ssbo.volatile[1, align 4] 0, %1
  store_ssbo.volatile[1, align 4] 0, %1
  store_ssbo.volatile[1, align 4] 4, %2
  %6:i32, %7:i32, %8:i32, %9:i32 = image_load.volatile[2, texel] 1, 1
  %10:i32, %11:i32, %12:i32, %13:i32 = image_load.volatile[2, texel] 1, 1
  image_store.volatile[2, texel] 1, 1, %6, 0, 0, 0
  image_store.volatile[2, texel] 1, 1, %6, 0, 0, 0
  %14:i32 = load_global.volatile[align 4] %1, 0
  %15:i32 = load_global.volatile[align 4] %1, 0
  store_global.volatile[align 4] %1, 0, %14
  store_global.volatile[align 4] %1, 0, %14
  %16:i32 = loop (%17:i32 = 0) {
    %18:i32 = load_ssbo.volatile[0, align 4] 8
    %19:bool = ieq %18, 0
    if %19 {
      break %17
    } else {
      yield
    }
    %20:i32 = iadd %17, 1
    continue %20
  }
  store_ssbo.volatile[1, align 4] 8, %16
  return
}
)";
  const auto p = PrepareText(text);
  const std::string after = PrintLowered(*p);
  EXPECT_EQ(Count(after, ".volatile"), Count(text, ".volatile")) << after;
  const size_t loop = after.find("= loop");
  EXPECT_NE(after.find("load_ssbo.volatile[0, align 4] 8", loop), std::string::npos) << after;
  std::string plain = text;
  for (size_t at; (at = plain.find(".volatile")) != std::string::npos;) plain.erase(at, 9);
  EXPECT_LT(Count(PrintLowered(*PrepareText(plain)), "_ssbo["), Count(plain, "_ssbo["));
  // The back end sends a message for each access except the unused image read.
  const auto compiled = Compile(*p, Target::kTgl, {}, nullptr, {});
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  for (const Variant& v : compiled->variants) {
    const int typed = v.width / 8;  // messages of a typed access
    EXPECT_GE(v.statistics.At("sends"), 16 + 3 * typed + 1) << v.name;
    const auto analysis = Analyze(Target::kTgl, v.code);
    ASSERT_TRUE(analysis.ok()) << analysis.status();
    EXPECT_TRUE(analysis->findings.empty()) << v.name << " " << analysis->findings[0];
  }
}

TEST(Driver, BothWidthsWithStatisticsAndRecords) {
  const auto c = CompileText(kShader);
  ASSERT_TRUE(c.ok()) << c.status();
  ASSERT_EQ(c->variants.size(), 2u);
  EXPECT_EQ(c->variants[0].name, "SIMD8");
  EXPECT_EQ(c->variants[1].name, "SIMD16");
  for (const Variant& v : c->variants) {
    EXPECT_EQ(v.statistics.At("sends"), 3);  // read, write, end of thread
    EXPECT_EQ(v.statistics.At("bytes"), static_cast<int64_t>(v.code.size()));
    EXPECT_EQ(v.launch.code_bytes, v.code.size());
    EXPECT_EQ(v.launch.dispatch_width, static_cast<uint32_t>(v.width));
    EXPECT_EQ(v.launch.resources.size(), 1u);
    EXPECT_GT(v.statistics.At("registers"), 0);
  }
}

TEST(Driver, SameInputsSameBytes) {
  const auto a = CompileText(kShader), b = CompileText(kShader);
  ASSERT_TRUE(a.ok() && b.ok());
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(a->variants[i].code, b->variants[i].code);
}

TEST(Driver, WidthThatDoesNotFitLeavesARemark) {
  Remarks remarks;
  const auto c = CompileText(WithSize("1024, 1, 1"), {}, &remarks);
  ASSERT_TRUE(c.ok()) << c.status();
  ASSERT_EQ(c->variants.size(), 1u);
  EXPECT_EQ(c->variants[0].width, 16);
  // SIMD8 does not fit, SIMD32 is not needed.
  EXPECT_EQ(remarks.kinds, (std::vector<std::string>{"width_refused", "width_refused"}));
}

TEST(Driver, ThirtyTwoLanesIfAskedFor) {
  CompileOptions options;
  options.widths = {32};
  const auto asked = CompileText(kShader, options);
  ASSERT_TRUE(asked.ok()) << asked.status();
  ASSERT_EQ(asked->variants.size(), 1u);
  EXPECT_EQ(asked->variants[0].launch.dispatch_width, 32u);
  EXPECT_EQ(out::IntelOf(asked->variants[0].launch).compute.last_thread_mask, ~0u);
}

// Hardware enables 32 lanes of fragments only together with 8 or 16: the record and a remark say
// so.
TEST(Driver, ThirtyTwoLanesOfFragmentsNeedNarrowerOnes) {
  const std::string text =
      "mir 1\nentry \"main\"\nstage fragment\noutput 0 location 0.0 f32 x4\nbody {\n"
      "  store_output[0, 0] 1.0f, 1.0f, 1.0f, 1.0f\n  return\n}\n";
  for (const bool alone : {true, false}) {
    CompileOptions options;
    if (alone) options.widths = {32};
    if (!alone) options.widths = {16, 32};
    Remarks remarks;
    const auto c = CompileText(text, options, &remarks);
    ASSERT_TRUE(c.ok()) << c.status();
    EXPECT_TRUE(out::IntelOf(c->variants.back().launch).fragment.beside_narrower);
    EXPECT_EQ(out::IntelOf(c->variants.front().launch).fragment.beside_narrower, alone);
    EXPECT_EQ(std::count(remarks.kinds.begin(), remarks.kinds.end(), "width_alone"), alone);
  }
}

// 80 values at once: they fit at SIMD8, not at SIMD16.
std::string ManyLiveValues() {
  std::string text =
      "mir 1\nentry \"main\"\nlocal_size 64, 1, 1\nresource 0 ssbo 0.0.0\nbody {\n"
      "  %1:i32 = local_index\n  %2:i32 = shl %1, 2\n";
  int next = 3;
  const auto add = [&](const std::string& what) {
    text += "  %" + std::to_string(next) + ":i32 = " + what + "\n";
    return "%" + std::to_string(next++);
  };
  std::vector<std::string> values;
  for (int k = 0; k < 80; ++k) {
    const std::string at = add("iadd %2, " + std::to_string(4 * k));
    values.push_back(add("load_ssbo[0, align 4] " + at));
  }
  std::string sum = "%1";
  for (const std::string& v : values) sum = add("xor " + add("imul " + sum + ", 3") + ", " + v);
  for (size_t k = values.size(); k-- > 0;) {
    sum = add("imul " + add("xor " + sum + ", " + values[k]) + ", 5");
  }
  return text + "  store_ssbo[0, align 4] %2, " + sum + "\n  return\n}\n";
}

TEST(Driver, AWidthThatSpillsLosesToOneThatDoesNot) {
  Remarks remarks;
  const auto c = CompileText(ManyLiveValues(), {}, &remarks);
  ASSERT_TRUE(c.ok()) << c.status();
  ASSERT_EQ(c->variants.size(), 1u);
  EXPECT_EQ(c->variants[0].width, 8);
  EXPECT_EQ(c->variants[0].statistics.At("spills"), 0);
  EXPECT_EQ(std::count(remarks.kinds.begin(), remarks.kinds.end(), "width_refused"), 2);
  EXPECT_EQ(std::count(remarks.kinds.begin(), remarks.kinds.end(), "spill"), 0);  // given up before
  CompileOptions options;
  options.widths = {16};
  const auto asked = CompileText(ManyLiveValues(), options);
  ASSERT_TRUE(asked.ok()) << asked.status();
  const Statistics& s = asked->variants[0].statistics;
  EXPECT_GT(s.At("spills"), 0);
  EXPECT_GT(s.At("fills"), 0);
  EXPECT_GE(s.At("spill_bytes"), 64 * s.At("spills"));
  EXPECT_GT(asked->variants[0].launch.scratch_bytes_per_thread, 0u);
}

TEST(Driver, ARequiredSubgroupSizeIsTheOnlyWidth) {
  std::string text = kShader;
  text.replace(text.find("%4:f32 = fadd %3, 1.0f"), 22,
               "%5:i32 = subgroup_size\n  %6:f32 = u2f %5\n  %4:f32 = fadd %3, %6");
  for (const int size : {8, 16, 32}) {
    CompileOptions options, asked;
    options.required_subgroup_size = size;
    asked.widths = {size};
    const auto c = CompileText(text, options);
    ASSERT_TRUE(c.ok()) << c.status();
    ASSERT_EQ(c->variants.size(), 1u);
    EXPECT_EQ(c->variants[0].width, size);
    // SubgroupSize is a constant of the code: nothing but its value differs between sizes.
    EXPECT_EQ(c->variants[0].code, CompileText(text, asked)->variants[0].code);
  }
  // A requested size is compiled even if it spills.
  CompileOptions options;
  options.required_subgroup_size = 16;
  const auto spills = CompileText(ManyLiveValues(), options);
  ASSERT_TRUE(spills.ok()) << spills.status();
  EXPECT_GT(spills->variants[0].statistics.At("spills"), 0);
}

TEST(Driver, ARequiredSubgroupSizeThatCannotBeMadeIsARefusal) {
  CompileOptions options;
  options.required_subgroup_size = 64;
  EXPECT_EQ(CauseOf(CompileText(kShader, options).status()), "dispatch_width");
  options.required_subgroup_size = 8;  // 128 threads
  EXPECT_EQ(CauseOf(CompileText(WithSize("1024, 1, 1"), options).status()), "workgroup_too_large");
  options.widths = {16};
  EXPECT_EQ(CauseOf(CompileText(kShader, options).status()), "dispatch_width");
}

TEST(Driver, FullSubgroupsNeedAWorkgroupOfWholeOnes) {
  CompileOptions options;
  options.require_full_subgroups = true;
  const auto widths = [&](const std::string& size) {
    const auto c = CompileText(WithSize(size), options);
    std::string text = c.ok() ? "" : CauseOf(c.status());
    if (c.ok()) {
      for (const Variant& v : c->variants) text += v.name + " ";
    }
    return text;
  };
  EXPECT_EQ(widths("64, 1, 1"), "SIMD8 SIMD16 ");
  EXPECT_EQ(widths("24, 2, 1"), "SIMD8 ");  // 16 divides the product, not x
  EXPECT_EQ(widths("4, 4, 4"), "partial_subgroups");
  options.required_subgroup_size = 16;
  EXPECT_EQ(widths("64, 1, 1"), "SIMD16 ");
  EXPECT_EQ(widths("24, 2, 1"), "partial_subgroups");
}

// The index may become constant only when loops are unrolled.
TEST(Driver, AKnownDescriptorIndexBeyondItsArrayIsTheLast) {
  const auto code = [](const std::string& index, const std::string& count = "3") {
    std::string text = kShader;
    text.replace(text.find("0.0.0"), 5, "0.0.0 array " + count);
    text.replace(text.find("load_ssbo[0, align 4] "), 22,
                 "load_ssbo.indexed[0, align 4] " + index + ", ");
    text.replace(text.find("store_ssbo[0, align 4] "), 23, "store_ssbo.indexed[0, align 4] 1, ");
    const auto c = CompileText(text);
    EXPECT_TRUE(c.ok()) << c.status();
    return c.ok() ? c->variants[0].code : std::vector<uint8_t>();
  };
  EXPECT_NE(code("2"), code("0"));
  for (const char* beyond : {"3", "252", "254", "300", "-1"}) EXPECT_EQ(code(beyond), code("2"));
  // In descriptor memory, since the binding table has no room for so many.
  EXPECT_NE(code("299", "300"), code("0", "300"));
  for (const char* beyond : {"300", "602", "-1"}) {
    EXPECT_EQ(code(beyond, "300"), code("299", "300")) << beyond;
  }
}

// 64-bit atomics go to the buffer's address, which is assigned by the same rule.
TEST(Driver, AKnownIndexOfAtomicsBeyondTheArrayIsTheLast) {
  const auto code = [](const std::string& index) {
    std::string text = kShader;
    text.replace(text.find("0.0.0"), 5, "0.0.0 array 3");
    text.insert(text.find("  return"),
                "  %90:i64 = load_ssbo.indexed[0, align 8] 0, 0\n"
                "  %91:i64 = ssbo_atomic.indexed[0, add] " +
                    index + ", 8, %90\n");
    text.replace(text.find("load_ssbo[0, align 4] "), 22, "load_ssbo.indexed[0, align 4] 0, ");
    text.replace(text.find("store_ssbo[0, align 4] "), 23, "store_ssbo.indexed[0, align 4] 1, ");
    const auto c = CompileText(text);
    EXPECT_TRUE(c.ok()) << c.status();
    return c.ok() ? c->variants[0].code : std::vector<uint8_t>();
  };
  EXPECT_EQ(code("5"), code("2"));
  EXPECT_EQ(code("-1"), code("2"));
}

// Sizes that no driver dispatches are refused; each with one less compiles.
TEST(Driver, SizesThatCannotBeLaunchedAreRefused) {
  const auto cause = [](const std::string& text) { return CauseOf(CompileText(text).status()); };
  EXPECT_EQ(cause(WithSize("1024, 1, 1")), "ok");
  EXPECT_EQ(cause(WithSize("16, 8, 8")), "ok");
  EXPECT_EQ(cause(WithSize("1025, 1, 1")), "too_many_invocations");
  EXPECT_EQ(cause(WithSize("2048, 1, 1")), "too_many_invocations");
  EXPECT_EQ(cause(WithSize("16, 16, 8")), "too_many_invocations");
  EXPECT_EQ(cause(WithSize("65535, 65535, 65535")), "too_many_invocations");
  const auto shared = [](const std::string& bytes) {
    std::string text = kShader;
    return text.insert(text.find("body"), "shared " + bytes + "\n");
  };
  EXPECT_EQ(cause(shared("65536")), "ok");
  EXPECT_EQ(cause(shared("65540")), "shared_memory_too_large");
}

// 128 KiB a lane: 1 MiB at SIMD8, exactly the maximum at SIMD16, too much at SIMD32.
TEST(Driver, ScratchBeyondAThreadsIsRefusedAtThatWidth) {
  const auto with_array = [](const std::string& bytes, int width) {
    std::string text = kShader;
    text.insert(text.find("body"), "private 0 " + bytes + "\n");
    // Neither is known without memory: the addresses stored and read may differ.
    text.replace(text.find("%4:f32 = fadd %3, 1.0f"), 22,
                 "store_private[0, align 4] %2, %3\n  %5:f32 = load_private[0, align 4] 64\n"
                 "  %4:f32 = fadd %3, %5");
    CompileOptions options;
    if (width != 0) options.widths = {width};
    return CompileText(text, options);
  };
  for (const int width : {8, 16}) {
    const auto c = with_array("131072", width);
    ASSERT_TRUE(c.ok()) << c.status();
    EXPECT_EQ(c->variants[0].launch.scratch_bytes_per_thread, 131072u * width);
  }
  EXPECT_EQ(CauseOf(with_array("131072", 32).status()), "scratch_too_large");
  EXPECT_EQ(CauseOf(with_array("131076", 16).status()), "scratch_too_large");
  const auto narrow = with_array("131076", 0);
  ASSERT_TRUE(narrow.ok()) << narrow.status();
  EXPECT_EQ(narrow->variants.size(), 1u);
  EXPECT_EQ(narrow->variants[0].width, 8);
  EXPECT_EQ(narrow->variants[0].launch.scratch_bytes_per_thread, 2097152u);
  EXPECT_EQ(CauseOf(with_array("262148", 0).status()), "scratch_too_large");
  EXPECT_EQ(CauseOf(with_array("4294967292", 0).status()), "scratch_too_large");
}

TEST(Driver, OptionsAreChecked) {
  CompileOptions options;
  options.passes.disabled = {"allocate_registers"};
  EXPECT_EQ(CompileText(kShader, options).status().code(), absl::StatusCode::kInvalidArgument);
  options.passes.disabled = {"propagate_copies"};
  EXPECT_TRUE(CompileText(kShader, options).ok());
  EXPECT_EQ(ParseTarget("skl").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(*ParseTarget("tgl"), Target::kTgl);
}

// A target may have tools for machine code before it has a compiler.
TEST(Driver, ATargetWithoutACompilerIsRefusedByName) {
  const Backend bare = {.name = "bare"};
  const absl::Status s = CompileFor(*PrepareText(kShader), bare, {}, nullptr, {}).status();
  EXPECT_EQ(s.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(CauseOf(s), "missing_compiler");
}

// Bytes and names of all variants.
std::string BytesFor(const Prepared& prepared, Target target) {
  const auto compiled = Compile(prepared, target, {}, nullptr, {});
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  std::string bytes;
  for (const Variant& v : compiled->variants) {
    bytes += v.name;
    bytes.append(v.code.begin(), v.code.end());
  }
  return bytes;
}

// The compile for one target leaves what the next one reads.
TEST(Driver, AllTargetsCompileFromOnePrepare) {
  const auto shared = PrepareText(kShader);
  std::vector<std::string> first, again;
  for (const Target target : AllTargets()) first.push_back(BytesFor(*shared, target));
  for (const Target target : AllTargets()) again.push_back(BytesFor(*shared, target));
  EXPECT_EQ(first, again);
  EXPECT_EQ(first[1].rfind("wave32", 0), 0u);
  for (const Target target : AllTargets()) {
    EXPECT_EQ(BytesFor(*PrepareText(kShader), target), first[static_cast<size_t>(target)]);
  }
}

struct Levels : Sink {
  void OnPass(const PassRecord& r) override {
    of[std::string(r.pass)].insert(std::string(r.level));
  }
  std::map<std::string, std::set<std::string>> of;
};

// The level that users read beside a pass is that of its records.
TEST(Driver, AllPassesHaveTheLevelOfTheirRuns) {
  Levels levels;
  for (const Target target : AllTargets()) {
    const auto prepared = PrepareMir(*mir::Parse(kShader), {}, &levels, {});
    ASSERT_TRUE(prepared.ok()) << prepared.status();
    ASSERT_TRUE(Compile(**prepared, target, {}, &levels, {}).ok());
  }
  size_t known = 0;
  for (const PassInfo& pass : AllPasses()) {
    const auto seen = levels.of.find(pass.name);
    if (seen == levels.of.end()) continue;
    ++known;
    EXPECT_TRUE(seen->second.contains(pass.level)) << pass.name << " " << pass.level;
  }
  EXPECT_GT(known, 40u);
}

// 16 inputs of four components, which are added up before 105 values are in use at once.
std::string ManyInputs() {
  std::string text = "mir 1\nentry \"main\"\nstage fragment\n", body;
  for (int k = 0; k < 16; ++k) {
    text += "input " + std::to_string(k) + " location " + std::to_string(k) + ".0 f32 x4\n";
  }
  int next = 0;
  const auto value = [&](const std::string& what) {
    body += "%" + std::to_string(next) + ":f32 = " + what + "\n";
    return "%" + std::to_string(next++);
  };
  std::string sum;
  for (int k = 0; k < 64; ++k) {
    const std::string in =
        value("load_input[" + std::to_string(k / 4) + ", " + std::to_string(k % 4) + "]");
    sum = sum.empty() ? in : value("fadd " + sum + ", " + in);
  }
  std::vector<std::string> values;
  for (int k = 0; k < 105; ++k)
    values.push_back(value("fmul " + sum + ", " + std::to_string(k + 2) + ".5f"));
  std::string down = values.back(), up = values.front();
  for (int k = 103; k >= 0; --k) down = value("ffma " + down + ", " + values[k] + ", " + sum);
  for (int k = 1; k < 105; ++k) up = value("ffma " + up + ", " + values[k] + ", " + down);
  return text + "output 0 location 0.0 f32 x1\nbody {\n" + body + "store_output[0, 0] " + up +
         "\nreturn\n}\n";
}

// Disabling the pass free_payload keeps the payload to the end: such a program then has 32
// registers less and spills; the checker of allocations accepts both.
TEST(Driver, ThePayloadIsHeldWithoutFreePayload) {
  CompileOptions options;
  options.widths = {8};
  options.passes.verify_each = true;
  const auto freed = CompileText(ManyInputs(), options);
  options.passes.disabled = {"free_payload"};
  const auto held = CompileText(ManyInputs(), options);
  ASSERT_TRUE(freed.ok() && held.ok()) << freed.status() << held.status();
  EXPECT_EQ(freed->variants[0].statistics.At("spills"), 0);
  EXPECT_GT(held->variants[0].statistics.At("spills"), 0);
}

struct Records : Sink {
  void OnPassBegin(std::string_view pass) override {
    if (pass != "compact_mir") begun.emplace_back(pass);  // a step, stopped or not
  }
  void OnPass(const PassRecord& r) override {
    rewrites += r.rewrites;
    const bool resolved = r.pass.find("_resolved") != std::string_view::npos;
    of[resolved ? "resolved" : std::string(r.level)] += r.rewrites;
  }
  std::vector<std::string> begun;
  int64_t rewrites = 0;
  std::map<std::string, int64_t> of;  // by level, passes after resolve_subgroup_size counted apart
};

// A module with rewrites of MIR, of the copy whose subgroup size is known, and of LIR.
constexpr char kRewritable[] =
    "mir 1\nentry \"main\"\nlocal_size 64, 1, 1\nresource 0 ssbo 0.0.0\nbody {\n"
    "  %1:i32 = local_index\n  %2:i32 = shl %1, 2\n  %3:i32 = load_ssbo[0, align 4] %2\n"
    "  %4:i32 = iadd %3, 0\n  %5:i32 = subgroup_size\n  %6:i32 = umul_high %5, 0x40000000\n"
    "  %7:i32 = imul %6, %5\n  %8:i32 = iadd %4, %7\n  store_ssbo[0, align 4] %2, %8\n"
    "  return\n}\n";

absl::StatusOr<Compiled> CompileRewritable(int64_t limit, const std::string& stop_after,
                                           Records* records) {
  absl::StatusOr<mir::Module> m = mir::Parse(kRewritable);
  if (!m.ok()) return m.status();
  PrepareOptions prepare;
  CompileOptions compile;
  prepare.passes.verify_each = compile.passes.verify_each = true;
  prepare.passes.bisect_limit = compile.passes.bisect_limit = limit;
  prepare.passes.stop_after = compile.passes.stop_after = stop_after;
  const auto p = PrepareMir(*std::move(m), prepare, records, {});
  if (!p.ok()) return p.status();
  return Compile(**p, Target::kTgl, compile, records, {});
}

TEST(Driver, OneBisectionBudgetForTheWholeCompile) {
  Records all;
  const auto unlimited = CompileRewritable(-1, "", &all);
  ASSERT_TRUE(unlimited.ok()) << unlimited.status();
  EXPECT_GT(all.of["mir"], 0);
  EXPECT_GT(all.of["resolved"], 0);
  EXPECT_GT(all.of["lir"], 0);
  std::vector<std::vector<uint8_t>> codes;
  for (int64_t limit = 0; limit <= all.rewrites + 1; ++limit) {
    Records records;
    const auto c = CompileRewritable(limit, "", &records);
    ASSERT_TRUE(c.ok()) << limit << ": " << c.status();
    EXPECT_EQ(records.rewrites, std::min(limit, all.rewrites));
    codes.push_back(c->variants[0].code);
  }
  EXPECT_NE(codes.front(), codes.back());
  EXPECT_EQ(codes.back(), unlimited->variants[0].code);
}

// Much arithmetic, and a kill that waits for none of it.
std::string LateKill(bool kills) {
  std::string text =
      "mir 1\nentry \"main\"\nstage fragment\ninput 0 location 0.0 f32 x2\n"
      "output 0 location 0.0 f32 x1\nbody {\n  %0:f32, %1:f32 = load_input[0, 0]\n";
  int last = 1;
  for (int chain = 0; chain < 8; ++chain) {
    int value = 0;
    for (int k = 2; k < 5; ++k) {
      text += "  %" + std::to_string(last + 1) + ":f32 = fmul %" + std::to_string(value) + ", " +
              std::to_string(8 * chain + k) + ".5f\n";
      value = ++last;
    }
    if (chain == 0) continue;
    text += "  %" + std::to_string(last + 1) + ":f32 = fadd %" + std::to_string(value) + ", %" +
            std::to_string(chain == 1 ? 4 : value - 3) + "\n";
    ++last;
  }
  if (kills) {
    text += "  %" + std::to_string(last + 1) + ":bool = flt %1, 0.5f\n  demote %" +
            std::to_string(last + 1) + "\n";
  }
  return text + "  store_output[0, 0] %" + std::to_string(last) + "\n  return\n}\n";
}

// Exits influence only the order of instructions: with the ordering passes disabled the code has
// the same bytes, as has that of a shader without exits whichever passes are disabled.
TEST(Driver, PreferredExitsChangeOrdersAndNothingElse) {
  const auto code = [](bool kills, std::vector<std::string> disabled) {
    CompileOptions options;
    options.passes.verify_each = true;
    options.widths = {8};
    options.passes.disabled = std::move(disabled);
    const absl::StatusOr<Compiled> c = CompileText(LateKill(kills), options);
    EXPECT_TRUE(c.ok()) << c.status();
    return c.ok() ? c->variants[0].code : std::vector<uint8_t>();
  };
  EXPECT_NE(code(true, {}), code(true, {"prefer_exits"}));
  EXPECT_EQ(code(true, {"schedule", "schedule_allocated"}),
            code(true, {"schedule", "schedule_allocated", "prefer_exits"}));
  EXPECT_EQ(code(false, {}), code(false, {"prefer_exits"}));
}

// A loop of 100 iterations, counted by the model, and a bound of it read from memory.
constexpr char kCountedLoop[] = R"(mir 1
entry "main"
local_size 64, 1, 1
resource 0 ssbo 0.0.0
body {
  %1:i32 = local_index
  %2:i32 = shl %1, 2
  %3:i32 = loop (%4:i32 = 0, %5:i32 = %1) {
    %6:bool = sge %4, 100
    if %6 {
      break %5
    } else {
      yield
    }
    %7:i32 = load_ssbo[0, align 4] %5
    %8:i32 = iadd %4, 1
    %9:i32 = xor %7, %8
    continue %8, %9
  }
  store_ssbo[0, align 4] %2, %3
  return
}
)";

// Everything reported of a program except its size is equal for both forms, including trip counts.
TEST(Driver, CompactionChangesNothingButTheSize) {
  CompileOptions options;
  options.passes.verify_each = true;
  const auto compacted = CompileText(kCountedLoop, options);
  options.passes.disabled = {"compact_instructions"};
  const auto full = CompileText(kCountedLoop, options);
  ASSERT_TRUE(compacted.ok() && full.ok()) << compacted.status() << full.status();
  ASSERT_EQ(compacted->variants.size(), full->variants.size());
  for (size_t i = 0; i < full->variants.size(); ++i) {
    const Statistics &a = compacted->variants[i].statistics, &b = full->variants[i].statistics;
    EXPECT_EQ(b.At("bytes"), 16 * (b.At("instructions") + b.At("sync_instructions")));
    EXPECT_LT(a.At("bytes"), b.At("bytes") * 3 / 4);
    EXPECT_EQ(a.At("instructions"), b.At("instructions"));
    EXPECT_EQ(a.At("sync_instructions"), b.At("sync_instructions"));
    EXPECT_EQ(a.At("cycles"), b.At("cycles"));
    const auto short_code = Analyze(Target::kTgl, compacted->variants[i].code);
    const auto long_code = Analyze(Target::kTgl, full->variants[i].code);
    ASSERT_TRUE(short_code.ok() && long_code.ok());
    EXPECT_EQ(short_code->throughput_cycles, long_code->throughput_cycles);
    EXPECT_EQ(a.At("registers"), b.At("registers"));
    EXPECT_GT(a.At("cycles"), 10000) << "the loop is counted";
  }
}

TEST(Driver, StopAfterAPassOfMirStopsTheCompile) {
  for (const char* pass : {"remove_dead_code", "sink_values", "select"}) {
    Records records;
    const auto c = CompileRewritable(-1, pass, &records);
    ASSERT_TRUE(c.ok()) << c.status();
    EXPECT_TRUE(c->variants.empty());
    ASSERT_FALSE(records.begun.empty());
    EXPECT_EQ(records.begun.back(), pass);
  }
}

TEST(Driver, RefusalsCarryTheSpirvId) {
  const auto status = [](const std::string& head, const std::string& body) {
    absl::StatusOr<mir::Module> m = mir::Parse(
        "mir 1\nentry \"main\"\nlocal_size 64, 1, 1\nshared 64\n" + head + "body {\n" +
        "  %1:i32 = local_index\n  %2:i64 = zext %1\n  %3:f16 = u2f %1\n" + body + "  return\n}\n");
    if (!m.ok()) return m.status();
    const auto p = PrepareMir(*std::move(m), {}, nullptr, {});
    if (!p.ok()) return p.status();
    return Compile(**p, Target::kTgl, {}, nullptr, {}).status();
  };
  // Refusals by the target's features, by the selector, by the ABI.
  const absl::Status refusals[] = {
      status("needs shared_int64_atomics ;%77\nresource 0 ssbo 0.0.0\n",
             "  %4:i64 = shared_atomic[add] 0, %2\n  store_ssbo[0, align 8] 0, %4\n"),
      status("resource 0 ssbo 0.0.0 array 4\n",
             "  %4:i64 = ssbo_atomic.indexed[0, add] %1, 0, %2 ;%77\n"),
      // Refused only per width, after address registers are assigned.
      status("resource 0 ssbo 0.0.0 array 4\n",
             "  %4:i32 = subgroup_size\n  %5:i32 = ushr %4, 4\n"
             "  %6:i64 = ssbo_atomic.indexed[0, add] %5, 0, %2 ;%77\n"),
      status("denorms_f16 flush\nresource 0 ssbo 0.0.0\n",
             "  %4:f16 = fsqrt %3 ;%77\n  store_ssbo[0, align 2] 0, %4\n"),
  };
  const char* causes[] = {"int64_atomics", "int64_atomics", "int64_atomics", "float_controls"};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(CauseOf(refusals[i]), causes[i]) << i << ": " << refusals[i];
    EXPECT_EQ(SpirvIdOf(refusals[i]), 77u) << i << ": " << refusals[i];
  }
}

// A form that the encoder lacks is a fault of the compiler, not of the shader.
TEST(Driver, WhatCannotBeEncodedIsAFaultOfTheCompiler) {
  intel::Work work(intel::Tgl());
  work.stage = intel::Work::Stage::kProgram;
  intel::isa::Instruction endless;
  endless.op = intel::isa::Opcode::kWhile;  // without a target
  work.program.Append(endless);
  const absl::Status s = intel::testing::RunOnly("encode", work);
  EXPECT_EQ(CauseOf(s), "internal") << s;
}

// Refusals about the workgroup, its memory or the push constants name the id where these are
// declared.
TEST(Driver, RefusalsOfALaunchCarryTheSpirvId) {
  const auto status = [](const std::string& size, const std::string& head,
                         const CompileOptions& options = {}) {
    std::string text = WithSize(size);
    return CompileText(text.insert(text.find("resource"), head), options).status();
  };
  CompileOptions narrow, full;
  narrow.widths = {8};
  full.require_full_subgroups = true;
  const absl::Status refusals[] = {
      status("1025, 1, 1 ;%77", ""),
      status("520, 1, 1 ;%77", "", narrow),
      status("4, 1, 1 ;%77", "", full),
      status("64, 1, 1", "shared 65540 ;%77\n"),
  };
  const char* causes[] = {"too_many_invocations", "workgroup_too_large", "partial_subgroups",
                          "shared_memory_too_large"};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(CauseOf(refusals[i]), causes[i]) << refusals[i];
    EXPECT_EQ(SpirvIdOf(refusals[i]), 77u) << refusals[i];
  }
}

TEST(Driver, CancelledCompileStops) {
  const std::atomic<bool> cancelled = true;
  Budget budget;
  budget.cancelled = &cancelled;
  EXPECT_EQ(CompileText(kShader, {}, nullptr, budget).status().code(),
            absl::StatusCode::kCancelled);
}

TEST(Driver, SnapshotsAfterEveryPassOfBothWidths) {
  struct Snapshots : Sink {
    void OnSnapshot(std::string_view pass, const std::string& text) override {
      count += pass == "encode" && text.find("send.dc1") != std::string::npos;
    }
    int count = 0;
  } snapshots;
  CompileOptions options;
  options.passes.print_after = "all";
  ASSERT_TRUE(CompileText(kShader, options, &snapshots).ok());
  EXPECT_EQ(snapshots.count, 2);
}

TEST(Driver, DisassemblyIsText) {
  const auto c = CompileText(kShader);
  ASSERT_TRUE(c.ok());
  const auto text = Disassemble(Target::kTgl, c->variants[0].code);
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("EOT"), std::string::npos);
}

}  // namespace
}  // namespace kiln
