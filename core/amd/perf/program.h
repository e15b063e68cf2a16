// A program of gfx1030 from the bytes of any compiler's file, cut into blocks.
#ifndef KILN_CORE_AMD_PERF_PROGRAM_H_
#define KILN_CORE_AMD_PERF_PROGRAM_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/amd/isa/decode.h"
#include "core/amd/isa/instruction.h"

namespace kiln::amd {

// Instructions [first, end), which control enters at the first and leaves behind the last.
struct Block {
  int32_t first = 0;
  int32_t end = 0;
  std::vector<int32_t> predecessors = {};  // blocks, ascending
  int loops = 0;                           // that contain it
  int uniform_ifs = 0;                     // sides of an if on scc or vcc that contain it
  int divergent_ifs = 0;                   // the same on exec
};

// Decodes the instructions in front of the first s_code_end; compilers put it, and then constant
// data, behind their programs. Returns InvalidArgument, which names the offset, for bytes that are
// no instruction, and for no instruction at all.
absl::StatusOr<std::vector<isa::PlacedInstruction>> DecodeCode(absl::Span<const uint8_t> bytes);

// Returns the bytes that the instructions take.
int64_t BytesOf(absl::Span<const isa::PlacedInstruction> program);

// Returns the size of waves that a program shows: 64 lanes if a scalar instruction handles exec or
// a mask that it makes of it as 64 bits, else 32. A program without such an instruction is the same
// for both sizes but for the names of masks.
isa::Wave WaveShownBy(absl::Span<const isa::PlacedInstruction> program);

// Returns the blocks in the order of the code. Loops are what a backward branch closes; an if is
// what a forward branch skips within the loop that it is in, and, if an unconditional branch ends
// that, what it skips in turn. Branches out of a loop and to code behind an end of the program
// (exits) skip no side of an if. Branches to addresses in registers lead nowhere. Cost: linear in
// instructions times the depth of ifs and loops.
std::vector<Block> BlocksOf(absl::Span<const isa::PlacedInstruction> program);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PERF_PROGRAM_H_
