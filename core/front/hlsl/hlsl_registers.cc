#include "core/front/hlsl/hlsl_registers.h"

#include <glslang/MachineIndependent/localintermediate.h>

#include <optional>

namespace kiln::front {
namespace {

using glslang::TType;

// The largest binding that glslang's qualifiers hold.
constexpr uint32_t kMaxBinding = 0xfffe;

std::optional<RegisterKind> KindOf(const TType& type) {
  const glslang::TQualifier& qualifier = type.getQualifier();
  if (type.getBasicType() == glslang::EbtSampler) {
    if (type.getSampler().isPureSampler()) return RegisterKind::kS;
    return type.getSampler().isImage() ? RegisterKind::kU : RegisterKind::kT;
  }
  if (qualifier.storage == glslang::EvqBuffer) {
    return qualifier.isReadOnly() ? RegisterKind::kT : RegisterKind::kU;
  }
  if (qualifier.storage == glslang::EvqUniform && type.getBasicType() == glslang::EbtBlock) {
    return RegisterKind::kB;
  }
  return std::nullopt;
}

uint32_t SetOf(const TType& type) {
  return type.getQualifier().hasSet() ? type.getQualifier().layoutSet : 0;
}

}  // namespace

uint32_t RegisterShifts::Of(RegisterKind kind, uint32_t space) const {
  const auto found = of_space.find({kind, space});
  return found == of_space.end() ? all[static_cast<size_t>(kind)] : found->second;
}

// A block without an instance has a made-up name; its type has the declared one.
bool RegisterResolver::HasOwnBinding(const glslang::TIntermSymbol& symbol) const {
  const std::string name(symbol.getName().c_str());
  if (explicit_set_.count(name) > 0) return true;
  const TType& type = symbol.getType();
  return glslang::IsAnonymous(symbol.getName()) && type.getBasicType() == glslang::EbtBlock &&
         explicit_set_.count(type.getTypeName().c_str()) > 0;
}

int RegisterResolver::resolveSet(EShLanguage, Variable& variable) {
  return variable.newSet = static_cast<int>(SetOf(variable.symbol->getType()));
}

// An array takes one binding, as in Vulkan.
int RegisterResolver::resolveBinding(EShLanguage, Variable& variable) {
  variable.newBinding = -1;
  const TType& type = variable.symbol->getType();
  const glslang::TQualifier& qualifier = type.getQualifier();
  const std::optional<RegisterKind> kind = KindOf(type);
  if (!kind.has_value() || qualifier.isPushConstant()) return -1;
  if (!qualifier.hasBinding() && !variable.live) return -1;
  const uint32_t set = SetOf(type);
  const uint32_t shift = HasOwnBinding(*variable.symbol) ? 0 : shifts_.Of(*kind, set);
  uint64_t binding = shift;
  if (qualifier.hasBinding()) {
    binding += qualifier.layoutBinding;
  } else {
    // glslang asks for variables with registers first.
    while (taken_[set].count(static_cast<uint32_t>(binding)) > 0) ++binding;
  }
  if (binding > kMaxBinding) {
    error_ = std::string(variable.symbol->getName().c_str()) + " has the binding " +
             std::to_string(binding) + " with its shift";
    return -1;
  }
  taken_[set].insert(static_cast<uint32_t>(binding));
  return variable.newBinding = static_cast<int>(binding);
}

int RegisterResolver::resolveUniformLocation(EShLanguage, Variable& variable) {
  return variable.newLocation = -1;
}

int RegisterResolver::resolveInOutLocation(EShLanguage stage, Variable& variable) {
  variable.newLocation = -1;
  const TType& type = variable.symbol->getType();
  if (type.isBuiltIn()) return -1;
  if (type.isStruct() && (type.getStruct()->empty() || type.getStruct()->front().type->isBuiltIn()))
    return -1;
  const bool input = type.getQualifier().isPipeInput();
  std::set<int>& taken = input ? inputs_ : outputs_;
  int first = static_cast<int>(type.getQualifier().layoutLocation);
  if (!type.getQualifier().hasLocation()) {
    first = variable.newLocation = taken.empty() ? 0 : *taken.rbegin() + 1;
  }
  const int size = glslang::TIntermediate::computeTypeLocationSize(type, stage);
  for (int location = first; location < first + size; ++location) {
    if (taken.insert(location).second) continue;
    error_ = std::string("two ") + (input ? "inputs" : "outputs") + " at location " +
             std::to_string(location);
  }
  return variable.newLocation;
}

int RegisterResolver::resolveInOutComponent(EShLanguage, Variable& variable) {
  return variable.newComponent = -1;
}

int RegisterResolver::resolveInOutIndex(EShLanguage, Variable& variable) {
  return variable.newIndex = -1;
}

}  // namespace kiln::front
