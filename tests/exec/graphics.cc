// See graphics.h.
#include "tests/exec/graphics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/base/cause.h"
#include "core/driver/prepared.h"
#include "core/driver/simulate.h"
#include "core/sim/rdna2/simulator.h"
#include "tests/exec/exec.h"
#include "tests/exec/findings.h"
#include "tests/exec/images.h"

namespace kiln::exec {
std::string CompileAndJudge(const mir::Module& module, const DrawSetup& setup, uint32_t samples,
                            const Widths& widths,
                            const std::function<std::string(const Variant&)>& judge) {
  PrepareOptions prepare;
  prepare.passes.verify_each = true;
  prepare.passes.disabled = setup.disabled_passes;
  const auto prepared = PrepareMir(module, prepare, nullptr, {});
  if (!prepared.ok()) return std::string(prepared.status().message());
  std::string text;
  for (const int width : widths.all) {
    CompileOptions options;
    options.passes.verify_each = true;
    options.passes.disabled = setup.disabled_passes;
    options.widths = {width};
    options.state.fragment.samples = samples;
    options.state.instance_rates = setup.instance_rates;
    options.state.primitive_culling = setup.culling;
    options.ngg_group = setup.ngg_group;
    const auto compiled = Compile(**prepared, TestTarget(), options, nullptr, {});
    if (!compiled.ok()) {
      if (CauseOf(compiled.status()) == "primitive_culling") return "";
      const bool lost = CauseOf(compiled.status()) == "out_of_registers";
      if (!lost && std::ranges::find(widths.may_lack, width) != widths.may_lack.end()) continue;
      return absl::StrCat(width, " lanes: ", compiled.status().message());
    }
    for (const Variant& v : compiled->variants) {
      absl::StrAppend(&text, Findings(TestTarget(), v), judge(v));
    }
  }
  return text;
}

namespace {

absl::StatusOr<sim::scene::RunStats> RunTogether(const Variant& variant,
                                                 const SimulationOptions& options,
                                                 sim::scene::Dispatch& dispatch) {
  sim::rdna2::Options own;
  static_cast<sim::scene::RunOptions&>(own) = options;
  own.waves_of_primitives = true;
  return sim::rdna2::Run(variant.code, variant.launch, own, dispatch);
}

}  // namespace

std::string SimulateDraws(const Variant& variant, const DrawSetup& setup,
                          const sim::scene::Dispatch& dispatch,
                          const std::function<std::string(const sim::scene::Dispatch&)>& difference,
                          DrawCounts* counts) {
  struct Mode {
    const char* name;
    bool fusion = false, opposite = false;
    uint32_t memory_seed = 0;  // 0: not in memory mode
  };
  std::string text;
  if (!setup.waves_of_primitives) ++counts->programs;  // counted by its other draw
  std::vector<Mode> modes = {{""}, {" fused", true, false}, {" opposite", false, true}};
  for (uint32_t seed = 1; seed <= setup.memory_seeds; ++seed) {
    modes.push_back({" memory", false, false, seed});
  }
  for (const Mode& mode : modes) {
    if (mode.opposite && !setup.opposite) continue;
    if (mode.fusion && TestTarget() != Target::kTgl) continue;  // the only one that has it
    sim::scene::Dispatch got = dispatch;
    SimulationOptions options;
    if (mode.fusion) options.switches = {"fusion"};
    options.opposite = mode.opposite;
    if (mode.memory_seed != 0) options.memory_seed = mode.memory_seed;
    options.max_instructions = 20'000'000;
    const auto run = setup.waves_of_primitives
                         ? RunTogether(variant, options, got)
                         : Simulate(TestTarget(), variant.code, variant.launch, options, got);
    const std::string wrong = run.ok() ? difference(got) : std::string(run.status().message());
    if (run.ok()) counts->threads += static_cast<int64_t>(run->threads);
    if (!wrong.empty()) absl::StrAppend(&text, variant.name, mode.name, ": ", wrong, "\n");
  }
  return text;
}

sim::scene::Dispatch DispatchOf(const oracle::LaunchInputs& inputs) {
  sim::scene::Dispatch dispatch;
  dispatch.push_constants = inputs.push_constants;
  for (const oracle::BoundBuffer& b : inputs.buffers) {
    sim::scene::ClientBuffer buffer;
    buffer.where = {b.set, b.binding, b.element};
    buffer.bytes = b.bytes;
    buffer.address = b.address;
    dispatch.buffers.push_back(std::move(buffer));
  }
  Translate(inputs, dispatch);
  return dispatch;
}

void ExtendOwnBuffer(size_t dwords, oracle::LaunchInputs& inputs) {
  std::vector<uint8_t>& own = inputs.buffers[0].bytes;
  for (size_t i = own.size(); i < 4 * dwords; ++i) own.push_back(own[i * 7 % 1021]);
  own.resize(4 * dwords);
}

bool SameDword(uint32_t want, uint32_t got) {
  const auto a = std::bit_cast<float>(want), b = std::bit_cast<float>(got);
  return want == got || (std::isnan(a) && std::isnan(b));
}

std::string ResourceDifference(const oracle::LaunchInputs& want, const sim::scene::Dispatch& got) {
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

}  // namespace kiln::exec
