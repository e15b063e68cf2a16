// Runs scans of the workgroup, in each form that gfx1030 has, in the simulator and in the
// interpreter, and holds the sums against their plain definition.
#ifndef KILN_TESTS_EXEC_SCAN_RUNNER_H_
#define KILN_TESTS_EXEC_SCAN_RUNNER_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/amd/select/scan_form.h"
#include "core/mir/mir.h"
#include "core/target/backend.h"
#include "core/target/compiled.h"

namespace kiln::exec {

// Returns a row like that of gfx1030 with all scans in one form; that of byte_msad is for a chip
// without dot products.
const Backend& ScanRow(amd::ScanForm form);

// The counts of a workgroup: of each stream, by wave. Those of waves from `present` on are what
// such waves store, and count nothing: they may be any number.
struct ScanCase {
  uint32_t present = 1;
  std::array<std::array<uint32_t, amd::kMaxScannedWaves>, 2> counts = {};
};

class ScanRunner {
 public:
  // `launched`: waves that a workgroup has, at most those of the shape. LDS of waves beyond holds
  // what the simulator fills it with. A program that does not compile makes every run fail.
  ScanRunner(const amd::ScanShape& shape, uint32_t launched);

  // Runs a workgroup for each case. Returns "" if all waves that take part got the sums, else the
  // first difference. The first runs the program of a form, the second the interpreter.
  std::string Simulate(amd::ScanForm form, absl::Span<const ScanCase> cases);
  std::string Interpret(absl::Span<const ScanCase> cases);
  // The same of all forms and the interpreter.
  std::string All(absl::Span<const ScanCase> cases);

 private:
  std::string Difference(absl::Span<const ScanCase> cases, const std::vector<uint8_t>& sums) const;
  std::vector<uint8_t> Inputs(absl::Span<const ScanCase> cases) const;
  size_t OutputBytes(size_t cases) const;

  const amd::ScanShape shape_;
  const uint32_t launched_;
  std::string error_;
  mir::Module module_;
  std::array<Variant, 5> programs_;  // by form
};

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_SCAN_RUNNER_H_
