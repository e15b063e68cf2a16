// Negation and absolute value of floats, which sources of float instructions have as modifiers.
// Internal to this folder.
#ifndef KILN_CORE_AMD_SELECT_MODIFIERS_H_
#define KILN_CORE_AMD_SELECT_MODIFIERS_H_

#include "core/amd/select/emission.h"

namespace kiln::amd {

// Replaces `v` by the number whose sign its negations and absolute values change; returns the
// modifiers that do the same.
uint8_t TakeModifiers(const Emission& e, mir::ValueId* v);

// Returns the source of a float instruction: what `v` negates or clears the sign of, with modifiers
// that do so. Constants are changed themselves. For floats of at most 32 bits (else DoubleSource).
Operand FloatSource(const Emission& e, mir::ValueId v);

// Returns the float of 32 bits that an operand with modifiers stands for, by its bits, as nothing
// else may change.
Operand WithoutModifiers(Emission& e, Operand o);

// Returns true if both sides of a select are taken by FloatSource: v_cndmask has modifiers, for
// floats of 32 bits, s_cselect has none.
bool SelectTakesModifiers(const Emission& e, mir::InstId select);

// Returns true if every reader of this fneg or fabs takes its source by FloatSource, so that no
// code is made for it.
bool IsOnlyModifier(Emission& e, mir::InstId id);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_MODIFIERS_H_
