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
#include "core/target/compile_options.h"
#include "core/target/compiled.h"
#include "core/target/statistics.h"

namespace kiln {

struct Backend {
  std::string_view name;  // in requests, keys and metrics
  // Changes only when the bytes produced for the target may change, and is part of every key.
  uint32_t code_generation_version = 0;
  // Version of the meaning of launch records.
  uint32_t abi_version = 0;
  // Operations that the target executes itself; passes over MIR query them before they lower.
  const mid::Features* features = nullptr;
  // Returns the figures that each of the target's variants has, in the order in which users see
  // them. Part of every key, so that adding one makes results that have it. Null: none.
  absl::Span<const StatisticRow> (*statistics)() = nullptr;
  // Returns the back end's own passes in execution order, once each.
  std::vector<PassRow> (*passes)() = nullptr;
  // Makes machine code of a lowered module, at all widths that it can have and `options` request.
  // The runner counts rewrites and may stop on request; `sink` may be null. Errors: refusals of
  // this target, with their causes and SPIR-V ids (core/driver/compile.h).
  absl::StatusOr<Compiled> (*compile)(const mir::Module& module, const CompileOptions& options,
                                      Runner& runner, Sink* sink) = nullptr;
  // Returns the code as text, one instruction a line. InvalidArgument: the bytes are no program of
  // the target.
  absl::StatusOr<std::string> (*disassemble)(absl::Span<const uint8_t> code) = nullptr;
};

}  // namespace kiln

#endif  // KILN_CORE_TARGET_BACKEND_H_
