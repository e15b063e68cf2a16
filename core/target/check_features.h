// Checks that a target can execute a module: the table of what a target may lack.
//
// Problem: the importer takes what SPIR-V means (core/front), and passes lower what a target lacks
// where they can (core/mid/lower). The rest is refused for that target, by name, while another may
// compile the same module.
// In: MIR that Prepare made, linked, before it is lowered. The module lists its needs
// (mir::Needed), with the place in the SPIR-V module of each; the verifier holds the list to the
// instructions. Only the list decides: what passes made of the code, as offsets that unrolling made
// constant, depends on which passes ran, and is no reason. To add a need: a row of
// core/mir/needs.def, a field of mid::Features, a row here, a rule of the verifier, and in the
// importer a call of OpEmitter::Need in place of the refusal. Half floats and addresses, which show
// in the code, the importer lists once it is complete (core/front/finish/find_needs.h), and no rule
// of the verifier asks for them: a back end that lacks them fails on code that has them
// nevertheless. Offsets of gathers are left to the back end: how far they reach depends on the
// message.
#ifndef KILN_CORE_TARGET_CHECK_FEATURES_H_
#define KILN_CORE_TARGET_CHECK_FEATURES_H_

#include "absl/status/status.h"
#include "core/mid/features.h"
#include "core/mir/mir.h"

namespace kiln {

// Returns Ok, or a refusal (UNIMPLEMENTED with cause, detail, SPIR-V id and instruction) for the
// first need that the features do not meet.
absl::Status CheckFeatures(const mir::Module& module, const mid::Features& features);

}  // namespace kiln

#endif  // KILN_CORE_TARGET_CHECK_FEATURES_H_
