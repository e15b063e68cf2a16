#include "core/lir/testing_scalar.h"

#include <iterator>

#include "core/lir/build.h"

namespace kiln::lir::testing {

namespace {

constexpr uint8_t kClobbersScc = 1 << kPoolScc;
constexpr int8_t kNotTied = OpInfo::kNotTied;
constexpr uint8_t kLds = 1;

constexpr OpInfo kOps[] = {
    {"v_copy", kOpCopy},
    {"s_copy", kOpCopy},
    {"collect", kOpCollect},
    {"v_const"},
    {"v_add", kOpCommutative},
    {"v_mad"},
    {"v_mac", 0, 0, 2},
    {"v_cmp", kOpAcrossLanes},
    {"v_cmp_vcc", kOpAcrossLanes},
    {"v_sel"},
    {"v_sel_vcc"},
    {"v_broadcast"},
    {"read_first", kOpAcrossLanes},
    {"s_const"},
    {"s_add", kOpCommutative, kClobbersScc},
    {"s_mul", kOpCommutative},
    {"s_add_carry", kOpCommutative},
    {"s_cmp"},
    {"s_sel"},
    {"mask_and", kOpCommutative, kClobbersScc},
    {"v_load", kOpSendLike | kOpReadsMemory},
    {"v_store", kOpSendLike | kOpWritesMemory | kOpSideEffect},
    {"s_load", kOpReadsMemory},
    {"lds_load", kOpReadsMemory, 0, kNotTied, kLds},
    {"lds_store", kOpWritesMemory | kOpSideEffect, 0, kNotTied, kLds},
    {"s_barrier", kOpBarrier | kOpSideEffect},
    {"mask_if", kOpTerminator, kClobbersScc},
    {"mask_else", kOpTerminator, kClobbersScc},
    {"mask_endif", kOpTerminator, kClobbersScc},
    {"mask_break", kOpTerminator, kClobbersScc},
    {"mask_cont", kOpTerminator, kClobbersScc},
    {"mask_while", kOpTerminator, kClobbersScc},
    {"scc_if", kOpTerminator | kOpUniformJump},
    {"s_jump", kOpTerminator | kOpUniformJump},
    {"s_end", kOpTerminator | kOpSideEffect},
    {"mask_exit", kOpExit | kOpSideEffect, kClobbersScc},
    {"v_move"},
    {"s_move"},
    {"v_swap"},
    {"save_scc"},
    {"restore_scc"},
    {"save_vcc"},
    {"restore_vcc"},
    {"write_lanes", kOpSpill},
    {"read_lanes", kOpFill},
    {"scratch_store", kOpWritesMemory | kOpSideEffect | kOpSpill},
    {"scratch_load", kOpReadsMemory | kOpFill},
};
static_assert(std::size(kOps) == kNumScalarOps);

constexpr uint8_t kNoFile = FileInfo::kNoFile;
constexpr FileInfo kFiles[] = {{"V", kPoolV, true, kNoFile, true},
                               {"S", kPoolS},
                               {"M", kPoolS},
                               {"VCC", kPoolVcc, false, kFileM},
                               {"SCC", kPoolScc, false, kFileS}};
constexpr PoolInfo kPools[] = {
    {"v", kVectorUnits}, {"s", kScalarUnits, 0, 1, 2}, {"vcc", 2}, {"scc", 1}};
constexpr std::string_view kTypes[] = {"b32"};
enum Fixed : uint32_t { kTemporary };
constexpr std::string_view kFixed[] = {"tmp"};

uint32_t MaskUnits(const Function& f) { return f.dispatch_width / 32; }

uint32_t UnitsPerComp(const Function& f, const Value& v) {
  switch (v.file) {
    case kFileV: return v.elem_bytes == 8 ? 2 : 1;
    case kFileM:
    case kFileVcc: return MaskUnits(f);
    default: return 1;
  }
}

uint32_t Alignment(const Function& f, const Value& v) {
  switch (v.file) {
    case kFileS: return v.comps >= 4 ? 4 : v.comps >= 2 ? 2 : 1;
    case kFileM: return MaskUnits(f);
    case kFileVcc: return 2;  // half of it is none
    default: return 1;
  }
}

bool MayReuseSource(const Function& f, InstId i, int def, int use) {
  const Operand& d = f.defs(i)[def];
  const Operand& u = f.uses(i)[use];
  if (!IsValue(d) || !IsValue(u)) return false;
  if (f.inst(i).op == kVLoadOp || f.inst(i).op == kSLoadOp) return false;
  const Value& dv = f.value(d.value());
  const Value& uv = f.value(u.value());
  return dv.file == uv.file && dv.elem_bytes == uv.elem_bytes && d.comps == u.comps;
}

Operand Place(uint32_t reg) {
  Operand o = ValueOperand(ValueId(), 0);
  o.reg = reg;
  return o;
}

InstFields PlaceFields(const Function& f, const Value& v) {
  InstFields fields;
  fields.width = f.dispatch_width;
  fields.flags = kInsertedCopy;
  if (v.file != kFileV) fields.flags |= kNoMask;
  return fields;
}

InstId MakeCopy(Function& f, const Value& v, uint32_t to, uint32_t from, uint32_t, bool no_mask) {
  const Operand d = Place(to), u = Place(from);
  InstFields fields = PlaceFields(f, v);
  if (no_mask) fields.flags |= kNoMask;
  return MakeInst(f, v.file == kFileV ? kVMoveOp : kSMoveOp, fields, {&d, 1}, {&u, 1});
}

int MakeSwap(Function& f, const Value& v, uint32_t a, uint32_t b, uint32_t, bool,
             absl::Span<InstId> out) {
  const InstFields fields = PlaceFields(f, v);
  if (v.file == kFileV) {
    const Operand defs[] = {Place(a), Place(b)}, uses[] = {Place(b), Place(a)};
    out[0] = MakeInst(f, kVSwapOp, fields, defs, uses);
    return 1;
  }
  const Operand temporary = FixedOperand(kTemporary, 0);
  const Operand to[] = {temporary, Place(a), Place(b)}, from[] = {Place(a), Place(b), temporary};
  for (size_t k = 0; k < 3; ++k) {
    out[k] = MakeInst(f, kSMoveOp, fields, {&to[k], 1}, {&from[k], 1});
  }
  return 3;
}

// Vector arithmetic takes two cycles of issue at 64 lanes; a load keeps the load unit busy.
Timing TimingOf(const Machine&, const Function& f, InstId i) {
  Timing t;
  const uint16_t op = f.inst(i).op;
  t.latency = op <= kVBroadcastOp && op != kSCopyOp ? 5 : 2;
  if (t.latency == 5 && f.dispatch_width == 64) t.issue = 2;
  if (op == kVLoadOp || op == kSLoadOp || op == kLdsLoadOp) {
    t.latency = op == kVLoadOp ? 300 : op == kSLoadOp ? 100 : 60;
    t.unit = op == kLdsLoadOp ? 2 : 1;
    t.busy = 4;
  }
  return t;
}

InstId WholeCopy(Function& f, ScalarOp op, ValueId to, ValueId from) {
  InstFields fields;
  fields.flags = kNoMask | kInsertedCopy;
  const Operand d = ValueOperand(to, 0), u = ValueOperand(from, 0);
  return MakeInst(f, op, fields, {&d, 1}, {&u, 1});
}
InstId MakeSave(Function& f, ValueId saved, ValueId flag) {
  return WholeCopy(f, f.value(flag).file == kFileScc ? kSaveSccOp : kSaveVccOp, saved, flag);
}
InstId MakeRestore(Function& f, ValueId flag, ValueId saved) {
  return WholeCopy(f, f.value(flag).file == kFileScc ? kRestoreSccOp : kRestoreVccOp, flag, saved);
}

InstId MakeSpill(Function& f, const Operand&, const Operand& payload, uint32_t place,
                 bool no_mask) {
  InstFields fields;
  fields.width = f.dispatch_width;
  fields.flags = no_mask ? kNoMask : 0;
  const bool v = f.value(payload.value()).file == kFileV;
  const Operand uses[] = {payload, ImmOperand(place, 0)};
  return MakeInst(f, v ? kScratchStoreOp : kWriteLanesOp, fields, {}, uses);
}
InstId MakeFill(Function& f, ValueId def, const Operand&, uint32_t place) {
  InstFields fields;
  fields.width = f.dispatch_width;
  const bool v = f.value(def).file == kFileV;
  const Operand d = ValueOperand(def, 0, 0, f.value(def).comps), use = ImmOperand(place, 0);
  return MakeInst(f, v ? kScratchLoadOp : kReadLanesOp, fields, {&d, 1}, {&use, 1});
}

bool CanMask(const Function&, const Value& v) { return v.file == kFileV; }
bool CanRepeat(const Function& f, InstId i) {
  const uint16_t op = f.inst(i).op;
  return op == kVConstOp || op == kSConstOp || op == kVAddOp || op == kSAddOp;
}

constexpr SpillHooks SpillTable(ScalarPool pool) {
  SpillHooks h;
  h.pool = pool;
  h.register_units = 1;
  h.direct_units = 1u << 20;
  h.make_spill = MakeSpill;
  h.make_fill = MakeFill;
  h.can_mask = CanMask;
  h.can_repeat = CanRepeat;
  h.messages = [](uint32_t registers) { return registers; };
  return h;
}
constexpr SpillHooks ToLanes() {
  SpillHooks h = SpillTable(kPoolS);
  h.to_pool = kPoolV;
  h.places_per_unit = [](const Function& f) { return uint32_t{f.dispatch_width}; };
  return h;
}
constexpr SpillHooks kSpills[] = {ToLanes(), SpillTable(kPoolV)};

constexpr Machine MakeMachine() {
  return {"scalar", kOps,     kFiles,       kPools,      kTypes,         kFixed,
          nullptr,  nullptr,  UnitsPerComp, Alignment,   MayReuseSource, MakeCopy,
          MakeSwap, TimingOf, MakeSave,     MakeRestore, kSCollectOp,    kSpills};
}

}  // namespace

const Machine& ScalarTestMachine() {
  static constexpr Machine machine = MakeMachine();
  return machine;
}

}  // namespace kiln::lir::testing
