// See apply_pairs.h.
#include "core/amd/optimise/apply_pairs.h"

#include <algorithm>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/amd/isa/inline_constants.h"
#include "core/amd/lir/ops.h"
#include "core/amd/optimise/pack_words.h"
#include "core/amd/optimise/packed_form.h"
#include "core/lir/build.h"

namespace kiln::amd {
namespace {

using isa::Opcode;
using lir::BlockId;
using lir::InstId;
using lir::Operand;
using lir::ValueId;

// More readers than this of one high word read it from a register of its own: the forms that read
// it in place are a dword longer.
constexpr size_t kMaxInPlace = 4;

class Rewriter {
 public:
  Rewriter(const lir::Machine& machine, lir::Function& f, const PairPlan& plan,
           const lir::DefUse& info, const Readers& readers,
           const std::function<bool()>& may_rewrite)
      : machine_(machine),
        f_(f),
        plan_(plan),
        info_(info),
        readers_(readers),
        may_rewrite_(may_rewrite),
        dword_(plan.pairs.size()),
        extracted_(plan.pairs.size()),
        instead_(f.values.size()),
        packer_(f) {}

  bool Run() {
    ChooseShifts();
    MakeDwords();
    for (size_t b = 0; b < f_.blocks.size(); ++b) VisitBlock(BlockId(b));
    for (size_t b = 0; b < f_.blocks.size(); ++b) VisitEdges(BlockId(b));
    for (size_t b = 0; b < f_.blocks.size(); ++b) RemoveParameters(BlockId(b));
    return changed_ || packer_.made_any();
  }

 private:
  // ---- Preparation.
  bool AllReadInPlace(ValueId v) const;
  void ChooseShifts();
  void MakeDwords();

  // ---- Emission, to the packer's list.
  void EmitPair(size_t pair);
  void Extract(size_t pair);

  // ---- Rewriting.
  Word Resolved(const Word& word) const;
  void VisitBlock(BlockId b);
  void VisitPack(InstId id);
  void VisitUses(InstId id);
  Operand Replaced(const Operand& use) const;
  Operand Argument(const Word& low, const Word& high);
  std::vector<Operand> ArgumentsOf(const lir::Edge& edge);
  void VisitEdges(BlockId b);
  void RemoveParameters(BlockId b);

  const lir::Machine& machine_;
  lir::Function& f_;
  const PairPlan& plan_;
  const lir::DefUse& info_;
  const Readers& readers_;
  const std::function<bool()>& may_rewrite_;
  std::vector<Operand> dword_;      // by pair
  std::vector<Operand> extracted_;  // by pair: its high word as a low one; none if nothing needs it
  std::vector<Operand> instead_;    // by value: what its readers read
  std::vector<bool> in_place_;      // by value: its readers read the high word of its source
  WordPacker packer_;               // its list: the block's new instructions
  bool changed_ = false;
};

// ---- Preparation.

bool Rewriter::AllReadInPlace(ValueId v) const {
  size_t in_place = 0;
  const auto readers = readers_.Of(v.index);
  return !readers.empty() &&
         std::all_of(readers.begin(), readers.end(), [&](const Readers::Reader& reader) {
           if (!reader.inst.valid()) {
             return plan_.PairOf(f_.block(reader.to).params[reader.place].index) != nullptr;
           }
           const auto defs = f_.defs(reader.inst);
           if (defs.size() == 1 && plan_.PairOf(defs[0].id) != nullptr) return true;
           if (IsPack(f_, reader.inst)) return true;
           return ++in_place <= kMaxInPlace && CanReadHighWord(f_, reader.inst, reader.place);
         });
}

void Rewriter::ChooseShifts() {
  in_place_.assign(f_.values.size(), false);
  for (const lir::Block& block : f_.blocks) {
    for (InstId id : block.insts) {
      if (f_.inst(id).op != Op(Opcode::kVLshrrevB32) || !IsHighToLow(f_, id)) continue;
      const ValueId v = f_.defs(id)[0].value();
      const Word word = WordOf(f_, info_, f_.defs(id)[0]);
      const bool in_vector = word.is_value() && f_.value(word.dword.value()).file == kFileV;
      if (in_vector && AllReadInPlace(v) && may_rewrite_()) in_place_[v.index] = true;
    }
  }
}

void Rewriter::MakeDwords() {
  for (size_t p = 0; p < plan_.pairs.size(); ++p) {
    const WordPair& pair = plan_.pairs[p];
    packer_.SetSpirvId(f_.value(pair.values[0]).spirv_id);
    dword_[p] = pair.is_parameter() ? lir::ValueOperand(pair.values[0], 0) : packer_.NewDword();
    if (AllReadInPlace(pair.values[1])) {
      in_place_[pair.values[1].index] = true;
    } else if (!readers_.Of(pair.values[1].index).empty()) {
      extracted_[p] = packer_.NewDword();
    }
  }
}

// ---- Emission.

void Rewriter::EmitPair(size_t p) {
  const WordPair& pair = plan_.pairs[p];
  packer_.SetSpirvId(f_.inst(pair.insts[0]).spirv_id);
  const auto low = PackedFormOf(f_, info_, pair.insts[0]);
  const auto high = PackedFormOf(f_, info_, pair.insts[1]);
  const isa::OpcodeInfo& info = isa::Info(low->op);
  Extra extra;
  absl::InlinedVector<Operand, 3> uses, scalars;
  bool literal = false;
  for (size_t i = 0; i < static_cast<size_t>(low->sources); ++i) {
    const size_t k = pair.exchanged && i < 2 ? 1 - i : i;
    PackedSource s =
        packer_.SourceOf(Resolved(low->words[i]), Resolved(high->words[k]), low->is_float);
    const bool is_literal =
        s.dword.kind == Operand::Kind::kImm && !isa::InlineConstant(s.dword.id, info.src[i]);
    const bool is_scalar = lir::IsValue(s.dword) && f_.value(s.dword.value()).file == kFileS;
    const bool known = is_scalar && std::any_of(scalars.begin(), scalars.end(), [&](const auto& o) {
                         return SameDword(o, s.dword);
                       });
    if ((is_literal || is_scalar) && !known) {
      // Two scalars, of which one may be a literal (emission.h).
      if (scalars.size() == 2 || (is_literal && literal)) {
        s.dword = packer_.Copied(s.dword);
      } else {
        scalars.push_back(s.dword);
        literal |= is_literal;
      }
    }
    const auto bit = static_cast<uint8_t>(1u << i);
    if (s.low_is_high) extra.op_sel |= bit;
    if (s.high_is_high) extra.op_sel_hi |= bit;
    if (low->negated[i]) s.dword.mods |= Operand::kNegate;
    if (high->negated[k]) extra.neg_hi |= bit;
    uses.push_back(s.dword);
  }
  packer_.Emit(Op(low->op), dword_[p], uses, extra,
               low->saturates ? uint8_t{lir::kSaturate} : uint8_t{0});
}

void Rewriter::Extract(size_t p) {
  if (extracted_[p].kind == Operand::Kind::kNone) return;
  const Operand uses[] = {lir::ImmOperand(16, 0), dword_[p]};
  packer_.Emit(Op(Opcode::kVLshrrevB32), extracted_[p], uses, {});
}

// ---- Rewriting.

// Returns the word where it is after the pairs are made.
Word Rewriter::Resolved(const Word& word) const {
  if (!word.is_value()) {
    return word.is_constant() ? word : Word{lir::ImmOperand(0, 0), false};  // undefined
  }
  if (word.dword.id >= plan_.place.size()) return word;
  const PairPlan::Position place = plan_.PositionOf(word);
  if (place.in_pair) return {dword_[place.id], place.high};
  Word w = word;
  if (const Operand& other = instead_[word.dword.id]; lir::IsValue(other)) w.dword = other;
  return w;
}

void Rewriter::VisitBlock(BlockId b) {
  const std::vector<InstId> insts = f_.block(b).insts;
  packer_.Start();
  for (size_t p = 0; p < plan_.pairs.size(); ++p) {
    if (plan_.pairs[p].is_parameter() && plan_.pairs[p].block == b) Extract(p);
  }
  InstId first;  // of a pair
  for (InstId id : insts) {
    const auto defs = f_.defs(id);
    const int32_t place = defs.size() == 1 && lir::IsValue(defs[0]) ? plan_.place[defs[0].id] : -1;
    if (place >= 0) {
      if (!first.valid()) {
        first = id;
        continue;
      }
      first = InstId();
      EmitPair(static_cast<size_t>(place) / 2);
      Extract(static_cast<size_t>(place) / 2);
      continue;
    }
    packer_.SetSpirvId(f_.inst(id).spirv_id);
    if (IsPack(f_, id)) {
      VisitPack(id);
      continue;
    }
    VisitUses(id);
    packer_.Append(id);
  }
  f_.block(b).insts = packer_.order();
}

// Words that one dword has in their places are that dword; others are taken from where they are.
void Rewriter::VisitPack(InstId id) {
  const Word words[] = {Resolved(WordOf(f_, info_, f_.uses(id)[0])),
                        Resolved(WordOf(f_, info_, f_.uses(id)[1]))};
  const auto in_vector = [&](const Word& w) {
    return w.is_value() && f_.value(w.dword.value()).file == kFileV;
  };
  const auto& [high, low] = words;
  if (in_vector(low) && SameDword(low.dword, high.dword) && !low.high && high.high) {
    instead_[f_.defs(id)[0].id] = low.dword;
    changed_ = true;
    return;
  }
  bool is_high[2] = {};
  for (size_t i = 0; i < 2; ++i) {
    Operand& use = f_.uses(id)[i];
    if (!in_vector(words[i]) || SameDword(use, words[i].dword)) continue;
    use = words[i].dword;
    is_high[i] = words[i].high;
    changed_ = true;
  }
  f_.uses(id)[2].id = PackSelector(is_high[1], is_high[0]);
  packer_.Append(id);
}

// Returns the operand with the value that took the place of its own.
Operand Rewriter::Replaced(const Operand& use) const {
  if (!lir::IsValue(use) || use.id >= plan_.place.size()) return use;
  Operand o = use;
  if (const int32_t place = plan_.place[use.id]; place >= 0) {
    const auto pair = static_cast<size_t>(place) / 2;
    const Operand& other = place % 2 != 0 ? extracted_[pair] : dword_[pair];
    o.id = other.id;
    o.comp = other.comp;
  } else if (const Operand& other = instead_[use.id]; lir::IsValue(other)) {
    o.id = other.id;
    o.comp = other.comp;
  }
  return o;
}

void Rewriter::VisitUses(InstId id) {
  for (size_t i = 0; i < f_.uses(id).size(); ++i) {
    const Operand use = f_.uses(id)[i];
    if (!lir::IsValue(use)) continue;
    if (use.id < in_place_.size() && in_place_[use.id]) {
      ReadHighWord(f_, id, i, Resolved(WordOf(f_, info_, use)).dword);
      changed_ = true;
    } else {
      f_.uses(id)[i] = Replaced(use);
    }
  }
}

// Returns a dword for a parameter: in a vector register, its words in their places.
Operand Rewriter::Argument(const Word& low, const Word& high) {
  const PackedSource s = packer_.SourceOf(low, high, false);
  if (s.dword.kind == Operand::Kind::kImm) {
    const bool twice = !s.high_is_high;
    return packer_.Copied(lir::ImmOperand(twice ? (s.dword.id & 0xffff) * 0x10001 : s.dword.id, 0));
  }
  if (s.low_is_high || !s.high_is_high) return packer_.PackedBits(low, high);
  return f_.value(s.dword.value()).file == kFileV ? s.dword : packer_.Copied(s.dword);
}

std::vector<Operand> Rewriter::ArgumentsOf(const lir::Edge& edge) {
  const std::vector<Operand> args(f_.args(edge).begin(), f_.args(edge).end());
  const std::vector<ValueId>& params = f_.block(edge.to).params;
  std::vector<Operand> made;
  for (size_t i = 0; i < args.size(); ++i) {
    const int32_t place = plan_.place[params[i].index];
    if (place < 0) made.push_back(Replaced(args[i]));
    if (place < 0 || place % 2 != 0) continue;
    const WordPair& pair = plan_.pairs[static_cast<size_t>(place) / 2];
    const auto high = std::find(params.begin(), params.end(), pair.values[1]) - params.begin();
    packer_.SetSpirvId(f_.value(pair.values[0]).spirv_id);
    made.push_back(Argument(Resolved(WordOf(f_, info_, args[i])),
                            Resolved(WordOf(f_, info_, args[static_cast<size_t>(high)]))));
  }
  return made;
}

// Only an edge from a block with one successor has arguments (lir.h): what makes them goes in front
// of its terminator, if there is one.
void Rewriter::VisitEdges(BlockId b) {
  for (size_t e = 0; e < f_.block(b).succs.size(); ++e) {
    if (f_.block(b).succs[e].num_args == 0) continue;
    packer_.Start();
    const std::vector<Operand> args = ArgumentsOf(f_.block(b).succs[e]);
    lir::Edge& edge = f_.block(b).succs[e];
    edge.first_arg = static_cast<uint32_t>(f_.operands.size());
    edge.num_args = static_cast<uint16_t>(args.size());
    f_.operands.insert(f_.operands.end(), args.begin(), args.end());
    std::vector<InstId>& insts = f_.block(b).insts;
    const bool ends =
        !insts.empty() && (machine_.ops[f_.inst(insts.back()).op].flags & lir::kOpTerminator) != 0;
    insts.insert(insts.end() - (ends ? 1 : 0), packer_.order().begin(), packer_.order().end());
  }
}

void Rewriter::RemoveParameters(BlockId b) {
  std::vector<ValueId>& params = f_.block(b).params;
  const auto is_high = [&](ValueId v) {
    return plan_.place[v.index] >= 0 && plan_.place[v.index] % 2 != 0;
  };
  params.erase(std::remove_if(params.begin(), params.end(), is_high), params.end());
}

}  // namespace

bool ApplyPairs(const lir::Machine& machine, lir::Function& f, const PairPlan& plan,
                const lir::DefUse& info, const Readers& readers,
                const std::function<bool()>& may_rewrite) {
  return Rewriter(machine, f, plan, info, readers, may_rewrite).Run();
}

}  // namespace kiln::amd
