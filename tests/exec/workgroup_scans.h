// The proof that all forms of a scan of the workgroup give the sums of its plain definition:
//
//   one stream   every combination of 0, 1, the wave's lanes - 1 and its lanes, in 1 to 8 waves
//                of 32 lanes and 1 to 4 of 64
//   two streams  every combination of these in up to 4 waves; in more, those of either stream
//                beside three fixed ones of the other
//   random       counts from 0 to the wave's lanes, of one and two streams
//
// in programs for workgroups of up to 128 and of up to 256 invocations, in which absent waves store
// anything; and of each number of waves, launched in full and in part.
#ifndef KILN_TESTS_EXEC_WORKGROUP_SCANS_H_
#define KILN_TESTS_EXEC_WORKGROUP_SCANS_H_

#include <cstdint>
#include <string>

namespace kiln::exec {

struct ScanProof {
  uint64_t cases = 0;   // that were run in each form and by the interpreter
  std::string failure;  // the first; "": none
};

// Runs every `step`-th case of the exhaustive ones, from one that the seed says, and `random`
// random ones.
ScanProof ProveScans(uint32_t step, uint32_t random, uint32_t seed);

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_WORKGROUP_SCANS_H_
