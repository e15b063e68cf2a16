// Vertex programs of gfx1030 that cull, run on draws of random triangles.
//
// culling.h judges what is left out. Vertices of the others have the outputs that the same module
// has where nothing is culled. The simulator refuses exports that are not of the room requested,
// primitives that are not in the order given, and accesses to LDS that a barrier does not part.
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

void Judge(uint32_t group, uint32_t count, uint32_t instances, bool enough) {
  const auto plain = CompileCulling(kCullingProgram, PrimitiveCulling::kOff, group);
  const auto culling = CompileCulling(kCullingProgram, PrimitiveCulling::kOn, group);
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
      const auto position = [&](uint32_t run) { return PositionAt(*dispatch.vertices, run); };
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
        ASSERT_EQ(CullingFault(*run, request, culls, position, &counts), "") << name;
        ASSERT_EQ(DifferenceFromWhole(*run, *whole->dispatch.vertices), "") << name;
        const bool faces = (request.bits & (kCullFront | kCullBack)) != 0;
        if (request.bits == 0 || (kind == DrawKind::kAllInside && !faces)) {
          EXPECT_EQ(counts.left_out, 0) << name;
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
      const auto position = [&](uint32_t r) { return PositionAt(draw.whole, r); };
      CullingCounts counts;
      const std::string wrong = CullingFault(*run, request, request.bits != 0, position, &counts);
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
