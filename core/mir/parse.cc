#include "core/mir/parse.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/mir/build.h"
#include "core/mir/immediates.h"
#include "core/mir/semantics.h"
#include "core/mir/verify.h"

namespace kiln::mir {
namespace {

constexpr uint32_t kMaxValueName = 1u << 22;

enum class Tok : uint8_t {
  kEnd,
  kWord,
  kNumber,
  kValue,
  kOrigin,
  kString,
  kPunct,
  kBad,
};

struct Token {
  Tok kind = Tok::kEnd;
  std::string_view text;  // of a value or origin: the digits
  int line = 1;
  int column = 1;
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsWord(char c) { return IsWordStart(c) || IsDigit(c) || c == '.'; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> All() {
    std::vector<Token> tokens;
    do {
      tokens.push_back(Next());
    } while (tokens.back().kind != Tok::kEnd);
    return tokens;
  }

 private:
  char At(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  void SkipSpace() {
    for (;; ++pos_) {
      const char c = At(pos_);
      if (c == '\n') {
        ++line_;
        line_start_ = pos_ + 1;
      } else if (c == '/' && At(pos_ + 1) == '/') {
        while (pos_ + 1 < text_.size() && At(pos_ + 1) != '\n') ++pos_;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        return;
      }
    }
  }

  Token Take(Tok kind, size_t skip, size_t end) {
    Token t{kind, text_.substr(pos_ + skip, end - pos_ - skip), line_,
            static_cast<int>(pos_ - line_start_) + 1};
    pos_ = end;
    return t;
  }

  Token Next() {
    SkipSpace();
    if (pos_ >= text_.size()) return Take(Tok::kEnd, 0, pos_);
    const char c = text_[pos_];
    size_t end = pos_ + 1;
    if (c == '%' || (c == ';' && At(end) == '%')) {
      const size_t skip = c == '%' ? 1 : 2;
      end = pos_ + skip;
      while (IsDigit(At(end))) ++end;
      if (end == pos_ + skip) return Take(Tok::kBad, 0, end);
      return Take(c == '%' ? Tok::kValue : Tok::kOrigin, skip, end);
    }
    if (IsWordStart(c)) {
      while (IsWord(At(end))) ++end;
      return Take(Tok::kWord, 0, end);
    }
    if (IsDigit(c) || (c == '-' && IsDigit(At(end)))) {
      // Accepts more than numbers; the caller checks the form. A sign may follow an exponent's e.
      while (IsWord(At(end)) || ((At(end) == '-' || At(end) == '+') && At(end - 1) == 'e' &&
                                 text_.substr(pos_, 2) != "0x")) {
        ++end;
      }
      return Take(Tok::kNumber, 0, end);
    }
    if (c == '"') {
      while (end < text_.size() && At(end) != '"' && At(end) != '\n') ++end;
      if (At(end) != '"') return Take(Tok::kBad, 0, end);
      Token t = Take(Tok::kString, 1, end);
      ++pos_;
      return t;
    }
    return Take(Tok::kPunct, 0, end);
  }

  std::string_view text_;
  size_t pos_ = 0;
  size_t line_start_ = 0;
  int line_ = 1;
};

// Recursive descent. The first error is kept; every function returns false once there is one.
class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(Lexer(text).All()) {
    for (int i = 0; i < NumOps(); ++i) ops_[Info(static_cast<Op>(i)).name] = static_cast<Op>(i);
  }

  absl::StatusOr<Module> Run() {
    if (!ReserveNames() || !Header() || !Body()) {
      return absl::InvalidArgumentError(error_);
    }
    return std::move(m_);
  }

 private:
  // ---- Tokens ----

  const Token& Peek() const { return tokens_[next_]; }
  Token Take() {
    const Token t = tokens_[next_];
    if (next_ + 1 < tokens_.size()) ++next_;
    return t;
  }

  bool Fail(const Token& at, std::string_view expected) {
    if (error_.empty()) {
      error_ = absl::StrCat(at.line, ":", at.column, ": ",
                            absl::string_view(expected.data(), expected.size()));
      if (at.kind == Tok::kEnd) {
        error_ += " (found the end)";
      } else {
        absl::StrAppend(&error_, " (found '", absl::string_view(at.text.data(), at.text.size()),
                        "')");
      }
    }
    return false;
  }

  bool IsPunct(char c) const { return Peek().kind == Tok::kPunct && Peek().text[0] == c; }
  bool IsKeyword(std::string_view w) const { return Peek().kind == Tok::kWord && Peek().text == w; }
  bool TryPunct(char c) {
    if (!IsPunct(c)) return false;
    Take();
    return true;
  }
  bool TryKeyword(std::string_view w) {
    if (!IsKeyword(w)) return false;
    Take();
    return true;
  }
  bool Punct(char c) {
    if (TryPunct(c)) return true;
    return Fail(Peek(), absl::StrCat("expected '", std::string(1, c), "'"));
  }

  bool Number(uint32_t* out) {
    const Token t = Peek();
    if (t.kind != Tok::kNumber || !ParseUnsigned(t.text, out)) {
      return Fail(t, "expected a number below 2^32");
    }
    Take();
    return true;
  }

  template <class T>
  static bool ParseUnsigned(std::string_view text, T* out) {
    const bool hex = text.substr(0, 2) == "0x";
    if (hex) text.remove_prefix(2);
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), *out, hex ? 16 : 10);
    return error == std::errc() && end == text.data() + text.size() && !text.empty();
  }

  // ";%12", or nothing.
  bool Origin(uint32_t* id) {
    *id = 0;
    if (Peek().kind != Tok::kOrigin) return true;
    if (!ParseUnsigned(Peek().text, id)) return Fail(Peek(), "expected a SPIR-V id below 2^32");
    Take();
    return true;
  }

  // ---- Header ----

  // Values keep their names as indices; constants get indices after all of them.
  bool ReserveNames() {
    uint32_t count = 0;
    for (const Token& t : tokens_) {
      if (t.kind != Tok::kValue) continue;
      uint32_t name = 0;
      if (!ParseUnsigned(t.text, &name) || name >= kMaxValueName) {
        return Fail(t, "value name too large");
      }
      count = std::max(count, name + 1);
    }
    m_.values.resize(count);
    defined_.resize(count, false);
    return true;
  }

  bool Header() {
    uint32_t version = 0;
    if (!TryKeyword("mir")) return Fail(Peek(), "expected 'mir 1'");
    const Token at = Peek();
    if (!Number(&version)) return false;
    if (version != 1) return Fail(at, "unknown version of the text form");
    while (!IsKeyword("body")) {
      if (!HeaderLine()) return false;
    }
    return true;
  }

  bool HeaderLine() {
    const Token at = Peek();
    if (TryKeyword("entry")) return Entry();
    if (TryKeyword("stage")) return Named(kStageNames, "expected a stage", &m_.stage);
    if (TryKeyword("modes")) return FragmentModeLine();
    if (TryKeyword("input")) return InterfaceLine(&m_.inputs);
    if (TryKeyword("output")) return InterfaceLine(&m_.outputs);
    if (TryKeyword("local_size")) {
      return Number(&m_.local_size[0]) && Punct(',') && Number(&m_.local_size[1]) && Punct(',') &&
             Number(&m_.local_size[2]) && Origin(&m_.local_size_id);
    }
    if (TryKeyword("denorms_f16")) return Denorms(&m_.f16_mode);
    if (TryKeyword("denorms_f32")) return Denorms(&m_.f32_mode);
    if (TryKeyword("denorms_f64")) return Denorms(&m_.f64_mode);
    if (TryKeyword("rounding_f16")) return Rounding(&m_.f16_mode);
    if (TryKeyword("rounding_f32")) return Rounding(&m_.f32_mode);
    if (TryKeyword("rounding_f64")) return Rounding(&m_.f64_mode);
    if (TryKeyword("needs")) return NeedLine();
    if (TryKeyword("shared")) return Number(&m_.shared_bytes) && Origin(&m_.shared_id);
    if (TryKeyword("push")) {
      return Number(&m_.push_constant_bytes) && Origin(&m_.push_constant_id);
    }
    if (TryKeyword("data")) return Data();
    if (TryKeyword("resource")) return ResourceLine();
    if (TryKeyword("private")) {
      PrivateArray array;
      if (!IndexInOrder(m_.private_arrays.size()) || !Number(&array.bytes) ||
          !Origin(&array.spirv_id)) {
        return false;
      }
      m_.private_arrays.push_back(array);
      return true;
    }
    return Fail(at, "expected a header line or 'body'");
  }

  // Modes of fragments, in this order.
  bool FragmentModeLine() {
    m_.fragment.early_tests = TryKeyword("early_tests");
    m_.fragment.post_depth = TryKeyword("post_depth");
    m_.fragment.sample_rate = TryKeyword("sample_rate");
    return !TryKeyword("depth") ||
           Named(kDepthModeNames, "expected a depth mode", &m_.fragment.depth);
  }

  // "0 location 2.1 f32 x3 array 4 index 1 noperspective centroid invariant ;%5"
  bool InterfaceLine(std::vector<Interface>* list) {
    Interface v;
    if (!IndexInOrder(list->size())) return false;
    if (TryKeyword("builtin")) {
      if (!BuiltInName(&v.builtin)) return false;
    } else if (!TryKeyword("location")) {
      return Fail(Peek(), "expected 'location' or 'builtin'");
    } else if (!Place(&v)) {
      return false;
    }
    const Token type = Take();
    if (!TypeName(type.text, &v.type)) return Fail(type, "expected a type");
    const Token count = Take();
    if (count.kind != Tok::kWord || count.text[0] != 'x' ||
        !ParseUnsigned(count.text.substr(1), &v.components)) {
      return Fail(count, "expected a number of components, as x4");
    }
    v.array = TryKeyword("array");
    if (v.array && !Number(&v.elements)) return false;
    if (TryKeyword("index") && !Byte(&v.index)) return false;
    NamedIfThere(kInterpolationNames, &v.interpolation);
    NamedIfThere(kAuxiliaryNames, &v.auxiliary);
    v.invariant = TryKeyword("invariant");
    if (!Origin(&v.spirv_id)) return false;
    list->push_back(v);
    return true;
  }

  bool BuiltInName(BuiltIn* builtin) {
    const Token t = Take();
    for (uint32_t i = 1; i < kNumBuiltIns; ++i) {
      if (t.text != kBuiltIns[i].name) continue;
      *builtin = static_cast<BuiltIn>(i);
      return true;
    }
    return Fail(t, "expected a built-in");
  }

  // "2.1" is one number token.
  bool Place(Interface* v) {
    const Token t = Take();
    const size_t dot = t.text.find('.');
    return (t.kind == Tok::kNumber && dot != t.text.npos &&
            ParseUnsigned(t.text.substr(0, dot), &v->location) &&
            ParseUnsigned(t.text.substr(dot + 1), &v->component)) ||
           Fail(t, "expected location.component");
  }

  bool Byte(uint8_t* out) {
    const Token t = Take();
    return ParseUnsigned(t.text, out) || Fail(t, "expected a number below 256");
  }

  // One of the names, or none of them, which means the first.
  template <class Enum, size_t kCount>
  void NamedIfThere(const std::string_view (&names)[kCount], Enum* out) {
    for (size_t i = 1; i < kCount; ++i) {
      if (TryKeyword(names[i])) *out = static_cast<Enum>(i);
    }
  }

  static int HexDigit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  }

  bool Denorms(FloatMode* mode) {
    return Named(kDenormNames, "expected any, preserve or flush", &mode->denorms);
  }

  bool Rounding(FloatMode* mode) {
    return Named(kRoundingNames, "expected any, to_even or to_zero", &mode->rounding);
  }

  // Takes a signed decimal that fits.
  template <class Int>
  bool Signed(const char* expected, Int* out) {
    const Token t = Take();
    const char* const last = t.text.data() + t.text.size();
    const auto [end, error] = std::from_chars(t.text.data(), last, *out);
    return (t.kind == Tok::kNumber && error == std::errc() && end == last) || Fail(t, expected);
  }

  // "least_texel_offset -9 at 260 ;%77"
  bool NeedLine() {
    Needed needed;
    if (!Named(kNeedNames, "expected a need", &needed.need)) return false;
    if (Peek().kind == Tok::kNumber &&
        !Signed("expected an amount of 32 bits with sign", &needed.amount)) {
      return false;
    }
    if (TryKeyword("at") && !Number(&needed.instruction)) return false;
    if (!Origin(&needed.spirv_id)) return false;
    m_.needs.push_back(needed);
    return true;
  }

  bool Entry() {
    const Token t = Take();
    if (t.kind != Tok::kString) return Fail(t, "expected a quoted name");
    for (size_t i = 0; i < t.text.size(); ++i) {
      if (t.text[i] != '\\') {
        m_.entry_point += t.text[i];
        continue;
      }
      const bool complete = i + 2 < t.text.size();
      const int high = complete ? HexDigit(t.text[i + 1]) : -1;
      const int low = complete ? HexDigit(t.text[i + 2]) : -1;
      if (high < 0 || low < 0) return Fail(t, "expected two hexadecimal digits after '\\'");
      m_.entry_point += static_cast<char>(high * 16 + low);
      i += 2;
    }
    return true;
  }

  bool Data() {
    const Token t = Take();
    if (t.kind != Tok::kNumber || t.text.substr(0, 2) != "0x" || t.text.size() % 2 != 0) {
      return Fail(t, "expected bytes as 0x...");
    }
    for (size_t i = 2; i < t.text.size(); i += 2) {
      const int high = HexDigit(t.text[i]);
      const int low = HexDigit(t.text[i + 1]);
      if (high < 0 || low < 0) return Fail(t, "expected hexadecimal digits");
      m_.constant_data.push_back(static_cast<uint8_t>(high * 16 + low));
    }
    return true;
  }

  bool IndexInOrder(size_t expected) {
    const Token at = Peek();
    uint32_t index = 0;
    if (!Number(&index)) return false;
    return index == expected || Fail(at, absl::StrCat("expected index ", expected));
  }

  bool ResourceLine() {
    Resource r;
    if (!IndexInOrder(m_.resources.size())) return false;
    if (!Named(kResourceKindNames, "expected a kind of resource", &r.kind)) return false;
    // "0.1.0" is one number token.
    const Token t = Take();
    const size_t first = t.text.find('.');
    const size_t second = first == t.text.npos ? t.text.npos : t.text.find('.', first + 1);
    if (t.kind != Tok::kNumber || second == t.text.npos ||
        !ParseUnsigned(t.text.substr(0, first), &r.set) ||
        !ParseUnsigned(t.text.substr(first + 1, second - first - 1), &r.binding) ||
        !ParseUnsigned(t.text.substr(second + 1), &r.element)) {
      return Fail(t, "expected set.binding.element");
    }
    r.array = TryKeyword("array");
    if (r.array && !Number(&r.count)) return false;
    if (HasImage(r.kind) && !Image(&r.image)) return false;
    r.read_only = TryKeyword("readonly");
    r.aliased = TryKeyword("aliased");
    r.unchanging = TryKeyword("unchanging");
    if (!Origin(&r.spirv_id)) return false;
    m_.resources.push_back(r);
    return true;
  }

  // Parses one of the names as an enumerator.
  template <class Enum, size_t kCount>
  bool Named(const std::string_view (&names)[kCount], std::string_view expected, Enum* out) {
    const Token t = Peek();
    const auto* name = std::find(std::begin(names), std::end(names), t.text);
    if ((t.kind != Tok::kWord && t.kind != Tok::kNumber) || name == std::end(names)) {
      return Fail(t, expected);
    }
    Take();
    *out = static_cast<Enum>(name - std::begin(names));
    return true;
  }

  bool Image(ImageInfo* image) {
    if (!TryKeyword("image")) return Fail(Peek(), "expected 'image'");
    if (!Named(kImageDimNames, "expected a dimension", &image->dim)) return false;
    image->arrayed = TryKeyword("arrayed");
    image->multisampled = TryKeyword("multisampled");
    return Named(kComponentNames, "expected float, sint or uint", &image->component) &&
           Named(kFormatNames, "expected a format", &image->format);
  }

  // ---- Values ----

  bool TypeName(std::string_view name, Type* type) {
    for (size_t i = 0; i < kNumTypes; ++i) {
      if (name == kTypeNames[i]) {
        *type = static_cast<Type>(i);
        return true;
      }
    }
    return false;
  }

  struct Definition {
    ValueId value;
    Type type = Type::kI32;
    Token at;
  };

  // "%5:i32". The name becomes visible when Define is called.
  bool NewName(Definition* d) {
    d->at = Take();
    uint32_t name = 0;
    if (d->at.kind != Tok::kValue) return Fail(d->at, "expected a value");
    ParseUnsigned(d->at.text, &name);
    d->value = ValueId(name);
    if (defined_[name]) return Fail(d->at, "value is defined twice");
    defined_[name] = true;
    if (!Punct(':')) return false;
    const Token type = Take();
    return TypeName(type.text, &d->type) || Fail(type, "expected a type");
  }

  void Define(const Definition& d, Value::Kind kind, uint32_t owner, size_t component) {
    Value& v = m_.value(d.value);
    v.kind = kind;
    v.type = d.type;
    v.owner = owner;
    v.component = static_cast<uint16_t>(component);
    scope_.push_back(d.value);
    visible_.resize(m_.values.size());
    visible_[d.value.index] = true;
  }

  ValueId Constant(Value::Kind kind, Type type, uint64_t bits) {
    const auto [it, added] = constants_.try_emplace(
        std::make_pair(static_cast<int>(kind) * kNumTypes + static_cast<int>(type), bits));
    if (added) {
      Value v;
      v.kind = kind;
      v.type = type;
      v.bits = bits;
      m_.values.push_back(v);
      it->second = ValueId(m_.values.size() - 1);
    }
    return it->second;
  }

  bool Use(ValueId* out) {
    const Token t = Take();
    if (t.kind == Tok::kValue) {
      uint32_t name = 0;
      ParseUnsigned(t.text, &name);
      *out = ValueId(name);
      if (name < visible_.size() && visible_[name]) return true;
      return Fail(t, "value is not defined here");
    }
    if (t.kind == Tok::kNumber) return NumberConstant(t, out);
    if (t.kind != Tok::kWord) return Fail(t, "expected a value");
    if (t.text == "true" || t.text == "false") {
      *out = Constant(Value::Kind::kConstant, Type::kBool, t.text == "true");
      return true;
    }
    Type type;
    if (t.text.substr(0, 6) == "undef." && TypeName(t.text.substr(6), &type)) {
      *out = Constant(Value::Kind::kUndef, type, 0);
      return true;
    }
    uint64_t bits = 0;
    if (IsFloatBits(t.text) && ParseUnsigned(t.text.substr(1), &bits)) {
      type = t.text[0] == 'h' ? Type::kF16 : t.text[0] == 'f' ? Type::kF32 : Type::kF64;
      if (bits > MaskOf(type)) {
        return Fail(t, absl::StrCat("expected the ", BitsOf(type), " bits of a float"));
      }
      *out = Constant(Value::Kind::kConstant, type, bits);
      return true;
    }
    return Fail(t, "expected a value");
  }

  bool NumberConstant(const Token& t, ValueId* out) {
    std::string_view text = t.text;
    const bool hex = text.substr(0, 2) == "0x";
    if (((text.back() == 'f' || text.back() == 'd') && !hex) || text.back() == 'h') {
      return FloatConstant(t, out);
    }
    const bool negative = text[0] == '-';
    text.remove_prefix(negative);
    Type type = Type::kI32;
    const size_t suffix = text.find('i');
    if (suffix != text.npos && (!TypeName(text.substr(suffix), &type) || !IsInt(type))) {
      return Fail(t, "expected an integer type after the number");
    }
    uint64_t bits = 0;
    if (!ParseUnsigned(text.substr(0, suffix), &bits) ||
        bits > (negative ? MaskOf(type) / 2 + 1 : MaskOf(type))) {
      return Fail(t, absl::StrCat("expected an integer of ", BitsOf(type), " bits"));
    }
    *out = Constant(Value::Kind::kConstant, type, (negative ? 0u - bits : bits) & MaskOf(type));
    return true;
  }

  bool FloatConstant(const Token& t, ValueId* out) {
    std::string_view text = t.text;
    const char suffix = text.back();
    const bool half = suffix == 'h';
    text.remove_suffix(1);
    if (suffix == 'd') {
      double x = 0;
      if (!IsNumber(text, &x)) return Fail(t, "expected a float that fits");
      *out = Constant(Value::Kind::kConstant, Type::kF64, std::bit_cast<uint64_t>(x));
      return true;
    }
    float x = 0;
    if (!IsNumber(text, &x)) return Fail(t, "expected a float that fits");
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    *out = half ? Constant(Value::Kind::kConstant, Type::kF16, semantics::FloatToHalf(bits))
                : Constant(Value::Kind::kConstant, Type::kF32, bits);
    return true;
  }

  template <class Float>
  static bool IsNumber(std::string_view text, Float* x) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *x);
    return error == std::errc() && end == text.data() + text.size();
  }

  // "f0x7fc00000", "h0x7e00", "d0x7ff8000000000000"
  static bool IsFloatBits(std::string_view text) {
    return text.substr(1, 2) == "0x" && (text[0] == 'f' || text[0] == 'h' || text[0] == 'd');
  }

  bool StartsUse() const {
    const Token& t = Peek();
    if (t.kind == Tok::kNumber) return true;
    if (t.kind == Tok::kWord) {
      return t.text == "true" || t.text == "false" || t.text.substr(0, 6) == "undef." ||
             IsFloatBits(t.text);
    }
    // A value followed by ':' begins the next instruction.
    return t.kind == Tok::kValue &&
           !(tokens_[next_ + 1].kind == Tok::kPunct && tokens_[next_ + 1].text[0] == ':');
  }

  bool Uses(std::vector<ValueId>* out) {
    if (!StartsUse()) return true;
    do {
      ValueId v;
      if (!Use(&v)) return false;
      out->push_back(v);
    } while (TryPunct(','));
    return true;
  }

  // ---- Instructions ----

  bool Body() {
    Take();  // "body"
    m_.body = NewRegion(m_);
    if (!Punct('{') || !RegionInsts(m_.body, 0)) return false;
    return Peek().kind == Tok::kEnd || Fail(Peek(), "expected the end");
  }

  // "instructions }"; names defined inside end with it.
  bool RegionInsts(RegionId region, int depth) {
    if (depth > kMaxNesting) return Fail(Peek(), "nested too deeply");
    const size_t outer = scope_.size();
    while (!TryPunct('}')) {
      if (!Instruction(region, depth)) return false;
    }
    while (scope_.size() > outer) {
      visible_[scope_.back().index] = false;
      scope_.pop_back();
    }
    return true;
  }

  bool Instruction(RegionId region, int depth) {
    std::vector<Definition> results;
    if (Peek().kind == Tok::kValue) {
      do {
        Definition d;
        if (!NewName(&d)) return false;
        if (!results.empty() && d.value.index != results.back().value.index + 1) {
          return Fail(d.at, "results must have consecutive names");
        }
        results.push_back(d);
      } while (TryPunct(','));
      if (!Punct('=')) return false;
    }

    const Token at = Take();
    Op op;
    uint16_t flags = 0;
    if (at.kind != Tok::kWord || !Mnemonic(at, &op, &flags))
      return Fail(at, "expected an operation");
    uint32_t imm0 = 0;
    uint32_t imm1 = 0;
    if (!ImmediateList(op, &imm0, &imm1)) return false;

    std::vector<ValueId> sources;
    std::vector<Definition> params;
    if (op == Op::kLoop ? !LoopHead(&params, &sources) : !Uses(&sources)) return false;
    if (!CheckCounts(at, op, sources.size(), results.size())) return false;

    const InstId id = NewInst(m_, op, sources, imm0, imm1);
    m_.inst(id).flags = flags;
    m_.region(region).insts.push_back(id);
    if (!NestedRegions(id, params, depth)) return false;
    return Finish(id, results);
  }

  bool CheckCounts(const Token& at, Op op, size_t sources, size_t results) {
    const OpInfo& info = Info(op);
    if (sources > UINT16_MAX || results > UINT16_MAX) return Fail(at, "too many operands");
    if (info.sources >= 0 && sources != static_cast<size_t>(info.sources)) {
      return Fail(at, absl::StrCat("expected ", info.sources, " sources"));
    }
    if (info.results >= 0 && results != static_cast<size_t>(info.results)) {
      return Fail(at, absl::StrCat("expected ", info.results, " results"));
    }
    return true;
  }

  bool NestedRegions(InstId id, const std::vector<Definition>& params, int depth) {
    const Inst inst = m_.inst(id);
    if (inst.num_regions == 0) return Origin(&m_.inst(id).spirv_id);
    if (!Punct('{') || !Origin(&m_.inst(id).spirv_id)) return false;
    const RegionId first = inst.regions[0];
    for (size_t i = 0; i < params.size(); ++i) {
      m_.region(first).params.push_back(params[i].value);
      Define(params[i], Value::Kind::kParam, first.index, i);
    }
    if (!RegionInsts(first, depth + 1)) return false;
    for (const Definition& p : params) visible_[p.value.index] = false;
    if (inst.num_regions == 1) return true;
    if (!TryKeyword("else")) return Fail(Peek(), "expected 'else'");
    return Punct('{') && RegionInsts(inst.regions[1], depth + 1);
  }

  bool Finish(InstId id, const std::vector<Definition>& results) {
    if (results.empty()) return true;
    m_.inst(id).first_result = results[0].value;
    m_.inst(id).num_results = static_cast<uint16_t>(results.size());
    for (size_t i = 0; i < results.size(); ++i) {
      Define(results[i], Value::Kind::kResult, id.index, i);
    }
    return true;
  }

  // "load_ssbo.coherent.nonuniform"
  bool Mnemonic(const Token& t, Op* op, uint16_t* flags) {
    std::string_view rest = t.text;
    size_t dot = rest.find('.');
    const auto it = ops_.find(rest.substr(0, dot));
    if (it == ops_.end()) return false;
    *op = it->second;
    while (dot != rest.npos) {
      rest.remove_prefix(dot + 1);
      dot = rest.find('.');
      const auto* flag =
          std::find_if(std::begin(kFlagNames), std::end(kFlagNames),
                       [&](const FlagName& f) { return f.name == rest.substr(0, dot); });
      if (flag == std::end(kFlagNames)) return Fail(t, "unknown flag of an operation");
      *flags |= flag->flag;
    }
    return true;
  }

  bool ImmediateList(Op op, uint32_t* imm0, uint32_t* imm1) {
    const Immediates imm = ImmediatesOf(op);
    if (imm.first == First::kNone && imm.second == Second::kNone) return true;
    if (!Punct('[')) return false;
    if (imm.first != First::kNone) {
      if (!FirstImmediate(imm.first, imm0)) return false;
      if (imm.second != Second::kNone && !Punct(',')) return false;
    }
    if (imm.second == Second::kAlignment) {
      if (!TryKeyword("align")) return Fail(Peek(), "expected 'align'");
      if (!Number(imm1)) return false;
    } else if (imm.second == Second::kAtomicOp) {
      if (!Named(kAtomicNames, "expected an atomic operation", imm1)) return false;
    } else if (imm.second == Second::kTexelOp) {
      if (!TexelOpOf(op, imm1)) return false;
    } else if (imm.second == Second::kScope) {
      if (!Named(kScopeNames, "expected a scope", imm1)) return false;
    } else if (imm.second == Second::kCluster || imm.second == Second::kComponent ||
               imm.second == Second::kInvocations) {
      if (!Number(imm1)) return false;
    } else if (imm.second == Second::kInterpolateAt) {
      if (!InterpolateAtPlace(imm1)) return false;
    }
    return Punct(']');
  }

  // "texel add sampler 1 lod component 2 at 0 -1 0"
  bool TexelOpOf(Op op, uint32_t* imm1) {
    TexelOp texel;
    if (!TryKeyword("texel")) return Fail(Peek(), "expected 'texel'");
    if ((op == Op::kImageAtomic || op == Op::kImageAtomic64) &&
        !Named(kAtomicNames, "expected an atomic operation", &texel.atomic)) {
      return false;
    }
    if (TryKeyword("sampler") && !Number(&texel.sampler)) return false;
    for (const TexelParamName& p : kTexelParamNames) {
      if (TryKeyword(p.name)) texel.params |= p.param;
    }
    uint32_t component = 0;
    if (TryKeyword("component")) {
      if (!Number(&component)) return false;
      if (component > 3) return Fail(Peek(), "expected a component up to 3 before");
      texel.component = static_cast<uint8_t>(component);
    }
    if (TryKeyword("at")) {
      for (int8_t& x : texel.offset) {
        if (!Signed("expected a texel offset of 8 bits", &x)) return false;
      }
    }
    *imm1 = AddTexelOp(m_, texel);
    return true;
  }

  // "sample 2"
  bool InterpolateAtPlace(uint32_t* imm1) {
    InterpolateAt at = InterpolateAt::kCentroid;
    uint8_t component = 0;
    if (!Named(kInterpolateAtNames, "expected centroid, sample, offset or a vertex", &at))
      return false;
    if (!Byte(&component)) return false;
    *imm1 = PackInterpolateAt(at, component);
    return true;
  }

  bool FirstImmediate(First what, uint32_t* imm) {
    switch (what) {
      case First::kLaneMask: return Named(kLaneMaskNames, "expected a set of lanes", imm);
      case First::kReduceOp: return Named(kReduceNames, "expected an operator", imm);
      case First::kDerivative: return Named(kDerivativeNames, "expected any, coarse or fine", imm);
      default: return Number(imm);
    }
  }

  bool LoopHead(std::vector<Definition>* params, std::vector<ValueId>* sources) {
    if (!TryPunct('(')) return true;
    if (TryPunct(')')) return true;
    do {
      Definition d;
      ValueId v;
      if (!NewName(&d) || !Punct('=') || !Use(&v)) return false;
      params->push_back(d);
      sources->push_back(v);
    } while (TryPunct(','));
    return Punct(')');
  }

  std::vector<Token> tokens_;
  size_t next_ = 0;
  std::string error_;
  Module m_;
  std::vector<bool> defined_;  // by name: a definition was met
  std::vector<bool> visible_;  // by value: in scope now
  std::vector<ValueId> scope_;
  absl::flat_hash_map<std::pair<int, uint64_t>, ValueId> constants_;
  absl::flat_hash_map<std::string_view, Op> ops_;
};

}  // namespace

absl::StatusOr<Module> Parse(std::string_view text) { return Parser(text).Run(); }

}  // namespace kiln::mir
