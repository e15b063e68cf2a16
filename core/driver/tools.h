// The tools that back ends have for machine code, and refusals of those that one does not have, or
// of compiling for it; internal to this folder.
#ifndef KILN_CORE_DRIVER_TOOLS_H_
#define KILN_CORE_DRIVER_TOOLS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/target/backend.h"

namespace kiln {

// Returns UNIMPLEMENTED, which names the tool or switch, if the back end does not have what is
// asked for.
absl::Status CheckCompiler(const Backend& backend);
// The same for a container that the target's results of this stage cannot be in (cause container).
absl::Status CheckContainer(const Backend& backend, out::Container container,
                            std::string_view stage);
// The same for a form of scans (cause scan). Empty: any.
absl::Status CheckScan(const Backend& backend, std::string_view scan);
// The same for a size of workgroups of vertices (cause ngg_group). 0: any.
absl::Status CheckNggGroup(const Backend& backend, uint32_t size, std::string_view stage);
// The same for culling that a state asks for, which the target's programs cannot (cause
// primitive_culling).
absl::Status CheckCulling(const Backend& backend, const PipelineState& state);
absl::Status CheckDisassembler(const Backend& backend);
absl::Status CheckAnalysis(const Backend& backend, const AnalyzeOptions& options);
absl::Status CheckTrace(const Backend& backend, const TraceOptions& options);
absl::Status CheckSimulation(const Backend& backend, const SimulationOptions& options);

// Call the back end's tools after these checks (core/target/backend.h).
absl::StatusOr<std::string> DisassembleBy(const Backend& backend, absl::Span<const uint8_t> code);
absl::StatusOr<Analysis> AnalyzeBy(const Backend& backend, absl::Span<const uint8_t> code,
                                   const AnalyzeOptions& options);
absl::StatusOr<Timeline> TraceBy(const Backend& backend, absl::Span<const uint8_t> code,
                                 const TraceOptions& options);
absl::StatusOr<sim::scene::RunStats> SimulateBy(const Backend& backend,
                                                absl::Span<const uint8_t> code,
                                                const out::LaunchRecord& record,
                                                const SimulationOptions& options,
                                                sim::scene::Dispatch& dispatch);

// Returns the rows that a function of back ends gives for all of them, each name once, in the order
// of the back ends.
std::vector<Switch> SwitchesOf(absl::Span<const Backend* const> backends,
                               absl::Span<const Switch> Backend::*switches);

}  // namespace kiln

#endif  // KILN_CORE_DRIVER_TOOLS_H_
