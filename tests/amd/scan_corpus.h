// Measures what the form of its scan does to a whole vertex program that culls.
#ifndef KILN_TESTS_AMD_SCAN_CORPUS_H_
#define KILN_TESTS_AMD_SCAN_CORPUS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/amd/isa/decode.h"
#include "core/amd/select/scan_form.h"

namespace kiln::amd {

// Returns how many instructions stand between the load of a scan's counts, which is the last one
// from LDS before the first v_readlane, and the wait behind it; 0: there is no scan.
int64_t AfterLoad(absl::Span<const isa::PlacedInstruction> code);

// The mean of values with the half width of its interval of 95 %, by the normal distribution.
struct Interval {
  double mean = 0, half = 0;
};
Interval IntervalOf(absl::Span<const double> values);

// Returns the code of a vertex module (SPIR-V file) with its scan in a form, or nothing if it
// cannot be compiled or does not cull by default.
std::vector<isa::PlacedInstruction> CompiledVertex(const std::string& path, uint32_t width,
                                                   uint32_t group, ScanForm form);

// Compiles each vertex module of a list (SPIR-V files, a path a line) that culls by default, at
// both sizes of groups and of waves and with the scan in each form, and prints the tables of
// core/amd/REPORTS.md: the forms' figures, and where the default form is not the best. Returns
// false if the list cannot be read.
bool ReportCorpus(const std::string& list);

}  // namespace kiln::amd

#endif  // KILN_TESTS_AMD_SCAN_CORPUS_H_
