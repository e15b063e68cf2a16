// Fuzz target: sources and the files that they may include.
//
// The input is a tree of files: a line that begins with '@' names a file, whose text follows up to
// the next such line; the first text is the source's, src/main.comp. Includes are looked for beside
// the includer and in inc/. Properties:
//   only files that an #include line of a text that was read can mean are opened, each once;
//   each include that is sent has the text of the file that it names, and its spelling is in
//     an #include line of its includer (or, if it names none, of any text);
//   no line is lost: it was found, or is missing, or the whole is refused;
//   the sent includes are within the limits, in number and bytes, texts counted as often as they
//   are sent.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/cli/paths.h"
#include "client/source/include_scanner.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size)
    __attribute__((weak));

namespace {

using namespace kiln::client;  // NOLINT: a fuzz driver, no header

constexpr char kMain[] = "src/main.comp";
constexpr char kFolder[] = "inc";

void Demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "property: %s\n", what);
  std::abort();
}

struct Tree {
  std::string main;
  std::map<std::string, std::string> files;
};

Tree ReadTree(std::string_view text) {
  Tree tree;
  std::string* file = &tree.main;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (line[0] == '@') {
      std::string name(line.substr(1, line.find_last_not_of("\r\n")));
      file = &tree.files[NormalPath(absl::string_view(name.data(), name.size()))];
    } else {
      file->append(line);
    }
  }
  return tree;
}

// Adds the paths at which an include of this text may lie.
void AddPlaces(const std::string& includer, const std::string& text,
               std::set<std::string>* places) {
  for (const IncludeLine& line : FindIncludes(text)) {
    if (IsAbsolute(line.spelled)) {
      places->insert(NormalPath(line.spelled));
      continue;
    }
    if (!line.angle) places->insert(NormalPath(JoinPath(FolderOf(includer), line.spelled)));
    places->insert(NormalPath(JoinPath(kFolder, line.spelled)));
  }
}

// One resolution with all files that it opened.
struct Resolution {
  Tree tree;
  IncludeLimits limits;
  std::set<std::string> places;  // paths that may be opened
  std::set<std::string> asked;
  kiln::v1::GlslSource glsl;
  std::vector<MissingInclude> missing;
  absl::Status status;
};

void Resolve(Resolution* r) {
  r->glsl.set_name(kMain);
  r->glsl.set_text(ValidUtf8(r->tree.main));
  AddPlaces(kMain, r->glsl.text(), &r->places);
  const ReadFile read = [r](const std::string& path, uint64_t) -> absl::StatusOr<std::string> {
    Demand(r->places.count(path) > 0, "only what an include can mean is read");
    Demand(r->asked.insert(path).second, "and once");
    const auto file = r->tree.files.find(path);
    if (file == r->tree.files.end()) return absl::NotFoundError(path);
    AddPlaces(path, ValidUtf8(file->second), &r->places);
    return file->second;
  };
  r->status = ResolveIncludes(kMain, {{kFolder}, ""}, r->limits, read, &r->glsl, &r->missing);
}

std::string TextOf(const Resolution& r, const std::string& name) {
  return name == kMain ? r.glsl.text() : ValidUtf8(r.tree.files.at(name));
}

// Returns the spellings of a text.
std::set<std::string> Spelled(const std::string& text) {
  std::set<std::string> all;
  for (const IncludeLine& line : FindIncludes(text)) all.insert(line.spelled);
  return all;
}

void CheckSent(const Resolution& r) {
  uint64_t bytes = r.glsl.text().size();
  std::map<std::string, std::set<std::string>> sent;  // includers ("": all) by spelling
  for (const auto& include : r.glsl.includes()) {
    bytes += include.text().size();
    Demand(r.asked.count(include.resolved()) > 0 && include.text() == TextOf(r, include.resolved()),
           "what is sent is the file that it names");
    Demand(sent[include.spelled()].insert(include.includer()).second, "and is sent once");
    if (include.includer().empty()) continue;
    Demand(Spelled(TextOf(r, include.includer())).count(include.spelled()) > 0,
           "an includer includes it");
  }
  Demand(static_cast<size_t>(r.glsl.includes_size()) <= r.limits.files, "no more than accepted");
  Demand(bytes <= r.limits.bytes, "nor more bytes");
  std::set<std::pair<std::string, std::string>> missing;
  for (const MissingInclude& m : r.missing) missing.emplace(m.includer, m.line.spelled);
  std::set<std::string> read = {kMain};
  for (const auto& include : r.glsl.includes()) read.insert(include.resolved());
  for (const std::string& name : read) {
    for (const std::string& spelled : Spelled(TextOf(r, name))) {
      const auto& to = sent[spelled];
      Demand(to.count("") + to.count(name) + missing.count({name, spelled}) == 1,
             "each line is found or missing");
    }
  }
}

void MutateTree(std::string* text, uint64_t seed) {
  static constexpr const char* kPieces[] = {"#include \"a.h\"\n",
                                            "#include <a.h>\n",
                                            "#include \"../inc/b.h\"\n",
                                            "#include \"b.h\"\n",
                                            "@src/a.h\n",
                                            "@inc/a.h\n",
                                            "@inc/b.h\n",
                                            "@src/sub/a.h\n",
                                            "\\\n",
                                            "/*",
                                            "*/",
                                            "//",
                                            "#include \"/etc/x\"",
                                            "#include \"sub/a.h\"",
                                            "#include \"./a.h\"\n",
                                            "#include \"../../up\"\n",
                                            "# include<b.h>",
                                            "\"",
                                            "#inc\\\nlude \"a.h\"\n",
                                            "@/etc/x\n"};
  const size_t at = text->empty() ? 0 : seed / 64 % (text->size() + 1);
  // Mostly whole lines.
  const size_t line = seed % 4 == 0 ? at : std::min(text->find('\n', at), text->size() - 1) + 1;
  text->insert(std::min(line, text->size()), kPieces[seed / 4096 % std::size(kPieces)]);
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  if (size == 0 || seed % 3 == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::string text(reinterpret_cast<const char*>(data), size);
  MutateTree(&text, uint64_t{seed} * 0x9e3779b97f4a7c15u >> 8);
  const size_t bytes = std::min(text.size(), max_size);
  std::memcpy(data, text.data(), bytes);
  return bytes;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Resolution r;
  r.tree = ReadTree(std::string_view(reinterpret_cast<const char*>(data), size));
  r.limits = {6, 4096};
  if (r.tree.main.size() > r.limits.bytes / 2) return 0;
  Resolve(&r);
  Demand(r.asked.size() <= r.places.size(), "it ends");
  if (r.status.ok()) CheckSent(r);
  return 0;
}
