#include "core/intel/emit/lanes.h"

#include <algorithm>
#include <bit>

#include "core/intel/emit/operands.h"
#include "core/intel/lir/ops.h"
#include "core/intel/lir/subgroup.h"
#include "core/mir/mir.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using isa::Type;
using lir::Operand;
using mir::ReduceOp;

constexpr int kGrfBytes = 32;
constexpr int kMaxOperandBytes = 2 * kGrfBytes;
constexpr int kMaxLanes = 16;

// What combines two lanes: an instruction, or min and max by sel with a condition.
struct Combination {
  Opcode op = Opcode::kAdd;
  isa::CondMod cmod = isa::CondMod::kNone;
};

Combination CombinationOf(ReduceOp op) {
  switch (op) {
    case ReduceOp::kIadd:
    case ReduceOp::kFadd: return {Opcode::kAdd};
    case ReduceOp::kImul:
    case ReduceOp::kFmul: return {Opcode::kMul};
    case ReduceOp::kImin:
    case ReduceOp::kUmin:
    case ReduceOp::kFmin: return {Opcode::kSel, isa::CondMod::kL};
    case ReduceOp::kImax:
    case ReduceOp::kUmax:
    case ReduceOp::kFmax: return {Opcode::kSel, isa::CondMod::kGe};
    case ReduceOp::kAnd: return {Opcode::kAnd};
    case ReduceOp::kOr: return {Opcode::kOr};
    case ReduceOp::kXor: return {Opcode::kXor};
  }
  return {};
}

// Equally spaced lanes of a register: the first lane and the distance in lanes (0: always that one).
struct Lanes {
  int first = 0;
  int stride = 1;
};

class LaneEmitter {
 public:
  LaneEmitter(const lir::Function& f, lir::InstId id, isa::Program& p)
      : f_(f), in_(f.inst(id)), defs_(f.defs(id)), uses_(f.uses(id)), p_(p) {}

  void Run() {
    switch (in_.op) {
      case kBallot: return Ballot();
      case kBroadcast: return Broadcast();
      case kShuffle: return Shuffle();
      case kQuadBroadcast: return QuadBroadcast();
      default: return Scan();
    }
  }

 private:
  isa::Instruction Head(Opcode op, int lanes, bool no_mask, int first = 0) const {
    isa::Instruction e;
    e.op = op;
    e.exec_size = static_cast<uint8_t>(lanes);
    e.channel_offset = static_cast<uint8_t>(in_.group + first);
    e.no_mask = no_mask;
    return e;
  }

  // ---- votes ----

  // Flag bits of lanes that are off stay 0.
  void Ballot() {
    isa::Instruction clear = Head(Opcode::kMov, 1, true);
    clear.dst = Destination(f_, defs_[1], 0);
    clear.src[0] = ImmediateOperand(0, Type::kUW);
    p_.Append(clear);
    isa::Instruction compare = Head(Opcode::kCmp, in_.width, false);
    compare.cmod = static_cast<isa::CondMod>(in_.aux);
    compare.dst = NullOperand(Type::kD);
    compare.src[0] = Source(f_, uses_[0], in_.width, 0);
    compare.src[1] = ImmediateOperand(0, Type::kD);
    SetFlag(compare, defs_[1]);
    p_.Append(compare);
    isa::Instruction read = Head(Opcode::kMov, 1, true);
    read.dst = Destination(f_, defs_[0], 0);
    read.src[0] = Source(f_, defs_[1], 1, 0);
    p_.Append(read);
  }

  // ---- reads of other lanes ----

  // First byte of a value in the register file, and bytes of one lane of it.
  static int Byte(const Operand& o) { return static_cast<int>(o.reg) * 4 + o.sub; }
  int LaneBytes(const Operand& o) const { return f_.value(o.value()).elem_bytes; }

  static isa::Operand Address(int lanes) {
    isa::Operand o;
    o.file = isa::File::kArf;
    o.arf = isa::Arf::kAddress;
    o.type = Type::kUW;
    o.region = lanes == 1 ? isa::Region{0, 1, 0}
                          : isa::Region{8, 8, 1};
    return o;
  }

  static isa::Operand AddressDestination() {
    isa::Operand o = Address(1);
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

  // a0 = byte address of lane `index` of `value`, per lane or once.
  void SetAddress(const Operand& value, Operand index, int lanes) {
    index.type = static_cast<uint8_t>(Type::kUW);
    const auto bits = [](int x) { return ImmediateOperand(static_cast<uint32_t>(x), Type::kUW); };
    isa::Instruction wrap = Head(Opcode::kAnd, lanes, true);
    wrap.dst = AddressDestination();
    wrap.src[0] = Source(f_, index, lanes, 0);
    wrap.src[1] = bits(f_.dispatch_width - 1);
    p_.Append(wrap);
    isa::Instruction scale = Head(Opcode::kShl, lanes, true);
    scale.dst = AddressDestination();
    scale.src[0] = Address(lanes);
    scale.src[1] = bits(std::countr_zero(static_cast<unsigned>(LaneBytes(value))));
    p_.Append(scale);
    isa::Instruction base = Head(Opcode::kAdd, lanes, true);
    base.dst = AddressDestination();
    base.src[0] = Address(lanes);
    base.src[1] = bits(Byte(value));
    p_.Append(base);
  }

  // The instruction just appended reads `value` through a0.
  void NoteRange(const Operand& value) {
    const int first = Byte(value) / kGrfBytes;
    const int last = (Byte(value) + f_.dispatch_width * LaneBytes(value) - 1) / kGrfBytes;
    p_.indirect.push_back({p_.Next() - 1,
                           {static_cast<uint8_t>(first), static_cast<uint8_t>(last - first + 1)}});
  }

  void Broadcast() {
    const Operand& value = uses_[0];
    isa::Instruction mov = Head(Opcode::kMov, 1, true);
    mov.dst = Destination(f_, defs_[0], 0);
    if (uses_[1].kind == Operand::Kind::kImm) {
      const int lane = static_cast<int>(uses_[1].id) & (f_.dispatch_width - 1);
      mov.src[0] = Region(Byte(value), LaneBytes(value), static_cast<Type>(value.type), {lane, 0},
                          1);
      p_.Append(mov);
      return;
    }
    SetAddress(value, uses_[1], 1);
    mov.src[0] = IndirectSource(value, false);
    p_.Append(mov);
    NoteRange(value);
  }

  void Shuffle() {
    SetAddress(uses_[0], uses_[1], in_.width);
    isa::Instruction mov = Head(Opcode::kMov, in_.width, false);
    mov.dst = Destination(f_, defs_[0], 0);
    mov.src[0] = IndirectSource(uses_[0], true);
    p_.Append(mov);
    NoteRange(uses_[0]);
  }

  void QuadBroadcast() {
    const Operand& value = uses_[0];
    isa::Instruction mov = Head(Opcode::kMov, in_.width, false);
    mov.dst = Destination(f_, defs_[0], 0);
    mov.src[0] = Place(Byte(value) + static_cast<int>(in_.aux) * LaneBytes(value),
                       static_cast<Type>(value.type));
    const auto row = static_cast<uint8_t>(4 * LaneBytes(value) / isa::ByteSize(mov.src[0].type));
    mov.src[0].region = {row, 4, 0};
    p_.Append(mov);
  }

  // ---- reductions and scans ----

  static isa::Operand Place(int byte, Type type) {
    isa::Operand o;
    o.file = isa::File::kGrf;
    o.type = type;
    o.nr = static_cast<uint8_t>(byte / kGrfBytes);
    o.subnr = static_cast<uint8_t>(byte % kGrfBytes);
    return o;
  }

  // `count` lanes of a value whose lanes are `bytes` wide, of which each is read as `type`.
  static isa::Operand Region(int byte, int bytes, Type type, Lanes lanes, int count) {
    isa::Operand o = Place(byte + lanes.first * bytes, type);
    const int scale = bytes / isa::ByteSize(type);
    const int stride = lanes.stride * scale;
    // Rows of one element: no row crosses a register, wherever the lanes begin.
    o.region = {static_cast<uint8_t>(count == 1 ? 0 : stride), 1, 0};
    return o;
  }

  isa::Operand Sources(Lanes lanes, int count) const {
    return Region(scratch_, bytes_, type_, lanes, count);
  }
  isa::Operand Destinations(int byte, Lanes lanes) const {
    isa::Operand o = Place(byte + lanes.first * bytes_, type_);
    o.region.hstride = static_cast<uint8_t>(std::max(lanes.stride, 1));
    return o;
  }

  // Lanes `to` become lanes `from` combined with themselves.
  void Combine(Lanes from, Lanes to, int count) {
    const int spacing = std::max(to.stride, 1) * bytes_;
    for (int done = 0; done < count;) {
      const Lanes t = {to.first + done * to.stride, to.stride};
      const Lanes s = {from.first + done * from.stride, from.stride};
      const int n = std::min({count - done, kMaxLanes, kMaxOperandBytes / spacing});
      if (op_ == ReduceOp::kImul) {
        Multiply(s, t, n);
      } else {
        const Combination c = CombinationOf(op_);
        isa::Instruction e = Head(c.op, n, true);
        e.cmod = c.cmod;
        e.dst = Destinations(scratch_, t);
        e.src[0] = Sources(s, n);
        e.src[1] = Sources(t, n);
        p_.Append(e);
      }
      done += n;
    }
  }

  // 32 bits: from * to.high << 16 + from * to.low (as kMul32, which would need a stride of 8 words).
  void Multiply(Lanes from, Lanes to, int n) {
    const auto word = [&](int which) {
      isa::Operand o = Region(scratch_, bytes_, Type::kUW, to, n);
      o.subnr = static_cast<uint8_t>(o.subnr + 2 * which);
      return o;
    };
    isa::Instruction high = Head(Opcode::kMul, n, true);
    high.dst = Destinations(product_, to);
    high.src[0] = Sources(from, n);
    high.src[1] = word(1);
    p_.Append(high);
    isa::Instruction low = Head(Opcode::kMul, n, true);
    low.dst = Destinations(scratch_, to);
    low.src[0] = Sources(from, n);
    low.src[1] = word(0);
    p_.Append(low);
    isa::Instruction shift = Head(Opcode::kShl, n, true);
    shift.dst = Destinations(product_, to);
    shift.src[0] = Region(product_, bytes_, type_, to, n);
    shift.src[1] = ImmediateOperand(16, Type::kUD);
    p_.Append(shift);
    isa::Instruction add = Head(Opcode::kAdd, n, true);
    add.dst = Destinations(scratch_, to);
    add.src[0] = Sources(to, n);
    add.src[1] = Region(product_, bytes_, type_, to, n);
    p_.Append(add);
  }

  // Step: groups of 2 * half lanes.
  void Step(int half, bool scan) {
    const int group = 2 * half;
    const int groups = f_.dispatch_width / group;
    if (group <= 4) {
      for (int lane = scan ? half : group - 1; lane < group; ++lane) {
        Combine({half - 1, group}, {lane, group}, groups);
      }
      return;
    }
    for (int g = 0; g < groups; ++g) {
      const int last = g * group + half - 1;
      if (scan) {
        Combine({last, 0}, {last + 1, 1}, half);
      } else {
        Combine({last, 0}, {last + half, 0}, 1);
      }
    }
  }

  void Fill(int byte, const isa::Operand& value, bool no_mask) {
    for (int first = 0; first < in_.width; first += kMaxLanes) {
      const int n = std::min<int>(in_.width, kMaxLanes);
      isa::Instruction mov = Head(Opcode::kMov, n, no_mask, first);
      mov.dst = Destinations(byte, {first, 1});
      mov.src[0] = value;
      p_.Append(mov);
    }
  }

  isa::Operand Identity() const {
    const Operand& identity = uses_[1];
    return ImmediateOperand(identity.id, type_);
  }

  void Scan() {
    const ScanAux aux = ScanAux::Unpack(in_.aux);
    op_ = aux.op;
    type_ = static_cast<Type>(uses_[0].type);
    const bool result_is_scratch = aux.kind == ScanAux::kInclusive;
    const Operand& scratch = defs_[result_is_scratch ? 0 : 1];
    bytes_ = LaneBytes(scratch);
    // The scratch of an exclusive scan is a pair: the lane before the first is in its first half.
    scratch_ = Byte(scratch);
    if (aux.kind == ScanAux::kExclusive) scratch_ += bytes_ * f_.dispatch_width;
    if (op_ == ReduceOp::kImul) product_ = Byte(defs_[result_is_scratch ? 1 : 2]);
    Fill(scratch_, Identity(), true);
    for (int first = 0; first < in_.width; first += kMaxLanes) {
      const int n = std::min<int>(in_.width, kMaxLanes);
      isa::Instruction mov = Head(Opcode::kMov, n, false, first);
      mov.dst = Destinations(scratch_, {first, 1});
      mov.src[0] = Source(f_, uses_[0], n, first);
      p_.Append(mov);
    }
    const bool scan = aux.kind == ScanAux::kInclusive || aux.kind == ScanAux::kExclusive;
    for (int half = 1; half < aux.cluster; half *= 2) Step(half, scan);
    Result(aux);
  }

  void Result(const ScanAux& aux) {
    switch (aux.kind) {
      case ScanAux::kInclusive: return;
      case ScanAux::kReduce: {
        isa::Instruction mov = Head(Opcode::kMov, 1, true);
        mov.dst = Destination(f_, defs_[0], 0);
        mov.src[0] = Sources({f_.dispatch_width - 1, 0}, 1);
        p_.Append(mov);
        return;
      }
      case ScanAux::kReduceClusters: return ClusterResult(aux.cluster);
      case ScanAux::kExclusive: return ShiftedResult();
    }
  }

  // Each lane reads the last one of its cluster.
  void ClusterResult(int cluster) {
    for (int first = 0; first < in_.width; first += kMaxLanes) {
      const int n = std::min<int>(in_.width, kMaxLanes);
      isa::Instruction mov = Head(Opcode::kMov, n, true, first);
      mov.dst = Destination(f_, defs_[0], first);
      mov.src[0] = Place(scratch_ + (first + cluster - 1) * bytes_, type_);
      mov.src[0].region = {static_cast<uint8_t>(cluster), static_cast<uint8_t>(std::min(cluster, n)),
                           0};
      if (cluster >= n) mov.src[0].region = {0, 1, 0};
      p_.Append(mov);
    }
  }

  // Each lane reads the one before it. A source that is off by a lane lies in two registers only if
  // there are no more lanes than fill one.
  void ShiftedResult() {
    isa::Instruction first = Head(Opcode::kMov, 1, true);
    first.dst = Place(scratch_ - bytes_, type_);
    first.dst.region.hstride = 1;
    first.src[0] = Identity();
    p_.Append(first);
    const int n = std::min<int>(in_.width, 8);
    for (int lane = 0; lane < in_.width; lane += n) {
      isa::Instruction mov = Head(Opcode::kMov, n, true, lane);
      mov.dst = Destination(f_, defs_[0], lane);
      mov.src[0] = Sources({lane - 1, 1}, n);
      p_.Append(mov);
    }
  }

  const lir::Function& f_;
  const lir::Inst& in_;
  const absl::Span<const Operand> defs_, uses_;
  isa::Program& p_;
  // Of a reduction or scan.
  ReduceOp op_ = ReduceOp::kIadd;
  Type type_ = Type::kUD;
  int bytes_ = 4;       // of a lane
  int scratch_ = 0;     // first byte of the register that is combined in place
  int product_ = 0;     // of the register for partial products
};

}  // namespace

void EmitLaneOp(const lir::Function& f, lir::InstId id, isa::Program& program) {
  LaneEmitter(f, id, program).Run();
}

}  // namespace kiln::intel
