#include "core/front/spirv/origin.h"

#include <cstddef>
#include <cstring>
#include <string_view>

#include "absl/container/flat_hash_map.h"
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

// The instruction that gives a line; nothing of it where none holds.
struct Line {
  Instruction from;
  bool debug = false;  // a DebugLine
};

// Follows the lines in the order of the module.
class LineTracker {
 public:
  const Line& line() const { return line_; }
  bool has_debug_set() const { return set_ != 0; }
  // Returns true for an instruction of the set of debug information.
  bool IsDebug(const Instruction& inst) const { return set_ != 0 && inst.operand(3) == set_; }

  void Visit(const Instruction& inst) {
    switch (inst.op()) {
      case Op::OpExtInstImport:
        if (inst.text(2) == kDebugSet) set_ = inst.operand(1);
        break;
      case Op::OpExtInst:
        if (!IsDebug(inst)) break;
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

// Holds what one walk over a module finds: names, definitions that lead from a variable to its
// block or from a line to its file, and the lines of two instructions.
class Index {
 public:
  // `id`, `instruction`: as for FindOrigin.
  Index(Words words, uint32_t id, uint32_t instruction)
      : words_(words), id_(id), instruction_(instruction) {
    ForEach(words, [&](const Instruction& inst) {
      Visit(inst);
      return true;
    });
  }

  // The first that is not empty; empty: there is none, or it stands within a function.
  std::string_view NameOf(uint32_t id) const { return At(names_, id).text(2); }
  // Returns the block that `id` is a variable of, or of an array of; 0: it is no variable.
  uint32_t BlockOf(uint32_t id) const;
  // Both lines: of the instruction with the offset, and of the one that defines the id.
  const Line& line_of_instruction() const { return line_of_instruction_; }
  const Line& line_of_id() const { return line_of_id_; }
  // Sets file and line, if the instruction names both.
  void Read(const Line& line, Origin* origin) const;

 private:
  using Offsets = absl::flat_hash_map<uint32_t, size_t>;  // by id; looked up only

  void Visit(const Instruction& inst);
  bool LeadsOn(const Instruction& inst) const;
  Instruction At(const Offsets& offsets, uint32_t id) const {
    const auto found = offsets.find(id);
    if (found == offsets.end()) return {};
    return {words_.subspan(found->second, words_[found->second] >> 16), found->second};
  }

  Words words_;
  uint32_t id_, instruction_;
  bool in_functions_ = false;
  bool defined_ = false;  // the id
  LineTracker tracker_;
  Line line_of_instruction_, line_of_id_;
  Offsets names_, definitions_;
};

// Returns true for definitions that BlockOf and Read follow.
bool Index::LeadsOn(const Instruction& inst) const {
  switch (inst.op()) {
    case Op::OpVariable: return id_ != 0 && inst.result() == id_;
    case Op::OpTypePointer:
    case Op::OpTypeArray:
    case Op::OpTypeRuntimeArray:
    case Op::OpString: return true;
    case Op::OpConstant: return tracker_.has_debug_set();  // the number of a DebugLine
    case Op::OpExtInst: return tracker_.IsDebug(inst) && inst.operand(4) == kDebugSource;
    default: return false;
  }
}

void Index::Visit(const Instruction& inst) {
  // A label ends what held in the block before it, but has the line that stands before it.
  if (instruction_ != 0 && inst.offset() == instruction_) line_of_instruction_ = tracker_.line();
  if (!defined_ && id_ != 0 && inst.result() == id_) {
    line_of_id_ = tracker_.line();
    defined_ = true;
  }
  tracker_.Visit(inst);
  in_functions_ |= inst.op() == Op::OpFunction;
  if (inst.op() == Op::OpName && !in_functions_ && !inst.text(2).empty()) {
    names_.try_emplace(inst.operand(1), inst.offset());
  }
  if (LeadsOn(inst)) definitions_.try_emplace(inst.result(), inst.offset());
}

uint32_t Index::BlockOf(uint32_t id) const {
  const Instruction variable = At(definitions_, id);
  if (variable.op() != Op::OpVariable) return 0;
  uint32_t type = At(definitions_, variable.operand(1)).operand(3);
  for (int depth = 0; depth < 8; ++depth) {
    const Instruction array = At(definitions_, type);
    if (array.op() != Op::OpTypeArray && array.op() != Op::OpTypeRuntimeArray) break;
    type = array.operand(2);
  }
  return type;
}

void Index::Read(const Line& line, Origin* origin) const {
  uint32_t file = line.from.operand(1);
  uint32_t number = line.from.operand(2);
  uint32_t column = line.from.operand(3);
  if (line.debug) {
    const Instruction source = At(definitions_, line.from.operand(5));
    file = source.operand(4) == kDebugSource ? source.operand(5) : 0;
    const auto constant = [&](size_t operand) {
      const Instruction found = At(definitions_, line.from.operand(operand));
      return found.op() == Op::OpConstant ? found.operand(3) : 0;
    };
    number = constant(6);
    column = constant(8);  // Column Start
  }
  const Instruction string = At(definitions_, file);
  if (string.op() != Op::OpString || number == 0) return;
  origin->file = QuotedFile(string.text(2));
  if (origin->file.empty()) return;
  origin->line = number;
  origin->column = column;
}

}  // namespace

Origin FindOrigin(Words words, uint32_t id, uint32_t instruction) {
  Origin origin;
  if (id == 0 && instruction == 0) return origin;
  const Index index(words, id, instruction);
  if (id != 0) {
    origin.name = Quoted(index.NameOf(id));
    if (origin.name.empty()) {
      if (const uint32_t block = index.BlockOf(id); block != 0) {
        origin.name = Quoted(index.NameOf(block));
      }
    }
  }
  index.Read(index.line_of_instruction(), &origin);
  if (origin.line == 0) index.Read(index.line_of_id(), &origin);
  return origin;
}

}  // namespace kiln::front
