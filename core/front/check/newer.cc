#include "core/front/check/newer.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/base/utf8.h"
#include "core/front/check/coverage.h"
#include "core/front/check/refusal.h"
#include "core/front/grammar/spirv_grammar.h"

namespace kiln::front {
namespace {

using spv::Op;
using Words = std::vector<uint32_t>;
using Inst = absl::Span<const uint32_t>;

constexpr size_t kHeaderWords = 5;
constexpr uint32_t kMagic = 0x07230203;
constexpr uint32_t kNewestVersion = 0x00010600;
constexpr size_t kMaxParts = 16;  // maximum of constituents that are written out

Op OpOf(Inst inst) { return static_cast<Op>(inst[0] & 0xffff); }
uint32_t Operand(Inst inst, size_t i) { return i < inst.size() ? inst[i] : 0; }

// Returns the string that begins at word `first`, ending at the instruction's end at the latest.
std::string Text(Inst inst, size_t first) {
  std::string text;
  for (size_t i = first; i < inst.size(); ++i) {
    for (int byte = 0; byte < 4; ++byte) {
      const char c = static_cast<char>(inst[i] >> (8 * byte));
      if (c == 0) return text;
      text.push_back(c);
    }
  }
  return text;
}

void AppendText(std::string_view text, Words* words) {
  words->resize(words->size() + text.size() / 4 + 1);
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t word = words->size() - (text.size() / 4 + 1) + i / 4;
    (*words)[word] |= uint32_t{static_cast<uint8_t>(text[i])} << (8 * (i % 4));
  }
}

// Returns the name by which the validator knows an extension.
std::string_view OlderName(std::string_view extension) {
#define NEWER_EXTENSION_NAME(name, older) \
  if (extension == #name) return #older;
#include "core/front/grammar/spirv_newer.def"
  return extension;
}

bool IsNonSemantic(std::string_view set) { return set.substr(0, 12) == "NonSemantic."; }

// Returns the word index of an instruction's image operands; 0: it has none.
size_t ImageOperandsWord(const InstructionLayout& layout) {
  const size_t at = layout.operands.find('I');
  return at == std::string_view::npos ? 0 : at + 1;
}

// Names of the capabilities and extensions that the module declares.
using Features = absl::flat_hash_set<std::string>;

class Rewriter {
 public:
  explicit Rewriter(absl::Span<const uint32_t> words) : in_(words) {}

  absl::StatusOr<OlderForm> Run();

 private:
  absl::Status ReadDeclarations();
  absl::Status CheckUse(const NewerRow& row, uint32_t id) const;

  absl::Status Rewrite(Inst inst);
  absl::Status Mode(Inst inst);
  void Extension(Inst inst);
  void Import(Inst inst);
  void Source(Inst inst);
  absl::Status Decoration(Inst inst, uint32_t decoration);
  absl::Status NewerInstruction(Inst inst, const NewerRow& row);
  absl::Status ForwardReferences(Inst inst);
  void Replicate(Inst inst);
  void BitInstruction(Inst inst);
  void Offset(Inst inst);

  void Note(Inst inst);
  uint32_t PartsOf(uint32_t type) const;
  uint32_t IntWidth(uint32_t value) const;

  void Keep(Inst inst) { Put(inst, inst.subspan(1), OpOf(inst)); }
  void Put(Inst inst, absl::Span<const uint32_t> operands, Op op);
  void Drop() { out_.changed = true; }

  absl::Span<const uint32_t> in_;
  size_t number_ = 0;  // of the instruction being rewritten, from 1
  Features declared_;
  OlderForm out_;
  absl::flat_hash_map<uint32_t, Inst> types_;        // and constants, by id
  absl::flat_hash_map<uint32_t, uint32_t> type_of_;  // result types, by id
  absl::flat_hash_set<uint32_t> non_semantic_;       // imports of non-semantic sets
  // remaining words by which the older form may be longer
  size_t spare_ = 1 << 16;
};

// Appends an instruction to the older form, as the replacement of `inst`.
void Rewriter::Put(Inst inst, absl::Span<const uint32_t> operands, Op op) {
  const auto first = static_cast<uint32_t>(operands.size() + 1) << 16 | static_cast<uint32_t>(op);
  out_.changed |=
      first != inst[0] || !std::equal(operands.begin(), operands.end(), inst.begin() + 1);
  out_.numbers.push_back(number_);
  out_.words.push_back(first);
  out_.words.insert(out_.words.end(), operands.begin(), operands.end());
}

// ---- Declarations ----

absl::Status Rewriter::ReadDeclarations() {
  std::vector<const NewerRow*> newer;
  for (size_t at = kHeaderWords; at < in_.size();) {
    const size_t count = in_[at] >> 16;
    if (count == 0 || count > in_.size() - at) break;
    const Inst inst = in_.subspan(at, count);
    if (OpOf(inst) == Op::OpFunction) break;
    if (OpOf(inst) == Op::OpCapability && count > 1) {
      const auto capability = static_cast<spv::Capability>(inst[1]);
      if (absl::Status s = CheckDeclared(capability); !s.ok()) return s;
      const NewerRow* row = NewerRowOf("Capability", inst[1]);
      if (declared_.insert(std::string(CapabilityName(capability))).second && row != nullptr) {
        newer.push_back(row);
      }
    } else if (OpOf(inst) == Op::OpExtension) {
      const std::string name = Text(inst, 1);
      if (!IsKnownExtension(name)) {
        return Refused("newer_feature", "extension " + Quoted(name));
      }
      declared_.insert(name);
    }
    at += count;
  }
  for (const NewerRow* row : newer) {
    if (declared_.contains(std::string(row->feature))) continue;
    return Invalid("capability " + std::string(row->name) + " needs the extension " +
                   std::string(row->feature));
  }
  return absl::OkStatus();
}

// Checks that the feature of a newer instruction or enumerant that the module uses is declared.
absl::Status Rewriter::CheckUse(const NewerRow& row, uint32_t id) const {
  if (declared_.contains(std::string(row.feature))) return absl::OkStatus();
  return Invalid(std::string(row.name) + " needs the declaration of " + std::string(row.feature),
                 id);
}

// ---- Types ----

void Rewriter::Note(Inst inst) {
  const InstructionLayout* layout = LayoutOf(OpOf(inst));
  if (layout == nullptr || inst.size() < layout->least_words || !layout->has_result) return;
  const uint32_t result = inst[layout->ResultWord()];
  if (layout->has_type) type_of_[result] = inst[1];
  switch (OpOf(inst)) {
    case Op::OpTypeInt:
    case Op::OpTypeVector:
    case Op::OpTypeMatrix:
    case Op::OpTypeArray:
    case Op::OpTypeStruct:
    case Op::OpConstant: types_[result] = inst; return;
    default: return;
  }
}

// Returns the number of constituents of a composite of this type; 0: unknown, or no composite.
uint32_t Rewriter::PartsOf(uint32_t type) const {
  const auto found = types_.find(type);
  if (found == types_.end()) return 0;
  const Inst inst = found->second;
  switch (OpOf(inst)) {
    case Op::OpTypeVector:
    case Op::OpTypeMatrix: return inst[3];
    case Op::OpTypeStruct: return static_cast<uint32_t>(inst.size() - 2);
    case Op::OpTypeArray: {
      const auto length = types_.find(inst[3]);
      const bool known = length != types_.end() && OpOf(length->second) == Op::OpConstant;
      return known && length->second.size() == 4 ? length->second[3] : 0;
    }
    default: return 0;
  }
}

// Returns the width of an integer or of the components of an integer vector; 0: another type.
uint32_t Rewriter::IntWidth(uint32_t value) const {
  const auto type = type_of_.find(value);
  auto found = type == type_of_.end() ? types_.end() : types_.find(type->second);
  if (found != types_.end() && OpOf(found->second) == Op::OpTypeVector) {
    found = types_.find(found->second[2]);
  }
  return found != types_.end() && OpOf(found->second) == Op::OpTypeInt ? found->second[2] : 0;
}

// ---- Instructions ----

void Rewriter::Extension(Inst inst) {
  const std::string name = Text(inst, 1);
  const std::string_view older = OlderName(name);
  if (older == name) return Keep(inst);
  Words operands;
  AppendText(older, &operands);
  Put(inst, operands, Op::OpExtension);
}

void Rewriter::Import(Inst inst) {
  if (inst.size() < 2 || !IsNonSemantic(Text(inst, 2))) return Keep(inst);
  non_semantic_.insert(inst[1]);
  Words operands = {inst[1]};
  AppendText("NonSemantic.Unknown", &operands);
  Put(inst, operands, Op::OpExtInstImport);
}

// Replaces source languages that the validator does not know, since it refuses them.
void Rewriter::Source(Inst inst) {
  Words operands(inst.begin() + 1, inst.end());
  if (!operands.empty() && operands[0] > static_cast<uint32_t>(spv::SourceLanguage::SYCL)) {
    operands[0] = static_cast<uint32_t>(spv::SourceLanguage::Unknown);
  }
  Put(inst, operands, Op::OpSource);
}

absl::Status Rewriter::Mode(Inst inst) {
  const NewerRow* row = NewerRowOf("ExecutionMode", Operand(inst, 2));
  if (row == nullptr) {
    Keep(inst);
    return absl::OkStatus();
  }
  Drop();
  if (const auto cause = CauseOf(static_cast<spv::ExecutionMode>(row->number)); !cause.empty()) {
    return Refused(cause, "execution mode " + std::string(row->name), Operand(inst, 1));
  }
  return CheckUse(*row, Operand(inst, 1));
}

// Drops fast-math decorations, which the validator allows in OpenCL only. Refuses newer
// decorations, which all belong to features that are not compiled.
absl::Status Rewriter::Decoration(Inst inst, uint32_t decoration) {
  if (const NewerRow* row = NewerRowOf("Decoration", decoration); row != nullptr) {
    return Refused(CauseOfFeature(row->feature), "decoration " + std::string(row->name),
                   Operand(inst, 1));
  }
  const bool fast_math = decoration == static_cast<uint32_t>(spv::Decoration::FPFastMathMode) &&
                         declared_.contains("FloatControls2");
  fast_math ? Drop() : Keep(inst);
  return absl::OkStatus();
}

// Drops the operands: they have no meaning, and may be ids defined later.
absl::Status Rewriter::ForwardReferences(Inst inst) {
  if (!non_semantic_.contains(inst[3])) {
    return Invalid("forward reference in an instruction set other than a NonSemantic one", inst[2]);
  }
  Put(inst, inst.subspan(1, 4), Op::OpExtInst);
  return absl::OkStatus();
}

// Writes out a composite whose constituents are all one value.
void Rewriter::Replicate(Inst inst) {
  const bool constant = OpOf(inst) != Op::OpCompositeConstructReplicateEXT;
  const uint32_t parts = PartsOf(inst[1]);
  if (parts == 0 || parts > std::min(kMaxParts, spare_)) {
    return Put(inst, inst.subspan(1, 2), constant ? Op::OpConstantNull : Op::OpUndef);
  }
  spare_ -= parts;
  Words operands = {inst[1], inst[2]};
  operands.resize(2 + parts, inst[3]);
  Put(inst, operands,
      !constant                                           ? Op::OpCompositeConstruct
      : OpOf(inst) == Op::OpConstantCompositeReplicateEXT ? Op::OpConstantComposite
                                                          : Op::OpSpecConstantComposite);
}

absl::Status Rewriter::NewerInstruction(Inst inst, const NewerRow& row) {
  const InstructionLayout& layout = *LayoutOf(OpOf(inst));
  if (inst.size() < layout.least_words) return Invalid(std::string(row.name) + " is too short");
  const uint32_t id = layout.has_result ? inst[layout.ResultWord()] : 0;
  if (const auto cause = CauseOf(OpOf(inst)); !cause.empty()) {
    return Refused(cause, std::string(row.name), id);
  }
  if (absl::Status s = CheckUse(row, id); !s.ok()) return s;
  switch (OpOf(inst)) {
    case Op::OpExtInstWithForwardRefsKHR: return ForwardReferences(inst);
    case Op::OpConstantCompositeReplicateEXT:
    case Op::OpSpecConstantCompositeReplicateEXT:
    case Op::OpCompositeConstructReplicateEXT: Replicate(inst); return absl::OkStatus();
    case Op::OpGroupNonUniformQuadAllKHR:
    case Op::OpGroupNonUniformQuadAnyKHR:  // both from bool to bool
      Put(inst, inst.subspan(1), Op::OpLogicalNot);
      return absl::OkStatus();
    default: return Refused("newer_feature", std::string(row.name), id);
  }
}

// Replaces bit instructions of other widths: for Vulkan the validator accepts 32 bits only.
void Rewriter::BitInstruction(Inst inst) {
  const uint32_t width = inst.size() > 3 ? IntWidth(inst[3]) : 0;
  if (width == 0 || width == 32) return Keep(inst);
  switch (OpOf(inst)) {
    case Op::OpBitCount:
      return Put(inst, inst.subspan(1), IntWidth(inst[2]) == width ? Op::OpNot : Op::OpSConvert);
    case Op::OpBitFieldInsert:
      if (inst.size() < 5) return Keep(inst);
      return Put(inst, inst.subspan(1, 4), Op::OpBitwiseOr);
    default: return Put(inst, inst.subspan(1, 3), Op::OpNot);
  }
}

// Drops an Offset where the older rule allows it in gathers only.
void Rewriter::Offset(Inst inst) {
  using Mask = spv::ImageOperandsMask;
  const uint32_t offset = static_cast<uint32_t>(Mask::Offset);
  const size_t at = ImageOperandsWord(*LayoutOf(OpOf(inst)));
  const uint32_t others = static_cast<uint32_t>(Mask::ConstOffset) |
                          static_cast<uint32_t>(Mask::ConstOffsets) |
                          static_cast<uint32_t>(Mask::Offsets);
  const uint32_t mask = Operand(inst, at);
  // Together with another offset it is wrong, which the validator must still see.
  if ((mask & offset) == 0 || (mask & others) != 0 || !declared_.contains("ImageGatherExtended")) {
    return Keep(inst);
  }
  size_t place = at + 1;
  for (const Mask bit : {Mask::Bias, Mask::Lod, Mask::Grad, Mask::Grad}) {
    if ((inst[at] & static_cast<uint32_t>(bit)) != 0) ++place;
  }
  if (place >= inst.size()) return Keep(inst);
  Words operands(inst.begin() + 1, inst.end());
  operands[at - 1] &= ~offset;
  operands.erase(operands.begin() + static_cast<ptrdiff_t>(place) - 1);
  if (operands[at - 1] == 0) operands.erase(operands.begin() + static_cast<ptrdiff_t>(at) - 1);
  Put(inst, operands, OpOf(inst));
}

absl::Status Rewriter::Rewrite(Inst inst) {
  Note(inst);
  if (const NewerRow* row = NewerRowOf(OpOf(inst)); row != nullptr) {
    return NewerInstruction(inst, *row);
  }
  switch (OpOf(inst)) {
    case Op::OpCapability:
      NewerRowOf("Capability", Operand(inst, 1)) == nullptr ? Keep(inst) : Drop();
      break;
    case Op::OpExecutionMode:
    case Op::OpExecutionModeId: return Mode(inst);
    case Op::OpExtension: Extension(inst); break;
    case Op::OpExtInstImport: Import(inst); break;
    case Op::OpSource: Source(inst); break;
    case Op::OpDecorate:
    case Op::OpDecorateId:
    case Op::OpDecorateString: return Decoration(inst, Operand(inst, 2));
    case Op::OpMemberDecorate:
    case Op::OpMemberDecorateString: return Decoration(inst, Operand(inst, 3));
    case Op::OpBitCount:
    case Op::OpBitReverse:
    case Op::OpBitFieldInsert:
    case Op::OpBitFieldSExtract:
    case Op::OpBitFieldUExtract: BitInstruction(inst); break;
    case Op::OpImageGather:
    case Op::OpImageDrefGather:
    case Op::OpImageSparseGather:
    case Op::OpImageSparseDrefGather: Keep(inst); break;
    default: {
      const InstructionLayout* layout = LayoutOf(OpOf(inst));
      if (layout != nullptr && ImageOperandsWord(*layout) != 0) {
        Offset(inst);
      } else {
        Keep(inst);
      }
      break;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<OlderForm> Rewriter::Run() {
  if (absl::Status s = CheckVersion(in_[1]); !s.ok()) return s;
  if (absl::Status s = ReadDeclarations(); !s.ok()) return s;
  out_.words.assign(in_.begin(), in_.begin() + kHeaderWords);
  size_t at = kHeaderWords;
  while (at < in_.size()) {
    const size_t count = in_[at] >> 16;
    if (count == 0 || count > in_.size() - at) break;
    ++number_;
    if (absl::Status s = Rewrite(in_.subspan(at, count)); !s.ok()) return s;
    at += count;
  }
  // The validator reports an instruction that runs past the end.
  if (at < in_.size()) out_.numbers.push_back(number_ + 1);
  out_.words.insert(out_.words.end(), in_.begin() + at, in_.end());
  return std::move(out_);
}

}  // namespace

absl::StatusOr<OlderForm> OlderFormOf(absl::Span<const uint32_t> words) {
  if (words.size() >= kHeaderWords && words[0] == __builtin_bswap32(kMagic)) {
    Words swapped(words.begin(), words.end());
    for (uint32_t& word : swapped) word = __builtin_bswap32(word);
    return OlderFormOf(swapped);
  }
  if (words.size() < kHeaderWords || words[0] != kMagic) {
    OlderForm same;
    same.words.assign(words.begin(), words.end());
    return same;
  }
  return Rewriter(words).Run();
}

absl::Status CheckDeclared(spv::Capability capability) {
  const auto number = static_cast<uint32_t>(capability);
  const std::string_view name = CapabilityName(capability);
  if (name.empty()) return Refused("newer_feature", absl::StrCat("capability ", number));
  const std::string_view cause = CauseOf(capability);
  if (cause.empty() || NewerRowOf("Capability", number) == nullptr) return absl::OkStatus();
  return RefusedCapability(cause, name);
}

absl::Status CheckVersion(uint32_t version) {
  const bool sensible = (version & 0xff0000ff) == 0;
  if (!sensible || version <= kNewestVersion) return absl::OkStatus();
  return Refused("newer_feature", absl::StrCat("SPIR-V ", version >> 16, ".", version >> 8 & 0xff));
}

}  // namespace kiln::front
