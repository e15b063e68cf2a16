#include "core/front/check/coverage.h"

#include "core/front/grammar/opcode_rows.h"

namespace kiln::front {
namespace {

constexpr NewerRow kNewerInstructions[] = {
#define NEWER_INSTRUCTION(number, name, operands, feature) {"Op", number, #name, #feature},
#include "core/front/grammar/spirv_newer.def"
};

constexpr NewerRow kNewer[] = {
#define NEWER_CAPABILITY(number, name, extension) {"Capability", number, #name, #extension},
#define NEWER_ENUMERANT(kind, number, name, operands, feature) {#kind, number, #name, #feature},
#include "core/front/grammar/spirv_newer.def"
};

// Returns the cause of an enumerant without a row in coverage.def: for a newer one that of its
// capability, for any other one `otherwise`.
std::string_view CauseOfNewer(const NewerRow* row, std::string_view otherwise) {
  return row == nullptr ? otherwise : CauseOfFeature(row->feature);
}

std::string_view CauseOfNewer(std::string_view kind, uint32_t number, std::string_view otherwise) {
  return CauseOfNewer(NewerRowOf(kind, number), otherwise);
}

template <class Enum>
constexpr uint32_t Number(Enum e) {
  return static_cast<uint32_t>(e);
}

constexpr CoverageRow kRows[] = {
#define CAPABILITY(name, cause) {"capability", #name, Number(spv::Capability::name), cause},
#define INSTRUCTION(name, cause) {"instruction", #name, Number(spv::Op::name), cause},
#define GLSL_STD_450(name, cause) {"glsl_std_450", #name, Number(GLSLstd450##name), cause},
#define BUILTIN(name, cause) {"builtin", #name, Number(spv::BuiltIn::name), cause},
#define STORAGE_CLASS(name, cause) {"storage_class", #name, Number(spv::StorageClass::name), cause},
#define EXECUTION_MODEL(name, cause) \
  {"execution_model", #name, Number(spv::ExecutionModel::name), cause},
#define EXECUTION_MODE(name, cause) \
  {"execution_mode", #name, Number(spv::ExecutionMode::name), cause},
#include "core/front/check/coverage.def"
};

}  // namespace

std::string_view CauseOfFeature(std::string_view feature) {
  for (const CoverageRow& row : kRows) {
    if (row.kind == "capability" && row.name == feature && !row.cause.empty()) return row.cause;
  }
  return "newer_feature";
}

const NewerRow* NewerRowOf(spv::Op op) { return RowOf<kNewerInstructions, &NewerRow::number>(op); }

const NewerRow* NewerRowOf(std::string_view kind, uint32_t number) {
  for (const NewerRow& row : kNewer) {
    if (row.number == number && row.kind == kind) return &row;
  }
  return nullptr;
}

absl::Span<const CoverageRow> CoverageTable() { return kRows; }

std::string NamedRow(std::string_view words, std::string_view kind, uint32_t number) {
  std::string text = std::string(words) + " ";
  for (const CoverageRow& row : kRows) {
    if (row.kind == kind && row.number == number) return text.append(row.name);
  }
  return text + std::to_string(number);
}

std::string_view CauseOf(spv::Capability capability) {
  switch (capability) {
#define CAPABILITY(name, cause) \
  case spv::Capability::name: { \
    return cause;               \
  }
#include "core/front/check/coverage.def"
    default: return "vendor_extension";
  }
}

std::string_view CauseOf(spv::Op op) {
  switch (op) {
#define INSTRUCTION(name, cause) \
  case spv::Op::name: {          \
    return cause;                \
  }
#include "core/front/check/coverage.def"
    default: return CauseOfNewer(NewerRowOf(op), "vendor_extension");
  }
}

std::string_view CauseOf(GLSLstd450 instruction) {
  switch (instruction) {
#define GLSL_STD_450(name, cause) \
  case GLSLstd450##name: {        \
    return cause;                 \
  }
#include "core/front/check/coverage.def"
    default: return "vendor_extension";
  }
}

std::string_view CauseOf(spv::BuiltIn builtin) {
  switch (builtin) {
#define BUILTIN(name, cause) \
  case spv::BuiltIn::name: { \
    return cause;            \
  }
#include "core/front/check/coverage.def"
    default: return CauseOfNewer("BuiltIn", static_cast<uint32_t>(builtin), "vendor_extension");
  }
}

std::string_view CauseOf(spv::StorageClass storage) {
  switch (storage) {
#define STORAGE_CLASS(name, cause) \
  case spv::StorageClass::name: {  \
    return cause;                  \
  }
#include "core/front/check/coverage.def"
    default:
      return CauseOfNewer("StorageClass", static_cast<uint32_t>(storage), "vendor_extension");
  }
}

std::string_view CauseOf(spv::ExecutionMode mode) {
  switch (mode) {
#define EXECUTION_MODE(name, cause) \
  case spv::ExecutionMode::name: {  \
    return cause;                   \
  }
#include "core/front/check/coverage.def"
    default: return CauseOfNewer("ExecutionMode", static_cast<uint32_t>(mode), "execution_mode");
  }
}

std::string_view CauseOf(spv::ExecutionModel model) {
  switch (model) {
#define EXECUTION_MODEL(name, cause) \
  case spv::ExecutionModel::name: {  \
    return cause;                    \
  }
#include "core/front/check/coverage.def"
    default: return "vendor_extension";
  }
}

std::string_view CauseOf(spv::FPEncoding encoding) {
  return CauseOfNewer("FPEncoding", static_cast<uint32_t>(encoding), "newer_feature");
}

std::string_view CapabilityName(spv::Capability capability) {
  switch (capability) {
#define CAPABILITY(name, cause) \
  case spv::Capability::name: { \
    return #name;               \
  }
#include "core/front/check/coverage.def"
    default: return {};
  }
}

}  // namespace kiln::front
