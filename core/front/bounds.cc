#include "core/front/bounds.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "core/front/refusal.h"
#include "core/front/spirv_enums.h"

namespace kiln::front {
namespace {

constexpr size_t kHeaderWords = 5;

struct Row {
  std::string_view what;
  std::string_view cause;
};

constexpr Row kRows[] = {
#define BOUND(name, what, most, cause) {what, cause},
#include "core/front/coverage.def"
};

absl::Status AtMost(Bound bound, uint64_t n, uint32_t id = 0) {
  if (n <= Most(bound)) return absl::OkStatus();
  const Row& row = kRows[static_cast<int>(bound)];
  return Refused(row.cause,
                 std::to_string(n) + " " + std::string(row.what) + "; at most " +
                     std::to_string(Most(bound)) + " are accepted",
                 id);
}

uint64_t Saturated(uint64_t n) { return std::min(n, uint64_t{1} << 40); }

// Counts what the rows are about, in one walk over the instructions.
class Counter {
 public:
  explicit Counter(bool validator) : validator_(validator) {}

  absl::Status Count(absl::Span<const uint32_t> words) {
    for (size_t at = kHeaderWords; at < words.size(); at += words[at] >> 16) {
      const size_t count = words[at] >> 16;
      if (count == 0 || count > words.size() - at) break;
      if (absl::Status s = Instruction(words.subspan(at, count)); !s.ok()) return s;
    }
    return validator_ ? AtMost(Bound::kEntryPointFunctions, entry_points_ * functions_)
                      : absl::OkStatus();
  }

 private:
  absl::Status Instruction(absl::Span<const uint32_t> inst) {
    const auto op = static_cast<spv::Op>(inst[0] & 0xffff);
    const uint32_t id = inst.size() > 1 ? inst[1] : 0;
    switch (op) {
      case spv::Op::OpEntryPoint:
        ++entry_points_;
        return absl::OkStatus();
      case spv::Op::OpFunction:
        return BeginFunction(inst.size() > 2 ? inst[2] : 0);
      case spv::Op::OpLabel:
        return Block(id);
      case spv::Op::OpSelectionMerge:
      case spv::Op::OpLoopMerge:
        ++merges_[id];
        return AtMost(Bound::kNesting, ++open_, function_);
      case spv::Op::OpFunctionEnd:
        return EndFunction();
      default:
        return op >= spv::Op::OpTypeVoid && op <= spv::Op::OpTypePipe ? Type(op, inst)
                                                                      : absl::OkStatus();
    }
  }

  absl::Status BeginFunction(uint32_t id) {
    function_ = id;
    blocks_ = area_ = open_ = 0;
    merges_.clear();
    ++functions_;
    return validator_ ? AtMost(Bound::kFunctions, functions_, id) : absl::OkStatus();
  }

  // A construct is open from its header until its merge block: blocks stand in an order in which
  // those inside of a construct come before those behind it.
  absl::Status Block(uint32_t label) {
    if (const auto merge = merges_.find(label); merge != merges_.end()) {
      open_ -= merge->second;
      merges_.erase(merge);
    }
    ++blocks_;
    area_ += open_;
    return absl::OkStatus();
  }

  // Fitted to the validator's time on sequences, nests and mixtures of both, of ifs and loops: a
  // step is some 10 ns.
  absl::Status EndFunction() {
    steps_ = Saturated(steps_ + Saturated(blocks_) * (Saturated(area_) / 256 + blocks_ / 1024 + 1));
    return validator_ ? AtMost(Bound::kControlFlow, steps_, function_) : absl::OkStatus();
  }

  // The nodes of the type as a tree: structs inside of structs count as often as they occur.
  absl::Status Type(spv::Op op, absl::Span<const uint32_t> inst) {
    const uint32_t id = inst.size() > 1 ? inst[1] : 0;
    uint64_t nodes = 1;
    const bool is_struct = op == spv::Op::OpTypeStruct;
    if (is_struct) {
      for (uint32_t member : inst.subspan(std::min<size_t>(2, inst.size()))) {
        nodes = Saturated(nodes + Nodes(member));
      }
      members_ = Saturated(members_ + nodes);
    } else if (op == spv::Op::OpTypeArray || op == spv::Op::OpTypeRuntimeArray) {
      nodes += inst.size() > 2 ? Nodes(inst[2]) : 0;
    }
    nodes_[id] = nodes;
    if (!validator_) return absl::OkStatus();
    if (absl::Status s = AtMost(Bound::kTypes, ++types_, id); !s.ok()) return s;
    return AtMost(Bound::kTypeNodes, members_, id);
  }

  uint64_t Nodes(uint32_t type) const {
    const auto known = nodes_.find(type);
    return known == nodes_.end() ? 1 : known->second;
  }

  const bool validator_;
  uint64_t entry_points_ = 0, functions_ = 0, types_ = 0, members_ = 0, steps_ = 0;
  absl::flat_hash_map<uint32_t, uint64_t> nodes_;  // by type
  // Of the function.
  uint32_t function_ = 0;
  uint64_t blocks_ = 0, open_ = 0;
  uint64_t area_ = 0;                               // sum over blocks of the constructs around each
  absl::flat_hash_map<uint32_t, uint32_t> merges_;  // merge blocks ahead: constructs they end
};

constexpr int kEnd = -1;

// Bytes of a comment or directive that goes to the end of the line, or of the last of the lines
// that are continued.
size_t RestOfLine(std::string_view text) {
  size_t end = text.find('\n');
  while (end != text.npos && end > 0 && text[end - 1] == '\\') end = text.find('\n', end + 1);
  return std::min(end, text.size());
}

size_t BlockComment(std::string_view text) {
  const size_t end = text.find("*/", 2);
  return end == text.npos ? text.size() : end + 2;
}

// Takes the next token off the text and gives its first character, or kEnd. Comments and directives
// are skipped. Words and numbers are one token each, and so is every other character.
int NextToken(std::string_view* text, bool* line_begins) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; };
  while (!text->empty()) {
    const auto c = static_cast<unsigned char>(text->front());
    const std::string_view two = text->substr(0, 2);
    size_t length = 1;
    if (two == "//" || (c == '#' && *line_begins)) {
      length = RestOfLine(*text);
    } else if (two == "/*") {
      length = BlockComment(*text);
    } else if (c == '\n') {
      *line_begins = true;
    } else if (std::isspace(c) == 0) {
      while (is_word(c) && length < text->size() && is_word((*text)[length])) ++length;
      text->remove_prefix(length);
      *line_begins = false;
      return c;
    }
    text->remove_prefix(length);
  }
  return kEnd;
}

}  // namespace

absl::Status CheckBounds(absl::Span<const uint32_t> words, bool validator) {
  if (absl::Status s = AtMost(Bound::kWords, words.size()); !s.ok()) return s;
  return Counter(validator).Count(words);
}

absl::Status CheckGlslBounds(std::string_view text) {
  uint64_t tokens = 0, longest = 0;
  bool line_begins = true;
  for (int c = NextToken(&text, &line_begins); c != kEnd; c = NextToken(&text, &line_begins)) {
    tokens = c == ';' || c == '{' || c == '}' ? 0 : tokens + 1;
    longest = std::max(longest, tokens);
  }
  return AtMost(Bound::kGlslStatement, longest);
}

}  // namespace kiln::front
