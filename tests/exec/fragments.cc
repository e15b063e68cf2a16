#include "tests/exec/fragments.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/driver/compile.h"
#include "core/driver/prepared.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/verify.h"
#include "core/mir/build.h"
#include "core/oracle/generate.h"
#include "core/sim/eu/simulator.h"
#include "tests/exec/images.h"
#include "tests/exec/interpret_draw.h"

namespace kiln::exec {
namespace {

using sim::eu::Dispatch;
using sim::eu::FragmentInputs;

// Buffers hold numbers of all kinds.
bool SameDword(uint32_t want, uint32_t got) {
  const auto a = std::bit_cast<float>(want), b = std::bit_cast<float>(got);
  return want == got || (std::isnan(a) && std::isnan(b));
}

// Components of targets that the program writes, a bit each, by location.
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
    // Parts for all fragments, and the one that they share.
    std::vector<uint8_t>& own = inputs_.buffers[0].bytes;
    const size_t dwords =
        oracle::DrawnFragments(samples) * oracle::kOutputDwords + oracle::kCommonDwords;
    for (size_t i = own.size(); i < 4 * dwords; ++i) own.push_back(own[i * 7 % 1021]);
    own.resize(4 * dwords);
    std::mt19937 rng(static_cast<uint32_t>(seed));
    AddImages(module, rng, inputs_);
    draw_ = RandomDraw(seed, module, samples);
    per_sample_ = module.fragment.sample_rate && samples > 1;
  }

  std::string Run() {
    PrepareOptions prepare;
    prepare.passes.verify_each = true;
    prepare.passes.disabled = setup_.disabled_passes;
    const auto prepared = PrepareMir(m_, prepare, nullptr, {});
    if (!prepared.ok()) return std::string(prepared.status().message());
    std::string text;
    for (const int width : {8, 16, 32}) {
      CompileOptions options;
      options.passes.verify_each = true;
      options.passes.disabled = setup_.disabled_passes;
      options.widths = {width};
      options.state.fragment.samples = samples_;
      const auto compiled = Compile(**prepared, Target::kTgl, options, nullptr, {});
      if (!compiled.ok() && MayLack(width)) continue;
      if (!compiled.ok()) return absl::StrCat(width, " lanes: ", compiled.status().message());
      for (const Variant& v : compiled->variants) absl::StrAppend(&text, Judge(v));
    }
    return text;
  }

 private:
  // ABI.md: the pixel interpolator and a lane for each sample are of 8 and 16 lanes.
  bool MayLack(int width) const {
    bool interpolates = false;
    mir::ForEachInst(m_, m_.body, [&](mir::InstId id) {
      interpolates |= m_.inst(id).op == mir::Op::kInterpolate;
    });
    return width == 32 && (interpolates || per_sample_);
  }

  std::string Judge(const Variant& v) {
    oracle::LaunchInputs want = inputs_;
    FragmentInputs drawn = draw_;
    want.subgroup_size = static_cast<uint32_t>(v.width);
    if (absl::Status s = InterpretDraw(m_, per_sample_, want, drawn); !s.ok()) {
      return absl::StrCat("interpreter: ", s.message(), "\n");
    }
    for (float d : drawn.depth) counts_.written += d != 1;
    ++counts_.programs;
    std::string text = Findings(v);
    for (const bool fusion : {false, true}) {
      absl::StrAppend(&text, Simulate(v, want, drawn, fusion, false));
    }
    if (setup_.opposite) absl::StrAppend(&text, Simulate(v, want, drawn, false, true));
    return text;
  }

  static std::string Findings(const Variant& v) {
    constexpr auto kGen = intel::isa::Generation::kGen12;
    const auto placed = intel::isa::DecodeProgram(kGen, v.code);
    if (!placed.ok()) return absl::StrCat(v.name, ": ", placed.status().message(), "\n");
    const auto findings = intel::isa::Verify(kGen, *placed);
    if (!findings.ok()) return absl::StrCat(v.name, ": ", findings.status().message(), "\n");
    std::string text;
    for (const intel::isa::Finding& f : *findings)
      absl::StrAppend(&text, v.name, ": ", f.text, "\n");
    return text;
  }

  std::string Simulate(const Variant& v, const oracle::LaunchInputs& want,
                       const FragmentInputs& drawn, bool fusion, bool opposite) {
    Dispatch dispatch;
    dispatch.push_constants = inputs_.push_constants;
    for (const oracle::BoundBuffer& b : inputs_.buffers) {
      sim::eu::ClientBuffer buffer;
      buffer.where = {b.set, b.binding, b.element};
      buffer.bytes = b.bytes;
      buffer.address = b.address;
      dispatch.buffers.push_back(std::move(buffer));
    }
    Translate(inputs_, dispatch);
    dispatch.draw = draw_;
    sim::eu::Options options;
    options.fusion = fusion;
    options.opposite = opposite;
    options.max_instructions = 20'000'000;
    const auto run = sim::eu::Run(v.code, v.launch, options, dispatch);
    std::string text =
        run.ok() ? Difference(want, drawn, dispatch) : std::string(run.status().message());
    if (run.ok()) counts_.threads += static_cast<int64_t>(run->threads);
    if (text.empty()) return "";
    return absl::StrCat(v.name, options.fusion ? " fused" : "",
                        options.opposite ? " opposite: " : ": ", text, "\n");
  }

  std::string Difference(const oracle::LaunchInputs& want, const FragmentInputs& drawn,
                         const Dispatch& got) const {
    const std::map<uint32_t, uint32_t> written = WrittenComponents(m_);
    for (size_t t = 0; t < drawn.targets.size(); ++t) {
      const sim::eu::RenderTarget& target = drawn.targets[t];
      const auto at = written.find(target.location);
      for (size_t i = 0; at != written.end() && i < target.texels.size(); ++i) {
        const uint32_t x = target.texels[i], y = got.draw->targets[t].texels[i];
        if ((at->second >> i % 4 & 1) == 0 || SameDword(x, y)) continue;
        const size_t pixel = i / 4 / samples_;
        return absl::StrFormat(
            "target %d pixel (%d, %d) sample %d component %d: want %08x, got %08x", target.location,
            pixel % draw_.width, pixel / draw_.width, i / 4 % samples_, i % 4, x, y);
      }
    }
    for (size_t i = 0; i < drawn.depth.size(); ++i) {
      const auto x = std::bit_cast<uint32_t>(drawn.depth[i]);
      const auto y = std::bit_cast<uint32_t>(got.draw->depth[i]);
      if (!SameDword(x, y)) return absl::StrFormat("depth %d: want %08x, got %08x", i, x, y);
    }
    for (size_t b = 0; b < want.buffers.size(); ++b) {
      for (size_t i = 0; i + 4 <= want.buffers[b].bytes.size(); i += 4) {
        uint32_t x = 0, y = 0;
        std::copy_n(want.buffers[b].bytes.data() + i, 4, reinterpret_cast<uint8_t*>(&x));
        std::copy_n(got.buffers[b].bytes.data() + i, 4, reinterpret_cast<uint8_t*>(&y));
        if (!SameDword(x, y)) {
          return absl::StrFormat("buffer %d byte %d: want %08x, got %08x", b, i, x, y);
        }
      }
    }
    return ImageDifferences(want, got, 0);
  }

  const mir::Module& m_;
  const uint32_t samples_;
  const DrawSetup& setup_;
  DrawCounts& counts_;
  bool per_sample_ = false;
  oracle::LaunchInputs inputs_;
  FragmentInputs draw_;
};

}  // namespace

std::string CompareDraw(const mir::Module& module, uint64_t seed, uint32_t samples,
                        const DrawSetup& setup, DrawCounts* counts) {
  return Comparison(module, seed, samples, setup, counts).Run();
}

}  // namespace kiln::exec
