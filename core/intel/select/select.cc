// Values, operands and emission of instruction selection.
//
// Operand rules applied here (BSpec "EU instruction formats"; the same hold in Mesa's binaries):
// an immediate may stand only in the last source of one- and two-source instructions, never in
// math, and three-source instructions take registers here (their 16-bit immediates are an
// optimisation of core/intel/legalise).
#include "core/intel/select/selector.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/intel/select/select.h"

namespace kiln::intel {

Selector::Selector(const mir::Module& m, const Abi& abi, const WidthAbi& at_width)
    : m_(m), abi_(abi), at_width_(at_width), width_(at_width.width), divergence_(m, mid::UniformFor::kOneRegister), map_(m.values.size()) {
  f_.dispatch_width = static_cast<uint8_t>(at_width.width);
}

absl::StatusOr<lir::Function> Selector::Run() {
  Enter(b_.NewBlock());
  DeclareLiveIns();
  FindStoredBools();
  if (absl::Status s = VisitRegion(m_.body); !s.ok()) return s;
  EndThread();
  std::vector<lir::InstId>& first = f_.blocks[0].insts;
  first.insert(first.begin(), prologue_.begin(), prologue_.end());
  SortBlocks();
  return std::move(f_);
}

void Selector::EndThread() {
  lir::InstFields fields = Fields(Where::kUniform);
  fields.width = 8;
  const lir::ValueId payload = NewRegisters(1);
  f_.value(payload).in_tail = true;
  EmitRaw(Op(Opcode::kMov), fields, {Def(payload, Type::kUD)}, {Use(r0_, Type::kUD, 0, 8)});
  EmitRaw(kEot, fields, {}, {Use(payload, Type::kUD, 0, 8)});
}

absl::StatusOr<lir::Function> Select(const mir::Module& module, const Abi& abi, const WidthAbi& at_width) {
  return Selector(module, abi, at_width).Run();
}

absl::Status Selector::Refuse(const mir::Inst& inst, KnownCause cause,
                              std::string_view why) const {
  const std::string text =
      absl::StrCat("compute: ", std::string(mir::Info(inst.op).name), ": ", std::string(why),
                   " (SPIR-V id ", inst.spirv_id, ")");
  return WithSpirvId(WithCause(absl::UnimplementedError(text), cause), inst.spirv_id);
}

absl::Status Selector::Unexpected(const mir::Inst& inst, std::string_view why) const {
  const std::string text =
      absl::StrCat("selection: ", std::string(mir::Info(inst.op).name), ": ", std::string(why),
                   " (SPIR-V id ", inst.spirv_id, ")");
  return WithSpirvId(absl::InternalError(text), inst.spirv_id);
}

absl::Status Selector::CheckTypes(mir::InstId id) const {
  const auto selected = [&](mir::ValueId v) {
    const mir::Type type = m_.value(v).type;
    return type == mir::Type::kBool || mir::BitsOf(type) <= 32;
  };
  for (mir::ValueId v : m_.sources(id)) {
    if (!selected(v)) return Unexpected(m_.inst(id), "a source has 64 bits");
  }
  for (int i = 0; i < m_.inst(id).num_results; ++i) {
    if (!selected(m_.result(id, i))) return Unexpected(m_.inst(id), "a result has 64 bits");
  }
  return absl::OkStatus();
}

lir::ValueId Selector::NewG(int comps, int elem_bytes) {
  lir::Value v;
  v.file = kFileG;
  v.comps = static_cast<uint16_t>(comps);
  v.elem_bytes = static_cast<uint8_t>(elem_bytes);
  v.spirv_id = spirv_id_;
  return b_.NewValue(v);
}

lir::ValueId Selector::NewU() {
  lir::Value v;
  v.file = kFileU;
  v.spirv_id = spirv_id_;
  return b_.NewValue(v);
}

lir::ValueId Selector::NewRegisters(int registers) {
  lir::Value v;
  v.file = kFileU;
  v.comps = static_cast<uint16_t>(8 * registers);
  v.whole_registers = true;
  v.spirv_id = spirv_id_;
  return b_.NewValue(v);
}

lir::ValueId Selector::NewF() {
  lir::Value v;
  v.file = kFileF;
  v.elem_bytes = 0;
  v.spirv_id = spirv_id_;
  return b_.NewValue(v);
}

uint32_t Selector::BitsOf(mir::ValueId v) const {
  const mir::Type t = m_.value(v).type;
  return t == mir::Type::kBool ? 32 : mir::BitsOf(t);
}

Type Selector::IntType(mir::ValueId v, bool is_signed) const {
  switch (BitsOf(v)) {
    case 8: return is_signed ? Type::kB : Type::kUB;
    case 16: return is_signed ? Type::kW : Type::kUW;
    default: return is_signed ? Type::kD : Type::kUD;
  }
}

namespace {

// There are no immediates of byte type.
Operand Constant(uint64_t bits, Type t) {
  const auto low = static_cast<uint32_t>(bits);
  switch (t) {
    case Type::kUB: return lir::ImmOperand(low & 0xff, static_cast<uint8_t>(Type::kUW));
    case Type::kB:
      return lir::ImmOperand(static_cast<uint16_t>(static_cast<int8_t>(low)),
                             static_cast<uint8_t>(Type::kW));
    default: return lir::ImmOperand(low, static_cast<uint8_t>(t));
  }
}

}  // namespace

Operand Selector::Src(mir::ValueId v, Type t) const {
  const mir::Value& value = m_.value(v);
  switch (value.kind) {
    case mir::Value::Kind::kConstant: return Constant(value.bits, t);
    case mir::Value::Kind::kUndef: return Constant(0, t);
    default: break;
  }
  const Operand& o = map_[v.index];
  assert(o.kind != Operand::Kind::kNone);
  return IsImm(o) ? Constant(o.id, t) : Retype(o, t);
}

// Constants are made at the start of the program: they take a dword each and allocation
// rematerialises them if registers are short.
Operand Selector::ToRegister(const Operand& o) {
  if (!IsImm(o)) return o;
  auto [it, added] = constants_.try_emplace(o.id);
  if (added) {
    it->second = NewU();
    const bool outer = std::exchange(in_prologue_, true);
    EmitRaw(Op(Opcode::kMov), Fields(Where::kUniform), {Use(it->second, Type::kUD)},
            {Imm(o.id, Type::kUD)});
    in_prologue_ = outer;
  }
  Operand r = Use(it->second, static_cast<Type>(o.type));
  r.mods = o.mods;
  return r;
}

// What stands above a shorter value in its dword does not matter to whoever takes payloads.
Operand Selector::ToLanes(const Operand& o) {
  const bool plain = o.kind == Operand::Kind::kValue && o.mods == 0 && o.sub == 0 &&
                     FileOf(o) == kFileG && f_.value(o.value()).elem_bytes == 4;
  if (plain) return Retype(o, Type::kUD);
  Operand source = o;
  const int bytes = isa::ByteSize(static_cast<Type>(o.type));
  if (IsImm(o) || (o.mods == 0 && bytes == 4)) {
    source = Retype(o, Type::kUD);
  } else if (bytes < 4) {
    assert(o.mods == 0);
    source = Retype(o, bytes == 1 ? Type::kUB : Type::kUW);
  }
  return Alu(Opcode::kMov, Type::kUD, Where::kLanes, {source});
}

lir::InstFields Selector::Fields(Where where) const {
  lir::InstFields fields;
  fields.width = static_cast<uint8_t>(where == Where::kLanes ? width_ : 1);
  if (where == Where::kUniform) fields.flags = lir::kNoMask;
  fields.spirv_id = spirv_id_;
  return fields;
}

void Selector::EmitRaw(uint16_t op, const lir::InstFields& fields,
                       std::initializer_list<Operand> defs, std::initializer_list<Operand> uses) {
  if (!in_prologue_) {
    b_.Emit(op, fields, defs, uses);
    return;
  }
  prologue_.push_back(lir::MakeInst(f_, op, fields,
                                    absl::Span<const Operand>(defs.begin(), defs.size()),
                                    absl::Span<const Operand>(uses.begin(), uses.size())));
}

namespace {

CondMod Mirrored(CondMod c) {
  switch (c) {
    case CondMod::kG: return CondMod::kL;
    case CondMod::kGe: return CondMod::kLe;
    case CondMod::kL: return CondMod::kG;
    case CondMod::kLe: return CondMod::kGe;
    default: return c;
  }
}

// May sources 0 and 1 change places? Fixes the condition if that is what it takes.
bool SwapSources(Opcode op, Extra& extra) {
  switch (op) {
    case Opcode::kAdd:
    case Opcode::kMul:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return true;
    case Opcode::kCmp:
      extra.cmod = Mirrored(extra.cmod);
      return true;
    case Opcode::kSel:
      if (extra.predicate) extra.predicate->inverse = !extra.predicate->inverse;
      return true;  // min and max (sel with a condition) are symmetric
    default:
      return false;
  }
}

bool TakesImmediates(Opcode op) {
  switch (isa::Info(op).format) {
    case isa::Format::kMath:
    case isa::Format::kTernary:
      return false;
    default:
      return true;
  }
}

}  // namespace

void Selector::LegaliseSources(Opcode op, Sources& sources, Extra& extra) {
  if (!TakesImmediates(op)) {
    for (Operand& o : sources) o = ToRegister(o);
    return;
  }
  if (sources.size() == 1) {
    if (op != Opcode::kMov) sources[0] = ToRegister(sources[0]);
    return;
  }
  if (!IsImm(sources[0])) return;
  if (!IsImm(sources[1]) && SwapSources(op, extra)) {
    std::swap(sources[0], sources[1]);
  } else {
    sources[0] = ToRegister(sources[0]);
  }
}

Operand Selector::Alu(Opcode op, Type t, Where where, std::initializer_list<Operand> given,
                      const Extra& given_extra) {
  Sources sources(given);
  Extra extra = given_extra;
  LegaliseSources(op, sources, extra);
  lir::InstFields fields = Fields(where);
  fields.cmod = static_cast<uint8_t>(extra.cmod);
  if (extra.saturate) fields.flags |= lir::kSaturate;
  if (extra.predicate) {
    fields.predicate_mode = static_cast<uint8_t>(isa::PredCtrl::kNormal);
    if (extra.predicate->inverse) fields.flags |= lir::kPredicateInverse;
    sources.push_back(extra.predicate->operand);
  }
  // Three-source instructions write at multiples of 8 bytes only: a uniform result takes a pair of
  // dwords there, of which the first is used.
  const bool pair = where == Where::kUniform && isa::Info(op).format == isa::Format::kTernary;
  const lir::ValueId result = New(where, extra.strided ? Type::kUD : t);
  if (pair) f_.value(result).comps = 2;
  const Operand def = Def(result, t);
  if (in_prologue_) {
    prologue_.push_back(lir::MakeInst(f_, Op(op), fields, {&def, 1}, sources));
  } else {
    b_.Emit(Op(op), fields, absl::Span<const Operand>(&def, 1), sources);
  }
  return Use(result, t);
}

Operand Selector::Math(MathFunction fn, Type t, Where where, Operand a, Operand b) {
  lir::InstFields fields = Fields(where);
  fields.aux = static_cast<uint32_t>(fn);
  const Operand def = Use(New(where, t), t);
  if (b.kind == Operand::Kind::kNone) {
    EmitRaw(Op(Opcode::kMath), fields, {def}, {ToRegister(a)});
  } else {
    const Operand a_register = ToRegister(a);
    EmitRaw(Op(Opcode::kMath), fields, {def}, {a_register, ToRegister(b)});
  }
  return def;
}

lir::BlockId Selector::NewBlock() { return b_.NewBlock(static_cast<uint16_t>(loops_.size())); }

// Entering a block forgets the flags: none lives across blocks. Other lanes are active.
void Selector::Enter(lir::BlockId block) {
  b_.SetBlock(block);
  layout_.push_back(block);
  payloads_.clear();
  ForgetFlags();
  active_lanes_.reset();
  first_lane_.reset();
}

absl::Status Selector::VisitRegion(mir::RegionId region) {
  const size_t chunks = chunks_.size(), handles = handles_.size(), indices = indices_.size();
  ++regions_;
  for (mir::InstId id : m_.region(region).insts) {
    if (mir::Info(m_.inst(id).op).Has('T')) break;
    spirv_id_ = m_.inst(id).spirv_id;
    at_ = id;
    if (absl::Status s = Visit(id); !s.ok()) return s;
  }
  --regions_;
  chunks_.resize(chunks);
  handles_.resize(handles);
  indices_.resize(indices);
  return absl::OkStatus();
}

absl::Status Selector::Visit(mir::InstId id) {
  using mir::Op;
  if (absl::Status status = CheckTypes(id); !status.ok()) return status;
  switch (m_.inst(id).op) {
    case Op::kIf: return VisitIf(id);
    case Op::kLoop: return VisitLoop(id);
    case Op::kLoadUbo:
    case Op::kLoadSsbo:
    case Op::kLoadPush:
    case Op::kLoadShared:
    case Op::kLoadPrivate:
    case Op::kLoadConstant:
    case Op::kLoadGlobal: return VisitLoad(id);
    case Op::kStoreSsbo:
    case Op::kStoreShared:
    case Op::kStorePrivate:
    case Op::kStoreGlobal: return VisitStore(id);
    case Op::kSsboAtomic:
    case Op::kSharedAtomic:
    case Op::kGlobalAtomic: return VisitAtomic(id);
    case Op::kGlobalAtomic64: return VisitWideAtomic(id);
    case Op::kSsboAddress: return BufferAddress(id);
    case Op::kSsboSize: BufferSize(id); return absl::OkStatus();
    case Op::kSample:
    case Op::kGather:
    case Op::kFetch:
    case Op::kImageLoad:
    case Op::kImageStore:
    case Op::kImageAtomic:
    case Op::kImageSize:
    case Op::kImageLevels:
    case Op::kImageSamples: return VisitImage(id);
    case Op::kControlBarrier: ControlBarrier(m_.inst(id)); return absl::OkStatus();
    case Op::kMemoryBarrier:
      MemoryBarrier(m_.inst(id).imm0, static_cast<mir::Scope>(m_.inst(id).imm1));
      return absl::OkStatus();
    case Op::kSubgroupElect:
    case Op::kSubgroupAny:
    case Op::kSubgroupAll:
    case Op::kBallot:
    case Op::kReadFirst:
    case Op::kReadLane:
    case Op::kShuffle:
    case Op::kQuadBroadcast:
    case Op::kQuadSwap:
    case Op::kReduce:
    case Op::kInclusiveScan:
    case Op::kExclusiveScan: return VisitSubgroup(id);
    case Op::kWorkgroupId:
    case Op::kNumWorkgroups:
    case Op::kBaseWorkgroup:
    case Op::kLocalIndex:
    case Op::kSubgroupId:
    case Op::kSubgroupInvocation: return VisitLaunch(id);
    default: break;
  }
  if (m_.inst(id).num_results == 1 && m_.value(m_.result(id)).type == mir::Type::kBool) {
    return VisitBool(id);
  }
  return VisitAlu(id);
}

}  // namespace kiln::intel
