// Checks values for specialisation constants: see specialise.h.
#include "core/front/spirv/specialise.h"

#include <map>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/base/cause.h"
#include "core/front/check/refusal.h"

namespace kiln::front {
namespace {

constexpr size_t kNamed = 20;  // constants listed in a message

// A constant that can be specialised.
struct Target {
  uint32_t id = 0;
  const SpirvType* type = nullptr;
};

using Targets = std::multimap<uint32_t, Target>;  // by SpecId, which several constants may share

Targets TargetsOf(const SpirvModule& spirv) {
  Targets targets;
  for (uint32_t id = 0; id < spirv.decorations.size(); ++id) {
    const std::optional<uint32_t> spec_id = spirv.decorations[id].spec_id;
    if (!spec_id.has_value() || spirv.Def(id).kind != SpirvDef::kConstant) continue;
    if (!spirv.Constant(id)->specialisable) continue;
    const SpirvType* type = spirv.Type(spirv.Def(id).type);
    if (type != nullptr) targets.emplace(*spec_id, Target{id, type});
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
    case SpecType::kBits: return "bits";
    case SpecType::kBool: return "bool";
    case SpecType::kInt32: return "32-bit int";
    case SpecType::kUint32: return "32-bit uint";
    case SpecType::kInt64: return "64-bit int";
    case SpecType::kUint64: return "64-bit uint";
    case SpecType::kFloat32: return "32-bit float";
    case SpecType::kFloat64: return "64-bit float";
  }
  return "value";
}

// Returns true if a value written in this type may be given for such a constant.
bool IsFor(SpecType given, const SpirvType& type) {
  const bool is_int = type.kind == SpirvType::kInt, is_float = type.kind == SpirvType::kFloat;
  switch (given) {
    case SpecType::kBits: return true;
    case SpecType::kBool: return type.kind == SpirvType::kBool;
    case SpecType::kInt32:
    case SpecType::kUint32: return is_int && type.width <= 32;
    case SpecType::kInt64:
    case SpecType::kUint64: return is_int && type.width == 64;
    case SpecType::kFloat32: return is_float && type.width == 32;
    case SpecType::kFloat64: return is_float && type.width == 64;
  }
  return false;
}

// Returns true if the bits above the type's width are zeros (or for an int, copies of its sign up
// to 32 bits).
bool BitsFit(uint64_t bits, const SpirvType& type) {
  if (type.kind == SpirvType::kBool || type.width >= 64 || bits >> type.width == 0) return true;
  const auto value = static_cast<int32_t>(static_cast<uint32_t>(bits));
  return type.kind == SpirvType::kInt && type.is_signed && bits >> 32 == 0 && type.width < 32 &&
         value < 0 && value >= -(int32_t{1} << (type.width - 1));
}

// A signed or unsigned integer.
struct Integer {
  bool negative = false;
  uint64_t bits = 0;  // negative: two's complement
};

Integer ValueOf(const SpecConstant& given) {
  const bool narrow = given.type == SpecType::kInt32;
  const auto value = narrow ? static_cast<int32_t>(static_cast<uint32_t>(given.bits))
                            : static_cast<int64_t>(given.bits);
  const bool is_signed = narrow || given.type == SpecType::kInt64;
  return {is_signed && value < 0, is_signed ? static_cast<uint64_t>(value) : given.bits};
}

std::string Text(const Integer& i) {
  return i.negative ? absl::StrCat(static_cast<int64_t>(i.bits)) : absl::StrCat(i.bits);
}

Integer LeastOf(const SpirvType& type) {
  return {type.is_signed, type.is_signed ? ~uint64_t{0} << (type.width - 1) : 0};
}

Integer MostOf(const SpirvType& type) {
  return {false, ~uint64_t{0} >> (64 - type.width + (type.is_signed ? 1 : 0))};
}

// Returns true if the value, for which IsFor holds, is in the type's range.
bool InRange(const SpecConstant& given, const SpirvType& type) {
  if (given.type == SpecType::kBits) return BitsFit(given.bits, type);
  if (type.kind != SpirvType::kInt) return true;
  const Integer value = ValueOf(given);
  if (!value.negative) return value.bits <= MostOf(type).bits;
  return type.is_signed && value.bits >= LeastOf(type).bits;
}

absl::Status Unknown(const SpecConstant& given, const Targets& targets) {
  std::string known;
  size_t named = 0;
  for (const auto& [spec_id, target] : targets) {
    if (++named > kNamed) break;
    absl::StrAppend(&known, named == 1 ? "" : ", ", spec_id, " (", TypeText(*target.type), ")");
  }
  if (targets.size() > kNamed) absl::StrAppend(&known, " and ", targets.size() - kNamed, " more");
  return WithCause(absl::InvalidArgumentError(
                       absl::StrCat("the module has no specialisation constant ", given.spec_id,
                                    "; it has ", known.empty() ? "none" : known)),
                   "unknown_spec_constant");
}

absl::Status Misfit(const SpecConstant& given, const Target& target, absl::string_view what) {
  const SpirvType& type = *target.type;
  return WithCause(
      Invalid(absl::StrCat("specialisation constant ", given.spec_id, " is ",
                           type.kind == SpirvType::kInt && type.width == 8 ? "an " : "a ",
                           TypeText(type), what),
              target.id),
      "spec_constant_type");
}

absl::Status CheckOne(const SpecConstant& given, const Target& target) {
  const SpirvType& type = *target.type;
  if (IsFor(given.type, type) && InRange(given, type)) return absl::OkStatus();
  if (given.type == SpecType::kBits || !IsFor(given.type, type)) {
    return Misfit(given, target,
                  absl::StrCat(", which the ", TypeText(given.type), " 0x", absl::Hex(given.bits),
                               " given is not"));
  }
  return Misfit(given, target,
                absl::StrCat(", ", Text(LeastOf(type)), " to ", Text(MostOf(type)), ", and ",
                             Text(ValueOf(given)), " is given"));
}

}  // namespace

absl::Status CheckSpecialisation(const SpirvModule& spirv, absl::Span<const SpecConstant> given) {
  if (given.empty()) return absl::OkStatus();
  const Targets targets = TargetsOf(spirv);
  for (const SpecConstant& constant : given) {
    const auto [first, end] = targets.equal_range(constant.spec_id);
    if (first == end) return Unknown(constant, targets);
    for (auto target = first; target != end; ++target) {
      if (absl::Status s = CheckOne(constant, target->second); !s.ok()) return s;
    }
  }
  return absl::OkStatus();
}

}  // namespace kiln::front
