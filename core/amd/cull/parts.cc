#include "core/amd/cull/parts.h"

#include <bit>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/mid/values/remove_dead_code.h"
#include "core/mir/clone.h"

namespace kiln::amd {

using mir::InstId;
using mir::Op;
using mir::ValueId;

Parts::Parts(mir::Builder& b) : b_(b), m_(b.module()), body_(b.module().body) {
  output_ = static_cast<uint32_t>(m_.outputs.size());
  for (size_t i = 0; i < m_.outputs.size(); ++i) {
    if (m_.outputs[i].builtin == mir::BuiltIn::kPosition) output_ = static_cast<uint32_t>(i);
  }
  FindDistances();
}

namespace {

// Returns true for a value that no lane finds below 0.
bool NeverNegative(const mir::Value& v) {
  if (v.kind == mir::Value::Kind::kUndef) return true;
  return v.kind == mir::Value::Kind::kConstant &&
         !(std::bit_cast<float>(static_cast<uint32_t>(v.bits)) < 0);
}

}  // namespace

// The last store to an element counts. A store to an element that is chosen by value may be to any
// element of its output, whose distances then do not count.
void Parts::FindDistances() {
  std::map<std::pair<uint32_t, uint64_t>, ValueId> stored;  // by output and element
  std::set<uint32_t> unknown;
  for (const InstId id : m_.region(body_).insts) {
    const mir::Inst& inst = m_.inst(id);
    if (inst.op != Op::kStoreOutput) continue;
    const mir::BuiltIn to = m_.outputs[inst.imm0].builtin;
    if (to != mir::BuiltIn::kClipDistance && to != mir::BuiltIn::kCullDistance) continue;
    const bool indexed = (inst.flags & mir::kIndexed) != 0;
    if (indexed && !m_.IsConstant(m_.source(id, 0))) {
      unknown.insert(inst.imm0);
      continue;
    }
    const uint64_t element = indexed ? m_.value(m_.source(id, 0)).bits : 0;
    stored[{inst.imm0, element}] = m_.source(id, indexed ? 1 : 0);
  }
  for (const auto& [where, v] : stored) {
    if (!unknown.contains(where.first) && !NeverNegative(m_.value(v))) distances_.push_back(v);
  }
}

absl::Status Parts::Check() const {
  absl::Status status;
  for (const InstId id : m_.region(body_).insts) {
    for (int r = 0; r < m_.inst(id).num_regions; ++r) {
      mir::ForEachInst(m_, m_.inst(id).regions[r], [&](InstId inner) {
        if (m_.inst(inner).op != Op::kStoreOutput) return;
        status = absl::InternalError("cull_primitives: an output is stored under a condition");
      });
    }
  }
  return status;
}

// Returns the values that a body stores as the position, by component; invalid: undefined.
Position Parts::StoredPosition(const mir::Module& m) const {
  Position stored;
  for (const InstId id : m.region(body_).insts) {
    const mir::Inst& inst = m.inst(id);
    if (!StoresPosition(inst)) continue;
    for (int i = 0; i < inst.num_sources; ++i) {
      const ValueId v = m.source(id, i);
      if (m.value(v).kind == mir::Value::Kind::kUndef) continue;
      stored[inst.imm1 + static_cast<uint32_t>(i)] = v;
    }
  }
  return stored;
}

VertexNumbers Parts::NumbersOfRest(const VertexAbi& abi) const {
  VertexNumbers needs;
  mir::Module rest = m_;
  mir::Builder b(rest);
  mir::Replacements known(rest);
  for (const ValueId v : StoredPosition(rest)) {
    if (!v.valid() || rest.value(v).kind != mir::Value::Kind::kResult) continue;
    if (known.Find(v) == v) known.Replace(v, b.Float(0));
  }
  known.Apply(rest);
  mid::SweepDeadCode(rest);
  mir::ForEachInst(rest, rest.body, [&](InstId id) {
    if (rest.inst(id).op != Op::kLoadInput) return;
    switch (rest.inputs[rest.inst(id).imm0].builtin) {
      case mir::BuiltIn::kVertexIndex: needs.vertex = true; break;
      case mir::BuiltIn::kInstanceIndex: needs.instance = true; break;
      case mir::BuiltIn::kNone:  // attributes, of either
        needs.vertex |= abi.reads_vertex_id;
        needs.instance |= abi.reads_instance_id;
        break;
      default: break;
    }
  });
  return needs;
}

// Clones the program's body without its end and its stores of the position. Without `others` it has
// no store of other outputs either. Returns what the tested outputs are; components of the position
// that are not stored are invalid.
TestedOutputs Parts::CloneBody(bool others) {
  mir::Cloner cloner(m_);
  const std::vector<InstId> body = m_.region(body_).insts;
  for (const InstId id : body) {
    const mir::Inst& inst = m_.inst(id);
    if (inst.op == Op::kReturn || (inst.op == Op::kStoreOutput && !others)) continue;
    if (!StoresPosition(inst)) b_.Append(cloner.Copy(id));
  }
  TestedOutputs stored = {StoredPosition(m_), distances_};
  for (ValueId& v : stored.position) {
    if (v.valid()) v = cloner.Find(v);
  }
  for (ValueId& v : stored.distances) v = cloner.Find(v);
  return stored;
}

TestedOutputs Parts::CloneTested() {
  TestedOutputs tested = CloneBody(false);
  for (size_t c = 0; c < 4; ++c) {
    if (!tested.position[c].valid()) tested.position[c] = b_.Float(c == 3 ? 1 : 0);
  }
  return tested;
}

void Parts::CloneRest(const Position& position) {
  const Position computed = CloneBody(true).position;
  mir::Replacements replace(m_);
  for (size_t c = 0; c < 4; ++c) {
    const ValueId v = computed[c];
    const bool is_made = v.valid() && m_.value(v).kind == mir::Value::Kind::kResult;
    if (is_made && replace.Find(v) == v) replace.Replace(v, position[c]);
  }
  replace.Apply(m_);
  if (output_ < m_.outputs.size()) b_.StoreOutput(output_, 0, position);
}

}  // namespace kiln::amd
