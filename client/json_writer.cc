// Compact JSON: see json_writer.h.
#include "client/json_writer.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace kiln::client {
namespace {

// Printable ASCII but for the characters that JSON escapes.
bool IsPlain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

}  // namespace

void JsonWriter::Separate() {
  if (!first_) *to_ += ',';
  first_ = false;
}

void JsonWriter::Open(char bracket) {
  Separate();
  *to_ += bracket;
  first_ = true;
}

void JsonWriter::Close(char bracket) {
  *to_ += bracket;
  first_ = false;
}

void JsonWriter::Key(absl::string_view key) {
  Separate();
  *to_ += '"';
  to_->append(key.data(), key.size());
  *to_ += "\":";
  first_ = true;
}

void JsonWriter::String(absl::string_view value) {
  Separate();
  if (std::all_of(value.begin(), value.end(), IsPlain)) {
    *to_ += '"';
    to_->append(value.data(), value.size());
    *to_ += '"';
    return;
  }
  *to_ += nlohmann::json(std::string(value))
              .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void JsonWriter::Int(int64_t value) {
  Separate();
  char digits[24];
  to_->append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

void JsonWriter::Number(double value) {
  Separate();
  char digits[40];
  char* end =
      std::to_chars(digits, digits + sizeof(digits) - 2, value, std::chars_format::fixed).ptr;
  if (std::find(digits, end, '.') == end) {
    *end++ = '.';
    *end++ = '0';
  }
  to_->append(digits, end);
}

}  // namespace kiln::client
