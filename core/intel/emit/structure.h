// Finds the branch targets of structured control flow while instructions are appended in order.
#ifndef KILN_CORE_INTEL_EMIT_STRUCTURE_H_
#define KILN_CORE_INTEL_EMIT_STRUCTURE_H_

#include <vector>

#include "core/intel/isa/program.h"

namespace kiln::intel {

// A stack of the open ifs and loops. Each member function is told of a branch that was just
// appended (its index in the program) and fills in the branch targets that are then known.
class Structure {
 public:
  explicit Structure(isa::Program& program) : p_(program) {}

  void BeginLoop(int32_t first_inst);
  void OnIf(int32_t at);
  void OnElse(int32_t at);
  void OnEndif(int32_t at);
  void OnBreakOrContinue(int32_t at);
  void OnWhile(int32_t at);
  void OnHalt(int32_t at);
  // Appends a halt, if there were halts before, after which the lanes of all halts are on again,
  // together with those still on: hardware requires that every lane comes to that point through one
  // (Mesa 25.0.7, brw_generator.cpp, patch_halt_jumps). A thread whose lanes have all halted in an
  // if goes from its endif straight to this halt: the JIP of a halt in an if is the if's endif, the
  // JIP of an endif is the end of the structure around it, and the JIP of the outermost endif is
  // this halt (brw_eu_emit.c, brw_set_uip_jip).
  void EndHalts();
  bool Closed() const { return open_.empty(); }

 private:
  struct Open {
    bool loop = false;
    int32_t begin = 0;  // the if, or the loop's first instruction
    int32_t else_at = -1;
    std::vector<int32_t> want_jip;  // need their JIP: the next end in this structure
    std::vector<int32_t> want_uip;  // loops: breaks and continues that need their UIP
  };

  // Sets the JIP of waiting branches to `at`, where lanes that are off in the innermost structure
  // continue next.
  void EndReached(Open& open, int32_t at);

  isa::Program& p_;
  std::vector<Open> open_;
  std::vector<int32_t> halts_;         // need their UIP
  std::vector<int32_t> outer_halts_;   // those of them outside all structures: need their JIP too
  std::vector<int32_t> outer_endifs_;  // ends of outermost structures after a halt: need their JIP
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_STRUCTURE_H_
