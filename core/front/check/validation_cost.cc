#include "core/front/check/validation_cost.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "core/front/check/flow_cost.h"
#include "core/front/grammar/spirv_enums.h"
#include "core/front/grammar/spirv_grammar.h"

namespace kiln::front {
namespace {

constexpr size_t kHeaderWords = 5;
constexpr uint32_t kMaxBound = 0x3fffff;  // of ids; the validator refuses a larger one at once
constexpr uint64_t kMax = uint64_t{1} << 50;

// Weights in steps of some 10 ns.
constexpr uint64_t kWord = 32;         // a word of any instruction
constexpr uint64_t kTypeWalked = 5;    // a node of a type, for each instruction that has the type
constexpr uint64_t kTypeLaidOut = 32;  // a node of a variable's type whose offsets are checked
constexpr uint64_t kCallFollowed = 3;  // a call, visited for each function
constexpr uint64_t kGrouped = 20;      // a decoration applied to one target of a group
constexpr uint64_t kEqualName = 60;    // a name tried that is in use, in three tables of names
constexpr uint64_t kCheck = 10;        // a check of a built-in, run on one instruction
// a word checked for the stages that may have it, for each entry point
constexpr uint64_t kLimited = 4;
constexpr uint64_t kScanned = 8;    // words scanned in one step
constexpr uint64_t kElements = 16;  // maximum of an array's elements that are checked one by one

enum Kind { kSize, kFlow, kCalls, kTypes, kEntryPoints, kDecorations, kNames, kKinds };

constexpr std::string_view kKindNames[kKinds] = {
    "its size",
    "control flow",
    "calls",
    "types nested in types",
    "entry points",
    "decorations",
    "equal types and constants",
};

uint64_t Times(uint64_t a, uint64_t b) { return a != 0 && b > kMax / a ? kMax : a * b; }
uint64_t Plus(uint64_t a, uint64_t b) { return std::min(a + b, kMax); }

struct TypeCost {
  uint64_t nodes = 1;    // of the type as a tree: members count each time they occur
  uint64_t layout = 1;   // the same, counting elements and members whose offsets are checked
  uint64_t pointee = 0;  // for pointers: the layout of their pointee
  bool is_struct = false;
};

// An id with a built-in's checks: they are run on every instruction that mentions it; outside of
// functions they are also copied, with the instruction and all of its uses, to the id it defines.
struct Checked {
  uint32_t id = 0;
  uint64_t checks = 0;
  uint64_t words = 0;
};

class Meter {
 public:
  Meter(absl::Span<const uint32_t> words, uint64_t most) : words_(words), most_(most) {}

  ValidationCost Run() {
    if (words_.size() < kHeaderWords || words_[3] > kMaxBound) return {};
    Add(kSize, Times(words_.size(), kWord));
    defined_.assign(words_[3], 0);
    outside_.assign(words_[3], 0);
    inside_.assign(words_[3], 0);
    for (size_t at = kHeaderWords; at < words_.size() && Steps() <= most_; at += words_[at] >> 16) {
      const size_t count = words_[at] >> 16;
      if (count == 0 || count > words_.size() - at) break;
      Instruction(words_.subspan(at, count));
    }
    Products();
    const auto most = std::max_element(steps_.begin(), steps_.end());
    return {Steps(), kKindNames[most - steps_.begin()], function_, nesting_, deepest_};
  }

 private:
  void Add(Kind kind, uint64_t steps) { steps_[kind] = Plus(steps_[kind], steps); }
  uint64_t Steps() const {
    uint64_t sum = 0;
    for (uint64_t steps : steps_) sum = Plus(sum, steps);
    return sum;
  }

  void Instruction(absl::Span<const uint32_t> inst) {
    const auto op = static_cast<spv::Op>(inst[0] & 0xffff);
    const auto word = [&](size_t n) { return n < inst.size() ? inst[n] : 0; };
    Operands(op, inst);
    switch (op) {
      case spv::Op::OpEntryPoint:
        ++entry_points_;
        entry_words_ += inst.size();
        return;
      case spv::Op::OpDecorate:
        if (word(2) == static_cast<uint32_t>(spv::Decoration::ArrayStride)) {
          strides_[word(1)] |= word(3);
        }
        [[fallthrough]];
      case spv::Op::OpDecorateId:
      case spv::Op::OpDecorateString: return Decorated(word(1), 1, word(2) == Builtin() ? 1 : 0);
      case spv::Op::OpMemberDecorate:
      case spv::Op::OpMemberDecorateString:
        return Decorated(word(1), 1, word(3) == Builtin() ? 1 : 0);
      case spv::Op::OpGroupDecorate:
      case spv::Op::OpGroupMemberDecorate: return Grouped(op, inst);
      case spv::Op::OpConstantTrue:
      case spv::Op::OpConstantFalse:
      case spv::Op::OpConstant: return Named(inst, 2);
      case spv::Op::OpFunction:
        ++functions_;
        function_ = word(2);
        flow_ = {};
        ++blocks_;
        return;
      case spv::Op::OpFunctionEnd: return EndFunction();
      case spv::Op::OpFunctionCall: ++calls_; return;
      case spv::Op::OpLabel:
        flow_.blocks.emplace_back();
        flow_.blocks.back().label = word(1);
        ++blocks_;
        return;
      default:
        if (op >= spv::Op::OpTypeVoid && op <= spv::Op::OpTypePipe) return Type(op, inst);
        if (!flow_.blocks.empty()) Branch(op, inst);
    }
  }

  // Returns the index of the word from which on all words of the instruction are literals.
  static size_t WordsWithIds(spv::Op op) {
    switch (op) {
      case spv::Op::OpName:
      case spv::Op::OpMemberName:
      case spv::Op::OpDecorate:
      case spv::Op::OpMemberDecorate:
      case spv::Op::OpDecorateString:
      case spv::Op::OpMemberDecorateString:
      case spv::Op::OpExecutionMode: return 2;
      case spv::Op::OpConstant: return 3;
      default: return std::numeric_limits<size_t>::max();
    }
  }

  static uint32_t Builtin() { return static_cast<uint32_t>(spv::Decoration::BuiltIn); }

  // Counts the ids that the instruction mentions. Literals that equal an id are counted as ids,
  // except those of instructions that are very frequent in large modules.
  void Operands(spv::Op op, absl::Span<const uint32_t> inst) {
    const InstructionLayout* layout = LayoutOf(op);
    const bool has_type = layout != nullptr && layout->has_type;
    const size_t result = layout == nullptr ? 0 : layout->ResultWord();
    Checked checked;
    checked.words = inst.size();
    const size_t ids = std::min(inst.size(), WordsWithIds(op));
    for (size_t n = 1; n < ids; ++n) {
      const uint32_t id = inst[n];
      if (n == result || id >= defined_.size()) continue;
      ++(functions_ == 0 ? outside_ : inside_)[id];
      if (functions_ == 0) {
        if (const auto known = checks_.find(id); known != checks_.end()) {
          checked.checks = Plus(checked.checks, known->second);
        }
      } else {
        Used(op, inst, n);
      }
    }
    if (has_type && inst.size() > 1) TypeUsed(op, inst[1]);
    if (result == 0 || result >= inst.size() || inst[result] >= defined_.size()) return;
    const uint32_t id = inst[result];
    defined_[id] = op == spv::Op::OpLabel ? 0 : blocks_;
    if (const auto own = checks_.find(id); own != checks_.end()) {
      checked.checks = Plus(checked.checks, own->second);
    }
    checked.id = id;
    if ((op == spv::Op::OpTypeInt && inst.size() > 2 && inst[2] > 32) ||
        (has_type && !wide_.empty() && wide_.contains(inst[1]))) {
      wide_.insert(id);
    }
    if (functions_ != 0 || checked.checks == 0) return;
    checks_[id] = checked.checks;
    checked_.push_back(checked);
  }

  // Counts operand n if it is defined in another block of the function.
  void Used(spv::Op op, absl::Span<const uint32_t> inst, size_t n) {
    const uint32_t block = defined_[inst[n]];
    const size_t count = flow_.blocks.size();
    if (count == 0 || block + count <= blocks_ || block >= blocks_) return;
    ++flow_.blocks[block + count - blocks_ - 1].used;
    if (op == spv::Op::OpPhi && n + 1 < inst.size()) {
      flow_.phi_parents.push_back(inst[n + 1]);
    } else {
      ++flow_.blocks.back().uses;
    }
  }

  void TypeUsed(spv::Op op, uint32_t type) {
    const auto known = types_.find(type);
    if (known == types_.end()) return;
    Add(kTypes, Times(known->second.nodes, kTypeWalked));
    if (op != spv::Op::OpVariable || functions_ != 0) return;
    ++variables_;
    Add(kTypes, Times(known->second.pointee, kTypeLaidOut));
  }

  void Decorated(uint32_t id, uint64_t decorations, uint64_t builtins) {
    uint64_t& sum = decorations_[id];
    sum = Plus(sum, decorations);
    if (builtins != 0) checks_[id] = Plus(checks_[id], builtins);
  }

  void Grouped(spv::Op op, absl::Span<const uint32_t> inst) {
    if (inst.size() < 2) return;
    const uint64_t decorations = decorations_[inst[1]];
    const auto known = checks_.find(inst[1]);
    const uint64_t builtins = known == checks_.end() ? 0 : known->second;
    const size_t step = op == spv::Op::OpGroupDecorate ? 1 : 2;
    for (size_t n = 2; n < inst.size(); n += step) {
      Decorated(inst[n], decorations, builtins);
      Add(kDecorations, Times(decorations, kGrouped));
    }
  }

  uint64_t Decorations(uint32_t id) const {
    const auto known = decorations_.find(id);
    return known == decorations_.end() ? 0 : known->second;
  }

  // Elements of an array of structs are checked until an offset repeats modulo 16 bytes.
  uint64_t ElementsChecked(uint32_t array) const {
    const auto known = strides_.find(array);
    if (known == strides_.end()) return Decorations(array) == 0 ? 1 : kElements;
    return kElements / std::gcd<uint64_t>(kElements, known->second);
  }

  // Counts the naming of types and constants: messages name them by their contents; equal ones are
  // numbered one by one.
  void Named(absl::Span<const uint32_t> inst, size_t result) {
    size_t hash = 0;
    for (size_t n = 0; n < inst.size(); ++n) {
      if (n != result) hash = absl::HashOf(hash, inst[n]);
    }
    Add(kNames, Times(named_[hash]++, kEqualName));
  }

  void Type(spv::Op op, absl::Span<const uint32_t> inst) {
    const uint32_t id = inst.size() > 1 ? inst[1] : 0;
    TypeCost cost;
    cost.is_struct = op == spv::Op::OpTypeStruct;
    if (cost.is_struct || op == spv::Op::OpTypeFunction) {
      for (size_t n = 2; n < inst.size(); ++n) {
        const TypeCost member = Known(inst[n]);
        cost.nodes = Plus(cost.nodes, member.nodes);
        cost.layout = Plus(cost.layout, member.layout);
      }
      const uint64_t members = inst.size() - std::min<size_t>(2, inst.size());
      cost.layout = Plus(cost.layout, Times(members, Decorations(id)) / kTypeLaidOut);
    } else if (op == spv::Op::OpTypeArray || op == spv::Op::OpTypeRuntimeArray) {
      const TypeCost element = Known(inst.size() > 2 ? inst[2] : 0);
      cost.nodes = Plus(1, element.nodes);
      cost.layout = Plus(1 + Decorations(id) / kScanned,
                         Times(element.layout, element.is_struct ? ElementsChecked(id) : 2));
    } else if (op == spv::Op::OpTypePointer) {
      const TypeCost pointee = Known(inst.size() > 3 ? inst[3] : 0);
      cost.nodes = Plus(1, pointee.nodes);
      cost.pointee = pointee.layout;
    }
    types_[id] = cost;
    Add(kTypes, Times(cost.nodes, kTypeWalked));
    if (!cost.is_struct) Named(inst, 1);
  }

  TypeCost Known(uint32_t type) const {
    const auto known = types_.find(type);
    return known == types_.end() ? TypeCost{} : known->second;
  }

  void Branch(spv::Op op, absl::Span<const uint32_t> inst) {
    FlowBlock& block = flow_.blocks.back();
    const auto word = [&](size_t n) { return n < inst.size() ? inst[n] : 0; };
    size_t first = inst.size(), step = 1, end = inst.size();
    switch (op) {
      case spv::Op::OpPhi: ++block.phis; return;
      case spv::Op::OpLoopMerge:
        block.continue_target = word(2);
        block.merge = word(1);
        return;
      case spv::Op::OpSelectionMerge: block.merge = word(1); return;
      case spv::Op::OpBranch: first = 1; break;
      case spv::Op::OpBranchConditional:
        first = 2;
        end = std::min<size_t>(end, 4);
        break;
      case spv::Op::OpSwitch:
        first = 2;
        step = wide_.contains(word(1)) ? 3 : 2;  // a literal and a label
        block.is_switch = true;
        break;
      default: return;
    }
    block.first_target = static_cast<uint32_t>(flow_.targets.size());
    for (size_t n = first; n < end; n += step) flow_.targets.push_back(inst[n]);
    block.end_target = static_cast<uint32_t>(flow_.targets.size());
  }

  void EndFunction() {
    const uint64_t left = most_ - std::min(most_, Steps());
    const FlowCost cost = CostOfFlow(flow_, left);
    Add(kFlow, cost.steps);
    if (cost.nesting > nesting_) {
      nesting_ = cost.nesting;
      deepest_ = function_;
    }
    flow_ = {};
  }

  // Adds the products, whose factors are known only at the end.
  void Products() {
    Add(kCalls, Times(Times(functions_ + entry_points_, functions_ + calls_), kCallFollowed));
    Add(kEntryPoints, Times(entry_points_, entry_points_ + kLimited * words_.size()));
    Add(kEntryPoints, Times(variables_, entry_words_) / kScanned);
    for (const Checked& c : checked_) {
      const uint64_t out = outside_[c.id], in = inside_[c.id];
      Add(kDecorations, Times(c.checks, Times(out, c.words + out + in) + Times(in, kCheck)));
    }
  }

  const absl::Span<const uint32_t> words_;
  const uint64_t most_;
  std::array<uint64_t, kKinds> steps_ = {};
  uint64_t nesting_ = 0;
  uint32_t function_ = 0, deepest_ = 0;
  uint64_t functions_ = 0, calls_ = 0, entry_points_ = 0, entry_words_ = 0, variables_ = 0;
  absl::flat_hash_map<uint32_t, TypeCost> types_;
  absl::flat_hash_map<uint32_t, uint64_t> decorations_;  // by target
  absl::flat_hash_map<uint32_t, uint32_t> strides_;      // by array type
  absl::flat_hash_map<uint32_t, uint64_t> checks_;       // by id
  std::vector<Checked> checked_;
  absl::flat_hash_map<size_t, uint64_t> named_;  // number seen, by hash
  absl::flat_hash_set<uint32_t> wide_;      // integer types of more than 32 bits, and their values
  std::vector<uint32_t> outside_, inside_;  // by id: mentions outside of functions, and inside
  // State of the current function.
  FlowFunction flow_;
  uint32_t blocks_ = 0;            // numbers the blocks of all functions, and the code between them
  std::vector<uint32_t> defined_;  // by id: number of its block
};

}  // namespace

ValidationCost CostOfValidation(absl::Span<const uint32_t> words, uint64_t most) {
  return Meter(words, most).Run();
}

}  // namespace kiln::front
