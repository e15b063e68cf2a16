#include "core/amd/select/atomics.h"

#include "absl/container/inlined_vector.h"
#include "core/amd/select/barriers.h"

namespace kiln::amd {
namespace {

// The opcodes of an atomic operation: on buffers and addresses (for 32 and 64 bits), on shared
// memory without and with the old value.
struct Row {
  mir::AtomicOp op;
  Opcode buffer, buffer64, global, global64;
  Opcode shared, shared_rtn, shared64, shared64_rtn;
};

#define KILN_ROW(op, name, ds, ds_rtn, ds64, ds64_rtn)                                            \
  {                                                                                               \
    mir::AtomicOp::op, Opcode::kBufferAtomic##name, Opcode::kBufferAtomic##name##X2,              \
        Opcode::kGlobalAtomic##name, Opcode::kGlobalAtomic##name##X2, Opcode::ds, Opcode::ds_rtn, \
        Opcode::ds64, Opcode::ds64_rtn                                                            \
  }
constexpr Opcode kNone = Opcode::kSNop;
constexpr Row kRows[] = {
    KILN_ROW(kAdd, Add, kDsAddU32, kDsAddRtnU32, kDsAddU64, kDsAddRtnU64),
    KILN_ROW(kSub, Sub, kDsSubU32, kDsSubRtnU32, kDsSubU64, kDsSubRtnU64),
    KILN_ROW(kSmin, Smin, kDsMinI32, kDsMinRtnI32, kDsMinI64, kDsMinRtnI64),
    KILN_ROW(kUmin, Umin, kDsMinU32, kDsMinRtnU32, kDsMinU64, kDsMinRtnU64),
    KILN_ROW(kSmax, Smax, kDsMaxI32, kDsMaxRtnI32, kDsMaxI64, kDsMaxRtnI64),
    KILN_ROW(kUmax, Umax, kDsMaxU32, kDsMaxRtnU32, kDsMaxU64, kDsMaxRtnU64),
    KILN_ROW(kAnd, And, kDsAndB32, kDsAndRtnB32, kDsAndB64, kDsAndRtnB64),
    KILN_ROW(kOr, Or, kDsOrB32, kDsOrRtnB32, kDsOrB64, kDsOrRtnB64),
    KILN_ROW(kXor, Xor, kDsXorB32, kDsXorRtnB32, kDsXorB64, kDsXorRtnB64),
    KILN_ROW(kExchange, Swap, kDsWrxchgRtnB32, kDsWrxchgRtnB32, kDsWrxchgRtnB64, kDsWrxchgRtnB64),
    KILN_ROW(kCompareExchange, Cmpswap, kDsCmpstB32, kDsCmpstRtnB32, kDsCmpstB64, kDsCmpstRtnB64),
    KILN_ROW(kFmin, Fmin, kDsMinF32, kDsMinRtnF32, kDsMinF64, kDsMinRtnF64),
    KILN_ROW(kFmax, Fmax, kDsMaxF32, kDsMaxRtnF32, kDsMaxF64, kDsMaxRtnF64),
    {mir::AtomicOp::kFadd, kNone, kNone, kNone, kNone, Opcode::kDsAddF32, Opcode::kDsAddRtnF32,
     kNone, kNone},
};
#undef KILN_ROW

const Row* RowOf(mir::AtomicOp op) {
  for (const Row& row : kRows) {
    if (row.op == op) return &row;
  }
  return nullptr;
}

// Returns the operation by which one without an instruction of its own is done, and its operand:
// increments add 1.
mir::AtomicOp Replaced(mir::AtomicOp op, std::optional<uint32_t>* operand) {
  switch (op) {
    case mir::AtomicOp::kIncrement: *operand = 1; return mir::AtomicOp::kAdd;
    case mir::AtomicOp::kDecrement: *operand = 1; return mir::AtomicOp::kSub;
    default: return op;
  }
}

}  // namespace

// `old` has one or two dwords; results are a value of the type, or a pair (kGlobalAtomic64).
void Atomics::SetResult(mir::InstId id, const Operand& old, bool wide) {
  if (m_.inst(id).num_results == 2) {
    e_.Set(m_.result(id, 0), e_.Component(old, 0));
    e_.Set(m_.result(id, 1), e_.Component(old, 1));
    return;
  }
  Operand result = old;
  result.comps = wide ? 2 : 1;
  e_.Set(m_.result(id), result);
}

// Aligned accesses of four and eight bytes are atomic by themselves; loads with GLC and DLC and
// stores with GLC go to the level of the device (LLVM 19, AMDGPUUsage, memory model of GFX10:
// atomic loads; Mesa 25.0.7, ac_shader_util.c, ac_get_hw_cache_flags, for the bits of stores). LDS
// has one level. An atomic load is in order with all other accesses, since two of one place must
// be.
void Atomics::Load(mir::InstId id, Location location, bool wide) {
  if (e_.UsedMask(id) == 0) return;
  if (location.space != Space::kShared) location.cache = kGlc | kDlc;
  KeepOrder(e_);
  const uint32_t dwords = wide ? 2 : 1;
  const VectorMemory::Dwords loaded =
      memory_.Load(location, 4 * dwords, {dwords, (1u << dwords) - 1});
  SetResult(id, e_.Vector(loaded, kFileV), wide);
}

void Atomics::Store(mir::InstId id, Location location, int first, bool pairs, bool wide) {
  if (location.space != Space::kShared) location.cache = kGlc;
  VectorMemory::Dwords values;
  for (int half = 0; half < (wide ? 2 : 1); ++half) {
    const mir::ValueId v = m_.source(id, first + (pairs ? half : 0));
    values.push_back(wide && !pairs ? e_.Half(v, half) : e_.Src(v));
  }
  memory_.Store(location, 4 * static_cast<uint32_t>(values.size()), 0, values);
}

absl::Status Atomics::VisitAtomic(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  int next = 0;
  const Location location = addresses_.Of(id, &next);
  std::optional<uint32_t> given;
  const auto asked = static_cast<mir::AtomicOp>(inst.imm1);
  const mir::AtomicOp op = Replaced(asked, &given);
  const Row* row = RowOf(op);
  const bool pairs = inst.op == mir::Op::kGlobalAtomic64 || inst.op == mir::Op::kSharedAtomic64;
  const bool wide = pairs || e_.BitsOf(m_.result(id)) == 64;
  if (asked == mir::AtomicOp::kLoad || asked == mir::AtomicOp::kStore) {
    if (asked == mir::AtomicOp::kLoad) {
      Load(id, location, wide);
    } else {
      Store(id, location, next, pairs, wide);
    }
    return absl::OkStatus();
  }
  if (row == nullptr) return e_.Unexpected("an atomic that has no instruction");
  // Operands as dwords: comparator first.
  absl::InlinedVector<Operand, 4> operands;
  if (given) {
    operands.push_back(Imm(*given));
    if (wide) operands.push_back(Imm(0));
  }
  for (int i = next; i < inst.num_sources; ++i) {
    const mir::ValueId v = m_.source(id, i);
    if (wide && !pairs) {
      operands.push_back(e_.Half(v, 0));
      operands.push_back(e_.Half(v, 1));
    } else {
      operands.push_back(e_.Src(v));
    }
  }
  const bool compares = op == mir::AtomicOp::kCompareExchange;
  const size_t half = wide ? 2 : 1;
  const bool used = e_.UsedMask(id) != 0;
  if (location.space == Space::kShared) {
    const Opcode opcode =
        used ? (wide ? row->shared64_rtn : row->shared_rtn) : (wide ? row->shared64 : row->shared);
    if (opcode == kNone) return e_.Unexpected("an atomic that has no instruction");
    const Addresses::Address a = addresses_.At(location, 0);
    const auto all = absl::MakeConstSpan(operands);
    const Operand data = e_.Vector(all.subspan(0, half), kFileV);
    const Operand second = compares ? e_.Vector(all.subspan(half), kFileV) : lir::NoOperand();
    const bool returns = isa::Info(opcode).dst != isa::Type::kN;
    if (!returns) {
      e_.EmitRaw(Op(opcode), {}, {a.vaddr, data, second}, a.extra);
      return absl::OkStatus();
    }
    const Operand def = Use(e_.New(kFileV, static_cast<int>(half)), 0, static_cast<int>(half));
    e_.EmitRaw(Op(opcode), {def}, {a.vaddr, data, second}, a.extra);
    SetResult(id, def, wide);
    return absl::OkStatus();
  }
  const bool buffer = location.space == Space::kBuffer;
  const Opcode opcode =
      buffer ? (wide ? row->buffer64 : row->buffer) : (wide ? row->global64 : row->global);
  if (opcode == kNone) return e_.Unexpected("an atomic that has no instruction");
  // The value comes before the comparator.
  absl::InlinedVector<Operand, 4> data;
  if (compares) data.assign(operands.begin() + static_cast<long>(half), operands.end());
  data.insert(data.end(), operands.begin(),
              compares ? operands.begin() + static_cast<long>(half) : operands.end());
  Addresses::Address a = addresses_.At(location, 0);
  if (used) a.extra.cache |= kGlc;
  const Operand vector = e_.Vector(data, kFileV);
  if (!buffer) {
    const Operand def = Use(e_.New(kFileV, static_cast<int>(half)), 0, static_cast<int>(half));
    if (used) {
      e_.EmitRaw(Op(opcode), {def}, {a.vaddr, vector, a.soffset}, a.extra);
      SetResult(id, def, wide);
    } else {
      e_.EmitRaw(Op(opcode), {}, {a.vaddr, vector, a.soffset}, a.extra);
    }
    return absl::OkStatus();
  }
  if (!used) {
    e_.EmitRaw(Op(opcode), {}, {a.vaddr, a.resource, a.soffset, vector}, a.extra);
    return absl::OkStatus();
  }
  const auto comps = static_cast<int>(data.size());
  const Operand def = Use(e_.New(kFileV, comps), 0, comps);
  e_.EmitRaw(Op(opcode), {def}, {a.vaddr, a.resource, a.soffset, vector}, a.extra);
  SetResult(id, def, wide);
  return absl::OkStatus();
}

}  // namespace kiln::amd
