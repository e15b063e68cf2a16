// Emits inputs and outputs of graphics stages: emit_input.cc (loads, interpolation) and
// emit_output.cc (stores at the end).
#ifndef KILN_CORE_FRONT_EMIT_INTERFACE_INTERFACE_EMITTER_H_
#define KILN_CORE_FRONT_EMIT_INTERFACE_INTERFACE_EMITTER_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "core/front/emit/pointers.h"

namespace kiln::front {

class InterfaceEmitter : public Pointers {
 public:
  using Pointers::Pointers;

  bool LoadInput(const Pointer& pointer, Leaves* leaves);
  mir::InstId LoadBuiltInInput(mir::BuiltIn builtin, uint32_t first, uint32_t count);
  bool EmitInterpolate(const SpirvInst& inst, mir::InterpolateAt at);
  bool StoreOutputs(uint32_t function_index);

 private:
  // Returns the parts of a variable; null after an error.
  std::vector<InterfacePart>* Parts(uint32_t variable);
  // Returns the index of the part's entry in Module::inputs or outputs; adds it if necessary.
  uint32_t EntryOf(std::vector<mir::Interface>& list, InterfacePart& part) const;

  // Accesses `count` components, from `component` on, of the element `index` of an input, and
  // appends as many leaves. `index` invalid: the input is no array.
  using Access = absl::FunctionRef<void(InterfacePart& part, ValueId index, uint32_t component,
                                        uint32_t count, Leaves* leaves)>;
  bool ForRuns(const Pointer& pointer, Access access, Leaves* leaves);
  bool ForStructs(const Pointer& pointer, Access access, Leaves* leaves);
  // Emits the load of `count` components of an input's element, of the part's vertex if it has one.
  mir::InstId Load(const InterfacePart& part, uint32_t input, ValueId index, uint32_t component,
                   uint32_t count);
  ValueId ElementOf(const Pointer& pointer, const InterfacePart& part, uint32_t element);
  bool InterpolateSources(const SpirvInst& inst, mir::InterpolateAt at, Leaves* sources);
  // Convert between the variable's type and that of its leaves.
  ValueId AsLeaf(const InterfacePart& part, ValueId value) const;
  ValueId AsVariable(const InterfacePart& part, ValueId leaf) const;

  std::vector<bool> WrittenLeaves(const LocalVariable& v, const FunctionPlan& entry) const;
  bool HasValue(const LocalVariable& v, uint32_t leaf) const;
  bool StoreOutput(const LocalVariable& v, const FunctionPlan& entry);
  bool StoreElement(const LocalVariable& v, InterfacePart& part, uint32_t element,
                    const std::vector<bool>& written);
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_EMIT_INTERFACE_INTERFACE_EMITTER_H_
