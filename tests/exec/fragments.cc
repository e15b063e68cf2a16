#include "tests/exec/fragments.h"

#include <bit>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/mir/build.h"
#include "core/oracle/generate.h"
#include "tests/exec/exec.h"
#include "tests/exec/images.h"
#include "tests/exec/interpret_draw.h"

namespace kiln::exec {
namespace {

using sim::scene::Dispatch;
using sim::scene::FragmentInputs;

// Returns the components of render targets that the program writes, a bit each, by location.
std::map<uint32_t, uint32_t> WrittenComponents(const mir::Module& m) {
  std::map<uint32_t, uint32_t> written;
  mir::ForEachInst(m, m.body, [&](mir::InstId id) {
    const mir::Inst& inst = m.inst(id);
    if (inst.op != mir::Op::kStoreOutput) return;
    const mir::Interface& v = m.outputs[inst.imm0];
    if (v.builtin != mir::BuiltIn::kNone) return;
    written[v.location] |= ((1u << inst.num_sources) - 1) << (v.component + inst.imm1);
  });
  return written;
}

class Comparison {
 public:
  Comparison(const mir::Module& module, uint64_t seed, uint32_t samples, const DrawSetup& setup,
             DrawCounts* counts)
      : m_(module), samples_(samples), setup_(setup), counts_(*counts) {
    inputs_ = oracle::GenerateInputs(seed, module);
    inputs_.denormals = oracle::Denormals::kFlush;
    // A part for each fragment, and one that they share.
    ExtendOwnBuffer(oracle::DrawnFragments(samples) * oracle::kOutputDwords + oracle::kCommonDwords,
                    inputs_);
    std::mt19937 rng(static_cast<uint32_t>(seed));
    AddImages(module, rng, inputs_);
    draw_ = RandomDraw(seed, module, samples);
    if (TestTarget() == Target::kGfx1030) quarters_ = RandomDrawOfQuarters(seed, module, samples);
    per_sample_ = module.fragment.sample_rate && samples > 1;
  }

  std::string Run() {
    return CompileAndJudge(m_, setup_, samples_, {WidthsOf(TestTarget()), MayLack()},
                           [&](const Variant& v) { return Judge(v); });
  }

 private:
  // tgl's programs with the pixel interpolator or a lane for each sample have 8 or 16 lanes
  // (core/intel/ABI.md).
  std::vector<int> MayLack() const {
    if (TestTarget() != Target::kTgl) return {};
    bool interpolates = false;
    mir::ForEachInst(m_, m_.body, [&](mir::InstId id) {
      interpolates |= m_.inst(id).op == mir::Op::kInterpolate;
    });
    if (interpolates || per_sample_) return {32};
    return {};
  }

  std::string Judge(const Variant& v) {
    DrawSetup setup = setup_;
    if (!quarters_) return JudgeDraw(v, draw_, setup);
    setup.memory_seeds = 0;
    const std::string wrong = JudgeDraw(v, draw_, setup);
    setup.memory_seeds = setup_.memory_seeds;
    setup.waves_of_primitives = true;
    return wrong + JudgeDraw(v, *quarters_, setup);
  }

  std::string JudgeDraw(const Variant& v, const FragmentInputs& draw, const DrawSetup& setup) {
    oracle::LaunchInputs want = inputs_;
    FragmentInputs drawn = draw;
    want.subgroup_size = static_cast<uint32_t>(v.width);
    const Interpolating interpolating = TestTarget() == Target::kGfx1030
                                            ? Interpolating::kFirstVertexFirst
                                            : Interpolating::kSecondVertexFirst;
    if (absl::Status s =
            InterpretDraw(m_, per_sample_, interpolating, setup.waves_of_primitives, want, drawn);
        !s.ok()) {
      return absl::StrCat("interpreter: ", s.message(), "\n");
    }
    for (float d : drawn.depth) counts_.written += d != 1;
    Dispatch dispatch = DispatchOf(inputs_);
    dispatch.draw = draw;
    return SimulateDraws(
        v, setup, dispatch, [&](const Dispatch& got) { return Difference(want, drawn, got); },
        &counts_);
  }

  std::string Difference(const oracle::LaunchInputs& want, const FragmentInputs& drawn,
                         const Dispatch& got) const {
    const std::map<uint32_t, uint32_t> written = WrittenComponents(m_);
    for (size_t t = 0; t < drawn.targets.size(); ++t) {
      const sim::scene::RenderTarget& target = drawn.targets[t];
      const auto at = written.find(target.location);
      for (size_t i = 0; at != written.end() && i < target.texels.size(); ++i) {
        const uint32_t x = target.texels[i], y = got.draw->targets[t].texels[i];
        if ((at->second >> i % 4 & 1) == 0 || SameDword(x, y)) continue;
        const size_t pixel = i / 4 / samples_;
        return absl::StrFormat(
            "target %d pixel (%d, %d) sample %d component %d: want %08x, got %08x", target.location,
            pixel % drawn.width, pixel / drawn.width, i / 4 % samples_, i % 4, x, y);
      }
    }
    for (size_t i = 0; i < drawn.depth.size(); ++i) {
      const auto x = std::bit_cast<uint32_t>(drawn.depth[i]);
      const auto y = std::bit_cast<uint32_t>(got.draw->depth[i]);
      if (!SameDword(x, y)) return absl::StrFormat("depth %d: want %08x, got %08x", i, x, y);
    }
    return ResourceDifference(want, got);
  }

  const mir::Module& m_;
  const uint32_t samples_;
  const DrawSetup& setup_;
  DrawCounts& counts_;
  bool per_sample_ = false;
  oracle::LaunchInputs inputs_;
  FragmentInputs draw_;
  std::optional<FragmentInputs> quarters_;  // of targets whose waves take several primitives
};

}  // namespace

std::string CompareDraw(const mir::Module& module, uint64_t seed, uint32_t samples,
                        const DrawSetup& setup, DrawCounts* counts) {
  return Comparison(module, seed, samples, setup, counts).Run();
}

}  // namespace kiln::exec
