// Errors with their places: see diagnostics.h.
#include "client/export/diagnostics.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/cli/terminal.h"
#include "client/output/reason.h"

namespace kiln::client {
namespace {

using kiln::v1::GlslSource;
using kiln::v1::TargetResult;

struct Text {
  absl::string_view name;
  absl::string_view text;
};

// Returns the texts of a source, longer names first: a log line that begins with one is of it.
std::vector<Text> TextsOf(const GlslSource& glsl) {
  std::vector<Text> texts = {{glsl.name(), glsl.text()}};
  for (const auto& include : glsl.includes()) {
    texts.push_back(
        {include.resolved().empty() ? include.spelled() : include.resolved(), include.text()});
  }
  std::stable_sort(texts.begin(), texts.end(),
                   [](const Text& a, const Text& b) { return a.name.size() > b.name.size(); });
  return texts;
}

bool RenumbersLines(absl::string_view text) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripLeadingAsciiWhitespace(line);
    if (!absl::ConsumePrefix(&line, "#")) continue;
    if (absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "line")) return true;
  }
  return false;
}

// Returns line `number` without its comment; empty if a comment of several lines, or of a part of
// it, begins or ends there.
absl::string_view CodeOfLine(absl::string_view text, uint32_t number) {
  for (; number > 1; --number) {
    const size_t end = text.find('\n');
    if (end == absl::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  absl::string_view line = text.substr(0, text.find('\n'));
  if (absl::StrContains(line, "/*") || absl::StrContains(line, "*/")) return {};
  return line.substr(0, line.find("//"));
}

bool IsWordLetter(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Returns the only place of `token` in the line, as a whole word if it is one.
std::optional<size_t> OnlyPlace(absl::string_view line, absl::string_view token) {
  std::optional<size_t> only;
  for (size_t at = line.find(token); at != absl::string_view::npos; at = line.find(token, at + 1)) {
    const size_t end = at + token.size();
    const bool in_word =
        (at > 0 && IsWordLetter(line[at - 1]) && IsWordLetter(token.front())) ||
        (end < line.size() && IsWordLetter(line[end]) && IsWordLetter(token.back()));
    if (in_word) continue;
    if (only.has_value()) return std::nullopt;
    only = at;
  }
  return only;
}

uint32_t CodePoints(absl::string_view text) {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return static_cast<uint32_t>(std::count_if(text.begin(), text.end(), begins));
}

// Sets the columns of a diagnostic whose message begins with "'TOKEN' : ".
void SetColumns(absl::string_view message, absl::string_view text, Diagnostic* diagnostic) {
  const size_t end = message.find("' : ");
  if (!absl::ConsumePrefix(&message, "'") || end == absl::string_view::npos || end < 2) return;
  if (RenumbersLines(text)) return;
  const absl::string_view token = message.substr(0, end - 1);
  const absl::string_view line = CodeOfLine(text, diagnostic->line);
  const std::optional<size_t> place = OnlyPlace(line, token);
  if (!place.has_value()) return;
  diagnostic->column = 1 + CodePoints(line.substr(0, *place));
  diagnostic->end_column = diagnostic->column + CodePoints(token);
}

std::string PathOf(absl::string_view name, const std::vector<SourceFile>& read) {
  for (const SourceFile& file : read) {
    if (file.name == name) return file.path;
  }
  return std::string(name);
}

// Reads a line of glslang's log; nullopt: it has no place in one of the texts.
std::optional<Diagnostic> ReadLogLine(absl::string_view line, const std::vector<Text>& texts,
                                      const std::vector<SourceFile>& read) {
  if (!absl::ConsumePrefix(&line, "ERROR: ")) return std::nullopt;
  for (const Text& text : texts) {
    absl::string_view rest = line;
    if (!absl::ConsumePrefix(&rest, text.name) || !absl::ConsumePrefix(&rest, ":")) continue;
    const size_t colon = rest.find(':');
    Diagnostic diagnostic;
    if (colon == absl::string_view::npos ||
        !absl::SimpleAtoi(rest.substr(0, colon), &diagnostic.line)) {
      continue;
    }
    const absl::string_view message = absl::StripAsciiWhitespace(rest.substr(colon + 1));
    // Says that glslang stops, after the error that made it stop.
    if (message == "'' : compilation terminated") return std::nullopt;
    diagnostic.path = PathOf(text.name, read);
    if (diagnostic.line != 0) SetColumns(message, text.text, &diagnostic);
    diagnostic.text = Printable(message);
    return diagnostic;
  }
  return std::nullopt;
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::vector<Diagnostic> DiagnosticsOf(const TargetResult& result, const GlslSource& glsl,
                                      const std::vector<SourceFile>& read) {
  if (result.status() == TargetResult::OK) return {};
  std::vector<Diagnostic> found;
  if (result.status() == TargetResult::INVALID && !glsl.name().empty()) {
    const std::vector<Text> texts = TextsOf(glsl);
    for (const absl::string_view line : absl::StrSplit(result.message(), '\n')) {
      if (auto diagnostic = ReadLogLine(line, texts, read)) found.push_back(*std::move(diagnostic));
    }
  }
  if (!found.empty()) return found;
  Diagnostic one;
  one.text = FirstLine(BlameText(result));
  if (one.text.empty()) one.text = Printable(result.cause());
  if (!result.reason().source_file().empty()) {
    one.path = PathOf(result.reason().source_file(), read);
    one.line = result.reason().source_line();
    one.column = result.reason().source_column();
  } else if (!read.empty()) {
    one.path = read[0].path;
  }
  return {one};
}

}  // namespace kiln::client
