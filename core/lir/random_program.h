// Random structured LIR programs for the test machine: ifs (divergent and uniform), loops with
// breaks and continues, parameters on joins, exits, loop heads and continue destinations, vectors,
// collects, loads, NoMask instructions, values of 2, 4 and 8 bytes, flags, uniform values.
//
// The programs verify, and keep what divergence analysis guarantees on real ones
// (ra/redefinitions.h): after a divergent exit they read no per-lane value that is defined NoMask,
// and no uniform value that differs between iterations of its loop. A parameter differs, and so
// does every value computed from one; a loaded value may differ since the memory may have been
// stored to; a ballot sees which lanes are on. With exits there is an exit block, which reads for
// all lanes only values that are defined above the first exit. The same seed gives the same program
// on every machine.
#ifndef KILN_CORE_LIR_RANDOM_PROGRAM_H_
#define KILN_CORE_LIR_RANDOM_PROGRAM_H_

#include <cstdint>

#include "core/lir/lir.h"

namespace kiln::lir::testing {

struct RandomOptions {
  int instructions = 100;  // about
  int max_depth = 4;       // of nested constructs
  int live_ins = 6;
  int held = 0;        // percent of live-ins that are held
  int pool_size = 12;  // values that stay in use at a time: controls pressure
  int far_uses = 3;    // percent of uses that take any value at all
  uint8_t width = 16;
  // the first live-in is the header of scratch messages; false: these have no header
  bool header = true;
  int edge_values = 1;  // times as many parameters of joins, loops and continues as the usual few
  int leaves = 8;       // percent of statements in loops that are breaks and continues
  bool dwords = false;  // per-lane values have 4 bytes only: those that can be stored under a mask
  int exits = 0;        // percent of statements that are exits, several together now and then
};

Function RandomProgram(uint64_t seed, const RandomOptions& options);

}  // namespace kiln::lir::testing

#endif  // KILN_CORE_LIR_RANDOM_PROGRAM_H_
