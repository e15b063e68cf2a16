// Emits reductions, scans and shuffles.
//
// All lanes are on meanwhile; those that were off hold the identity. Rows of 16 lanes are combined
// by DPP, pairs of rows by v_permlanex16, halves of a wave of 64 by v_readlane. Scans double their
// step within a row (W. D. Hillis, G. L. Steele, "Data parallel algorithms", 1986), then add the
// last lane of each lower row; exclusive ones shift by one lane first. Mesa 25.0.7
// (aco_lower_to_hw_instr.cpp, emit_reduction) has sequences of the same kind.
#include "core/amd/emit/scans.h"

#include <array>

#include "core/amd/emit/operands.h"
#include "core/amd/isa/inline_constants.h"
#include "core/amd/lir/lanes.h"

namespace kiln::amd {
namespace {

using isa::Opcode;

constexpr uint16_t kRowShr = 0x110, kRowXmask = 0x160, kSameLane = 0xe4;  // DPP controls
constexpr uint8_t kOddRows = 0xa, kAllRows = 0xf;

class Scan {
 public:
  Scan(Context& c, lir::InstId i)
      : c_(c),
        aux_(ScanAux::Unpack(c.f().inst(i).aux)),
        identity_(c.f().uses(i)[1].id),
        wide_(c.wave() == isa::Wave::k64),
        dwords_(c.f().uses(i)[0].comps),
        result_(RegisterOf(c.f(), c.f().defs(i)[0])),
        value_(RegisterOf(c.f(), c.f().uses(i)[0])),
        sum_(RegisterOf(c.f(), c.f().defs(i)[1])),
        other_(RegisterOf(c.f(), c.f().defs(i)[2])),
        scalar_(RegisterOf(c.f(), c.f().defs(i)[3])) {}

  void Emit() {
    c_.BeginAllLanes();  // the lanes that were on are in the temporary pair
    Start();
    switch (aux_.kind) {
      case ScanAux::kReduce: Reduce(static_cast<int>(aux_.cluster)); break;
      case ScanAux::kReduceClusters: Reduce(static_cast<int>(aux_.cluster)); break;
      case ScanAux::kExclusive: ShiftByLane(); [[fallthrough]];
      case ScanAux::kInclusive: Prefixes(); break;
    }
    const bool to_scalar = aux_.kind == ScanAux::kReduce;
    if (to_scalar) ReadLane(result_, LastLane());
    c_.EndAllLanes();
    for (int d = 0; !to_scalar && d < dwords_; ++d) {
      c_.Add(Opcode::kVMovB32, Dword(result_, d), Dword(sum_, d));
    }
  }

 private:
  int LastLane() const { return wide_ ? 63 : 31; }

  static isa::Operand Dword(isa::Operand first, int dword) {
    first.code += dword;
    return first;
  }

  // Adds `op` of a dword of the identity as source 0, as literal where it must be one. The low half
  // of a double identity is 0.
  void AddWithIdentity(isa::Instruction inst, int dword) {
    const uint32_t bits = dword + 1 == dwords_ ? identity_ : 0;
    if (const auto constant = isa::InlineConstant(bits, isa::Type::kB32)) {
      inst.src[0] = *constant;
    } else {
      inst.src[0] = isa::Source(isa::kLiteralCode);
      inst.literal = bits;
    }
    c_.Add(inst);
  }

  // sum = the value in lanes that were on, else the identity
  void Start() {
    for (int d = 0; d < dwords_; ++d) {
      isa::Instruction select;
      select.op = Opcode::kVCndmaskB32;
      select.form = isa::Form::kVop3;
      select.dst = Dword(sum_, d);
      select.src[1] = Dword(value_, d);
      select.src[2] = Temporary();
      AddWithIdentity(select, d);
    }
  }

  void SetToIdentity(isa::Operand dst) {
    for (int d = 0; d < dwords_; ++d) {
      isa::Instruction move;
      move.op = Opcode::kVMovB32;
      move.dst = Dword(dst, d);
      AddWithIdentity(move, d);
    }
  }

  // dst = sum of a lane
  void ReadLane(isa::Operand dst, int lane) {
    for (int d = 0; d < dwords_; ++d) {
      c_.Add(Opcode::kVReadlaneB32, Dword(dst, d), Dword(sum_, d), Constant(lane));
    }
  }

  // other = sum of the lanes that the control names, where there are such lanes, else the identity
  void Shift(uint16_t control) {
    SetToIdentity(other_);
    for (int d = 0; d < dwords_; ++d) {
      AddDpp(Opcode::kVMovB32, Dword(other_, d), Dword(sum_, d), {}, control);
    }
  }

  // dst = op(src0 of other lanes [, src1]); lanes without a source, and other rows, keep dst.
  void AddDpp(Opcode op, isa::Operand dst, isa::Operand src0, isa::Operand src1, uint16_t control,
              uint8_t rows = kAllRows) {
    isa::Instruction inst;
    inst.op = op;
    inst.form = isa::Form::kDpp16;
    inst.dst = dst;
    inst.src[0] = src0;
    inst.src[1] = src1;
    inst.dpp.control = control;
    inst.dpp.row_mask = rows;
    inst.dpp.bank_mask = 0xf;
    c_.Add(inst);
  }

  bool HasDpp() const { return isa::Info(aux_.op).Has(isa::opcode_flag::kDpp); }

  // sum = op(sum of the lanes that the control names, sum), where there are such lanes.
  void CombineWithin(uint16_t control) {
    if (HasDpp()) return AddDpp(aux_.op, sum_, sum_, sum_, control);
    Shift(control);
    c_.Add(aux_.op, sum_, other_, sum_);
  }

  // other = lane `selects` (four bits for each lane) of the row beside
  void ReadOtherRow(isa::Operand selects) {
    for (int d = 0; d < dwords_; ++d) {
      c_.Add(Opcode::kVPermlanex16B32, Dword(other_, d), Dword(sum_, d), selects, selects);
    }
  }

  void Reduce(int lanes) {
    for (int step = 1; step < lanes && step < 16; step *= 2) {
      CombineWithin(static_cast<uint16_t>(kRowXmask | step));
    }
    if (lanes < 32) return;
    ReadOtherRow(Constant(0));  // all lanes of a row are equal by now
    c_.Add(aux_.op, sum_, other_, sum_);
    if (lanes < 64) return;
    // The upper lanes get the sum of all; a reduction of 64 lanes is read from them.
    ReadLane(scalar_, 0);
    c_.Add(aux_.op, sum_, scalar_, sum_);
  }

  // sum = the identity in lane 0, sum of the lane below in others
  void ShiftByLane() {
    Shift(kRowShr | 1);
    for (int row = 16; row <= LastLane(); row += 16) {
      ReadLane(scalar_, row - 1);
      for (int d = 0; d < dwords_; ++d) {
        c_.Add(Opcode::kVWritelaneB32, Dword(other_, d), Dword(scalar_, d), Constant(row));
      }
    }
    std::swap(sum_, other_);
  }

  void Prefixes() {
    for (int step = 1; step < 16; step *= 2) {
      CombineWithin(static_cast<uint16_t>(kRowShr | step));
    }
    ReadOtherRow(Constant(-1));  // its last lane
    if (HasDpp()) {
      AddDpp(aux_.op, sum_, other_, sum_, kSameLane, kOddRows);
    } else {
      for (int half = 0; half < (wide_ ? 2 : 1); ++half) {
        c_.AddScalarConstant(isa::Sgpr(isa::kExecLo + half), 0xffff0000u);
      }
      c_.Add(aux_.op, sum_, other_, sum_);
      c_.Add(c_.masks().mov, Exec(), Constant(-1));
    }
    if (!wide_) return;
    ReadLane(scalar_, 31);
    c_.Add(Opcode::kSMovB32, Exec(), Constant(0));  // the lower half is complete
    c_.Add(aux_.op, sum_, scalar_, sum_);
  }

  Context& c_;
  const ScanAux aux_;
  const uint32_t identity_;
  const bool wide_;
  const int dwords_;  // two of doubles
  const isa::Operand result_, value_;
  isa::Operand sum_, other_;
  const isa::Operand scalar_;
};

// Reads each lane that some lane names once, for all that name it.
void EmitShuffle(Context& c, lir::InstId i) {
  const auto def = [&](size_t k) { return RegisterOf(c.f(), c.f().defs(i)[k]); };
  const isa::Operand value = RegisterOf(c.f(), c.f().uses(i)[0]);
  const isa::Operand index = RegisterOf(c.f(), c.f().uses(i)[1]);
  const isa::Operand lane = def(1), read = def(2), on = def(3);
  const MaskOps& ops = c.masks();
  c.Add(ops.mov, on, Exec());
  c.Add(ops.mov, Temporary(), Exec());  // lanes to do
  const int loop = c.NewLabel();
  c.Bind(loop);
  c.Add(Opcode::kVReadfirstlaneB32, lane, index);
  c.Add(Opcode::kVReadlaneB32, read, value, lane);
  c.Add(Opcode::kVCmpxEqU32, {}, lane, index);
  c.Add(Opcode::kVMovB32, def(0), read);
  c.Add(ops.andn2, Temporary(), Temporary(), Exec());
  c.Add(ops.mov, Exec(), Temporary());
  c.AddBranch(Opcode::kSCbranchScc1, loop);
  c.Add(ops.mov, Exec(), on);
}

}  // namespace

bool EmitScan(Context& c, lir::InstId i) {
  switch (c.f().inst(i).op) {
    case kLaneScan: Scan(c, i).Emit(); return true;
    case kLaneShuffle: EmitShuffle(c, i); return true;
    default: return false;
  }
}

}  // namespace kiln::amd
