// Branch targets of structured control flow, found while instructions are appended in order.
#ifndef KILN_CORE_INTEL_EMIT_STRUCTURE_H_
#define KILN_CORE_INTEL_EMIT_STRUCTURE_H_

#include <vector>

#include "core/intel/isa/program.h"

namespace kiln::intel {

// A stack of the ifs and loops that are open. Each member function is told of a branch that was
// just appended (its index in the program) and fills in the targets that are known by it.
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
  // The lanes of all halts are on again behind the halt that is put here, of all that are still on:
  // hardware wants every lane to come to that place by way of one (Mesa 25.0.7, brw_generator.cpp,
  // patch_halt_jumps). Nothing where there was none. A thread whose lanes have all halted in an if
  // comes from its end straight here: JIP of a halt in an if is the end of that, JIP of an endif
  // that of what is around it, which for the outermost is this halt (brw_eu_emit.c,
  // brw_set_uip_jip).
  void EndHalts();
  bool Closed() const { return open_.empty(); }

 private:
  struct Open {
    bool loop = false;
    int32_t begin = 0;  // the if, or the loop's first instruction
    int32_t else_at = -1;
    std::vector<int32_t> want_jip;  // branches whose lanes gather at the next end of this one
    std::vector<int32_t> want_uip;  // loops: breaks and continues
  };

  // `at` is where lanes that are off in the innermost structure look for work next.
  void EndReached(Open& open, int32_t at);

  isa::Program& p_;
  std::vector<Open> open_;
  std::vector<int32_t> halts_;         // want uip
  std::vector<int32_t> outer_halts_;   // of these, those in no structure: want jip as well
  std::vector<int32_t> outer_endifs_;  // ends of structures in no other, behind a halt: want jip
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_STRUCTURE_H_
