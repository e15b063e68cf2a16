// The launch record of a fragment program: see fragment.h, which has the sources.
#include <cstddef>
#include <variant>

#include "core/amd/abi/fragment.h"

namespace kiln::amd {
namespace {

uint32_t ShaderMaskOf(ExportFormat format) {
  switch (format) {
    case ExportFormat::kNone: return 0;
    case ExportFormat::kR32: return 1;
    case ExportFormat::kGr32: return 3;
    case ExportFormat::kAr32: return 9;
    default: return 15;
  }
}

uint32_t DbShaderControl(const mir::Module& m, const FragmentAbi& abi) {
  constexpr uint32_t kZExport = 1, kStencilExport = 2, kEarlyThenLate = 1u << 4, kKill = 1u << 6,
                     kMaskExport = 1u << 8, kExecOnHierFail = 1u << 9, kExecOnNoop = 1u << 10,
                     kDepthBeforeShader = 1u << 12, kLessThanZ = 1u << 13, kGreaterThanZ = 2u << 13,
                     kCoverageToMask = 1u << 7, kPreShaderDepthCoverage = 1u << 23;
  const bool early = m.fragment.early_tests;
  uint32_t r = 0;
  if (abi.depth != out::DepthOutput::kOff) r |= kZExport;
  if (abi.writes_stencil) r |= kStencilExport;
  if (abi.writes_sample_mask) r |= kMaskExport;
  if (abi.kills) r |= kKill;
  if (early || !abi.side_effects) r |= kEarlyThenLate;
  if (abi.side_effects) r |= kExecOnHierFail | kExecOnNoop;
  if (early) r |= kDepthBeforeShader;
  if (m.fragment.post_depth) r |= kPreShaderDepthCoverage;
  if (abi.alpha_in_depth) r |= kCoverageToMask;
  if (abi.depth == out::DepthOutput::kLess) r |= kLessThanZ;
  if (abi.depth == out::DepthOutput::kGreater) r |= kGreaterThanZ;
  return r;
}

}  // namespace

void DescribeFragment(const mir::Module& m, const FragmentAbi& abi, out::LaunchRecord& r) {
  for (const FragmentAttribute& a : abi.attributes.list) r.fragment.inputs.push_back(a.input);
  r.fragment.depth = abi.depth;
  r.fragment.writes_stencil = abi.writes_stencil;
  r.fragment.writes_sample_mask = abi.writes_sample_mask;
  r.fragment.dual_source = abi.dual_source;
  r.fragment.uses_discard = abi.kills;
  r.fragment.early_tests = m.fragment.early_tests;
  r.fragment.post_depth_coverage = m.fragment.post_depth;
  r.fragment.has_side_effects = abi.side_effects;
  r.fragment.per_sample = abi.per_sample;
  r.fragment.samples = abi.samples;
  r.fragment.alpha_to_coverage = abi.alpha_to_coverage;
  out::AmdFragment& amd = std::get<out::AmdLaunch>(r.arch).fragment;
  amd.spi_ps_input_ena = amd.spi_ps_input_addr = abi.inputs;
  amd.spi_ps_input_cntl = abi.controls;
  for (size_t i = 0; i < abi.colours.size(); ++i) {
    const ColourExport& colour = abi.colours[i];
    amd.spi_shader_col_format |= static_cast<uint32_t>(colour.format) << 4 * i;
    if (colour.index == 0) r.fragment.colors.push_back(colour.location);
    // A second source is target 1 of the mask (Mesa 25.0.7, radv_pipeline_graphics.c).
    const uint32_t target = colour.location + colour.index;
    amd.cb_shader_mask |= ShaderMaskOf(colour.format) << 4 * target;
  }
  amd.spi_shader_z_format = static_cast<uint32_t>(abi.DepthFormat());
  // Lanes are killed by the last export, which must not be skipped (radv_pipeline_graphics.c).
  if (abi.kills && abi.colours.empty() && amd.spi_shader_z_format == 0) {
    amd.spi_shader_col_format = static_cast<uint32_t>(ExportFormat::kR32);
  }
  amd.db_shader_control = DbShaderControl(m, abi);
}

}  // namespace kiln::amd
