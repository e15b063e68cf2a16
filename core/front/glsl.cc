#include "core/front/glsl.h"

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <cctype>
#include <cstdlib>
#include <list>
#include <string_view>

#include "core/base/utf8.h"

namespace kiln::front {
namespace {

constexpr size_t kMaxIncludeDepth = 64;
constexpr size_t kMaxLog = 64 << 10;

// glslang must be initialised once before anything else; it is never shut down, the process is.
bool InitialiseOnce() {
  static const bool initialised = glslang::InitializeProcess();
  return initialised;
}

EShLanguage LanguageOf(GlslStage stage) {
  switch (stage) {
    case GlslStage::kVertex:
      return EShLangVertex;
    case GlslStage::kTessControl:
      return EShLangTessControl;
    case GlslStage::kTessEvaluation:
      return EShLangTessEvaluation;
    case GlslStage::kGeometry:
      return EShLangGeometry;
    case GlslStage::kFragment:
      return EShLangFragment;
    case GlslStage::kCompute:
      return EShLangCompute;
    case GlslStage::kTask:
      return EShLangTask;
    case GlslStage::kMesh:
      return EShLangMesh;
  }
  return EShLangCompute;
}

// Editors put a byte order mark in front of UTF-8; glslang takes it for a character of the shader.
std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (text.substr(0, kMark.size()) == kMark) text.remove_prefix(kMark.size());
  return text;
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

 private:
  IncludeResult* Find(const std::string& spelled, const std::string& includer, size_t depth) {
    const GlslInclude* found = nullptr;
    for (const GlslInclude& include : includes_) {
      if (include.spelled != spelled) continue;
      if (include.includer == includer) {
        found = &include;
        break;
      }
      if (include.includer.empty() && found == nullptr) found = &include;
    }
    if (found == nullptr || depth > kMaxIncludeDepth) return nullptr;
    const std::string& name = found->resolved.empty() ? found->spelled : found->resolved;
    const std::string_view text = WithoutByteOrderMark(found->text);
    results_.emplace_back(name, text.data(), text.size(), nullptr);
    return &results_.back();
  }

  const std::vector<GlslInclude>& includes_;
  std::list<IncludeResult> results_;
};

bool IsIdentifier(const std::string& name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) return false;
  for (char c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  }
  return true;
}

// Goes in front of the text, behind its #version.
absl::StatusOr<std::string> Preamble(const GlslSource& source) {
  std::string preamble;
  if (!source.includes.empty()) preamble += "#extension GL_GOOGLE_include_directive : enable\n";
  for (const auto& [name, value] : source.defines) {
    if (!IsIdentifier(name) || value.find_first_of("\r\n") != std::string::npos) {
      return absl::InvalidArgumentError("bad define \"" + name + "\"");
    }
    preamble += "#define " + name + " " + value + "\n";
  }
  return preamble;
}

// The text of that name: the source or one of its includes.
std::string_view TextOf(const GlslSource& source, std::string_view name) {
  if (name == source.name) return source.text;
  for (const GlslInclude& include : source.includes) {
    if (name == (include.resolved.empty() ? include.spelled : include.resolved)) {
      return include.text;
    }
  }
  return {};
}

// The first bytes beyond ASCII in line `number`, counted from 1.
std::string_view BytesInLine(std::string_view text, int number) {
  for (; number > 1; --number) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  while (!text.empty() && is_ascii(text[0])) text.remove_prefix(1);
  size_t length = 0;
  while (length < text.size() && !is_ascii(text[length])) ++length;
  return text.substr(0, length);
}

// glslang writes 0x80 for every byte beyond ASCII: "ERROR: name:line: '\x80' : unexpected token".
// What stands in that line is put there instead; where #line hides the line, nothing is known.
std::string WithBytesOfSource(std::string log, const GlslSource& source) {
  constexpr std::string_view kStart = "ERROR: ";
  constexpr std::string_view kByte = ": '\x80'";
  for (size_t at = log.find(kByte); at != std::string::npos; at = log.find(kByte, at + 1)) {
    const size_t begin = at == 0 ? 0 : log.rfind('\n', at - 1) + 1;
    const std::string place = log.substr(begin, at - begin);
    const size_t colon = place.rfind(':');
    if (place.rfind(kStart, 0) != 0 || colon < kStart.size() || colon == std::string::npos) continue;
    const std::string name = place.substr(kStart.size(), colon - kStart.size());
    const int line = std::atoi(place.c_str() + colon + 1);
    const std::string_view bytes = BytesInLine(TextOf(source, name), line);
    if (!bytes.empty()) log.replace(at + 3, 1, EscapeNonAscii(bytes));
  }
  return log;
}

absl::Status Failure(const GlslSource& source, const std::string& log, const std::string& more) {
  std::string text = WithBytesOfSource(log + more, source);
  if (text.size() > kMaxLog) text = text.substr(0, kMaxLog) + "...";
  return absl::InvalidArgumentError(text.empty() ? "glslang gave no message" : text);
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

absl::StatusOr<GlslStage> GlslStageOfName(const std::string& name) {
  static constexpr struct {
    const char* extension;
    GlslStage stage;
  } kStages[] = {
      {"vert", GlslStage::kVertex},         {"tesc", GlslStage::kTessControl},
      {"tese", GlslStage::kTessEvaluation}, {"geom", GlslStage::kGeometry},
      {"frag", GlslStage::kFragment},       {"comp", GlslStage::kCompute},
      {"task", GlslStage::kTask},           {"mesh", GlslStage::kMesh},
  };
  std::string rest = name;
  for (int i = 0; i < 2; ++i) {
    const size_t dot = rest.rfind('.');
    if (dot == std::string::npos) break;
    for (const auto& s : kStages) {
      if (rest.substr(dot + 1) == s.extension) return s.stage;
    }
    if (rest.substr(dot + 1) != "glsl") break;
    rest = rest.substr(0, dot);
  }
  return absl::NotFoundError("the name \"" + name + "\" does not say a shader stage");
}

std::string GlslangVersion() {
  const glslang::Version v = glslang::GetVersion();
  return std::to_string(v.major) + "." + std::to_string(v.minor) + "." + std::to_string(v.patch);
}

absl::StatusOr<std::vector<uint32_t>> CompileGlsl(const GlslSource& source) {
  if (!InitialiseOnce()) return absl::InternalError("glslang cannot be initialised");
  if (source.vulkan_minor > 3) return absl::InvalidArgumentError("unknown Vulkan version");
  if (source.text.size() > (64u << 20)) return absl::InvalidArgumentError("source too large");
  const EShLanguage language = LanguageOf(source.stage);
  const absl::StatusOr<std::string> preamble = Preamble(source);
  if (!preamble.ok()) return preamble.status();

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
