// Programs of multiview through the whole compiler into the simulator: each view's outputs equal
// those of an interpreter run with the view's number, and go to its layer.
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "client/run/draw.h"
#include "client/run/vertices.h"
#include "core/driver/compile.h"
#include "core/driver/prepared.h"
#include "core/driver/simulate.h"
#include "core/mir/parse.h"
#include "core/oracle/interp.h"
#include "gtest/gtest.h"
#include "tests/diff/draw.h"
#include "tests/diff/vertices.h"
#include "tests/exec/exec.h"

namespace kiln {
namespace {

using nlohmann::json;

// One view; dense, shifted and with gaps; two, three, six, seven, nine and all sixteen views.
constexpr uint32_t kMasks[] = {0,    0x1,  0x20,   0x3,   0x5,    0x7,  0x38,
                               0x2f, 0x29, 0x9357, 0x1ff, 0xbb3f, 0x7f, 0xffff};

constexpr char kVertex[] =
    "mir 1 stage vertex "
    "input 0 location 0.0 f32 x4 input 1 location 1.0 i32 x1 input 2 builtin vertex_index i32 x1 "
    "input 3 builtin instance_index i32 x1 input 4 builtin base_instance i32 x1 "
    "input 5 builtin view_index i32 x1 "
    "output 0 location 0.0 i32 x4 output 1 location 1.0 f32 x1 output 2 builtin position f32 x4 body { "
    "%0:f32, %1:f32, %2:f32, %3:f32 = load_input[0, 0] %4:i32 = load_input[1, 0] "
    "%5:i32 = load_input[2, 0] %6:i32 = load_input[3, 0] %7:i32 = load_input[5, 0] "
    "%8:i32 = load_input[4, 0] %9:i32 = iadd %8, %4 %10:f32 = i2f %7 %11:f32 = fadd %0, %10 "
    "store_output[0, 0] %5, %6, %7, %9 store_output[1, 0] %10 store_output[2, 0] %11, %1, %2, %3 "
    "return }";
// Reads neither a view nor an instance: the layer must be written nevertheless.
constexpr char kPlainVertex[] =
    "mir 1 stage vertex input 0 location 0.0 f32 x4 output 0 builtin position f32 x4 body { "
    "%0:f32, %1:f32, %2:f32, %3:f32 = load_input[0, 0] store_output[0, 0] %0, %1, %2, %3 return }";
constexpr char kFragment[] =
    "mir 1 stage fragment input 0 location 0.0 f32 x1 input 1 builtin view_index i32 x1 "
    "output 0 location 0.0 f32 x2 body { "
    "%0:i32 = load_input[1, 0] %1:f32 = i2f %0 %2:f32 = load_input[0, 0] %3:f32 = fadd %1, %2 "
    "store_output[0, 0] %1, %3 return }";

absl::StatusOr<Compiled> CompileFor(const mir::Module& module, uint32_t mask, int width) {
  const auto prepared = PrepareMir(module, {}, nullptr, {});
  if (!prepared.ok()) return prepared.status();
  CompileOptions options;
  options.state.view_mask = mask;
  if (module.stage == mir::Stage::kVertex) options.state.instance_rates = {{1, 1}};
  options.widths = {width};
  options.passes.verify_each = true;
  return Compile(**prepared, exec::TestTarget(), options, nullptr, {});
}

bool IsGfx1030() { return exec::TestTarget() == Target::kGfx1030; }

// Runs the job's vertices in the simulator. `fused`: see sim::eu::Options.
absl::StatusOr<sim::scene::VertexInputs> RunVertices(const Variant& v, const json& job,
                                                     bool fused) {
  sim::scene::Dispatch dispatch;
  absl::StatusOr<sim::scene::VertexInputs> draw =
      client::run::ReadVertices(nlohmann::json::parse(job.dump()), v.launch.vertex);
  if (!draw.ok()) return draw.status();
  dispatch.vertices = *std::move(draw);
  SimulationOptions options;
  if (fused) options.switches = {"fusion"};
  const auto stats = Simulate(exec::TestTarget(), v.code, v.launch, options, dispatch);
  if (!stats.ok()) return stats.status();
  return *std::move(dispatch.vertices);
}

// Returns a component of an output of a run: at a location, or else of a built-in.
uint32_t At(const sim::scene::VertexInputs& got, uint32_t run, const std::string& builtin,
            uint32_t location, size_t component) {
  for (const sim::scene::VertexOutput& o : got.outputs) {
    if (o.builtin != builtin || (builtin.empty() && o.location != location)) continue;
    return got
        .entries[got.At(run, o.components[component].slot, o.components[component].component)];
  }
  ADD_FAILURE() << "no output " << builtin << location;
  return 0;
}

void ExpectSame(const std::string& program, uint32_t mask, int width) {
  const absl::StatusOr<mir::Module> module = mir::Parse(program);
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<Compiled> compiled = CompileFor(*module, mask, width);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  // Three vertices: threads hold several instances and views.
  const json job = {{"count", 3},
                    {"instances", 5},
                    {"first_instance", 2},
                    {"view_mask", mask},
                    {"inputs",
                     {{{"location", 0}, {"f32", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}},
                      {{"location", 1}, {"rate", "instance"}, {"i32", {0, 0, 7, 5, 3, 2, 1}}}}}};
  oracle::LaunchInputs inputs;
  const absl::StatusOr<diff::RanVertices> want = diff::RunVertices(*module, job, inputs, {});
  ASSERT_TRUE(want.ok()) << want.status();
  const auto views = static_cast<uint32_t>(std::popcount(mask));
  for (const bool fused : {false, true}) {
    if (fused && IsGfx1030()) continue;
    const auto got = RunVertices(compiled->variants[0], job, fused);
    ASSERT_TRUE(got.ok()) << got.status();
    ASSERT_EQ(got->Runs(), 15u * std::max(1u, views));
    for (const json& output : want->outputs) {
      const std::string bytes = absl::HexStringToBytes(output["hex"].get<std::string>());
      ASSERT_EQ(bytes.size(), 4 * got->Runs());
      for (uint32_t run = 0; run < got->Runs(); ++run) {
        uint32_t dword = 0;
        std::memcpy(&dword, &bytes[4 * run], 4);
        EXPECT_EQ(At(*got, run, output.value("builtin", ""), output.value("location", 0u),
                     output["component"]),
                  dword)
            << output.dump() << " run " << run;
      }
    }
    for (uint32_t run = 0; run < got->Runs(); ++run) {
      uint32_t left = mask;
      for (uint32_t n = mask == 0 ? 0 : run / 3 % views; n > 0; --n) left &= left - 1;
      const uint32_t view = left == 0 ? 0 : static_cast<uint32_t>(std::countr_zero(left));
      if (mask != 0) {
        EXPECT_EQ(At(*got, run, "layer", 0, 0), view) << "layer of run " << run;
      }
      if (IsGfx1030()) continue;
      EXPECT_EQ(got->entries[got->At(run, 0, 1)], view) << "layer of run " << run;
      for (const uint32_t c : {0u, 2u, 3u}) EXPECT_EQ(got->entries[got->At(run, 0, c)], 0u);
    }
  }
}

TEST(Views, OfVertices) {
  for (const uint32_t mask : kMasks) {
    SCOPED_TRACE(absl::StrCat("mask ", mask));
    for (const int width : IsGfx1030() ? std::vector<int>{32, 64} : std::vector<int>{8}) {
      ExpectSame(kVertex, mask, width);
      ExpectSame(kPlainVertex, mask, width);
    }
  }
}

TEST(Views, OfFragments) {
  const absl::StatusOr<mir::Module> module = mir::Parse(kFragment);
  ASSERT_TRUE(module.ok()) << module.status();
  for (const uint32_t mask : kMasks) {
    const json draw = {{"width", 4},
                       {"height", 4},
                       {"view_mask", mask},
                       {"positions", {{-1, -1, 0, 1}, {2, -1, 0, 1}, {-1, 2, 0, 1}}},
                       {"inputs", {{{"location", 0}, {"f32", {1, 1, 1}}}}}};
    oracle::LaunchInputs inputs;
    const absl::StatusOr<diff::Drawn> want = diff::Draw(*module, draw, inputs, {});
    ASSERT_TRUE(want.ok()) << want.status();
    for (const int width : exec::WidthsOf(exec::TestTarget())) {
      const absl::StatusOr<Compiled> compiled = CompileFor(*module, mask, width);
      ASSERT_TRUE(compiled.ok()) << compiled.status();
      const Variant& v = compiled->variants[0];
      sim::scene::Dispatch dispatch;
      absl::StatusOr<sim::scene::FragmentInputs> in = client::run::ReadDraw(draw, v.launch);
      ASSERT_TRUE(in.ok()) << in.status();
      dispatch.draw = *std::move(in);
      const auto stats = Simulate(exec::TestTarget(), v.code, v.launch, {}, dispatch);
      ASSERT_TRUE(stats.ok()) << stats.status();
      const std::vector<uint32_t>& texels = dispatch.draw->targets[0].texels;
      const std::string bytes = absl::HexStringToBytes(want->colors[0]["hex"].get<std::string>());
      ASSERT_EQ(bytes.size(), 4 * texels.size());
      for (size_t i = 0; i < texels.size(); ++i) {
        uint32_t dword = 0;
        std::memcpy(&dword, &bytes[4 * i], 4);
        if (i % 4 > 1) continue;  // components that the program does not write
        EXPECT_EQ(texels[i], dword) << "mask " << mask << " lanes " << width << " dword " << i;
      }
    }
  }
}

}  // namespace
}  // namespace kiln
