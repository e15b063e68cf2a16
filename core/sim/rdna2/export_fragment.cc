// See export_fragment.h.
#include "core/sim/rdna2/export_fragment.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/base/float_bits.h"
#include "core/sim/rdna2/export.h"
#include "core/sim/scene/float16.h"

namespace kiln::sim::rdna2 {
namespace {

// SPI_SHADER_COL_FORMAT, four bits each; SPI_SHADER_Z_FORMAT has some of them.
enum Format : uint32_t {
  kZero,
  kR32,
  kGr32,
  kAr32,
  kFloat16,
  kUnorm16,
  kSnorm16,
  kUint16,
  kSint16,
  kAbgr32,
};

bool IsCompressed(uint32_t format) { return format >= kFloat16 && format <= kSint16; }

// DB_SHADER_CONTROL
constexpr uint32_t kKillEnable = 1 << 6;

const out::AmdFragment& StateOf(const FragmentWave& of) { return out::AmdOf(*of.record).fragment; }

// Returns the format of a target.
uint32_t FormatOf(const FragmentWave& of, int target) {
  if (target == kDepthTarget) return StateOf(of).spi_shader_z_format;
  return StateOf(of).spi_shader_col_format >> 4 * target & 15;
}

// Returns the location of the n-th colour target; nothing if it has none.
std::optional<uint32_t> LocationOf(const FragmentWave& of, int target) {
  for (uint32_t location = 0; location < 8; ++location) {
    if ((StateOf(of).cb_shader_mask >> 4 * location & 15) == 0) continue;
    if (target-- == 0) return location;
  }
  return std::nullopt;
}

uint32_t Normalised(uint32_t half, bool sign) {
  if (!sign) return AsBits(static_cast<float>(half) / 65535.0f);
  const auto value = static_cast<float>(static_cast<int16_t>(half));
  return AsBits(std::max(-1.0f, value / 32767.0f));
}

// Returns a component as attachments take it, from 16 bits.
uint32_t FromHalf(uint32_t format, uint32_t half) {
  switch (format) {
    case kFloat16: return AsBits(scene::HalfToFloat(static_cast<uint16_t>(half)));
    case kUnorm16: return Normalised(half, false);
    case kSnorm16: return Normalised(half, true);
    case kSint16: return static_cast<uint32_t>(int32_t{static_cast<int16_t>(half)});
    default: return half;
  }
}

// Returns the colour of a lane; components that the format lacks are 0.
scene::Texel ColorOf(uint32_t format, const TargetExport& from, int lane) {
  scene::Texel color{};
  const auto dword = [&](size_t i) { return from.values[i][static_cast<size_t>(lane)]; };
  for (uint32_t c = 0; c < 4; ++c) {
    if (IsCompressed(format)) {
      color[c] = FromHalf(format, dword(c / 2) >> 16 * (c % 2) & 0xffff);
    } else if (format == kAbgr32 || (format == kGr32 && c < 2) || c == 0) {
      color[c] = dword(c);
    } else if (format == kAr32 && c == 3) {
      color[c] = dword(1);  // from GFX10 on: Mesa 25.0.7, ac_nir_lower_ps_late.c
    }
  }
  return color;
}

// Takes the part of MRTZ that a lane exported.
void AddDepth(const FragmentWave& of, int lane, scene::FragmentTests& tests) {
  const TargetExport& z = of.exports[kDepthTarget];
  if (!z.exists || (z.lanes >> lane & 1) == 0) return;
  const auto dword = [&](size_t i) { return z.values[i][static_cast<size_t>(lane)]; };
  const out::FragmentLaunch& launch = of.record->fragment;
  if (FormatOf(of, kDepthTarget) == kUint16) {
    if (launch.writes_stencil) tests.stencil = static_cast<uint8_t>(dword(0) >> 16);
    if (launch.writes_sample_mask) tests.samples &= dword(1);
    return;
  }
  if (launch.depth != out::DepthOutput::kOff) tests.depth = AsFloat(dword(0));
  if (launch.writes_stencil) tests.stencil = static_cast<uint8_t>(dword(1));
  if (launch.writes_sample_mask) tests.samples &= dword(2);
}

// Returns the samples that alpha to coverage leaves: the first alpha * n of the n samples of a
// pixel, truncated. Vulkan leaves open which ones ("Multisample Coverage"). The alpha is that of
// render target 0, or the one exported with depth (Mesa 25.0.7, radv_cmd_buffer.c,
// COVERAGE_TO_MASK_ENABLE); one that is not exported covers all.
uint32_t CoveredByAlpha(const FragmentWave& of, int lane) {
  const bool with_depth = (StateOf(of).db_shader_control & kCoverageToMask) != 0;
  const int target = with_depth ? kDepthTarget : 0;
  const TargetExport& from = of.exports[static_cast<size_t>(target)];
  if (!from.exists || (from.lanes >> lane & 1) == 0) return ~0u;
  uint32_t bits = 0;
  if (!with_depth) {
    if (LocationOf(of, 0) != 0u) return ~0u;
    bits = ColorOf(FormatOf(of, 0), from, lane)[3];
  } else {
    const size_t channel = FormatOf(of, kDepthTarget) == kAr32 ? 1 : 3;
    bits = from.values[channel][static_cast<size_t>(lane)];
  }
  const float alpha = AsFloat(bits), samples = static_cast<float>(of.draw->samples);
  if (!(alpha > 0)) return 0;  // or not a number
  if (alpha >= 1) return ~0u;
  return (1u << static_cast<uint32_t>(alpha * samples)) - 1;
}

// Tests a lane's fragment and returns the samples that are written.
uint32_t Test(FragmentWave& of, int lane) {
  const scene::FragmentPixel at = {&of.ShapeOf(lane), of.Corner(lane)};
  scene::FragmentTests tests;
  tests.samples = of.Samples(lane);
  AddDepth(of, lane, tests);
  if (of.draw->output.alpha_to_coverage) tests.samples &= CoveredByAlpha(of, lane);
  uint32_t written = tests.samples;
  if (!of.record->fragment.early_tests) written = scene::TestFragment(at, tests, *of.draw);
  scene::NoteWritten(at, written, *of.draw);
  return written;
}

void WriteColors(FragmentWave& of, int lane, uint32_t samples) {
  const bool dual = of.record->fragment.dual_source;
  for (int target = 0; target < (dual ? 1 : kColorTargets); ++target) {
    const TargetExport& from = of.exports[static_cast<size_t>(target)];
    const std::optional<uint32_t> location = LocationOf(of, target);
    if (!from.exists || !location) continue;
    scene::Texel second{};
    if (dual) second = ColorOf(FormatOf(of, 1), of.exports[1], lane);
    for (scene::RenderTarget& t : of.draw->targets) {
      if (t.location != *location) continue;
      scene::WriteColor({&of.ShapeOf(lane), of.Corner(lane)}, samples,
                        ColorOf(FormatOf(of, target), from, lane), second, *of.draw, t);
    }
  }
}

// Writes the fragments that are left of a wave.
void Write(FragmentWave& of, uint64_t left) {
  for (int lane = 0; lane < kMaxLanes; ++lane) {
    if ((left & of.covered) >> lane & 1) WriteColors(of, lane, Test(of, lane));
  }
}

// Returns what is wrong with an export by itself; nothing if it is good.
std::optional<std::string> WrongFor(const isa::Instruction& inst, const FragmentWave& of) {
  const int target = inst.target;
  if (target > kNullTarget) return "of a vertex program's target";
  if (target == kNullTarget && !inst.done) return "to the null target, not the last one";
  if (target == kNullTarget) return std::nullopt;
  const uint32_t format = FormatOf(of, target);
  if (format == kZero) return "to a target without format";
  if (IsCompressed(format) != inst.compressed) return "compressed and the format's are not alike";
  if (of.exports[static_cast<size_t>(target)].exists) return "to a target for the second time";
  const bool alpha = (StateOf(of).db_shader_control & kCoverageToMask) != 0;
  if (target == kDepthTarget && !inst.compressed && (inst.enable & 8) != 0 && !alpha) {
    return "of alpha for coverage, which state does not have";
  }
  return std::nullopt;
}

// Returns what is wrong with the last export.
std::optional<std::string> WrongAtEnd(const FragmentWave& of, uint64_t left) {
  const bool kills = (StateOf(of).db_shader_control & kKillEnable) != 0;
  if (!kills && (of.covered & ~left) != 0) {
    return "lanes that cover something are left out, state says that none is killed";
  }
  for (size_t t = 0; t < of.exports.size(); ++t) {
    const TargetExport& e = of.exports[t];
    if (e.exists && (left & of.covered & ~e.lanes) != 0) {
      return absl::StrFormat("lanes are left that exported nothing to target %d", t);
    }
  }
  const bool has_depth = of.exports[kDepthTarget].exists;
  if (FormatOf(of, kDepthTarget) != kZero && !has_depth && (left & of.covered) != 0) {
    return "the last one, without the depth that state says";
  }
  return std::nullopt;
}

}  // namespace

absl::Status ExportFragment(const Op& op, const WaveState& wave, FragmentWave& of) {
  const isa::Instruction& inst = op.inst;
  if (of.done) {
    return ExportError(absl::StatusCode::kFailedPrecondition, op, wave,
                       "after the last one (done) of the wave");
  }
  if (const auto wrong = WrongFor(inst, of)) {
    return ExportError(absl::StatusCode::kInvalidArgument, op, wave, *wrong);
  }
  if (inst.target != kNullTarget) {
    TargetExport& to = of.exports[inst.target];
    to.exists = true;
    to.lanes = wave.Exec();
    to.channels = inst.enable;
    for (int lane = 0; lane < wave.lanes(); ++lane) {
      if ((to.lanes >> lane & 1) == 0) continue;
      const std::array<uint32_t, 4> values = ExportedDwords(op, wave, lane);
      for (size_t c = 0; c < 4; ++c) to.values[c][static_cast<size_t>(lane)] = values[c];
    }
  }
  if (!inst.done) return absl::OkStatus();
  if (!inst.valid_mask) {
    return ExportError(absl::StatusCode::kFailedPrecondition, op, wave,
                       "the last one does not say which lanes are left (vm)");
  }
  if (const auto wrong = WrongAtEnd(of, wave.Exec())) {
    return ExportError(absl::StatusCode::kInvalidArgument, op, wave, *wrong);
  }
  of.done = true;
  Write(of, wave.Exec());
  return absl::OkStatus();
}

absl::Status FinishFragments(FragmentWave& of) {
  if (of.done) return absl::OkStatus();
  const out::AmdFragment& state = StateOf(of);
  const bool needs = state.spi_shader_col_format != 0 || state.spi_shader_z_format != 0 ||
                     (state.db_shader_control & kKillEnable) != 0;
  if (needs) {
    return absl::FailedPreconditionError("a wave of fragments ends without a last export (done)");
  }
  Write(of, of.covered);
  return absl::OkStatus();
}

}  // namespace kiln::sim::rdna2
