#include "core/intel/emit/emit.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/intel/abi/width_abi.h"
#include "core/intel/emit/lanes.h"
#include "core/intel/emit/operands.h"
#include "core/intel/emit/structure.h"
#include "core/intel/lir/message.h"
#include "core/intel/lir/ops.h"
#include "core/intel/lir/target.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using isa::Type;
using lir::Operand;

constexpr uint32_t kDwordsPerGrf = 8, kDwordsPerOword = 4;

bool IsFlagOperand(const lir::Function& f, const Operand& o) {
  return o.kind == Operand::Kind::kValue && f.value(o.value()).file == kFileF;
}

class Emitter {
 public:
  Emitter(const Device& device, const lir::Function& f)
      : device_(device), f_(f), p_(device.generation), structure_(p_) {}

  absl::StatusOr<isa::Program> Run(const ControlChange& control) {
    ChangeControl(Opcode::kAnd, ~control.clear, control.clear != 0);
    ChangeControl(Opcode::kOr, control.set, control.set != 0);
    FindLoopHeaders();
    for (size_t b = 0; b < f_.blocks.size(); ++b) {
      for (int i = 0; i < loops_at_[b]; ++i) structure_.BeginLoop(p_.Next());
      for (lir::InstId id : f_.blocks[b].insts) {
        if (absl::Status s = Instruction(id); !s.ok()) return s;
      }
    }
    if (!structure_.Closed()) return absl::InternalError("emit: control flow is not closed");
    return std::move(p_);
  }

 private:
  // The scoreboard pass lets the next instruction wait for it, since nothing protects cr0.
  void ChangeControl(Opcode op, uint32_t bits, bool needed) {
    if (!needed) return;
    isa::Instruction e;
    e.op = op;
    e.no_mask = true;
    e.dst.file = isa::File::kArf;
    e.dst.arf = isa::Arf::kControl;
    e.dst.region.hstride = 1;
    e.src[0] = e.dst;
    e.src[0].region = {0, 1, 0};
    e.src[1] = ImmediateOperand(bits, Type::kUD);
    p_.Append(e);
  }

  // A loop begins at the block that a while jumps back to.
  void FindLoopHeaders() {
    loops_at_.assign(f_.blocks.size(), 0);
    for (size_t b = 0; b < f_.blocks.size(); ++b) {
      const lir::Block& block = f_.blocks[b];
      if (block.insts.empty() || f_.inst(block.insts.back()).op != Op(Opcode::kWhile)) continue;
      size_t header = b;
      for (const lir::Edge& e : block.succs) header = std::min<size_t>(header, e.to.index);
      for (lir::BlockId s : block.physical_succs) header = std::min<size_t>(header, s.index);
      ++loops_at_[header];
    }
  }

  absl::Status Instruction(lir::InstId id) {
    const lir::Inst& in = f_.inst(id);
    switch (in.op) {
      case kCopy:
      case kMovG:
      case kMovU: return Whole(id, Opcode::kMov);
      case kXorG:
      case kXorU: return Whole(id, Opcode::kXor);
      case kLaneIds: return LaneIds(id);
      case kMul32: return Mul32(id);
      case kMulHigh: return MulHigh(id);
      case kF2f16: return F2f16(id);
      case kPack: return Pack(id);
      case kHeader: return Header(id);
      case kSameAddress: return SameAddress(id);
      case kInterleave: return Interleave(id);
      case kScratchHeader: return ScratchHeader(id);
      case kSamplerHeader: return SamplerHeader(id);
      case kJoin: return Join(id);
      case kSend:
      case kMsgRead:
      case kMsgOrderedRead:
      case kMsgVolatileRead:
      case kMsgWrite:
      case kMsgAtomic: return Message(id);
      case kSpill:
      case kFill: return Scratch(id);
      case kMergeSpill: return MergeSpill(id);
      case kFence: return Fence(id);
      case kBarrier: return Barrier(id);
      case kEot: return Eot(id);
      case kDiscardJump:
        return NoDiscardJump(in);
      default: break;
    }
    if (IsLaneOp(in.op)) {
      EmitLaneOp(f_, id, p_);
      return absl::OkStatus();
    }
    if (!IsEuOp(in.op)) {
      return WithSpirvId(
          absl::InternalError(absl::StrCat("emit: operation ", in.op, " has no machine form")),
          in.spirv_id);
    }
    const auto op = static_cast<Opcode>(in.op);
    if (isa::IsBranch(op)) return Branch(id, op);
    return Plain(id, op);
  }

  static absl::Status NoDiscardJump(const lir::Inst& in) {
    return WithSpirvId(
        WithCause(absl::UnimplementedError("emit: a discard jump has no machine form yet"),
                  "unsupported_stage"),
        in.spirv_id);
  }

  // Everything but operands.
  isa::Instruction Head(const lir::Inst& in, Opcode op, int lanes, int first_lane) const {
    isa::Instruction e;
    e.op = op;
    e.exec_size = static_cast<uint8_t>(lanes);
    e.channel_offset = static_cast<uint8_t>(in.group + first_lane);
    e.no_mask = (in.flags & lir::kNoMask) != 0;
    e.saturate = (in.flags & lir::kSaturate) != 0;
    e.cmod = static_cast<isa::CondMod>(in.cmod);
    return e;
  }

  void SetPredicate(isa::Instruction& e, lir::InstId id) const {
    const lir::Inst& in = f_.inst(id);
    if (in.predicate_mode == 0) return;
    e.pred = static_cast<isa::PredCtrl>(in.predicate_mode);
    e.pred_inverse = (in.flags & lir::kPredicateInverse) != 0;
    SetFlag(e, f_.uses(id).back());
  }

  // Restrictions "math width", "half math width", "mixed float width" and "regions" of the EU
  // verifier.
  int MaxLanes(lir::InstId id) const {
    const lir::Inst& in = f_.inst(id);
    bool half = false, single = false, packed_half_result = false;
    for (const Operand& o : f_.uses(id)) {
      // Dwords of qwords: a source spans at most two registers.
      if (o.kind == Operand::Kind::kValue && f_.value(o.value()).elem_bytes == 8) return 8;
      half |= o.type == static_cast<uint8_t>(Type::kHF);
      single |= o.type == static_cast<uint8_t>(Type::kF);
    }
    for (const Operand& d : f_.defs(id)) {
      if (d.type != static_cast<uint8_t>(Type::kHF)) continue;
      packed_half_result = f_.value(d.value()).elem_bytes == 2;
      half = true;
    }
    if (in.op == Op(Opcode::kMath)) {
      const auto fn = static_cast<isa::MathFunction>(in.aux);
      const bool division = fn == isa::MathFunction::kIntDivQuotient ||
                            fn == isa::MathFunction::kIntDivRemainder;
      return division || half ? 8 : 16;
    }
    return single && packed_half_result ? 8 : 16;
  }

  // One EU instruction, or one for each 8 lanes.
  absl::Status Plain(lir::InstId id, Opcode op) {
    const lir::Inst& in = f_.inst(id);
    const int lanes = std::min<int>(in.width, MaxLanes(id));
    for (int first = 0; first < in.width; first += lanes) PlainPart(id, op, lanes, first);
    return absl::OkStatus();
  }

  // What concerns all bytes of each lane. Qwords are moved as pairs of dwords: one half of 8 lanes after
  // the other, so that the mask is that of the lanes, or without a mask as the registers lie.
  absl::Status Whole(lir::InstId id, Opcode op) {
    const lir::Inst& in = f_.inst(id);
    const Operand& def = f_.defs(id)[0];
    const lir::Value& v = f_.value(def.value());
    if (v.file != kFileG || v.elem_bytes != 8) return Plain(id, op);
    if ((in.flags & lir::kNoMask) != 0 && in.width == f_.dispatch_width) {
      for (int dword = 0; dword < 2 * in.width; dword += 16) Dwords(id, op, dword, 16);
      return absl::OkStatus();
    }
    for (int first = 0; first < in.width; first += 8) {
      for (uint8_t half : {0, 4}) LaneHalves(id, op, first, half);
    }
    return absl::OkStatus();
  }

  void Dwords(lir::InstId id, Opcode op, int first, int count) {
    isa::Instruction e = Head(f_.inst(id), op, count, 0);
    const auto place = [&](const Operand& o) {
      return BytePlace(static_cast<int>(o.reg * 4) + 4 * first, Type::kUD);
    };
    e.dst = place(f_.defs(id)[0]);
    e.dst.region.hstride = 1;
    for (size_t i = 0; i < f_.uses(id).size(); ++i) {
      e.src[i] = place(f_.uses(id)[i]);
      e.src[i].region = {8, 8, 1};
    }
    p_.Append(e);
  }

  // Dwords at byte `sub` of the elements of 8 lanes.
  void LaneHalves(lir::InstId id, Opcode op, int first, uint8_t sub) {
    const lir::Inst& in = f_.inst(id);
    const auto half = [&](Operand o) {
      o.type = static_cast<uint8_t>(Type::kUD);
      o.sub = sub;
      return o;
    };
    isa::Instruction e = Head(in, op, 8, first);
    e.dst = Destination(f_, half(f_.defs(id)[0]), first, in.group);
    for (size_t i = 0; i < f_.uses(id).size(); ++i) {
      e.src[i] = Source(f_, half(f_.uses(id)[i]), 8, first, in.group);
    }
    p_.Append(e);
  }

  void PlainPart(lir::InstId id, Opcode op, int lanes, int first) {
    const lir::Inst& in = f_.inst(id);
    isa::Instruction e = Head(in, op, lanes, first);
    const auto defs = f_.defs(id);
    const auto uses = f_.uses(id);
    // A flag that is defined beside the destination, or instead of it, by the condition.
    e.dst = NullOperand(uses.empty() ? Type::kUD : static_cast<Type>(uses[0].type));
    if (uses.size() > 1) {  // the null destination has the execution type
      const auto second = static_cast<Type>(uses[1].type);
      if (isa::ByteSize(second) > isa::ByteSize(e.dst.type)) e.dst.type = second;
    }
    for (const Operand& d : defs) {
      if (IsFlagOperand(f_, d) && in.cmod != 0) {
        SetFlag(e, d);
      } else {
        e.dst = Destination(f_, d, first, in.group);
      }
    }
    SetPredicate(e, id);
    const size_t sources = uses.size() - (in.predicate_mode != 0 ? 1 : 0);
    assert(sources <= 3);
    for (size_t i = 0; i < sources; ++i) e.src[i] = Source(f_, uses[i], lanes, first, in.group);
    if (op == Opcode::kMath) {
      e.math = static_cast<isa::MathFunction>(in.aux);
      if (sources == 1) e.src[1] = NullSource(e.src[0].type);
    }
    p_.Append(e);
  }

  static isa::Operand NullSource(Type type) {
    isa::Operand o = NullOperand(type);
    o.region = {8, 8, 1};
    return o;
  }

  absl::Status Branch(lir::InstId id, Opcode op) {
    isa::Instruction e = Head(f_.inst(id), op, f_.inst(id).width, 0);
    SetPredicate(e, id);
    const int32_t at = p_.Append(e);
    switch (op) {
      case Opcode::kIf: structure_.OnIf(at); break;
      case Opcode::kElse: structure_.OnElse(at); break;
      case Opcode::kEndif: structure_.OnEndif(at); break;
      case Opcode::kBreak:
      case Opcode::kCont: structure_.OnBreakOrContinue(at); break;
      case Opcode::kWhile: structure_.OnWhile(at); break;
      default: return absl::InternalError("emit: branch without a place in the structure");
    }
    return absl::OkStatus();
  }

  // ---- pseudo operations ----

  // Lane numbers 0..7 as a packed immediate; as many again are those plus their number.
  absl::Status LaneIds(lir::InstId id) {
    const lir::Inst& in = f_.inst(id);
    isa::Instruction mov = Head(in, Opcode::kMov, 8, 0);
    mov.dst = Destination(f_, f_.defs(id)[0], 0);
    mov.src[0] = ImmediateOperand(0x76543210u, Type::kV);
    p_.Append(mov);
    for (int have = 8; have < in.width; have *= 2) {
      isa::Instruction add = Head(in, Opcode::kAdd, have, 0);
      add.dst = Destination(f_, f_.defs(id)[0], have);
      add.src[0] = Source(f_, f_.defs(id)[0], have, 0);
      add.src[1] = ImmediateOperand(static_cast<uint32_t>(have), Type::kUW);
      p_.Append(add);
    }
    return absl::OkStatus();
  }

  static Operand Word(Operand o, int which) {
    o.sub = static_cast<uint8_t>(o.sub + 2 * which);
    if (o.kind == Operand::Kind::kImm) o.id = o.id >> (16 * which) & 0xffff;
    o.type = static_cast<uint8_t>(Type::kUW);
    return o;
  }

  // Calls f(lanes, first) for each part of the lanes that one instruction on dwords can do.
  template <class F>
  static void ForParts(const lir::Inst& in, F&& f) {
    const int lanes = std::min<int>(in.width, 16);
    for (int first = 0; first < in.width; first += lanes) f(lanes, first);
  }

  // low = a * b.low; scratch = a * b.high; low.high word += scratch.low word.
  absl::Status Mul32(lir::InstId id) {
    const lir::Inst& in = f_.inst(id);
    const auto defs = f_.defs(id);
    const auto uses = f_.uses(id);
    ForParts(in, [&](int lanes, int first) {
      for (int half = 0; half < 2; ++half) {
        isa::Instruction mul = Head(in, Opcode::kMul, lanes, first);
        mul.dst = Destination(f_, defs[half], first);
        mul.src[0] = Source(f_, uses[0], lanes, first);
        mul.src[1] = Source(f_, Word(uses[1], half), lanes, first);
        p_.Append(mul);
      }
      isa::Instruction add = Head(in, Opcode::kAdd, lanes, first);
      add.dst = Destination(f_, Word(defs[0], 1), first);
      add.src[0] = Source(f_, Word(defs[0], 1), lanes, first);
      add.src[1] = Source(f_, Word(defs[1], 0), lanes, first);
      p_.Append(add);
    });
    return absl::OkStatus();
  }

  // acc0 = a * b.low word; mach adds the rest and gives the high dword. The accumulator has 8
  // dword lanes.
  absl::Status MulHigh(lir::InstId id) {
    const lir::Inst& in = f_.inst(id);
    const auto uses = f_.uses(id);
    for (int first = 0; first < in.width; first += 8) {
      isa::Instruction mul = Head(in, Opcode::kMul, 8, first);
      mul.dst = AccumulatorOperand(static_cast<Type>(uses[0].type));
      mul.src[0] = Source(f_, uses[0], 8, first);
      mul.src[1] = Source(f_, Word(uses[1], 0), 8, first);
      p_.Append(mul);
      isa::Instruction mach = Head(in, Opcode::kMach, 8, first);
      mach.acc_write = true;
      mach.dst = Destination(f_, f_.defs(id)[0], first);
      mach.src[0] = Source(f_, uses[0], 8, first);
      mach.src[1] = Source(f_, uses[1], 8, first);
      p_.Append(mach);
    }
    return absl::OkStatus();
  }

  // The conversion writes half of each dword; the move then clears the rest.
  absl::Status F2f16(lir::InstId id) {
    const lir::Inst& in = f_.inst(id);
    Operand half = f_.defs(id)[0];
    half.type = static_cast<uint8_t>(Type::kHF);
    ForParts(in, [&](int lanes, int first) {
      isa::Instruction convert = Head(in, Opcode::kMov, lanes, first);
      convert.dst = Destination(f_, half, first);
      convert.src[0] = Source(f_, f_.uses(id)[0], lanes, first);
      p_.Append(convert);
      isa::Instruction widen = Head(in, Opcode::kMov, lanes, first);
      widen.dst = Destination(f_, f_.defs(id)[0], first);
      widen.src[0] = Source(f_, Word(f_.defs(id)[0], 0), lanes, first);
      p_.Append(widen);
    });
    return absl::OkStatus();
  }

  // Each move writes one part of every element: a destination with a stride, at most two registers.
  absl::Status Pack(lir::InstId id) {
    const lir::Inst& in = f_.inst(id);
    const Operand def = f_.defs(id)[0];
    const int element = f_.value(def.value()).elem_bytes;
    const int part = element / in.num_uses;
    const int lanes = std::min<int>(in.width, 64 / element);
    for (int i = 0; i < in.num_uses; ++i) {
      const Operand& source = f_.uses(id)[i];
      const auto from = static_cast<Type>(source.type);
      Operand to = def;
      to.type = static_cast<uint8_t>(part == 2 && from == Type::kF ? Type::kHF : from);
      to.sub = static_cast<uint8_t>(part * i);
      for (int first = 0; first < in.width; first += lanes) {
        isa::Instruction mov = Head(in, Opcode::kMov, lanes, first);
        mov.dst = Destination(f_, to, first);
        mov.src[0] = Source(f_, source, lanes, first);
        if (!IsInPlace(mov)) p_.Append(mov);
      }
    }
    return absl::OkStatus();
  }

  // Does the move write what is there? Allocation likes to put a pack over its first source.
  static bool IsInPlace(const isa::Instruction& mov) {
    const isa::Operand& to = mov.dst;
    const isa::Operand& from = mov.src[0];
    return from.file == isa::File::kGrf && from.nr == to.nr && from.subnr == to.subnr &&
           from.type == to.type && from.region.hstride == to.region.hstride && !from.negate &&
           !from.absolute;
  }

  // One dword of a header register.
  static isa::Operand HeaderDword(const Operand& header, int dword, bool source) {
    isa::Operand o = Payload(header);
    o.subnr = static_cast<uint8_t>(4 * dword);
    if (source) o.region = {0, 1, 0};
    return o;
  }

  void ClearHeader(const lir::Inst& in, const Operand& header) {
    isa::Instruction clear = Head(in, Opcode::kMov, 8, 0);
    clear.dst = Payload(header);
    clear.src[0] = ImmediateOperand(0, Type::kUD);
    p_.Append(clear);
  }

  void MaskInto(const lir::Inst& in, const Operand& header, int dword, const Operand& from,
                uint32_t mask) {
    isa::Instruction e = Head(in, Opcode::kAnd, 1, 0);
    e.dst = HeaderDword(header, dword, false);
    e.src[0] = HeaderDword(from, dword, true);
    e.src[1] = ImmediateOperand(mask, Type::kUD);
    p_.Append(e);
  }

  // Only dword 2 of the header of a block read of a bound surface has a meaning, so all dwords get
  // the offset (Mesa has r0's contents in the others on earlier generations).
  absl::Status Header(lir::InstId id) {
    const lir::Inst& in = f_.inst(id);
    isa::Instruction set = Head(in, Opcode::kMov, 8, 0);
    set.dst = Payload(f_.defs(id)[0]);
    set.src[0] = Source(f_, f_.uses(id)[0], 8, 0);
    p_.Append(set);
    return absl::OkStatus();
  }

  absl::Status SameAddress(lir::InstId id) {
    const lir::Inst& in = f_.inst(id);
    for (int i = 0; i < 2; ++i) {
      isa::Instruction mov = Head(in, Opcode::kMov, 8, 0);
      mov.dst = Payload(f_.defs(id)[0]);
      mov.dst.subnr = static_cast<uint8_t>(4 * i);
      mov.dst.region.hstride = 2;
      mov.src[0] = Source(f_, f_.uses(id)[i], 8, 0);
      p_.Append(mov);
    }
    return absl::OkStatus();
  }

  absl::Status Interleave(lir::InstId id) {
    const lir::Inst& in = f_.inst(id);
    const int registers = f_.value(f_.uses(id)[0].value()).elem_bytes / 4;  // of 8 lanes
    for (int first = 0; first < in.width; first += 8) {
      for (int i = 0; i < 2; ++i) {
        for (int half = 0; half < registers; ++half) {
          // Dword `half` of each lane: as it lies, with the stride of its element.
          isa::Instruction mov = Head(in, Opcode::kMov, 8, first);
          mov.dst = Payload(f_.defs(id)[0]);
          mov.dst.nr = static_cast<uint8_t>(mov.dst.nr + registers * (first / 4 + i));
          mov.dst.subnr = static_cast<uint8_t>(4 * half);
          mov.dst.region.hstride = static_cast<uint8_t>(registers);
          Operand from = f_.uses(id)[i];
          from.sub = static_cast<uint8_t>(from.sub + 4 * half);
          mov.src[0] = Source(f_, from, 8, first);
          p_.Append(mov);
        }
      }
    }
    return absl::OkStatus();
  }

  // Dword 3: size of the thread's scratch space; dword 5: its base.
  absl::Status ScratchHeader(lir::InstId id) {
    const lir::Inst& in = f_.inst(id);
    ClearHeader(in, f_.defs(id)[0]);
    MaskInto(in, f_.defs(id)[0], 3, f_.uses(id)[0], 0xf);
    MaskInto(in, f_.defs(id)[0], 5, f_.uses(id)[0], 0xfffffc00u);
    // Without a place it is for arrays, which lie behind what is spilled.
    const uint32_t arrays = in.num_uses == 1 ? ArraysAt(4 * f_.spill_units) : 0;
    if (arrays != 0) AddToHeader(in, f_.defs(id)[0], 5, arrays);
    if (in.num_uses == 2) {
      isa::Instruction e = Head(in, Opcode::kMov, 1, 0);
      e.dst = HeaderDword(f_.defs(id)[0], 2, false);
      e.src[0] = ImmediateOperand(f_.uses(id)[1].id / kDwordsPerOword, Type::kUD);
      p_.Append(e);
    }
    return absl::OkStatus();
  }

  void AddToHeader(const lir::Inst& in, const Operand& header, int dword, uint32_t bytes) {
    isa::Instruction e = Head(in, Opcode::kAdd, 1, 0);
    e.no_mask = true;
    e.dst = HeaderDword(header, dword, false);
    e.src[0] = HeaderDword(header, dword, true);
    e.src[1] = ImmediateOperand(bytes, Type::kUD);
    p_.Append(e);
  }

  // A scratch block message of n registers at this place, or the oword block message that takes the
  // place from the header's dword 2.
  static isa::MessageFields ScratchMessage(bool write, bool direct, uint32_t n, uint32_t place) {
    using isa::Message;
    isa::MessageFields m;
    m.header = true;
    m.mlen = 1;
    (write ? m.ex_mlen : m.rlen) = static_cast<uint8_t>(n);
    if (direct) {
      m.message = write ? Message::kScratchWrite : Message::kScratchRead;
      m.scratch_offset = static_cast<uint16_t>(place / kDwordsPerGrf);
      m.scratch_registers = static_cast<uint8_t>(n);
      m.dword_mode = write;
    } else {
      m.message = write ? Message::kBlockWrite : Message::kBlockRead;
      m.bti = isa::kBtiStatelessNonCoherent;
      m.owords = static_cast<uint8_t>(2 * n);
    }
    return m;
  }

  absl::Status MergeSpill(lir::InstId id) {
    const lir::Inst& in = f_.inst(id);
    const Operand& merged = f_.defs(id)[0];
    const Operand& header = f_.uses(id)[0];
    const uint32_t place = f_.uses(id)[2].id;
    const uint32_t n = PayloadRegisters(f_, merged);
    const auto send = [&](bool write) {
      auto e = Send(in, n > 1 ? 16 : 8, ScratchMessage(write, /*direct=*/true, n, place));
      if (!e.ok()) return e.status();
      e->no_mask = true;
      e->src[0] = Payload(header);
      (write ? e->src[1] : e->dst) = Payload(merged);
      p_.Append(*e);
      return absl::OkStatus();
    };
    if (absl::Status s = send(false); !s.ok()) return s;
    Operand from = f_.uses(id)[1];
    const int bytes = f_.value(from.value()).elem_bytes;
    from.type = static_cast<uint8_t>(bytes == 2 ? Type::kUW : Type::kUD);
    const int most = bytes == 8 ? 8 : 16;
    for (; from.sub < bytes; from.sub += 4) {
      Operand to = from;  // the same lanes of another register
      to.reg = merged.reg;
      const int lanes = std::min<int>(in.width, most);
      for (int first = 0; first < in.width; first += lanes) {
        isa::Instruction mov = Head(in, Opcode::kMov, lanes, first);
        mov.dst = Destination(f_, to, first);
        mov.src[0] = Source(f_, from, lanes, first);
        p_.Append(mov);
      }
    }
    return send(true);
  }

  // Between registers and scratch memory, cut into the sizes that there are. Oword blocks have at
  // most 4 registers.
  absl::Status Scratch(lir::InstId id) {
    const lir::Inst& in = f_.inst(id);
    const bool write = in.op == kSpill;
    const Operand& data = write ? f_.uses(id)[1] : f_.defs(id)[0];
    const Operand& header = f_.uses(id)[0];
    uint32_t place = f_.uses(id).back().id;
    uint32_t left = PayloadRegisters(f_, data);
    const bool direct =
        place + left * kDwordsPerGrf <= device_.machine.scratch_block * kDwordsPerGrf;
    for (Operand at = data; left != 0;) {
      const uint32_t n = direct ? ScratchBlock(left) : std::min(4u, ScratchBlock(left));
      auto e = Send(in, in.width, ScratchMessage(write, direct, n, place));
      if (!e.ok()) return e.status();
      e->src[0] = Payload(header);
      (write ? e->src[1] : e->dst) = Payload(at);
      p_.Append(*e);
      left -= n;
      place += n * kDwordsPerGrf;
      at.reg += n * kDwordsPerGrf;
      if (!direct && left != 0) AddToHeader(in, header, 2, n * kDwordsPerGrf / kDwordsPerOword);
    }
    return absl::OkStatus();
  }

  // Dword 2: offsets, write mask, gather channel; dword 3: the sampler state pointer, whose low bits
  // have another meaning in r0. A handle is used as it is.
  absl::Status SamplerHeader(lir::InstId id) {
    const lir::Inst& in = f_.inst(id);
    const Operand& header = f_.defs(id)[0];
    ClearHeader(in, header);
    isa::Instruction set = Head(in, Opcode::kMov, 1, 0);
    set.dst = HeaderDword(header, 2, false);
    set.src[0] = ImmediateOperand(in.aux, Type::kUD);
    if (in.aux != 0) p_.Append(set);
    if (in.num_uses == 2) {
      isa::Instruction handle = Head(in, Opcode::kMov, 1, 0);
      handle.dst = HeaderDword(header, 3, false);
      handle.src[0] = Source(f_, f_.uses(id)[1], 1, 0);
      p_.Append(handle);
    } else {
      MaskInto(in, header, 3, f_.uses(id)[0], 0xffffffe0u);
    }
    return absl::OkStatus();
  }

  // Response i has the lanes from i * lanes on of every component.
  absl::Status Join(lir::InstId id) {
    const lir::Inst& in = f_.inst(id);
    const auto uses = f_.uses(id);
    const Operand& def = f_.defs(id)[0];
    const int lanes = in.width / static_cast<int>(uses.size());
    const uint32_t component = PayloadRegisters(f_, def) * 8 / def.comps;
    for (uint16_t c = 0; c < def.comps; ++c) {
      for (size_t i = 0; i < uses.size(); ++i) {
        const int first = static_cast<int>(i) * lanes;
        isa::Instruction mov = Head(in, Opcode::kMov, lanes, first);
        Operand to = def, from = uses[i];
        to.reg += c * component;
        from.reg += static_cast<uint32_t>(c * lanes);
        mov.dst = Destination(f_, to, first);
        mov.src[0] = Source(f_, from, lanes, 0);
        p_.Append(mov);
      }
    }
    return absl::OkStatus();
  }

  // `message` with its lengths; registers are the caller's to set.
  absl::StatusOr<isa::Instruction> Send(const lir::Inst& in, int lanes,
                                        const isa::MessageFields& message) const {
    const absl::StatusOr<isa::SendFields> send = isa::BuildSend(p_.generation, message);
    if (!send.ok()) return send.status();
    isa::Instruction e = Head(in, Opcode::kSend, lanes, 0);
    e.cmod = isa::CondMod::kNone;
    e.send = *send;
    e.dst = NullOperand(Type::kUD);
    e.src[1] = NullOperand(Type::kUD);
    return e;
  }

  // A message for part of the lanes reads a payload with all lanes of the thread, of one component,
  // from the register where its lanes begin (core/intel/messages/halve_messages.cc).
  bool IsWhole(const lir::Inst& in, const Operand& o) const {
    return o.kind == Operand::Kind::kValue && in.width > 1 && in.width < f_.dispatch_width &&
           o.comps == 1 && f_.value(o.value()).file == kFileG;
  }
  uint32_t PartRegisters(const lir::Inst& in, const Operand& o) const {
    const uint32_t all = PayloadRegisters(f_, o);
    return IsWhole(in, o) ? all * in.width / f_.dispatch_width : all;
  }
  uint32_t FirstPart(const lir::Inst& in, const Operand& o) const {
    return IsWhole(in, o) ? PayloadRegisters(f_, o) * in.group / f_.dispatch_width : 0;
  }

  absl::Status Message(lir::InstId id) {
    const lir::Inst& in = f_.inst(id);
    const auto defs = f_.defs(id);
    const auto uses = f_.uses(id);
    LirMessage message = MessageOf(f_, in);
    const bool two = PayloadCount(f_, in) == 2;
    const uint32_t messages = IsSplitMessage(f_, in) ? in.width / 8u : 1;
    const uint32_t mlen = PartRegisters(in, uses[0]) / messages;
    const uint32_t ex_mlen = two ? PartRegisters(in, uses[1]) / messages : 0;
    const uint32_t rlen = defs.empty() ? 0 : PayloadRegisters(f_, defs[0]) / messages;
    message.fields.mlen = static_cast<uint8_t>(mlen);
    message.fields.ex_mlen = static_cast<uint8_t>(ex_mlen);
    message.fields.rlen = static_cast<uint8_t>(rlen);
    const auto lanes = static_cast<int>(in.width / messages);
    const absl::StatusOr<isa::Instruction> send = Send(in, lanes, message.fields);
    if (!send.ok()) return send.status();
    for (uint32_t m = 0; m < messages; ++m) {
      isa::Instruction e = *send;
      e.channel_offset = static_cast<uint8_t>(e.channel_offset + m * static_cast<uint32_t>(lanes));
      const auto part = [&](const Operand& o, uint32_t registers) {
        isa::Operand r = Payload(o);
        r.nr = static_cast<uint8_t>(r.nr + FirstPart(in, o) + m * registers);
        return r;
      };
      if (!defs.empty()) e.dst = part(defs[0], rlen);
      e.src[0] = part(uses[0], mlen);
      if (two) e.src[1] = part(uses[1], ex_mlen);
      int next = two ? 2 : 1;
      if (message.indirect) ComputeDescriptor(in, uses[next++], e);
      if (message.bindless) ComputeExtendedDescriptor(in, uses[next], e);
      SetPredicate(e, id);
      p_.Append(e);
    }
    return absl::OkStatus();
  }

  // The descriptor in a0.0 is the one known so far plus a value.
  void ComputeDescriptor(const lir::Inst& in, const Operand& value, isa::Instruction& send) {
    ToAddressRegister(in, Opcode::kAdd, value, send.send.desc, 0);
    send.send.desc_is_register = true;   // the constant part stays: it has the lengths
  }

  // The extended descriptor in a0.1: the handle of a surface in the upper bits, which are 0 so far.
  void ComputeExtendedDescriptor(const lir::Inst& in, const Operand& handle,
                                 isa::Instruction& send) {
    constexpr uint8_t kDword = 1;
    ToAddressRegister(in, Opcode::kOr, handle, isa::ExDescriptorInRegister(send.send), kDword);
    send.send.ex_desc_is_register = true;
    send.send.ex_desc_address = kDword;
  }

  void ToAddressRegister(const lir::Inst& in, Opcode op, const Operand& value, uint32_t known,
                         uint8_t dword) {
    isa::Instruction e = Head(in, op, 1, 0);
    e.no_mask = true;
    e.channel_offset = 0;
    e.cmod = isa::CondMod::kNone;
    e.dst.file = isa::File::kArf;
    e.dst.arf = isa::Arf::kAddress;
    e.dst.subnr = static_cast<uint8_t>(4 * dword);
    e.dst.type = Type::kUD;
    e.dst.region.hstride = 1;
    e.src[0] = Source(f_, value, 1, 0);
    e.src[1] = ImmediateOperand(known, Type::kUD);
    p_.Append(e);
  }

  // The fence answers in a register when it is done; the sync on that register waits for it.
  absl::Status Fence(lir::InstId id) {
    const lir::Inst& in = f_.inst(id);
    isa::MessageFields message = MessageOf(f_, in).fields;
    message.mlen = message.rlen = 1;
    absl::StatusOr<isa::Instruction> e = Send(in, 1, message);
    if (!e.ok()) return e.status();
    e->dst = Payload(f_.defs(id)[0]);
    e->src[0] = Payload(f_.uses(id)[0]);
    p_.Append(*e);
    isa::Instruction wait;
    wait.op = Opcode::kSync;
    wait.sync = isa::SyncFunction::kNop;
    wait.no_mask = true;
    wait.src[0] = Payload(f_.defs(id)[0]);
    p_.Append(wait);
    return absl::OkStatus();
  }

  // Gateway message with the barrier's id (r0.2 bits 30:24) in dword 2, then the wait for it.
  absl::Status Barrier(lir::InstId id) {
    const lir::Inst& in = f_.inst(id);
    const Operand& header = f_.defs(id)[0];
    ClearHeader(in, header);
    MaskInto(in, header, 2, f_.uses(id)[0], 0x7f000000u);
    isa::MessageFields message;
    message.message = isa::Message::kBarrier;
    message.mlen = 1;
    absl::StatusOr<isa::Instruction> e = Send(in, 8, message);
    if (!e.ok()) return e.status();
    e->src[0] = Payload(header);
    p_.Append(*e);
    isa::Instruction sync;
    sync.op = Opcode::kSync;
    sync.sync = isa::SyncFunction::kBar;
    sync.no_mask = true;
    sync.src[0] = NullOperand(Type::kUD);
    p_.Append(sync);
    return absl::OkStatus();
  }

  absl::Status Eot(lir::InstId id) {
    isa::MessageFields message;
    message.message = isa::Message::kEndOfThread;
    message.mlen = 1;
    absl::StatusOr<isa::Instruction> e = Send(f_.inst(id), 8, message);
    if (!e.ok()) return e.status();
    e->src[0] = Payload(f_.uses(id)[0]);
    p_.Append(*e);
    return absl::OkStatus();
  }

  const Device& device_;
  const lir::Function& f_;
  isa::Program p_;
  Structure structure_;
  std::vector<int> loops_at_;   // loops that begin at a block
};

}  // namespace

absl::StatusOr<isa::Program> Emit(const Device& device, const lir::Function& f,
                                  const ControlChange& control) {
  return Emitter(device, f).Run(control);
}

}  // namespace kiln::intel
