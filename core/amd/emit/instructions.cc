#include "core/amd/emit/instructions.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "core/amd/emit/operands.h"
#include "core/amd/emit/short_forms.h"
#include "core/amd/isa/disasm.h"
#include "core/amd/isa/inline_constants.h"
#include "core/amd/isa/operands.h"
#include "core/amd/isa/verify.h"
#include "core/amd/lir/extra.h"

namespace kiln::amd {
namespace {

using isa::Encoding;
using isa::Instruction;
using isa::Opcode;
using isa::OpcodeInfo;
using isa::Type;
using Kind = lir::Operand::Kind;

class Lowering {
 public:
  Lowering(Context& c, lir::InstId i)
      : c_(c),
        f_(c.f()),
        in_(f_.inst(i)),
        info_(isa::Info(OpcodeOf(in_.op))),
        defs_(f_.defs(i)),
        uses_(f_.uses(i)) {
    if (in_.aux < f_.side.size()) extra_ = ExtraOf(f_, in_);
    inst_.op = info_.op;
    inst_.form = static_cast<isa::Form>(extra_.form);
  }

  void Run() {
    Fields();
    Destinations();
    Sources();
    if (info_.encoding == Encoding::kMimg) Addresses();
    if (isa::IsBuffer(info_.encoding)) BufferDefaults();
    if (info_.encoding == Encoding::kSopk && info_.unit == isa::Unit::kWait) {
      inst_.src[0] = isa::Sgpr(isa::kNull);
    }
    Modifiers();
    if (!c_.status().ok()) return;
    const Instruction shortest = Shortest(inst_, scc_used_);
    Check(shortest);
    const bool all_lanes = (in_.flags & lir::kNoMask) != 0 && isa::ReadsExec(info_) &&
                           info_.encoding >= Encoding::kVop1;
    if (all_lanes) c_.BeginAllLanes();
    if (extra_.exact != 0) c_.BeginExact();
    c_.Add(shortest);
    if (extra_.exact != 0) c_.EndExact();
    if (all_lanes) c_.EndAllLanes();
  }

 private:
  const lir::Operand* Use(size_t k) const {
    return k < uses_.size() && uses_[k].kind != Kind::kNone ? &uses_[k] : nullptr;
  }
  bool IsScc(const lir::Operand& o) const {
    return lir::IsValue(o) && f_.value(o.value()).file == kFileScc;
  }

  void Destinations() {
    size_t next = 0;
    const auto take = [&]() -> isa::Operand {
      if (next >= defs_.size() || IsScc(defs_[next])) return {};
      const lir::Operand& d = defs_[next++];
      return d.kind == Kind::kNone ? isa::Operand() : RegisterOf(f_, d);
    };
    if (info_.dst != Type::kN) inst_.dst = take();
    if (info_.Has(isa::opcode_flag::kCarryOut)) inst_.sdst = take();
    for (; next < defs_.size(); ++next) {
      if (IsScc(defs_[next])) {
        scc_used_ = true;
      } else if (defs_[next].kind != Kind::kNone) {
        c_.Fail(in_, "it has more results than the instruction");
      }
    }
    const bool returns = inst_.dst.exists();
    if (info_.Has(isa::opcode_flag::kAtomic)) {
      const bool shared = isa::IsBuffer(info_.encoding) || info_.encoding == Encoding::kMimg;
      if (info_.encoding != Encoding::kDs) inst_.glc = returns;
      if (shared && !returns && Use(kDataUse)) inst_.dst = RegisterOf(f_, *Use(kDataUse));
    } else if (!returns && Use(kDataUse) &&
               (isa::IsBuffer(info_.encoding) || info_.encoding == Encoding::kMimg)) {
      inst_.dst = RegisterOf(f_, *Use(kDataUse));
    }
  }

  // The type that decides what a constant means. v_fma_mix reads halves where op_sel_hi says so.
  Type ConstantType(int i) const {
    if (!info_.Has(isa::opcode_flag::kMix)) return info_.src[static_cast<size_t>(i)];
    return (extra_.op_sel_hi >> i & 1) != 0 ? Type::kF16 : Type::kF32;
  }

  isa::Operand Immediate(uint32_t bits, Type type) {
    if (type == Type::kN) type = Type::kB32;  // offset registers, s_setreg
    if (auto constant = isa::InlineConstant(bits, type)) return *constant;
    if (!isa::LiteralMeans(bits, type)) {
      c_.Fail(in_, absl::StrCat("a literal cannot be 0x", absl::Hex(bits), " of 64 bits"));
    }
    if (isa::Is16Bit(type)) bits &= 0xffff;
    if (literal_ && *literal_ != bits) c_.Fail(in_, "two different literals");
    literal_ = bits;
    inst_.literal = bits;
    return isa::Source(isa::kLiteralCode);
  }

  isa::Operand SourceOf(const lir::Operand& o, Type type) {
    if (o.kind == Kind::kNone) return {};
    if (o.sub != 0) c_.Fail(in_, "an operand names a part of a register");
    if (o.kind == Kind::kImm) return Immediate(o.id, type);
    return RegisterOf(f_, o);
  }

  void Sources() {
    if (info_.Has(isa::opcode_flag::kLiteral)) return LiteralSources();
    // The number of a parameter of the primitive.
    if (info_.op == Opcode::kVInterpMovF32) {
      inst_.src[0] = isa::Source(static_cast<int>(uses_[0].id));
      return;
    }
    const size_t named = info_.encoding == Encoding::kExp ? 4 : 3;
    for (size_t k = 0; k < named; ++k) {
      const lir::Operand* use = Use(k);
      if (use == nullptr || IsScc(*use)) continue;
      inst_.src[k] = SourceOf(*use, k < 3 ? ConstantType(static_cast<int>(k)) : Type::kB32);
    }
    // Data of formats that have a source for them.
    const bool apart = isa::IsFlatFormat(info_.encoding) || info_.encoding == Encoding::kDs;
    if (apart && Use(kDataUse) && !Use(1)) inst_.src[1] = SourceOf(*Use(kDataUse), Type::kB32);
  }

  // v_fmamk, v_fmaak and s_setreg_imm32: the last use that is an immediate is the literal.
  void LiteralSources() {
    size_t literal = 3;
    for (size_t k = 0; k < 3; ++k) {
      if (Use(k) && Use(k)->kind == Kind::kImm) literal = k;
    }
    if (literal == 3) return c_.Fail(in_, "its constant is no immediate");
    literal_ = inst_.literal = Use(literal)->id;
    size_t next = 0;
    for (size_t k = 0; k < 3; ++k) {
      if (k != literal && Use(k)) inst_.src[next++] = SourceOf(*Use(k), info_.src[0]);
    }
  }

  // Addresses that are not in a row, from use 4 on.
  void Addresses() {
    const int parts = isa::ImageAddressDwords(inst_);
    if (uses_.size() <= 4) return;
    size_t at = 0;
    for (size_t k = 4; k < uses_.size(); ++k) {
      const lir::Operand& use = uses_[k];
      if (use.kind == Kind::kNone) continue;
      if (!IsVector(f_, use) || at + use.comps > inst_.address.size()) {
        return c_.Fail(in_, "a part of its address is in no vector register");
      }
      for (uint32_t u = 0; u < use.comps; ++u) {
        inst_.address[at++] = static_cast<uint8_t>(RegisterOf(f_, use, u).vgpr());
      }
    }
    if (static_cast<int>(at) + 1 != parts) {
      return c_.Fail(in_, absl::StrCat("its address has ", at + 1, " parts instead of ", parts));
    }
    bool in_a_row = true;
    for (size_t k = 0; k < at; ++k) {
      in_a_row &= inst_.address[k] == inst_.src[0].vgpr() + 1 + static_cast<int>(k);
    }
    if (in_a_row) {
      inst_.address = {};
    } else {
      inst_.nsa_dwords = static_cast<uint8_t>((at + 3) / 4);
    }
  }

  void BufferDefaults() {
    const bool bare = info_.op == Opcode::kBufferGl0Inv || info_.op == Opcode::kBufferGl1Inv;
    if (!bare && !inst_.src[2].exists()) inst_.src[2] = Constant(0);
  }

  void Modifiers() {
    for (size_t k = 0; k < 3 && k < uses_.size(); ++k) {
      if (uses_[k].mods & lir::Operand::kNegate) inst_.neg |= static_cast<uint8_t>(1u << k);
      if (uses_[k].mods & lir::Operand::kAbsolute) inst_.abs |= static_cast<uint8_t>(1u << k);
    }
    inst_.clamp = (in_.flags & lir::kSaturate) != 0;
  }

  void Fields() {
    const Extra& x = extra_;
    inst_.simm = x.simm;
    inst_.neg_hi = x.neg_hi;
    inst_.op_sel = x.op_sel;
    inst_.op_sel_hi = x.op_sel_hi;
    inst_.omod = x.omod;
    inst_.dpp.control = x.dpp_control;
    inst_.dpp.row_mask = x.dpp_masks & 15;
    inst_.dpp.bank_mask = x.dpp_masks >> 4;
    inst_.dpp.bound_control = (x.dpp_flags & 1) != 0;
    inst_.dpp.fetch_inactive = (x.dpp_flags & 2) != 0;
    inst_.dpp.lanes = x.dpp_lanes;
    inst_.sdwa.dst_sel = x.sdwa_dst & 15;
    inst_.sdwa.dst_unused = x.sdwa_dst >> 4;
    inst_.sdwa.src_sel = {x.sdwa_src0, x.sdwa_src1};
    inst_.sdwa.sext = x.sdwa_sext;
    inst_.attribute = x.attribute;
    inst_.channel = x.channel;
    inst_.high = x.high != 0;
    MemoryFields();
  }

  void MemoryFields() {
    const Extra& x = extra_;
    inst_.offset = x.offset;
    inst_.offset1 = x.offset1;
    inst_.glc = (x.cache & kGlc) != 0;
    inst_.slc = (x.cache & kSlc) != 0;
    inst_.dlc = (x.cache & kDlc) != 0;
    inst_.tfe = (x.flags & kTfe) != 0;
    inst_.lwe = (x.flags & kLwe) != 0;
    inst_.idxen = (x.flags & kIdxen) != 0;
    inst_.offen = (x.flags & kOffen) != 0;
    inst_.unnormalised = (x.flags & kUnnormalised) != 0;
    inst_.r128 = (x.flags & kR128) != 0;
    inst_.a16 = (x.flags & kA16) != 0;
    inst_.d16 = (x.flags & kD16) != 0;
    inst_.format = x.format;
    inst_.dmask = x.dmask;
    inst_.dim = x.dim;
    inst_.target = x.target;
    inst_.enable = x.enable;
    inst_.done = (x.export_flags & 1) != 0;
    inst_.compressed = (x.export_flags & 2) != 0;
    inst_.valid_mask = (x.export_flags & 4) != 0;
  }

  // Looks at the rules alone: what cannot be encoded is refused when the program is finalised.
  void Check(const Instruction& inst) {
    if (!c_.status().ok()) return;
    // The barrier's own field says what to wait for; waits/ takes it away.
    Instruction checked = inst;
    if (inst.op == Opcode::kSBarrier) checked.simm = 0;
    const auto broken = isa::BrokenBy(checked, c_.wave());
    if (broken.empty()) return;
    c_.Fail(in_, absl::StrCat(broken[0]->statement, ": ", isa::Disassemble(checked, c_.wave())));
  }

  Context& c_;
  const lir::Function& f_;
  const lir::Inst& in_;
  const OpcodeInfo& info_;
  absl::Span<const lir::Operand> defs_, uses_;
  Extra extra_;
  Instruction inst_;
  std::optional<uint32_t> literal_;
  bool scc_used_ = false;
};

}  // namespace

void EmitInstruction(Context& c, lir::InstId i) { Lowering(c, i).Run(); }

}  // namespace kiln::amd
