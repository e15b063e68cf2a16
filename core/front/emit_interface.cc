// Inputs and outputs of graphics stages.
//
// An input is loaded where the program loads it: a load_input for each run of components of one
// element. What pointers to inputs have of an index chosen by value is an element of the array that
// the part is (interface_parts.h).
//
// An output is a local variable while the program runs, in slots or a private array (plan.h). What
// was written of it on some path is stored when its end is reached.
#include <algorithm>
#include <vector>

#include "core/front/emit.h"
#include "core/front/pointers.h"

namespace kiln::front {
namespace {

class InterfaceEmitter : public Pointers {
 public:
  using Pointers::Pointers;

  bool LoadInput(const Pointer& pointer, Leaves* leaves);
  bool StoreOutputs(uint32_t function_index);

 private:
  std::vector<InterfacePart>* Parts(uint32_t variable);
  // The entry of Module::inputs or outputs, made if there is none yet.
  uint32_t EntryOf(std::vector<mir::Interface>& list, InterfacePart& part) const;
  ValueId ElementOf(const Pointer& pointer, const InterfacePart& part, uint32_t element);
  bool LoadRun(const Pointer& pointer, InterfacePart& part, uint32_t leaf, uint32_t count,
               Leaves* leaves);
  std::vector<bool> WrittenLeaves(const LocalVariable& v, const FunctionPlan& entry) const;
  bool HasValue(const LocalVariable& v, uint32_t leaf) const;
  bool StoreOutput(const LocalVariable& v, const FunctionPlan& entry);
  bool StoreElement(const LocalVariable& v, InterfacePart& part, uint32_t element,
                    const std::vector<bool>& written);
};

}  // namespace

std::vector<InterfacePart>* InterfaceEmitter::Parts(uint32_t variable) {
  std::vector<InterfacePart>& parts = c_.interface_parts[spirv().Def(variable).index];
  if (!parts.empty()) return &parts;
  const absl::Status status = PartsOf(spirv(), *spirv().Variable(variable), module().stage, &parts);
  if (!status.ok()) {
    Fail(status);
    return nullptr;
  }
  return Charge(parts.size()) ? &parts : nullptr;
}

uint32_t InterfaceEmitter::EntryOf(std::vector<mir::Interface>& list, InterfacePart& part) const {
  if (part.index == kNoValue) {
    part.index = static_cast<uint32_t>(list.size());
    list.push_back(part.variable);
  }
  return part.index;
}

// ---- Inputs ----

// Invalid: the part is no array.
ValueId InterfaceEmitter::ElementOf(const Pointer& pointer, const InterfacePart& part,
                                    uint32_t element) {
  if (!part.variable.array) return ValueId();
  if (!pointer.dynamic.valid()) return Int(element);
  return element == 0 ? pointer.dynamic : Emit(mir::Op::kIadd, {pointer.dynamic, Int(element)});
}

// Leaves that are components of one element.
bool InterfaceEmitter::LoadRun(const Pointer& pointer, InterfacePart& part, uint32_t leaf,
                               uint32_t count, Leaves* leaves) {
  const uint32_t components = part.variable.components;
  const uint32_t element = (leaf - part.first_leaf) / components;
  const uint32_t component = (leaf - part.first_leaf) % components;
  const ValueId index = ElementOf(pointer, part, element);
  const uint32_t input = EntryOf(module().inputs, part);
  const mir::InstId load = builder().LoadInput(input, component, count, index);
  for (uint32_t i = 0; i < count; ++i) {
    leaves->push_back(module().result(load, static_cast<int>(i)));
  }
  return Charge(count);
}

bool InterfaceEmitter::LoadInput(const Pointer& pointer, Leaves* leaves) {
  std::vector<InterfacePart>* parts = Parts(pointer.variable);
  if (parts == nullptr) return false;
  const uint32_t count =
      pointer.component.valid() ? pointer.component_count : spirv().Type(pointer.type)->leaves;
  const uint32_t end = pointer.offset + count;
  auto part =
      std::upper_bound(parts->begin(), parts->end(), pointer.offset,
                       [](uint32_t leaf, const InterfacePart& p) { return leaf < p.end_leaf; });
  for (uint32_t leaf = pointer.offset; leaf < end;) {
    if (part != parts->end() && leaf >= part->end_leaf) ++part;
    if (part == parts->end() || leaf < part->first_leaf) {
      return Malformed("access outside its variable", pointer.variable);
    }
    const uint32_t components = part->variable.components;
    const uint32_t run = std::min(end - leaf, components - (leaf - part->first_leaf) % components);
    if (!LoadRun(pointer, *part, leaf, run, leaves)) return false;
    leaf += run;
  }
  if (pointer.component.valid()) {
    const ValueId value = SelectComponent(*leaves, pointer.component);
    leaves->assign(1, value);
  }
  return ok();
}

// ---- Outputs ----

// By leaf: whether the program may write it.
std::vector<bool> InterfaceEmitter::WrittenLeaves(const LocalVariable& v,
                                                  const FunctionPlan& entry) const {
  std::vector<bool> written(v.leaves, v.initializer != 0);
  for (const Write& w : entry.summary) {
    if (w.parameter != 0) continue;
    const uint32_t first = std::max(w.first, v.slot);
    const uint32_t end = std::min(w.first + w.count, v.slot + v.leaves);
    for (uint32_t slot = first; slot < end; ++slot) written[slot - v.slot] = true;
  }
  return written;
}

// Whether anything is known to be there: on paths that constants rule out it is not written.
bool InterfaceEmitter::HasValue(const LocalVariable& v, uint32_t leaf) const {
  if (v.constant != 0 || MemoryRange(v, leaf) != nullptr) return true;
  const ValueId value = c_.slots.Get(v.slot + leaf);
  return value.valid() && module().value(value).kind != mir::Value::Kind::kUndef;
}

bool InterfaceEmitter::StoreElement(const LocalVariable& v, InterfacePart& part, uint32_t element,
                                    const std::vector<bool>& written) {
  const uint32_t components = part.variable.components;
  const uint32_t first = part.first_leaf + element * components;
  const auto stored = [&](uint32_t component) {
    return component < components && written[first + component] && HasValue(v, first + component);
  };
  for (uint32_t component = 0; component < components;) {
    uint32_t count = 0;
    while (stored(component + count)) ++count;
    if (count != 0) {
      Pointer pointer;
      Leaves values;
      pointer.variable = v.id;
      pointer.offset = first + component;
      if (!LoadLocal(c_, pointer, count, &values) || !Charge(1)) return false;
      builder().StoreOutput(EntryOf(module().outputs, part), component, values,
                            part.variable.array ? Int(element) : ValueId());
    }
    component += count + 1;
  }
  return ok();
}

bool InterfaceEmitter::StoreOutput(const LocalVariable& v, const FunctionPlan& entry) {
  const std::vector<bool> written = WrittenLeaves(v, entry);
  if (std::none_of(written.begin(), written.end(), [](bool w) { return w; })) return true;
  std::vector<InterfacePart>* parts = Parts(v.id);
  if (parts == nullptr) return false;
  builder().set_spirv_id(v.id);
  for (InterfacePart& part : *parts) {
    for (uint32_t element = 0; element < part.variable.elements; ++element) {
      if (!StoreElement(v, part, element, written)) return false;
    }
  }
  return ok();
}

bool InterfaceEmitter::StoreOutputs(uint32_t function_index) {
  const FunctionPlan& entry = plan().functions[function_index];
  for (const LocalVariable& v : plan().variables) {
    const SpirvVariable* variable = spirv().Variable(v.id);
    if (variable == nullptr || variable->storage != spv::StorageClass::Output) continue;
    if (!v.unsupported.empty()) continue;  // refused where it is used
    if (!StoreOutput(v, entry)) return false;
  }
  return true;
}

bool LoadInput(ImportContext& c, const Pointer& pointer, Leaves* leaves) {
  return InterfaceEmitter(c).LoadInput(pointer, leaves);
}

bool StoreOutputs(ImportContext& c, uint32_t function_index) {
  return InterfaceEmitter(c).StoreOutputs(function_index);
}

}  // namespace kiln::front
