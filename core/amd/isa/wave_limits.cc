// See wave_limits.h.
#include "core/amd/isa/wave_limits.h"

#include <algorithm>

namespace kiln::amd::isa {

namespace {

int FileOf(Wave wave) { return wave == Wave::k32 ? 1024 : 512; }
int GranuleOf(Wave wave) { return wave == Wave::k32 ? 16 : 8; }

}  // namespace

int WavesByRegisters(int vgprs, Wave wave) {
  const int granule = GranuleOf(wave);
  const int taken = (std::max(vgprs, 1) + granule - 1) / granule * granule;
  return std::min(kMaxWavesOfSimd, FileOf(wave) / taken);
}

int VgprsOfWaves(int waves, Wave wave) {
  if (waves > kMaxWavesOfSimd) return 0;
  const int granule = GranuleOf(wave);
  return FileOf(wave) / waves / granule * granule;
}

}  // namespace kiln::amd::isa
