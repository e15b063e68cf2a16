#include "proto/statistics.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"

namespace kiln {
namespace {

using google::protobuf::FieldDescriptor;

// Returns the fields that hold a figure each.
const std::vector<const FieldDescriptor*>& Fields() {
  static const auto* const fields = [] {
    auto* const all = new std::vector<const FieldDescriptor*>;
    const auto* message = v1::Statistics::descriptor();
    for (int i = 0; i < message->field_count(); ++i) {
      if (!message->field(i)->is_repeated()) all->push_back(message->field(i));
    }
    return all;
  }();
  return *fields;
}

constexpr absl::string_view kOtherKeys[] = {"name", "width", "binary", "assembly"};

// Returns the figures in their order, without those that cannot be.
std::vector<NamedValue> Sound(std::vector<NamedValue> values) {
  std::vector<NamedValue> sound;
  std::set<absl::string_view> names;
  for (const NamedValue& v : values) {
    if (sound.size() == kMaxStatistics) break;
    if (v.value < 0 || !IsStatisticName(v.name) || !names.insert(v.name).second) continue;
    sound.push_back(v);
  }
  return sound;
}

std::vector<NamedValue> ValuesOf(const v1::Statistics& statistics) {
  std::vector<NamedValue> values;
  values.reserve(static_cast<size_t>(statistics.values_size()));
  for (const v1::Statistics::Value& v : statistics.values()) {
    values.push_back({v.name(), v.value()});
  }
  return values;
}

}  // namespace

bool IsStatisticName(absl::string_view name) {
  const bool word =
      !name.empty() && name.size() <= 60 && std::all_of(name.begin(), name.end(), [](char c) {
        return absl::ascii_islower(static_cast<unsigned char>(c)) ||
               absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '_';
      });
  return word &&
         std::find(std::begin(kOtherKeys), std::end(kOtherKeys), name) == std::end(kOtherKeys);
}

v1::Statistics PackStatistics(absl::Span<const NamedValue> values) {
  v1::Statistics packed;
  for (const NamedValue& v : values) {
    v1::Statistics::Value* to = packed.add_values();
    to->set_name(std::string(v.name));
    to->set_value(v.value);
  }
  v1::Statistics filled = packed;
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

std::vector<NamedValue> ReadStatistics(const v1::Variant& variant) {
  if (!variant.has_statistics()) return {};
  const v1::Statistics& statistics = variant.statistics();
  if (!statistics.values().empty()) return Sound(ValuesOf(statistics));
  std::vector<NamedValue> values;
  for (const FieldDescriptor* field : Fields()) {
    values.push_back({field->name(), statistics.GetReflection()->GetInt64(statistics, field)});
  }
  return Sound(std::move(values));
}

bool IsPacked(const v1::Statistics& statistics) {
  if (statistics.values_size() > kMaxStatistics) return false;
  const std::vector<NamedValue> values = ValuesOf(statistics);
  return Sound(values) == values &&
         PackStatistics(values).SerializeAsString() == statistics.SerializeAsString();
}

}  // namespace kiln
