#include "core/front/hlsl/hlsl.h"

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>
#include <spirv-tools/libspirv.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "absl/strings/str_replace.h"
#include "core/base/cause.h"
#include "core/base/utf8.h"
#include "core/front/check/refusal.h"
#include "core/front/glsl/glsl.h"
#include "core/front/glsl/glslang_input.h"
#include "core/front/glsl/glslang_log.h"
#include "core/front/hlsl/hlsl_layout.h"
#include "core/front/hlsl/hlsl_text.h"

namespace kiln::front {
namespace {

// Raised whenever this folder makes another module of a text than before.
constexpr char kRevision[] = "1";
constexpr char kLanguage[] = "hlsl";  // among the versions that glslang is prepared for
constexpr int kVersion = 500;         // glslang's number for HLSL

constexpr auto kMessages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules |
                                                    EShMsgReadHlsl | EShMsgHlslOffsets);

// Says HLSL where the shared checks say GLSL.
absl::Status OfHlsl(const absl::Status& status) {
  if (status.ok()) return status;
  Detail detail = DetailOf(status);
  detail.what = absl::StrReplaceAll(detail.what, {{"GLSL", "HLSL"}});
  const std::string message = absl::StrReplaceAll(status.message(), {{"GLSL", "HLSL"}});
  return WithDetail(WithMessage(status, message), detail);
}

void SetUp(const HlslSource& source, EShLanguage language, glslang::TShader* shader) {
  shader->setEnvInput(glslang::EShSourceHlsl, language, glslang::EShClientVulkan, 100);
  shader->setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_1);
  shader->setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_3);
  shader->setEntryPoint(source.text.entry.c_str());
  shader->setSourceEntryPoint(source.text.entry.c_str());
  shader->setAutoMapBindings(true);
  shader->setAutoMapLocations(true);
}

// The first line of a log that begins with `start` and contains one of `words`.
struct LogLine {
  std::string_view text;
  SourceLine line;
};

// Reads "ERROR: NAME:LINE: TEXT"; without a place the line is empty.
LogLine ReadLogLine(std::string_view line, std::string_view start) {
  line.remove_prefix(start.size());
  for (size_t colon = line.find(':'); colon != line.npos; colon = line.find(':', colon + 1)) {
    size_t end = colon + 1;
    while (end < line.size() && std::isdigit(static_cast<unsigned char>(line[end])) != 0) ++end;
    if (end == colon + 1 || line.substr(end, 2) != ": ") continue;
    const std::string digits(line.substr(colon + 1, end - colon - 1));
    const auto number = static_cast<uint32_t>(std::strtoul(digits.c_str(), nullptr, 10));
    return {line.substr(end + 2), {std::string(line.substr(0, colon)), number}};
  }
  return {line, {}};
}

template <typename Found>
void ForEachLine(std::string_view log, std::string_view start, Found found) {
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    if (line.substr(0, start.size()) == start) found(ReadLogLine(line, start));
  }
}

// Returns a log without lines that are wrong here: "NAME(3): error at column 5, HLSL parsing
// failed." (of the preprocessed text), and that #pragma once is not implemented.
std::string WithoutWrongLines(std::string_view log) {
  std::string kept;
  while (!log.empty()) {
    const size_t end = std::min(log.find('\n'), log.size() - 1) + 1;
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(end);
    const bool wrong = line.find(", HLSL parsing failed.") != line.npos ||
                       line.find("'#pragma once' : not implemented") != line.npos;
    if (!wrong) kept += line;
  }
  return kept;
}

// Returns the refusal of a newer feature at the first error; ok: there is none there. An error may
// be noticed some lines after its cause.
absl::Status NewerFeature(const HlslReading& reading, std::string_view log) {
  constexpr uint32_t kLines = 3;
  absl::Status refused;
  bool first = true;
  ForEachLine(log, "ERROR: ", [&](const LogLine& error) {
    if (!std::exchange(first, false)) return;
    for (const HlslFeature& feature : reading.newer) {
      const bool here = feature.line.file == error.line.file &&
                        feature.line.line <= error.line.line &&
                        feature.line.line + kLines >= error.line.line;
      if (here && refused.ok()) refused = RefusedHlsl(feature.what, feature.line);
    }
  });
  return refused;
}

absl::Status Failure(const HlslSource& source, const HlslReading& reading, const std::string& log) {
  bool names_define = false;
  std::string text = WithoutWrongLines(ReadableLog(log, source.text, 0, &names_define));
  if (absl::Status s = NewerFeature(reading, text); !s.ok()) return s;
  if (names_define) return InvalidText(text, "invalid_define");
  text.resize(text.find_last_not_of('\n') + 1);
  // Said of invalid texts by their message alone, which clients show.
  return InvalidText(
      text +
          "\nglslang reads HLSL of shader model 5.1 with the wave intrinsics of 6.0; "
          "if DXC accepts the text, bring the module that dxc -spirv makes",
      "invalid_hlsl");
}

// Refuses what glslang says that it ignores, but for what has no effect on code.
absl::Status CheckWarnings(std::string_view log) {
  constexpr std::string_view kHarmless[] = {"'#pragma once'", "'RootSignature'", "'rootsignature'",
                                            "not initialized; zero initializing"};
  constexpr std::string_view kDropped[] = {"attribute does not apply",
                                           "unrecognized attribute",
                                           "ignor",
                                           "unimplemented",
                                           "not implemented",
                                           "attributes don't apply",
                                           "mul() matrix size mismatch",
                                           "unknown pack_matrix",
                                           "unknown requalification"};
  absl::Status refused;
  ForEachLine(log, "WARNING: ", [&](const LogLine& warning) {
    const auto has = [&](std::string_view words) {
      return warning.text.find(words) != warning.text.npos;
    };
    if (!refused.ok() || std::any_of(std::begin(kHarmless), std::end(kHarmless), has)) return;
    if (std::none_of(std::begin(kDropped), std::end(kDropped), has)) return;
    refused = RefusedHlsl(std::string(warning.text.substr(0, 200)), warning.line);
  });
  return refused;
}

absl::StatusOr<std::string> Preprocess(const HlslSource& source, const std::string& preamble) {
  glslang::TShader shader(LanguageOf(source.text.stage));
  const std::string_view whole = WithoutByteOrderMark(source.text.text);
  const char* text = whole.data();
  const int length = static_cast<int>(whole.size());
  const char* name = source.text.name.c_str();
  shader.setStringsWithLengthsAndNames(&text, &length, &name, 1);
  shader.setPreamble(preamble.c_str());
  SetUp(source, LanguageOf(source.text.stage), &shader);
  ResolvedIncluder includer(source.text.includes, PragmaOnce::kObeyed);
  std::string out;
  if (shader.preprocess(GetDefaultResources(), kVersion, ENoProfile, false, false, kMessages, &out,
                        includer)) {
    return out;
  }
  if (!includer.Status().ok()) {
    return OfHlsl(RefusedInclude(source.text, includer, shader.getInfoLog()));
  }
  return Failure(source, {}, shader.getInfoLog());
}

// glslang makes a module without an entry point.
absl::Status CheckEntryPoint(const HlslSource& source, std::string_view log) {
  if (log.find("Entry point not found") == log.npos) return absl::OkStatus();
  return InvalidText(
      "there is no function " + Quoted(source.text.entry) + "; name the entry point with -E NAME",
      "invalid_hlsl");
}

// The segments as glslang takes them, each under the name of its file; it keeps pointers to these.
class Strings {
 public:
  explicit Strings(const std::vector<HlslSegment>& segments) {
    for (const HlslSegment& segment : segments) {
      texts_.push_back("#line " + std::to_string(segment.line) + "\n" + segment.text);
      names_.push_back(segment.name.c_str());
    }
    for (const std::string& text : texts_) {
      strings_.push_back(text.data());
      lengths_.push_back(static_cast<int>(text.size()));
    }
  }
  void Give(glslang::TShader* shader) const {
    shader->setStringsWithLengthsAndNames(strings_.data(), lengths_.data(), names_.data(),
                                          static_cast<int>(strings_.size()));
  }

 private:
  std::vector<std::string> texts_;
  std::vector<const char*> strings_, names_;
  std::vector<int> lengths_;
};

absl::StatusOr<std::vector<uint32_t>> Generate(const HlslSource& source, const HlslReading& reading,
                                               glslang::TShader* shader) {
  const EShLanguage language = LanguageOf(source.text.stage);
  glslang::TProgram program;
  program.addShader(shader);
  const bool linked = program.link(kMessages);
  const std::string log = std::string(shader->getInfoLog()) + program.getInfoLog();
  if (absl::Status s = CheckEntryPoint(source, log); !s.ok()) return s;
  if (!linked) return Failure(source, reading, log);
  if (absl::Status s = CheckWarnings(log); !s.ok()) return s;
  RegisterResolver registers(source.shifts, reading.explicit_set);
  const bool mapped = program.mapIO(&registers);
  if (!registers.error().empty()) return RefusedHlsl(registers.error(), {source.text.name, 0});
  if (!mapped) return Failure(source, reading, program.getInfoLog());
  std::vector<uint32_t> words;
  spv::SpvBuildLogger logger;
  glslang::SpvOptions options;
  options.disableOptimizer = false;
  glslang::GlslangToSpv(*program.getIntermediate(language), words, &logger, &options);
  if (words.empty()) return Failure(source, reading, logger.getAllMessages());
  const absl::StatusOr<bool> restrided = LayOutBlocks(reading.placed, &words);
  if (!restrided.ok()) return restrided.status();
  if (*restrided && reading.asks_dimensions) {
    return RefusedHlsl(
        "GetDimensions, where glslang counts the stride of a structured buffer otherwise",
        {source.text.name, 0});
  }
  return words;
}

}  // namespace

bool HlslReaderIsReady() { return KnownVersions().Has(kLanguage); }

void StartHlslReader(const HlslSource& source) {
  HlslSource smallest;
  smallest.text.text = "void main() {}\n";
  smallest.text.stage = source.text.stage;
  CompileHlsl(smallest).status().IgnoreError();
}

std::string HlslReaderVersion() {
  return GlslangVersion() + " " + spvSoftwareVersionString() + " " + kRevision;
}

absl::StatusOr<std::vector<uint32_t>> CompileHlsl(const HlslSource& source) {
  if (!InitialiseGlslang()) return absl::InternalError("glslang cannot be initialised");
  absl::StatusOr<std::string> preamble = DefineLines(source.text);
  if (!preamble.ok()) return preamble.status();
  const auto is_spirv = [](const auto& define) { return define.first == "__spirv__"; };
  if (std::none_of(source.text.defines.begin(), source.text.defines.end(), is_spirv)) {
    *preamble += "#define __spirv__ 1\n";
  }
  if (absl::Status s = CheckTextBounds(source.text, *preamble, PragmaOnce::kObeyed); !s.ok()) {
    return OfHlsl(s);
  }
  KnownVersions().Add(kLanguage);
  const absl::StatusOr<std::string> preprocessed = Preprocess(source, *preamble);
  if (!preprocessed.ok()) return preprocessed.status();
  std::vector<HlslSegment> segments = SegmentsOf(*preprocessed, source.text.name);
  const HlslReading reading = ReadHlsl(&segments);
  if (!reading.refusal.ok()) return reading.refusal;

  const Strings strings(segments);
  glslang::TShader shader(LanguageOf(source.text.stage));
  strings.Give(&shader);
  if (source.row_major) shader.setPreamble("#pragma pack_matrix(row_major)\n");
  SetUp(source, LanguageOf(source.text.stage), &shader);
  glslang::TShader::ForbidIncluder none;
  if (!shader.parse(GetDefaultResources(), kVersion, ENoProfile, false, false, kMessages, none)) {
    return Failure(source, reading, shader.getInfoLog());
  }
  return Generate(source, reading, &shader);
}

}  // namespace kiln::front
