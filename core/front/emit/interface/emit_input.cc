// Loads inputs of graphics stages.
//
// An input is loaded where the program loads it: a load_input for each run of components of one
// element. In pointers to inputs, an index chosen by value is an element of the part's array
// (interface_parts.h).
#include <algorithm>
#include <vector>

#include "core/front/emit/emit.h"
#include "core/front/emit/interface/interface_emitter.h"
#include "core/mir/immediates.h"

namespace kiln::front {

// ---- Parts ----

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

ValueId InterfaceEmitter::AsLeaf(const InterfacePart& part, ValueId value) const {
  if (part.leaf_type == mir::Type::kF64) return FromInt(value, mir::Type::kF64);
  if (mir::IsFloat(part.leaf_type)) return ConvertFloat(value, part.leaf_type);
  return ConvertInt(value, part.leaf_type, part.is_signed);
}

ValueId InterfaceEmitter::AsVariable(const InterfacePart& part, ValueId leaf) const {
  if (part.leaf_type == mir::Type::kF64) return AsInt(leaf);
  if (mir::IsFloat(part.leaf_type)) return ConvertFloat(leaf, part.variable.type);
  return ConvertInt(leaf, part.variable.type, part.is_signed);
}

// ---- Loads ----

// Returns the index of an element. Invalid: the part is no array.
ValueId InterfaceEmitter::ElementOf(const Pointer& pointer, const InterfacePart& part,
                                    uint32_t element) {
  if (!part.variable.array) return ValueId();
  if (!pointer.dynamic.valid()) return Int(element);
  return element == 0 ? pointer.dynamic : Emit(mir::Op::kIadd, {pointer.dynamic, Int(element)});
}

// Calls `access` for each struct of an array, then selects one.
bool InterfaceEmitter::ForStructs(const Pointer& pointer, Access access, Leaves* leaves) {
  Pointer one = pointer;
  one.descriptor = ValueId();
  for (uint32_t i = 0; i < pointer.structs; ++i) {
    Leaves values;
    one.offset = pointer.offset + i * pointer.struct_leaves;
    if (!ForRuns(one, access, &values) || !Charge(values.size())) return false;
    if (i == 0) {
      *leaves = values;
      continue;
    }
    const ValueId chosen = Emit(mir::Op::kIeq, {pointer.descriptor, Int(i)});
    for (size_t k = 0; k < values.size(); ++k) {
      (*leaves)[k] = Emit(mir::Op::kSelect, {chosen, values[k], (*leaves)[k]});
    }
  }
  for (ValueId& v : *leaves) v = UndefinedBeyond(pointer.descriptor, pointer.structs, v);
  return ok();
}

// Calls `access` for each run of leaves that are components of one element.
bool InterfaceEmitter::ForRuns(const Pointer& pointer, Access access, Leaves* leaves) {
  if (pointer.descriptor.valid()) return ForStructs(pointer, access, leaves);
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
      return Malformed("access outside the variable", pointer.variable);
    }
    const uint32_t components = part->variable.components;
    const uint32_t element = (leaf - part->first_leaf) / components;
    const uint32_t component = (leaf - part->first_leaf) % components;
    const uint32_t run = std::min(end - leaf, components - component);
    if (part->shares != kNoValue) part->index = (*parts)[part->shares].index;
    access(*part, ElementOf(pointer, *part, element), component, run, leaves);
    if (part->shares != kNoValue) (*parts)[part->shares].index = part->index;
    if (!Charge(run)) return false;
    leaf += run;
  }
  if (pointer.component.valid()) {
    const ValueId value = SelectComponent(*leaves, pointer.component);
    leaves->assign(1, value);
  }
  return ok();
}

mir::InstId InterfaceEmitter::Load(const InterfacePart& part, uint32_t input, ValueId index,
                                   uint32_t component, uint32_t count) {
  if (part.variable.interpolation != mir::Interpolation::kPerVertex) {
    return builder().LoadInput(input, component, count, index);
  }
  return builder().LoadVertex(input, part.vertex, component, count, index);
}

bool InterfaceEmitter::LoadInput(const Pointer& pointer, Leaves* leaves) {
  return ForRuns(
      pointer,
      [this](InterfacePart& part, ValueId index, uint32_t component, uint32_t count, Leaves* out) {
        const uint32_t input = EntryOf(module().inputs, part);
        const mir::InstId load = Load(part, input, index, component, count);
        for (uint32_t i = 0; i < count; ++i) {
          out->push_back(AsLeaf(part, module().result(load, static_cast<int>(i))));
        }
      },
      leaves);
}

mir::InstId InterfaceEmitter::LoadBuiltInInput(mir::BuiltIn builtin, uint32_t first,
                                               uint32_t count) {
  std::vector<mir::Interface>& inputs = module().inputs;
  auto it = std::find_if(inputs.begin(), inputs.end(),
                         [builtin](const mir::Interface& v) { return v.builtin == builtin; });
  if (it == inputs.end()) {
    const mir::BuiltInInfo& info = mir::kBuiltIns[static_cast<int>(builtin)];
    mir::Interface variable;
    variable.builtin = builtin;
    variable.components = info.components;
    variable.type = info.type == 's' ? mir::Type::kF32 : mir::Type::kI32;
    it = inputs.insert(it, variable);
  }
  return builder().LoadInput(static_cast<uint32_t>(it - inputs.begin()), first, count);
}

// ---- Interpolation ----

bool InterfaceEmitter::InterpolateSources(const SpirvInst& inst, mir::InterpolateAt at,
                                          Leaves* sources) {
  const auto count = static_cast<size_t>(mir::InterpolateAtSources(at));
  if (count == 0) return true;
  if (!Get(inst.operand(6), sources)) return false;
  const mir::Type type = at == mir::InterpolateAt::kSample ? mir::Type::kI32 : mir::Type::kF32;
  for (ValueId v : *sources) {
    if (TypeOf(v) != type)
      return Malformed("sample index or offset of an interpolation has the wrong type",
                       inst.result);
  }
  return sources->size() == count ||
         Malformed("sample index or offset of an interpolation has the wrong type", inst.result);
}

// A flat input has the same value at every position, so it is loaded.
bool InterfaceEmitter::EmitInterpolate(const SpirvInst& inst, mir::InterpolateAt at) {
  Pointer pointer;
  Leaves place;
  if (!GetPointer(inst.operand(5), &pointer) || !InterpolateSources(inst, at, &place)) return false;
  if (pointer.space != Pointer::kInput || pointer.type != inst.type) {
    return Malformed("interpolation of an operand that is not an input", inst.result);
  }
  bool fits = true;
  const auto interpolate = [&](InterfacePart& part, ValueId index, uint32_t component,
                               uint32_t count, Leaves* out) {
    const uint32_t input = EntryOf(module().inputs, part);
    const bool flat = part.variable.interpolation == mir::Interpolation::kFlat;
    const bool has_positions =
        part.variable.builtin == mir::BuiltIn::kNone || mir::IsBarycentric(part.variable.builtin);
    fits = fits && has_positions && part.variable.type == mir::Type::kF32 &&
           part.variable.interpolation != mir::Interpolation::kPerVertex;
    Leaves sources;
    if (index.valid()) sources.push_back(index);
    if (!flat) sources.insert(sources.end(), place.begin(), place.end());
    builder().set_flags(index.valid() ? mir::kIndexed : 0);
    const std::vector<mir::Type> types(count, part.variable.type);
    const mir::InstId id =
        builder().EmitInst(flat ? mir::Op::kLoadInput : mir::Op::kInterpolate, sources, types,
                           input, flat ? component : mir::PackInterpolateAt(at, component));
    builder().set_flags(0);
    for (uint32_t i = 0; i < count; ++i) {
      out->push_back(AsLeaf(part, module().result(id, static_cast<int>(i))));
    }
  };
  Leaves leaves;
  if (!ForRuns(pointer, interpolate, &leaves)) return false;
  if (!fits) return Malformed("interpolation of an input that is not a 32-bit float", inst.result);
  return Define(inst, leaves);
}

// ---- Entries ----

bool LoadInput(ImportContext& c, const Pointer& pointer, Leaves* leaves) {
  return InterfaceEmitter(c).LoadInput(pointer, leaves);
}

mir::InstId LoadBuiltInInput(ImportContext& c, mir::BuiltIn builtin, uint32_t first,
                             uint32_t count) {
  return InterfaceEmitter(c).LoadBuiltInInput(builtin, first, count);
}

bool EmitInterpolate(ImportContext& c, const SpirvInst& inst, mir::InterpolateAt at) {
  return InterfaceEmitter(c).EmitInterpolate(inst, at);
}

}  // namespace kiln::front
