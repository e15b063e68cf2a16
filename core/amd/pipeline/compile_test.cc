// Tests which sizes of waves are compiled and what is refused, and by which name, from MIR as the
// driver lowers it.
#include "core/amd/pipeline/compile.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/amd/pipeline/choose_scans.h"
#include "core/base/cause.h"
#include "core/mir/parse.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

std::string Kernel(const std::string& sizes, const std::string& modes = "") {
  return "mir 1\nentry \"main\"\nlocal_size " + sizes + "\n" + modes +
         "resource 0 ssbo 0.0.0\nbody {\n  %1:i32 = local_index\n  %2:i32 = shl %1, 2\n"
         "  store_ssbo[0, align 4] %2, %1\n  return\n}\n";
}

struct Remarks : Sink {
  void OnPass(const PassRecord& r) override { runs.push_back(r); }
  std::vector<PassRecord> runs;
};

absl::StatusOr<Compiled> CompileText(const std::string& text, const CompileOptions& options = {},
                                     Sink* sink = nullptr) {
  const auto module = mir::Parse(text);
  EXPECT_TRUE(module.ok()) << module.status() << text;
  if (!module.ok()) return module.status();
  Runner runner(options.passes, sink, {});
  return CompileModule(*module, options, runner, sink);
}

// The names of the variants, or the cause of the refusal.
std::string Names(const absl::StatusOr<Compiled>& c) {
  if (!c.ok()) return CauseOf(c.status());
  std::string names;
  for (const Variant& v : c->variants) names += v.name + " ";
  return names;
}

CompileOptions At(std::vector<int> widths) {
  CompileOptions options;
  options.widths = std::move(widths);
  return options;
}

TEST(CompileModule, BothSizesUnlessAskedOtherwise) {
  const std::string text = Kernel("64, 1, 1");
  EXPECT_EQ(Names(CompileText(text)), "wave32 wave64 ");
  EXPECT_EQ(Names(CompileText(text, At({64}))), "wave64 ");
  EXPECT_EQ(Names(CompileText(text, At({8, 32}))), "wave32 ");
  EXPECT_EQ(Names(CompileText(text, At({8, 16}))), "dispatch_width");
  CompileOptions required;
  required.required_subgroup_size = 64;
  EXPECT_EQ(Names(CompileText(text, required)), "wave64 ");
  required.required_subgroup_size = 16;
  EXPECT_EQ(Names(CompileText(text, required)), "dispatch_width");
}

// One of the results is preferred, the one with fewer cycles for 64 lanes.
TEST(CompileModule, OneSizeIsPreferred) {
  for (const CompileOptions& options : {CompileOptions(), At({32}), At({64})}) {
    const auto compiled = CompileText(Kernel("64, 1, 1"), options);
    ASSERT_TRUE(compiled.ok()) << compiled.status();
    int64_t least = INT64_MAX, of_preferred = 0;
    int preferred = 0;
    for (const Variant& v : compiled->variants) {
      least = std::min(least, v.statistics.At("inverse_throughput"));
      if (!out::AmdOf(v.launch).preferred_wave_size) continue;
      of_preferred = v.statistics.At("inverse_throughput");
      ++preferred;
    }
    EXPECT_EQ(preferred, 1);
    EXPECT_EQ(of_preferred, least);
  }
}

TEST(CompileModule, FullSubgroupsNeedAWorkgroupOfWholeOnes) {
  CompileOptions full;
  full.require_full_subgroups = true;
  EXPECT_EQ(Names(CompileText(Kernel("96, 1, 1"), full)), "wave32 ");
  EXPECT_EQ(Names(CompileText(Kernel("80, 1, 1"), full)), "partial_subgroups");
}

TEST(CompileModule, PassesOfEachSizeAreReported) {
  Remarks remarks;
  ASSERT_EQ(Names(CompileText(Kernel("64, 1, 1"), {}, &remarks)), "wave32 wave64 ");
  std::vector<int> widths;
  for (const PassRecord& r : remarks.runs) {
    if (r.pass == "select") widths.push_back(r.width);
  }
  EXPECT_EQ(widths, (std::vector<int>{32, 64}));
}

// Vertices have both sizes, and registers for the hardware's inputs, used or not.
TEST(CompileModule, VertexShadersAreCompiled) {
  const auto c = CompileText("mir 1\nentry \"main\"\nstage vertex\nbody {\n  return\n}\n");
  ASSERT_EQ(Names(c), "wave32 wave64 ") << c.status();
  EXPECT_EQ(c->variants[0].launch.stage, "vertex");
  EXPECT_EQ(std::get<out::AmdLaunch>(c->variants[0].launch.arch).vgprs, 6u);
}

// Registers of inputs count, used or not: the hardware fills them.
TEST(CompileModule, FragmentShadersHaveTheirRecord) {
  const auto compiled = CompileText(
      "mir 1\nentry \"main\"\nstage fragment\ninput 0 location 0.0 f32 x1\n"
      "output 0 location 0.0 f32 x4\nbody {\n  %0:f32 = load_input[0, 0]\n"
      "  store_output[0, 0] %0, %0, %0, %0\n  return\n}\n");
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  ASSERT_EQ(Names(compiled), "wave32 wave64 ");
  for (const Variant& v : compiled->variants) {
    SCOPED_TRACE(v.name);
    const auto& amd = std::get<out::AmdLaunch>(v.launch.arch);
    EXPECT_EQ(v.launch.stage, "fragment");
    EXPECT_EQ(v.launch.loadable_by, out::LoadableBy::kNone);
    EXPECT_EQ(amd.fragment.spi_ps_input_ena, 2u);
    EXPECT_EQ(amd.fragment.spi_ps_input_addr, 2u);
    EXPECT_EQ(amd.fragment.spi_shader_col_format, 9u);
    EXPECT_EQ(amd.fragment.cb_shader_mask, 15u);
    EXPECT_EQ(amd.fragment.spi_ps_input_cntl, std::vector<uint32_t>{0});
    EXPECT_EQ(amd.rsrc1 >> 25, 1u) << "MEM_ORDERED of a fragment program, nothing above it";
    EXPECT_GE(amd.vgprs, 2u);
    EXPECT_EQ(v.statistics.At("waves_per_simd"), 16);
  }
}

TEST(CompileModule, SizesThatCannotBeLaunchedAreRefused) {
  EXPECT_EQ(Names(CompileText(Kernel("1024, 1, 1"))), "wave32 wave64 ");
  EXPECT_EQ(Names(CompileText(Kernel("1024, 2, 1"))), "too_many_invocations");
  EXPECT_EQ(Names(CompileText(Kernel("64, 1, 1", "shared 65536\n"))), "wave32 wave64 ");
  EXPECT_EQ(Names(CompileText(Kernel("64, 1, 1", "shared 65540\n"))), "shared_memory_too_large");
}

// Each size has the model's form, whose counts are behind the module's 8 bytes of LDS.
TEST(CompileModule, ScansOfTheWorkgroup) {
  const auto scan = [](int shared) {
    return absl::StrCat("mir 1\nentry \"main\"\nlocal_size 256, 1, 1\nshared ", shared,
                        "\nbody {\n%1:i32, %2:i32 = workgroup_scan[256] 0, 1, 2\nreturn\n}\n");
  };
  const auto compiled = CompileText(scan(8));
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  ASSERT_EQ(compiled->variants.size(), 2u);
  for (const Variant& v : compiled->variants) {
    const auto width = static_cast<uint32_t>(v.width);
    const ScanShape shape = {.width = width, .waves = 256 / width, .streams = 1};
    const auto form = FastestScan(kGfx1030, shape);
    ASSERT_TRUE(form.ok()) << form.status();
    EXPECT_EQ(v.launch.shared_bytes, 8 + 4 * LdsDwords(*form, shape)) << v.name;
    EXPECT_TRUE(v.launch.compute.uses_barrier);
    EXPECT_EQ(v.statistics.At("lds_bytes"), v.launch.shared_bytes);
  }
  EXPECT_EQ(Names(CompileText(scan(65532))), "wave64 ") << "four bytes are left";
  EXPECT_EQ(Names(CompileText(scan(65536))), "shared_memory_too_large");
}

TEST(CompileModule, EachResultHasItsRecordAndFigures) {
  const auto compiled = CompileText(Kernel("64, 1, 1"));
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  for (const Variant& v : compiled->variants) {
    SCOPED_TRACE(v.name);
    EXPECT_EQ(v.launch.target, "gfx1030");
    EXPECT_EQ(v.launch.dispatch_width, static_cast<uint32_t>(v.width));
    EXPECT_EQ(v.launch.code_bytes, v.code.size());
    EXPECT_EQ(v.launch.loadable_by, out::LoadableBy::kNone);
    EXPECT_EQ(v.statistics.At("wave_size"), v.width);
    const auto& amd = std::get<out::AmdLaunch>(v.launch.arch);
    EXPECT_EQ(v.statistics.At("bytes"), amd.instruction_bytes);
    EXPECT_LT(amd.instruction_bytes, v.code.size()) << "padding follows";
  }
}

// The form that is asked for is that of all scans of the module; none: the fastest.
TEST(CompileModule, ScansInTheFormThatIsAskedFor) {
  const std::string text =
      "mir 1\nentry \"main\"\nlocal_size 256, 1, 1\nresource 0 ssbo 0.0.0\nbody {\n"
      "%1:i32, %2:i32 = workgroup_scan[256] 0, 1, 2\nstore_ssbo[0, align 4] 0, %1\nreturn\n}\n";
  const auto code_of = [&](const std::string& form) {
    CompileOptions options = At({32});
    options.scan = form;
    const auto compiled = CompileText(text, options);
    EXPECT_TRUE(compiled.ok()) << compiled.status();
    return compiled.ok() ? compiled->variants[0].code : std::vector<uint8_t>();
  };
  std::vector<std::vector<uint8_t>> codes;
  for (const std::string_view name : kScanFormNames) codes.push_back(code_of(std::string(name)));
  for (size_t i = 0; i < codes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_NE(codes[i], codes[j]) << i << " " << j;
  }
  const auto fastest = FastestScan(kGfx1030, {32, 8, 1});
  ASSERT_TRUE(fastest.ok());
  EXPECT_EQ(code_of(""), codes[static_cast<size_t>(*fastest)]);
}

}  // namespace
}  // namespace kiln::amd
