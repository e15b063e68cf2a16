// Loads and stores local variables, leaf by leaf: a slot, dwords of a private array, or of a
// constant table. Arrays are of dwords: narrower values take one, wider ones two.
#include <algorithm>

#include "core/front/emit/emit.h"
#include "core/front/emit/pointers.h"
#include "core/front/state/private_arrays.h"

namespace kiln::front {
namespace {

constexpr size_t kRunDwords = 4;

class LocalEmitter : public Pointers {
 public:
  using Pointers::Pointers;

  bool LoadLocal(const Pointer& pointer, uint32_t count, Leaves* leaves);
  bool StoreLocal(const Pointer& pointer, absl::Span<const ValueId> leaves);

 private:
  bool LoadPrivateRun(const Pointer& pointer, const LocalVariable& v, uint32_t leaf, uint32_t count,
                      Leaves* leaves);
  bool StorePrivateRun(const Pointer& pointer, const LocalVariable& v, uint32_t leaf,
                       absl::Span<const ValueId> values);
  void ToDwords(ValueId v, uint32_t words, Leaves* dwords);
  ValueId FromDwords(absl::Span<const ValueId> dwords, mir::Type type);
};

}  // namespace

void LocalEmitter::ToDwords(ValueId v, uint32_t words, Leaves* dwords) {
  using mir::Op;
  const mir::Type type = TypeOf(v);
  if (type == mir::Type::kI64) {
    dwords->push_back(ConvertInt(v, mir::Type::kI32, false));
    dwords->push_back(ConvertInt(Emit(Op::kUshr, {v, Int(32)}), mir::Type::kI32, false));
    return;
  }
  if (type == mir::Type::kF64) return Recut(absl::MakeConstSpan(&v, 1), mir::Type::kI32, dwords);
  const bool narrow = mir::BitsOf(type) < 32 && type != mir::Type::kBool;
  dwords->push_back(narrow ? ConvertInt(AsInt(v), mir::Type::kI32, false) : ToMemory(v));
  if (words == 2) dwords->push_back(Int(0));
}

ValueId LocalEmitter::FromDwords(absl::Span<const ValueId> dwords, mir::Type type) {
  if (mir::BitsOf(type) == 64) {
    Leaves whole;
    Recut(dwords, type, &whole);
    return whole[0];
  }
  if (type == mir::Type::kBool || mir::BitsOf(type) == 32) return FromMemory(dwords[0], type);
  return FromInt(ConvertInt(dwords[0], mir::IntOfBits(mir::BitsOf(type)), false), type);
}

// Loads leaves [leaf, leaf + count) of one memory range, with the pointer's dynamic offset.
bool LocalEmitter::LoadPrivateRun(const Pointer& pointer, const LocalVariable& v, uint32_t leaf,
                                  uint32_t count, Leaves* leaves) {
  const auto* range = MemoryRange(v, leaf);
  if (range == nullptr || leaf + count > range->second) {
    return Fail(absl::InternalError("local access outside its private array"));
  }
  const bool constant = v.constant != 0;
  const uint32_t array = constant ? 0
                                  : c_.private_arrays.ArrayOf(
                                        v, static_cast<size_t>(range - v.memory.data()), module());
  const uint32_t base =
      constant ? c_.private_arrays.ConstantDataOf(v.constant, v.type, v.words, module()) +
                     4 * v.words * leaf
               : 4 * v.words * (leaf - range->first);
  std::vector<mir::Type> types;
  for (uint32_t i = 0; i < count * v.words; ++i) {
    const bool is_float = plan().slot_types[v.slot + leaf + i / v.words] == mir::Type::kF32;
    types.push_back(is_float && i % v.words == 0 ? mir::Type::kF32 : mir::Type::kI32);
  }
  const mir::InstId load =
      builder().Load(constant ? mir::Op::kLoadConstant : mir::Op::kLoadPrivate, array,
                     Offset(pointer, base), types, AlignmentOf(pointer, base, 4));
  for (uint32_t i = 0; i < count; ++i) {
    Leaves dwords;
    for (uint32_t w = 0; w < v.words; ++w) {
      dwords.push_back(module().result(load, static_cast<int>(i * v.words + w)));
    }
    leaves->push_back(FromDwords(dwords, plan().slot_types[v.slot + leaf + i]));
  }
  return Charge(count);
}

bool LocalEmitter::StorePrivateRun(const Pointer& pointer, const LocalVariable& v, uint32_t leaf,
                                   absl::Span<const ValueId> values) {
  const auto* range = MemoryRange(v, leaf);
  if (range == nullptr || leaf + values.size() > range->second) {
    return Fail(absl::InternalError("local access outside its private array"));
  }
  const uint32_t array =
      c_.private_arrays.ArrayOf(v, static_cast<size_t>(range - v.memory.data()), module());
  const uint32_t base = 4 * v.words * (leaf - range->first);
  Leaves dwords;
  for (ValueId value : values) ToDwords(value, v.words, &dwords);
  builder().Store(mir::Op::kStorePrivate, array, Offset(pointer, base), dwords,
                  AlignmentOf(pointer, base, 4));
  return Charge(values.size());
}

bool LocalEmitter::LoadLocal(const Pointer& pointer, uint32_t count, Leaves* leaves) {
  const LocalVariable& v = *plan().Variable(pointer.variable);
  if (pointer.component.valid()) count = pointer.component_count;
  if (count > v.leaves || pointer.offset > v.leaves - count) {
    return Malformed("access outside the variable", pointer.variable);
  }
  for (uint32_t leaf = pointer.offset; leaf < pointer.offset + count;) {
    const auto* range = MemoryRange(v, leaf);
    if (range != nullptr && (v.constant == 0 || pointer.dynamic.valid())) {
      const uint32_t end = std::min<uint32_t>(
          {pointer.offset + count, range->second, leaf + static_cast<uint32_t>(kRunDwords)});
      if (!LoadPrivateRun(pointer, v, leaf, end - leaf, leaves)) return false;
      leaf = end;
      continue;
    }
    if (pointer.dynamic.valid()) {
      return Fail(absl::InternalError("dynamic access to a variable in slots"));
    }
    if (v.constant != 0) {
      leaves->push_back(
          builder().Constant(plan().slot_types[v.slot + leaf],
                             spirv().ConstantLeaf(*spirv().Constant(v.constant), leaf)));
    } else {
      leaves->push_back(SlotValue(v.slot + leaf));
    }
    ++leaf;
  }
  if (pointer.component.valid()) {
    const ValueId value = SelectComponent(*leaves, pointer.component);
    leaves->assign(1, value);
  }
  return ok();
}

bool LocalEmitter::StoreLocal(const Pointer& pointer, absl::Span<const ValueId> leaves) {
  const LocalVariable& v = *plan().Variable(pointer.variable);
  if (v.constant != 0) return true;  // its only store, of the constant that loads return
  const auto count =
      static_cast<uint32_t>(pointer.component.valid() ? pointer.component_count : leaves.size());
  if (count > v.leaves || pointer.offset > v.leaves - count) {
    return Malformed("access outside the variable", pointer.variable);
  }
  if (pointer.component.valid()) {
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t slot = v.slot + pointer.offset + i;
      const ValueId is = Emit(mir::Op::kIeq, {pointer.component, Int(i)});
      const ValueId stored = Emit(mir::Op::kSelect, {is, leaves[0], SlotValue(slot)});
      c_.slots.Set(slot, UndefinedBeyond(pointer.component, count, stored));
    }
    return ok();
  }
  for (uint32_t i = 0; i < count;) {
    const uint32_t leaf = pointer.offset + i;
    const auto* range = MemoryRange(v, leaf);
    if (range == nullptr) {
      if (pointer.dynamic.valid()) {
        return Fail(absl::InternalError("dynamic access to a variable in slots"));
      }
      c_.slots.Set(v.slot + leaf, leaves[i++]);
      continue;
    }
    const uint32_t n =
        std::min<uint32_t>({count - i, range->second - leaf, static_cast<uint32_t>(kRunDwords)});
    if (!StorePrivateRun(pointer, v, leaf, leaves.subspan(i, n))) return false;
    i += n;
  }
  return ok();
}

bool LoadLocal(ImportContext& c, const Pointer& pointer, uint32_t count, Leaves* leaves) {
  return LocalEmitter(c).LoadLocal(pointer, count, leaves);
}

bool StoreLocal(ImportContext& c, const Pointer& pointer, absl::Span<const ValueId> leaves) {
  return LocalEmitter(c).StoreLocal(pointer, leaves);
}

}  // namespace kiln::front
