#include "core/amd/perf/occupancy.h"

#include <algorithm>

#include "core/amd/isa/wave_limits.h"

namespace kiln::amd {
namespace {

constexpr int64_t kLdsGranule = 1024;
constexpr int64_t kBytesOfInput = 48;   // three vectors of four: a vertex each
constexpr int64_t kMaxGroupsOfCu = 16;  // of several waves

int64_t RoundedUp(int64_t value, int64_t granule) {
  return (value + granule - 1) / granule * granule;
}

}  // namespace

int MostVgprs(int vgprs, isa::Wave wave) {
  if (vgprs >= isa::kVgprCount) return vgprs;
  const int waves = isa::WavesByRegisters(vgprs, wave);
  return std::min(isa::kVgprCount, isa::VgprsOfWaves(waves, wave));
}

int WavesPerSimd(int vgprs, isa::Wave wave, const Group& group) {
  const int cus = group.wgp_mode ? 2 : 1;
  const int64_t simds = isa::SimdsOfGroup(group.wgp_mode);
  const int lanes = wave == isa::Wave::k32 ? 32 : 64;
  const int64_t waves_of_group = std::max<int64_t>(1, RoundedUp(group.lanes, lanes) / lanes);
  int64_t groups = isa::WavesByRegisters(vgprs, wave) * simds / waves_of_group;
  const int64_t lds = RoundedUp(group.lds_bytes, kLdsGranule) +
                      RoundedUp(kBytesOfInput * group.fragment_inputs, kLdsGranule);
  if (lds > 0) groups = std::min(groups, isa::kLdsOfCu * cus / lds);
  if (waves_of_group > 1) groups = std::min(groups, kMaxGroupsOfCu * cus);
  // A group may leave a SIMD with one wave more than another: the most that one has.
  return static_cast<int>((groups * waves_of_group + simds - 1) / simds);
}

}  // namespace kiln::amd
