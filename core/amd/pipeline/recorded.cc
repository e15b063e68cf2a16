#include "core/amd/pipeline/recorded.h"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "absl/strings/str_cat.h"
#include "core/amd/perf/occupancy.h"

namespace kiln::amd {
namespace {

// Fields of COMPUTE_PGM_RSRC1, SPI_SHADER_PGM_RSRC1_GS, COMPUTE_PGM_RSRC3 and GE_CNTL (Mesa 25.0.7,
// amd/registers/gfx103.json).
uint32_t Bits(uint32_t value, int first, int count) { return value >> first & ((1u << count) - 1); }

// Returns the VGPRs that a lane has in the register file, as rsrc1 counts them: in 8 or 4. A wave
// of 64 lanes may have shared VGPRs besides, 8 of them to a count: a register of 32 lanes each, and
// so half as many of 64 (aco_live_var_analysis.cpp, update_vgpr_sgpr_demand).
int AllocatedVgprs(const out::AmdLaunch& amd, isa::Wave wave) {
  const bool narrow = wave == isa::Wave::k32;
  const uint32_t own = (Bits(amd.rsrc1, 0, 6) + 1) * (narrow ? 8 : 4);
  return static_cast<int>(own + (narrow ? 0 : Bits(amd.rsrc3, 0, 4) * 8 / 2));
}

Group GroupOf(const out::LaunchRecord& record, const out::AmdLaunch& amd) {
  Group group;
  group.lds_bytes = record.shared_bytes;
  if (record.stage == "compute") {
    uint64_t lanes = 1;
    for (const uint32_t n : record.compute.local_size) lanes *= std::min(n, 1024u);
    group.lanes = static_cast<int>(std::min<uint64_t>(lanes, 1024));
    group.wgp_mode = Bits(amd.rsrc1, 29, 1) != 0;
  } else if (record.stage == "vertex") {
    // A full workgroup has a lane for each vertex and for each primitive.
    const uint32_t cntl = amd.vertex.ge_cntl;
    group.lanes = static_cast<int>(std::max(Bits(cntl, 0, 9), Bits(cntl, 9, 9)));
    group.wgp_mode = Bits(amd.rsrc1, 27, 1) != 0;
  } else {
    group.fragment_inputs = static_cast<int>(amd.fragment.spi_ps_input_cntl.size());
  }
  return group;
}

}  // namespace

absl::StatusOr<Recorded> ReadRecord(const out::LaunchRecord& record, uint64_t code_bytes) {
  const auto* amd = std::get_if<out::AmdLaunch>(&record.arch);
  if (amd == nullptr) {
    return absl::FailedPreconditionError("is not of a program of this architecture");
  }
  if (record.dispatch_width != 32 && record.dispatch_width != 64) {
    return absl::FailedPreconditionError(
        absl::StrCat("waves of ", record.dispatch_width, " lanes, not 32 or 64"));
  }
  if (amd->instruction_bytes > code_bytes) {
    return absl::FailedPreconditionError(absl::StrCat(
        "has ", amd->instruction_bytes, " bytes of instructions, the file ", code_bytes, " bytes"));
  }
  Recorded recorded;
  recorded.wave = record.dispatch_width == 64 ? isa::Wave::k64 : isa::Wave::k32;
  recorded.instruction_bytes = amd->instruction_bytes;
  recorded.facts.lds_bytes = record.shared_bytes;
  recorded.facts.scratch_bytes = record.scratch_bytes_per_thread;
  recorded.facts.waves_per_simd =
      WavesPerSimd(AllocatedVgprs(*amd, recorded.wave), recorded.wave, GroupOf(record, *amd));
  return recorded;
}

}  // namespace kiln::amd
