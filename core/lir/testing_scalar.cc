#include "core/lir/testing_scalar.h"

#include <array>
#include <cstddef>

#include "core/lir/build.h"

namespace kiln::lir::testing {

namespace {

constexpr uint8_t kClobbersScc = 1 << kPoolScc;
constexpr int8_t kNotTied = OpInfo::kNotTied;
constexpr uint8_t kLds = 1;

constexpr Timing kVector = {.latency = 5};
constexpr Timing kScalar = {.latency = 2};
constexpr Timing kVectorLoad = {.latency = 300, .unit = 1, .busy = 4};
constexpr Timing kScalarLoad = {.latency = 100, .unit = 1, .busy = 4};
constexpr Timing kLdsLoad = {.latency = 60, .unit = 2, .busy = 4};

struct Row {
  OpInfo info;
  Timing timing;
};
constexpr Row kRows[] = {
#define KILN_SCALAR_OP(op, text, flags, clobbers, tied, memory_class, timing) \
  {{text, flags, clobbers, tied, memory_class}, timing},
#include "core/lir/testing_scalar_ops.def"
#undef KILN_SCALAR_OP
};
constexpr auto kOps = [] {
  std::array<OpInfo, kNumScalarOps> ops;
  for (size_t k = 0; k < kNumScalarOps; ++k) ops[k] = kRows[k].info;
  return ops;
}();

constexpr uint8_t kNoFile = FileInfo::kNoFile;
constexpr FileInfo kFiles[] = {{"V", kPoolV, true, kNoFile, true},
                               {"S", kPoolS},
                               {"M", kPoolS, true, kNoFile, false, kClobbersScc},
                               {"VCC", kPoolVcc, false, kFileM},
                               {"SCC", kPoolScc, false, kFileS},
                               {"W", kPoolV}};
constexpr PoolInfo kPools[] = {
    {"v", kVectorUnits}, {"s", kScalarUnits, 0, 1, 2}, {"vcc", 2}, {"scc", 1}};
constexpr std::string_view kTypes[] = {"b32"};
enum Fixed : uint32_t { kTemporary };
constexpr std::string_view kFixed[] = {"tmp"};

uint32_t MaskUnits(const Function& f) { return f.dispatch_width / 32; }

uint32_t UnitsPerComp(const Function& f, const Value& v) {
  switch (v.file) {
    case kFileV:
    case kFileW: return v.elem_bytes == 8 ? 2 : 1;
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
  switch (f.inst(i).op) {
    case kVLoadOp:
    case kSLoadOp:
    case kWScanOp:  // writes the scratch register first
    case kMergeLanesOp: return false;
    default: break;
  }
  const Value& dv = f.value(d.value());
  const Value& uv = f.value(u.value());
  return dv.file == uv.file && dv.elem_bytes == uv.elem_bytes && d.comps == u.comps;
}

Operand Place(uint32_t reg) {
  Operand o = ValueOperand(ValueId(), 0);
  o.reg = reg;
  return o;
}

bool InVectors(const Value& v) { return v.file == kFileV || v.file == kFileW; }

InstFields PlaceFields(const Function& f, const Value& v, bool no_mask) {
  InstFields fields;
  fields.width = f.dispatch_width;
  fields.flags = kInsertedCopy;
  if (no_mask || !kFiles[v.file].masked_writes) fields.flags |= kNoMask;
  return fields;
}

InstId MakeCopy(Function& f, const Value& v, uint32_t to, uint32_t from, uint32_t, bool no_mask) {
  const Operand d = Place(to), u = Place(from);
  const InstFields fields = PlaceFields(f, v, no_mask);
  const bool merges = v.file == kFileM && !no_mask;
  return MakeInst(f,
                  InVectors(v) ? kVMoveOp
                  : merges     ? kMaskMergeOp
                               : kSMoveOp,
                  fields, {&d, 1}, {&u, 1});
}

int MakeSwap(Function& f, const Value& v, uint32_t a, uint32_t b, uint32_t, bool no_mask,
             absl::Span<InstId> out) {
  const InstFields fields = PlaceFields(f, v, no_mask);
  const bool merges = v.file == kFileM && !no_mask;
  if (InVectors(v) || merges) {
    const Operand defs[] = {Place(a), Place(b)}, uses[] = {Place(b), Place(a)};
    out[0] = MakeInst(f, merges ? kMaskSwapOp : kVSwapOp, fields, defs, uses);
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
  Timing t = kRows[f.inst(i).op].timing;
  if (t.latency == kVector.latency && f.dispatch_width == 64) t.issue = 2;
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
  const Value v = f.value(payload.value());
  const Operand uses[] = {payload, ImmOperand(place, 0)};
  if (v.file != kFileM || no_mask) {
    return MakeInst(f, InVectors(v) ? kScratchStoreOp : kWriteLanesOp, fields, {}, uses);
  }
  f.values.push_back(v);
  f.values.back().comps = 1;
  const Operand scratch = ValueOperand(ValueId(f.values.size() - 1), 0);
  return MakeInst(f, kMergeLanesOp, fields, {&scratch, 1}, uses);
}
InstId MakeFill(Function& f, ValueId def, const Operand&, uint32_t place) {
  InstFields fields;
  fields.width = f.dispatch_width;
  const Operand d = ValueOperand(def, 0, 0, f.value(def).comps), use = ImmOperand(place, 0);
  return MakeInst(f, InVectors(f.value(def)) ? kScratchLoadOp : kReadLanesOp, fields, {&d, 1},
                  {&use, 1});
}

bool CanMask(const Function&, const Value& v) { return v.file == kFileV || v.file == kFileM; }
bool CanRepeat(const Function& f, InstId i) {
  const uint16_t op = f.inst(i).op;
  return op == kVConstOp || op == kSConstOp || op == kVAddOp || op == kSAddOp || op == kWConstOp;
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
  return {"scalar", kOps,     ClobberedBy(kOps), kFiles,      kPools,         kTypes,   kFixed,
          nullptr,  nullptr,  UnitsPerComp,      Alignment,   MayReuseSource, MakeCopy, MakeSwap,
          TimingOf, MakeSave, MakeRestore,       kSCollectOp, kSpills};
}

}  // namespace

const Machine& ScalarTestMachine() {
  static constexpr Machine machine = MakeMachine();
  return machine;
}

}  // namespace kiln::lir::testing
