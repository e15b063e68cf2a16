// Formats one line of the log: see line.h.
#include "server/log/line.h"

#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "core/base/utf8.h"

namespace kiln::log {
namespace {

bool IsPlain(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("_-./:+@%").find(c) != std::string_view::npos;
}

std::string TextValue(const std::string& value) {
  bool plain = !value.empty();
  for (char c : value) plain = plain && IsPlain(c);
  if (plain) return value;
  std::string out = "\"";
  for (char c : value) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (absl::ascii_isprint(static_cast<unsigned char>(c))) {
      out += c;
    } else {
      absl::StrAppendFormat(&out, "\\x%02x", static_cast<unsigned char>(c));
    }
  }
  return out + "\"";
}

// Returns the code point of a well-formed UTF-8 character.
uint32_t CodePoint(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first;
  uint32_t code = first & (0x7Fu >> character.size());
  for (char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  return code;
}

void AppendJsonCharacter(uint32_t code, std::string* out) {
  if (code == '"' || code == '\\') {
    *out += {'\\', static_cast<char>(code)};
  } else if (code >= 0x20 && code < 0x7F) {
    *out += static_cast<char>(code);
  } else if (code < 0x10000) {
    absl::StrAppendFormat(out, "\\u%04x", code);
  } else {
    const uint32_t rest = code - 0x10000;
    absl::StrAppendFormat(out, "\\u%04x\\u%04x", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
  }
}

std::string JsonValue(const std::string& value) {
  const std::string text = EscapeNonUtf8(value);
  std::string out = "\"";
  for (std::string_view rest = text; !rest.empty();) {
    const size_t length = Utf8Length(rest);
    AppendJsonCharacter(CodePoint(rest.substr(0, length)), &out);
    rest.remove_prefix(length);
  }
  return out + "\"";
}

std::string Show(Format format, const Field& field) {
  const std::string value = Shortened(field.value, kMaxValueBytes);
  if (format == Format::kText) {
    return absl::StrCat(field.key, "=", field.bare ? value : TextValue(value));
  }
  return absl::StrCat("\"", field.key, "\":", field.bare ? value : JsonValue(value));
}

}  // namespace

std::string_view Name(Level level) {
  static constexpr std::string_view kNames[] = {"debug", "info", "warning", "error"};
  return kNames[static_cast<size_t>(level)];
}

Field::Field(std::string_view k, absl::Duration time)
    : key(k), value(absl::StrFormat("%.3f", absl::ToDoubleSeconds(time))), bare(true) {}

std::string FormatLine(Format format, absl::Time time, Level level, std::string_view event,
                       const std::vector<Field>& fields) {
  const bool json = format == Format::kJson;
  const std::string separator = json ? "," : " ", end = json ? "}\n" : "\n";
  const std::string when = absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", time, absl::UTCTimeZone());
  std::string line = (json ? "{" : "") + Show(format, {"time", when}) + separator +
                     Show(format, {"level", Name(level)}) + separator +
                     Show(format, {"event", event});
  const std::string cut = separator + Show(format, {"cut", true}) + end;
  for (const Field& field : fields) {
    const std::string shown = separator + Show(format, field);
    if (line.size() + shown.size() + cut.size() > kMaxLineBytes) return line + cut;
    line += shown;
  }
  return line + end;
}

}  // namespace kiln::log
