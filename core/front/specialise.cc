// Values for specialisation constants: see specialise.h.
#include "core/front/specialise.h"

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/base/cause.h"
#include "core/front/refusal.h"

namespace kiln::front {
namespace {

constexpr size_t kNamed = 20;  // constants listed in a message

// A constant that can be specialised.
struct Target {
  uint32_t id = 0;
  const SpirvType* type = nullptr;
};

using Targets = std::multimap<uint32_t, Target>;  // by SpecId, which several may share

Targets TargetsOf(const SpirvModule& spirv) {
  Targets targets;
  for (uint32_t id = 0; id < spirv.decorations.size(); ++id) {
    const uint32_t spec_id = spirv.decorations[id].spec_id;
    if (spec_id == kNoValue || spirv.Def(id).kind != SpirvDef::kConstant) continue;
    if (!spirv.Constant(id)->specialisable) continue;
    const SpirvType* type = spirv.Type(spirv.Def(id).type);
    if (type != nullptr) targets.emplace(spec_id, Target{id, type});
  }
  return targets;
}

std::string TypeText(const SpirvType& type) {
  if (type.kind == SpirvType::kBool) return "bool";
  if (type.kind == SpirvType::kFloat) return absl::StrCat(type.width, "-bit float");
  return absl::StrCat(type.width, "-bit ", type.is_signed ? "int" : "uint");
}

absl::string_view TypeText(SpecType type) {
  switch (type) {
    case SpecType::kBits:
      return "bits";
    case SpecType::kBool:
      return "bool";
    case SpecType::kInt32:
      return "32-bit integer";
    case SpecType::kInt64:
      return "64-bit integer";
    case SpecType::kFloat32:
      return "32-bit float";
    case SpecType::kFloat64:
      return "64-bit float";
  }
  return "value";
}

// Nothing but zeros (or for an int, copies of its sign) above the type's width.
bool InRange(uint64_t bits, uint32_t width, bool may_be_negative) {
  if (width >= 64 || bits >> width == 0) return true;
  const auto value = static_cast<int32_t>(static_cast<uint32_t>(bits));
  return may_be_negative && bits >> 32 == 0 && width < 32 && value < 0 &&
         value >= -(int32_t{1} << (width - 1));
}

bool Fits(const SpecConstant& given, const SpirvType& type) {
  const bool is_int = type.kind == SpirvType::kInt, is_float = type.kind == SpirvType::kFloat;
  switch (given.type) {
    case SpecType::kBits:
      return type.kind == SpirvType::kBool ||
             InRange(given.bits, type.width, is_int && type.is_signed);
    case SpecType::kBool:
      return type.kind == SpirvType::kBool;
    case SpecType::kInt32:
      return is_int && type.width <= 32 && InRange(given.bits, type.width, true);
    case SpecType::kInt64:
      return is_int && type.width == 64;
    case SpecType::kFloat32:
      return is_float && type.width == 32;
    case SpecType::kFloat64:
      return is_float && type.width == 64;
  }
  return false;
}

absl::Status Unknown(const SpecConstant& given, const Targets& targets) {
  std::string known;
  size_t named = 0;
  for (const auto& [spec_id, target] : targets) {
    if (++named > kNamed) break;
    absl::StrAppend(&known, named == 1 ? "" : ", ", spec_id, " (", TypeText(*target.type), ")");
  }
  if (targets.size() > kNamed) absl::StrAppend(&known, " and ", targets.size() - kNamed, " more");
  return WithCause(absl::InvalidArgumentError(absl::StrCat(
                       "the module has no specialisation constant ", given.spec_id, "; it has ",
                       known.empty() ? "none" : known)),
                   "unknown_spec_constant");
}

absl::Status OfAnotherType(const SpecConstant& given, const Target& target) {
  return WithCause(
      Invalid(absl::StrCat("specialisation constant ", given.spec_id, " is a ",
                           TypeText(*target.type), ", which the ", TypeText(given.type), " 0x",
                           absl::Hex(given.bits), " given is not"),
              target.id),
      "spec_constant_type");
}

}  // namespace

absl::Status CheckSpecialisation(const SpirvModule& spirv, absl::Span<const SpecConstant> given) {
  if (given.empty()) return absl::OkStatus();
  const Targets targets = TargetsOf(spirv);
  for (const SpecConstant& constant : given) {
    const auto [first, end] = targets.equal_range(constant.spec_id);
    if (first == end) return Unknown(constant, targets);
    for (auto target = first; target != end; ++target) {
      if (!Fits(constant, *target->second.type)) return OfAnotherType(constant, target->second);
    }
  }
  return absl::OkStatus();
}

}  // namespace kiln::front
