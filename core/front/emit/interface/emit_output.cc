// Stores outputs of graphics stages.
//
// An output is a local variable while the program runs, in slots or a private array (plan.h). Parts
// written on some path are stored when the end of the entry function is reached.
#include <algorithm>
#include <vector>

#include "core/front/emit/emit.h"
#include "core/front/emit/interface/interface_emitter.h"

namespace kiln::front {

// Returns, by leaf, whether the program may write it.
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

// Returns true if the leaf has a value: it has none on paths that constants rule out.
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
      for (ValueId& value : values) value = AsVariable(part, value);
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

bool StoreOutputs(ImportContext& c, uint32_t function_index) {
  return InterfaceEmitter(c).StoreOutputs(function_index);
}

}  // namespace kiln::front
