#include "core/front/hlsl/hlsl_layout.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "core/base/cause.h"
#include "core/front/check/refusal.h"
#include "core/front/grammar/spirv_enums.h"

namespace kiln::front {
namespace {

using spv::Decoration;
using spv::Op;

constexpr uint64_t kVec4 = 16;
constexpr size_t kHeaderWords = 5;

enum class Rule { kStd140, kStd430 };

struct Extent {
  uint64_t alignment = 1, size = 0;
};

uint64_t RoundedUp(uint64_t n, uint64_t alignment) {
  return (n + alignment - 1) / alignment * alignment;
}

using Member = std::pair<uint32_t, uint32_t>;  // struct, index

// A module's types and decorations by id. Offsets are of words.
class Blocks {
 public:
  Blocks(const std::set<std::string>& placed, std::vector<uint32_t>* words)
      : placed_(placed), words_(*words) {
    for (size_t at = kHeaderWords; at < words_.size(); at += words_[at] >> 16) {
      if (words_[at] >> 16 == 0) break;
      Read(at);
    }
  }

  absl::StatusOr<bool> Run() {
    for (const uint32_t variable : variables_) {
      const uint32_t block = BlockOf(variable);
      if (block == 0) continue;
      const auto storage = static_cast<spv::StorageClass>(Word(variable, 3));
      const bool buffer = decorations_.count({block, Decoration::BufferBlock}) > 0;
      const bool uniform = storage == spv::StorageClass::Uniform && !buffer;
      ExtentOf(block, uniform ? Rule::kStd140 : Rule::kStd430);
    }
    if (!contradicts_) return restrided_;
    return Refused("hlsl_feature", {"a struct of a uniform block and of another buffer"});
  }

 private:
  void Read(size_t at) {
    const auto* w = &words_[at];
    const size_t count = w[0] >> 16;
    switch (static_cast<Op>(w[0] & 0xffff)) {
      case Op::OpName:
        names_[w[1]] = std::string(reinterpret_cast<const char*>(w + 2),
                                   strnlen(reinterpret_cast<const char*>(w + 2), (count - 2) * 4));
        break;
      case Op::OpDecorate: decorations_[{w[1], static_cast<Decoration>(w[2])}] = at + 3; break;
      case Op::OpMemberDecorate:
        members_[{{w[1], w[2]}, static_cast<Decoration>(w[3])}] = at + 4;
        break;
      case Op::OpTypeInt:
      case Op::OpTypeFloat:
      case Op::OpTypeVector:
      case Op::OpTypeMatrix:
      case Op::OpTypeArray:
      case Op::OpTypeRuntimeArray:
      case Op::OpTypeStruct:
      case Op::OpTypePointer: definitions_[w[1]] = at; break;
      case Op::OpConstant:
      case Op::OpSpecConstant: definitions_[w[2]] = at; break;
      case Op::OpVariable:
        definitions_[w[2]] = at;
        variables_.push_back(w[2]);
        break;
      default: break;
    }
  }

  // Returns a word of the instruction that defines the id; 0: there is none.
  uint32_t Word(uint32_t id, size_t i) const {
    const auto found = definitions_.find(id);
    if (found == definitions_.end() || words_[found->second] >> 16 <= i) return 0;
    return words_[found->second + i];
  }
  Op OpOf(uint32_t id) const { return static_cast<Op>(Word(id, 0) & 0xffff); }
  uint32_t Count(uint32_t id) const { return Word(id, 0) >> 16; }

  // Returns the struct with a layout that the variable, or an element of it, is; 0: it is another.
  uint32_t BlockOf(uint32_t variable) const {
    uint32_t type = Word(Word(variable, 1), 3);
    while (OpOf(type) == Op::OpTypeArray || OpOf(type) == Op::OpTypeRuntimeArray) {
      type = Word(type, 2);
    }
    return members_.count({{type, 0}, Decoration::Offset}) > 0 ? type : 0;
  }

  // Sets the operand of a decoration, if it is there.
  void Set(const Member& member, Decoration decoration, uint64_t value) {
    const auto found = members_.find({member, decoration});
    if (found != members_.end()) SetWord(found->second, value);
  }
  void SetWord(size_t at, uint64_t value) {
    const auto [it, first] = set_.emplace(at, static_cast<uint32_t>(value));
    contradicts_ |= it->second != value;
    words_[at] = it->second;
  }

  Extent ExtentOfVector(uint32_t type) const {
    const uint64_t component = Word(Word(type, 2), 2) / 8;
    const uint64_t count = Word(type, 3);
    return {component * (count == 3 ? 4 : count), component * count};
  }

  // `member`: the one that the matrix, or an array of it, is.
  Extent ExtentOfMatrix(uint32_t type, Rule rule, const Member& member) {
    const uint32_t column = Word(type, 2);
    uint64_t length = Word(column, 3), count = Word(type, 3);
    if (members_.count({member, Decoration::RowMajor}) > 0) std::swap(length, count);
    uint64_t stride = Word(Word(column, 2), 2) / 8 * (length == 3 ? 4 : length);
    if (rule == Rule::kStd140) stride = RoundedUp(stride, kVec4);
    Set(member, Decoration::MatrixStride, stride);
    return {stride, stride * count};
  }

  Extent ExtentOfArray(uint32_t type, Rule rule, const Member& member) {
    Extent element = ExtentOf(Word(type, 2), rule, member);
    if (rule == Rule::kStd140) element.alignment = RoundedUp(element.alignment, kVec4);
    const uint64_t stride = RoundedUp(element.size, element.alignment);
    const auto found = decorations_.find({type, Decoration::ArrayStride});
    if (found != decorations_.end()) {
      restrided_ |= OpOf(type) == Op::OpTypeRuntimeArray && words_[found->second] != stride;
      SetWord(found->second, stride);
    }
    const uint64_t count = OpOf(type) == Op::OpTypeArray ? Word(Word(type, 3), 3) : 1;
    return {element.alignment, stride * count};
  }

  // Returns where a member begins at the earliest, after `end` bytes of others.
  uint64_t OffsetAfter(uint64_t end, uint32_t type, const Extent& extent) const {
    if (OpOf(type) != Op::OpTypeVector) return RoundedUp(end, extent.alignment);
    const uint64_t component = Word(Word(type, 2), 2) / 8;
    const uint64_t offset = RoundedUp(end, component <= 4 ? component : extent.alignment);
    const bool crosses = extent.size <= kVec4 ? offset / kVec4 != (offset + extent.size - 1) / kVec4
                                              : offset % kVec4 != 0;
    return crosses ? RoundedUp(offset, kVec4) : offset;
  }

  Extent ExtentOfStruct(uint32_t type, Rule rule) {
    const auto known = structs_.find({type, rule});
    if (known != structs_.end()) return known->second;
    const auto name = names_.find(type);
    const bool placed = name != names_.end() && placed_.count(name->second) > 0;
    Extent whole;
    for (uint32_t i = 0; i + 2 < Count(type); ++i) {
      const uint32_t of = Word(type, i + 2);
      const Extent extent = ExtentOf(of, rule, {type, i});
      const uint64_t offset = OffsetAfter(whole.size, of, extent);
      if (!placed) Set({type, i}, Decoration::Offset, offset);
      whole.size = offset + extent.size;
      whole.alignment = std::max(whole.alignment, extent.alignment);
    }
    if (rule == Rule::kStd140) whole.alignment = RoundedUp(whole.alignment, kVec4);
    whole.size = RoundedUp(whole.size, whole.alignment);
    structs_[{type, rule}] = whole;
    return whole;
  }

  Extent ExtentOf(uint32_t type, Rule rule, const Member& member = {}) {
    switch (OpOf(type)) {
      case Op::OpTypeInt:
      case Op::OpTypeFloat: return {Word(type, 2) / 8, Word(type, 2) / 8};
      case Op::OpTypeVector: return ExtentOfVector(type);
      case Op::OpTypeMatrix: return ExtentOfMatrix(type, rule, member);
      case Op::OpTypeArray:
      case Op::OpTypeRuntimeArray: return ExtentOfArray(type, rule, member);
      case Op::OpTypeStruct: return ExtentOfStruct(type, rule);
      default: return {};
    }
  }

  const std::set<std::string>& placed_;
  std::vector<uint32_t>& words_;
  std::map<uint32_t, size_t> definitions_;
  std::map<uint32_t, std::string> names_;
  std::map<std::pair<uint32_t, Decoration>, size_t> decorations_;
  std::map<std::pair<Member, Decoration>, size_t> members_;
  std::vector<uint32_t> variables_;
  std::map<std::pair<uint32_t, Rule>, Extent> structs_;
  std::map<size_t, uint32_t> set_;
  bool contradicts_ = false, restrided_ = false;
};

}  // namespace

absl::StatusOr<bool> LayOutBlocks(const std::set<std::string>& placed,
                                  std::vector<uint32_t>* words) {
  return Blocks(placed, words).Run();
}

}  // namespace kiln::front
