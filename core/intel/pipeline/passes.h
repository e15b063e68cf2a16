// The passes of the Intel back end in execution order, and one compile at one width.
#ifndef KILN_CORE_INTEL_PIPELINE_PASSES_H_
#define KILN_CORE_INTEL_PIPELINE_PASSES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/base/pass.h"
#include "core/driver/compile.h"
#include "core/intel/abi/abi.h"
#include "core/intel/isa/program.h"
#include "core/lir/lir.h"
#include "core/mir/mir.h"

namespace kiln::intel {

// One shader at one width on its way from LIR to bytes.
struct Work {
  const mir::Module* module = nullptr;
  mir::Module resolved;           // the module at this subgroup size, if it depends on that
  const Abi* abi = nullptr;
  int width = 8;
  bool check = false;             // run the allocation checker
  enum class Stage : uint8_t { kNothing, kSsa, kAllocated, kProgram, kBytes };
  Stage stage = Stage::kNothing;
  lir::Function lir;
  std::vector<lir::InstId> unscheduled;  // `lir`'s instructions as they stood before scheduling,
                                         // block by block; for an allocation that fails
  isa::Program program;
  std::vector<uint8_t> code;
  uint32_t grf_used = 0;
  uint32_t scratch_bytes = 0;     // per thread, private arrays and spills
  int64_t spills = 0;             // messages
  int64_t fills = 0;
  int64_t spill_bytes = 0;
  int64_t fill_bytes = 0;
};

absl::Span<const Pass<Work>> IntelPasses();
absl::Span<const PassOrder> IntelPassOrder();
const Level<Work>& IntelLevel();

// All widths that the shader can have and `options` want.
absl::StatusOr<Compiled> CompileIntel(const Prepared& prepared, const CompileOptions& options,
                                      Sink* sink, const Budget& budget);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_PASSES_H_
