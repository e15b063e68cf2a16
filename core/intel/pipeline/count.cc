#include "core/intel/pipeline/count.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/step.h"
#include "core/intel/abi/launch.h"
#include "core/intel/isa/computed_descriptors.h"
#include "core/intel/perf/statistics.h"

namespace kiln::intel {
namespace {

// Counts statistics. They describe the bytes, but are counted from the program that the bytes were
// encoded from, which saves decoding them; where passes are verified, both results are compared.
// Facts that the program has and its bytes do not are dropped first.
absl::StatusOr<ProgramStatistics> CountWork(Work& w) {
  w.program.indirect.clear();
  isa::NoteComputedDescriptors(w.program);
  const absl::StatusOr<ProgramStatistics> counted = CountProgram(*w.device, w.program);
  if (!counted.ok() || !w.check) return counted;
  const absl::StatusOr<ProgramStatistics> of_bytes = CountProgram(*w.device, w.code);
  if (!of_bytes.ok()) return of_bytes.status();
  if (*of_bytes != *counted)
    return absl::InternalError(
        "the statistics of the decoded bytes differ from those of the program");
  return counted;
}

}  // namespace

absl::StatusOr<Variant> MakeVariant(const mir::Module& m, const Abi& abi, Work w, Sink* sink) {
  const Step step(sink, "count_program", "out", w.at_width.width);
  const absl::StatusOr<ProgramStatistics> counted = CountWork(w);
  if (!counted.ok()) return counted.status();
  if (!counted->cycles) return absl::InternalError("a message is unknown to the cost model");
  Variant v;
  v.name = absl::StrCat("SIMD", w.at_width.width);
  v.width = w.at_width.width;
  v.launch = LaunchOf(m, abi, w.at_width);
  v.launch.code_bytes = static_cast<uint32_t>(w.code.size());
  v.launch.scratch_bytes_per_thread = w.scratch_bytes;
  v.statistics.instructions = counted->instructions;
  v.statistics.sync_instructions = counted->sync_instructions;
  v.statistics.sends = counted->sends;
  v.statistics.loops = counted->loops;
  v.statistics.registers = counted->registers;
  v.statistics.cycles = *counted->cycles;
  v.statistics.exit_cycles = counted->exit_cycles;
  v.statistics.busiest_cycles = counted->busiest_cycles;
  v.statistics.spills = w.spills;
  v.statistics.fills = w.fills;
  v.statistics.spill_bytes = w.spill_bytes;
  v.statistics.fill_bytes = w.fill_bytes;
  v.statistics.bytes = static_cast<int64_t>(w.code.size());
  v.code = std::move(w.code);
  return v;
}

}  // namespace kiln::intel
