// Vertex programs of gfx1030 that cull, run on draws of random triangles.
//
// culling.h judges what is left out. Vertices of the others have the outputs that the same module
// has where nothing is culled. The simulator refuses exports that are not of the room requested,
// primitives that are not in the order given, and accesses to LDS that a barrier does not part.
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/amd/isa/disasm.h"
#include "core/amd/perf/program.h"
#include "core/sim/scene/vertex.h"
#include "gtest/gtest.h"
#include "tests/exec/culling.h"
#include "tests/exec/culling_draws.h"
#include "tests/exec/findings.h"

namespace kiln::exec {
namespace {

using sim::scene::Dispatch;
using sim::scene::VertexInputs;

// kCullingProgram with distances: two to clip by, of which the first is attribute 1's, one to cull
// by.
const std::string kProgramOfDistances =
    "mir 1\nentry \"main\"\nstage vertex\n"
    "input 0 location 0.0 f32 x4\ninput 1 location 1.0 f32 x2\n"
    "input 2 builtin vertex_index i32 x1\ninput 3 builtin instance_index i32 x1\n"
    "output 0 location 3.0 i32 x2\noutput 1 builtin position f32 x4\n"
    "output 2 builtin clip_distance f32 x1 array 2\n"
    "output 3 builtin cull_distance f32 x1 array 1\n"
    "body {\n"
    "%0:f32, %1:f32, %2:f32, %3:f32 = load_input[0, 0]\n"
    "%4:f32, %5:f32 = load_input[1, 0]\n"
    "%6:i32 = load_input[2, 0]\n%7:i32 = load_input[3, 0]\n"
    "store_output[0, 0] %6, %7\n"
    "store_output[1, 0] %0, %1, %2, %3\n"
    "%8:f32 = fsub %4, %5\n%9:f32 = fsub 1f, %5\n"
    "store_output.indexed[2, 0] 0, %4\nstore_output.indexed[2, 0] 1, %8\n"
    "store_output.indexed[3, 0] 0, %9\n"
    "return\n}\n";

// A program that chooses one of four buffers by the vertex's number, for the position and for the
// rest: loops over the numbers of lanes.
const std::string kProgramOfWaterfalls =
    "mir 1\nentry \"main\"\nstage vertex\nresource 0 ssbo 0.0.0 array 4\n"
    "input 0 location 0.0 f32 x4\ninput 1 location 1.0 f32 x2\n"
    "input 2 builtin vertex_index i32 x1\n"
    "output 0 location 3.0 i32 x2\noutput 1 builtin position f32 x4\n"
    "body {\n"
    "%0:f32, %1:f32, %2:f32, %3:f32 = load_input[0, 0]\n"
    "%4:i32 = load_input[2, 0]\n%5:i32 = and %4, 3\n%6:i32 = ushr %4, 1\n%7:i32 = and %6, 3\n"
    "%8:f32 = load_ssbo.nonuniform.indexed[0, align 4] %5, 0\n"
    "%9:f32 = fadd %3, %8\n"  // 0 is added
    "store_output[1, 0] %0, %1, %2, %9\n"
    "%10:i32 = load_ssbo.nonuniform.indexed[0, align 4] %7, 4\n"
    "store_output[0, 0] %10, %4\n"
    "return\n}\n";

// Returns what kProgramOfDistances makes of a run.
JudgedVertex VertexWithDistancesAt(const VertexInputs& draw, uint32_t run) {
  const std::array<float, 4> other = AttributeAt(draw, 1, run);
  const float distances[] = {other[0], other[0] - other[1], 1 - other[1]};
  JudgedVertex v = VertexAt(draw, run);
  for (uint32_t i = 0; i < 3; ++i) v.outside |= (distances[i] < 0 ? 1u : 0u) << i;
  return v;
}

// Returns buffers for kProgramOfWaterfalls: 0, and a number of its own.
std::vector<sim::scene::ClientBuffer> FourBuffers() {
  std::vector<sim::scene::ClientBuffer> buffers(4);
  for (uint32_t i = 0; i < 4; ++i) {
    buffers[i].where = {0, 0, i};
    buffers[i].bytes.resize(8);
    buffers[i].bytes[4] = static_cast<uint8_t>(100 + 7 * i);
  }
  return buffers;
}

void Judge(uint32_t group, uint32_t count, uint32_t instances, bool enough,
           const std::string& program = kCullingProgram) {
  const bool distances = program == kProgramOfDistances;
  const auto plain = CompileCulling(program, PrimitiveCulling::kOff, group);
  const auto culling = CompileCulling(program, PrimitiveCulling::kOn, group);
  ASSERT_TRUE(plain.ok()) << plain.status();
  ASSERT_TRUE(culling.ok()) << culling.status();
  ASSERT_EQ(culling->variants.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    const Variant& v = culling->variants[i];
    EXPECT_EQ(Findings(Target::kGfx1030, v), "");
    for (const DrawKind kind : kDrawKinds) {
      std::mt19937 random(group + count + 64 * static_cast<uint32_t>(kind));
      Dispatch dispatch;
      dispatch.vertices = RandomDraw(random, kind, count, instances);
      dispatch.buffers = FourBuffers();
      const auto vertex = [&](uint32_t run) {
        return distances ? VertexWithDistancesAt(*dispatch.vertices, run)
                         : VertexAt(*dispatch.vertices, run);
      };
      const auto whole = SimulateCulled(plain->variants[i], dispatch, {}, false);
      ASSERT_TRUE(whole.ok()) << whole.status();
      for (const CullingRequest& request : kRequests) {
        const std::string name = absl::StrCat(v.name, " group ", group, " count ", count, " kind ",
                                              static_cast<int>(kind), " bits ", request.bits,
                                              " samples ", request.samples);
        const auto run = SimulateCulled(v, dispatch, request, random() % 2 == 0);
        ASSERT_TRUE(run.ok()) << name << ": " << run.status();
        ASSERT_EQ(run->primitives.size(), whole->primitives.size());
        CullingCounts counts;
        const bool culls = request.bits != 0 && enough;
        ASSERT_EQ(CullingFault(*run, request, culls, vertex, &counts), "") << name;
        ASSERT_EQ(DifferenceFromWhole(*run, *whole->dispatch.vertices), "") << name;
        const bool faces = (request.bits & (kCullFront | kCullBack)) != 0;
        if (request.bits == 0 || (kind == DrawKind::kAllInside && !faces)) {
          EXPECT_EQ(counts.left_out, request.bits == 0 ? 0 : counts.outside) << name;
        }
        if (culls && distances) {
          EXPECT_GT(counts.outside, 0) << name;
        }
        if (culls && kind == DrawKind::kAllOutside) {
          EXPECT_EQ(counts.left_out, counts.primitives) << name;
        }
      }
    }
  }
}

TEST(Culling, OneWaveOrSeveral) {
  for (const uint32_t count : {18u, 32u, 33u, 64u, 65u, 96u, 128u}) Judge(128, count, 1, true);
}

TEST(Culling, SeveralWorkgroups) { Judge(128, 150, 2, true); }

TEST(Culling, LargeWorkgroups) {
  for (const uint32_t count : {129u, 251u, 280u}) Judge(256, count, 1, true);
}

TEST(Culling, Distances) {
  for (const uint32_t count : {32u, 65u}) Judge(128, count, 2, true, kProgramOfDistances);
  Judge(256, 150, 1, true, kProgramOfDistances);
  Judge(128, 17, 1, false, kProgramOfDistances);
}

TEST(Culling, DescriptorsChosenByValue) {
  for (const uint32_t count : {18u, 65u}) Judge(128, count, 2, true, kProgramOfWaterfalls);
  Judge(256, 150, 1, true, kProgramOfWaterfalls);
}

TEST(Culling, FewPrimitivesAreExported) {
  for (const uint32_t count : {1u, 2u, 3u, 17u}) Judge(128, count, 2, false);
}

// ---- Mutations.

// Returns true if an instruction synchronises waves, exports, or goes to LDS.
bool IsOfTheSteps(const amd::isa::Instruction& inst) {
  const amd::isa::OpcodeInfo& info = amd::isa::Info(inst.op);
  return info.encoding == amd::isa::Encoding::kDs || info.encoding == amd::isa::Encoding::kExp ||
         inst.op == amd::isa::Opcode::kSBarrier || inst.op == amd::isa::Opcode::kSSendmsg;
}

// Without any one of them the simulator or a judge finds a fault.
TEST(Culling, EachStepIsNeeded) {
  constexpr uint32_t kNop = 0xbf800000;  // s_nop 0
  const auto plain = CompileCulling(kCullingProgram, PrimitiveCulling::kOff, 128);
  const auto culling = CompileCulling(kCullingProgram, PrimitiveCulling::kOn, 128);
  ASSERT_TRUE(plain.ok() && culling.ok());
  int mutations = 0;
  for (size_t i = 0; i < 2; ++i) {
    const Variant& v = culling->variants[i];
    struct Draw {
      Dispatch dispatch;
      VertexInputs whole;
    };
    std::vector<Draw> draws;
    for (const DrawKind kind :
         {DrawKind::kGrid, DrawKind::kBeyond, DrawKind::kAllOutside, DrawKind::kAllInside}) {
      std::mt19937 random(17);
      Draw& draw = draws.emplace_back();
      draw.dispatch.vertices = RandomDraw(random, kind, 200, 1);
      const auto whole = SimulateCulled(plain->variants[i], draw.dispatch, {}, false);
      ASSERT_TRUE(whole.ok()) << whole.status();
      draw.whole = *whole->dispatch.vertices;
    }
    const auto fault_of = [](const Variant& variant, const Draw& draw,
                             const CullingRequest& request, bool opposite) {
      const auto run = SimulateCulled(variant, draw.dispatch, request, opposite);
      if (!run.ok()) return std::string(run.status().message());
      const auto vertex = [&](uint32_t r) { return VertexAt(draw.whole, r); };
      CullingCounts counts;
      const std::string wrong = CullingFault(*run, request, request.bits != 0, vertex, &counts);
      return wrong.empty() ? DifferenceFromWhole(*run, draw.whole) : wrong;
    };
    const auto fault = [&](const Variant& variant) -> std::string {
      for (const Draw& draw : draws) {
        for (const CullingRequest& request : kRequests) {
          for (const bool opposite : {false, true}) {
            std::string wrong = fault_of(variant, draw, request, opposite);
            if (!wrong.empty()) return wrong;
          }
        }
      }
      return "";
    };
    ASSERT_EQ(fault(v), "");
    const auto decoded = amd::DecodeCode(v.code);
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    for (const amd::isa::PlacedInstruction& p : *decoded) {
      if (!IsOfTheSteps(p.inst)) continue;
      Variant changed = v;
      for (uint32_t at = 0; at < static_cast<uint32_t>(p.length); at += 4) {
        std::memcpy(&changed.code[p.offset + at], &kNop, 4);
      }
      ++mutations;
      EXPECT_NE(fault(changed), "")
          << v.name << " without "
          << amd::isa::Disassemble(p.inst,
                                   v.width == 64 ? amd::isa::Wave::k64 : amd::isa::Wave::k32)
          << " at " << p.offset;
    }
  }
  EXPECT_GT(mutations, 60);
}

}  // namespace
}  // namespace kiln::exec
