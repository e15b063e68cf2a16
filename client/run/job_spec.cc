// Specialisation constants of jobs: see job_spec.h.
#include "client/run/job_spec.h"

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/run/job_data.h"
#include "core/base/utf8.h"

namespace kiln::client::run {
namespace {

using json = nlohmann::json;

// Returns the type of --spec for one of DATA.
std::string SpecTypeOf(const std::string& type) {
  if (type == "f32") return "float";
  if (type == "f64") return "double";
  const std::string name = type[0] == 'i' ? "int" : "uint";
  return type.substr(1) == "64" ? name + "64" : name;
}

std::string BitsText(std::string bytes) {
  std::reverse(bytes.begin(), bytes.end());
  return absl::StrCat("bits:0x", absl::BytesToHexString(bytes));
}

// Returns TYPE:VALUE for {"u32": 4}.
absl::StatusOr<std::string> TypedText(const std::string& type, const json& given) {
  const json& value = given.is_array() && given.size() == 1 ? given[0] : given;
  if (ElementBytes(type) == 0 || value.is_structured()) {
    return absl::InvalidArgumentError("must be one value with a type (f16 f32 f64 u8 u16 ... i64)");
  }
  // Also checks that the type has the value.
  const absl::StatusOr<std::string> bytes = DataBytes(json::object({{type, value}}), "", {});
  if (!bytes.ok()) return bytes.status();
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  // A number such as 3.0 is an integer here, as it is in "data".
  const bool integral = type[0] != 'f' && value.is_number_float();
  const bool bits = type == "f16" || integral || text.substr(0, 2) == "0x";
  return bits ? BitsText(*bytes) : absl::StrCat(SpecTypeOf(type), ":", text);
}

absl::StatusOr<std::string> ValueText(const json& value) {
  if (value.is_boolean()) return absl::StrCat("bool:", value.dump());
  if (value.is_number()) return value.dump();
  if (value.is_object() && value.size() == 1) {
    return TypedText(value.begin().key(), value.begin().value());
  }
  return absl::InvalidArgumentError(
      absl::StrCat(Quoted(value.dump()), " is not a value such as true, 3 or {\"u32\": 3}"));
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ReadSpec(const json& spec) {
  if (!spec.is_object()) return absl::InvalidArgumentError("is not a JSON object");
  std::vector<std::string> texts;
  for (const auto& [id, value] : spec.items()) {
    const std::string shown = Quoted(id);
    uint32_t number = 0;
    if (!absl::SimpleAtoi(id, &number)) {
      return absl::InvalidArgumentError(absl::StrCat("\"", shown, "\" is not an id"));
    }
    const absl::StatusOr<std::string> text = ValueText(value);
    if (!text.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("\"", shown, "\": ", text.status().message()));
    }
    texts.push_back(absl::StrCat(number, "=", *text));
  }
  return texts;
}

}  // namespace kiln::client::run
