// Measures what the form of its scan does to a whole vertex program that culls.
#ifndef KILN_TESTS_AMD_SCAN_CORPUS_H_
#define KILN_TESTS_AMD_SCAN_CORPUS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/amd/isa/decode.h"

namespace kiln::amd {

// Returns how many instructions stand between the load of a scan's counts, which is the last one
// from LDS before the first v_readlane, and the wait behind it; 0: there is no scan.
int64_t AfterLoad(absl::Span<const isa::PlacedInstruction> code);

// The mean of values with the half width of its interval of 95 %, by the normal distribution.
struct Interval {
  double mean = 0, half = 0;
};
Interval IntervalOf(absl::Span<const double> values);

// Compiles each vertex module of a list (SPIR-V files, a path a line) that culls by default, at
// both sizes of groups and of waves and with the scan in each form, and prints the table of
// core/amd/REPORTS.md. Returns false if the list cannot be read.
bool ReportCorpus(const std::string& list);

}  // namespace kiln::amd

#endif  // KILN_TESTS_AMD_SCAN_CORPUS_H_
