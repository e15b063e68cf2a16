#include "core/intel/emit/lanes.h"

#include <algorithm>

#include "core/intel/emit/operands.h"
#include "core/intel/lir/ops.h"
#include "core/intel/lir/subgroup.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using isa::Type;
using lir::Operand;

constexpr int kMaxLanes = 16;

class LaneEmitter {
 public:
  LaneEmitter(const EmitContext& em, lir::InstId id)
      : f_(em.f), in_(f_.inst(id)), defs_(f_.defs(id)), uses_(f_.uses(id)), p_(em.p) {}

  isa::Instruction Head(Opcode op, int lanes, bool no_mask, int first = 0) const {
    isa::Instruction e;
    e.op = op;
    e.exec_size = static_cast<uint8_t>(lanes);
    e.channel_offset = static_cast<uint8_t>(in_.group + first);
    e.no_mask = no_mask;
    return e;
  }

  // Calls f(lanes, first) for each part of the lanes that one instruction can execute.
  template <class F>
  void ForParts(F&& f) const {
    const int lanes = std::min<int>(in_.width, kMaxLanes);
    for (int first = 0; first < in_.width; first += lanes) f(lanes, first);
  }

  // ---- votes ----

  // The flag is cleared first, so that bits of lanes that are off stay 0.
  void Ballot() {
    const auto flag_type = static_cast<Type>(defs_[1].type);
    isa::Instruction clear = Head(Opcode::kMov, 1, true);
    clear.dst = Destination(f_, defs_[1], 0);
    clear.src[0] = ImmediateOperand(0, flag_type);
    p_.Append(clear);
    ForParts([&](int lanes, int first) {
      isa::Instruction compare = Head(Opcode::kCmp, lanes, false, first);
      compare.cmod = static_cast<isa::CondMod>(in_.aux);
      compare.dst = NullOperand(Type::kD);
      compare.src[0] = Source(f_, uses_[0], lanes, first);
      compare.src[1] = ImmediateOperand(0, Type::kD);
      SetFlag(compare, defs_[1]);
      p_.Append(compare);
    });
    isa::Instruction read = Head(Opcode::kMov, 1, true);
    read.dst = Destination(f_, defs_[0], 0);
    read.src[0] = Source(f_, defs_[1], 1, 0);
    p_.Append(read);
  }

  // ---- reads of other lanes ----

  int LaneBytes(const Operand& o) const { return f_.value(o.value()).elem_bytes; }

  static isa::Operand AddressDestination() {
    isa::Operand o;
    o.file = isa::File::kArf;
    o.arf = isa::Arf::kAddress;
    o.type = Type::kUW;
    o.region = {0, 1, 1};
    return o;
  }

  isa::Operand IndirectSource(const Operand& value, bool each_lane) const {
    isa::Operand o;
    o.file = isa::File::kGrf;
    o.type = static_cast<Type>(value.type);
    o.indirect = true;
    o.region = each_lane ? isa::Region{isa::Region::kVxH, 1, 0} : isa::Region{0, 1, 0};
    return o;
  }

  // Sets a0, per lane or once, to the address of the byte of `value` that is `offset` bytes from
  // its first.
  void SetAddress(const Operand& value, const Operand& offset, int lanes, int first) {
    isa::Instruction add = Head(Opcode::kAdd, lanes, true, first);
    add.dst = AddressDestination();
    add.src[0] = Source(f_, offset, lanes, first);
    add.src[1] = ImmediateOperand(static_cast<uint32_t>(FirstByte(value)), Type::kUW);
    p_.Append(add);
  }

  // Notes that the instruction just appended reads `value` through a0.
  void NoteRange(const Operand& value) {
    const int first = FirstByte(value) / kGrfBytes;
    const int last = (FirstByte(value) + f_.dispatch_width * LaneBytes(value) - 1) / kGrfBytes;
    p_.indirect.push_back(
        {p_.Next() - 1, {static_cast<uint8_t>(first), static_cast<uint8_t>(last - first + 1)}});
  }

  void Broadcast() {
    const Operand& value = uses_[0];
    isa::Instruction mov = Head(Opcode::kMov, 1, true);
    mov.dst = Destination(f_, defs_[0], 0);
    if (uses_[1].kind == Operand::Kind::kImm) {
      const int lane = static_cast<int>(uses_[1].id) & (f_.dispatch_width - 1);
      mov.src[0] =
          BytePlace(FirstByte(value) + lane * LaneBytes(value), static_cast<Type>(value.type));
      mov.src[0].region = {0, 1, 0};
      p_.Append(mov);
      return;
    }
    SetAddress(value, uses_[1], 1, 0);
    mov.src[0] = IndirectSource(value, false);
    p_.Append(mov);
    NoteRange(value);
  }

  void Shuffle() {
    ForParts([&](int lanes, int first) {
      SetAddress(uses_[0], uses_[1], lanes, first);
      isa::Instruction mov = Head(Opcode::kMov, lanes, false, first);
      mov.dst = Destination(f_, defs_[0], first);
      mov.src[0] = IndirectSource(uses_[0], true);
      p_.Append(mov);
      NoteRange(uses_[0]);
    });
  }

  // Returns lanes of an operand from `first` on, `stride` lanes apart.
  isa::Operand Spaced(const Operand& o, int first, int stride, bool source) const {
    isa::Operand r = BytePlace(FirstByte(o) + first * LaneBytes(o), static_cast<Type>(o.type));
    const int distance = stride * LaneBytes(o) / isa::ByteSize(r.type);
    if (source) {
      r.region = {static_cast<uint8_t>(distance), 1, 0};
    } else {
      r.region.hstride = static_cast<uint8_t>(distance);
    }
    return r;
  }

  void QuadBroadcast() {
    const Operand& value = uses_[0];
    ForParts([&](int lanes, int first) {
      isa::Instruction mov = Head(Opcode::kMov, lanes, false, first);
      mov.dst = Destination(f_, defs_[0], first);
      mov.src[0] = Spaced(value, first + static_cast<int>(in_.aux), 4, true);
      mov.src[0].region.width = 4;
      p_.Append(mov);
    });
  }

  // A row of the region has two lanes for each pair, or four for each quad; all lanes of a row have
  // the same difference. Vertical differences in each lane's own column have no region that spans
  // more than one quad, so they take one instruction for each quad.
  void QuadDifference() {
    const DifferenceAux aux = DifferenceAux::Unpack(in_.aux);
    const bool by_quad = aux.down && aux.fine;
    const int most = by_quad ? 4 : std::min<int>(in_.width, kMaxLanes);
    for (int first = 0; first < in_.width; first += most) {
      isa::Instruction add = Head(Opcode::kAdd, most, false, first);
      add.dst = Destination(f_, defs_[0], first);
      const auto source = [&](int lane) {
        isa::Operand o = Spaced(uses_[0], first + lane, 1, true);
        o.region = by_quad    ? isa::Region{0, 2, 1}
                   : aux.fine ? isa::Region{2, 2, 0}
                              : isa::Region{4, 4, 0};
        return o;
      };
      add.src[0] = source(aux.down ? 2 : 1);
      add.src[1] = source(0);
      add.src[1].negate = true;
      p_.Append(add);
    }
  }

  // Moves to lanes `to`, `to` + stride, ... the lanes whose numbers differ from theirs by the mask.
  void MoveSpaced(int to, int stride, int lanes) {
    isa::Instruction mov = Head(Opcode::kMov, lanes, true);
    mov.dst = Spaced(defs_[0], to, stride, false);
    mov.src[0] = Spaced(uses_[0], to ^ static_cast<int>(in_.aux), stride, true);
    p_.Append(mov);
  }

  // Inside quads, moves one position of a quad (for a mask of 1: of a pair) in all quads at once;
  // otherwise group by group.
  void XorLanes() {
    const XorMoves moves = XorMovesOf(in_.width, in_.aux, LaneBytes(defs_[0]));
    for (int first = 0; first < in_.width; first += moves.stride * moves.lanes) {
      for (int place = 0; place < moves.stride; ++place) {
        MoveSpaced(first + place, moves.stride, moves.lanes);
      }
    }
  }

 private:
  const lir::Function& f_;
  const lir::Inst& in_;
  const absl::Span<const Operand> defs_, uses_;
  isa::Program& p_;
};

}  // namespace

absl::Status EmitBallot(EmitContext& em, lir::InstId id) {
  LaneEmitter(em, id).Ballot();
  return absl::OkStatus();
}

absl::Status EmitBroadcast(EmitContext& em, lir::InstId id) {
  LaneEmitter(em, id).Broadcast();
  return absl::OkStatus();
}

absl::Status EmitShuffle(EmitContext& em, lir::InstId id) {
  LaneEmitter(em, id).Shuffle();
  return absl::OkStatus();
}

absl::Status EmitQuadBroadcast(EmitContext& em, lir::InstId id) {
  LaneEmitter(em, id).QuadBroadcast();
  return absl::OkStatus();
}

absl::Status EmitQuadDifference(EmitContext& em, lir::InstId id) {
  LaneEmitter(em, id).QuadDifference();
  return absl::OkStatus();
}

absl::Status EmitXorLanes(EmitContext& em, lir::InstId id) {
  LaneEmitter(em, id).XorLanes();
  return absl::OkStatus();
}

}  // namespace kiln::intel
