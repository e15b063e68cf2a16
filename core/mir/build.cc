#include "core/mir/build.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"

namespace kiln::mir {

RegionId NewRegion(Module& module) {
  module.regions.emplace_back();
  return RegionId(module.regions.size() - 1);
}

InstId NewInst(Module& module, Op op, absl::Span<const ValueId> sources, uint32_t imm0,
               uint32_t imm1) {
  Inst inst;
  inst.op = op;
  inst.imm0 = imm0;
  inst.imm1 = imm1;
  inst.num_regions = op == Op::kIf ? 2 : op == Op::kLoop ? 1 : 0;
  for (int r = 0; r < inst.num_regions; ++r) inst.regions[r] = NewRegion(module);
  module.insts.push_back(inst);
  const InstId id(module.insts.size() - 1);
  SetSources(module, id, sources);
  return id;
}

void SetSources(Module& module, InstId id, absl::Span<const ValueId> sources) {
  assert(sources.size() <= UINT16_MAX);
  Inst& inst = module.inst(id);
  if (sources.size() <= inst.num_sources) {
    // Overwrites the old sources in the pool. `sources` may overlap them: each is read before its
    // slot is written.
    for (size_t i = 0; i < sources.size(); ++i) module.operands[inst.first_source + i] = sources[i];
  } else {
    // Copies first: `sources` may point into the pool, which grows here.
    const absl::InlinedVector<ValueId, 16> copy(sources.begin(), sources.end());
    inst.first_source = static_cast<uint32_t>(module.operands.size());
    module.operands.insert(module.operands.end(), copy.begin(), copy.end());
  }
  inst.num_sources = static_cast<uint16_t>(sources.size());
}

void SetResults(Module& module, InstId id, absl::Span<const Type> types) {
  assert(types.size() <= UINT16_MAX);
  Inst& inst = module.inst(id);
  assert(inst.num_results == 0);
  inst.first_result = ValueId(module.values.size());
  inst.num_results = static_cast<uint16_t>(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    Value v;
    v.kind = Value::Kind::kResult;
    v.type = types[i];
    v.component = static_cast<uint16_t>(i);
    v.owner = id.index;
    module.values.push_back(v);
  }
}

ValueId AddParam(Module& module, RegionId region, Type type) {
  Value v;
  v.kind = Value::Kind::kParam;
  v.type = type;
  v.component = static_cast<uint16_t>(module.region(region).params.size());
  v.owner = region.index;
  module.values.push_back(v);
  const ValueId id(module.values.size() - 1);
  module.region(region).params.push_back(id);
  return id;
}

void KeepParams(Module& module, RegionId region, const std::vector<bool>& keep) {
  std::vector<ValueId>& params = module.region(region).params;
  assert(keep.size() == params.size());
  size_t n = 0;
  for (size_t i = 0; i < params.size(); ++i) {
    if (!keep[i]) continue;
    module.value(params[i]).component = static_cast<uint16_t>(n);
    params[n++] = params[i];
  }
  params.resize(n);
}

void KeepSources(Module& module, InstId id, const std::vector<bool>& keep) {
  Inst& inst = module.inst(id);
  assert(keep.size() == inst.num_sources);
  uint16_t n = 0;
  for (uint16_t i = 0; i < inst.num_sources; ++i) {
    if (keep[i]) module.operands[inst.first_source + n++] = module.operands[inst.first_source + i];
  }
  inst.num_sources = n;
}

uint32_t AddTexelOp(Module& module, const TexelOp& texel) {
  const auto it = std::find(module.texel_ops.begin(), module.texel_ops.end(), texel);
  const auto index = static_cast<uint32_t>(it - module.texel_ops.begin());
  if (it == module.texel_ops.end()) module.texel_ops.push_back(texel);
  return index;
}

Type ResultType(const Module& module, Op op, absl::Span<const ValueId> sources) {
  if (op == Op::kBitcast) {
    const Type type = module.value(sources[0]).type;
    return IsFloat(type) ? IntOfBits(BitsOf(type)) : FloatOfBits(BitsOf(type));
  }
  const std::string_view signature = Info(op).signature;
  switch (signature[0]) {
    case 'b': return Type::kBool;
    case 'u': return Type::kI32;
    case 's': return Type::kF32;
    case 'd': return Type::kF64;
    default: break;
  }
  if (op == Op::kImageAtomic) return Type::kI32;
  // The result has the type of the first source with the same letter.
  const size_t source = signature.find(signature[0], 2);
  if (source != signature.npos) return module.value(sources[source - 2]).type;
  assert(signature[0] == 'i' || signature[0] == 'f');
  return signature[0] == 'i' ? Type::kI32 : Type::kF32;
}

namespace {

[[maybe_unused]] bool TypeFits(const Module& module, char letter, ValueId v) {
  if (v.index >= module.values.size()) return false;
  const Type type = module.value(v).type;
  switch (letter) {
    case 'b': return type == Type::kBool;
    case 'u': return type == Type::kI32;
    case 's': return type == Type::kF32;
    case 'd': return type == Type::kF64;
    case 'i': return IsInt(type);
    case 'f': return IsFloat(type);
    case 'n': return !IsFloat(type);
    default: return true;
  }
}

[[maybe_unused]] bool SourcesFit(const Module& module, Op op, absl::Span<const ValueId> sources) {
  const OpInfo& info = Info(op);
  if (info.sources >= 0 && static_cast<size_t>(info.sources) != sources.size()) return false;
  std::string_view letters = info.signature.substr(info.signature.find('=') + 1);
  for (size_t i = 0; i < sources.size() && i < letters.size(); ++i) {
    if (!TypeFits(module, letters[i], sources[i])) return false;
    const size_t first = letters.find(letters[i]);
    if (letters[i] != '*' && module.value(sources[first]).type != module.value(sources[i]).type) {
      return false;
    }
  }
  return true;
}

}  // namespace

KeyTable::Found Builder::FindConstant(Type type, uint64_t bits, ValueId otherwise) {
  const uint32_t key[] = {static_cast<uint32_t>(type), static_cast<uint32_t>(bits),
                          static_cast<uint32_t>(bits >> 32)};
  return constants_.FindOrAdd(key, otherwise.index);
}

ValueId Builder::Constant(Type type, uint64_t bits) {
  assert((bits & ~MaskOf(type)) == 0);
  if (!has_constants_) {
    has_constants_ = true;
    for (size_t i = 0; i < m_.values.size(); ++i) {
      const Value& v = m_.values[i];
      if (v.kind == Value::Kind::kConstant) FindConstant(v.type, v.bits, ValueId(i));
    }
  }
  const KeyTable::Found found = FindConstant(type, bits, ValueId(m_.values.size()));
  if (found.added) {
    Value v;
    v.kind = Value::Kind::kConstant;
    v.type = type;
    v.bits = bits;
    m_.values.push_back(v);
  }
  return ValueId(*found.value);
}

ValueId Builder::Undef(Type type) {
  ValueId& id = undefs_[static_cast<int>(type)];
  if (!id.valid()) {
    Value v;
    v.kind = Value::Kind::kUndef;
    v.type = type;
    m_.values.push_back(v);
    id = ValueId(m_.values.size() - 1);
  }
  return id;
}

void Builder::Append(InstId inst) {
  if (list_ != nullptr) {
    list_->push_back(inst);
  } else {
    m_.region(region_).insts.push_back(inst);
  }
}

InstId Builder::EmitInst(Op op, absl::Span<const ValueId> sources, absl::Span<const Type> results,
                         uint32_t imm0, uint32_t imm1) {
  assert(SourcesFit(m_, op, sources));
  const InstId id = NewInst(m_, op, sources, imm0, imm1);
  m_.inst(id).spirv_id = spirv_id_;
  m_.inst(id).flags = flags_;
  if (!results.empty()) SetResults(m_, id, results);
  Append(id);
  return id;
}

ValueId Builder::Emit(Op op, absl::Span<const ValueId> sources, uint32_t imm0) {
  const Type type = ResultType(m_, op, sources);
  return m_.result(EmitInst(op, sources, absl::MakeConstSpan(&type, 1), imm0, 0));
}

ValueId Builder::Emit(Op op, std::initializer_list<ValueId> sources, uint32_t imm0) {
  return Emit(op, absl::MakeConstSpan(sources.begin(), sources.size()), imm0);
}

ValueId Builder::Convert(Op op, ValueId v, Type to) {
  return m_.result(EmitInst(op, absl::MakeConstSpan(&v, 1), absl::MakeConstSpan(&to, 1)));
}

InstId Builder::Load(Op op, uint32_t resource, ValueId offset, absl::Span<const Type> types,
                     uint32_t align) {
  return EmitInst(op, absl::MakeConstSpan(&offset, 1), types, resource, align);
}

InstId Builder::Store(Op op, uint32_t resource, ValueId offset, absl::Span<const ValueId> values,
                      uint32_t align) {
  std::vector<ValueId> sources = {offset};
  sources.insert(sources.end(), values.begin(), values.end());
  return EmitInst(op, sources, {}, resource, align);
}

ValueId Builder::Atomic(Op op, AtomicOp atomic, uint32_t resource, ValueId offset,
                        absl::Span<const ValueId> values, Type type) {
  std::vector<ValueId> sources = {offset};
  sources.insert(sources.end(), values.begin(), values.end());
  return m_.result(EmitInst(op, sources, absl::MakeConstSpan(&type, 1), resource,
                            static_cast<uint32_t>(atomic)));
}

InstId Builder::LoadGlobal(const Address& address, absl::Span<const Type> types, uint32_t align) {
  return EmitInst(Op::kLoadGlobal, address, types, 0, align);
}

InstId Builder::StoreGlobal(const Address& address, absl::Span<const ValueId> values,
                            uint32_t align) {
  std::vector<ValueId> sources(address.begin(), address.end());
  sources.insert(sources.end(), values.begin(), values.end());
  return EmitInst(Op::kStoreGlobal, sources, {}, 0, align);
}

ValueId Builder::GlobalAtomic(AtomicOp atomic, const Address& address,
                              absl::Span<const ValueId> values, Type type) {
  std::vector<ValueId> sources(address.begin(), address.end());
  sources.insert(sources.end(), values.begin(), values.end());
  return m_.result(EmitInst(Op::kGlobalAtomic, sources, absl::MakeConstSpan(&type, 1), 0,
                            static_cast<uint32_t>(atomic)));
}

InstId Builder::LoadInput(uint32_t input, uint32_t component, uint32_t count, ValueId element) {
  const std::vector<Type> types(count, m_.inputs[input].type);
  const InstId id = EmitInst(Op::kLoadInput, absl::MakeConstSpan(&element, element.valid()), types,
                             input, component);
  if (element.valid()) m_.inst(id).flags |= kIndexed;
  return id;
}

InstId Builder::LoadVertex(uint32_t input, uint32_t vertex, uint32_t component, uint32_t count,
                           ValueId element) {
  const std::vector<Type> types(count, m_.inputs[input].type);
  const InstId id = EmitInst(Op::kInterpolate, absl::MakeConstSpan(&element, element.valid()),
                             types, input, PackInterpolateAt(AtVertex(vertex), component));
  if (element.valid()) m_.inst(id).flags |= kIndexed;
  return id;
}

InstId Builder::StoreOutput(uint32_t output, uint32_t component, absl::Span<const ValueId> values,
                            ValueId element) {
  absl::InlinedVector<ValueId, 8> sources;
  if (element.valid()) sources.push_back(element);
  for (ValueId v : values) sources.push_back(v);
  const InstId id = EmitInst(Op::kStoreOutput, sources, {}, output, component);
  if (element.valid()) m_.inst(id).flags |= kIndexed;
  return id;
}

InstId Builder::If(ValueId condition) {
  return EmitInst(Op::kIf, absl::MakeConstSpan(&condition, 1), {});
}

InstId Builder::Loop(absl::Span<const ValueId> initial) {
  const InstId loop = EmitInst(Op::kLoop, initial, {});
  for (uint16_t i = 0; i < m_.inst(loop).num_sources; ++i) {
    AddParam(m_, m_.inst(loop).regions[0], m_.value(m_.source(loop, i)).type);
  }
  return loop;
}

int64_t CountInstructions(const Module& module) {
  int64_t n = 0;
  if (!module.body.valid()) return n;
  ForEachRegion(module, module.body, [&](RegionId r) { n += module.region(r).insts.size(); });
  return n;
}

bool HasValuesOf(const Module& module, Type type) {
  return std::any_of(module.values.begin(), module.values.end(),
                     [type](const Value& v) { return v.type == type; });
}

void Replacements::Replace(ValueId from, ValueId to) {
  if (from.index >= to_.size()) to_.resize(from.index + 1);
  assert(Find(to) != from);
  assert(!to_[from.index].valid());
  to_[from.index] = to;
  ++count_;
}

ValueId Replacements::FindReplaced(ValueId v) {
  ValueId root = v;
  while (root.index < to_.size() && to_[root.index].valid()) root = to_[root.index];
  // Path compression: keeps the total cost of following chains linear.
  while (v != root) {
    const ValueId next = to_[v.index];
    to_[v.index] = root;
    v = next;
  }
  return root;
}

int64_t Replacements::Apply(Module& module) {
  if (count_ == 0) return 0;
  int64_t changed = 0;
  for (ValueId& v : module.operands) {
    const ValueId to = Find(v);
    changed += to != v;
    v = to;
  }
  return changed;
}

int64_t RemoveInsts(Module& module, const BitSet& dead) {
  int64_t removed = 0;
  ForEachRegion(module, module.body, [&](RegionId r) {
    std::vector<InstId>& list = module.region(r).insts;
    size_t n = 0;
    for (InstId id : list) {
      if (id.index < dead.size() && dead.test(id.index)) continue;
      list[n++] = id;
    }
    removed += static_cast<int64_t>(list.size() - n);
    list.resize(n);
  });
  return removed;
}

namespace {

// Copies the live part of one module into another, in program order.
class Compactor {
 public:
  Compactor(const Module& from, Module& to) : from_(from), to_(to), map_(from.values.size()) {
    size_t insts = 0, operands = 0, results = 0;
    ForEachInst(from, from.body, [&](InstId id) {
      ++insts;
      operands += static_cast<size_t>(from.inst(id).num_sources);
      results += static_cast<size_t>(from.inst(id).num_results);
    });
    to.insts.reserve(insts);
    to.operands.reserve(operands);
    to.values.reserve(results);  // and constants
  }

  RegionId CopyRegion(RegionId old) {
    const RegionId copy = NewRegion(to_);
    for (ValueId p : from_.region(old).params) {
      map_[p.index] = AddParam(to_, copy, from_.value(p).type);
    }
    to_.region(copy).insts.reserve(from_.region(old).insts.size());
    for (InstId id : from_.region(old).insts) {
      const InstId inst = CopyInst(id);
      to_.region(copy).insts.push_back(inst);
    }
    return copy;
  }

 private:
  InstId CopyInst(InstId old) {
    const Inst& in = from_.inst(old);
    Inst copy = in;
    copy.first_source = static_cast<uint32_t>(to_.operands.size());
    copy.num_results = 0;
    copy.first_result = ValueId();
    for (ValueId v : from_.sources(old)) to_.operands.push_back(Map(v));
    to_.insts.push_back(copy);
    const InstId id(to_.insts.size() - 1);
    for (int r = 0; r < in.num_regions; ++r) {
      const RegionId region = CopyRegion(in.regions[r]);
      to_.inst(id).regions[r] = region;
    }
    absl::InlinedVector<Type, 8> types;
    for (int r = 0; r < in.num_results; ++r)
      types.push_back(from_.value(from_.result(old, r)).type);
    if (!types.empty()) SetResults(to_, id, types);
    for (int r = 0; r < in.num_results; ++r) {
      map_[from_.result(old, r).index] = to_.result(id, r);
    }
    return id;
  }

  ValueId Map(ValueId v) {
    if (!map_[v.index].valid()) {
      // Only constants and undefs are used without having been defined in the walk.
      assert(from_.value(v).kind == Value::Kind::kConstant ||
             from_.value(v).kind == Value::Kind::kUndef);
      to_.values.push_back(from_.value(v));
      map_[v.index] = ValueId(to_.values.size() - 1);
    }
    return map_[v.index];
  }

  const Module& from_;
  Module& to_;
  std::vector<ValueId> map_;
};

}  // namespace

void Compact(Module& module) {
  Module old = std::move(module);
  module = Module();
  module.stage = old.stage;
  module.entry_point = std::move(old.entry_point);
  module.fragment = old.fragment;
  module.inputs = std::move(old.inputs);
  module.outputs = std::move(old.outputs);
  module.f16_mode = old.f16_mode;
  module.f32_mode = old.f32_mode;
  module.f64_mode = old.f64_mode;
  module.needs = std::move(old.needs);
  module.local_size = old.local_size;
  module.shared_bytes = old.shared_bytes;
  module.push_constant_bytes = old.push_constant_bytes;
  module.local_size_id = old.local_size_id;
  module.shared_id = old.shared_id;
  module.push_constant_id = old.push_constant_id;
  module.constant_data = std::move(old.constant_data);
  module.resources = std::move(old.resources);
  module.private_arrays = std::move(old.private_arrays);
  module.texel_ops = std::move(old.texel_ops);
  module.body = Compactor(old, module).CopyRegion(old.body);
}

}  // namespace kiln::mir
