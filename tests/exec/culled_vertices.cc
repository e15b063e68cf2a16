// Comparison of random vertex programs that cull with the interpreter: see culled_vertices.h.
#include "tests/exec/culled_vertices.h"

#include <bit>
#include <optional>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/mir/build.h"
#include "core/oracle/generate.h"
#include "core/sim/rdna2/input_assembly.h"
#include "tests/exec/culling.h"
#include "tests/exec/vertices.h"

namespace kiln::exec {
namespace {

using mir::BuiltIn;
using mir::InstId;
using mir::Op;
using mir::ValueId;
using sim::rdna2::InputAssembly;
using sim::scene::Dispatch;
using sim::scene::VertexInputs;

// Makes a position of a number: x and y / w in [-2, 2), w of several sizes and signs.
std::array<ValueId, 4> PositionOfNumber(mir::Builder& b, ValueId number) {
  ValueId mixed = b.Imul(number, b.Int(0x9e3779b1));
  mixed = b.Imul(b.Xor(mixed, b.Ushr(mixed, b.Int(15))), b.Int(0x85ebca6b));
  const auto field = [&](uint32_t first, uint32_t mask) {
    return b.And(b.Ushr(mixed, b.Int(first)), b.Int(mask));
  };
  const auto coordinate = [&](uint32_t first) {
    const ValueId scaled =
        b.Fmul(b.Convert(Op::kU2f, field(first, 1023), mir::Type::kF32), b.Float(0x1p-8f));
    return b.Fsub(scaled, b.Float(2));
  };
  const ValueId kind = field(20, 7);
  const ValueId w = b.Select(b.Ieq(kind, b.Int(0)), b.Float(-1),
                             b.Select(b.Ieq(kind, b.Int(1)), b.Float(2),
                                      b.Select(b.Ieq(kind, b.Int(2)), b.Float(0.5f), b.Float(1))));
  return {b.Fmul(coordinate(0), w), b.Fmul(coordinate(10), w), b.Float(0.5f), w};
}

// Returns the program without what forbids culling, that is stores to memory and the viewport, and
// with a position made of the vertex's number and an integer output; nothing if it has none of
// these, or operations between lanes or atomics.
std::optional<mir::Module> ThatCulls(mir::Module m) {
  BitSet dead(m.insts.size());
  bool allowed = true;
  std::optional<uint32_t> position;
  for (size_t i = 0; i < m.outputs.size(); ++i) {
    if (m.outputs[i].builtin == BuiltIn::kPosition) position = static_cast<uint32_t>(i);
  }
  std::optional<ValueId> vertex, stored;
  mir::ForEachInst(m, m.body, [&](InstId id) {
    const mir::Inst& inst = m.inst(id);
    const mir::OpInfo& info = mir::Info(inst.op);
    const bool lane = inst.op == Op::kSubgroupInvocation || inst.op == Op::kLaneMask;
    if (info.Has('X') || lane || (info.Has('W') && inst.num_results != 0)) allowed = false;
    if (info.Has('W') && inst.op != Op::kStorePrivate) dead.set(id.index);
    if (inst.op != Op::kStoreOutput) return;
    const BuiltIn to = m.outputs[inst.imm0].builtin;
    if (to == BuiltIn::kPosition || to == BuiltIn::kViewportIndex) dead.set(id.index);
  });
  for (const InstId id : m.region(m.body).insts) {
    const mir::Inst& inst = m.inst(id);
    if (inst.op == Op::kLoadInput && m.inputs[inst.imm0].builtin == BuiltIn::kVertexIndex) {
      vertex = m.result(id);
    }
    if (inst.op != Op::kStoreOutput) continue;
    const ValueId last = m.source(id, inst.num_sources - 1);
    if (m.value(last).type == mir::Type::kI32) stored = last;
  }
  if (!allowed || !position || !vertex || !stored) return std::nullopt;
  mir::RemoveInsts(m, dead);
  const InstId end = m.region(m.body).insts.back();
  m.region(m.body).insts.pop_back();
  mir::Builder b(m);
  b.SetRegion(m.body);
  // Few values of the output, so that positions repeat.
  const ValueId number = b.Xor(*vertex, b.And(*stored, b.Int(0x100)));
  b.StoreOutput(*position, 0, PositionOfNumber(b, number));
  b.Append(end);
  return m;
}

// Returns what the interpreter has left of a run, with what is not stored as fixed functions get
// it.
JudgedVertex JudgedOf(const mir::Module& m, const oracle::StageData& want, uint32_t run) {
  JudgedVertex vertex = {{0, 0, 0, 1}};
  uint32_t distance = 0;
  for (size_t o = 0; o < m.outputs.size(); ++o) {
    const BuiltIn builtin = m.outputs[o].builtin;
    const bool distances = builtin == BuiltIn::kClipDistance || builtin == BuiltIn::kCullDistance;
    if (builtin != BuiltIn::kPosition && !distances) continue;
    const uint32_t count = distances ? m.outputs[o].elements : 4;
    for (uint32_t n = 0; n < count; ++n) {
      const uint64_t bits = want.outputs[o][n * want.invocations + run];
      const float value =
          bits == kNotStored ? 0 : std::bit_cast<float>(static_cast<uint32_t>(bits));
      if (distances) {
        vertex.outside |= (value < 0 ? 1u : 0u) << distance++;
      } else if (bits != kNotStored) {
        vertex.position[n] = value;
      }
    }
  }
  return vertex;
}

// Draws so many vertices, of those that the inputs have, that programs cull.
void Enlarge(std::mt19937& rng, VertexInputs& draw) {
  draw.count = 18 + rng() % 300;
  draw.indices.resize(draw.count);
  for (uint32_t& index : draw.indices) index = rng() % oracle::kDrawnVertices;
}

// Returns a random way to make primitives of a draw; in most, vertices are shared, so that
// workgroups have more primitives than vertices, some of several instances.
InputAssembly RandomAssembly(std::mt19937& rng, uint32_t count) {
  constexpr InputAssembly::Topology kTopologies[] = {
      InputAssembly::Topology::kEveryThree, InputAssembly::Topology::kTriangleList,
      InputAssembly::Topology::kTriangleStrip, InputAssembly::Topology::kTriangleFan};
  InputAssembly assembly;
  assembly.topology = kTopologies[rng() % 4];
  assembly.reuses_vertices = rng() % 4 != 0;
  assembly.joins_instances = rng() % 2 == 0;
  for (uint32_t at = rng() % 64; rng() % 2 == 0 && at < count; at += 1 + rng() % 64) {
    assembly.restarts.push_back(at);
  }
  return assembly;
}

// Runs a program that does not cull on the draw, assembled as said, in both orders.
std::string ComparePlain(const mir::Module& module, const Variant& v, const Dispatch& dispatch,
                         const InputAssembly& assembly, const oracle::StageData& want) {
  for (const bool opposite : {false, true}) {
    const auto run = SimulateCulled(v, dispatch, {}, opposite, assembly);
    const std::string wrong = run.ok() ? OutputDifference(module, v.launch, want,
                                                          *run->dispatch.vertices, NeededRuns(*run))
                                       : std::string(run.status().message());
    if (!wrong.empty()) return absl::StrCat(v.name, " that does not cull: ", wrong, "\n");
  }
  return "";
}

}  // namespace

std::string CompareCulled(const mir::Module& given, uint64_t seed, const DrawSetup& setup,
                          DrawCounts* counts) {
  const std::optional<mir::Module> made = ThatCulls(given);
  if (!made) return "";
  const mir::Module& module = *made;
  std::mt19937 rng(static_cast<uint32_t>(seed) * 2246822519u + 7);
  oracle::LaunchInputs inputs = oracle::GenerateInputs(seed, module);
  inputs.denormals = oracle::Denormals::kFlush;
  ExtendOwnBuffer(oracle::kDrawnVertices * oracle::kDrawnInstances * oracle::kOutputDwords, inputs);
  Dispatch dispatch = DispatchOf(inputs);
  dispatch.vertices = RandomVertices(seed, module);
  Enlarge(rng, *dispatch.vertices);
  DrawSetup culling = setup;
  culling.culling = PrimitiveCulling::kOn;
  culling.ngg_group = rng() % 2 == 0 ? 128 : 256;
  for (const sim::scene::VertexInput& i : dispatch.vertices->inputs) {
    if (i.per_instance) culling.instance_rates.push_back({i.location, i.step});
  }
  oracle::LaunchInputs want = inputs;
  if (absl::Status s = InterpretVertices(module, *dispatch.vertices, true, want); !s.ok()) {
    return absl::StrCat("interpreter: ", s.message(), "\n");
  }
  std::string text;
  if (seed % 3 == 0) {
    DrawSetup plain = culling;
    plain.culling = PrimitiveCulling::kOff;
    text = CompileAndJudge(module, plain, 1, {{32, 64}, {}}, [&](const Variant& v) {
      ++counts->programs;
      const InputAssembly assembly = RandomAssembly(rng, dispatch.vertices->count);
      return ComparePlain(module, v, dispatch, assembly, want.stage);
    });
  }
  return text + CompileAndJudge(module, culling, 1, {{32, 64}, {}}, [&](const Variant& v) {
           ++counts->programs;
           for (int n = 0; n < 3; ++n) {
             const CullingRequest request = {n == 0 ? 0u : 1 + static_cast<uint32_t>(rng() % 15),
                                             1u << rng() % 4};
             const InputAssembly assembly = RandomAssembly(rng, dispatch.vertices->count);
             const auto run = SimulateCulled(v, dispatch, request, n == 1, assembly);
             CullingCounts of_run;
             std::string wrong = run.ok() ? "" : std::string(run.status().message());
             if (run.ok()) {
               wrong = CullingFault(
                   *run, request, false,
                   [&](uint32_t r) { return JudgedOf(module, want.stage, r); }, &of_run);
               absl::StrAppend(&wrong, OutputDifference(module, v.launch, want.stage,
                                                        *run->dispatch.vertices, NeededRuns(*run)));
             }
             counts->primitives += of_run.primitives;
             counts->left_out += of_run.left_out;
             counts->outside += of_run.outside;
             if (!wrong.empty()) {
               return absl::StrFormat("%s culling %08x, %d samples, topology %d%s%s: %s\n", v.name,
                                      request.word(), request.samples,
                                      static_cast<int>(assembly.topology),
                                      assembly.reuses_vertices ? " reusing" : "",
                                      assembly.joins_instances ? " joining" : "", wrong);
             }
           }
           return std::string();
         });
}

}  // namespace kiln::exec
