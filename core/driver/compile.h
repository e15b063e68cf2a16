// The compiler core's one public header: two pure functions.
//
// Prepare does everything that does not depend on the target, once per shader; Compile makes
// machine code for one target from it, or refuses what that target lacks. No globals, no
// environment, no file access, and no clock except for timings: same inputs, same bytes.
// front/glsl/glsl.h converts GLSL to SPIR-V beforehand.
//
// Errors are absl::Status values: InvalidArgument (the module is malformed), Unimplemented (a named
// refusal), ResourceExhausted (a limit), Cancelled. CauseOf (core/base/cause.h) returns the stable
// snake_case cause of one, for tables and metrics.
#ifndef KILN_CORE_DRIVER_COMPILE_H_
#define KILN_CORE_DRIVER_COMPILE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/base/cause.h"
#include "core/base/pass_options.h"
#include "core/base/sink.h"
#include "core/base/spec_type.h"
#include "core/out/launch_record.h"
#include "core/target/compile_options.h"
#include "core/target/compiled.h"
#include "core/target/statistics.h"

namespace kiln {

enum class Target : uint8_t { kTgl, kGfx1030 };

// Parses a name of TargetName; otherwise InvalidArgument with the list of names.
absl::StatusOr<Target> ParseTarget(std::string_view name);
std::string_view TargetName(Target target);
std::vector<Target> AllTargets();
// Changes only when the bytes produced for the target may change.
uint32_t CodeGenerationVersion(Target target);
uint32_t AbiVersion(Target target);
// Returns the name of a program with so many lanes, which variants of that width have.
std::string VariantName(Target target, uint32_t width);
// Returns the figures that each variant of the target has.
absl::Span<const StatisticRow> StatisticsOf(Target target);

// A container, besides raw code, that results of a target can be in, and of which stages.
struct TargetContainer {
  std::string_view name;
  std::vector<std::string_view> stages;
};
std::vector<TargetContainer> ContainersOf(Target target);

// Returns the forms of scans of the workgroup that results of the target can have
// (CompileOptions::scan).
absl::Span<const std::string_view> ScansOf(Target target);

// Returns the sizes of workgroups of vertices that the target can have (CompileOptions::ngg_group).
absl::Span<const uint32_t> NggGroupsOf(Target target);

// Returns the launch record of a file in one of the target's containers, of any compiler; nullopt
// for bytes that are none, which may be raw code. InvalidArgument: the file is damaged, or of
// another target.
absl::StatusOr<std::optional<out::LaunchRecord>> RecordInFile(Target target,
                                                              absl::Span<const uint8_t> file);

struct PrepareOptions {
  std::string entry_point;                      // empty: the only one
  std::string stage;                            // empty: the entry point's; otherwise must equal it
  std::map<uint32_t, uint64_t> spec_constants;  // SpecId -> bits
  // Makes WorkgroupId and GlobalInvocationId count from the base that a dispatch gives
  // (VK_PIPELINE_CREATE_DISPATCH_BASE_BIT). Otherwise the program is right only for a base of 0.
  bool dispatch_base = false;
  std::map<uint32_t, SpecType> spec_types;  // types in which they were written; absent: bits
  bool validate = true;                     // run SPIRV-Tools' validator first
  PassOptions passes;  // bisect_limit: total of rewrites allowed, including Compile's
};

class Prepared;  // opaque; immutable, may be shared between threads

struct PreparedInfo {
  std::string entry_point;
  std::string stage;  // "compute", "fragment"
  int64_t mir_instructions = 0;
};

// Imports the module and runs the passes that no target changes. `spirv`: the module's words in
// host byte order. `sink` may be null.
absl::StatusOr<std::shared_ptr<const Prepared>> Prepare(absl::Span<const uint32_t> spirv,
                                                        const PrepareOptions& options, Sink* sink,
                                                        const Budget& budget);
const PreparedInfo& Info(const Prepared& prepared);

absl::StatusOr<Compiled> Compile(const Prepared& prepared, Target target,
                                 const CompileOptions& options, Sink* sink, const Budget& budget);

struct PassInfo {
  std::string name;
  std::string level;
  bool optional = false;
  std::string summary;
};
std::vector<PassInfo> AllPasses();

// The steps that Prepare and Compile report besides passes (core/base/step.h).
inline constexpr std::string_view kSteps[] = {"check_bounds", "validate_spirv", "import_spirv",
                                              "compact_mir",  "assign_abi",     "count_program"};

// Returns Unimplemented, with the cause missing_compiler, if no module compiles for the target:
// only its tools for machine code are there.
absl::Status CheckCompiler(Target target);

// Returns Unimplemented, with the cause missing_tool, if the target has no disassembler.
absl::Status CheckDisassembler(Target target);
// Returns the machine code as text for people, one instruction a line. InvalidArgument: the bytes
// are no program of the target. Also the error of CheckDisassembler.
absl::StatusOr<std::string> Disassemble(Target target, absl::Span<const uint8_t> code);

}  // namespace kiln

#endif  // KILN_CORE_DRIVER_COMPILE_H_
