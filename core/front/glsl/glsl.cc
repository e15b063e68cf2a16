#include "core/front/glsl/glsl.h"

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <list>
#include <mutex>
#include <set>
#include <string_view>

#include "core/base/cause.h"
#include "core/base/utf8.h"
#include "core/front/check/bounds.h"
#include "core/front/check/refusal.h"

namespace kiln::front {
namespace {

constexpr size_t kMaxIncludeDepth = 64;
constexpr size_t kMaxLog = 64 << 10;
constexpr size_t kBytesOfInclude = 256;  // counted for each include, even if empty

// Initialises glslang once before any other use; it lives as long as the process.
bool InitialiseOnce() {
  static const bool initialised = glslang::InitializeProcess();
  return initialised;
}

EShLanguage LanguageOf(ShaderStage stage) {
  switch (stage) {
    case ShaderStage::kVertex: return EShLangVertex;
    case ShaderStage::kTessControl: return EShLangTessControl;
    case ShaderStage::kTessEvaluation: return EShLangTessEvaluation;
    case ShaderStage::kGeometry: return EShLangGeometry;
    case ShaderStage::kFragment: return EShLangFragment;
    case ShaderStage::kCompute: return EShLangCompute;
    case ShaderStage::kTask: return EShLangTask;
    case ShaderStage::kMesh: return EShLangMesh;
    case ShaderStage::kRayGeneration: return EShLangRayGen;
    case ShaderStage::kIntersection: return EShLangIntersect;
    case ShaderStage::kAnyHit: return EShLangAnyHit;
    case ShaderStage::kClosestHit: return EShLangClosestHit;
    case ShaderStage::kMiss: return EShLangMiss;
    case ShaderStage::kCallable: return EShLangCallable;
  }
  return EShLangCompute;
}

// Removes the byte order mark that editors put before UTF-8; glslang takes it for a character of
// the shader.
std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (text.substr(0, kMark.size()) == kMark) text.remove_prefix(kMark.size());
  return text;
}

// Returns the text without the blanks and comments before its first token.
std::string_view WithoutComments(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\r\n")));
    const std::string_view start = text.substr(0, 2);
    if (start != "//" && start != "/*") return text;
    const std::string_view ending = start == "//" ? "\n" : "*/";
    const size_t end = text.find(ending, 2);
    text.remove_prefix(end == text.npos ? text.size() : end + ending.size());
  }
}

// Returns the #version directive at the beginning of the text, normalised; empty: none.
std::string VersionDirective(const GlslSource& source) {
  std::string_view text = WithoutComments(WithoutByteOrderMark(source.text));
  const auto word = [&] {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t")));
    const auto is_part = [](unsigned char c) { return std::isalnum(c) != 0; };
    const auto end = std::find_if_not(text.begin(), text.end(), is_part);
    const std::string_view taken = text.substr(0, end - text.begin());
    text.remove_prefix(taken.size());
    return std::string(taken.substr(0, 16));
  };
  if (text.substr(0, 1) != "#") return "";
  text.remove_prefix(1);
  if (word() != "version") return "";
  const std::string number = word(), profile = word();
  return "#version " + number + " " + profile + "\n";
}

// The versions that this process has compiled with glslang.
class Versions {
 public:
  bool Has(const std::string& version) {
    const std::lock_guard lock(mutex_);
    return known_.count(version) != 0;
  }
  void Add(const std::string& version) {
    const std::lock_guard lock(mutex_);
    if (known_.size() < kMax) known_.insert(version);
  }

 private:
  static constexpr size_t kMax = 1024;  // some 20 exist; texts may name others, which are invalid
  std::mutex mutex_;
  std::set<std::string> known_;
};

Versions& KnownVersions() {
  static auto* versions = new Versions;
  return *versions;
}

// Returns the text that a name includes; entries that name the includer have priority.
const GlslInclude* FindInclude(const std::vector<GlslInclude>& includes, std::string_view spelled,
                               std::string_view includer) {
  const GlslInclude* found = nullptr;
  for (const GlslInclude& include : includes) {
    if (include.spelled != spelled) continue;
    if (include.includer == includer) return &include;
    if (include.includer.empty() && found == nullptr) found = &include;
  }
  return found;
}

const std::string& NameOf(const GlslInclude& include) {
  return include.resolved.empty() ? include.spelled : include.resolved;
}

class ResolvedIncluder : public glslang::TShader::Includer {
 public:
  explicit ResolvedIncluder(const std::vector<GlslInclude>& includes) : includes_(includes) {}

  IncludeResult* includeLocal(const char* header, const char* includer, size_t depth) override {
    return Find(header, includer, depth);
  }
  IncludeResult* includeSystem(const char* header, const char* includer, size_t depth) override {
    return Find(header, includer, depth);
  }
  void releaseInclude(IncludeResult*) override {}  // results live as long as the includer

  // Refuses if more was requested than may be included: some includes were then not found.
  absl::Status Status() const { return CheckGlslIncluded(bytes_); }
  // The first include that was refused: the name of the text that has it, and what it spells.
  const std::string& refused_in() const { return refused_in_; }
  const std::string& refused() const { return refused_; }

 private:
  IncludeResult* Find(const std::string& spelled, const std::string& includer, size_t depth) {
    const GlslInclude* found = FindInclude(includes_, spelled, includer);
    if (found == nullptr || depth > kMaxIncludeDepth) return nullptr;
    const std::string& name = NameOf(*found);
    const std::string_view text = WithoutByteOrderMark(found->text);
    const bool refused_before = !Status().ok();
    bytes_ += text.size() + kBytesOfInclude;
    if (!Status().ok()) {
      if (!refused_before) {
        refused_in_ = includer;
        refused_ = spelled;
      }
      return nullptr;
    }
    results_.emplace_back(name, text.data(), text.size(), nullptr);
    return &results_.back();
  }

  const std::vector<GlslInclude>& includes_;
  std::list<IncludeResult> results_;
  uint64_t bytes_ = 0;
  std::string refused_in_, refused_;
};

bool IsIdentifier(const std::string& name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) return false;
  for (char c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  }
  return true;
}

// Returns the text to insert after the source's #version.
absl::StatusOr<std::string> Preamble(const GlslSource& source) {
  std::string preamble;
  if (!source.includes.empty()) preamble += "#extension GL_GOOGLE_include_directive : enable\n";
  for (const auto& [name, value] : source.defines) {
    if (!IsIdentifier(name) || value.find_first_of("\r\n") != std::string::npos) {
      return WithCause(absl::InvalidArgumentError("bad define \"" + Quoted(name) + "\""),
                       "invalid_define");
    }
    absl::StrAppend(&preamble, "#define ", name, " ", value, "\n");
  }
  return preamble;
}

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
std::string WithDefines(std::string log, const GlslSource& source, bool* named) {
  constexpr std::string_view kPlace = "ERROR: -1:";
  constexpr std::string_view kTwice = "'#define' : Macro redefined; different substitutions: ";
  const size_t before = source.includes.empty() ? 0 : 1;
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

// Returns the text and line of the first line of the log that contains both `words`; empty: there
// is none, or it names another text ("ERROR: NAME:LINE: ...").
SourceLine LineOf(const GlslSource& source, std::string_view log, std::string_view words,
                  std::string_view more_words = {}) {
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

// Returns the refusal of an include, with the line that has it.
absl::Status RefusedInclude(const GlslSource& source, const ResolvedIncluder& includer,
                            std::string_view log) {
  SourceLine line = LineOf(source, log, "'#include'", includer.refused());
  if (line.file != includer.refused_in()) line = {includer.refused_in(), 0};
  return WithSource(includer.Status(), line);
}

absl::Status Failure(const GlslSource& source, const std::string& log, const std::string& more) {
  constexpr char kParserIsFull[] = "memory exhausted";
  bool names_define = false;
  const std::string text =
      WithDefines(WithBytesOfSource(log + more, source), source, &names_define);
  // Said by glslang's parser when its stack is full.
  constexpr uint64_t kParserEntries = 10'000;
  if (text.find(kParserIsFull) != text.npos) {
    const absl::Status refused =
        Refused("nesting_too_deep",
                {"open brackets, blocks and operators of GLSL", std::nullopt, kParserEntries});
    return WithSource(WithMessage(refused, Shortened(text, kMaxLog)),
                      LineOf(source, text, kParserIsFull));
  }
  const absl::Status invalid = absl::InvalidArgumentError(text.empty() ? "glslang gave no message"
                                                                       : Shortened(text, kMaxLog));
  return WithCause(invalid,
                   names_define ? KnownCause("invalid_define") : KnownCause("invalid_glsl"));
}

// Checks the bounds before glslang sees any text.
absl::Status CheckBounds(const GlslSource& source, const std::string& preamble) {
  absl::Status status = CheckGlslBounds({source.name, source.text});
  for (const GlslInclude& include : source.includes) {
    status.Update(CheckGlslBounds({NameOf(include), include.text}));
  }
  if (!status.ok()) return status;
  uint64_t bytes = 0;
  const auto find = [&](std::string_view spelled, std::string_view includer, GlslText* found) {
    const GlslInclude* include = FindInclude(source.includes, spelled, includer);
    if (include == nullptr) return false;
    *found = {NameOf(*include), WithoutByteOrderMark(include->text)};
    bytes += found->text.size() + kBytesOfInclude;
    return CheckGlslIncluded(bytes).ok();
  };
  return CheckGlslSize(
      SizeOfGlsl(preamble, {source.name, WithoutByteOrderMark(source.text)}, find, MostGlsl()));
}

void SetTarget(const GlslSource& source, EShLanguage language, glslang::TShader* shader) {
  using namespace glslang;
  constexpr EShTargetClientVersion kClients[] = {EShTargetVulkan_1_0, EShTargetVulkan_1_1,
                                                 EShTargetVulkan_1_2, EShTargetVulkan_1_3};
  constexpr EShTargetLanguageVersion kSpirv[] = {EShTargetSpv_1_0, EShTargetSpv_1_3,
                                                 EShTargetSpv_1_5, EShTargetSpv_1_6};
  shader->setEnvInput(EShSourceGlsl, language, EShClientVulkan, 100);
  shader->setEnvClient(EShClientVulkan, kClients[source.vulkan_minor]);
  shader->setEnvTarget(EShTargetSpv, kSpirv[source.vulkan_minor]);
}

}  // namespace

absl::StatusOr<ShaderStage> GlslStageOfName(const std::string& name) {
  std::string rest = name;
  for (int i = 0; i < 2; ++i) {
    const size_t dot = rest.rfind('.');
    if (dot == std::string::npos) break;
    for (const ShaderStageRow& row : kShaderStages) {
      if (!row.ending.empty() && rest.substr(dot + 1) == row.ending) return row.stage;
    }
    if (rest.substr(dot + 1) != "glsl") break;
    rest = rest.substr(0, dot);
  }
  return absl::NotFoundError("the name \"" + name +
                             "\" has no ending of a shader stage, such as .comp or .frag");
}

std::string GlslangVersion() {
  const glslang::Version v = glslang::GetVersion();
  return std::to_string(v.major) + "." + std::to_string(v.minor) + "." + std::to_string(v.patch);
}

bool GlslangIsReady(const GlslSource& source) {
  return KnownVersions().Has(VersionDirective(source));
}

void StartGlslang(const GlslSource& source) {
  GlslSource smallest;
  smallest.text = VersionDirective(source) + "void main() {}\n";
  smallest.stage = source.stage;
  smallest.vulkan_minor = source.vulkan_minor;
  // For a version that does not exist nothing need be prepared; compiling `source` reports it.
  CompileGlsl(smallest).status().IgnoreError();
}

absl::StatusOr<std::vector<uint32_t>> CompileGlsl(const GlslSource& source) {
  if (!InitialiseOnce()) return absl::InternalError("glslang cannot be initialised");
  if (source.vulkan_minor > 3) return absl::InvalidArgumentError("unknown Vulkan version");
  const absl::StatusOr<std::string> preamble = Preamble(source);
  if (!preamble.ok()) return preamble.status();
  if (absl::Status s = CheckBounds(source, *preamble); !s.ok()) return s;
  const EShLanguage language = LanguageOf(source.stage);
  KnownVersions().Add(VersionDirective(source));

  glslang::TShader shader(language);
  const std::string_view whole = WithoutByteOrderMark(source.text);
  const char* text = whole.data();
  const int length = static_cast<int>(whole.size());
  const char* name = source.name.c_str();
  shader.setStringsWithLengthsAndNames(&text, &length, &name, 1);
  shader.setPreamble(preamble->c_str());
  shader.setEntryPoint(source.entry.c_str());
  shader.setSourceEntryPoint("main");
  SetTarget(source, language, &shader);
  const auto messages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
  ResolvedIncluder includer(source.includes);
  if (!shader.parse(GetDefaultResources(), 450, ENoProfile, false, false, messages, includer)) {
    if (!includer.Status().ok()) return RefusedInclude(source, includer, shader.getInfoLog());
    return Failure(source, shader.getInfoLog(), "");
  }
  glslang::TProgram program;
  program.addShader(&shader);
  if (!program.link(messages)) return Failure(source, shader.getInfoLog(), program.getInfoLog());

  std::vector<uint32_t> words;
  spv::SpvBuildLogger logger;
  glslang::SpvOptions options;
  options.disableOptimizer = true;
  glslang::GlslangToSpv(*program.getIntermediate(language), words, &logger, &options);
  if (words.empty()) return Failure(source, logger.getAllMessages(), "");
  return words;
}

}  // namespace kiln::front
