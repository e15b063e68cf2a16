// See wave_limits.h.
#include "core/amd/isa/wave_limits.h"

#include <algorithm>

namespace kiln::amd::isa {

int WavesByRegisters(int vgprs, Wave wave) {
  const int file = wave == Wave::k32 ? 1024 : 512;
  const int granule = wave == Wave::k32 ? 16 : 8;
  const int taken = (std::max(vgprs, 1) + granule - 1) / granule * granule;
  return std::min(kMaxWavesOfSimd, file / taken);
}

}  // namespace kiln::amd::isa
