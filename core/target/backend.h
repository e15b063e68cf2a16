// The driver's view of a back end: one row of data and functions for each target.
#ifndef KILN_CORE_TARGET_BACKEND_H_
#define KILN_CORE_TARGET_BACKEND_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/base/pass.h"
#include "core/base/sink.h"
#include "core/mid/features.h"
#include "core/mir/mir.h"
#include "core/out/container.h"
#include "core/out/launch_record.h"
#include "core/target/analysis.h"
#include "core/target/compile_options.h"
#include "core/target/compiled.h"
#include "core/target/simulation.h"
#include "core/target/statistics.h"
#include "core/target/switches.h"
#include "core/target/timeline.h"

namespace kiln {

// A container, besides raw code, that results of a target can be in.
struct BackendContainer {
  out::Container container;
  absl::Span<const std::string_view> stages;  // whose results can; the others are refused by name
  // Returns true for bytes that claim to be such a file, damaged ones and another target's too. The
  // target's tools take such a file wherever they take code.
  bool (*claims)(absl::Span<const uint8_t> file);
  // Returns the launch record that the file amounts to. InvalidArgument says what is wrong.
  absl::StatusOr<out::LaunchRecord> (*record)(absl::Span<const uint8_t> file);
};

struct Backend {
  std::string_view name;  // in requests, keys and metrics
  // Changes only when the bytes produced for the target may change, or what is refused for it,
  // since refusals are cached, too; it is part of every key. 0 as long as there is no compiler.
  uint32_t code_generation_version = 0;
  // Version of the meaning of launch records.
  uint32_t abi_version = 0;
  // Operations that the target executes itself; passes over MIR query them before they lower. Null
  // without a compiler.
  const mid::Features* features = nullptr;
  // Returns the figures that each of the target's variants has, in the order in which users see
  // them. Part of every key, so that adding one makes results that have it. Null: none.
  absl::Span<const StatisticRow> (*statistics)() = nullptr;
  // Returns the back end's own passes in execution order, once each. Null: none.
  std::vector<PassRow> (*passes)() = nullptr;
  // Makes machine code of a lowered module, at all widths that it can have and `options` request.
  // The runner counts rewrites and may stop on request; `sink` may be null. Errors: refusals of
  // this target, with their causes and SPIR-V ids (core/driver/compile.h). Null: the target has
  // tools only, and the driver refuses compiles by name.
  absl::StatusOr<Compiled> (*compile)(const mir::Module& module, const CompileOptions& options,
                                      Runner& runner, Sink* sink) = nullptr;
  // Returns the name of a program with so many lanes, as users know it (Variant::name). Every
  // row has the function.
  std::string (*variant_name)(uint32_t width) = nullptr;
  // Forms of results besides raw code, which every target has.
  absl::Span<const BackendContainer> containers = {};
  // The forms of scans of the workgroup that CompileOptions::scan chooses from. The driver hands on
  // no other name.
  absl::Span<const std::string_view> scans = {};
  // The sizes of workgroups that CompileOptions::ngg_group chooses from, ascending. Empty: programs
  // have no workgroups of vertices, so they cannot leave out primitives either.
  absl::Span<const uint32_t> ngg_groups = {};

  // Tools for machine code of any compiler. Null: the target has none, and the driver refuses what
  // needs it by name (core/driver/tools.h). All return InvalidArgument for bytes that are no
  // program of the target.

  // Returns the code as text, one instruction a line.
  absl::StatusOr<std::string> (*disassemble)(absl::Span<const uint8_t> code) = nullptr;
  // Returns its effects and its cost. FailedPrecondition: the launch record, if there is one, is
  // not of this program.
  absl::StatusOr<Analysis> (*analyze)(absl::Span<const uint8_t> code,
                                      const AnalyzeOptions& options) = nullptr;
  // Returns when each instruction issues and what it waits for, by the cost model. Errors: those of
  // `analyze`; Unimplemented: the model does not know an instruction, which the message names.
  absl::StatusOr<Timeline> (*trace)(absl::Span<const uint8_t> code,
                                    const TraceOptions& options) = nullptr;
  // Runs a whole dispatch or draw; the client's data are changed even if it fails. Errors:
  // InvalidArgument also for a record and data that do not fit, Unimplemented (a named construct),
  // FailedPrecondition (a missing wait in contract mode, a deadlock), OutOfRange (an access outside
  // memory or registers), DeadlineExceeded (limits).
  absl::StatusOr<sim::scene::RunStats> (*simulate)(absl::Span<const uint8_t> code,
                                                   const out::LaunchRecord& record,
                                                   const SimulationOptions& options,
                                                   sim::scene::Dispatch& dispatch) = nullptr;
  // Modes that only some targets' tools have. The driver hands on no other.
  bool analyzes_records = false;  // AnalyzeOptions::record, TraceOptions::record
  absl::Span<const Switch> analysis_switches = {};
  absl::Span<const Switch> trace_switches = {};
  absl::Span<const Switch> simulation_switches = {};
};

}  // namespace kiln

#endif  // KILN_CORE_TARGET_BACKEND_H_
