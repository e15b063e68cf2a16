// The state of one shader at one width on its way through the pipeline.
#ifndef KILN_CORE_INTEL_PIPELINE_WORK_H_
#define KILN_CORE_INTEL_PIPELINE_WORK_H_

#include <cstdint>
#include <vector>

#include "core/intel/abi/abi.h"
#include "core/intel/abi/width_abi.h"
#include "core/intel/device/device.h"
#include "core/intel/isa/program.h"
#include "core/lir/lir.h"
#include "core/mir/mir.h"
#include "core/target/compile_options.h"
#include "core/target/resolved_passes.h"

namespace kiln::intel {

// The state that all widths share, before they are compiled.
struct AllWidths {
  const mir::Module* module = nullptr;
  const CompileOptions* options = nullptr;
  Abi* abi = nullptr;
};

struct Work : ModuleAtWidth {
  explicit Work(const Device& of) : device(&of), program(of.generation) {}

  const Device* device;
  const Abi* abi = nullptr;
  WidthAbi at_width;
  int width() const { return at_width.width; }
  bool check = false;     // run the allocation checker
  bool may_spill = true;  // false: a shader that does not fit the registers is refused
  enum class Stage : uint8_t { kNothing, kSsa, kAllocated, kProgram, kBytes };
  Stage stage = Stage::kNothing;
  lir::Function lir;
  std::vector<lir::InstId> unscheduled;  // `lir`'s instructions in the order before scheduling,
                                         // block by block; for an allocation that fails
  bool schedule_fits = false;  // by count, each block has an order that fits the registers
  isa::Program program;
  std::vector<uint8_t> code;
  uint32_t scratch_bytes = 0;  // per thread, private arrays and spills
  int64_t spills = 0;          // messages
  int64_t fills = 0;
  int64_t spill_bytes = 0;
  int64_t fill_bytes = 0;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_WORK_H_
