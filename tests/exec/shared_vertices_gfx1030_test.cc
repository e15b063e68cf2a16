// Vertex programs of gfx1030, culling and not, on meshes: triangles that share vertices.
//
// Workgroups then have more primitives than vertices, waves that have primitives and no vertices,
// vertices of several instances, and up to 251 vertices and 256 primitives. Each run of a vertex
// must have the outputs that the program which does not cull has where nothing is shared.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/amd/isa/disasm.h"
#include "core/amd/perf/program.h"
#include "core/sim/rdna2/input_assembly.h"
#include "core/sim/scene/vertex.h"
#include "gtest/gtest.h"
#include "tests/exec/culling.h"
#include "tests/exec/culling_draws.h"

namespace kiln::exec {
namespace {

using sim::rdna2::InputAssembly;
using sim::scene::Dispatch;
using sim::scene::VertexInputs;
using Topology = InputAssembly::Topology;

// Indices of a grid of columns x rows vertices, and where its strips or fans begin.
struct Mesh {
  uint32_t vertices = 0;
  std::vector<uint32_t> indices = {};
  InputAssembly assembly = {};
};

Mesh GridList(uint32_t columns, uint32_t rows) {
  Mesh mesh = {columns * rows, {}, {Topology::kTriangleList, {}, true}};
  for (uint32_t y = 0; y + 1 < rows; ++y) {
    for (uint32_t x = 0; x + 1 < columns; ++x) {
      const uint32_t a = y * columns + x, b = a + columns;
      mesh.indices.insert(mesh.indices.end(), {a, a + 1, b, b, a + 1, b + 1});
    }
  }
  return mesh;
}

Mesh GridStrips(uint32_t columns, uint32_t rows) {
  Mesh mesh = {columns * rows, {}, {Topology::kTriangleStrip, {}, true}};
  for (uint32_t y = 0; y + 1 < rows; ++y) {
    if (y != 0) mesh.assembly.restarts.push_back(static_cast<uint32_t>(mesh.indices.size()));
    for (uint32_t x = 0; x < columns; ++x) {
      mesh.indices.insert(mesh.indices.end(), {y * columns + x, (y + 1) * columns + x});
    }
  }
  return mesh;
}

// A fan around every second vertex of every second row.
Mesh GridFans(uint32_t columns, uint32_t rows) {
  Mesh mesh = {columns * rows, {}, {Topology::kTriangleFan, {}, true}};
  for (uint32_t y = 1; y + 1 < rows; y += 2) {
    for (uint32_t x = 1; x + 1 < columns; x += 2) {
      if (!mesh.indices.empty()) {
        mesh.assembly.restarts.push_back(static_cast<uint32_t>(mesh.indices.size()));
      }
      const uint32_t c = y * columns + x, up = c - columns, down = c + columns;
      mesh.indices.insert(mesh.indices.end(),
                          {c, up - 1, up, up + 1, c + 1, down + 1, down, down - 1, c - 1, up - 1});
    }
  }
  return mesh;
}

Dispatch DrawOf(std::mt19937& random, const Mesh& mesh, DrawKind kind, uint32_t instances) {
  Dispatch dispatch;
  VertexInputs draw = RandomDraw(random, kind, mesh.vertices, instances);
  draw.count = static_cast<uint32_t>(mesh.indices.size());
  draw.indices = mesh.indices;
  dispatch.vertices = std::move(draw);
  return dispatch;
}

struct Program {
  Variant plain, culling;
};

std::vector<Program> ProgramsFor(uint32_t group) {
  const auto plain = CompileCulling(kCullingProgram, PrimitiveCulling::kOff, group);
  const auto culling = CompileCulling(kCullingProgram, PrimitiveCulling::kOn, group);
  EXPECT_TRUE(plain.ok() && culling.ok()) << plain.status() << culling.status();
  std::vector<Program> programs;
  for (size_t i = 0; i < 2; ++i) programs.push_back({plain->variants[i], culling->variants[i]});
  return programs;
}

// Returns "" or what is wrong with a run of a program on a draw. `whole`: the outputs that it has
// where no vertex is shared.
std::string FaultOf(const Variant& variant, const Dispatch& dispatch, const VertexInputs& whole,
                    const InputAssembly& assembly, const CullingRequest& request, bool opposite) {
  const auto run = SimulateCulled(variant, dispatch, request, opposite, assembly);
  if (!run.ok()) return std::string(run.status().message());
  const auto vertex = [&](uint32_t r) { return VertexAt(whole, r); };
  CullingCounts counts;
  std::string wrong = CullingFault(*run, request, false, vertex, &counts);
  if (wrong.empty()) wrong = DifferenceFromWhole(*run, whole);
  const std::vector<bool> needed = NeededRuns(*run);
  const bool some = std::find(needed.begin(), needed.end(), true) != needed.end();
  if (wrong.empty() && request.bits == 0 && (counts.left_out != 0 || !some)) {
    wrong = "primitives are left out that nothing asks for";
  }
  return wrong;
}

void Judge(const Mesh& mesh, uint32_t group, uint32_t instances, bool joined) {
  InputAssembly assembly = mesh.assembly;
  assembly.joins_instances = joined;
  for (const Program& program : ProgramsFor(group)) {
    for (const DrawKind kind : kDrawKinds) {
      std::mt19937 random(group + mesh.vertices + 64 * static_cast<uint32_t>(kind));
      const Dispatch dispatch = DrawOf(random, mesh, kind, instances);
      // Without reuse every place of the list is a vertex of its own.
      const auto whole = SimulateCulled(program.plain, dispatch, {}, false);
      ASSERT_TRUE(whole.ok()) << whole.status();
      const VertexInputs& want = *whole->dispatch.vertices;
      for (const bool opposite : {false, true}) {
        ASSERT_EQ(FaultOf(program.plain, dispatch, want, assembly, {}, opposite), "");
      }
      for (const CullingRequest& request : kRequests) {
        ASSERT_EQ(FaultOf(program.culling, dispatch, want, assembly, request, random() % 2 == 0),
                  "")
            << program.culling.name << " group " << group << " vertices " << mesh.vertices
            << " kind " << static_cast<int>(kind) << " bits " << request.bits;
      }
    }
  }
}

TEST(SharedVertices, Lists) {
  // 64 vertices and 98 primitives: the second wave of 64 lanes has primitives alone.
  Judge(GridList(8, 8), 128, 1, false);
  Judge(GridList(3, 3), 128, 30, true);
}

TEST(SharedVertices, StripsAndFans) {
  Judge(GridStrips(17, 4), 128, 2, true);
  Judge(GridFans(9, 7), 128, 2, true);
}

TEST(SharedVertices, LargestWorkgroups) {
  // 256 primitives of 81 and of 153 vertices; and 251 vertices, of fewer primitives.
  Judge(GridList(9, 17), 256, 1, false);
  Judge(GridList(9, 9), 256, 3, true);
  Judge(GridStrips(2, 260), 256, 1, false);
}

// ---- Mutations.

// Makes words that put other masks in the place of those that a program computes from counts.
//
// Mutations: all lanes instead of those of a count; and, where the mask of the lanes that have a
// vertex meets that of vertices which a primitive marked, the second alone. All lanes for the first
// by itself changes nothing: lanes without a vertex only write records that no primitive marks.
class OtherMasks {
 public:
  explicit OtherMasks(int width) : width_(width) {}

  // Returns the word for the program's next instruction, if it is mutated.
  std::optional<uint32_t> For(const amd::isa::Instruction& inst) {
    using amd::isa::Opcode;
    switch (inst.op) {
      case Opcode::kSBfeU64: return Move(inst, amd::isa::kIntMinus1);
      case Opcode::kVCmpLtU32:
      case Opcode::kVCmpGtU32:
        if (own_vertices_) return Move(inst, amd::isa::kIntMinus1);
        own_vertices_ = inst.dst;
        return std::nullopt;
      case Opcode::kSAndB32:
      case Opcode::kSAndB64:
        if (inst.src[0] == own_vertices_) return Move(inst, inst.src[1].code);
        if (inst.src[1] == own_vertices_) return Move(inst, inst.src[0].code);
        return std::nullopt;
      default: return std::nullopt;
    }
  }

 private:
  uint32_t Move(const amd::isa::Instruction& inst, uint32_t source) const {
    constexpr uint32_t kMoveB32 = 0xbe800300, kMoveB64 = 0xbe800400;  // s_mov_b32, s_mov_b64
    const uint32_t to = inst.dst.exists() ? inst.dst.code : amd::isa::kVccLo;
    return (width_ == 64 ? kMoveB64 : kMoveB32) | to << 16 | source;
  }

  const int width_;
  std::optional<amd::isa::Operand> own_vertices_;  // the first comparison's result
};

// Each mask of the lanes that have a vertex, or a primitive, is needed where the last waves have
// primitives and no vertices.
TEST(SharedVertices, MasksOfLanesAreNeeded) {
  constexpr uint32_t kNop = 0xbf800000;  // s_nop 0
  const Mesh mesh = GridList(8, 8);
  int mutations = 0;
  for (const Program& program : ProgramsFor(128)) {
    std::mt19937 random(5);
    const Dispatch dispatch = DrawOf(random, mesh, DrawKind::kLarge, 1);
    const auto whole = SimulateCulled(program.plain, dispatch, {}, false);
    ASSERT_TRUE(whole.ok()) << whole.status();
    for (const Variant* v : {&program.plain, &program.culling}) {
      const auto fault = [&](const Variant& variant) {
        std::string wrong;
        for (const CullingRequest& request : kRequests) {
          for (const bool opposite : {false, true}) {
            if (!wrong.empty() || (v == &program.plain && request.bits != 0)) continue;
            wrong = FaultOf(variant, dispatch, *whole->dispatch.vertices, mesh.assembly, request,
                            opposite);
          }
        }
        return wrong;
      };
      ASSERT_EQ(fault(*v), "");
      const auto decoded = amd::DecodeCode(v->code);
      ASSERT_TRUE(decoded.ok()) << decoded.status();
      OtherMasks masks(v->width);
      for (const amd::isa::PlacedInstruction& p : *decoded) {
        const std::optional<uint32_t> word = masks.For(p.inst);
        if (!word) continue;
        Variant changed = *v;
        std::memcpy(&changed.code[p.offset], &*word, 4);
        if (p.length == 8) std::memcpy(&changed.code[p.offset + 4], &kNop, 4);
        ++mutations;
        EXPECT_NE(fault(changed), "")
            << v->name << " with " << std::hex << *word << " instead of "
            << amd::isa::Disassemble(p.inst,
                                     v->width == 64 ? amd::isa::Wave::k64 : amd::isa::Wave::k32)
            << " at " << std::dec << p.offset;
      }
    }
  }
  EXPECT_GE(mutations, 10);
}

}  // namespace
}  // namespace kiln::exec
