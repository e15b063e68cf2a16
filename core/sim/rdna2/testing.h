// Runs short programs in the simulator, for its tests.
//
// A program is a body of machine words between a fixed beginning and end. The beginning loads two
// V#s: s[8:11] of the output, s[12:15] of the input, and sets v31 to four times the local id; v0 is
// the local id. User SGPRs: s2 and s3 push data, behind them s4 workgroup id x, s5 waves, s6 offset
// of scratch. The end turns on the lanes that were on (s[38:39]) and stores v1 of each to its dword
// of the output. Bodies may use s[16:37], vcc, v1 to v30. Bytes: llvm-mc 19, from the text beside
// them.
#ifndef KILN_CORE_SIM_RDNA2_TESTING_H_
#define KILN_CORE_SIM_RDNA2_TESTING_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/out/launch_record.h"
#include "core/sim/rdna2/simulator.h"
#include "core/sim/scene/dispatch.h"

namespace kiln::sim::rdna2 {

using Words = std::vector<uint32_t>;

struct TestProgram {
  uint32_t lanes = 32;
  uint32_t invocations = 0;  // of the workgroup; 0: as many as lanes
  Words body = {};
  uint32_t lds_bytes = 0;  // a multiple of 512
  uint32_t scratch_per_lane = 0;
  uint32_t mode = 0xc0;  // FLOAT_MODE
  std::vector<uint32_t> push = {0, 0};
  std::vector<uint32_t> input = {};  // of the input buffer
  std::array<uint32_t, 3> groups = {1, 1, 1};
  bool wgp = false;    // WGP mode
  bool whole = false;  // the body is the whole program, without beginning and end
  Options options = {};
};

struct TestResult {
  std::vector<uint32_t> output, input;  // the buffers after the run
  scene::RunStats stats;
};

// The record of such a program, and its dispatch: output at binding 0, input at binding 1.
out::LaunchRecord RecordOf(const TestProgram& program);
scene::Dispatch DispatchOf(const TestProgram& program);
std::vector<uint8_t> CodeOf(const TestProgram& program);

absl::StatusOr<TestResult> RunProgram(const TestProgram& program);

// Returns v1 of each invocation; empty, and a test failure, if the run fails.
std::vector<uint32_t> Lanes(const TestProgram& program);

// Returns the error of a run.
absl::Status ErrorOf(const TestProgram& program);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_TESTING_H_
