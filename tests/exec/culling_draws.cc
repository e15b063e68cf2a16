// See culling_draws.h.
#include "tests/exec/culling_draws.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/driver/prepared.h"
#include "core/mir/parse.h"

namespace kiln::exec {

using sim::scene::ClipPosition;
using sim::scene::VertexInputs;

const char kCullingProgram[] =
    "mir 1\nentry \"main\"\nstage vertex\n"
    "input 0 location 0.0 f32 x4\ninput 1 location 1.0 f32 x2\n"
    "input 2 builtin vertex_index i32 x1\ninput 3 builtin instance_index i32 x1\n"
    "output 0 location 3.0 i32 x2\noutput 1 location 4.0 f32 x2\n"
    "output 2 builtin position f32 x4\n"
    "body {\n"
    "%0:f32, %1:f32, %2:f32, %3:f32 = load_input[0, 0]\n"
    "%4:f32, %5:f32 = load_input[1, 0]\n"
    "%6:i32 = load_input[2, 0]\n%7:i32 = load_input[3, 0]\n"
    "store_output[0, 0] %6, %7\n"
    "%8:f32 = fadd %4, %0\nstore_output[1, 0] %8, %5\n"
    "store_output[2, 0] %0, %1, %2, %3\n"
    "return\n}\n";

absl::StatusOr<Compiled> CompileCulling(const std::string& text, PrimitiveCulling culling,
                                        uint32_t group) {
  const auto module = mir::Parse(text);
  if (!module.ok()) return module.status();
  const auto prepared = PrepareMir(*module, {}, nullptr, {});
  if (!prepared.ok()) return prepared.status();
  CompileOptions options;
  options.passes.verify_each = true;
  options.state.primitive_culling = culling;
  options.ngg_group = group;
  return Compile(**prepared, Target::kGfx1030, options, nullptr, {});
}

namespace {

using Random = std::mt19937;

float Coordinate(Random& random, float most) {
  return std::uniform_real_distribution<float>(-most, most)(random);
}

ClipPosition RandomPosition(Random& random, DrawKind kind, const ClipPosition& last) {
  const auto projected = [&](float x, float y, float w) -> ClipPosition {
    return {x * w, y * w, 0.5f * w, w};
  };
  const float w = std::exp2(static_cast<float>(static_cast<int>(random() % 5) - 2));
  switch (kind) {
    case DrawKind::kLarge: return projected(Coordinate(random, 1), Coordinate(random, 1), w);
    case DrawKind::kBeyond: return projected(Coordinate(random, 4), Coordinate(random, 4), w);
    case DrawKind::kSmall: {
      const float x = last[0] / last[3] + Coordinate(random, 0.06f);
      const float y = last[1] / last[3] + Coordinate(random, 0.06f);
      const bool ends = !(std::abs(x) < 1 && std::abs(y) < 1);
      return ends ? projected(Coordinate(random, 0.5f), Coordinate(random, 0.5f), w)
                  : projected(x, y, w);
    }
    case DrawKind::kGrid: {
      const auto step = [&] { return (static_cast<float>(random() % 9) - 4) / 4; };
      const float x = step();
      return projected(x, step(), w);
    }
    case DrawKind::kMixedSigns: {
      const float sign = random() % 3 == 0 ? -1.f : 1.f;
      return projected(Coordinate(random, 2), Coordinate(random, 2), sign * w);
    }
    case DrawKind::kNotFinite: {
      ClipPosition p = projected(Coordinate(random, 1), Coordinate(random, 1), w);
      const float odd[] = {std::numeric_limits<float>::quiet_NaN(),
                           std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity(), 0.f, -0.f};
      if (random() % 4 == 0) p[random() % 4] = odd[random() % 5];
      return p;
    }
    case DrawKind::kAllOutside:
      return projected(2 + Coordinate(random, 0.5f), Coordinate(random, 1), w);
    case DrawKind::kAllInside: {
      // Consecutive triangles are wide and high.
      const float x = last[0] / last[3] > 0 ? -0.9f : 0.9f, y = last[1] / last[3];
      const float next = y < -0.25f ? 0 : y < 0.25f ? 0.5f : -0.5f;
      return projected(x + Coordinate(random, 0.05f), next + Coordinate(random, 0.1f), w);
    }
  }
  return {};
}

}  // namespace

VertexInputs RandomDraw(Random& random, DrawKind kind, uint32_t count, uint32_t instances) {
  VertexInputs draw;
  draw.count = count;
  draw.instances = instances;
  draw.first_vertex = static_cast<int32_t>(random() % 3);
  const uint32_t vertices = count + static_cast<uint32_t>(draw.first_vertex);
  const uint32_t one = std::bit_cast<uint32_t>(1.0f);
  sim::scene::VertexInput position = {0, false, 1, 4, one, {}};
  sim::scene::VertexInput other = {1, false, 1, 2, one, {}};
  ClipPosition last = {0, 0, 0, 1};
  for (uint32_t v = 0; v < vertices; ++v) {
    last = random() % 8 == 0 && kind == DrawKind::kGrid ? last : RandomPosition(random, kind, last);
    for (const float x : last) position.bits.push_back(std::bit_cast<uint32_t>(x));
    for (int c = 0; c < 2; ++c) {
      other.bits.push_back(std::bit_cast<uint32_t>(Coordinate(random, 10)));
    }
  }
  draw.inputs = {position, other};
  return draw;
}

std::array<float, 4> AttributeAt(const VertexInputs& draw, size_t number, uint32_t run) {
  const std::array<uint32_t, 4> bits =
      sim::scene::FetchVertex(draw, draw.inputs[number], sim::scene::RunAt(draw, run));
  std::array<float, 4> p;
  for (size_t c = 0; c < 4; ++c) p[c] = std::bit_cast<float>(bits[c]);
  return p;
}

JudgedVertex VertexAt(const VertexInputs& draw, uint32_t run) {
  return {AttributeAt(draw, 0, run)};
}

std::string DifferenceFromWhole(const CulledRun& run, const VertexInputs& whole) {
  const VertexInputs& got = *run.dispatch.vertices;
  const std::vector<bool> needed = NeededRuns(run);
  for (uint32_t r = 0; r < got.Runs(); ++r) {
    for (size_t at = got.At(r, 0, 0); at < got.At(r + 1, 0, 0); ++at) {
      if (got.written[at] == 0 && !needed[r]) continue;
      if (got.written[at] != whole.written[at] || got.entries[at] != whole.entries[at]) {
        return absl::StrCat("run ", r, " dword ", at, ": ", got.entries[at], " instead of ",
                            whole.entries[at]);
      }
    }
  }
  return "";
}

}  // namespace kiln::exec
