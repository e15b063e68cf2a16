// Inlines functions: a call walks the callee. Its parameters are bound to the arguments, its result
// is in slots when its end is reached, and its definitions are unbound afterwards.
#include <utility>

#include "core/front/emit/emit.h"
#include "core/front/emit/inst_emitter.h"

namespace kiln::front {
namespace {

class Functions : public InstEmitter {
 public:
  using InstEmitter::InstEmitter;

  bool EmitFunction(uint32_t index, bool* end) const;
  bool EmitCall(const SpirvInst& inst, bool* returns) const;

 private:
  bool BindParameters(const SpirvInst& inst, const SpirvFunction& callee) const;
  bool DefineResult(const SpirvInst& inst, const FunctionPlan& callee) const;
  void Unbind(const SpirvFunction& function) const;
};

// Emits a function. `end`: set to true if its end is reachable.
bool Functions::EmitFunction(uint32_t index, bool* end) const {
  FunctionContext caller = std::move(c_.place);
  const uint32_t call = e_.errors.instruction();
  c_.place = FunctionContext();
  c_.place.index = index;
  c_.place.function = &spirv().functions[index];
  e_.errors.set_function(c_.place.function->id);
  c_.place.plan = &plan().functions[index];
  EmitBody(c_, end);
  c_.place = std::move(caller);
  e_.errors.set_function(c_.place.function->id);
  e_.errors.set_instruction(call);
  return ok();
}

// Unbinds the definitions of an inlined copy, so that the next copy does not see them.
void Functions::Unbind(const SpirvFunction& function) const {
  for (uint32_t id : function.parameters) c_.bindings.Unbind(id);
  if (function.first_block == function.end_block) return;
  const uint32_t first = spirv().blocks[function.first_block].first;
  const uint32_t end = spirv().blocks[function.end_block - 1].end;
  for (uint32_t i = first; i < end; ++i) {
    const uint32_t result = spirv().Inst(spirv().body_offsets[i]).result;
    if (result != 0) c_.bindings.Unbind(result);
  }
}

bool Functions::BindParameters(const SpirvInst& inst, const SpirvFunction& callee) const {
  for (size_t i = 0; i < callee.parameters.size(); ++i) {
    const uint32_t parameter = callee.parameters[i];
    const SpirvType& type = *spirv().Type(callee.parameter_types[i]);
    if (type.kind == SpirvType::kPointer && !type.IsPhysicalPointer()) {
      Pointer pointer;
      if (!GetPointer(inst.operand(4 + i), &pointer)) return false;
      if (pointer.type != type.element)
        return Malformed("argument is not of its parameter's type", inst.result);
      if (pointer.component.valid()) {
        return Refuse("partial_pointer", "argument of a call", inst.result);
      }
      c_.bindings.BindPointer(parameter, pointer);
      continue;
    }
    if (type.IsImage()) {
      ImageHandle handle;
      if (!GetImage(inst.operand(4 + i), &handle)) return false;
      if (spirv().Def(inst.operand(4 + i)).type != callee.parameter_types[i]) {
        return Malformed("argument is not of its parameter's type", inst.result);
      }
      c_.bindings.BindImage(parameter, handle);
      continue;
    }
    Leaves leaves;
    uint32_t argument_type = 0;
    if (Supported(callee.parameter_types[i]) == nullptr) return false;
    if (!Get(inst.operand(4 + i), &leaves, &argument_type)) return false;
    if (argument_type != callee.parameter_types[i])
      return Malformed("argument is not of its parameter's type", inst.result);
    c_.bindings.BindValue(parameter, argument_type, leaves);
  }
  return true;
}

// Binds the call's result to the slots of the callee, then clears these slots.
bool Functions::DefineResult(const SpirvInst& inst, const FunctionPlan& callee) const {
  Leaves result;
  const bool has_value = spirv().Type(inst.type)->kind != SpirvType::kVoid;
  if (has_value) {
    const SpirvType* type = Supported(inst.type);
    if (type == nullptr) return false;
    if (callee.return_slot == kNoSlot)
      return Malformed("result of a function that returns void", inst.result);
    for (uint32_t i = 0; i < type->leaves; ++i) {
      result.push_back(SlotValue(callee.return_slot + i));
    }
  }
  for (uint32_t s = callee.first_slot; s < callee.end_slot; ++s) {
    if (c_.slots.Get(s).valid()) c_.slots.Set(s, ValueId());
  }
  return has_value ? Define(inst, result) : true;
}

bool Functions::EmitCall(const SpirvInst& inst, bool* returns) const {
  const SpirvFunction* callee = spirv().Function(inst.operand(3));
  if (callee == nullptr || callee->parameters.size() != inst.size() - 4 ||
      callee->return_type != inst.type) {
    return Malformed("call does not match the function's type", inst.result);
  }
  const uint32_t index = spirv().Def(inst.operand(3)).index;
  const FunctionPlan& plan = c_.plan.functions[index];
  if (!Charge((plan.end_slot - plan.first_slot) / 4) || !BindParameters(inst, *callee)) {
    return false;
  }
  const bool emitted = EmitFunction(index, returns);
  Unbind(*callee);
  if (!emitted) return false;
  return *returns ? DefineResult(inst, plan) : true;
}

}  // namespace

bool EmitEntry(ImportContext& c, uint32_t function_index, bool* end) {
  return Functions(c).EmitFunction(function_index, end);
}

bool EmitCall(ImportContext& c, const SpirvInst& inst, bool* returns) {
  return Functions(c).EmitCall(inst, returns);
}

}  // namespace kiln::front
