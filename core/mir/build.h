// Construction and editing of MIR.
//
// Builder appends instructions to a region (or to a loose list, for a pass that rewrites a region)
// and deduplicates constants. It folds nothing: that is a pass. It checks by assertion that source
// types fit the op's signature; complete checking is the verifier's.
//
// Editing follows one style: passes collect replacements (value -> value) and removals, then apply
// each kind in one sweep over the module. There are no intrusive use lists to keep up to date.
//
// Pointers and spans into a Module are invalid after anything is created in it.
#ifndef KILN_CORE_MIR_BUILD_H_
#define KILN_CORE_MIR_BUILD_H_

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "core/base/bitset.h"
#include "core/base/key_table.h"
#include "core/mir/mir.h"

namespace kiln::mir {

// ---- Creation without a Builder (used by Builder, parser) ----

// A region without instructions.
RegionId NewRegion(Module& module);

// An instruction without results that is in no region yet. Its nested regions (2 for kIf, 1 for
// kLoop) are created with it.
InstId NewInst(Module& module, Op op, absl::Span<const ValueId> sources, uint32_t imm0 = 0,
               uint32_t imm1 = 0);

// Replaces the instruction's sources. Completes jumps and loops whose carried values become known
// late.
void SetSources(Module& module, InstId inst, absl::Span<const ValueId> sources);

// Gives the instruction consecutive result values of these types; it must have none so far.
void SetResults(Module& module, InstId inst, absl::Span<const Type> types);

// Appends a parameter to a loop body. Its first value must be appended to the loop's sources and
// its next ones to every continue.
ValueId AddParam(Module& module, RegionId region, Type type);

// Drops parameters / results for which keep[i] is false. The values must have no uses left; the
// caller also drops the matching sources of the loop and its jumps (KeepSources).
void KeepParams(Module& module, RegionId region, const std::vector<bool>& keep);
void KeepSources(Module& module, InstId inst, const std::vector<bool>& keep);

// Returns the index of an entry of Module::texel_ops that equals `texel`, adding it if there is
// none; linear in the number of entries.
uint32_t AddTexelOp(Module& module, const TexelOp& texel);

// Returns the type of the only result of a fixed op, from its signature and sources. Conversions
// between an integer and a float give 32 bits. The result type of ops that change a width (letters
// j, g) does not follow from their sources: Builder::Convert emits those.
Type ResultType(const Module& module, Op op, absl::Span<const ValueId> sources);

class Builder {
 public:
  // Constants that exist when the first one is requested are reused. The module must outlive the
  // builder. Only one builder at a time should create constants: those of another are not seen and
  // are duplicated, which is harmless.
  explicit Builder(Module& module) : m_(module) {}

  Module& module() { return m_; }

  // Sets the insertion point: the end of a region, or of a list owned by the caller.
  void SetRegion(RegionId region) {
    region_ = region;
    list_ = nullptr;
  }
  void SetList(std::vector<InstId>* list) {
    list_ = list;
    region_ = RegionId();
  }
  RegionId region() const { return region_; }

  // An insertion point, to be restored after building a nested region.
  struct InsertionPoint {
    RegionId region;
    std::vector<InstId>* list = nullptr;
  };
  InsertionPoint insertion_point() const { return {region_, list_}; }
  void SetInsertionPoint(const InsertionPoint& point) {
    region_ = point.region;
    list_ = point.list;
  }

  // Origin and InstFlags of the instructions emitted from now on.
  void set_spirv_id(uint32_t id) { spirv_id_ = id; }
  uint32_t spirv_id() const { return spirv_id_; }
  void set_flags(uint16_t flags) { flags_ = flags; }

  // Constants; equal ones share one value.
  ValueId Constant(Type type, uint64_t bits);
  ValueId Int(uint32_t x) { return Constant(Type::kI32, x); }
  ValueId Float(float x) { return Constant(Type::kF32, std::bit_cast<uint32_t>(x)); }
  ValueId Double(double x) { return Constant(Type::kF64, std::bit_cast<uint64_t>(x)); }
  // A constant of any integer type; bits beyond its width are dropped.
  ValueId IntOf(Type type, int64_t x) {
    return Constant(type, static_cast<uint64_t>(x) & MaskOf(type));
  }
  ValueId Bool(bool x) { return Constant(Type::kBool, x); }
  ValueId Undef(Type type);

  // Appends an existing instruction (such as one created by NewInst).
  void Append(InstId inst);

  // Emits any instruction. This general form takes the types of the results.
  InstId EmitInst(Op op, absl::Span<const ValueId> sources, absl::Span<const Type> results,
                  uint32_t imm0 = 0, uint32_t imm1 = 0);
  // Emits an op with one result whose type follows from the signature.
  ValueId Emit(Op op, std::initializer_list<ValueId> sources, uint32_t imm0 = 0);
  ValueId Emit(Op op, absl::Span<const ValueId> sources, uint32_t imm0 = 0);

  // Emits a conversion whose result type does not follow from its source: zext, sext, trunc, f2f,
  // f2i, f2u, i2f, u2f, bitcast.
  ValueId Convert(Op op, ValueId v, Type to);

#define KILN_MIR_NULLARY(Name) \
  ValueId Name() { return Emit(Op::k##Name, {}); }
#define KILN_MIR_COMPONENT(Name) \
  ValueId Name(uint32_t component) { return Emit(Op::k##Name, {}, component); }
#define KILN_MIR_UNARY(Name) \
  ValueId Name(ValueId a) { return Emit(Op::k##Name, {a}); }
#define KILN_MIR_BINARY(Name) \
  ValueId Name(ValueId a, ValueId b) { return Emit(Op::k##Name, {a, b}); }
#define KILN_MIR_TERNARY(Name) \
  ValueId Name(ValueId a, ValueId b, ValueId c) { return Emit(Op::k##Name, {a, b, c}); }

  KILN_MIR_BINARY(Iadd)
  KILN_MIR_BINARY(Isub)
  KILN_MIR_BINARY(Imul)
  KILN_MIR_BINARY(UmulHigh)
  KILN_MIR_BINARY(SmulHigh)
  KILN_MIR_BINARY(Udiv)
  KILN_MIR_BINARY(Sdiv)
  KILN_MIR_BINARY(Urem)
  KILN_MIR_BINARY(Srem)
  KILN_MIR_BINARY(Smod)
  KILN_MIR_UNARY(Ineg)
  KILN_MIR_UNARY(Iabs)
  KILN_MIR_UNARY(Isign)
  KILN_MIR_BINARY(Imin)
  KILN_MIR_BINARY(Imax)
  KILN_MIR_BINARY(Umin)
  KILN_MIR_BINARY(Umax)
  KILN_MIR_BINARY(And)
  KILN_MIR_BINARY(Or)
  KILN_MIR_BINARY(Xor)
  KILN_MIR_UNARY(Not)
  KILN_MIR_BINARY(Shl)
  KILN_MIR_BINARY(Ushr)
  KILN_MIR_BINARY(Ashr)
  KILN_MIR_BINARY(UaddCarry)
  KILN_MIR_BINARY(UsubBorrow)
  ValueId BitfieldInsert(ValueId base, ValueId insert, ValueId offset, ValueId count) {
    return Emit(Op::kBitfieldInsert, {base, insert, offset, count});
  }
  KILN_MIR_TERNARY(UbitfieldExtract)
  KILN_MIR_TERNARY(SbitfieldExtract)
  KILN_MIR_UNARY(BitReverse)
  KILN_MIR_UNARY(BitCount)
  KILN_MIR_UNARY(FindLsb)
  KILN_MIR_UNARY(FindUmsb)
  KILN_MIR_UNARY(FindSmsb)
  KILN_MIR_BINARY(Ieq)
  KILN_MIR_BINARY(Ine)
  KILN_MIR_BINARY(Slt)
  KILN_MIR_BINARY(Sge)
  KILN_MIR_BINARY(Ult)
  KILN_MIR_BINARY(Uge)
  KILN_MIR_BINARY(Feq)
  KILN_MIR_BINARY(Fne)
  KILN_MIR_BINARY(Flt)
  KILN_MIR_BINARY(Fge)
  KILN_MIR_BINARY(Fadd)
  KILN_MIR_BINARY(Fsub)
  KILN_MIR_BINARY(Fmul)
  KILN_MIR_TERNARY(Ffma)
  KILN_MIR_BINARY(Fdiv)
  KILN_MIR_BINARY(Frem)
  KILN_MIR_BINARY(Fmod)
  KILN_MIR_UNARY(Fneg)
  KILN_MIR_UNARY(Fabs)
  KILN_MIR_UNARY(Fsign)
  KILN_MIR_BINARY(Fmin)
  KILN_MIR_BINARY(Fmax)
  KILN_MIR_UNARY(Fsaturate)
  KILN_MIR_UNARY(Ffloor)
  KILN_MIR_UNARY(Fceil)
  KILN_MIR_UNARY(Ftrunc)
  KILN_MIR_UNARY(FroundEven)
  KILN_MIR_UNARY(Ffract)
  KILN_MIR_UNARY(Fsqrt)
  KILN_MIR_UNARY(Frsq)
  KILN_MIR_UNARY(Frcp)
  KILN_MIR_UNARY(Fexp2)
  KILN_MIR_UNARY(Flog2)
  KILN_MIR_UNARY(Fsin)
  KILN_MIR_UNARY(Fcos)
  KILN_MIR_BINARY(Fpow)
  KILN_MIR_UNARY(F2i)
  KILN_MIR_UNARY(F2u)
  KILN_MIR_UNARY(I2f)
  KILN_MIR_UNARY(U2f)
  KILN_MIR_UNARY(Bitcast)
  KILN_MIR_UNARY(F2f16)
  KILN_MIR_UNARY(F16f)
  KILN_MIR_BINARY(PackF64)
  KILN_MIR_UNARY(F64Low)
  KILN_MIR_UNARY(F64High)
  KILN_MIR_TERNARY(Select)
  KILN_MIR_COMPONENT(WorkgroupId)
  KILN_MIR_COMPONENT(NumWorkgroups)
  KILN_MIR_COMPONENT(BaseWorkgroup)
  KILN_MIR_NULLARY(LocalIndex)
  KILN_MIR_NULLARY(SubgroupId)
  KILN_MIR_NULLARY(SubgroupInvocation)
  ValueId SsboSize(uint32_t resource) { return Emit(Op::kSsboSize, {}, resource); }

#undef KILN_MIR_NULLARY
#undef KILN_MIR_COMPONENT
#undef KILN_MIR_UNARY
#undef KILN_MIR_BINARY
#undef KILN_MIR_TERNARY

  // A load of consecutive elements; the results are module().result(inst, i). `align` is the known
  // alignment of the offset in bytes.
  InstId Load(Op op, uint32_t resource, ValueId offset, absl::Span<const Type> types,
              uint32_t align = 4);
  InstId Store(Op op, uint32_t resource, ValueId offset, absl::Span<const ValueId> values,
               uint32_t align = 4);
  // op: kSsboAtomic or kSharedAtomic; values: {value}, {comparator, value}, or none for a load.
  ValueId Atomic(Op op, AtomicOp atomic, uint32_t resource, ValueId offset,
                 absl::Span<const ValueId> values, Type type = Type::kI32);
  // Memory ops by 64-bit address: low half, high half.
  using Address = std::array<ValueId, 2>;
  InstId LoadGlobal(const Address& address, absl::Span<const Type> types, uint32_t align);
  InstId StoreGlobal(const Address& address, absl::Span<const ValueId> values, uint32_t align);
  ValueId GlobalAtomic(AtomicOp atomic, const Address& address, absl::Span<const ValueId> values,
                       Type type = Type::kI32);

  // Graphics stages: access consecutive components of one element of Module::inputs or outputs.
  // `element` is given for arrays only.
  InstId LoadInput(uint32_t input, uint32_t component, uint32_t count, ValueId element = {});
  // The same of a per-vertex input: the value of one of its vertices.
  InstId LoadVertex(uint32_t input, uint32_t vertex, uint32_t component, uint32_t count,
                    ValueId element = {});
  InstId StoreOutput(uint32_t output, uint32_t component, absl::Span<const ValueId> values,
                     ValueId element = {});
  ValueId Derivative(Op op, ValueId v, DerivativeMode mode) {
    return Emit(op, {v}, static_cast<uint32_t>(mode));
  }
  // op: kDemote, kDiscard, kTerminate.
  void Kill(Op op, ValueId condition) { EmitInst(op, {condition}, {}); }
  ValueId HelperInvocation() { return Emit(Op::kHelperInvocation, {}); }

  // Structured control flow. If and Loop append the instruction and leave the insertion point
  // unchanged. The caller fills module().inst(i).regions[], ends them with Yield / Break /
  // Continue, and sets the results (types of the values yielded or broken with) by SetResults once
  // they are known.
  InstId If(ValueId condition);
  InstId Loop(absl::Span<const ValueId> initial = {});  // creates a param for each initial value
  void Yield(absl::Span<const ValueId> values = {}) { EmitInst(Op::kYield, values, {}); }
  void Break(absl::Span<const ValueId> values = {}) { EmitInst(Op::kBreak, values, {}); }
  void Continue(absl::Span<const ValueId> values = {}) { EmitInst(Op::kContinue, values, {}); }
  void Return() { EmitInst(Op::kReturn, {}, {}); }
  void Unreachable() { EmitInst(Op::kUnreachable, {}, {}); }

 private:
  KeyTable::Found FindConstant(Type type, uint64_t bits, ValueId otherwise);

  Module& m_;
  RegionId region_;
  std::vector<InstId>* list_ = nullptr;
  uint32_t spirv_id_ = 0;
  uint16_t flags_ = 0;
  KeyTable constants_;          // by type and bits
  bool has_constants_ = false;  // the module's existing constants are in the table
  ValueId undefs_[kNumTypes];
};

// ---- Walking ----

// Calls fn(InstId) for the instructions of a region and of those nested in it, in program order,
// an owner before its regions. fn may create instructions but not change the lists being walked.
template <class Fn>
void ForEachInst(const Module& module, RegionId region, Fn&& fn) {
  for (size_t i = 0; i < module.region(region).insts.size(); ++i) {
    const InstId inst = module.region(region).insts[i];
    fn(inst);
    for (int r = 0; r < module.inst(inst).num_regions; ++r) {
      ForEachInst(module, module.inst(inst).regions[r], fn);
    }
  }
}

// Calls fn(RegionId) for a region and those nested in it, outer first.
template <class Fn>
void ForEachRegion(const Module& module, RegionId region, Fn&& fn) {
  fn(region);
  for (size_t i = 0; i < module.region(region).insts.size(); ++i) {
    const InstId inst = module.region(region).insts[i];
    for (int r = 0; r < module.inst(inst).num_regions; ++r) {
      ForEachRegion(module, module.inst(inst).regions[r], fn);
    }
  }
}

// Instructions in the body, terminators and nested ones included.
int64_t CountInstructions(const Module& module);

// Returns true if the module has values of the type, dead ones included. If not, a pass that lowers
// the type has nothing to do.
bool HasValuesOf(const Module& module, Type type);

// Calls fn(InstId) for every jump of this loop: breaks and continues of nested loops are excluded.
template <class Fn>
void ForEachJumpOfLoop(const Module& module, RegionId region, Fn&& fn) {
  for (size_t i = 0; i < module.region(region).insts.size(); ++i) {
    const InstId id = module.region(region).insts[i];
    const Inst& inst = module.inst(id);
    if (inst.op == Op::kBreak || inst.op == Op::kContinue) fn(id);
    if (inst.op == Op::kIf) {
      ForEachJumpOfLoop(module, inst.regions[0], fn);
      ForEachJumpOfLoop(module, inst.regions[1], fn);
    }
  }
}

// ---- Editing ----

// Value replacements, collected first and applied to the whole module at once.
class Replacements {
 public:
  explicit Replacements(const Module& module) : to_(module.values.size()) {}

  // Replaces every use of `from` by `to`, or by the replacement of `to` if it gets one, before or
  // later. A chain must not lead back to `from`.
  void Replace(ValueId from, ValueId to);
  // Returns the current replacement of v, or v itself.
  ValueId Find(ValueId v) {
    if (v.index >= to_.size() || !to_[v.index].valid()) return v;
    return FindReplaced(v);
  }
  // Replaces the sources of one instruction.
  void Resolve(Module& module, InstId inst) {
    for (ValueId& v : module.sources(inst)) v = Find(v);
  }
  bool empty() const { return count_ == 0; }
  // Rewrites all operands, one linear sweep. Returns the number of operands changed.
  int64_t Apply(Module& module);

 private:
  ValueId FindReplaced(ValueId v);

  std::vector<ValueId> to_;  // invalid: itself
  int64_t count_ = 0;
};

// Takes the instructions whose bit is set out of their regions, with their nested regions. Returns
// the number taken out (nested ones not counted).
int64_t RemoveInsts(Module& module, const BitSet& dead);

// Rebuilds the arrays so that only live instructions, regions and values remain, in program order.
// Ids change, so no side array indexed by them may be in use.
void Compact(Module& module);

}  // namespace kiln::mir

#endif  // KILN_CORE_MIR_BUILD_H_
