// Tests which widths are compiled, refused and remarked on, from MIR as the driver lowers it.
#include "core/intel/pipeline/backend.h"

#include <atomic>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "core/base/cause.h"
#include "core/intel/device/testing.h"
#include "core/intel/pipeline/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using testing::Crowded;
using testing::Doubled;
using testing::Remarks;
using testing::Shader;

absl::StatusOr<Compiled> Compile(const Shader& shader, const CompileOptions& options,
                                 Remarks* remarks = nullptr, const Budget& budget = {}) {
  Runner runner(options.passes, remarks, budget);
  return kTglBackend.compile(shader.module, options, runner, remarks);
}

std::string Widths(const absl::StatusOr<Compiled>& c) {
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

// A fragment shader that writes a constant colour.
constexpr char kFragment[] =
    "mir 1\nentry \"main\"\nstage fragment\noutput 0 location 0.0 f32 x4\nbody {\n"
    "  store_output[0, 0] 1.0f, 1.0f, 1.0f, 1.0f\n  return\n}\n";

TEST(TglBackend, ListsEachPassOnce) {
  EXPECT_EQ(kTglBackend.name, "tgl");
  std::set<std::string_view> names;
  for (const PassRow& row : kTglBackend.passes()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.summary.empty()) << row.name;
  }
  EXPECT_EQ(kTglBackend.passes().front().name, "push_uniform_buffers");
  EXPECT_EQ(kTglBackend.passes().back().name, "encode");
}

TEST(FeaturesOf, SaysWhatTheDeviceHas) {
  EXPECT_TRUE(kTglBackend.features->dot4);
  EXPECT_TRUE(kTglBackend.features->half_floats);
  EXPECT_TRUE(kTglBackend.features->addresses);
  EXPECT_FALSE(FeaturesOf(TglBut(&Instructions::dot4)).dot4);
  EXPECT_FALSE(FeaturesOf(TglBut(&Instructions::half_floats)).half_floats);
  EXPECT_FALSE(FeaturesOf(TglBut(&Instructions::addresses)).addresses);
}

TEST(TglBackend, WorkgroupsHaveTheWidthsThatAreWorthHaving) {
  const Shader shader(Doubled());
  Remarks remarks;
  EXPECT_EQ(Widths(Compile(shader, {}, &remarks)), "SIMD8 SIMD16 ");
  ASSERT_EQ(remarks.Count("width_refused"), 1);
  EXPECT_EQ(remarks.all.back().width, 32);
  EXPECT_EQ(remarks.all.back().text.rfind("SIMD32: ", 0), 0u) << remarks.all.back().text;
  EXPECT_EQ(Widths(Compile(shader, At({32}))), "SIMD32 ") << "it was asked for";
  EXPECT_EQ(Widths(Compile(shader, At({16, 8}))), "SIMD8 SIMD16 ");
}

TEST(TglBackend, AWidthThatSpillsIsMadeOnlyIfAskedFor) {
  const Shader shader(Crowded(80));
  Remarks remarks;
  EXPECT_EQ(Widths(Compile(shader, {}, &remarks)), "SIMD8 ");
  EXPECT_EQ(remarks.Count("width_refused"), 2);
  EXPECT_EQ(remarks.Count("spill"), 0);
  CompileOptions required;
  required.required_subgroup_size = 16;
  for (const CompileOptions& options : {At({16}), required}) {
    const auto c = Compile(shader, options);
    EXPECT_EQ(Widths(c), "SIMD16 ");
    EXPECT_GT(c->variants[0].statistics.At("spills"), 0);
  }
}

TEST(TglBackend, WidthsThatThereAreNotAreRefusedByName) {
  const Shader shader(Doubled());
  const absl::Status none = Compile(shader, At({64})).status();
  EXPECT_EQ(none.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(CauseOf(none), "dispatch_width");
  // If every width is refused, one of the reasons is the shader's.
  const Shader large(Doubled().replace(Doubled().find("16, 1, 1"), 8, "1024, 1, 1"));
  EXPECT_EQ(Widths(Compile(large, At({8}))), "workgroup_too_large");
  EXPECT_EQ(Widths(Compile(large, At({8, 16}))), "SIMD16 ");
}

// Returns a graphics shader that spills at 8 lanes, whose private array leaves no scratch memory
// for that: 262,000 of the 262,144 bytes that a lane has.
std::string Full(const std::string& interface, const std::string& end) {
  return absl::StrReplaceAll(Crowded(200),
                             {{"local_size 16, 1, 1\n", interface + "private 0 262000 ;%7\n"},
                              {"= local_index", "= load_input[0, 0]"},
                              {"  return\n", end + "  return\n"}});
}

// A vertex shader has no second width, and stencil values leave a fragment shader 8 lanes: "allow 8
// lanes" would be no help.
TEST(TglBackend, IfNoWidthIsCompiledTheReasonIsWhatTheShaderNeeds) {
  const Shader vertex(
      Full("stage vertex\ninput 0 builtin vertex_index i32 x1\noutput 0 builtin position f32 x4\n",
           "  store_output[0, 0] 1.0f, 1.0f, 1.0f, 1.0f\n"));
  EXPECT_EQ(Widths(Compile(vertex, {})), "scratch_too_large");
  EXPECT_EQ(SpirvIdOf(Compile(vertex, {}).status()), 7u);
  EXPECT_EQ(Widths(Compile(vertex, At({16, 32}))), "vertex_width");
  const Shader fragment(
      Full("stage fragment\ninput 0 builtin primitive_id i32 x1\n"
           "output 0 builtin frag_stencil_ref i32 x1\n",
           "  store_output[0, 0] 1\n"));
  EXPECT_EQ(Widths(Compile(fragment, {})), "scratch_too_large");
  EXPECT_EQ(Widths(Compile(fragment, At({16, 32}))), "fragment_width");
  // 128 threads of 8 lanes; with 16 and 32 the array is too large.
  const Shader compute(absl::StrReplaceAll(
      Doubled(), {{"16, 1, 1\n", "1024, 1, 1\n"}, {"body {", "private 0 200000\nbody {"}}));
  const absl::Status status = Compile(compute, {}).status();
  EXPECT_EQ(CauseOf(status), "scratch_too_large");
  EXPECT_NE(DetailOf(status).what.find("16 lanes"), std::string::npos) << status;
}

TEST(TglBackend, ThirtyTwoLanesOfFragmentsAloneAreRemarkedOn) {
  const Shader shader(kFragment);
  Remarks alone, beside;
  EXPECT_EQ(Widths(Compile(shader, At({32}), &alone)), "SIMD32 ");
  EXPECT_EQ(alone.Count("width_alone"), 1);
  EXPECT_EQ(Widths(Compile(shader, At({16, 32}), &beside)), "SIMD16 SIMD32 ");
  EXPECT_EQ(beside.Count("width_alone"), 0);
}

TEST(TglBackend, StopsWhereItIsAskedTo) {
  const Shader shader(Doubled());
  CompileOptions options;
  options.passes.stop_after = "select";
  const auto stopped = Compile(shader, options);
  ASSERT_TRUE(stopped.ok()) << stopped.status();
  EXPECT_TRUE(stopped->variants.empty());
  const std::atomic<bool> cancelled = true;
  Budget budget;
  budget.cancelled = &cancelled;
  EXPECT_EQ(Compile(shader, {}, nullptr, budget).status().code(), absl::StatusCode::kCancelled);
}

// Verified passes: their statistics are compared with those of the bytes, and nothing else changes.
TEST(TglBackend, VerifyingChangesNoByte) {
  for (const std::string& text : {Doubled(), Crowded(80), std::string(kFragment)}) {
    const Shader shader(text);
    CompileOptions verified;
    verified.passes.verify_each = true;
    const auto a = Compile(shader, {}), b = Compile(shader, verified);
    ASSERT_TRUE(a.ok() && b.ok()) << a.status() << b.status();
    ASSERT_EQ(Widths(a), Widths(b));
    for (size_t i = 0; i < a->variants.size(); ++i) {
      EXPECT_EQ(a->variants[i].code, b->variants[i].code);
    }
  }
}

TEST(TglBackend, DisassemblesWhatItMakes) {
  const Shader shader(Doubled());
  const auto c = Compile(shader, At({16}));
  ASSERT_TRUE(c.ok()) << c.status();
  const auto text = kTglBackend.disassemble(c->variants[0].code);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_NE(text->find("add (16|M0)"), std::string::npos) << *text;
  EXPECT_NE(text->find("EOT"), std::string::npos) << *text;
  EXPECT_EQ(kTglBackend.disassemble(std::vector<uint8_t>(7, 0)).status(),
            absl::InvalidArgumentError("offset 0: truncated instruction"));
}

}  // namespace
}  // namespace kiln::intel
