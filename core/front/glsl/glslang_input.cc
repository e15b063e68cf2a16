#include "core/front/glsl/glslang_input.h"

#include <algorithm>
#include <cctype>
#include <deque>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/base/utf8.h"
#include "core/front/check/bounds.h"
#include "core/front/check/glsl_tokens.h"

namespace kiln::front {
namespace {

constexpr size_t kMaxIncludeDepth = 64;
constexpr size_t kBytesOfInclude = 256;  // counted for each include, even if empty

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

bool IsIdentifier(const std::string& name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) return false;
  for (char c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  }
  return true;
}

}  // namespace

bool InitialiseGlslang() {
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

std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (text.substr(0, kMark.size()) == kMark) text.remove_prefix(kMark.size());
  return text;
}

bool LanguageVersions::Has(const std::string& version) {
  const std::lock_guard lock(mutex_);
  return known_.count(version) != 0;
}

void LanguageVersions::Add(const std::string& version) {
  const std::lock_guard lock(mutex_);
  if (known_.size() < kMax) known_.insert(version);
}

LanguageVersions& KnownVersions() {
  static auto* versions = new LanguageVersions;
  return *versions;
}

bool HasPragmaOnce(std::string_view text) {
  if (text.find("once") == text.npos) return false;
  std::deque<std::string> made;
  const std::vector<GlslToken> tokens = TokensOfGlsl(JoinedLines(text, &made));
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].line_begins || tokens[i].text != "#") continue;
    if (tokens[i + 1].text == "pragma" && tokens[i + 2].text == "once") return true;
  }
  return false;
}

absl::Status ResolvedIncluder::Status() const { return CheckGlslIncluded(bytes_); }

ResolvedIncluder::IncludeResult* ResolvedIncluder::Find(const std::string& spelled,
                                                        const std::string& includer, size_t depth) {
  const GlslInclude* found = FindInclude(includes_, spelled, includer);
  if (found == nullptr || depth > kMaxIncludeDepth) return nullptr;
  const std::string& name = NameOf(*found);
  std::string_view text = WithoutByteOrderMark(found->text);
  if (once_ == PragmaOnce::kObeyed && HasPragmaOnce(text) && !included_.insert(name).second) {
    text = {};
  }
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

absl::StatusOr<std::string> DefineLines(const GlslSource& source) {
  std::string lines;
  for (const auto& [name, value] : source.defines) {
    if (!IsIdentifier(name) || value.find_first_of("\r\n") != std::string::npos) {
      return WithCause(absl::InvalidArgumentError("bad define \"" + Quoted(name) + "\""),
                       "invalid_define");
    }
    absl::StrAppend(&lines, "#define ", name, " ", value, "\n");
  }
  return lines;
}

absl::Status CheckTextBounds(const GlslSource& source, const std::string& preamble,
                             PragmaOnce once) {
  absl::Status status = CheckGlslBounds({source.name, source.text});
  for (const GlslInclude& include : source.includes) {
    status.Update(CheckGlslBounds({NameOf(include), include.text}));
  }
  if (!status.ok()) return status;
  uint64_t bytes = 0;
  std::set<std::string> included;
  const auto find = [&](std::string_view spelled, std::string_view includer, GlslText* found) {
    const GlslInclude* include = FindInclude(source.includes, spelled, includer);
    if (include == nullptr) return false;
    *found = {NameOf(*include), WithoutByteOrderMark(include->text)};
    if (once == PragmaOnce::kObeyed && HasPragmaOnce(found->text) &&
        !included.insert(NameOf(*include)).second) {
      found->text = {};
    }
    bytes += found->text.size() + kBytesOfInclude;
    return CheckGlslIncluded(bytes).ok();
  };
  return CheckGlslSize(
      SizeOfGlsl(preamble, {source.name, WithoutByteOrderMark(source.text)}, find, MostGlsl()));
}

}  // namespace kiln::front
