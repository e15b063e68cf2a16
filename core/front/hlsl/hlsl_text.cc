#include "core/front/hlsl/hlsl_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/front/check/glsl_tokens.h"
#include "core/front/check/refusal.h"

namespace kiln::front {
namespace {

// The largest numbers that glslang's qualifiers hold (TQualifier: 16 bits for a binding, 6 for a
// set, of which all ones means none).
constexpr uint32_t kMaxRegister = 0xfffe;
constexpr uint32_t kMaxSpace = 0x3e;

// glslang recurses for each open bracket, with up to 2.2 KiB of stack (measured with glslang 12;
// all other constructs take less than 1 KiB each, and the bound on tokens in a statement bounds
// them).
constexpr size_t kMaxBrackets = 4096;

// Names that only HLSL beyond glslang's has.
struct NewerName {
  std::string_view name;
  std::string_view what;
};
constexpr std::string_view kTemplates = "templates";
constexpr std::string_view kSmall = "16-bit types";
constexpr std::string_view kWide = "64-bit integers";
constexpr std::string_view kHeaps = "resources from descriptor heaps";
constexpr std::string_view kRays = "ray tracing";
constexpr std::string_view kFeedback = "sampler feedback";
constexpr std::string_view kOrdered = "rasterizer-ordered views";
constexpr std::string_view kPacked = "packed 8-bit arithmetic";
constexpr NewerName kNewer[] = {
    {"template", kTemplates},
    {"typename", kTemplates},
    {"float16_t", kSmall},
    {"int16_t", kSmall},
    {"uint16_t", kSmall},
    {"int64_t", kWide},
    {"uint64_t", kWide},
    {"ResourceDescriptorHeap", kHeaps},
    {"SamplerDescriptorHeap", kHeaps},
    {"RaytracingAccelerationStructure", kRays},
    {"RayDesc", kRays},
    {"RayQuery", kRays},
    {"TraceRay", kRays},
    {"FeedbackTexture2D", kFeedback},
    {"FeedbackTexture2DArray", kFeedback},
    {"RasterizerOrderedBuffer", kOrdered},
    {"RasterizerOrderedByteAddressBuffer", kOrdered},
    {"RasterizerOrderedStructuredBuffer", kOrdered},
    {"RasterizerOrderedTexture1D", kOrdered},
    {"RasterizerOrderedTexture1DArray", kOrdered},
    {"RasterizerOrderedTexture2D", kOrdered},
    {"RasterizerOrderedTexture2DArray", kOrdered},
    {"RasterizerOrderedTexture3D", kOrdered},
    {"RWTexture2DMS", "writable multisampled textures"},
    {"RWTexture2DMSArray", "writable multisampled textures"},
    {"NonUniformResourceIndex", "NonUniformResourceIndex"},
    {"WaveMatch", "WaveMatch"},
    {"WaveMultiPrefixSum", "prefix operations of part of a wave"},
    {"WaveMultiPrefixProduct", "prefix operations of part of a wave"},
    {"WaveMultiPrefixCountBits", "prefix operations of part of a wave"},
    {"WaveMultiPrefixBitAnd", "prefix operations of part of a wave"},
    {"WaveMultiPrefixBitOr", "prefix operations of part of a wave"},
    {"WaveMultiPrefixBitXor", "prefix operations of part of a wave"},
    {"QuadAny", "QuadAny"},
    {"QuadAll", "QuadAll"},
    {"IsHelperLane", "IsHelperLane"},
    {"GetAttributeAtVertex", "GetAttributeAtVertex"},
    {"SampleCmpLevel", "SampleCmpLevel"},
    {"CalculateLevelOfDetail", "CalculateLevelOfDetail"},
    {"dot4add_u8packed", kPacked},
    {"dot4add_i8packed", kPacked},
    {"dot2add", "dot2add"},
    {"unpack_u8u32", kPacked},
    {"unpack_s8s32", kPacked},
    {"pack_u8", kPacked},
    {"pack_s8", kPacked},
    {"InterlockedCompareStoreFloatBitwise", "atomic operations on floats"},
    {"InterlockedCompareExchangeFloatBitwise", "atomic operations on floats"},
    {"DispatchMesh", "mesh shaders"},
    {"SetMeshOutputCounts", "mesh shaders"},
    {"enum", "enumerations"},
    {"using", "aliases of types"},
    {"operator", "overloaded operators"},
    {"nullptr", "pointers"},
    {"auto", "deduced types"},
    {"select", "select"},
};

// System values that glslang knows, in lower case without "sv_"; those with digits are matched by
// their beginning.
constexpr std::string_view kSystemValues[] = {
    "position",           "vertexid",
    "viewportarrayindex", "tessfactor",
    "sampleindex",        "rendertargetarrayindex",
    "primitiveid",        "outputcontrolpointid",
    "isfrontface",        "instanceid",
    "insidetessfactor",   "gsinstanceid",
    "dispatchthreadid",   "groupthreadid",
    "groupindex",         "groupid",
    "domainlocation",     "depth",
    "coverage",           "depthgreaterequal",
    "depthlessequal",     "stencilref",
};
constexpr std::string_view kNumberedValues[] = {"target", "clipdistance", "culldistance"};

std::optional<uint32_t> Number(std::string_view digits) {
  uint32_t n = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return n;
}

// A name without the elements that it may have: "float16_t" of "float16_t4x4".
std::string_view WithoutShape(std::string_view name) {
  size_t end = name.size();
  const auto digit = [&](size_t i) { return name[i] >= '1' && name[i] <= '4'; };
  if (end > 3 && digit(end - 1) && name[end - 2] == 'x' && digit(end - 3))
    return name.substr(0, end - 3);
  if (end > 1 && digit(end - 1)) --end;
  return name.substr(0, end);
}

struct Token {
  std::string_view text;
  size_t segment = 0;
  uint32_t line = 0;
  bool IsName() const { return GlslToken{text}.IsName(); }
};

// A text that replaces a token's.
struct Edit {
  size_t segment, at, size;
  std::string text;
};

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = absl::ascii_tolower(static_cast<unsigned char>(c));
  return lower;
}

class Reader {
 public:
  explicit Reader(std::vector<HlslSegment>* segments) : segments_(segments) {
    for (size_t s = 0; s < segments->size(); ++s) {
      bool directive = false;
      for (const GlslToken& t : TokensOfGlsl((*segments)[s].text)) {
        if (t.line_begins) directive = t.text == "#";
        if (!directive) tokens_.push_back({t.text, s, t.line});
      }
    }
  }

  HlslReading Run() {
    for (size_t i = 0; i < tokens_.size() && reading_.refusal.ok(); ++i) Look(i);
    if (reading_.refusal.ok()) Apply();
    return std::move(reading_);
  }

 private:
  std::string_view At(size_t i) const { return i < tokens_.size() ? tokens_[i].text : ""; }
  bool IsName(size_t i) const { return i < tokens_.size() && tokens_[i].IsName(); }

  SourceLine LineOf(size_t i) const {
    const Token& t = tokens_[std::min(i, tokens_.size() - 1)];
    const HlslSegment& segment = (*segments_)[t.segment];
    return {segment.name, segment.line + t.line - 1};
  }
  void Refuse(size_t i, const std::string& what) {
    if (reading_.refusal.ok()) reading_.refusal = RefusedHlsl(what, LineOf(i));
  }

  void Look(size_t i) {
    const std::string_view text = At(i);
    if (text == "(" || text == "[" || text == "{") {
      if (++brackets_ > kMaxBrackets) {
        reading_.refusal = WithSource(
            Refused("nesting_too_deep", {"open brackets of HLSL", std::nullopt, kMaxBrackets}),
            LineOf(i));
      }
    } else if ((text == ")" || text == "]" || text == "}") && brackets_ > 0) {
      --brackets_;
      if (text == "}" && brackets_ == block_brackets_) block_.clear();
    }
    if (text == "[" && At(i + 1) == "[") {
      ReadAttributes(i);
    } else if (tokens_[i].IsName()) {
      LookAtName(i);
    }
  }

  void LookAtName(size_t i) {
    const std::string_view name = At(i);
    if ((name == "cbuffer" || name == "tbuffer") && IsName(i + 1)) {
      block_ = At(i + 1);
      block_brackets_ = brackets_;
    }
    if (name == "packoffset") reading_.placed.insert(block_);
    if (name == "GetDimensions") reading_.asks_dimensions = true;
    if (name == "register" && At(i + 1) == "(") return CheckRegister(i + 2);
    if (i > 0 && At(i - 1) == ":" && Lower(name.substr(0, 3)) == "sv_") {
      return CheckSystemValue(i);
    }
    if (name == "typedef") NoteTypedef(i);
    if (typedefs_.count(std::string(name)) == 0) NameType(i);
    const bool member = i > 0 && At(i - 1) == ".";
    for (const NewerName& newer : kNewer) {
      const bool shaped = newer.what == kSmall || newer.what == kWide;
      if (newer.name != (shaped ? WithoutShape(name) : name)) continue;
      // Functions may have been declared by the text itself, but then glslang accepts it.
      if (!member || newer.name == "SampleCmpLevel" || newer.name == "CalculateLevelOfDetail") {
        reading_.newer.push_back({std::string(newer.what), LineOf(i)});
      }
    }
  }

  // Notes the name that the text gives a type, as its own.
  void NoteTypedef(size_t i) {
    while (i < tokens_.size() && At(i) != ";") ++i;
    if (i > 0) typedefs_.insert(std::string(At(i - 1)));
  }

  // Gives types of 32 and 64 bits the names that glslang has for them: float3 for float32_t3.
  void NameType(size_t i) {
    constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
        {"float32_t", "float"}, {"float64_t", "double"}, {"int32_t", "int"}, {"uint32_t", "uint"}};
    const std::string_view stem = WithoutShape(At(i));
    for (const auto& [name, known] : kTypes) {
      if (stem == name) Replace(i, std::string(known) + std::string(At(i).substr(stem.size())));
    }
  }

  void CheckSystemValue(size_t i) {
    const std::string name = Lower(At(i).substr(3));
    const std::string stem = name.substr(0, name.find_last_not_of("0123456789") + 1);
    if (std::find(std::begin(kNumberedValues), std::end(kNumberedValues), stem) !=
        std::end(kNumberedValues)) {
      return;
    }
    const bool known = std::find(std::begin(kSystemValues), std::end(kSystemValues), stem) !=
                       std::end(kSystemValues);
    const std::string digits = name.substr(stem.size());
    if (!known || (!digits.empty() && digits != "0") || stem == "stencilref") {
      return Refuse(i, "the system value " + std::string(At(i)));
    }
    if (!digits.empty()) {
      Replace(i, std::string(At(i).substr(0, At(i).size() - digits.size())));
    }
  }

  // Checks "t7, space2)" or "ps_5_0, t7)", from its first token.
  void CheckRegister(size_t i) {
    for (; i < tokens_.size() && At(i) != ")"; ++i) {
      const std::string_view text = At(i);
      const bool space = text.substr(0, 5) == "space";
      const std::optional<uint32_t> n =
          Number(text.substr(std::min<size_t>(space ? 5 : 1, text.size())));
      if (text.size() < 2 || !tokens_[i].IsName() || !n.has_value()) continue;
      if (text[0] == 'c') reading_.placed.insert(block_.empty() ? "$Global" : block_);
      if (*n > (space ? kMaxSpace : kMaxRegister)) {
        const std::string most = std::to_string(space ? kMaxSpace : kMaxRegister);
        Refuse(i, "the number of " + std::string(text) + ", at most " + most);
      }
    }
  }

  // Reads all attributes from "[[" on, up to the declaration that they belong to.
  void ReadAttributes(size_t i) {
    if (i < attributes_end_) return;
    const size_t begin = i;
    bool pushes = false, binds = false;
    while (At(i) == "[" && At(i + 1) == "[") {
      int depth = 0;
      for (; i < tokens_.size(); ++i) {
        if (At(i) == "[") ++depth;
        if (At(i) == "]" && --depth == 0) break;
        const bool vk = At(i) == "vk" && At(i + 1) == ":" && At(i + 2) == ":";
        if (vk && At(i + 3) == "push_constant") pushes = true;
        if (vk && At(i + 3) == "binding") binds = true;
        if (vk && (At(i + 3) == "binding" || At(i + 3) == "location")) CheckNumbers(i + 4);
      }
      ++i;
    }
    attributes_end_ = i;
    if (pushes) PushConstant(begin, i);
    if (binds) NoteNames(i);
  }

  // Checks "(N, M)" of an attribute; each is a number or a sum of numbers.
  void CheckNumbers(size_t i) {
    if (At(i) != "(") return;
    uint64_t sum = 0;
    uint32_t most = kMaxRegister;
    for (++i; i < tokens_.size(); ++i) {
      const std::string_view text = At(i);
      const std::optional<uint32_t> n = Number(text);
      if (n.has_value()) sum += *n;
      if (text == "," || text == ")") {
        if (sum > most) {
          return Refuse(i, "the number " + std::to_string(sum) + " of an attribute, at most " +
                               std::to_string(most));
        }
        if (text == ")") return;
        sum = 0;
        most = kMaxSpace;
      } else if (!n.has_value() && text != "+") {
        return Refuse(i, "an attribute of vk whose number is an expression");
      }
    }
  }

  // Makes a block of the variable whose attributes begin at `begin` and whose type is at `i`.
  void PushConstant(size_t begin, size_t i) {
    while (At(i) == "const" || At(i) == "uniform" || At(i) == "extern") ++i;
    if (At(i) == "cbuffer" || At(i) == "ConstantBuffer") return;
    if (IsName(i) && At(i) != "struct" && IsName(i + 1) && (At(i + 2) == ";" || At(i + 2) == ":")) {
      Replace(i, "ConstantBuffer<" + std::string(At(i)) + ">");
      return;
    }
    Refuse(begin, "[[vk::push_constant]] on anything but a variable of a named struct");
  }

  // Notes the names that the declaration with its type at `i` declares.
  void NoteNames(size_t i) {
    int angles = 0, others = 0;
    std::string_view last;
    for (; i < tokens_.size(); ++i) {
      const std::string_view t = At(i);
      const bool outside = angles == 0 && others == 0;
      if (outside && !last.empty() &&
          (t == ";" || t == ":" || t == "[" || t == "=" || t == "{" || t == ",")) {
        reading_.explicit_set.insert(std::string(last));
        last = {};
      }
      if (outside && (t == ";" || t == "{")) return;
      if (t == "<") ++angles;
      if (t == ">") --angles;
      if (t == "(" || t == "[") ++others;
      if (t == ")" || t == "]") --others;
      if (outside && tokens_[i].IsName()) last = t;
      if (outside && t == ":") last = {};
      if (t == "register") last = {};
    }
  }

  void Replace(size_t i, std::string text) {
    const Token& t = tokens_[i];
    const char* begin = (*segments_)[t.segment].text.data();
    edits_.push_back(
        {t.segment, static_cast<size_t>(t.text.data() - begin), t.text.size(), std::move(text)});
  }

  // Replaces from the end, so that offsets before an edit stay.
  void Apply() {
    for (auto edit = edits_.rbegin(); edit != edits_.rend(); ++edit) {
      (*segments_)[edit->segment].text.replace(edit->at, edit->size, edit->text);
    }
  }

  std::vector<HlslSegment>* segments_;
  std::vector<Token> tokens_;
  std::vector<Edit> edits_;
  size_t attributes_end_ = 0;  // of the attributes read last
  std::set<std::string> typedefs_;
  std::string block_;          // the cbuffer around the token; empty: none
  size_t block_brackets_ = 0;  // open around it
  size_t brackets_ = 0;
  HlslReading reading_;
};

// Reads `#line N "NAME"`; false: the line is another one.
bool ReadLineDirective(std::string_view line, uint32_t* number, std::string* name) {
  constexpr std::string_view kStart = "#line ";
  if (line.substr(0, kStart.size()) != kStart) return false;
  line.remove_prefix(kStart.size());
  const size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  const std::optional<uint32_t> n = Number(line.substr(0, digits));
  if (!n.has_value()) return false;
  *number = *n;
  const size_t open = line.find('"'), close = line.rfind('"');
  if (open != line.npos && close > open) *name = line.substr(open + 1, close - open - 1);
  return true;
}

}  // namespace

std::vector<HlslSegment> SegmentsOf(std::string_view preprocessed, const std::string& name) {
  std::vector<HlslSegment> segments = {{name, 1, ""}};
  while (!preprocessed.empty()) {
    const size_t end = std::min(preprocessed.find('\n'), preprocessed.size() - 1) + 1;
    const std::string_view line = preprocessed.substr(0, end);
    preprocessed.remove_prefix(end);
    HlslSegment next = {segments.back().name, 1, ""};
    if (ReadLineDirective(line, &next.line, &next.name)) {
      segments.push_back(std::move(next));
    } else {
      segments.back().text += line;
    }
  }
  return segments;
}

HlslReading ReadHlsl(std::vector<HlslSegment>* segments) { return Reader(segments).Run(); }

absl::Status RefusedHlsl(const std::string& what, const SourceLine& line) {
  return WithSource(Refused("hlsl_feature", {what}), line);
}

}  // namespace kiln::front
