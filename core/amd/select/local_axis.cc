#include "core/amd/select/local_axis.h"

#include <bit>
#include <cstdint>

namespace kiln::amd {
namespace {

using mir::Op;

// Bits of the local index from `first` on, `mask` of them (after the shift).
struct Field {
  uint32_t first = 0;
  uint32_t mask = ~0u;
};

std::optional<mir::InstId> DefinitionOf(const mir::Module& m, mir::ValueId v) {
  if (m.value(v).kind != mir::Value::Kind::kResult) return std::nullopt;
  return mir::InstId(m.value(v).owner);
}

// Returns the field that the value is of the local index.
std::optional<Field> FieldOf(const mir::Module& m, mir::ValueId v) {
  const auto def = DefinitionOf(m, v);
  if (!def) return std::nullopt;
  const mir::Inst& inst = m.inst(*def);
  if (inst.op == Op::kLocalIndex) return Field{};
  if (inst.op != Op::kAnd && inst.op != Op::kUshr) return std::nullopt;
  const mir::ValueId amount = m.source(*def, 1);
  if (!m.IsConstant(amount) || m.value(v).type != mir::Type::kI32) return std::nullopt;
  const auto constant = static_cast<uint32_t>(m.value(amount).bits);
  std::optional<Field> field = FieldOf(m, m.source(*def, 0));
  if (!field || field->mask != ~0u) return std::nullopt;
  if (inst.op == Op::kAnd) {
    field->mask = constant;
  } else {
    field->first += constant & 31;
  }
  return field;
}

}  // namespace

std::optional<int> LocalAxisOf(const mir::Module& m, mir::InstId id) {
  const Op op = m.inst(id).op;
  if (op != Op::kAnd && op != Op::kUshr) return std::nullopt;
  const std::optional<Field> field = FieldOf(m, m.result(id));
  if (!field) return std::nullopt;
  uint32_t stride = 1;  // of the axis
  for (int axis = 0; axis < 3; ++axis) {
    const uint32_t size = m.local_size[axis];
    const uint32_t above = m.local_size[0] * m.local_size[1] * m.local_size[2] / (stride * size);
    const bool masked = std::has_single_bit(size) && field->mask == size - 1;
    const bool whole = above == 1 && field->mask == ~0u;
    if (size > 1 && stride == (uint64_t{1} << field->first) && (masked || whole)) return axis;
    stride *= size;
  }
  return std::nullopt;
}

}  // namespace kiln::amd
