// Takes GLSL and HLSL into glslang: its start, includes, defines and bounds.
#ifndef KILN_CORE_FRONT_GLSL_GLSLANG_INPUT_H_
#define KILN_CORE_FRONT_GLSL_GLSLANG_INPUT_H_

#include <glslang/Public/ShaderLang.h>

#include <cstdint>
#include <list>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/shader_stage.h"
#include "core/front/glsl/glsl_source.h"

namespace kiln::front {

// Initialises glslang once before any other use; it lives as long as the process.
bool InitialiseGlslang();

EShLanguage LanguageOf(ShaderStage stage);

// Removes the byte order mark that editors put before UTF-8; glslang takes it for a character of
// the shader.
std::string_view WithoutByteOrderMark(std::string_view text);

// The versions of languages ("#version 450 core\n", "hlsl") that this process has compiled:
// glslang builds its built-in names anew for each.
class LanguageVersions {
 public:
  bool Has(const std::string& version);
  void Add(const std::string& version);

 private:
  static constexpr size_t kMax = 1024;  // some 20 exist; texts may name others, which are invalid
  std::mutex mutex_;
  std::set<std::string> known_;
};

LanguageVersions& KnownVersions();

// Returns true if the text has the directive "#pragma once", in any branch of a condition.
bool HasPragmaOnce(std::string_view text);

// The meaning of "#pragma once", which glslang itself ignores.
enum class PragmaOnce {
  kIgnored,  // GLSL has no such directive
  kObeyed,   // a text that has it is empty when it is included again
};

// Gives glslang the includes of a source. Its results live as long as it does.
class ResolvedIncluder : public glslang::TShader::Includer {
 public:
  explicit ResolvedIncluder(const std::vector<GlslInclude>& includes,
                            PragmaOnce once = PragmaOnce::kIgnored)
      : includes_(includes), once_(once) {}

  IncludeResult* includeLocal(const char* header, const char* includer, size_t depth) override {
    return Find(header, includer, depth);
  }
  IncludeResult* includeSystem(const char* header, const char* includer, size_t depth) override {
    return Find(header, includer, depth);
  }
  void releaseInclude(IncludeResult*) override {}

  // Refuses if more was requested than may be included: some includes were then not found.
  absl::Status Status() const;
  // The first include that was refused: the name of the text that has it, and what it spells.
  const std::string& refused_in() const { return refused_in_; }
  const std::string& refused() const { return refused_; }

 private:
  IncludeResult* Find(const std::string& spelled, const std::string& includer, size_t depth);

  const std::vector<GlslInclude>& includes_;
  const PragmaOnce once_;
  std::set<std::string> included_;  // names, if `once_` is obeyed
  std::list<IncludeResult> results_;
  uint64_t bytes_ = 0;
  std::string refused_in_, refused_;
};

// Returns a #define line for each define; InvalidArgument with the cause "invalid_define": a name
// that is no identifier, or a value of several lines.
absl::StatusOr<std::string> DefineLines(const GlslSource& source);

// Checks the bounds of check/bounds.h before glslang sees any text.
absl::Status CheckTextBounds(const GlslSource& source, const std::string& preamble,
                             PragmaOnce once = PragmaOnce::kIgnored);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_GLSL_GLSLANG_INPUT_H_
