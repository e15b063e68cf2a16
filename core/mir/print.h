// MIR as text. Parse (parse.h) reads the output of Print back to a module that prints the same.
//
//   mir 1
//   entry "main"
//   local_size 8, 8, 1
//   shared 1024                                 bytes; absent when 0, as are the next two
//   push 16
//   data 0x0000803f                             constant tables, bytes in order
//   resource 0 ssbo 0.1.0 readonly ;%12         kind set.binding.element; origin in SPIR-V
//   resource 1 sampled_image 0.2.0 array 8 image 2d arrayed float unknown
//   resource 2 sampler 0.3.0
//   private 0 64 ;%7                            bytes
//   body {
//     %5:i32 = iadd %3, 4 ;%27
//     %6:f32, %7:f32 = load_ssbo.coherent[0, align 8] %5
//     %1:f32 = sample.indexed[1, texel sampler 2 dref lod at 1 -1 0] %5, %6, %7, 0f, 0.5f, 0f
//     %8:f32 = if %2 {
//       yield %6
//     } else {
//       yield 0.5f
//     }
//     %9:i32 = loop (%10:i32 = 0, %11:f32 = %8) {
//       ...
//       continue %12, %13
//     }
//     return
//   }
//
// Values are named by their index in the module, so names stay the same from pass to pass and dead
// values leave gaps. Constants are written inline: true, false, 7, -1, 0xdeadbeef, 0.5f, and
// f0x7fc00000 for floats that are not finite; undef.i32 is an undefined value. Floats are the
// shortest decimals that give the same bits.
#ifndef KILN_CORE_MIR_PRINT_H_
#define KILN_CORE_MIR_PRINT_H_

#include <string>

#include "core/mir/mir.h"

namespace kiln::mir {

struct PrintOptions {
  bool renumber = false;  // numbers values by first appearance: for comparing texts in tests
  bool spirv_ids = true;
};

// Prints a module; linear in its size. Accepts malformed modules as long as ids are in range.
std::string Print(const Module& module, const PrintOptions& options = {});

// One instruction without its nested regions, for messages: "%5:i32 = iadd %3, 4 ;%27".
std::string PrintInst(const Module& module, InstId inst);
std::string PrintValue(const Module& module, ValueId value);

}  // namespace kiln::mir

#endif  // KILN_CORE_MIR_PRINT_H_
