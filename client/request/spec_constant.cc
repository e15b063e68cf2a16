// Specialisation constants: see spec_constant.h.
#include "client/request/spec_constant.h"

#include <charconv>
#include <limits>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace kiln::client {
namespace {

using kiln::v1::SpecConstant;

constexpr absl::string_view kForm =
    "the form is ID=TYPE:VALUE with TYPE bool, int, uint, int64, uint64, float, double or bits, "
    "for "
    "example 3=uint:64";

absl::Status Wrong(absl::string_view text, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("--spec=", text, ": ", what, "; ", kForm));
}

// Parses decimal or 0x, within the range of T.
template <typename T>
bool ParseWhole(absl::string_view text, T* value) {
  bool negative = !text.empty() && text[0] == '-';
  absl::string_view digits = negative ? text.substr(1) : text;
  int base = 10;
  if (digits.substr(0, 2) == "0x" || digits.substr(0, 2) == "0X") {
    base = 16;
    digits.remove_prefix(2);
  }
  uint64_t n = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n, base);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return false;
  uint64_t most = static_cast<uint64_t>(std::numeric_limits<T>::max());
  if (!negative) {
    // Hexadecimal denotes bits: 0xffffffff is a valid int.
    uint64_t bits = std::numeric_limits<std::make_unsigned_t<T>>::max();
    if (n > (base == 16 ? bits : most)) return false;
    *value = static_cast<T>(n);
    return true;
  }
  if (std::is_unsigned_v<T> ? n != 0 : n > most + 1) return false;
  *value = static_cast<T>(0 - n);
  return true;
}

bool ParseBool(absl::string_view text, bool* value) {
  *value = text == "true" || text == "1";
  return *value || text == "false" || text == "0";
}

bool SetTyped(absl::string_view type, absl::string_view value, SpecConstant* c, bool* known) {
  *known = true;
  bool b = false;
  int32_t i = 0;
  uint32_t u = 0;
  int64_t l = 0;
  uint64_t ul = 0;
  float f = 0;
  double d = 0;
  if (type == "bool") return ParseBool(value, &b) ? (c->set_bool_value(b), true) : false;
  if (type == "int") return ParseWhole(value, &i) ? (c->set_int_value(i), true) : false;
  if (type == "uint") return ParseWhole(value, &u) ? (c->set_uint_value(u), true) : false;
  if (type == "int64") return ParseWhole(value, &l) ? (c->set_int64_value(l), true) : false;
  if (type == "uint64") return ParseWhole(value, &ul) ? (c->set_uint64_value(ul), true) : false;
  if (type == "float") return absl::SimpleAtof(value, &f) ? (c->set_float_value(f), true) : false;
  if (type == "double") return absl::SimpleAtod(value, &d) ? (c->set_double_value(d), true) : false;
  if (type == "bits") return ParseWhole(value, &ul) ? (c->set_bits(ul), true) : false;
  *known = false;
  return false;
}

bool SetUntyped(absl::string_view value, SpecConstant* c) {
  bool known = false;
  if (value == "true" || value == "false") return SetTyped("bool", value, c, &known);
  // Here a number, not bits: 0xffffffff is no int.
  if (SetTyped("uint", value, c, &known) && c->uint_value() > INT32_MAX) return true;
  return SetTyped("int", value, c, &known) || SetTyped("float", value, c, &known);
}

// Returns the shortest text that reads back as the same number.
template <typename T>
std::string Shortest(T value) {
  char digits[40];
  return {digits, std::to_chars(digits, digits + sizeof(digits), value).ptr};
}

}  // namespace

absl::StatusOr<SpecConstant> ParseSpecConstant(absl::string_view text) {
  size_t equals = text.find('=');
  if (equals == absl::string_view::npos) return Wrong(text, "there is no '='");
  SpecConstant constant;
  uint32_t id = 0;
  if (!ParseWhole(text.substr(0, equals), &id)) return Wrong(text, "the id is not a whole number");
  constant.set_id(id);
  absl::string_view rest = text.substr(equals + 1);
  size_t colon = rest.find(':');
  if (colon == absl::string_view::npos) {
    if (!SetUntyped(rest, &constant))
      return Wrong(text, absl::StrCat("'", rest, "' is not a value"));
    return constant;
  }
  bool known = false;
  absl::string_view type = rest.substr(0, colon);
  absl::string_view value = rest.substr(colon + 1);
  if (!SetTyped(type, value, &constant, &known)) {
    return Wrong(text, known ? absl::StrCat("'", value, "' is not of type ", type)
                             : absl::StrCat("there is no type '", type, "'"));
  }
  return constant;
}

std::string SpecConstantText(const SpecConstant& constant) {
  const auto text = [&](absl::string_view type, const auto& value) {
    return absl::StrCat(constant.id(), "=", type, ":", value);
  };
  switch (constant.value_case()) {
    case SpecConstant::kBoolValue: return text("bool", constant.bool_value() ? "true" : "false");
    case SpecConstant::kIntValue: return text("int", constant.int_value());
    case SpecConstant::kUintValue: return text("uint", constant.uint_value());
    case SpecConstant::kInt64Value: return text("int64", constant.int64_value());
    case SpecConstant::kUint64Value: return text("uint64", constant.uint64_value());
    case SpecConstant::kFloatValue: return text("float", Shortest(constant.float_value()));
    case SpecConstant::kDoubleValue: return text("double", Shortest(constant.double_value()));
    case SpecConstant::kBits: return text("bits", absl::StrCat("0x", absl::Hex(constant.bits())));
    case SpecConstant::VALUE_NOT_SET: break;
  }
  return absl::StrCat(constant.id(), "=");
}

absl::StatusOr<std::vector<SpecConstant>> ParseSpecConstants(absl::Span<const std::string> texts) {
  std::vector<SpecConstant> constants;
  std::set<uint32_t> ids;
  for (const std::string& text : texts) {
    absl::StatusOr<SpecConstant> constant = ParseSpecConstant(text);
    if (!constant.ok()) return constant.status();
    if (!ids.insert(constant->id()).second) {
      return absl::InvalidArgumentError(absl::StrCat("--spec=", text, ": constant ", constant->id(),
                                                     " is given twice; give each id once"));
    }
    constants.push_back(*std::move(constant));
  }
  return constants;
}

}  // namespace kiln::client
