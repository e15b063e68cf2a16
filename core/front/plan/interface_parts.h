// Splits an input or output variable of a graphics stage into parts, each a mir::Interface.
//
// Members of blocks and structs are separate parts. An array (or array of arrays) of vectors or
// scalars is one part, as are the columns of a matrix: its elements take consecutive locations. In
// an array of structs each element has its own parts. A member with a location of its own begins
// there, others where the member before them ends. A per-vertex variable, an array of the
// primitive's vertices, has the parts of each vertex one after the other; they share locations and
// entries of Module::inputs.
//
// Sources: Vulkan specification, "Location and Component Assignment" and "Interpolation
// Decorations"; a flat input, which integers always are, has no interpolation location in the
// pixel.
#ifndef KILN_CORE_FRONT_PLAN_INTERFACE_PARTS_H_
#define KILN_CORE_FRONT_PLAN_INTERFACE_PARTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "core/front/spirv/spirv.h"
#include "core/mir/mir.h"

namespace kiln::front {

// A part of a variable. Its leaves are consecutive in the variable: element by element, component
// by component.
//
// 16-bit floats and integers of fragments have 32 bits between the stages and in MIR, because the
// hardware that interpolates and blends has no others (the vertex stage's are widened by its back
// end). They are converted where they are loaded and stored, integers by their signedness.
struct InterfacePart {
  mir::Interface variable;
  mir::Type leaf_type = {};  // type of its leaves: of 16 bits where the variable's has 32
  bool is_signed = false;
  uint32_t first_leaf = 0;
  uint32_t end_leaf = 0;
  uint32_t index = kNoValue;  // in Module::inputs or outputs, after its first use
  uint32_t vertex = 0;        // of per-vertex inputs
  // The part of vertex 0 whose entry it shares: its index in the list of parts. kNoValue: none.
  uint32_t shares = kNoValue;
};

// Returns MIR's built-in for one of SPIR-V; kNone: it is no input or output of graphics stages in
// MIR.
mir::BuiltIn BuiltInOf(spv::BuiltIn builtin);

// Returns true for a variable, or a block, that has a value for each vertex of the primitive.
bool IsPerVertex(const SpirvModule& module, const SpirvVariable& variable);

// Appends the parts of a variable, by leaf. The pointee must be of a supported type. Errors:
// INVALID_ARGUMENT (no location, one beyond all devices, a built-in of another type or stage, a
// per-vertex variable that is no array of at most three), and
// refusals of built-ins and of types (coverage.def).
absl::Status PartsOf(const SpirvModule& module, const SpirvVariable& variable, mir::Stage stage,
                     std::vector<InterfacePart>* parts);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_PLAN_INTERFACE_PARTS_H_
