// The state of one shader at one size of waves on its way through the pipeline.
#ifndef KILN_CORE_AMD_PIPELINE_WORK_H_
#define KILN_CORE_AMD_PIPELINE_WORK_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/amd/abi/abi.h"
#include "core/amd/emit/finalise.h"
#include "core/amd/emit/program.h"
#include "core/amd/select/scan_form.h"
#include "core/lir/lir.h"
#include "core/lir/liveness.h"
#include "core/target/resolved_passes.h"

namespace kiln::amd {

struct Work : ModuleAtWidth {
  const Abi* abi = nullptr;
  uint32_t lanes = 32;
  uint32_t max_vgprs = 256;  // with which a workgroup fits a CU
  bool check = false;        // run the checkers of allocation and waits
  ScanForms scans = {};      // the form of each scan of the workgroup
  uint32_t width() const { return lanes; }

  enum class Stage : uint8_t { kNothing, kSsa, kAllocated, kProgram, kBytes };
  Stage stage = Stage::kNothing;
  lir::Function lir;
  std::vector<lir::InstId> unscheduled;  // `lir`'s instructions in the order before scheduling
  bool copies_inserted = false;          // allocation has added copies, spills or fills
  // The liveness of `lir`, if the schedule needed it; its deaths may be those of another order.
  std::optional<lir::Liveness> live;
  std::vector<lir::Pressure> pressure;  // of `lir` in its present order; empty: not known
  uint32_t vgpr_goal = 0;  // the most VGPRs with which as many waves share a SIMD as planned
  Program program;
  Binary binary;
  uint32_t shared_bytes = 0;   // of the workgroup's LDS, with what scans need
  uint32_t private_bytes = 0;  // of a lane's scratch, from its start
  uint32_t spill_bytes = 0;    // of a lane's scratch, after these
  int64_t spilled_sgprs = 0;
  int64_t spilled_vgprs = 0;
  uint32_t scratch_bytes_per_lane() const { return private_bytes + spill_bytes; }
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PIPELINE_WORK_H_
