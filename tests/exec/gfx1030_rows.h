// Machine code of gfx1030 as a program whose instructions tests change: branches have targets.
#ifndef KILN_TESTS_EXEC_GFX1030_ROWS_H_
#define KILN_TESTS_EXEC_GFX1030_ROWS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "core/amd/emit/program.h"
#include "core/target/compiled.h"

namespace kiln::exec {

// Returns the instructions of a program without constant data; failures are GoogleTest's.
amd::Program RowsOf(const Variant& variant);

// A program without one count of one wait.
struct WithoutWait {
  std::string text;  // "vmcnt of row 7"
  size_t row = 0;
  amd::Program program;
};

// Returns a program for each count of each wait: without it, or, for `weaker`, with one more.
std::vector<WithoutWait> WithoutWaits(const amd::Program& program, bool weaker);

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_GFX1030_ROWS_H_
