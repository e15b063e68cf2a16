// Vertex programs of gfx1030 over workgroups of several waves, and over several workgroups: all
// vertices and primitives are exported, whichever lanes a wave has. random_vertices judges what
// programs compute; its draws fit one wave.
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/driver/compile.h"
#include "core/driver/prepared.h"
#include "core/driver/simulate.h"
#include "core/mir/parse.h"
#include "core/out/launch_record.h"
#include "core/sim/scene/vertex.h"
#include "gtest/gtest.h"
#include "tests/exec/findings.h"

namespace kiln {
namespace {

using sim::scene::Dispatch;
using sim::scene::VertexInputs;

constexpr Target kTarget = Target::kGfx1030;

absl::StatusOr<Compiled> Compiled32And64(const std::string& interfaces, const std::string& body,
                                         const PipelineState& state = {}) {
  const auto module = mir::Parse(absl::StrCat("mir 1\nentry \"main\"\nstage vertex\n", interfaces,
                                              "body {\n", body, "return\n}\n"));
  if (!module.ok()) return module.status();
  const auto prepared = PrepareMir(*module, {}, nullptr, {});
  if (!prepared.ok()) return prepared.status();
  CompileOptions options;
  options.passes.verify_each = true;
  options.state = state;
  // culling_gfx1030_test has programs that cull.
  options.state.primitive_culling = PrimitiveCulling::kOff;
  return Compile(**prepared, kTarget, options, nullptr, {});
}

// Runs vertices 0 to count - 1; location 0 of each is its number, twice, and its square.
absl::StatusOr<VertexInputs> Draw(const Variant& v, uint32_t count, bool opposite) {
  Dispatch dispatch;
  VertexInputs& draw = dispatch.vertices.emplace();
  draw.count = count;
  draw.inputs = {{0, false, 1, 3, std::bit_cast<uint32_t>(1.0f), {}}};
  for (uint32_t i = 0; i < count; ++i) {
    const auto n = static_cast<float>(i);
    for (const float x : {n, n, n * n}) draw.inputs[0].bits.push_back(std::bit_cast<uint32_t>(x));
  }
  SimulationOptions options;
  options.opposite = opposite;
  const auto run = Simulate(kTarget, v.code, v.launch, options, dispatch);
  if (!run.ok()) return run.status();
  return *std::move(dispatch.vertices);
}

uint32_t At(const VertexInputs& got, size_t output, uint32_t run, uint32_t component) {
  const auto& c = got.outputs[output].components[component];
  EXPECT_EQ(got.written[got.At(run, c.slot, c.component)], 1) << output << " of run " << run;
  return got.entries[got.At(run, c.slot, c.component)];
}

// Counts for which the last wave, or workgroup, has vertices alone, primitives alone, or few of
// either.
constexpr uint32_t kCounts[] = {1,  2,  3,   31,  32,  33,  34,  64, 65,
                                66, 67, 127, 128, 129, 130, 131, 300};

void ExpectAll(const absl::StatusOr<Compiled>& compiled) {
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  ASSERT_EQ(compiled->variants.size(), 2u);
  for (const Variant& v : compiled->variants) {
    EXPECT_EQ(exec::Findings(kTarget, v), "");
    for (const uint32_t count : kCounts) {
      for (const bool opposite : {false, true}) {
        const auto got = Draw(v, count, opposite);
        ASSERT_TRUE(got.ok()) << v.name << " " << count << ": " << got.status();
        for (uint32_t run = 0; run < count; ++run) {
          const auto n = static_cast<float>(run);
          EXPECT_EQ(At(*got, 0, run, 0), std::bit_cast<uint32_t>(n));
          EXPECT_EQ(At(*got, 0, run, 2), std::bit_cast<uint32_t>(n * n));
          EXPECT_EQ(At(*got, 0, run, 3), std::bit_cast<uint32_t>(1.0f));
        }
      }
    }
  }
}

constexpr char kInterfaces[] =
    "input 0 location 0.0 f32 x4\ninput 1 builtin vertex_index i32 x1\n"
    "output 0 location 3.0 f32 x2\noutput 1 builtin position f32 x4\n";
constexpr char kBody[] =
    "%0:f32, %1:f32, %2:f32, %3:f32 = load_input[0, 0]\n"
    "store_output[1, 0] %0, %1, %2, %3\n";

TEST(PrimitiveShaders, ExportAllVertices) {
  PipelineState state;
  state.next_stage_reads.emplace();
  ExpectAll(Compiled32And64(kInterfaces, kBody, state));
}

TEST(PrimitiveShaders, ExportParameters) {
  const auto compiled =
      Compiled32And64(kInterfaces, absl::StrCat(kBody, "store_output[0, 0] %0, %2\n"));
  ExpectAll(compiled);
  ASSERT_TRUE(compiled.ok());
  const auto got = Draw(compiled->variants[0], 200, false);
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_EQ(got->outputs.size(), 2u);
  EXPECT_EQ(At(*got, 1, 199, 1), std::bit_cast<uint32_t>(199.0f * 199.0f));
}

// The simulator holds each exported number against that of the lane's primitive.
TEST(PrimitiveShaders, ExportNumbersOfPrimitives) {
  for (const char* more : {"", "store_output[0, 0] %0, %2\n"}) {
    const auto compiled = Compiled32And64(kInterfaces, absl::StrCat(kBody, more));
    ExpectAll(compiled);
    ASSERT_TRUE(compiled.ok());
    const auto& parameters = out::AmdOf(compiled->variants[0].launch).vertex.parameters;
    ASSERT_FALSE(parameters.empty());
    EXPECT_EQ(parameters[0].builtin, "primitive_id");
    EXPECT_EQ(parameters[0].spi_ps_input_cntl, *more == '\0' ? 0u : 1u);
  }
}

// Each vertex finds what it stored, at an index that the compiler cannot know to be the same: a
// float attribute that is the vertex's number.
TEST(PrimitiveShaders, HaveScratchOfTheirOwn) {
  const auto compiled = Compiled32And64(
      absl::StrCat("private 0 256\n", kInterfaces),
      "%0:f32, %1:f32, %2:f32, %3:f32 = load_input[0, 0]\n%4:i32 = load_input[1, 0]\n"
      "%5:i32 = and %4, 63\n%6:i32 = shl %5, 2\nstore_private[0, align 4] %6, %2\n"
      "%7:i32 = f2i %0\n%8:i32 = and %7, 63\n%9:i32 = shl %8, 2\n"
      "%10:f32 = load_private[0, align 4] %9\nstore_output[1, 0] %0, %1, %10, %3\n");
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  EXPECT_GT(compiled->variants[0].launch.scratch_bytes_per_thread, 0u);
  ExpectAll(compiled);
}

}  // namespace
}  // namespace kiln
