#include "core/front/spirv/spirv_functions.h"

#include <string>
#include <utility>

#include "core/front/check/refusal.h"
#include "core/front/grammar/spirv_grammar.h"

namespace kiln::front {
namespace {

bool IsTerminator(spv::Op op) {
  switch (op) {
    case spv::Op::OpBranch:
    case spv::Op::OpBranchConditional:
    case spv::Op::OpSwitch:
    case spv::Op::OpReturn:
    case spv::Op::OpReturnValue:
    case spv::Op::OpKill:
    case spv::Op::OpTerminateInvocation:
    case spv::Op::OpIgnoreIntersectionKHR:
    case spv::Op::OpTerminateRayKHR:
    case spv::Op::OpEmitMeshTasksEXT:
    case spv::Op::OpUnreachable: return true;
    default: return false;
  }
}

}  // namespace

absl::Status FunctionReader::Read(const SpirvInst& inst, uint32_t offset) {
  switch (inst.op) {
    case spv::Op::OpFunction: return Begin(inst);
    case spv::Op::OpFunctionParameter: return Parameter(inst, offset);
    case spv::Op::OpFunctionEnd: return End();
    case spv::Op::OpLabel: return Label(inst);
    default: return Body(inst, offset);
  }
}

absl::Status FunctionReader::Finish() const {
  if (in_function_) return Invalid("the last function has no OpFunctionEnd", function_.id);
  return absl::OkStatus();
}

absl::Status FunctionReader::Begin(const SpirvInst& inst) {
  if (in_function_) return Invalid("function inside a function", inst.result);
  const SpirvType* type = m_.Type(inst.operand(4));
  if (type == nullptr || type->kind != SpirvType::kFunction || type->element != inst.type) {
    return Invalid("function's type is not a function type with its result type", inst.result);
  }
  in_function_ = true;
  in_block_ = false;
  function_ = SpirvFunction();
  function_.id = inst.result;
  function_.type = inst.operand(4);
  function_.return_type = inst.type;
  function_.first_block = static_cast<uint32_t>(m_.blocks.size());
  return m_.Define(inst.result, {SpirvDef::kFunction, index(), kNoValue, inst.type});
}

absl::Status FunctionReader::Parameter(const SpirvInst& inst, uint32_t offset) {
  const SpirvType& type = *m_.Type(function_.type);
  const size_t n = function_.parameters.size();
  if (m_.blocks.size() != function_.first_block || n >= type.count ||
      m_.members[type.first_member + n].type != inst.type) {
    return Invalid("function parameter does not match the function's type", inst.result);
  }
  function_.parameters.push_back(inst.result);
  function_.parameter_types.push_back(inst.type);
  return m_.Define(inst.result, {SpirvDef::kBody, offset, index(), inst.type});
}

absl::Status FunctionReader::End() {
  if (in_block_) return Invalid("block has no terminator", function_.id);
  if (function_.parameters.size() != m_.Type(function_.type)->count) {
    return Invalid("function has fewer parameters than its type", function_.id);
  }
  function_.end_block = static_cast<uint32_t>(m_.blocks.size());
  m_.functions.push_back(std::move(function_));
  in_function_ = false;
  return absl::OkStatus();
}

absl::Status FunctionReader::Label(const SpirvInst& inst) {
  if (in_block_) return Invalid("block has no terminator", inst.result);
  SpirvBlock block;
  block.label = inst.result;
  block.first = block.end = static_cast<uint32_t>(m_.body_offsets.size());
  const auto number = static_cast<uint32_t>(m_.blocks.size());
  if (absl::Status s = m_.Define(inst.result, {SpirvDef::kLabel, number, index()}); !s.ok()) {
    return s;
  }
  m_.blocks.push_back(block);
  in_block_ = true;
  return absl::OkStatus();
}

absl::Status FunctionReader::Body(const SpirvInst& inst, uint32_t offset) {
  const bool extended =
      inst.op == spv::Op::OpExtInst || inst.op == spv::Op::OpExtInstWithForwardRefsKHR;
  if (extended && m_.InstSet(inst.operand(3)) == ExtInstSet::kNonSemantic)
    return m_.Define(inst.result, {SpirvDef::kOther});
  if (!in_block_) return Invalid(OpText(inst.op) + " outside blocks", function_.id);
  if (inst.result != 0) {
    const SpirvDef def = {SpirvDef::kBody, offset, index(), inst.type};
    if (absl::Status s = m_.Define(inst.result, def); !s.ok()) return s;
  }
  SpirvBlock& block = m_.blocks.back();
  m_.body_offsets.push_back(offset);
  block.end = static_cast<uint32_t>(m_.body_offsets.size());
  if (inst.op == spv::Op::OpSelectionMerge || inst.op == spv::Op::OpLoopMerge) {
    if (block.merge != 0) return Invalid("two merge instructions in a block", block.label);
    block.merge = inst.operand(1);
    if (inst.op == spv::Op::OpLoopMerge) block.continue_target = inst.operand(2);
  }
  if (IsTerminator(inst.op)) in_block_ = false;
  return absl::OkStatus();
}

}  // namespace kiln::front
