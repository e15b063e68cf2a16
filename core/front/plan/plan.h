// Analyses the functions of an entry point before any MIR is made.
//
// Determines which functions are called and how large everything becomes when inlined (refused at
// once if too large); which variables must live in memory because a part is indexed by a value;
// what each block writes, so that a loop's parameters are known before its body is walked; which
// SPIR-V values are used where their definition is not visible and must be carried by jumps.
//
// Everything that jumps may have to carry is a "slot": a scalar of a function-local or Private or
// Output variable, of an OpPhi, of such a carried value, of a function's return value. Functions
// are never active twice (SPIR-V forbids recursion), so slots and bindings are per SPIR-V id, not
// per inlined copy.
//
// Cost: linear in the reachable functions, plus sorting of write ranges.
#ifndef KILN_CORE_FRONT_PLAN_PLAN_H_
#define KILN_CORE_FRONT_PLAN_PLAN_H_

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/front/plan/cfg.h"
#include "core/front/spirv/spirv.h"
#include "core/mir/mir.h"

namespace kiln::front {

constexpr uint32_t kNoSlot = 0xffffffffu;
constexpr uint32_t kPointerSlots = 3;  // for a pointer that jumps carry

// A range of slots [first, first + count), or of leaves of a pointer parameter's pointee.
struct Write {
  uint32_t parameter = 0;  // id of the parameter; 0: slots
  uint32_t first = 0;
  uint32_t count = 0;
  friend bool operator<(const Write& a, const Write& b) {
    if (a.parameter != b.parameter) return a.parameter < b.parameter;
    return a.first != b.first ? a.first < b.first : a.count < b.count;
  }
};

// The memory that a pointer to Function, Private or Output memory leads to, as far as known
// statically.
struct PointerRoot {
  enum Kind : uint8_t { kNone, kVariable, kParameter };
  Kind kind = kNone;
  bool dynamic = false;  // some index is a value: it may access only [first, first + count)
  uint32_t id = 0;       // of the variable or parameter
  uint32_t type = 0;     // pointee, as followed from the variable (not as declared)
  uint32_t first = 0;    // leaves
  uint32_t count = 0;
};

// A Function or Private variable, or an Output of a graphics stage.
struct LocalVariable {
  uint32_t id = 0;
  uint32_t type = 0;  // pointee
  uint32_t leaves = 0;
  uint32_t slot = kNoSlot;       // its leaves' slots are consecutive
  uint32_t words = 1;            // dwords of a leaf in memory: 2 if any needs it
  uint32_t initializer = 0;      // constant id; 0: none
  std::string_view unsupported;  // cause of refusal when it is used, or empty
  std::vector<std::pair<uint32_t, uint32_t>> memory;  // leaf ranges [first, end), disjoint, sorted
  uint32_t constant = 0;  // the only constant that it ever holds; 0: none
  // number of stores, and the id that the last one stored to all of it (0: not to all)
  uint32_t writes = 0;
  uint32_t written = 0;
};

struct FunctionPlan {
  Cfg cfg;
  uint32_t first_slot = 0;  // its own slots, reset on entry: [first_slot, end_slot)
  uint32_t end_slot = 0;
  uint32_t return_slot = kNoSlot;
  std::vector<uint32_t> variables;         // indices of its LocalVariables
  std::vector<std::vector<Write>> writes;  // by block
  std::vector<Write> summary;  // writes of a call to parameters and to variables of the module
  // parameter id, leaf range that must be in memory
  std::vector<std::pair<uint32_t, std::pair<uint32_t, uint32_t>>> parameter_memory;
  uint64_t size = 0;  // instructions after inlining, saturating
};

struct Plan {
  std::vector<uint32_t> order;          // reachable functions, callees first
  std::vector<FunctionPlan> functions;  // by function index; empty if not reachable
  std::vector<LocalVariable> variables;
  std::vector<mir::Type> slot_types;
  uint32_t global_slots = 0;  // slots below belong to Private and Output variables
  // By SPIR-V id.
  std::vector<PointerRoot> roots;
  std::vector<uint32_t> slots;           // first slot of a phi or carried value
  std::vector<uint32_t> variable_index;  // of LocalVariables
  std::vector<uint32_t> block_of;        // local index of the defining block

  const LocalVariable* Variable(uint32_t id) const {
    return id < variable_index.size() && variable_index[id] != kNoValue
               ? &variables[variable_index[id]]
               : nullptr;
  }
};

// Makes the plan of an entry point. Errors: INVALID_ARGUMENT (recursion, malformed control flow),
// refusals (module_too_large, nesting_too_deep, import_linkage).
absl::StatusOr<Plan> MakePlan(const SpirvModule& module, uint32_t entry_function, mir::Stage stage,
                              uint64_t max_instructions);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_PLAN_PLAN_H_
