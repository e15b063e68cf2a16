// The coverage table of the front end: which SPIR-V features are compiled, and by which cause the
// others are refused. The data is in coverage.def; these are the queries.
#ifndef KILN_CORE_FRONT_CHECK_COVERAGE_H_
#define KILN_CORE_FRONT_CHECK_COVERAGE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "core/front/grammar/spirv_enums.h"

namespace kiln::front {

// One row, for printing and for the service's GetCapabilities. kind: "capability", "instruction",
// "glsl_std_450", "builtin", "storage_class", "execution_model", "execution_mode". cause is empty
// if supported.
struct CoverageRow {
  std::string_view kind;
  std::string_view name;
  uint32_t number = 0;  // the enumerant in SPIR-V or in the extended instruction set
  std::string_view cause;
};

absl::Span<const CoverageRow> CoverageTable();

// Returns "built-in variable BaryCoordKHR": `words`, and the name of the row of this kind and
// number, or the number if there is no row. For messages; linear in the table.
std::string NamedRow(std::string_view words, std::string_view kind, uint32_t number);

// Return the cause by which a feature is refused; empty: supported. For numbers without a row:
// "vendor_extension" ("execution_mode" for execution modes); for newer ones (spirv_newer.def) the
// cause of the capability that they need.
std::string_view CauseOf(spv::Capability capability);
std::string_view CauseOf(spv::Op op);
std::string_view CauseOf(GLSLstd450 instruction);
std::string_view CauseOf(spv::BuiltIn builtin);
std::string_view CauseOf(spv::StorageClass storage);
std::string_view CauseOf(spv::ExecutionMode mode);
std::string_view CauseOf(spv::ExecutionModel model);
// For encodings of a float type other than IEEE 754's.
std::string_view CauseOf(spv::FPEncoding encoding);

// An enumerant newer than the headers (spirv_newer.def), and the capability or extension that a
// module must declare for it; for capabilities, their extension.
struct NewerRow {
  std::string_view kind;  // "Op", "Capability", "ExecutionMode", ... of SPIR-V's grammar
  uint32_t number = 0;
  std::string_view name;
  std::string_view feature;
};
// Return the row, or null if not newer or unknown. Cost: one step for opcodes; a walk over some 230
// rows for the others.
const NewerRow* NewerRowOf(spv::Op op);
const NewerRow* NewerRowOf(std::string_view kind, uint32_t number);

// Returns the cause for newer enumerants without a row: that of their capability; "newer_feature"
// for extensions, and if the capability has none.
std::string_view CauseOfFeature(std::string_view feature);

// Returns the name of a capability; empty if it has no row.
std::string_view CapabilityName(spv::Capability capability);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_CHECK_COVERAGE_H_
