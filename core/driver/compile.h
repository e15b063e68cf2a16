// The compiler core's one public header: two pure functions.
//
// Prepare does everything that does not depend on the target, once per shader; Compile makes
// machine code for one target from it. No globals, no environment, no file access, no clock but
// for timings: same inputs, same bytes. GLSL is turned into SPIR-V by front/glsl.h beforehand.
//
// Errors are absl::Status values: InvalidArgument (the module is malformed), Unimplemented (a
// named refusal), ResourceExhausted (a limit), Cancelled. CauseOf (core/base/cause.h) gives the
// stable snake_case cause of one, for tables and metrics.
#ifndef KILN_CORE_DRIVER_COMPILE_H_
#define KILN_CORE_DRIVER_COMPILE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/base/cause.h"
#include "core/base/sink.h"
#include "core/base/spec_type.h"
#include "core/out/launch_record.h"

namespace kiln {

enum class Target : uint8_t { kTgl };

// "tgl" and so on; InvalidArgument with the list of names otherwise.
absl::StatusOr<Target> ParseTarget(std::string_view name);
std::string_view TargetName(Target target);
std::vector<Target> AllTargets();
// Changes only when the bytes produced for the target may change.
uint32_t CodeGenerationVersion(Target target);
uint32_t AbiVersion(Target target);

struct PrepareOptions {
  std::string entry_point;                  // empty: the only one
  std::string stage;                        // empty: the entry point's; else must agree
  std::map<uint32_t, uint64_t> spec_constants;  // SpecId -> bits
  // WorkgroupId and GlobalInvocationId count from the base that a dispatch gives
  // (VK_PIPELINE_CREATE_DISPATCH_BASE_BIT). Without, the program promises nothing for a base but 0.
  bool dispatch_base = false;
  std::map<uint32_t, SpecType> spec_types;  // what they were written as; those not in it: as bits
  bool validate = true;                     // run SPIRV-Tools' validator first
  std::vector<std::string> disabled_passes; // optional passes only
  int64_t bisect_limit = -1;                // rewrites allowed in all, Compile's included; -1: no limit
  std::string print_after;                  // pass name, "all" or "changed": snapshots to the sink
  std::string stop_after;                   // pass name
  bool verify_each = false;                 // check the IR after every pass (tests)
};

struct CompileOptions {
  std::vector<int> widths;                  // dispatch widths wanted; empty: all that the target has
  int required_subgroup_size = 0;           // only this width, whatever it costs; 0: any
  bool require_full_subgroups = false;      // only widths that divide the workgroup's size in x
  std::vector<std::string> disabled_passes;
  int64_t bisect_limit = -1;                // counts on from Prepare, where it must be the same
  std::string print_after;
  std::string stop_after;                   // then there are no variants; so too if Prepare stopped
  bool verify_each = false;
};

class Prepared;  // opaque; immutable, may be shared between threads

struct PreparedInfo {
  std::string entry_point;
  std::string stage;                        // "compute"
  int64_t mir_instructions = 0;
};

struct Statistics {
  int64_t instructions = 0;                 // of the encoded program, without nop and sync
  int64_t sync_instructions = 0;
  int64_t sends = 0;
  int64_t cycles = 0;                       // one thread, by our model (core/intel/perf)
  int64_t spills = 0;
  int64_t fills = 0;
  int64_t spill_bytes = 0;                  // that one thread moves if every message runs once
  int64_t fill_bytes = 0;
  int64_t loops = 0;
  int64_t registers = 0;                    // maximum of live GRFs, from the bytes
  int64_t bytes = 0;
};

struct Variant {
  std::string name;                         // "SIMD16"
  int width = 0;
  std::vector<uint8_t> code;
  out::LaunchRecord launch;
  Statistics statistics;
};

struct Compiled {
  Target target = Target::kTgl;
  std::string stage;
  std::vector<Variant> variants;            // at least one, unless stopped on request
};

// `spirv`: the module's words in host byte order. `sink` may be null.
absl::StatusOr<std::shared_ptr<const Prepared>> Prepare(absl::Span<const uint32_t> spirv,
                                                        const PrepareOptions& options,
                                                        Sink* sink, const Budget& budget);
const PreparedInfo& Info(const Prepared& prepared);

absl::StatusOr<Compiled> Compile(const Prepared& prepared, Target target,
                                 const CompileOptions& options, Sink* sink,
                                 const Budget& budget);

struct PassInfo {
  std::string name;
  std::string level;
  bool optional = false;
  std::string summary;
};
std::vector<PassInfo> AllPasses();

// What Prepare and Compile report beside passes (core/base/step.h).
inline constexpr std::string_view kSteps[] = {"check_bounds", "validate_spirv", "import_spirv",
                                              "compact_mir",  "assign_abi",     "count_program"};

// The machine code as text, one instruction a line, for people.
absl::StatusOr<std::string> Disassemble(Target target, absl::Span<const uint8_t> code);

}  // namespace kiln

#endif  // KILN_CORE_DRIVER_COMPILE_H_
