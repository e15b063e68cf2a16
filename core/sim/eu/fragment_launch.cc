// See fragment_launch.h.
#include "core/sim/eu/fragment_launch.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "core/sim/eu/push_ranges.h"
#include "core/sim/eu/thread.h"

namespace kiln::sim::eu {
namespace {

using out::PayloadItem;
using out::PayloadPart;

constexpr uint32_t kRegisters = kGrfCount;

// In their order within a block.
constexpr PayloadPart kBlockParts[] = {
    PayloadPart::kPerspectivePixel,  PayloadPart::kPerspectiveCentroid,
    PayloadPart::kPerspectiveSample, PayloadPart::kLinearPixel,
    PayloadPart::kLinearCentroid,    PayloadPart::kLinearSample,
    PayloadPart::kSourceDepth,       PayloadPart::kSourceW,
    PayloadPart::kPositionOffsets,   PayloadPart::kInputCoverage,
};

bool IsBarycentric(PayloadPart part) {
  return part >= PayloadPart::kPerspectivePixel && part <= PayloadPart::kLinearSample;
}

uint32_t RegistersOf(PayloadPart part, uint32_t width) {
  const uint32_t per_lane = std::min<uint32_t>(width, kPayloadLanes) / 8;
  if (IsBarycentric(part)) return 2 * per_lane;
  return part == PayloadPart::kPositionOffsets ? 1 : per_lane;
}

// Returns the payload that the hardware delivers if these parts are requested.
std::vector<PayloadItem> Delivered(const out::LaunchRecord& record) {
  const std::vector<PayloadItem>& payload = out::IntelOf(record).fragment.payload;
  const auto asked = [&payload](PayloadPart part) {
    return std::any_of(payload.begin(), payload.end(),
                       [part](const PayloadItem& i) { return i.what == part; });
  };
  const uint32_t width = record.dispatch_width;
  std::vector<PayloadItem> items = {{0, 1, PayloadPart::kHeader, 0}};
  const auto add = [&items](PayloadPart part, uint32_t registers, uint32_t first_lane) {
    items.push_back({items.back().reg + items.back().registers, registers, part, first_lane});
  };
  for (uint32_t lane = 0; lane < width; lane += kPayloadLanes)
    add(PayloadPart::kPixelPositions, 1, lane);
  for (uint32_t lane = 0; lane < width; lane += kPayloadLanes) {
    for (PayloadPart part : kBlockParts) {
      if (asked(part)) add(part, RegistersOf(part, width), lane);
    }
  }
  return items;
}

absl::Status CheckPayload(const out::LaunchRecord& record) {
  const std::vector<PayloadItem> want = Delivered(record);
  const std::vector<PayloadItem>& have = out::IntelOf(record).fragment.payload;
  for (size_t i = 0; i < std::max(want.size(), have.size()); ++i) {
    if (i >= want.size() || i >= have.size() || want[i].what != have[i].what ||
        want[i].reg != have[i].reg || want[i].registers != have[i].registers ||
        want[i].first_lane != have[i].first_lane) {
      return absl::InvalidArgumentError(
          absl::StrFormat("launch record: the hardware delivers another payload, from r%d on",
                          i < want.size() ? want[i].reg : have[i].reg));
    }
  }
  return absl::OkStatus();
}

// Refuses parts that a thread gets only if a lane is a sample (intel_shader_enums.h,
// intel_fs_barycentric_modes; brw_compile_fs.cpp, brw_nir_populate_wm_prog_data).
absl::Status CheckSampleParts(const out::LaunchRecord& record) {
  if (record.fragment.per_sample) return absl::OkStatus();
  for (const PayloadItem& i : out::IntelOf(record).fragment.payload) {
    if (i.what == PayloadPart::kPerspectiveSample || i.what == PayloadPart::kLinearSample ||
        i.what == PayloadPart::kPositionOffsets || i.what == PayloadPart::kSampleOffsets) {
      return absl::InvalidArgumentError(
          "launch record: sample positions without per-sample dispatch");
    }
  }
  return absl::OkStatus();
}

bool MadeByFixedFunctions(const out::FragmentInput& a) {
  return a.builtin == "primitive_id" || a.builtin == "point_coord";
}

// Returns, by attribute, the slot of the vertex that it comes from: the header, two slots of
// distances from 2 on, locations from 4 on, as in Kiln's programs and in Mesa's for separate
// stages. With `reserved` (Mesa's layout for more than sixteen attributes) attributes made by fixed
// functions have slots before the locations (brw_vue_map.c); else they have none.
std::vector<std::optional<uint32_t>> Sources(const std::vector<out::FragmentInput>& all,
                                             bool reserved) {
  constexpr uint32_t kHeader = 0, kDistances = 2, kFirstLocation = 4;
  const auto made = std::count_if(all.begin(), all.end(), MadeByFixedFunctions);
  const uint32_t locations = kFirstLocation + (reserved ? static_cast<uint32_t>(made) : 0);
  uint32_t next_reserved = kFirstLocation;
  std::vector<std::optional<uint32_t>> sources;
  for (const out::FragmentInput& a : all) {
    std::optional<uint32_t>& source = sources.emplace_back();
    if (a.builtin.empty()) {
      source = locations + a.location;
    } else if (a.builtin == "clip_distance_0" || a.builtin == "cull_distance_0") {
      source = kDistances;
    } else if (a.builtin == "clip_distance_1" || a.builtin == "cull_distance_1") {
      source = kDistances + 1;
    } else if (!MadeByFixedFunctions(a)) {
      source = kHeader;
    } else if (reserved) {
      source = next_reserved++;
    }
  }
  return sources;
}

// Refuses attributes that are not delivered. 3DSTATE_SBE reads 32 slots of the vertex, from an even
// one on, and delivers as many attributes: numbers 0 to 15 from any of them (3DSTATE_SBE_SWIZ),
// number n from 16 on from the n-th (genX_pipeline.c, emit_3dstate_sbe).
absl::Status CheckSources(const out::LaunchRecord& record, bool reserved) {
  constexpr uint32_t kDelivered = 32, kRouted = 16;
  const std::vector<uint32_t>& slots = out::IntelOf(record).fragment.input_slots;
  const std::vector<std::optional<uint32_t>> sources = Sources(record.fragment.inputs, reserved);
  uint32_t first = ~0u;
  for (const std::optional<uint32_t>& s : sources) first = std::min(first, s.value_or(first));
  first &= ~1u;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (!sources[i]) continue;
    const uint32_t number = slots[i], from = *sources[i] - first;
    if (from >= kDelivered || (number >= kRouted && number != from)) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "launch record: slot %d of the vertex, read from %d on, is not delivered as attribute %d",
          *sources[i], first, number));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAttributes(const out::LaunchRecord& record) {
  constexpr uint32_t kMax = 32;
  const out::IntelFragment& launch = out::IntelOf(record).fragment;
  if (launch.setup_slots > kMax) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "launch record: %d attributes; %d are delivered", launch.setup_slots, kMax));
  }
  bool good = launch.input_slots.size() == record.fragment.inputs.size();
  for (const uint32_t slot : launch.input_slots) good &= slot < launch.setup_slots;
  if (!good) return absl::InvalidArgumentError("launch record: an attribute beyond the setup data");
  const absl::Status plain = CheckSources(record, /*reserved=*/false);
  return plain.ok() || CheckSources(record, /*reserved=*/true).ok() ? absl::OkStatus() : plain;
}

// The clipper computes barycentrics without perspective if 3DSTATE_CLIP says so (genX_pipeline.c,
// NonPerspectiveBarycentricEnable).
absl::Status CheckPerspective(const out::IntelFragment& launch) {
  for (const PayloadItem& i : launch.payload) {
    const bool linear = i.what >= PayloadPart::kLinearPixel && i.what <= PayloadPart::kLinearSample;
    if (linear && !launch.nonperspective) {
      return absl::InvalidArgumentError(
          "launch record: barycentrics without perspective, which the clipper is not configured "
          "for");
    }
  }
  return absl::OkStatus();
}

// 3DSTATE_PS, 32 Pixel Dispatch Enable: not allowed if a lane is one of several samples, nor with
// 16 samples a pixel if it is not (intel_genX_state_brw.h, intel_set_ps_dispatch_state).
absl::Status CheckWidth(const out::LaunchRecord& record) {
  const out::FragmentLaunch& launch = record.fragment;
  if (record.dispatch_width < 32 || launch.samples < (launch.per_sample ? 2u : 16u)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrFormat("launch record: 32 lanes %s with %d samples",
                                                    launch.per_sample ? "of samples" : "of pixels",
                                                    launch.samples));
}

}  // namespace

absl::Status CheckFragmentRecord(const out::LaunchRecord& record) {
  const out::IntelLaunch& intel = out::IntelOf(record);
  const out::IntelFragment& launch = intel.fragment;
  if (absl::Status s = CheckWidth(record); !s.ok()) return s;
  if (absl::Status s = CheckPayload(record); !s.ok()) return s;
  if (absl::Status s = CheckSampleParts(record); !s.ok()) return s;
  if (absl::Status s = CheckPerspective(launch); !s.ok()) return s;
  if (absl::Status s = CheckPushedRanges(record); !s.ok()) return s;
  const uint32_t end = launch.payload.back().reg + launch.payload.back().registers;
  const uint64_t constants_end = uint64_t{intel.push_first_register} + intel.push_registers;
  if (intel.push_first_register < end || launch.setup_first_register != constants_end ||
      launch.setup_first_register + 2 * uint64_t{launch.setup_slots} > kRegisters) {
    return absl::InvalidArgumentError(
        "launch record: constants follow the payload, setup data the constants, up to r127");
  }
  return CheckAttributes(record);
}

absl::Status CheckSamples(const out::LaunchRecord& record, const scene::FragmentInputs& draw) {
  if (record.fragment.samples != draw.samples) {
    return absl::InvalidArgumentError(
        absl::StrFormat("draw: %d samples a pixel; the program was compiled for %d", draw.samples,
                        record.fragment.samples));
  }
  if (draw.output.alpha_to_coverage && !record.fragment.writes_sample_mask) {
    return absl::UnimplementedError(
        "draw: \"alpha_to_coverage\" done by the hardware is not supported");
  }
  return absl::OkStatus();
}

std::vector<FragmentThread> FragmentThreads(const out::LaunchRecord& record, bool opposite,
                                            const scene::QuadRange& quads,
                                            scene::FragmentInputs& draw) {
  std::vector<FragmentThread> threads;
  for (scene::QuadGroup& group : scene::GroupQuads(
           record.dispatch_width, record.fragment.per_sample, opposite, quads, draw)) {
    threads.push_back({std::move(group), &record});
  }
  return threads;
}

}  // namespace kiln::sim::eu
