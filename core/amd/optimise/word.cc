// See word.h.
#include "core/amd/optimise/word.h"

#include <optional>

#include "core/amd/isa/inline_constants.h"
#include "core/amd/isa/opcodes.h"
#include "core/amd/lir/ops.h"

namespace kiln::amd {
namespace {

using isa::Encoding;
using isa::Opcode;
using isa::OpcodeInfo;
using lir::Operand;
namespace flag = isa::opcode_flag;

bool IsConstant(const Operand& o, uint32_t bits) {
  return o.kind == Operand::Kind::kImm && o.id == bits;
}

bool IsOneRegister(const Operand& o) { return lir::IsValue(o) && o.comps == 1 && o.mods == 0; }

// Returns the position of the source that is the other operand of one with this constant.
std::optional<size_t> SourceBeside(absl::Span<const Operand> uses, uint32_t constant) {
  if (uses.size() < 2) return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    if (IsConstant(uses[i], constant) && IsOneRegister(uses[1 - i])) return 1 - i;
  }
  return std::nullopt;
}

// The stores of the high word, and the position of their data.
struct StoreRow {
  Opcode low, high;
  size_t data;
};
constexpr StoreRow kStores[] = {
    {Opcode::kBufferStoreShort, Opcode::kBufferStoreShortD16Hi, kDataUse},
    {Opcode::kGlobalStoreShort, Opcode::kGlobalStoreShortD16Hi, 1},
    {Opcode::kScratchStoreShort, Opcode::kScratchStoreShortD16Hi, 1},
    {Opcode::kDsWriteB16, Opcode::kDsWriteB16D16Hi, 1},
};

const StoreRow* StoreOf(uint16_t op) {
  for (const StoreRow& row : kStores) {
    if (op == Op(row.low)) return &row;
  }
  return nullptr;
}

bool IsWordSource(const OpcodeInfo& info, size_t use) {
  return use < 3 && isa::IsVectorAlu(info.encoding) && isa::Is16Bit(info.src[use]);
}

// The fields of SDWA where all is read and written. Those of what an encoding has not are 0.
constexpr auto kWhole = static_cast<uint8_t>(isa::Sel::kDword);
Extra WholeSdwa(const OpcodeInfo& info) {
  Extra extra;
  extra.form = static_cast<uint8_t>(isa::Form::kSdwa);
  extra.sdwa_src0 = kWhole;
  if (info.encoding != Encoding::kVop1) extra.sdwa_src1 = kWhole;
  if (info.encoding != Encoding::kVopc) extra.sdwa_dst = kWhole;
  return extra;
}
uint8_t& SelOf(Extra& extra, size_t use) { return use == 0 ? extra.sdwa_src0 : extra.sdwa_src1; }

// SDWA has no literals, and not all opcodes.
bool CanTakeSdwa(const lir::Function& f, lir::InstId id, const OpcodeInfo& info, size_t use) {
  const bool has_form = info.encoding == Encoding::kVop1 || info.encoding == Encoding::kVop2 ||
                        info.encoding == Encoding::kVopc;
  if (!has_form || !info.Has(flag::kSdwa) || info.Has(flag::kDstR) || use > 1) return false;
  const auto uses = f.uses(id);
  for (size_t i = 0; i < uses.size(); ++i) {
    if (uses[i].kind == Operand::Kind::kImm && !isa::InlineConstant(uses[i].id, info.src[i])) {
      return false;
    }
  }
  Extra extra = ExtraOf(f, f.inst(id));
  if (extra == Extra{}) return true;
  // Made by ReadHighWord for the other source.
  SelOf(extra, 1 - use) = SelOf(extra, use);
  return SelOf(extra, use) == kWhole && extra == WholeSdwa(info);
}

bool CanTakeOpSel(const lir::Function& f, lir::InstId id, const OpcodeInfo& info) {
  if (!info.Has(flag::kOpSel | flag::kOpSelByMesa)) return false;
  Extra extra = ExtraOf(f, f.inst(id));
  extra.op_sel = 0;
  return extra == Extra{};
}

}  // namespace

bool IsHighToLow(const lir::Function& f, lir::InstId id) {
  const uint16_t op = f.inst(id).op;
  const auto uses = f.uses(id);
  if (op == Op(Opcode::kVLshrrevB32)) {
    return IsConstant(uses[0], 16) && IsOneRegister(uses[1]) && ExtraOf(f, f.inst(id)) == Extra{};
  }
  return op == Op(Opcode::kSLshrB32) && IsConstant(uses[1], 16) && IsOneRegister(uses[0]);
}

Word WordOf(const lir::Function& f, const lir::DefUse& info, const Operand& operand) {
  constexpr uint32_t kWordMask = 0xffff;
  Word w;
  w.dword = operand;
  w.dword.mods = 0;
  for (;;) {
    if (w.is_constant()) {
      w.dword.id = (w.high ? w.dword.id >> 16 : w.dword.id) & kWordMask;
      w.high = false;
      return w;
    }
    const bool known = w.is_value() && w.dword.id < info.def.size();  // not made since
    const lir::InstId* def = known ? info.DefOf(w.dword) : nullptr;
    if (def == nullptr || f.value(w.dword.value()).comps != 1) return w;
    const auto uses = f.uses(*def);
    const uint16_t op = f.inst(*def).op;
    if (op == kVCopy && uses[0].kind == Operand::Kind::kImm) {
      w.dword = uses[0];
    } else if (!w.high && IsHighToLow(f, *def)) {
      w.dword = uses[op == Op(Opcode::kVLshrrevB32) ? 1 : 0];
      w.high = true;
    } else if (!w.high && (op == Op(Opcode::kVAndB32) || op == Op(Opcode::kSAndB32))) {
      const auto source = SourceBeside(uses, kWordMask);
      if (!source) return w;
      w.dword = uses[*source];
    } else {
      return w;
    }
  }
}

bool IsPack(const lir::Function& f, lir::InstId id) {
  if (f.inst(id).op != Op(Opcode::kVPermB32)) return false;
  const auto uses = f.uses(id);
  return IsConstant(uses[2], kPackSelector) && (f.inst(id).flags & lir::kNoMask) == 0 &&
         uses[0].kind != Operand::Kind::kFixed && uses[1].kind != Operand::Kind::kFixed;
}

bool ReadsLowWord(const lir::Function& f, lir::InstId id, size_t use) {
  const uint16_t op = f.inst(id).op;
  if (!IsIsaOp(op)) return false;
  if (IsPack(f, id)) return use < 2;
  if (const StoreRow* store = StoreOf(op)) return use == store->data;
  const Extra extra = ExtraOf(f, f.inst(id));
  return extra.form == 0 && (extra.op_sel >> use & 1) == 0 &&
         IsWordSource(isa::Info(OpcodeOf(op)), use);
}

bool CanReadHighWord(const lir::Function& f, lir::InstId id, size_t use) {
  const uint16_t op = f.inst(id).op;
  if (!IsIsaOp(op)) return false;
  if (const StoreRow* store = StoreOf(op)) return use == store->data;
  const OpcodeInfo& info = isa::Info(OpcodeOf(op));
  return IsWordSource(info, use) && (CanTakeOpSel(f, id, info) || CanTakeSdwa(f, id, info, use));
}

void ReadHighWord(lir::Function& f, lir::InstId id, size_t use, const Operand& dword) {
  lir::Inst& in = f.inst(id);
  Operand& o = f.uses(id)[use];
  const uint8_t mods = o.mods;
  o = dword;
  o.mods = mods;
  if (const StoreRow* store = StoreOf(in.op)) {
    in.op = Op(store->high);
    return;
  }
  const OpcodeInfo& info = isa::Info(OpcodeOf(in.op));
  Extra extra = ExtraOf(f, in);
  if (CanTakeOpSel(f, id, info)) {
    extra.op_sel |= static_cast<uint8_t>(1u << use);
  } else {
    if (extra.form == 0) extra = WholeSdwa(info);
    SelOf(extra, use) = static_cast<uint8_t>(isa::Sel::kWord1);
  }
  in.aux = AddExtra(f, extra);
}

Readers::Readers(const lir::Function& f) : first_(f.values.size() + 1) {
  const auto each = [&](auto&& visit) {
    for (const lir::Block& block : f.blocks) {
      for (lir::InstId id : block.insts) {
        const auto uses = f.uses(id);
        for (uint32_t i = 0; i < uses.size(); ++i) visit(uses[i], Reader{id, i, {}, {}});
      }
      for (const lir::Edge& e : block.succs) {
        const auto args = f.args(e);
        const lir::BlockId from(static_cast<size_t>(&block - f.blocks.data()));
        for (uint32_t i = 0; i < args.size(); ++i) visit(args[i], Reader{{}, i, from, e.to});
      }
    }
  };
  each([&](const Operand& o, const Reader&) {
    if (lir::IsValue(o)) ++first_[o.id + 1];
  });
  for (size_t v = 1; v < first_.size(); ++v) first_[v] += first_[v - 1];
  readers_.resize(first_.back());
  std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
  each([&](const Operand& o, const Reader& reader) {
    if (lir::IsValue(o)) readers_[next[o.id]++] = reader;
  });
}

}  // namespace kiln::amd
