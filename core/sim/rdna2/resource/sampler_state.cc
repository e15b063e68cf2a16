// See sampler_state.h.
#include "core/sim/rdna2/resource/sampler_state.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace kiln::sim::rdna2 {
namespace {

absl::Status Lacks(absl::string_view what) {
  return absl::UnimplementedError(absl::StrCat("a sampler with ", what));
}

absl::StatusOr<scene::AddressMode> AddressOf(uint8_t clamp) {
  switch (clamp) {
    case 0: return scene::AddressMode::kRepeat;
    case 1: return scene::AddressMode::kMirror;
    case 2: return scene::AddressMode::kClamp;
    case 3: return scene::AddressMode::kMirrorClamp;
    case 6: return scene::AddressMode::kBorder;
    default:
      return Lacks("an address mode that reaches half into the border or mirrors once to it");
  }
}

// A signed number of 14 bits, 8 of them fraction.
float Bias(uint16_t bits) {
  return static_cast<float>(static_cast<int32_t>(uint32_t{bits} << 18) >> 18) / 256;
}

absl::Status CheckSimulated(const SamplerState& s) {
  if (s.max_aniso_ratio != 0 || s.mag_filter > 1 || s.min_filter > 1) return Lacks("anisotropy");
  if (s.filter_mode != 0) return Lacks("a minimum or maximum filter");
  if (s.disable_cube_wrap) return Lacks("cubes that end at the edges of their faces");
  if (s.border_color_type == 3) return Lacks("a border colour from memory");
  if (s.mip_filter != 1 && s.mip_filter != 2) return Lacks("no filter between levels");
  if (s.z_filter != 0) return Lacks("a filter of its own for depth");
  if (s.mc_coord_trunc || s.force_degamma || s.skip_degamma || s.lod_bias_sec != 0 ||
      s.mip_point_preclamp) {
    return Lacks("a field that the driver leaves 0");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<scene::ClientSampler> SamplerOf(const SamplerState& s) {
  if (absl::Status status = CheckSimulated(s); !status.ok()) return status;
  scene::ClientSampler sampler;
  for (size_t a = 0; a < 3; ++a) {
    const absl::StatusOr<scene::AddressMode> mode = AddressOf(s.clamp[a]);
    if (!mode.ok()) return mode.status();
    sampler.address[a] = *mode;
  }
  sampler.mag_linear = s.mag_filter == 1;
  sampler.min_linear = s.min_filter == 1;
  sampler.linear_mips = s.mip_filter == 2;
  sampler.border = static_cast<scene::BorderColor>(s.border_color_type);
  sampler.compare = static_cast<scene::CompareFunction>(s.compare);
  sampler.min_lod = static_cast<float>(s.min_lod) / 256;
  sampler.max_lod = static_cast<float>(s.max_lod) / 256;
  sampler.lod_bias = Bias(s.lod_bias);
  sampler.unnormalized = s.force_unnormalized;
  return sampler;
}

}  // namespace kiln::sim::rdna2
