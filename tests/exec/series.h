// Generated programs whose size or register need is a parameter: for tests that nothing fails or
// stops being linear as it grows, and for measuring compile time. Text of MIR modules
// (core/mir/parse.h).
//
// All read buffer 0 (and 2, uniform) and store one dword a lane to buffer 1; 64 lanes a group, one
// group. The result needs every value that a name speaks of.
#ifndef KILN_TESTS_EXEC_SERIES_H_
#define KILN_TESTS_EXEC_SERIES_H_

#include <string>

namespace kiln::exec {

// Returns the bytes that buffers 0 and 2 need for the programs below with parameters up to n.
int SeriesBytes(int n);

std::string LiveValues(int n);        // n values a lane at once, straight line
std::string LiveUniforms(int n);      // n uniform values at once
std::string LiveBesideArray(int n);   // n values and a private array, both in scratch memory
std::string LiveAcrossIf(int n);      // n values; each side of an if reads half of them
std::string LiveThroughLoops(int n);  // n values that two nested loops do not read
std::string LoopCarried(int n);       // n values carried by a loop whose trip counts differ by lane
std::string HandedOn(int n);          // n values of a loop, each of which gets the next one's value
std::string BreakValues(int n);       // n values that lanes take out of different rounds of a loop
std::string Chain(int n);             // n dependent operations
std::string Cases(int n);             // a switch of n cases
// The constants below must be in a register for their instruction.
std::string Constants(int n);       // n constants, each used once
std::string ConstantsAgain(int n);  // ... and once more, from the last to the first
std::string SmallIfs(int n);        // n small ifs, one after another, with a constant each
std::string Calls(int n);           // n inlined calls with early returns and two constants each
std::string Nests(int n);     // n ifs, loops in them, in nests of up to 24 with a constant each
std::string DeepNest(int n);  // one nest of n ifs with a constant each
std::string Wide(int n);      // about n operations in blocks of ordinary pressure, loops, ifs

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_SERIES_H_
