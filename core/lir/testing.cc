#include "core/lir/testing.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>

#include "core/lir/build.h"

namespace kiln::lir::testing {

namespace {

constexpr Timing kPlainTiming = {.latency = 14};
constexpr Timing kMadTiming = {.latency = 18};
constexpr Timing kLoadTiming = {.latency = 200, .unit = 1, .busy = kTestLoadBusy};

struct Row {
  OpInfo info;
  Timing timing;
};
constexpr Row kRows[] = {
#define KILN_TEST_OP(op, text, flags, timing) {{text, flags}, timing},
#include "core/lir/testing_ops.def"
#undef KILN_TEST_OP
};
constexpr auto kOps = [] {
  std::array<OpInfo, kNumOps> ops;
  for (size_t k = 0; k < kNumOps; ++k) ops[k] = kRows[k].info;
  return ops;
}();

constexpr FileInfo kFiles[] = {{"G", 0, true}, {"U", 0, false}, {"F", 1, true, kU}};
constexpr PoolInfo kPools[] = {{"grf", 1024, 896, 8, 8, true}, {"flag", 4}};
constexpr PoolInfo kSmallPools[] = {{"grf", 256, 192, 8, 8, true}, {"flag", 4}};
constexpr std::string_view kTypes[] = {"ud", "f", "uw", "uq"};
constexpr std::string_view kFixed[] = {"null"};

uint32_t UnitsPerComp(const Function& f, const Value& v) {
  switch (v.file) {
    case kG: {
      const uint32_t bytes = uint32_t{f.dispatch_width} * v.elem_bytes;
      return bytes == 16 ? 4 : (bytes + 31u) / 32 * 8;  // packed 16-bit lanes: half a register
    }
    case kU: return 1;
    default: return (f.dispatch_width + 15u) / 16;
  }
}

uint32_t Alignment(const Function& f, const Value& v) {
  if (v.file == kF) return UnitsPerComp(f, v);
  if (v.file == kG) return std::min(8u, UnitsPerComp(f, v));
  return v.whole_registers ? 8 : 1;
}

// Allows the same as a machine that executes 8 lanes of 32 bits at a time.
bool MayReuseSource(const Function& f, InstId i, int def, int use) {
  const Operand& d = f.defs(i)[def];
  const Operand& u = f.uses(i)[use];
  if (!IsValue(d) || !IsValue(u)) return false;
  if (f.inst(i).op == kLoadOp) return false;
  const Value& dv = f.value(d.value());
  const Value& uv = f.value(u.value());
  return dv.file == uv.file && dv.elem_bytes == uv.elem_bytes;
}

Operand Place(uint32_t reg) {
  Operand o = ValueOperand(ValueId(), 0);
  o.reg = reg;
  return o;
}

InstFields PlaceFields(const Function& f, uint32_t units, bool no_mask) {
  InstFields fields;
  fields.width = f.dispatch_width;
  fields.flags = static_cast<uint8_t>(kInsertedCopy | (no_mask ? kNoMask : 0));
  fields.aux = units;
  return fields;
}

InstId MakeCopy(Function& f, const Value&, uint32_t to, uint32_t from, uint32_t units,
                bool no_mask) {
  const Operand d = Place(to), u = Place(from);
  return MakeInst(f, kMoveOp, PlaceFields(f, units, no_mask), {&d, 1}, {&u, 1});
}

int MakeSwap(Function& f, const Value&, uint32_t a, uint32_t b, uint32_t units, bool no_mask,
             absl::Span<InstId> out) {
  const uint32_t to[] = {a, b, a};
  for (int i = 0; i < 3; ++i) {
    const Operand d = Place(to[i]);
    const Operand uses[] = {Place(a), Place(b)};
    out[i] = MakeInst(f, kXorOp, PlaceFields(f, units, no_mask), {&d, 1}, uses);
  }
  return 3;
}

// An invented machine: a load has a long latency and keeps the only load unit busy; a multiply-add
// takes a little longer than the rest.
Timing TimingOf(const Machine&, const Function& f, InstId i) {
  Timing t = kRows[f.inst(i).op].timing;
  t.issue = f.inst(i).width > 8 ? 4 : 2;
  return t;
}

InstId WholeCopy(Function& f, Op op, ValueId to, ValueId from) {
  InstFields fields;
  fields.flags = kNoMask | kInsertedCopy;
  const Operand d = ValueOperand(to, 0), u = ValueOperand(from, 0);
  return MakeInst(f, op, fields, {&d, 1}, {&u, 1});
}
InstId MakeSave(Function& f, ValueId saved, ValueId flag) {
  return WholeCopy(f, kSaveOp, saved, flag);
}
InstId MakeRestore(Function& f, ValueId flag, ValueId saved) {
  return WholeCopy(f, kRestoreOp, flag, saved);
}

InstId MakeSpill(Function& f, const Operand& header, const Operand& payload, uint32_t place,
                 bool no_mask) {
  InstFields fields;
  fields.width = f.dispatch_width;
  fields.flags = no_mask ? kNoMask : 0;
  const Operand uses[] = {header, payload, ImmOperand(place, 0)};
  const bool none = header.kind == Operand::Kind::kNone;
  return MakeInst(f, kSpillOp, fields, {}, absl::MakeConstSpan(uses).subspan(none ? 1 : 0));
}
InstId MakeFill(Function& f, ValueId def, const Operand& header, uint32_t place) {
  InstFields fields;
  fields.width = f.dispatch_width;
  fields.flags = kNoMask;
  const Operand d = ValueOperand(def, 0, 0, f.value(def).comps);
  const Operand uses[] = {header, ImmOperand(place, 0)};
  const bool none = header.kind == Operand::Kind::kNone;
  return MakeInst(f, kFillOp, fields, {&d, 1}, absl::MakeConstSpan(uses).subspan(none ? 1 : 0));
}
Value RegisterValue() {
  Value v;
  v.file = kU;
  v.comps = 8;
  v.whole_registers = true;
  return v;
}
bool CanMask(const Function&, const Value& v) { return v.elem_bytes == 4; }
bool CanRepeat(const Function& f, InstId i) {
  const Inst& in = f.inst(i);
  return (in.op == kConstOp || in.op == kAddOp) && in.num_uses <= 2;
}
uint32_t Messages(uint32_t registers) { return (registers + 7) / 8; }

constexpr SpillHooks SpillTable(uint32_t direct_units) {
  SpillHooks h;
  h.direct_units = direct_units;
  h.make_spill = MakeSpill;
  h.make_fill = MakeFill;
  h.far_header_op = kFarHeaderOp;
  h.register_value = RegisterValue;
  h.can_mask = CanMask;
  h.can_repeat = CanRepeat;
  h.messages = Messages;
  return h;
}
constexpr SpillHooks kSpill[] = {SpillTable(1u << 20)};
constexpr SpillHooks kSmallSpill[] = {SpillTable(4096)};

constexpr Machine MakeMachine(absl::Span<const PoolInfo> pools,
                              absl::Span<const SpillHooks> spills) {
  return {"test",   kOps,     ClobberedBy(kOps), kFiles,     pools,          kTypes,   kFixed,
          nullptr,  nullptr,  UnitsPerComp,      Alignment,  MayReuseSource, MakeCopy, MakeSwap,
          TimingOf, MakeSave, MakeRestore,       kCollectOp, spills};
}

}  // namespace

const Machine& TestMachine() {
  static const Machine machine = MakeMachine(kPools, kSpill);
  return machine;
}

const Machine& SmallTestMachine() {
  static const Machine machine = MakeMachine(kSmallPools, kSmallSpill);
  return machine;
}

}  // namespace kiln::lir::testing
