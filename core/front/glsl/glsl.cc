#include "core/front/glsl/glsl.h"

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/base/cause.h"
#include "core/base/utf8.h"
#include "core/front/check/refusal.h"
#include "core/front/glsl/glslang_input.h"
#include "core/front/glsl/glslang_log.h"

namespace kiln::front {
namespace {

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

// Returns the text to insert after the source's #version.
absl::StatusOr<std::string> Preamble(const GlslSource& source) {
  const absl::StatusOr<std::string> defines = DefineLines(source);
  if (!defines.ok() || source.includes.empty()) return defines;
  return "#extension GL_GOOGLE_include_directive : enable\n" + *defines;
}

absl::Status Failure(const GlslSource& source, const std::string& log, const std::string& more) {
  constexpr char kParserIsFull[] = "memory exhausted";
  bool names_define = false;
  const std::string text =
      ReadableLog(log + more, source, source.includes.empty() ? 0 : 1, &names_define);
  // Said by glslang's parser when its stack is full.
  constexpr uint64_t kParserEntries = 10'000;
  if (text.find(kParserIsFull) != text.npos) {
    const absl::Status refused =
        Refused("nesting_too_deep",
                {"open brackets, blocks and operators of GLSL", std::nullopt, kParserEntries});
    return WithSource(WithMessage(refused, Shortened(text, kMaxGlslangLog)),
                      LineOfLog(source, text, kParserIsFull));
  }
  return InvalidText(text,
                     names_define ? KnownCause("invalid_define") : KnownCause("invalid_glsl"));
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
  if (!InitialiseGlslang()) return absl::InternalError("glslang cannot be initialised");
  if (source.vulkan_minor > 3) return absl::InvalidArgumentError("unknown Vulkan version");
  const absl::StatusOr<std::string> preamble = Preamble(source);
  if (!preamble.ok()) return preamble.status();
  if (absl::Status s = CheckTextBounds(source, *preamble); !s.ok()) return s;
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
