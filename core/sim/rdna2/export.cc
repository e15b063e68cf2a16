// See export.h.
#include "core/sim/rdna2/export.h"

#include "absl/strings/str_cat.h"
#include "core/sim/rdna2/export_fragment.h"
#include "core/sim/rdna2/export_vertex.h"

namespace kiln::sim::rdna2 {

std::array<uint32_t, 4> ExportedDwords(const Op& op, const WaveState& wave, int lane) {
  std::array<uint32_t, 4> values{};
  for (size_t i = 0; i < 4; ++i) {
    // A compressed export has two halves in each of two registers.
    const bool read = op.inst.compressed ? i < 2 && (op.inst.enable >> 2 * i & 3) != 0
                                         : (op.inst.enable >> i & 1) != 0;
    if (!read) continue;
    values[i] = wave.vector[static_cast<size_t>(op.inst.src[i].vgpr())][static_cast<size_t>(lane)];
  }
  return values;
}

absl::Status ExportError(absl::StatusCode code, const Op& op, const WaveState& wave,
                         absl::string_view what) {
  return OpError(code, op, wave.size, absl::StrCat("export: ", what));
}

absl::Status ExecuteExport(const Op& op, const Context& context, const WaveState& wave) {
  if (context.fragment == nullptr && context.vertices == nullptr) {
    return ExportError(absl::StatusCode::kInvalidArgument, op, wave, "in a compute program");
  }
  const bool ends_nothing = op.inst.target == kNullTarget && op.inst.done;
  if (wave.Exec() == 0 && !ends_nothing) {
    return ExportError(absl::StatusCode::kFailedPrecondition, op, wave, "while no lane is on");
  }
  if (context.fragment != nullptr) return ExportFragment(op, wave, *context.fragment);
  return ExportVertex(op, wave, *context.vertices);
}

}  // namespace kiln::sim::rdna2
