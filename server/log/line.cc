// One line of the log: see line.h.
#include "server/log/line.h"

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

std::string JsonValue(const std::string& value) {
  std::string out = "\"";
  for (char c : EscapeNonUtf8(value)) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) {
      absl::StrAppendFormat(&out, "\\u%04x", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string Show(Format format, const Field& field) {
  const std::string value = Shortened(field.value, kMostValueBytes);
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
    if (line.size() + shown.size() + cut.size() > kMostLineBytes) return line + cut;
    line += shown;
  }
  return line + end;
}

}  // namespace kiln::log
