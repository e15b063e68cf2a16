#include "core/front/check/glsl_condition.h"

#include <cstdint>
#include <cstdlib>
#include <string>

namespace kiln::front {
namespace {

using Value = std::optional<int64_t>;

constexpr int kMaxDepth = 200;

struct Operator {
  std::string_view text;
  int level;  // precedence; higher binds tighter
};

// Longer ones first.
constexpr Operator kOperators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7},
                                   {">=", 7}, {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},
                                   {"&", 5},  {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},
                                   {"*", 10}, {"/", 10}, {"%", 10}};

class Parser {
 public:
  explicit Parser(GlslTokenSpan tokens) : tokens_(tokens) {}

  Value Whole() {
    const Value value = Binary(1, 0);
    return failed_ || at_ != tokens_.size() ? std::nullopt : value;
  }

 private:
  const Operator* Peek() const {
    for (const Operator& op : kOperators) {
      bool fits = true;
      for (size_t i = 0; fits && i < op.text.size(); ++i) {
        fits = at_ + i < tokens_.size() && tokens_[at_ + i].text == op.text.substr(i, 1);
      }
      if (fits) return &op;
    }
    return nullptr;
  }

  Value Unary(int depth) {
    if (at_ == tokens_.size() || depth > kMaxDepth) {
      failed_ = true;
      return std::nullopt;
    }
    const std::string_view text = tokens_[at_++].text;
    if (text == "(") {
      const Value value = Binary(1, depth + 1);
      failed_ |= at_ == tokens_.size() || tokens_[at_].text != ")";
      if (!failed_) ++at_;
      return value;
    }
    if (text == "!" || text == "-" || text == "+" || text == "~") {
      const Value value = Unary(depth + 1);
      if (!value.has_value()) return value;
      const auto bits = static_cast<uint64_t>(*value);
      if (text == "!") return *value == 0;
      if (text == "+") return value;
      return static_cast<int64_t>(text == "-" ? 0 - bits : ~bits);
    }
    if (text[0] >= '0' && text[0] <= '9') {
      return static_cast<int64_t>(
          std::strtoull(std::string(text.substr(0, 32)).c_str(), nullptr, 0));
    }
    if (!tokens_[at_ - 1].IsName()) failed_ = true;
    if (failed_ || !IsDefined(text, false).has_value()) return std::nullopt;
    return 0;
  }

  Value Binary(int level, int depth) {
    Value left = Unary(depth + 1);
    for (const Operator* op = Peek(); !failed_ && op != nullptr && op->level >= level;
         op = Peek()) {
      at_ += op->text.size();
      left = Apply(op->text, left, Binary(op->level + 1, depth + 1));
    }
    return left;
  }

  static Value Apply(std::string_view op, Value a, Value b) {
    if (op == "&&") {
      if ((a.has_value() && *a == 0) || (b.has_value() && *b == 0)) return 0;
      return a.has_value() && b.has_value() ? Value(1) : std::nullopt;
    }
    if (op == "||") {
      if (a.value_or(0) != 0 || b.value_or(0) != 0) return 1;
      return a.has_value() && b.has_value() ? Value(0) : std::nullopt;
    }
    if (!a.has_value() || !b.has_value()) return std::nullopt;
    const auto x = static_cast<uint64_t>(*a), y = static_cast<uint64_t>(*b);
    if (op == "==") return *a == *b;
    if (op == "!=") return *a != *b;
    if (op == "<=") return *a <= *b;
    if (op == ">=") return *a >= *b;
    if (op == "<") return *a < *b;
    if (op == ">") return *a > *b;
    if (op == "<<") return static_cast<int64_t>(x << (y & 63));
    if (op == ">>") return *a >> (y & 63);
    if (op == "|") return static_cast<int64_t>(x | y);
    if (op == "^") return static_cast<int64_t>(x ^ y);
    if (op == "&") return static_cast<int64_t>(x & y);
    if (op == "+") return static_cast<int64_t>(x + y);
    if (op == "-") return static_cast<int64_t>(x - y);
    if (op == "*") return static_cast<int64_t>(x * y);
    if (*b == 0 || *b == -1) return std::nullopt;  // undefined, or may overflow
    return op == "/" ? *a / *b : *a % *b;
  }

  const GlslTokenSpan tokens_;
  size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace

std::optional<bool> IsDefined(std::string_view name, bool by_text) {
  if (by_text) return true;
  const std::string_view start = name.substr(0, 3);
  if (start == "GL_" || start.substr(0, 2) == "__" || name == "VULKAN") return std::nullopt;
  return false;
}

std::optional<bool> ValueOfCondition(GlslTokenSpan line) {
  const Value value = Parser(line).Whole();
  return value.has_value() ? std::optional<bool>(*value != 0) : std::nullopt;
}

}  // namespace kiln::front
