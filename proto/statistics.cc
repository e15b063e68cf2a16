#include "proto/statistics.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/ascii.h"

namespace kiln {
namespace {

using google::protobuf::FieldDescriptor;

// Returns the fields that hold a figure each.
const std::vector<const FieldDescriptor*>& Fields() {
  static const auto* const fields = [] {
    auto* const all = new std::vector<const FieldDescriptor*>;
    const auto* message = v1alpha::Statistics::descriptor();
    for (int i = 0; i < message->field_count(); ++i) {
      if (!message->field(i)->is_repeated()) all->push_back(message->field(i));
    }
    return all;
  }();
  return *fields;
}

bool IsWord(absl::string_view name) {
  return !name.empty() && name.size() <= 60 && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

}  // namespace

v1alpha::Statistics PackStatistics(absl::Span<const NamedValue> values) {
  v1alpha::Statistics packed;
  for (const NamedValue& v : values) {
    v1alpha::Statistics::Value* to = packed.add_values();
    to->set_name(std::string(v.name));
    to->set_value(v.value);
  }
  v1alpha::Statistics filled = packed;
  for (const FieldDescriptor* field : Fields()) {
    const auto found = std::find_if(values.begin(), values.end(), [&](const NamedValue& v) {
      return v.name == absl::string_view(field->name());
    });
    // A client would take a field that is not filled for a count of 0.
    if (found == values.end()) return packed;
    filled.GetReflection()->SetInt64(&filled, field, found->value);
  }
  return filled;
}

std::vector<NamedValue> ReadStatistics(const v1alpha::Variant& variant) {
  std::vector<NamedValue> values;
  if (!variant.has_statistics()) return values;
  const v1alpha::Statistics& statistics = variant.statistics();
  if (statistics.values().empty()) {
    for (const FieldDescriptor* field : Fields()) {
      values.push_back({field->name(), statistics.GetReflection()->GetInt64(statistics, field)});
    }
    return values;
  }
  values.reserve(static_cast<size_t>(statistics.values_size()));
  for (const v1alpha::Statistics::Value& v : statistics.values()) {
    if (IsWord(v.name())) values.push_back({v.name(), v.value()});
  }
  return values;
}

bool IsPacked(const v1alpha::Statistics& statistics, int most) {
  if (statistics.values_size() > most) return false;
  std::vector<NamedValue> values;
  std::set<absl::string_view> names;
  for (const v1alpha::Statistics::Value& v : statistics.values()) {
    if (!IsWord(v.name()) || !names.insert(v.name()).second || v.value() < 0) return false;
    values.push_back({v.name(), v.value()});
  }
  return PackStatistics(values).SerializeAsString() == statistics.SerializeAsString();
}

}  // namespace kiln
