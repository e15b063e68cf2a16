// An input or output variable of a graphics stage, taken apart: what of mir::Interface its scalars
// belong to.
//
// Members of blocks and structs are parts of their own. An array, of arrays too, of vectors or
// scalars is one part, as are the columns of matrices: its elements take consecutive locations. Of
// an array of structs each element has its parts. A member with a location of its own begins there,
// others where the member before them ends.
//
// Sources: Vulkan specification, "Location and Component Assignment" and "Interpolation
// Decorations"; a flat input, and integers are flat, has no place in the pixel.
#ifndef KILN_CORE_FRONT_PLAN_INTERFACE_PARTS_H_
#define KILN_CORE_FRONT_PLAN_INTERFACE_PARTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "core/front/spirv/spirv.h"
#include "core/mir/mir.h"

namespace kiln::front {

// Its leaves are consecutive in the variable: element by element, component by component.
//
// Halves and words of fragments have 32 bits between the stages, and on their way to targets: what
// interpolates and what blends knows no others (the vertex stage's are widened by its back end).
// They are converted where they are read and stored, integers by their sign.
struct InterfacePart {
  mir::Interface variable;
  mir::Type leaf_type = {};  // of its leaves: of 16 bits where the variable's has 32
  bool is_signed = false;
  uint32_t first_leaf = 0;
  uint32_t end_leaf = 0;
  uint32_t index = kNoValue;  // in Module::inputs or outputs, when something has used it
};

// The built-in of MIR that one of SPIR-V is; kNone: it is no input or output of graphics stages
// there.
mir::BuiltIn BuiltInOf(spv::BuiltIn builtin);

// The parts of a variable, by leaf. The pointee must be of a supported type. Errors:
// INVALID_ARGUMENT (no location, one beyond all devices, a built-in of another type or stage), and
// refusals of built-ins and of types (coverage.def).
absl::Status PartsOf(const SpirvModule& module, const SpirvVariable& variable, mir::Stage stage,
                     std::vector<InterfacePart>* parts);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_PLAN_INTERFACE_PARTS_H_
