// Constraints on the order of passes on LIR that hold in every back end. Passes of different back
// ends that do the same have the same names.
#ifndef KILN_CORE_LIR_PASS_ORDER_H_
#define KILN_CORE_LIR_PASS_ORDER_H_

#include <array>

#include "core/base/pass.h"

namespace kiln::lir {

inline constexpr std::array kPassOrder = {
    PassOrder{"remove_dead_instructions", "schedule",
              "dead instructions would take part in the order"},
    PassOrder{"schedule", "allocate_registers", "the pressure order needs SSA form"},
    PassOrder{"allocate_registers", "schedule_allocated", "copies take part in the order"},
    PassOrder{"schedule_allocated", "emit", "works on LIR"},
};

}  // namespace kiln::lir

#endif  // KILN_CORE_LIR_PASS_ORDER_H_
