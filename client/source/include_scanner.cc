// Resolves #include lines: see include_scanner.h.
#include "client/source/include_scanner.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/cli/paths.h"
#include "core/base/utf8.h"

namespace kiln::client {
namespace {

using kiln::v1::GlslSource;

// Reads logical lines: a comment counts as a space, backslash-newline is removed.
class LineReader {
 public:
  explicit LineReader(absl::string_view text) : text_(text) {}

  // Returns false at the end. `number` is that of the line's first character.
  bool Next(std::string* line, int* number) {
    if (at_ >= text_.size()) return false;
    line->clear();
    *number = line_;
    while (at_ < text_.size()) {
      if (SkipJoin()) continue;
      char c = text_[at_];
      if (c == '\n') {
        ++at_;
        ++line_;
        return true;
      }
      if (Sees("//")) {
        SkipLineComment();
      } else if (Sees("/*")) {
        SkipBlockComment();
        line->push_back(' ');
      } else {
        line->push_back(c);
        ++at_;
        if (c == '"') CopyQuoted(line);
      }
    }
    return true;
  }

 private:
  bool Sees(absl::string_view what) const { return text_.substr(at_, what.size()) == what; }

  bool SkipJoin() {
    for (absl::string_view join : {"\\\n", "\\\r\n"}) {
      if (!Sees(join)) continue;
      at_ += join.size();
      ++line_;
      return true;
    }
    return false;
  }
  void SkipLineComment() {
    while (at_ < text_.size() && text_[at_] != '\n') {
      if (!SkipJoin()) ++at_;
    }
  }
  void SkipBlockComment() {
    for (at_ += 2; at_ < text_.size(); ++at_) {
      if (Sees("*/")) {
        at_ += 2;
        return;
      }
      if (text_[at_] == '\n') ++line_;
    }
  }
  // Copies a quoted path, which may contain "//" or "/*".
  void CopyQuoted(std::string* line) {
    while (at_ < text_.size() && text_[at_] != '\n') {
      line->push_back(text_[at_]);
      if (text_[at_++] == '"') return;
    }
  }

  absl::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
};

// Returns the text between the delimiters of an #include line; nullopt for any other line.
std::optional<IncludeLine> ParseInclude(absl::string_view line, int number) {
  line = absl::StripLeadingAsciiWhitespace(line);
  if (line.empty() || line[0] != '#') return std::nullopt;
  line = absl::StripLeadingAsciiWhitespace(line.substr(1));
  if (line.substr(0, 7) != "include") return std::nullopt;
  line = absl::StripLeadingAsciiWhitespace(line.substr(7));
  if (line.empty() || (line[0] != '"' && line[0] != '<')) return std::nullopt;
  bool angle = line[0] == '<';
  size_t end = line.find(angle ? '>' : '"', 1);
  if (end == absl::string_view::npos || end == 1) return std::nullopt;
  return IncludeLine{std::string(line.substr(1, end - 1)), angle, number};
}

// One occurrence of an #include; `resolved` is empty if no file was found.
struct Occurrence {
  std::string includer;
  std::string resolved;
};

class Resolver {
 public:
  Resolver(const IncludeFolders& folders, const IncludeLimits& limits, const ReadFile& read,
           std::vector<MissingInclude>* missing)
      : folders_(folders), limits_(limits), read_(read), missing_(missing) {}

  absl::Status Run(const std::string& path, GlslSource* glsl) {
    bytes_ = glsl->text().size();
    hlsl_ = glsl->has_hlsl();
    if (bytes_ > limits_.bytes) {
      return absl::ResourceExhaustedError(absl::StrCat(glsl->name(), ": the text has ", bytes_,
                                                       " bytes; at most ", limits_.bytes,
                                                       " are accepted, with its includes"));
    }
    absl::Status status = Scan(glsl->name(), path, glsl->text());
    while (status.ok() && !pending_.empty()) {
      std::string next = pending_.front();
      pending_.pop_front();
      status = Scan(NameFor(next), next, texts_[next]);
    }
    if (status.ok()) status = CheckSent(*glsl);
    if (status.ok()) Emit(glsl);
    return status;
  }

 private:
  absl::Status Scan(const std::string& name, const std::string& path, const std::string& text) {
    std::map<std::string, std::string> meant;  // spelling -> the file that it means here
    for (const IncludeLine& include : FindIncludes(text)) {
      absl::StatusOr<std::string> found = Find(path, include);
      if (!found.ok()) return found.status();
      if (found->empty()) missing_->push_back({name, include});
      auto [it, first] = meant.emplace(include.spelled, *found);
      if (!first) {
        if (it->second == *found || found->empty()) continue;
        if (it->second.empty()) {
          // Sent for both: the other form may be in a branch that is never taken.
          it->second = occurrences_[include.spelled].back().resolved = *found;
          continue;
        }
        const std::string shown = Quoted(include.spelled);
        return absl::InvalidArgumentError(
            absl::StrCat(name, ":", include.line, ": \"", shown, "\" and <", shown,
                         "> mean different files here (", it->second, ", ", *found,
                         "); spell one of them differently"));
      }
      occurrences_[include.spelled].push_back({name, *found});
    }
    return absl::OkStatus();
  }

  // Returns the path through which it is found; empty: not found.
  absl::StatusOr<std::string> Find(const std::string& includer, const IncludeLine& include) {
    std::vector<std::string> places;
    std::string spelled = include.spelled;
    if (hlsl_) std::replace(spelled.begin(), spelled.end(), '\\', '/');
    if (IsAbsolute(spelled)) {
      places.push_back(spelled);
    } else {
      if (!include.angle) places.push_back(JoinPath(FolderOf(includer), spelled));
      for (const std::string& folder : folders_.folders) {
        places.push_back(JoinPath(folder, spelled));
      }
    }
    for (const std::string& place : places) {
      absl::StatusOr<bool> there = Load(NormalPath(place));
      if (!there.ok()) return there.status();
      if (*there) return NormalPath(place);
    }
    return std::string();
  }

  absl::StatusOr<bool> Load(const std::string& path) {
    if (texts_.count(path) > 0) return true;
    if (absent_.count(path) > 0) return false;
    absl::StatusOr<std::string> text = read_(path, limits_.bytes);
    if (absl::IsNotFound(text.status())) {
      absent_.insert(path);
      return false;
    }
    if (!text.ok()) return text.status();
    *text = ValidUtf8(*text);
    bytes_ += text->size();
    if (texts_.size() >= limits_.files || bytes_ > limits_.bytes) {
      return absl::ResourceExhaustedError(absl::StrCat(
          path, ": with this include the source has more than ",
          texts_.size() >= limits_.files ? limits_.files : limits_.bytes,
          texts_.size() >= limits_.files ? " files" : " bytes", ", the maximum that is accepted"));
    }
    texts_[path] = *std::move(text);
    pending_.push_back(path);
    return true;
  }

  std::string NameFor(const std::string& path) const { return NameOfInclude(path, folders_.root); }

  static bool AllMeanTheSame(const std::vector<Occurrence>& occurrences) {
    return std::all_of(occurrences.begin(), occurrences.end(),
                       [&](const Occurrence& o) { return o.resolved == occurrences[0].resolved; });
  }

  // Calls send(spelled, occurrence, true if it is for all includers) for each include to be sent.
  template <typename Send>
  void ForEachSent(Send send) const {
    for (const auto& [spelled, occurrences] : occurrences_) {
      const bool same = AllMeanTheSame(occurrences);
      for (const Occurrence& o : occurrences) {
        if (!o.resolved.empty()) send(spelled, o, same);
        if (same) break;
      }
    }
  }

  // Checks the limits. A text is sent for each includer if they do not all mean the same one.
  absl::Status CheckSent(const GlslSource& glsl) const {
    uint64_t count = 0, bytes = glsl.text().size();
    ForEachSent([&](const std::string&, const Occurrence& o, bool) {
      ++count;
      bytes += texts_.at(o.resolved).size();
    });
    if (count <= limits_.files && bytes <= limits_.bytes) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat(
        glsl.name(),
        ": an include that names different files in different folders is sent once for each ",
        "includer: ", count, " includes of ", bytes, " bytes; ", limits_.files, " of ",
        limits_.bytes, " bytes are accepted"));
  }

  void Emit(GlslSource* glsl) const {
    ForEachSent([&](const std::string& spelled, const Occurrence& o, bool for_all) {
      auto* include = glsl->add_includes();
      include->set_spelled(spelled);
      if (!for_all) include->set_includer(o.includer);
      include->set_resolved(NameFor(o.resolved));
      include->set_text(texts_.at(o.resolved));
    });
  }

  const IncludeFolders& folders_;
  const IncludeLimits& limits_;
  const ReadFile& read_;
  std::vector<MissingInclude>* missing_;
  uint64_t bytes_ = 0;
  bool hlsl_ = false;
  std::map<std::string, std::string> texts_;  // by path
  std::set<std::string> absent_;
  std::deque<std::string> pending_;
  std::map<std::string, std::vector<Occurrence>> occurrences_;  // by spelling
};

}  // namespace

std::string NameOfInclude(const std::string& path, const std::string& root) {
  return ValidUtf8(root.empty() ? path : RelativeTo(root, path));
}

std::vector<IncludeLine> FindIncludes(absl::string_view text) {
  std::vector<IncludeLine> includes;
  LineReader reader(text);
  std::string line;
  int number = 0;
  while (reader.Next(&line, &number)) {
    std::optional<IncludeLine> include = ParseInclude(line, number);
    if (include.has_value()) includes.push_back(*std::move(include));
  }
  return includes;
}

absl::Status ResolveIncludes(const std::string& path, const IncludeFolders& folders,
                             const IncludeLimits& limits, const ReadFile& read, GlslSource* glsl,
                             std::vector<MissingInclude>* missing) {
  return Resolver(folders, limits, read, missing).Run(path, glsl);
}

}  // namespace kiln::client
