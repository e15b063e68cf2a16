#include "core/intel/emit/scans.h"

#include <algorithm>

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

constexpr int kMaxOperandBytes = 2 * kGrfBytes;
constexpr int kMaxLanes = 16;

// The instruction that combines two lanes; min and max are sel with a condition.
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

// Registers with all lanes of the thread: the first byte and the distance of lanes in bytes.
struct LaneRegisters {
  int byte = 0;
  int lane_bytes = 4;
};

// Equally spaced lanes of such registers: the first and their distance in lanes (0: always that
// one).
struct Lanes {
  LaneRegisters registers;
  int first = 0;
  int stride = 1;

  Lanes From(int n) const { return {registers, first + n * stride, stride}; }
  int Byte() const { return registers.byte + first * registers.lane_bytes; }
};

class ScanEmitter {
 public:
  ScanEmitter(const lir::Function& f, lir::InstId id, isa::Program& p)
      : f_(f),
        in_(f.inst(id)),
        defs_(f.defs(id)),
        uses_(f.uses(id)),
        aux_(ScanAux::Unpack(in_.aux)),
        type_(static_cast<Type>(uses_[0].type)),
        p_(p) {}

  void Run() {
    FindRegisters();
    if (aux_.kind == ScanAux::kReduce) return Reduce();
    Lanes source = In(scratch_);
    // Steps of scans do not write all lanes, so the values must be in the scratch register first.
    if (aux_.kind == ScanAux::kReduceClusters && ReadsSource()) {
      source = In(RegistersOf(uses_[0]));
    } else {
      Gather();
    }
    for (int half = 1; half < aux_.cluster; half *= 2) {
      Step(half, source);
      source = In(scratch_);
    }
    if (aux_.kind == ScanAux::kReduceClusters) ClusterResult();
    if (aux_.kind == ScanAux::kExclusive) ShiftedResult();
  }

 private:
  int Width() const { return f_.dispatch_width; }
  LaneRegisters RegistersOf(const Operand& o) const {
    return {FirstByte(o), f_.value(o.value()).elem_bytes};
  }
  static Lanes In(const LaneRegisters& registers) { return {registers, 0, 1}; }

  // The scratch of an exclusive scan is two registers long: its first half holds the lane before
  // the first.
  void FindRegisters() {
    const bool result_is_scratch = aux_.kind == ScanAux::kInclusive;
    scratch_ = RegistersOf(defs_[result_is_scratch ? 0 : 1]);
    if (aux_.kind == ScanAux::kExclusive) scratch_.byte += scratch_.lane_bytes * Width();
    if (aux_.op == ReduceOp::kImul && isa::ByteSize(type_) == 4) {
      product_ = RegistersOf(defs_[result_is_scratch ? 1 : 2]);
    }
  }

  // Returns true if steps can read the values without copying them to the scratch register.
  bool ReadsSource() const {
    return aux_.all_on && uses_[0].mods == 0 && f_.value(uses_[0].value()).file == kFileG;
  }

  // ---- operands ----

  isa::Instruction Head(Opcode op, int lanes, bool no_mask, int first = 0) const {
    isa::Instruction e;
    e.op = op;
    e.exec_size = static_cast<uint8_t>(lanes);
    e.channel_offset = static_cast<uint8_t>(first);
    e.no_mask = no_mask;
    return e;
  }

  // Rows have one element, so that no row crosses a register, wherever the lanes begin.
  static isa::Operand From(const Lanes& lanes, Type type, int count) {
    isa::Operand o = BytePlace(lanes.Byte(), type);
    const int stride = lanes.stride * lanes.registers.lane_bytes / isa::ByteSize(type);
    o.region = {static_cast<uint8_t>(count == 1 ? 0 : stride), 1, 0};
    return o;
  }

  static isa::Operand To(const Lanes& lanes, Type type) {
    isa::Operand o = BytePlace(lanes.Byte(), type);
    o.region.hstride = static_cast<uint8_t>(std::max(lanes.stride, 1) * lanes.registers.lane_bytes /
                                            isa::ByteSize(type));
    return o;
  }

  isa::Operand Identity() const { return ImmediateOperand(uses_[1].id, type_); }

  // Calls f(lanes, first) for each part of all lanes that one instruction can execute.
  template <class F>
  void ForParts(F&& f, int most = kMaxLanes) const {
    const int lanes = std::min(Width(), most);
    for (int first = 0; first < Width(); first += lanes) f(lanes, first);
  }

  // ---- steps ----

  // Copies the values to the scratch register, over the identity if lanes may be off.
  void Gather() {
    if (!aux_.all_on) {
      ForParts([&](int lanes, int first) {
        isa::Instruction fill = Head(Opcode::kMov, lanes, true, first);
        fill.dst = To(In(scratch_).From(first), type_);
        fill.src[0] = Identity();
        p_.Append(fill);
      });
    }
    ForParts([&](int lanes, int first) {
      isa::Instruction mov = Head(Opcode::kMov, lanes, aux_.all_on, first);
      mov.dst = To(In(scratch_).From(first), type_);
      mov.src[0] = Source(f_, uses_[0], lanes, first);
      p_.Append(mov);
    });
  }

  // Sets lanes `to` to lanes a combined with lanes b.
  void Combine(const Lanes& to, const Lanes& a, const Lanes& b, int count) {
    const int spacing =
        std::max({to.stride * to.registers.lane_bytes, a.stride * a.registers.lane_bytes,
                  b.stride * b.registers.lane_bytes, isa::ByteSize(type_)});
    const int most = std::min(kMaxLanes, kMaxOperandBytes / spacing);
    for (int done = 0; done < count; done += most) {
      const int n = std::min(count - done, most);
      CombinePart(to.From(done), a.From(done), b.From(done), n);
    }
  }

  void CombinePart(const Lanes& to, const Lanes& a, const Lanes& b, int n) {
    if (aux_.op == ReduceOp::kImul && isa::ByteSize(type_) == 4) return Multiply(to, a, b, n);
    const Combination c = CombinationOf(aux_.op);
    isa::Instruction e = Head(c.op, n, true);
    e.cmod = c.cmod;
    e.dst = To(to, type_);
    e.src[0] = From(a, type_, n);
    e.src[1] = From(b, type_, n);
    p_.Append(e);
  }

  // 32 bits: (a * b.high << 16) + a * b.low. (kMul32's word addition would need a stride of 8.)
  void Multiply(const Lanes& to, const Lanes& a, const Lanes& b, int n) {
    const Lanes product = {product_, to.first, to.stride};
    const auto word = [&](int which) {
      isa::Operand o = From(b, Type::kUW, n);
      o.subnr = static_cast<uint8_t>(o.subnr + 2 * which);
      return o;
    };
    const auto emit = [&](Opcode op, const Lanes& dst, const isa::Operand& x,
                          const isa::Operand& y) {
      isa::Instruction e = Head(op, n, true);
      e.dst = To(dst, type_);
      e.src[0] = x;
      e.src[1] = y;
      p_.Append(e);
    };
    emit(Opcode::kMul, product, From(a, type_, n), word(1));
    emit(Opcode::kMul, to, From(a, type_, n), word(0));
    emit(Opcode::kShl, product, From(product, type_, n), ImmediateOperand(16, Type::kUD));
    emit(Opcode::kAdd, to, From(to, type_, n), From(product, type_, n));
  }

  // The last combination writes the result, which has a register of its own.
  void Reduce() {
    Lanes source = In(scratch_);
    if (ReadsSource()) {
      source = In(RegistersOf(uses_[0]));
    } else {
      Gather();
    }
    for (int half = Width() / 2; half >= 1; half /= 2) {
      const Lanes to = In(half == 1 ? RegistersOf(defs_[0]) : scratch_);
      Combine(to, source, source.From(half), half);
      source = In(scratch_);
    }
  }

  // Combines in groups of 2 * half lanes. Values come from `source`, results go to the scratch
  // register.
  void Step(int half, const Lanes& source) {
    const int group = 2 * half;
    const int groups = Width() / group;
    const bool scan = aux_.kind != ScanAux::kReduceClusters;
    const auto lanes = [](const Lanes& of, int first, int stride) {
      return Lanes{of.registers, first, stride};
    };
    const Lanes to = In(scratch_);
    if (group <= 4) {
      for (int lane = scan ? half : group - 1; lane < group; ++lane) {
        Combine(lanes(to, lane, group), lanes(source, half - 1, group), lanes(source, lane, group),
                groups);
      }
      return;
    }
    for (int g = 0; g < groups; ++g) {
      const int last = g * group + half - 1;
      const int first = scan ? last + 1 : last + half;
      Combine(lanes(to, first, 1), lanes(source, last, 0), lanes(source, first, 1),
              scan ? half : 1);
    }
  }

  // Each lane reads the last lane of its cluster.
  void ClusterResult() {
    const int cluster = aux_.cluster;
    ForParts([&](int lanes, int first) {
      isa::Instruction mov = Head(Opcode::kMov, lanes, true, first);
      mov.dst = Destination(f_, defs_[0], first);
      mov.src[0] = BytePlace(In(scratch_).From(first + cluster - 1).Byte(), type_);
      mov.src[0].region = {0, 1, 0};
      if (cluster < lanes) {
        mov.src[0].region = {static_cast<uint8_t>(cluster), static_cast<uint8_t>(cluster), 0};
      }
      p_.Append(mov);
    });
  }

  // Each lane reads the one before it. An instruction has at most the lanes of one register, since
  // a source that is off by one lane must lie in two registers only.
  void ShiftedResult() {
    isa::Instruction first = Head(Opcode::kMov, 1, true);
    first.dst = To(In(scratch_).From(-1), type_);
    first.src[0] = Identity();
    p_.Append(first);
    const auto shift = [&](int lanes, int lane) {
      isa::Instruction mov = Head(Opcode::kMov, lanes, true, lane);
      mov.dst = Destination(f_, defs_[0], lane);
      mov.src[0] = From(In(scratch_).From(lane - 1), type_, lanes);
      p_.Append(mov);
    };
    ForParts(shift, kGrfBytes / scratch_.lane_bytes);
  }

  const lir::Function& f_;
  const lir::Inst& in_;
  const absl::Span<const Operand> defs_, uses_;
  const ScanAux aux_;
  const Type type_;
  LaneRegisters scratch_;  // where lanes are combined in place
  LaneRegisters product_;  // for partial products
  isa::Program& p_;
};

}  // namespace

absl::Status EmitScan(EmitContext& em, lir::InstId id) {
  ScanEmitter(em.f, id, em.p).Run();
  return absl::OkStatus();
}

}  // namespace kiln::intel
