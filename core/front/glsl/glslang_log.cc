#include "core/front/glsl/glslang_log.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "core/base/utf8.h"

namespace kiln::front {
namespace {

// Returns the text of that name: the source or one of its includes.
std::string_view TextOf(const GlslSource& source, std::string_view name) {
  if (name == source.name) return source.text;
  for (const GlslInclude& include : source.includes) {
    if (name == NameOf(include)) return include.text;
  }
  return {};
}

std::string_view Line(std::string_view text, int number) {
  for (; number > 1; --number) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

// Returns true if the text has a #line directive, so that line numbers in the log are not its own.
bool RenumbersLines(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto skip_blanks = [&] {
      line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t")));
    };
    skip_blanks();
    if (line.substr(0, 1) != "#") continue;
    line.remove_prefix(1);
    skip_blanks();
    if (line.substr(0, 4) == "line") return true;
  }
  return false;
}

// Returns a line's bytes beyond ASCII outside comments; empty: none, or they are not contiguous.
std::string_view OnlyBytes(std::string_view line) {
  line = line.substr(0, line.find("//"));
  if (line.find("/*") != line.npos || line.find("*/") != line.npos) return {};
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  const auto begin = std::find_if_not(line.begin(), line.end(), is_ascii);
  const auto end = std::find_if(begin, line.end(), is_ascii);
  if (!std::all_of(end, line.end(), is_ascii)) return {};
  return line.substr(begin - line.begin(), end - begin);
}

// Returns the text to show for a byte beyond ASCII at "ERROR: name:line" of the log. Clients
// without UTF-8 may have replaced invalid bytes by U+FFFD.
std::string Shown(const GlslSource& source, std::string_view place) {
  constexpr std::string_view kStart = "ERROR: ", kReplaced = "\xef\xbf\xbd";
  constexpr char kUnknown[] = "a byte that is not ASCII";
  const size_t colon = place.rfind(':');
  if (place.substr(0, kStart.size()) != kStart || colon < kStart.size()) return kUnknown;
  const std::string_view text = TextOf(source, place.substr(kStart.size(), colon - kStart.size()));
  if (RenumbersLines(text)) return kUnknown;
  const int line = std::atoi(std::string(place.substr(colon + 1)).c_str());
  const std::string_view bytes = OnlyBytes(Line(text, line));
  if (bytes.empty()) return kUnknown;
  if (bytes.find(kReplaced) != bytes.npos) return "U+FFFD or a byte that is not UTF-8";
  return EscapeNonAscii(bytes);
}

// Replaces 0x80, which glslang writes for every byte beyond ASCII: "ERROR: name:line: '\x80' :
// unexpected token".
std::string WithBytesOfSource(std::string log, const GlslSource& source) {
  constexpr std::string_view kByte = ": '\x80'";
  for (size_t at = log.find(kByte); at != std::string::npos; at = log.find(kByte, at + 1)) {
    const size_t begin = at == 0 ? 0 : log.rfind('\n', at - 1) + 1;
    log.replace(at + 3, 1, Shown(source, std::string_view(log).substr(begin, at - begin)));
  }
  return log;
}

// Names defines in the log: glslang calls the preamble, with a line for each define, "-1". Sets
// `named` if there is one.
std::string WithDefines(std::string log, const GlslSource& source, size_t before, bool* named) {
  constexpr std::string_view kPlace = "ERROR: -1:";
  constexpr std::string_view kTwice = "'#define' : Macro redefined; different substitutions: ";
  for (size_t at = log.find(kPlace); at != std::string::npos; at = log.find(kPlace, at + 1)) {
    const size_t number = at + kPlace.size();
    const size_t colon = log.find(": ", number);
    const auto line = static_cast<size_t>(std::atoi(log.c_str() + number));
    if (colon == std::string::npos || line <= before || line - before > source.defines.size())
      continue;
    const std::string& name = source.defines[line - before - 1].first;
    const auto first = std::find_if(source.defines.begin(), source.defines.end(),
                                    [&](const auto& define) { return define.first == name; });
    std::string said = "ERROR: -D " + Quoted(name) + ": ";
    size_t end = colon + 2;
    if (log.compare(end, kTwice.size(), kTwice) == 0) {
      const bool given =
          first - source.defines.begin() != static_cast<ptrdiff_t>(line - before - 1);
      said +=
          given ? "given before with another value" : "the macro is predefined with another value";
      end = std::min(log.find('\n', end), log.size());
    }
    log.replace(at, end - at, said);
    *named = true;
  }
  return log;
}

}  // namespace

std::string ReadableLog(std::string log, const GlslSource& source, size_t before,
                        bool* names_define) {
  return WithDefines(WithBytesOfSource(std::move(log), source), source, before, names_define);
}

SourceLine LineOfLog(const GlslSource& source, std::string_view log, std::string_view words,
                     std::string_view more_words) {
  std::string_view line;
  while (line.empty() && !log.empty()) {
    const std::string_view next = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), next.size() + 1));
    if (next.find(words) != next.npos && next.find(more_words) != next.npos) line = next;
  }
  const auto at = [&](const std::string& name) -> SourceLine {
    const std::string start = "ERROR: " + name + ":";
    if (line.substr(0, start.size()) != start) return {};
    return {name, static_cast<uint32_t>(std::atoi(std::string(line.substr(start.size())).c_str()))};
  };
  SourceLine found = at(source.name);
  for (const GlslInclude& include : source.includes) {
    if (found.line == 0) found = at(NameOf(include));
  }
  return found.line == 0 ? SourceLine() : found;
}

absl::Status InvalidText(const std::string& log, KnownCause cause) {
  return WithCause(absl::InvalidArgumentError(log.empty() ? "glslang gave no message"
                                                          : Shortened(log, kMaxGlslangLog)),
                   cause);
}

absl::Status RefusedInclude(const GlslSource& source, const ResolvedIncluder& includer,
                            std::string_view log) {
  SourceLine line = LineOfLog(source, log, "'#include'", includer.refused());
  if (line.file != includer.refused_in()) line = {includer.refused_in(), 0};
  return WithSource(includer.Status(), line);
}

}  // namespace kiln::front
