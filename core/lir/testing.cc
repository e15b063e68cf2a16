#include "core/lir/testing.h"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "core/lir/build.h"

namespace kiln::lir::testing {

namespace {

constexpr OpInfo kOps[] = {
    {"copy", kOpCopy},
    {"collect", kOpCollect},
    {"const", 0},
    {"add", kOpCommutative},
    {"mad", 0},
    {"cmp", 0},
    {"sel", 0},
    {"bcast", 0},
    {"ballot", 0},
    {"load", kOpSendLike | kOpReadsMemory},
    {"store", kOpSendLike | kOpWritesMemory | kOpSideEffect},
    {"barrier", kOpBarrier | kOpSideEffect},
    {"if", kOpTerminator},
    {"else", kOpTerminator},
    {"endif", kOpTerminator},
    {"break", kOpTerminator},
    {"cont", kOpTerminator},
    {"while", kOpTerminator},
    {"uif", kOpTerminator | kOpUniformJump},
    {"ujump", kOpTerminator | kOpUniformJump},
    {"end", kOpTerminator | kOpSideEffect},
    {"move", 0},
    {"xor", 0},
    {"exit", kOpExit | kOpSideEffect},
    {"save", 0},
    {"restore", 0},
};
static_assert(std::size(kOps) == kNumOps);

constexpr FileInfo kFiles[] = {{"G", 0, true}, {"U", 0, false}, {"F", 1, true, kU}};
constexpr PoolInfo kPools[] = {{"grf", 1024, 896}, {"flag", 4}};
constexpr PoolInfo kSmallPools[] = {{"grf", 256, 192}, {"flag", 4}};
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

// As on a machine that executes 8 lanes of 32 bits at a time.
bool MayReuseSource(const Function& f, InstId i, int def, int use) {
  const Operand& d = f.defs(i)[def];
  const Operand& u = f.uses(i)[use];
  if (d.kind != Operand::Kind::kValue || u.kind != Operand::Kind::kValue) return false;
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

void MakeSwap(Function& f, const Value&, uint32_t a, uint32_t b, uint32_t units, bool no_mask,
              absl::Span<InstId> out) {
  const uint32_t to[] = {a, b, a};
  for (int i = 0; i < 3; ++i) {
    const Operand d = Place(to[i]);
    const Operand uses[] = {Place(a), Place(b)};
    out[i] = MakeInst(f, kXorOp, PlaceFields(f, units, no_mask), {&d, 1}, uses);
  }
}

// Latencies of this invented machine: a load takes long, a multiply-add a little longer than the
// rest.
int Latency(const Function& f, InstId i) {
  switch (f.inst(i).op) {
    case kLoadOp: return 200;
    case kMadOp: return 18;
    default: return 14;
  }
}

int IssueCycles(const Function& f, InstId i) { return f.inst(i).width > 8 ? 4 : 2; }

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

constexpr Target MakeTarget(absl::Span<const PoolInfo> pools) {
  return {"test",    kOps,           kFiles,   pools,    kTypes,  kFixed,      UnitsPerComp,
          Alignment, MayReuseSource, MakeCopy, MakeSwap, Latency, IssueCycles, MakeSave,
          MakeRestore};
}

}  // namespace

const Target& TestTarget() {
  static const Target target = MakeTarget(kPools);
  return target;
}

const Target& SmallTestTarget() {
  static const Target target = MakeTarget(kSmallPools);
  return target;
}

}  // namespace kiln::lir::testing
