#include "core/front/spirv/spirv_spec_ops.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "core/front/check/coverage.h"
#include "core/front/check/refusal.h"
#include "core/front/spirv/spirv_constant_ops.h"

namespace kiln::front {
namespace {

using spv::Op;

bool MovesParts(Op op) {
  return op == Op::OpCompositeExtract || op == Op::OpCompositeInsert || op == Op::OpVectorShuffle;
}

// Evaluates one operation. `type`: the result's type.
class SpecOp {
 public:
  SpecOp(SpirvModule& module, const SpirvInst& inst, const SpirvType& type)
      : m_(module), inst_(inst), op_(static_cast<Op>(inst.operand(3))), type_(type) {}

  absl::Status Evaluate(SpirvConstant& c);

 private:
  // Gets the constant that a word of the instruction names. Null: it is unsupported, and so is `c`.
  absl::Status Operand(size_t word, SpirvConstant& c, const SpirvConstant** operand) const;
  absl::Status Arithmetic(SpirvConstant& c);
  absl::Status Select(const std::array<SpirvConstant, 3>& operands, bool one_condition);
  absl::Status PartsMoved(SpirvConstant& c);
  absl::Status Extract();
  absl::Status Insert();
  absl::Status Shuffle();
  absl::Status Path(size_t first, uint32_t type_id, uint32_t* type, uint32_t* leaf) const;
  uint32_t ScalarWidth(const SpirvType& type) const;
  uint32_t LeavesOf(const SpirvConstant& c) const { return m_.Type(c.type)->leaves; }
  void Push(uint64_t bits) { m_.constant_leaves.push_back(bits); }

  SpirvModule& m_;
  const SpirvInst& inst_;
  const Op op_;
  const SpirvType& type_;
};

absl::Status SpecOp::Evaluate(SpirvConstant& c) {
  if (MovesParts(op_)) return PartsMoved(c);
  if (CauseOf(op_).empty()) return Arithmetic(c);
  c.kind = SpirvConstant::kUnsupported;
  c.cause = CauseOf(op_);
  return absl::OkStatus();
}

absl::Status SpecOp::Operand(size_t word, SpirvConstant& c, const SpirvConstant** operand) const {
  *operand = m_.Constant(inst_.operand(word));
  if (*operand == nullptr) return Invalid("operand is not a constant", inst_.result);
  if ((*operand)->kind == SpirvConstant::kUnsupported) {
    c.kind = SpirvConstant::kUnsupported;
    c.cause = (*operand)->cause;
    *operand = nullptr;
  }
  return absl::OkStatus();
}

absl::Status SpecOp::Arithmetic(SpirvConstant& c) {
  const size_t count = inst_.size() - 4;
  if (count == 0 || count > 3)
    return Invalid("OpSpecConstantOp has the wrong number of operands", inst_.result);
  std::array<SpirvConstant, 3> operands;
  std::array<uint32_t, 3> leaves = {};
  for (size_t i = 0; i < count; ++i) {
    const SpirvConstant* operand = nullptr;
    if (absl::Status s = Operand(4 + i, c, &operand); !s.ok()) return s;
    if (operand == nullptr) return absl::OkStatus();
    operands[i] = *operand;
    leaves[i] = LeavesOf(*operand);
    const bool scalar_condition = op_ == Op::OpSelect && i == 0 && leaves[0] == 1;
    if (leaves[i] != type_.leaves && !scalar_condition) {
      return Invalid("operand does not match the result's type", inst_.result);
    }
  }
  if (op_ == Op::OpSelect) return Select(operands, leaves[0] == 1);
  if (type_.kind != SpirvType::kVector && type_.kind != SpirvType::kInt &&
      type_.kind != SpirvType::kFloat && type_.kind != SpirvType::kBool) {
    return Invalid("arithmetic on a type that is neither a scalar nor a vector", inst_.result);
  }
  for (uint32_t leaf = 0; leaf < type_.leaves; ++leaf) {
    std::array<uint64_t, 3> values = {};
    for (size_t i = 0; i < count; ++i) {
      values[i] = m_.ConstantLeaf(operands[i], leaves[i] == 1 ? 0 : leaf);
    }
    uint64_t result = 0;
    const uint32_t width = ScalarWidth(*m_.Type(operands[0].type));
    if (!EvaluateFloat(op_, ScalarWidth(type_), width, values[0], &result) &&
        !EvaluateScalar(op_, ScalarWidth(type_), width, absl::MakeConstSpan(values).first(count),
                        &result)) {
      c.kind = SpirvConstant::kUnsupported;
      c.cause = "kernel";
      return absl::OkStatus();
    }
    Push(result);
  }
  return absl::OkStatus();
}

// Selects between values of any type; for composites other than vectors there is one condition.
absl::Status SpecOp::Select(const std::array<SpirvConstant, 3>& operands, bool one_condition) {
  const bool whole = type_.kind != SpirvType::kVector || one_condition;
  if (operands[1].type != inst_.type || operands[2].type != inst_.type ||
      (whole && !one_condition) || ScalarWidth(*m_.Type(operands[0].type)) != 1) {
    return Invalid("operand does not match the result's type", inst_.result);
  }
  for (uint32_t leaf = 0; leaf < type_.leaves; ++leaf) {
    const bool chosen = m_.ConstantLeaf(operands[0], one_condition ? 0 : leaf) != 0;
    Push(m_.ConstantLeaf(operands[chosen ? 1 : 2], leaf));
  }
  return absl::OkStatus();
}

absl::Status SpecOp::PartsMoved(SpirvConstant& c) {
  const size_t end = op_ == Op::OpCompositeExtract ? 5 : 6;
  for (size_t word = 4; word < end; ++word) {
    const SpirvConstant* operand = nullptr;
    if (absl::Status s = Operand(word, c, &operand); !s.ok()) return s;
    if (operand == nullptr) return absl::OkStatus();
  }
  if (op_ == Op::OpCompositeExtract) return Extract();
  if (op_ == Op::OpCompositeInsert) return Insert();
  if (inst_.size() - 6 != type_.leaves)
    return Invalid("shuffle's number of components differs from its type's", inst_.result);
  return Shuffle();
}

// Follows literal indices from word `first` on; returns the type reached and its first leaf.
absl::Status SpecOp::Path(size_t first, uint32_t type_id, uint32_t* type, uint32_t* leaf) const {
  *leaf = 0;
  for (size_t i = first; i < inst_.size(); ++i) {
    const SpirvType& t = *m_.Type(type_id);
    const uint32_t index = inst_.words[i];
    if (index >= t.count) return Invalid("index outside the composite", inst_.result);
    if (t.kind == SpirvType::kStruct) {
      *leaf += m_.members[t.first_member + index].leaf;
      type_id = m_.members[t.first_member + index].type;
    } else if (t.kind == SpirvType::kVector || t.kind == SpirvType::kMatrix ||
               t.kind == SpirvType::kArray) {
      *leaf += index * m_.Type(t.element)->leaves;
      type_id = t.element;
    } else {
      return Invalid("index into a type that is not a composite", inst_.result);
    }
  }
  *type = type_id;
  return absl::OkStatus();
}

absl::Status SpecOp::Extract() {
  const SpirvConstant base = *m_.Constant(inst_.operand(4));
  uint32_t reached = 0;
  uint32_t leaf = 0;
  if (absl::Status s = Path(5, base.type, &reached, &leaf); !s.ok()) return s;
  if (reached != inst_.type)
    return Invalid("extracted element is not of the result type", inst_.result);
  for (uint32_t i = 0; i < type_.leaves; ++i) Push(m_.ConstantLeaf(base, leaf + i));
  return absl::OkStatus();
}

absl::Status SpecOp::Insert() {
  const SpirvConstant object = *m_.Constant(inst_.operand(4));
  const SpirvConstant base = *m_.Constant(inst_.operand(5));
  uint32_t reached = 0;
  uint32_t leaf = 0;
  if (absl::Status s = Path(6, base.type, &reached, &leaf); !s.ok()) return s;
  if (reached != object.type || base.type != inst_.type) {
    return Invalid("inserted object is not of the element's type", inst_.result);
  }
  const uint32_t inserted = LeavesOf(object);
  const uint32_t total = LeavesOf(base);
  for (uint32_t i = 0; i < total; ++i) {
    const bool inside = i >= leaf && i - leaf < inserted;
    Push(inside ? m_.ConstantLeaf(object, i - leaf) : m_.ConstantLeaf(base, i));
  }
  return absl::OkStatus();
}

absl::Status SpecOp::Shuffle() {
  const SpirvConstant a = *m_.Constant(inst_.operand(4));
  const SpirvConstant b = *m_.Constant(inst_.operand(5));
  const uint32_t na = LeavesOf(a);
  const uint32_t nb = LeavesOf(b);
  if (m_.Type(a.type)->kind != SpirvType::kVector || m_.Type(b.type)->kind != SpirvType::kVector) {
    return Invalid("shuffle of an operand that is not a vector", inst_.result);
  }
  for (size_t i = 6; i < inst_.size(); ++i) {
    const uint32_t index = inst_.words[i];
    if (index != kNoValue && index >= na + nb)
      return Invalid("shuffle index exceeds the number of components", inst_.result);
    uint64_t value = 0;  // value of an undefined component
    if (index < na) value = m_.ConstantLeaf(a, index);
    if (index >= na && index < na + nb) value = m_.ConstantLeaf(b, index - na);
    Push(value);
  }
  return absl::OkStatus();
}

// Returns the width of a scalar or of a vector's components; 1 for bools.
uint32_t SpecOp::ScalarWidth(const SpirvType& type) const {
  const SpirvType& scalar = type.kind == SpirvType::kVector ? *m_.Type(type.element) : type;
  return scalar.kind == SpirvType::kInt || scalar.kind == SpirvType::kFloat ? scalar.width : 1;
}

}  // namespace

absl::Status EvaluateSpecOp(SpirvModule& module, const SpirvInst& inst, const SpirvType& type,
                            SpirvConstant& c) {
  return SpecOp(module, inst, type).Evaluate(c);
}

}  // namespace kiln::front
