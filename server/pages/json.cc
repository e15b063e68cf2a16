// Writes compact JSON: see json.h.
#include "server/pages/json.h"

#include <cmath>

#include "absl/strings/str_format.h"
#include "core/base/utf8.h"

namespace kiln::pages {

void Json::Separate() {
  if (!first_) text_ += ',';
  first_ = false;
}

Json& Json::Open(char bracket) {
  Separate();
  text_ += bracket;
  first_ = true;
  return *this;
}

Json& Json::Close(char bracket) {
  text_ += bracket;
  first_ = false;
  return *this;
}

Json& Json::Key(std::string_view key) {
  Separate();
  text_ += '"';
  text_ += key;
  text_ += "\":";
  first_ = true;
  return *this;
}

Json& Json::Text(std::string_view value) {
  Separate();
  text_ += '"';
  for (char c : EscapeNonUtf8(value)) {
    if (c == '"' || c == '\\') {
      text_ += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&text_, "\\u%04x", static_cast<unsigned char>(c));
    } else {
      text_ += c;
    }
  }
  text_ += '"';
  return *this;
}

Json& Json::Number(double value) {
  if (!std::isfinite(value)) return Raw("null");
  const bool whole = std::abs(value) < 9007199254740992.0 && value == std::floor(value);
  return Raw(whole ? absl::StrFormat("%.0f", value) : absl::StrFormat("%.10g", value));
}

Json& Json::Raw(std::string_view json) {
  Separate();
  text_ += json;
  return *this;
}

}  // namespace kiln::pages
