// Maps HLSL's registers to Vulkan's bindings, as DXC does with its options -fvk-b-shift and the
// like.
//
// In HLSL b0, t0, s0 and u0 are four registers; in Vulkan a binding is a number of a set, whatever
// it holds. So each kind of register has a shift that is added to its numbers, and a space is a
// set.
#ifndef KILN_CORE_FRONT_HLSL_HLSL_REGISTERS_H_
#define KILN_CORE_FRONT_HLSL_HLSL_REGISTERS_H_

#include <glslang/Public/ShaderLang.h>
// Needs the header above.
#include <glslang/MachineIndependent/iomapper.h>

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace kiln::front {

enum class RegisterKind {
  kB,  // constant buffers
  kT,  // textures, buffers that are only read
  kS,  // samplers
  kU,  // textures and buffers that are written too
};

// Numbers that are added to those of registers to make bindings.
struct RegisterShifts {
  // By RegisterKind. The defaults keep the kinds apart: D3D12 has at most 128 registers of a kind
  // without bindless tables. They are those of a public engine, WickedEngine.
  std::array<uint32_t, 4> all = {0, 1000, 3000, 2000};
  // By kind and space, instead of `all`.
  std::map<std::pair<RegisterKind, uint32_t>, uint32_t> of_space;

  uint32_t Of(RegisterKind kind, uint32_t space) const;
};

// Decides bindings and locations for glslang.
//
//   A register is the binding of its number plus the shift. [[vk::binding]] is without a shift. A
//   variable without either gets the first free binding of its set from its kind's shift on, in the
//   order of declaration; one without a space is in set 0.
//   Inputs and outputs have the locations that glslang gives them: in the order of declaration,
//   those of [[vk::location]], the number of SV_Target. Two with the same location are an error, as
//   for DXC.
// It derives from glslang's interface, not from its base class: Debian's library has no type
// information (-fno-rtti) of classes with code of their own.
class RegisterResolver : public glslang::TIoMapResolver {
 public:
  // `explicit_set`: names with [[vk::binding]]. Both arguments outlive it.
  RegisterResolver(const RegisterShifts& shifts, const std::set<std::string>& explicit_set)
      : shifts_(shifts), explicit_set_(explicit_set) {}

  // Why a variable could not be mapped; empty: all were.
  const std::string& error() const { return error_; }

  using Variable = glslang::TVarEntryInfo;
  bool validateBinding(EShLanguage, Variable&) override { return true; }
  int resolveBinding(EShLanguage stage, Variable& variable) override;
  int resolveSet(EShLanguage stage, Variable& variable) override;
  int resolveUniformLocation(EShLanguage stage, Variable& variable) override;
  bool validateInOut(EShLanguage, Variable&) override { return true; }
  int resolveInOutLocation(EShLanguage stage, Variable& variable) override;
  int resolveInOutComponent(EShLanguage stage, Variable& variable) override;
  int resolveInOutIndex(EShLanguage stage, Variable& variable) override;
  void notifyBinding(EShLanguage, Variable&) override {}
  void notifyInOut(EShLanguage, Variable&) override {}
  void beginNotifications(EShLanguage) override {}
  void endNotifications(EShLanguage) override {}
  void beginResolve(EShLanguage) override {}
  void endResolve(EShLanguage) override {}
  void beginCollect(EShLanguage) override {}
  void endCollect(EShLanguage) override {}
  void reserverStorageSlot(Variable&, TInfoSink&) override {}
  void reserverResourceSlot(Variable&, TInfoSink&) override {}
  void addStage(EShLanguage, glslang::TIntermediate&) override {}

 private:
  bool HasOwnBinding(const glslang::TIntermSymbol& symbol) const;

  const RegisterShifts& shifts_;
  const std::set<std::string>& explicit_set_;
  std::set<int> inputs_, outputs_;                // locations taken
  std::map<uint32_t, std::set<uint32_t>> taken_;  // bindings by set
  std::string error_;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_HLSL_HLSL_REGISTERS_H_
