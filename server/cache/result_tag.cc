// Counts the figures of a result: see result_tag.h.
#include "server/cache/result_tag.h"

#include <algorithm>

#include "server/cache/wire.h"

namespace kiln::cache {
namespace {

using kiln::v1::Statistics;

// The figures that are summed, of one variant.
struct Figures {
  uint64_t instructions = 0, bytes = 0, spills = 0, registers = 0;

  // Returns the sum to which the figure of that name belongs; null: to none. Targets name registers
  // and spills as their hardware does. Most names differ in their first letter.
  uint64_t* Of(std::string_view name) {
    switch (name.empty() ? '\0' : name.front()) {
      case 'i': return name == "instructions" ? &instructions : nullptr;
      case 'b': return name == "bytes" ? &bytes : nullptr;
      case 'r': return name == "registers" ? &registers : nullptr;
      case 'v': return name == "vgprs" ? &registers : nullptr;
      case 's': {
        const bool spills_some =
            name == "spills" || name == "spilled_vgprs" || name == "spilled_sgprs";
        return spills_some ? &spills : nullptr;
      }
      default: return nullptr;
    }
  }
  // Likewise of the field of before there were names.
  uint64_t* OfField(uint32_t number) {
    switch (number) {
      case Statistics::kInstructionsFieldNumber: return &instructions;
      case Statistics::kBytesFieldNumber: return &bytes;
      case Statistics::kSpillsFieldNumber: return &spills;
      case Statistics::kRegistersFieldNumber: return &registers;
      default: return nullptr;
    }
  }
};

// Reads a Statistics.Value.
void ReadValue(std::string_view in, Figures* figures) {
  WireField field;
  uint64_t* sum = nullptr;
  while (ReadField(&in, &field)) {
    if (field.number == Statistics::Value::kNameFieldNumber) {
      sum = figures->Of(field.contents);
      if (sum == nullptr) return;
    } else if (field.number == Statistics::Value::kValueFieldNumber && sum != nullptr) {
      *sum += field.value;
    }
  }
}

// A worker may say anything, such as negative figures, which are large ones here.
void Add(uint64_t value, uint32_t* sum) {
  *sum += static_cast<uint32_t>(std::min<uint64_t>(value, UINT32_MAX - *sum));
}

}  // namespace

uint8_t StageIndex(std::string_view stage) {
  for (uint8_t i = 0; i < kOtherStage; ++i) {
    if (kShaderStages[i].name == stage) return i;
  }
  return kOtherStage;
}

void ResultTag::AddVariant(std::string_view statistics) {
  Figures named, fields;
  bool has_names = false;
  WireField field;
  while (ReadField(&statistics, &field)) {
    if (field.number == Statistics::kValuesFieldNumber) {
      has_names = true;
      ReadValue(field.contents, &named);
    } else if (uint64_t* figure = fields.OfField(field.number)) {
      *figure = field.value;
    }
  }
  const Figures& figures = has_names ? named : fields;  // with names, the fields repeat them
  if (variants == UINT8_MAX) return;
  ++variants;
  if (figures.spills > 0) ++spilling;
  Add(figures.instructions, &instructions);
  Add(figures.bytes, &bytes);
  Add(figures.spills, &spills);
  Add(figures.registers, &registers);
}

ResultTag TagOf(const kiln::v1::TargetResult& result) {
  ResultTag tag;
  tag.status = static_cast<uint8_t>(result.status());
  tag.stage = StageIndex(result.stage());
  for (const auto& variant : result.variants()) {
    tag.AddVariant(variant.statistics().SerializeAsString());
  }
  return tag;
}

}  // namespace kiln::cache
