// Runs a MIR module through the compiler and the simulator at every width, with and without fusion,
// and compares the buffers with the interpreter's.
#ifndef KILN_TESTS_EXEC_EXEC_H_
#define KILN_TESTS_EXEC_EXEC_H_

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/driver/targets.h"
#include "core/mir/mir.h"
#include "core/oracle/interp.h"
#include "core/target/compiled.h"
#include "core/target/simulation.h"

namespace kiln::exec {

// Returns the target that the environment names in KILN_TEST_TARGET, else tgl: the same programs
// are tests of each target.
Target TestTarget();

// Returns the program widths that the target has.
std::vector<int> WidthsOf(Target target);

// Returns the most samples of a texel that descriptors of the target can say (gfx1030:
// core/sim/rdna2/resource).
uint32_t MaxSamples(Target target);

struct Setup {
  uint32_t groups = 2;
  std::array<uint32_t, 3> base = {0, 0, 0};  // of the dispatch
  uint32_t buffer_bytes = 4096;
  uint32_t seed = 1;
  bool floats = false;  // results are floats: compare by ulp, any NaN equals any NaN
  uint32_t ulp = 3;
  float absolute = 0;        // or by no more than this
  bool zero_memory = false;  // shared and private memory begin as 0, as in the interpreter
  Target target = TestTarget();
  std::vector<int> widths = WidthsOf(target);  // each of them must compile
  std::vector<std::string> disabled_passes;
  bool opposite = false;  // run also in the opposite order and with other undefined contents
  const Backend* backend = nullptr;  // compiles; null: the target's own
  out::Container container = out::Container::kRaw;
  // Runs a program that `backend` made; null: the target's simulator, by the launch record.
  absl::StatusOr<sim::scene::RunStats> (*run)(const Variant& program,
                                              const SimulationOptions& options,
                                              sim::scene::Dispatch& dispatch) = nullptr;
  bool waits = true;      // the code has software waits, which are judged
  bool bindless = false;  // all descriptors in arrays without length (unsized.h)
};

// Returns "" if all agree, else the differences. `module` is text as core/mir/parse.h reads it.
std::string Compare(std::string_view module, const Setup& setup);

// Does the same for a given module and inputs; ignores groups, buffer_bytes and seed of `setup`.
std::string CompareModule(const mir::Module& module, const oracle::LaunchInputs& inputs,
                          const Setup& setup);

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_EXEC_H_
