#include "core/front/spirv/origin.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "core/base/utf8.h"
#include "core/front/grammar/spirv_enums.h"
#include "core/front/grammar/spirv_grammar.h"

namespace kiln::front {
namespace {

using spv::Op;
using Words = absl::Span<const uint32_t>;

constexpr size_t kHeaderWords = 5;
constexpr std::string_view kDebugSet = "NonSemantic.Shader.DebugInfo.100";
constexpr uint32_t kDebugSource = 35, kDebugLine = 103, kDebugNoLine = 104;

// One instruction: words beyond its end are 0.
class Instruction {
 public:
  Instruction() = default;
  Instruction(Words words, size_t offset) : words_(words), offset_(offset) {}
  Op op() const { return static_cast<Op>(operand(0) & 0xffff); }
  size_t offset() const { return offset_; }
  uint32_t operand(size_t i) const { return i < words_.size() ? words_[i] : 0; }
  uint32_t result() const {
    const InstructionLayout* layout = LayoutOf(op());
    return layout == nullptr ? 0 : layout->has_result ? operand(layout->ResultWord()) : 0;
  }
  // The literal string that begins at a word.
  std::string_view text(size_t word) const {
    if (word >= words_.size()) return {};
    const char* begin = reinterpret_cast<const char*>(words_.data() + word);
    return {begin, strnlen(begin, (words_.size() - word) * sizeof(uint32_t))};
  }

 private:
  Words words_;
  size_t offset_ = 0;
};

// Until `visit` returns false, or one runs past the end.
void ForEach(Words words, absl::FunctionRef<bool(const Instruction&)> visit) {
  for (size_t at = kHeaderWords; at < words.size();) {
    const size_t count = words[at] >> 16;
    if (count == 0 || count > words.size() - at) return;
    if (!visit(Instruction(words.subspan(at, count), at))) return;
    at += count;
  }
}

Instruction Definition(Words words, uint32_t id) {
  Instruction found;
  ForEach(words, [&](const Instruction& inst) {
    if (id == 0 || inst.result() != id) return true;
    found = inst;
    return false;
  });
  return found;
}

std::string Shown(std::string_view text) { return Quoted(text); }

std::string NameOf(Words words, uint32_t id) {
  std::string_view name;
  ForEach(words, [&](const Instruction& inst) {
    if (inst.op() == Op::OpName && inst.operand(1) == id) name = inst.text(2);
    return name.empty() && inst.op() != Op::OpFunction;
  });
  return Shown(name);
}

// The block that a variable is, or that it is an array of; 0: it is no variable.
uint32_t BlockOf(Words words, uint32_t id) {
  const Instruction variable = Definition(words, id);
  if (variable.op() != Op::OpVariable) return 0;
  uint32_t type = Definition(words, variable.operand(1)).operand(3);
  for (int depth = 0; depth < 8; ++depth) {
    const Instruction array = Definition(words, type);
    if (array.op() != Op::OpTypeArray && array.op() != Op::OpTypeRuntimeArray) break;
    type = array.operand(2);
  }
  return type;
}

// The instruction that gives a line; nothing of it where none holds.
struct Line {
  Instruction from;
  bool debug = false;  // a DebugLine
};

// Follows the lines in the order of the module.
class LineTracker {
 public:
  const Line& line() const { return line_; }

  void Visit(const Instruction& inst) {
    switch (inst.op()) {
      case Op::OpExtInstImport:
        if (inst.text(2) == kDebugSet) set_ = inst.operand(1);
        break;
      case Op::OpExtInst:
        if (set_ == 0 || inst.operand(3) != set_) break;
        if (inst.operand(4) == kDebugLine) line_ = {inst, true};
        if (inst.operand(4) == kDebugNoLine) line_ = {};
        break;
      case Op::OpLine: line_ = {inst, false}; break;
      case Op::OpNoLine:
      case Op::OpLabel:
      case Op::OpFunctionEnd: line_ = {}; break;
      default: break;
    }
  }

 private:
  uint32_t set_ = 0;
  Line line_;
};

// Returns the line of the instruction at `offset`, or without an offset of the one that defines
// `id`.
Line LineOf(Words words, uint32_t id, size_t offset) {
  LineTracker tracker;
  Line found;
  ForEach(words, [&](const Instruction& inst) {
    const bool is_it = offset != 0 ? inst.offset() == offset : id != 0 && inst.result() == id;
    // A label ends what held in the block before it, but has the line that stands before it.
    if (is_it) found = tracker.line();
    tracker.Visit(inst);
    return !is_it;
  });
  return found;
}

void Read(Words words, const Line& line, Origin* origin) {
  uint32_t file = line.from.operand(1);
  uint32_t number = line.from.operand(2);
  if (line.debug) {
    const Instruction source = Definition(words, line.from.operand(5));
    file = source.operand(4) == kDebugSource ? source.operand(5) : 0;
    const Instruction constant = Definition(words, line.from.operand(6));
    number = constant.op() == Op::OpConstant ? constant.operand(3) : 0;
  }
  const Instruction string = Definition(words, file);
  if (string.op() != Op::OpString || number == 0) return;
  origin->file = Shown(string.text(2));
  origin->line = origin->file.empty() ? 0 : number;
}

}  // namespace

Origin FindOrigin(Words words, uint32_t id, uint32_t instruction) {
  Origin origin;
  if (id != 0) {
    origin.name = NameOf(words, id);
    if (origin.name.empty()) {
      if (const uint32_t block = BlockOf(words, id); block != 0) origin.name = NameOf(words, block);
    }
  }
  if (instruction != 0) Read(words, LineOf(words, 0, instruction), &origin);
  if (origin.line == 0 && id != 0) Read(words, LineOf(words, id, 0), &origin);
  return origin;
}

}  // namespace kiln::front
