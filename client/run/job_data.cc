// Data of jobs: see job_data.h.
#include "client/run/job_data.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/cli/paths.h"
#include "core/base/utf8.h"

namespace kiln::client::run {
namespace {

using json = nlohmann::json;

constexpr uint64_t kMaxBytes = uint64_t{1} << 30;

struct ElementType {
  absl::string_view name;
  int bytes;
};
constexpr std::array kElementTypes = {
    ElementType{"f16", 2}, ElementType{"f32", 4}, ElementType{"f64", 8}, ElementType{"u8", 1},
    ElementType{"u16", 2}, ElementType{"u32", 4}, ElementType{"u64", 8}, ElementType{"i8", 1},
    ElementType{"i16", 2}, ElementType{"i32", 4}, ElementType{"i64", 8}};

template <typename T>
void Append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

uint16_t HalfOf(double v) {
  const _Float16 h = static_cast<_Float16>(v);
  uint16_t bits;
  std::memcpy(&bits, &h, 2);
  return bits;
}

absl::Status NoValue(const json& v, const std::string& type) {
  return absl::InvalidArgumentError(
      absl::StrCat("data: ", Quoted(v.dump()), " is not of type ", type));
}

// Parses a bit pattern, 0x...
absl::StatusOr<uint64_t> Pattern(const std::string& text, const std::string& type, int bits) {
  uint64_t pattern = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data() + 2, end, pattern, 16);
  if (error != std::errc() || at != end || (bits < 64 && pattern >> bits != 0)) {
    return NoValue(text, type);
  }
  return pattern;
}

// Returns a number of an integer type as 64 bits.
absl::StatusOr<uint64_t> Integer(const json& v, const std::string& type, int bits) {
  if (!v.is_number()) return NoValue(v, type);
  const double d = v.get<double>();
  const bool is_signed = type[0] == 'i';
  const double least = is_signed ? -std::ldexp(1.0, bits - 1) : 0;
  const double above = std::ldexp(1.0, is_signed ? bits - 1 : bits);
  if (v.is_number_integer() || v.is_number_unsigned()) {
    const bool high = v.is_number_unsigned() && v.get<uint64_t>() >> 63 != 0;
    const bool fits64 = is_signed ? !high : v.is_number_unsigned();
    const bool fits = bits == 64 ? fits64 : d >= least && d < above;
    if (!fits) return NoValue(v, type);
    return v.is_number_unsigned() ? v.get<uint64_t>() : static_cast<uint64_t>(v.get<int64_t>());
  }
  if (!(d >= least && d < above) || d != std::trunc(d)) return NoValue(v, type);
  return d < 0 ? static_cast<uint64_t>(static_cast<int64_t>(d)) : static_cast<uint64_t>(d);
}

// Appends "nan", "inf", "-inf" or "0x..." (a bit pattern), else a number.
absl::Status AppendNumber(std::string& out, const std::string& type, const json& v) {
  const int bits = ElementBytes(type) * 8;
  if (v.is_string() && v.get<std::string>().rfind("0x", 0) == 0) {
    const absl::StatusOr<uint64_t> pattern = Pattern(v.get<std::string>(), type, bits);
    if (!pattern.ok()) return pattern.status();
    out.append(reinterpret_cast<const char*>(&*pattern), bits / 8);
    return absl::OkStatus();
  }
  if (type[0] == 'f') {
    double d = 0;
    if (v.is_number()) {
      d = v.get<double>();
    } else if (!v.is_string() || !absl::SimpleAtod(v.get<std::string>(), &d)) {
      return NoValue(v, type);
    }
    if (bits == 16) {
      Append(out, HalfOf(d));
    } else if (bits == 32) {
      Append(out, static_cast<float>(d));
    } else {
      Append(out, d);
    }
    return absl::OkStatus();
  }
  const absl::StatusOr<uint64_t> u = Integer(v, type, bits);
  if (!u.ok()) return u.status();
  out.append(reinterpret_cast<const char*>(&*u), bits / 8);
  return absl::OkStatus();
}

absl::StatusOr<std::string> Zeros(const json& value) {
  if (absl::Status s = CheckCount(value, 0, kMaxBytes, "data: \"zero\""); !s.ok()) return s;
  return std::string(value.get<size_t>(), '\0');
}

absl::StatusOr<std::string> Hex(const std::string& digits) {
  if (digits.size() % 2 != 0 || digits.find_first_not_of("0123456789abcdefABCDEF") != digits.npos) {
    return absl::InvalidArgumentError("data: \"hex\" needs pairs of hexadecimal digits");
  }
  return absl::HexStringToBytes(digits);
}

absl::StatusOr<std::string> Address(const std::string& name, const Addresses& addresses) {
  const auto at = addresses.find(name);
  if (at == addresses.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no resource with the name \"", Quoted(name), "\""));
  }
  std::string out;
  Append(out, at->second);
  return out;
}

template <typename T>
T Take(absl::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// NaN and infinities have no JSON number.
json FloatValue(double d) {
  if (d == d && d - d == 0) return d;
  return d != d ? "nan" : d > 0 ? "inf" : "-inf";
}

json ElementValue(absl::string_view type, absl::string_view bytes) {
  if (type == "f16") return FloatValue(static_cast<double>(Take<_Float16>(bytes)));
  if (type == "f32") return FloatValue(Take<float>(bytes));
  if (type == "f64") return FloatValue(Take<double>(bytes));
  if (type == "u8") return Take<uint8_t>(bytes);
  if (type == "u16") return Take<uint16_t>(bytes);
  if (type == "u32") return Take<uint32_t>(bytes);
  if (type == "u64") return Take<uint64_t>(bytes);
  if (type == "i8") return Take<int8_t>(bytes);
  if (type == "i16") return Take<int16_t>(bytes);
  if (type == "i32") return Take<int32_t>(bytes);
  return Take<int64_t>(bytes);
}

}  // namespace

int ElementBytes(absl::string_view type) {
  for (const ElementType& known : kElementTypes) {
    if (known.name == type) return known.bytes;
  }
  return 0;
}

json Values(absl::string_view type, absl::string_view bytes) {
  if (type == "hex") return absl::BytesToHexString(bytes);
  json values = json::array();
  const auto size = static_cast<size_t>(ElementBytes(type));
  for (size_t at = 0; size != 0 && at + size <= bytes.size(); at += size) {
    values.push_back(ElementValue(type, bytes.substr(at, size)));
  }
  return values;
}

absl::Status CheckCount(const json& value, uint64_t least, uint64_t most, absl::string_view what) {
  // Numbers that the library parsed are unsigned where they can be; those of this program need not.
  const bool whole =
      value.is_number_unsigned() || (value.is_number_integer() && value.get<int64_t>() >= 0);
  if (whole && value.get<uint64_t>() >= least && value.get<uint64_t>() <= most) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(what, ": must be a whole number from ", least,
                                                 " to ", most, ", not ", Quoted(value.dump())));
}

absl::Status CheckText(const json& value, absl::string_view what) {
  if (value.is_string()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": must be text, not ", Quoted(value.dump())));
}

absl::StatusOr<std::string> DataBytes(const json& data, const std::string& folder,
                                      const Addresses& addresses) {
  std::string out;
  if (data.is_array()) {
    for (const json& part : data) {
      absl::StatusOr<std::string> bytes = DataBytes(part, folder, addresses);
      if (!bytes.ok()) return bytes.status();
      if (out.size() + bytes->size() > kMaxBytes) {
        return absl::ResourceExhaustedError("data: more than 1 GiB");
      }
      out += *bytes;
    }
    return out;
  }
  if (!data.is_object() || data.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("data: must be an object with one key, or a list of such objects, not ",
                     Quoted(data.dump())));
  }
  const std::string key = data.begin().key();
  const json& value = data.begin().value();
  if (key == "zero") return Zeros(value);
  if (key == "hex" || key == "file" || key == "address") {
    if (absl::Status s = CheckText(value, absl::StrCat("data: \"", key, "\"")); !s.ok()) return s;
    const std::string text = value.get<std::string>();
    if (key == "hex") return Hex(text);
    if (key == "file") return ReadWholeFile(JoinPath(folder, text), kMaxBytes);
    return Address(text, addresses);
  }
  if (ElementBytes(key) == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("data: '", Quoted(key), "' is neither a type (f16 f32 f64 u8 ... i64) nor ",
                     "hex, file, zero, address"));
  }
  const json list = value.is_array() ? value : json::array({value});
  for (const json& v : list) {
    if (absl::Status s = AppendNumber(out, key, v); !s.ok()) return s;
  }
  return out;
}

}  // namespace kiln::client::run
