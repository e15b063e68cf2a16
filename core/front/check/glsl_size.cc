#include "core/front/check/glsl_size.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/front/check/glsl_condition.h"
#include "core/front/check/glsl_tokens.h"

namespace kiln::front {
namespace {

constexpr size_t kMaxIncludeDepth = 64;
constexpr uint64_t kHeavy = uint64_t{1} << 40;
constexpr uint64_t kLookupsOfOverload = 16;  // lookups that take as long as one of an overload

struct Macro {
  bool function = false;
  std::vector<std::string_view> parameters;
  std::vector<GlslToken> body;
  uint64_t weight = 0;  // tokens of the expansion without arguments, as known at the definition
  bool busy = false;    // being expanded; does not expand within itself
};

// A level of #if.
struct Group {
  bool outside_active = true;
  bool outside_undecided = false;
  bool active = true;
  bool undecided = false;
  bool taken = false;  // a branch was certainly chosen
};

class Counter {
 public:
  Counter(const FindGlslInclude& include, const GlslSize& most) : include_(include), most_(most) {}

  void Read(const GlslText& text, size_t depth);
  const GlslSize& size() const { return size_; }

 private:
  using Tokens = std::vector<GlslToken>;
  struct Frame {
    Tokens tokens;
    size_t at = 0;
    Macro* macro = nullptr;
  };

  bool Over() const {
    return size_.tokens > most_.tokens || size_.statement > most_.statement ||
           size_.cases > most_.cases || size_.arguments > most_.arguments ||
           size_.calls > most_.calls || size_.lookups > most_.lookups;
  }
  bool Active() const { return groups_.empty() || groups_.back().active; }
  bool Undecided() const { return !groups_.empty() && groups_.back().undecided; }
  void Directive(const GlslText& text, GlslTokenSpan line, size_t depth);
  void Condition(std::string_view word, GlslTokenSpan line);
  void Choose(std::optional<bool> holds);
  std::optional<bool> Holds(GlslTokenSpan line);
  void Define(GlslTokenSpan line);
  Macro* Find(const GlslToken& token);
  void Expand(Tokens tokens, Tokens* out, uint64_t depth);
  bool Next(std::vector<Frame>* frames, GlslToken* token);
  bool CallFollows(std::vector<Frame>* frames);
  bool Arguments(std::vector<Frame>* frames, std::vector<Tokens>* arguments);
  Tokens Substitute(const Macro& macro, const std::vector<Tokens>& arguments, uint64_t depth);
  void Paste(Tokens* to, GlslTokenSpan right);
  void Count(const GlslToken& token);
  void CountBracket();
  void Open();

  const FindGlslInclude& include_;
  const GlslSize most_;
  GlslSize size_;
  std::unordered_map<std::string_view, Macro> macros_;  // looked up by name alone
  std::deque<std::string> texts_;                       // storage of the tokens' text
  std::vector<Group> groups_;
  uint64_t statement_ = 0;
  struct Braces {
    enum Kind { kOther, kSwitch, kMembers } kind = kOther;
    uint64_t parts = 0;  // cases or members so far
  };
  struct Calls {
    uint64_t definitions = 0;
    uint64_t caller = 0;
    uint64_t count = 0;  // calls in the last caller
  };
  std::string_view last_;               // the previous token
  Braces::Kind next_ = Braces::kOther;  // kind of the next braces
  std::vector<Braces> braces_;
  // the last name before brackets, outside functions
  std::string_view declared_;
  std::unordered_map<std::string_view, Calls> functions_;  // looked up by name alone
  uint64_t function_ = 0;                                  // definitions so far
  uint64_t members_ = 0;                                   // maximum of one struct or block
};

// ---- Text and directives ----

void Counter::Read(const GlslText& text, size_t depth) {
  if (depth > kMaxIncludeDepth) return;
  const Tokens tokens = TokensOfGlsl(JoinedLines(text.text, &texts_));
  const size_t groups = groups_.size();
  for (size_t at = 0; at < tokens.size() && !Over();) {
    const bool directive = tokens[at].text == "#" && tokens[at].line_begins;
    size_.file = text.name;
    size_.line = tokens[at].line;
    size_t end = at + 1;
    const auto ends = [&](const GlslToken& t) {
      return t.line_begins && (directive || t.text == "#");
    };
    while (end < tokens.size() && !ends(tokens[end])) ++end;
    const auto part = GlslTokenSpan(tokens).subspan(at, end - at);
    if (directive) {
      Directive(text, part.subspan(1), depth);
    } else if (Active()) {
      Expand(Tokens(part.begin(), part.end()), nullptr, 0);
    }
    at = end;
  }
  if (groups_.size() > groups) groups_.resize(groups);
}

void Counter::Directive(const GlslText& text, GlslTokenSpan line, size_t depth) {
  size_.tokens += line.size() + 1;
  if (line.empty()) return;
  const std::string_view word = line[0].text;
  line.remove_prefix(1);
  if (word == "if" || word == "ifdef" || word == "ifndef" || word == "elif" || word == "else" ||
      word == "endif") {
    return Condition(word, line);
  }
  if (!Active() || line.empty()) return;
  if (word == "define") return Define(line);
  if (word == "undef" && !Undecided()) macros_.erase(line[0].text);
  if (word != "include") return;
  std::string_view spelled(
      line.front().text.data(),
      line.back().text.data() + line.back().text.size() - line.front().text.data());
  if (spelled.size() < 2) return;
  const size_t end = spelled.find(spelled[0] == '<' ? '>' : '"', 1);
  if (end == spelled.npos) return;
  GlslText found;
  if (include_(spelled.substr(1, end - 1), text.name, &found)) Read(found, depth + 1);
}

void Counter::Condition(std::string_view word, GlslTokenSpan line) {
  if (word == "endif") {
    if (!groups_.empty()) groups_.pop_back();
    return;
  }
  if (word == "else" || word == "elif") {
    if (groups_.empty()) return;
    const bool outside = groups_.back().outside_active && !groups_.back().taken;
    groups_.back().active = outside;
    Choose(word == "else" || !outside ? std::optional<bool>(true) : Holds(line));
    return;
  }
  Group group;
  group.outside_active = Active();
  group.outside_undecided = Undecided();
  group.active = group.outside_active;
  groups_.push_back(group);
  if (!group.active) return;
  if (word == "if") return Choose(Holds(line));
  std::optional<bool> holds;
  if (!line.empty()) {
    holds = IsDefined(line[0].text, macros_.count(line[0].text) != 0);
    if (holds.has_value() && word == "ifndef") holds = !*holds;
  }
  Choose(holds);
}

// Enters the branch if it may be taken. If an earlier branch was undecided, this one is too.
void Counter::Choose(std::optional<bool> holds) {
  Group& group = groups_.back();
  if (!group.active) return;
  group.undecided |= group.outside_undecided || !holds.has_value();
  group.active = holds.value_or(true);
  if (holds.value_or(false)) group.taken = true;
}

std::optional<bool> Counter::Holds(GlslTokenSpan line) {
  Tokens tokens;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i].text != "defined") {
      tokens.push_back(line[i]);
      continue;
    }
    const bool bracket = i + 1 < line.size() && line[i + 1].text == "(";
    const size_t name = i + (bracket ? 2 : 1);
    if (name >= line.size()) return std::nullopt;
    const std::optional<bool> is = IsDefined(line[name].text, macros_.count(line[name].text) != 0);
    tokens.push_back({!is.has_value() ? kUndecidedName : *is ? "1" : "0"});
    i = name + (bracket ? 1 : 0);
  }
  Tokens expanded;
  Expand(std::move(tokens), &expanded, 0);
  return ValueOfCondition(expanded);
}

void Counter::Define(GlslTokenSpan line) {
  Macro macro;
  const std::string_view name = line[0].text;
  size_t at = 1;
  if (at < line.size() && line[at].text == "(" && !line[at].space_before) {
    macro.function = true;
    for (++at; at < line.size() && line[at].text != ")"; ++at) {
      if (line[at].text != ",") macro.parameters.push_back(line[at].text);
    }
    ++at;
  }
  for (; at < line.size(); ++at) {
    const auto used = macros_.find(line[at].text);
    macro.weight += used == macros_.end() ? 1 : used->second.weight;
    macro.body.push_back(line[at]);
  }
  macro.weight = std::min(macro.weight, kHeavy);
  const auto [old, is_new] = macros_.try_emplace(name);
  if (is_new || !Undecided() || macro.weight > old->second.weight) old->second = std::move(macro);
}

// ---- Expansion ----

Macro* Counter::Find(const GlslToken& token) {
  if (!token.IsName() || token.final) return nullptr;
  const auto found = macros_.find(token.text);
  return found == macros_.end() ? nullptr : &found->second;
}

bool Counter::Next(std::vector<Frame>* frames, GlslToken* token) {
  while (!frames->empty() && frames->back().at == frames->back().tokens.size()) {
    if (frames->back().macro != nullptr) frames->back().macro->busy = false;
    frames->pop_back();
  }
  if (frames->empty()) return false;
  *token = frames->back().tokens[frames->back().at++];
  ++size_.tokens;
  return true;
}

// Returns true if the next token opens the arguments of a call.
bool Counter::CallFollows(std::vector<Frame>* frames) {
  for (size_t i = frames->size(); i-- > 0;) {
    const Frame& frame = (*frames)[i];
    if (frame.at < frame.tokens.size()) return frame.tokens[frame.at].text == "(";
  }
  return false;
}

// Reads the arguments of a call whose bracket is next. Returns false if they do not end.
bool Counter::Arguments(std::vector<Frame>* frames, std::vector<Tokens>* arguments) {
  GlslToken token;
  Next(frames, &token);
  arguments->emplace_back();
  for (int depth = 0; Next(frames, &token) && size_.tokens <= most_.tokens;) {
    if (depth == 0 && token.text == ")") return true;
    if (depth == 0 && token.text == ",") {
      arguments->emplace_back();
      continue;
    }
    depth += token.text == "(" ? 1 : token.text == ")" ? -1 : 0;
    // A macro that is being expanded here is not expanded again with the arguments.
    const Macro* macro = Find(token);
    if (macro != nullptr && macro->busy) token.final = true;
    arguments->back().push_back(token);
  }
  return false;
}

// Joins the last token and the first of the right side into one; appends the rest.
void Counter::Paste(Tokens* to, GlslTokenSpan right) {
  if (!right.empty() && !to->empty()) {
    texts_.push_back(std::string(to->back().text) + std::string(right[0].text));
    to->back() = {texts_.back()};
    size_.tokens += texts_.back().size() / 8;
    right.remove_prefix(1);
  }
  to->insert(to->end(), right.begin(), right.end());
}

std::vector<GlslToken> Counter::Substitute(const Macro& macro, const std::vector<Tokens>& arguments,
                                           uint64_t depth) {
  std::vector<std::optional<Tokens>> expanded(arguments.size());
  Tokens out;
  for (size_t i = 0; i < macro.body.size() && size_.tokens <= most_.tokens; ++i) {
    const bool pastes = macro.body[i].text == "##" && i + 1 < macro.body.size();
    if (pastes) ++i;
    const GlslToken& token = macro.body[i];
    const auto found = std::find(macro.parameters.begin(), macro.parameters.end(), token.text);
    const auto n = static_cast<size_t>(found - macro.parameters.begin());
    const bool is_argument = found != macro.parameters.end() && n < arguments.size();
    const bool pasted = pastes || (i + 1 < macro.body.size() && macro.body[i + 1].text == "##");
    const Tokens* value = is_argument ? &arguments[n] : nullptr;
    if (is_argument && !pasted) {
      if (!expanded[n].has_value()) {
        expanded[n].emplace();
        Expand(arguments[n], &*expanded[n], depth + 1);
      }
      value = &*expanded[n];
    }
    size_.tokens += macro.parameters.size() / 16;  // parameters are compared one by one
    const GlslTokenSpan right = value != nullptr ? GlslTokenSpan(*value) : GlslTokenSpan(&token, 1);
    size_.tokens += right.size();
    if (pastes) {
      Paste(&out, right);
    } else {
      out.insert(out.end(), right.begin(), right.end());
    }
  }
  return out;
}

// Expands all macros. If `out` is null, counts the result as part of the program.
void Counter::Expand(Tokens tokens, Tokens* out, uint64_t depth) {
  size_.arguments = std::max(size_.arguments, depth);
  std::vector<Frame> frames;
  frames.push_back({std::move(tokens)});
  GlslToken token;
  while (!Over() && Next(&frames, &token)) {
    if (out == nullptr && frames.size() == 1) size_.line = token.line;  // the text's, not a macro's
    Macro* macro = Find(token);
    if (macro != nullptr && macro->busy) token.final = true;
    if (macro != nullptr && !macro->busy) {
      if (!macro->function) {
        macro->busy = true;
        frames.push_back({macro->body, 0, macro});
        continue;
      }
      std::vector<Tokens> arguments;
      if (CallFollows(&frames) && Arguments(&frames, &arguments)) {
        Tokens body = Substitute(*macro, arguments, depth);
        macro->busy = true;
        frames.push_back({std::move(body), 0, macro});
        continue;
      }
    }
    if (out != nullptr) {
      out->push_back(token);
    } else {
      Count(token);
    }
  }
  for (const Frame& frame : frames) {
    if (frame.macro != nullptr) frame.macro->busy = false;
  }
}

// ---- Counting the result ----

// Counts brackets after a name: outside of functions a declaration, inside a call.
void Counter::CountBracket() {
  if (!GlslToken{last_}.IsName()) return;
  if (braces_.empty()) {
    declared_ = last_;
    return;
  }
  const auto found = functions_.find(last_);
  if (found == functions_.end()) return;
  Calls& calls = found->second;
  if (calls.caller != function_) calls.count = 0;
  calls.caller = function_;
  if (calls.definitions > 1) size_.lookups += kLookupsOfOverload * calls.definitions;
  // Each call may name a different overload.
  if (calls.count == calls.definitions) return;
  ++calls.count;
  ++size_.calls;
}

void Counter::Open() {
  if (braces_.empty() && last_ == ")") {
    ++functions_[declared_].definitions;
    ++function_;
  } else if (braces_.empty() && next_ == Braces::kOther && GlslToken{last_}.IsName()) {
    next_ = Braces::kMembers;  // of a block
  }
  braces_.push_back({next_});
  next_ = Braces::kOther;
}

void Counter::Count(const GlslToken& token) {
  const std::string_view text = token.text;
  const bool separates = text == ";" || text == "{" || text == "}";
  statement_ = separates ? 0 : statement_ + 1;
  size_.statement = std::max(size_.statement, statement_);
  Braces* inside = braces_.empty() ? nullptr : &braces_.back();
  if (text == "switch") {
    next_ = Braces::kSwitch;
  } else if (text == "struct") {
    next_ = Braces::kMembers;
  } else if (text == "(") {
    CountBracket();
  } else if (text == "{") {
    Open();
  } else if (text == "}" && inside != nullptr) {
    if (inside->kind == Braces::kMembers) members_ = std::max(members_, inside->parts);
    braces_.pop_back();
  } else if (text == "case" && inside != nullptr && inside->kind == Braces::kSwitch) {
    size_.cases += inside->parts++;
  } else if ((text == ";" || text == ",") && inside != nullptr &&
             inside->kind == Braces::kMembers) {
    size_.lookups += inside->parts++;
  } else if (last_ == "." && token.IsName()) {
    size_.lookups += members_;
  }
  last_ = text;
}

}  // namespace

GlslSize SizeOfGlsl(std::string_view preamble, const GlslText& text, const FindGlslInclude& include,
                    const GlslSize& most) {
  Counter counter(include, most);
  counter.Read({"", preamble}, 0);
  counter.Read(text, 0);
  return counter.size();
}

}  // namespace kiln::front
