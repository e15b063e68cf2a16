#include "core/intel/pipeline/count.h"

#include <utility>

#include "absl/status/status.h"
#include "core/base/step.h"
#include "core/intel/abi/launch.h"
#include "core/intel/isa/computed_descriptors.h"
#include "core/intel/perf/statistics.h"
#include "core/intel/pipeline/statistics.h"

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

absl::StatusOr<WidthResult> MakeVariant(const mir::Module& m, const Abi& abi, Work w, Sink* sink) {
  const Step step(sink, "count_program", "out", w.at_width.width);
  const absl::StatusOr<ProgramStatistics> counted = CountWork(w);
  if (!counted.ok()) return counted.status();
  if (!counted->cycles) return absl::InternalError("a message is unknown to the cost model");
  WidthResult made;
  made.costs = {.width = w.at_width.width,
                .cycles = *counted->cycles,
                .busiest_cycles = counted->busiest_cycles,
                .registers = counted->registers,
                .spills = w.spills + w.fills != 0};
  Variant& v = made.variant;
  v.name = made.costs.Name();
  v.width = w.at_width.width;
  v.launch = LaunchOf(m, abi, w.at_width);
  v.launch.code_bytes = static_cast<uint32_t>(w.code.size());
  v.launch.scratch_bytes_per_thread = w.scratch_bytes;
  v.statistics =
      StatisticsOf({.counted = *counted,
                    .bytes = static_cast<int64_t>(w.code.size()),
                    .transfers = Transfers{w.spills, w.fills, w.spill_bytes, w.fill_bytes}});
  v.code = std::move(w.code);
  return made;
}

}  // namespace kiln::intel
