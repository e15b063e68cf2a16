// Reads the words in one pass in order: SPIR-V's logical layout defines types and constants before
// their use, so everything except function bodies is resolved when it is read. spirv.h states what
// holds afterwards.
//
// This file reads the header, finds where each instruction begins and ends, and passes it to its
// reader. Each reader alone fills its part of the module's tables, and keeps what it must remember
// while reading.
#include <algorithm>
#include <string>
#include <utility>

#include "core/front/check/coverage.h"
#include "core/front/check/newer.h"
#include "core/front/check/refusal.h"
#include "core/front/grammar/spirv_grammar.h"
#include "core/front/spirv/dense_ids.h"
#include "core/front/spirv/spirv.h"
#include "core/front/spirv/spirv_constants.h"
#include "core/front/spirv/spirv_decorations.h"
#include "core/front/spirv/spirv_functions.h"
#include "core/front/spirv/spirv_preamble.h"
#include "core/front/spirv/spirv_types.h"
#include "core/front/spirv/spirv_variables.h"

namespace kiln::front {
namespace {

constexpr uint32_t kMagic = 0x07230203;
constexpr uint32_t kMaxBound = 0x3fffff;  // universal limit of SPIR-V
constexpr size_t kHeaderWords = 5;

absl::Status ReadHeader(SpirvModule& m) {
  std::vector<uint32_t>& w = m.words;
  if (w.size() < kHeaderWords)
    return Invalid("the module is shorter than a SPIR-V header of 20 bytes");
  if (w[0] == __builtin_bswap32(kMagic)) {
    for (uint32_t& word : w) word = __builtin_bswap32(word);
  }
  if (w[0] != kMagic) return Invalid("not SPIR-V: wrong magic number");
  m.version = w[1];
  if (absl::Status s = CheckVersion(w[1]); !s.ok()) return s;
  if ((w[1] & 0xff0000ff) != 0 || (w[1] >> 16) != 1) return Invalid("unknown SPIR-V version");
  if (w[3] == 0 || w[3] > kMaxBound) {
    return Invalid("the id bound is " + std::to_string(w[3]) + "; it must be from 1 to " +
                   std::to_string(kMaxBound));
  }
  // Each id takes a few bytes in the tables: a tiny module must not reserve memory for millions of
  // ids. An instruction that defines an id has two words or more.
  if (w[3] > w.size()) {
    if (absl::Status s = NumberIdsDensely(&w, &m.original_ids); !s.ok()) return s;
  }
  m.bound = w[3];
  m.defs.resize(m.bound);
  m.decorations.resize(m.bound);
  constexpr uint32_t kIdsAType = 4, kMaxTypes = 64;
  m.types.reserve(std::min(m.bound / kIdsAType, kMaxTypes));
  return absl::OkStatus();
}

// Parses a module whose header is read.
class Parser {
 public:
  Parser(SpirvModule& module, absl::Span<const SpecConstant> specialisation)
      : m_(module),
        decorations_(module),
        types_(module, decorations_),
        constants_(module, specialisation),
        functions_(module) {}

  absl::Status Run();

 private:
  absl::Status Instruction(const SpirvInst& inst, uint32_t offset);
  absl::Status ModuleScope(const SpirvInst& inst, uint32_t offset);

  SpirvModule& m_;
  DecorationReader decorations_;
  TypeReader types_;
  ConstantReader constants_;
  FunctionReader functions_;
};

absl::Status Parser::Run() {
  const size_t size = m_.words.size();
  for (size_t offset = kHeaderWords; offset < size;) {
    const uint32_t count = m_.words[offset] >> 16;
    if (count == 0 || count > size - offset) {
      return Invalid("instruction at word " + std::to_string(offset) + " runs past the end");
    }
    const SpirvInst inst = m_.Inst(static_cast<uint32_t>(offset));
    if (inst.layout != nullptr && count < inst.layout->least_words) {
      return Invalid(OpText(inst.op) + " is too short");
    }
    if (absl::Status s = Instruction(inst, static_cast<uint32_t>(offset)); !s.ok()) {
      return WithInstruction(std::move(s), static_cast<uint32_t>(offset));
    }
    offset += count;
  }
  if (absl::Status s = functions_.Finish(); !s.ok()) return s;
  if (absl::Status s = types_.Finish(); !s.ok()) return s;
  decorations_.Finish();
  return absl::OkStatus();
}

absl::Status Parser::Instruction(const SpirvInst& inst, uint32_t offset) {
  switch (inst.op) {
    case spv::Op::OpNop:
    case spv::Op::OpLine:
    case spv::Op::OpNoLine:
    case spv::Op::OpSource:
    case spv::Op::OpSourceContinued:
    case spv::Op::OpSourceExtension:
    case spv::Op::OpName:
    case spv::Op::OpMemberName:
    case spv::Op::OpModuleProcessed: return absl::OkStatus();
    default: break;
  }
  const bool has_result = inst.layout != nullptr && inst.layout->has_result;
  const bool has_type = inst.layout != nullptr && inst.layout->has_type;
  if (has_result && inst.result == 0) return Invalid(OpText(inst.op) + " has the result id 0");
  if (has_type && m_.Type(inst.type) == nullptr) {
    return Invalid(OpText(inst.op) + " has a result type that is not a type", inst.result);
  }
  return functions_.inside() ? functions_.Read(inst, offset) : ModuleScope(inst, offset);
}

absl::Status Parser::ModuleScope(const SpirvInst& inst, uint32_t offset) {
  bool handled = false;
  if (absl::Status s = ReadPreamble(m_, inst, &handled); !s.ok() || handled) return s;
  switch (inst.op) {
    case spv::Op::OpExtInst:  // non-semantic information is allowed at module scope
    case spv::Op::OpExtInstWithForwardRefsKHR:
      if (m_.InstSet(inst.operand(3)) != ExtInstSet::kNonSemantic) {
        return Invalid("extended instruction outside functions", inst.result);
      }
      return m_.Define(inst.result, {SpirvDef::kOther});
    case spv::Op::OpDecorate:
    case spv::Op::OpMemberDecorate:
    case spv::Op::OpDecorateId:
    case spv::Op::OpDecorateString:
    case spv::Op::OpMemberDecorateString:
    case spv::Op::OpDecorationGroup:
    case spv::Op::OpGroupDecorate:
    case spv::Op::OpGroupMemberDecorate: return decorations_.Read(inst);
    case spv::Op::OpTypeForwardPointer: return types_.ReadForwardPointer(inst);
    case spv::Op::OpVariable: return ReadVariable(m_, inst);
    case spv::Op::OpFunction: return functions_.Read(inst, offset);
    default: break;
  }
  if (inst.result != 0 && inst.type == 0) return types_.Read(inst);
  if (inst.result != 0) return constants_.Read(inst);
  const std::string_view cause = inst.layout == nullptr ? "" : CauseOf(inst.op);
  if (!cause.empty()) {
    return Refused(cause, OpText(inst.op), inst.operand(1));
  }
  return Invalid(OpText(inst.op) + " outside functions");
}

}  // namespace

absl::StatusOr<SpirvModule> ParseSpirv(absl::Span<const uint32_t> words,
                                       absl::Span<const SpecConstant> specialisation) {
  SpirvModule module;
  module.words.assign(words.begin(), words.end());
  absl::Status status = ReadHeader(module);
  if (status.ok()) status = Parser(module, specialisation).Run();
  if (!status.ok()) return module.WithOriginalId(std::move(status));
  return module;
}

}  // namespace kiln::front
