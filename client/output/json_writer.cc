// Compact JSON: see json_writer.h.
#include "client/output/json_writer.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <nlohmann/json.hpp>

namespace kiln::client {
namespace {

// Printable ASCII except the characters that JSON escapes.
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
  assert(key.size() <= 60);
  char text[64];  // appended at once: a line has hundreds of keys
  char* end = text;
  if (!first_) *end++ = ',';
  *end++ = '"';
  end = std::copy(key.begin(), key.end(), end);
  *end++ = '"';
  *end++ = ':';
  to_->append(text, static_cast<size_t>(end - text));
  first_ = true;
}

void JsonWriter::String(absl::string_view value) {
  Separate();
  if (std::all_of(value.begin(), value.end(), [](char c) { return IsPlain(c); })) {
    *to_ += '"';
    to_->append(value.data(), value.size());
    *to_ += '"';
    return;
  }
  *to_ += nlohmann::json(std::string(value))
              .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void JsonWriter::Raw(absl::string_view json) {
  Separate();
  to_->append(json.data(), json.size());
}

void JsonWriter::Int(int64_t value) {
  Separate();
  char digits[24];
  const char* end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  to_->append(digits, static_cast<size_t>(end - digits));
}

void JsonWriter::Decimal(int64_t units, int digits) {
  Separate();
  int64_t scale = 10;
  for (int i = 1; i < digits; ++i) scale *= 10;
  char text[40];
  char* end = std::to_chars(text, text + 24, units / scale).ptr;
  *end++ = '.';
  int64_t rest = units % scale;
  do {
    scale /= 10;
    *end++ = static_cast<char>('0' + rest / scale);
    rest %= scale;
  } while (rest != 0);
  to_->append(text, static_cast<size_t>(end - text));
}

}  // namespace kiln::client
