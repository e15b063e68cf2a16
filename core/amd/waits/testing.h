// Rows, their text and random programs for tests of waits.
#ifndef KILN_CORE_AMD_WAITS_TESTING_H_
#define KILN_CORE_AMD_WAITS_TESTING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/amd/emit/program.h"
#include "core/amd/waits/counts.h"

namespace kiln::amd::testing {

// Rows of wave32, each of one kind. Loads address by v0, exports and stores read the register.
namespace rows {
Row Load(int vgpr);
Row LoadFrom(int vgpr, int address);
Row Sample(int vgpr);
Row Lds(int vgpr);
Row LdsStore(int vgpr);
Row Flat(int vgpr);
Row Store(int vgpr);
Row ScalarLoad(int sgpr);
Row Export(int target, int vgpr);
Row Use(int vgpr);  // writes v200
Row UseScalar(int sgpr);
Row Write(int vgpr);
Row Branch(int target);  // conditional
Row Barrier(uint16_t simm);
Row Clause(int members);
Row Wait(CounterIndex counter, int count);
Row End();
}  // namespace rows

// Returns the wait for counts of s_waitcnt, or of vscnt alone.
isa::Instruction WaitFor(const Counts& counts);

// Returns the rows in the words of the functions above: "load v1", "vmcnt(0)".
std::vector<std::string> Text(const Program& program);

// Straight code, branches forward and back, all kinds of operations over few registers.
Program RandomProgram(uint64_t seed);

}  // namespace kiln::amd::testing

#endif  // KILN_CORE_AMD_WAITS_TESTING_H_
