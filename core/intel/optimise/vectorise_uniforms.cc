// Combines uniform results of one operation on consecutive components into one instruction of four
// lanes.
//
// Problem: selection computes uniform values one by one, each by an instruction of one lane. Most
// computations of shaders on uniform values are of vectors and matrices, whose components are
// consecutive in the registers of uniform buffers: column c of a product of matrices is four sums
// of A[k][0..3] * B[c][k]. Such instructions differ only in the components that some of their
// sources name. This pass combines up to four into one, each source of which is either four
// components, or one that all lanes read. The result is a vector of four, so that the instructions
// that read it can be combined likewise.
//
// In and out: SSA. Members of a group have the same sources except for components, so none depends
// on another, the operands of the first are those of all, and the group takes the position of the
// first. Lanes without a member compute an unused result. Every group saves instructions; values
// stay uniform and the operations are the same, so results do not change in any bit.
//
// Algorithm: block by block, by the length of the longest path of definitions to an instruction
// (members of a group have the same length). Every combination of sources that step from lane to
// lane is tried; each puts the instruction into a group, and large groups are taken first. Cost:
// expected linear, with up to seven entries of a hash table for an instruction.
//
// Sources: none; superword-level parallelism (Larsen and Amarasinghe, PLDI 2000), restricted to
// components that lie in the right order already. Regions: PRM volume 7, "Register Region
// Restrictions"; rules of core/intel/isa/verify.cc.
//
// Limits: no gathering of components that lie apart (a product with a transposed matrix), vectors
// start at multiples of four components, no compares, no predicates.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/key_table.h"
#include "core/intel/isa/codes.h"
#include "core/intel/isa/opcodes.h"
#include "core/intel/lir/ops.h"
#include "core/intel/optimise/passes.h"
#include "core/lir/build.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using isa::Type;
using lir::InstId;
using lir::Operand;

constexpr uint32_t kLanes = 4;
constexpr uint32_t kNone = ~uint32_t{0};
constexpr uint32_t kDwordsOfRegister = 8;

// A position in the block for each lane of the vector, or kNone.
struct Group {
  std::array<uint32_t, kLanes> members = {kNone, kNone, kNone, kNone};
  uint32_t stepping = 0;  // a bit for each source whose component steps with the lane
};

class Vectoriser {
 public:
  Vectoriser(lir::Function& f, PassContext& context)
      : f_(f),
        context_(context),
        odd_uses_(f.values.size()),
        to_(f.values.size()),
        level_(f.values.size()),
        block_(f.values.size(), kNone) {}

  bool Run() {
    FindOddUses();
    bool changed = false;
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) changed |= VisitBlock(b);
    if (changed) RenameAll();
    return changed;
  }

 private:
  struct Component {
    lir::ValueId value;  // invalid: the value has not moved
    uint16_t comp = 0;
  };

  // Finds values of which a use names another component than the first, or several; they stay as
  // they are.
  void FindOddUses() {
    const auto look = [&](absl::Span<const Operand> operands) {
      for (const Operand& o : operands) {
        if (IsValue(o) && (o.comps != 1 || o.comp != 0)) odd_uses_[o.id] = 1;
      }
    };
    for (const lir::Block& block : f_.blocks) {
      for (InstId id : block.insts) look(f_.uses(id));
      for (const lir::Edge& e : block.succs) look(f_.args(e));
    }
  }

  static bool IsDword(const Operand& o) { return isa::ByteSize(static_cast<Type>(o.type)) == 4; }

  bool IsSource(const Operand& o) const {
    if (!IsDword(o)) return false;
    if (o.kind == Operand::Kind::kImm) return true;
    return IsValue(o) && f_.value(o.value()).file == kFileU && o.comps == 1 && o.sub == 0;
  }

  // Returns true for an instruction that computes one uniform dword from uniform dwords and has no
  // other effect.
  bool IsCandidate(InstId id) const {
    const lir::Inst& in = f_.inst(id);
    if (!IsEuOp(in.op) || in.width != 1 || (in.flags & lir::kNoMask) == 0 || in.num_defs != 1 ||
        in.predicate_mode != 0 || (in.cmod != 0 && in.op != Op(Opcode::kSel))) {
      return false;
    }
    const isa::OpcodeInfo& row = isa::Info(static_cast<Opcode>(in.op));
    if (row.reads_accumulator || row.writes_accumulator) return false;
    if (row.format != isa::Format::kBasic && row.format != isa::Format::kTernary &&
        (row.format != isa::Format::kMath ||
         isa::IsIntegerDivision(static_cast<isa::MathFunction>(in.aux)))) {
      return false;
    }
    const Operand& def = f_.defs(id)[0];
    if (!IsValue(def) || !IsDword(def) || odd_uses_[def.id]) return false;
    const lir::Value& v = f_.value(def.value());
    if (v.file != kFileU || v.whole_registers || v.in_tail) return false;
    for (const Operand& o : f_.uses(id)) {
      if (!IsSource(o)) return false;
    }
    return true;
  }

  Operand Renamed(Operand o) const {
    if (IsValue(o) && o.id < to_.size() && to_[o.id].value.valid()) {
      o.comp = to_[o.id].comp;
      o.id = to_[o.id].value.index;
    }
    return o;
  }

  // Sorts positions of candidates by the length of the longest path of definitions in the block.
  void FindLevels(uint32_t b) {
    levels_.clear();
    const std::vector<InstId>& insts = f_.blocks[b].insts;
    for (uint32_t k = 0; k < insts.size(); ++k) {
      uint32_t level = 0;
      for (const Operand& o : f_.uses(insts[k])) {
        if (IsValue(o) && block_[o.id] == b) level = std::max(level, level_[o.id] + 1);
      }
      for (const Operand& o : f_.defs(insts[k])) {
        if (!IsValue(o)) continue;
        block_[o.id] = b;
        level_[o.id] = level;
      }
      if (!IsCandidate(insts[k])) continue;
      if (levels_.size() <= level) levels_.resize(level + 1);
      levels_[level].push_back(k);
    }
  }

  bool VisitBlock(uint32_t b) {
    FindLevels(b);
    replacement_.assign(f_.blocks[b].insts.size(), InstId());
    gone_.assign(replacement_.size(), 0);
    bool changed = false;
    for (const std::vector<uint32_t>& level : levels_) changed |= VisitLevel(b, level);
    if (changed) Rewrite(f_.blocks[b]);
    return changed;
  }

  bool VisitLevel(uint32_t b, const std::vector<uint32_t>& level) {
    if (level.size() < 2) return false;
    KeyTable table;
    groups_.clear();
    for (uint32_t k : level) Enter(f_.blocks[b].insts[k], k, table);
    std::array<std::vector<uint32_t>, kLanes + 1> by_size;
    for (uint32_t g = 0; g < groups_.size(); ++g) by_size[SizeOf(groups_[g])].push_back(g);
    bool changed = false;
    for (uint32_t size = kLanes; size >= 2; --size) {
      for (uint32_t g : by_size[size]) {
        const uint32_t left = SizeOf(groups_[g]);  // other groups may have taken members
        if (left == size && context_.Rewrite()) {
          Merge(b, groups_[g]);
          changed = true;
        } else if (left != size) {
          by_size[left].push_back(g);
        }
      }
    }
    return changed;
  }

  uint32_t SizeOf(const Group& group) const {
    uint32_t n = 0;
    for (uint32_t k : group.members) n += k != kNone && !gone_[k];
    return n;
  }

  // Returns true if four components, from the one of lane 0 on, are in one register. Three-source
  // instructions read vectors at owords only: other offsets are not forbidden, but no known
  // compiler uses them.
  bool IsVector(const Operand& o, uint32_t first, bool ternary) const {
    if (ternary && first % kLanes != 0) return false;
    const lir::Value& v = f_.value(o.value());
    return first + kLanes <= v.comps && first % kDwordsOfRegister + kLanes <= kDwordsOfRegister &&
           (v.whole_registers || v.comps == kLanes);
  }

  // Enters the instruction into the group of each choice of stepping sources.
  void Enter(InstId id, uint32_t position, KeyTable& table) {
    const lir::Inst& in = f_.inst(id);
    const bool ternary = isa::Info(static_cast<Opcode>(in.op)).format == isa::Format::kTernary;
    std::array<Operand, 3> sources;
    uint32_t can_step = 0;
    for (uint32_t s = 0; s < in.num_uses; ++s) {
      sources[s] = Renamed(f_.uses(id)[s]);
      if (IsValue(sources[s]) && f_.value(sources[s].value()).comps >= kLanes) can_step |= 1u << s;
    }
    for (uint32_t stepping = can_step; stepping != 0; stepping = (stepping - 1) & can_step) {
      uint32_t lane = kNone;
      bool fits = true;
      std::vector<uint32_t> key = {in.op, in.flags, in.cmod, in.aux, f_.defs(id)[0].type, stepping};
      for (uint32_t s = 0; s < in.num_uses; ++s) {
        const Operand& o = sources[s];
        uint32_t comp = o.comp;
        if (stepping >> s & 1) {
          if (lane == kNone) lane = comp % kLanes;
          fits = fits && comp >= lane && IsVector(o, comp - lane, ternary);
          comp -= lane;
        }
        key.insert(key.end(), {static_cast<uint32_t>(o.kind) << 16 | uint32_t{o.type} << 8 | o.mods,
                               o.id, comp});
      }
      if (!fits) continue;
      const auto found = table.FindOrAdd(key, static_cast<uint32_t>(groups_.size()));
      if (found.added) groups_.emplace_back().stepping = stepping;
      uint32_t& member = groups_[*found.value].members[lane];
      if (member == kNone) member = position;
    }
  }

  void Merge(uint32_t b, const Group& group) {
    const std::vector<InstId>& insts = f_.blocks[b].insts;
    uint32_t first = kNone, lane = 0;
    for (uint32_t l = 0; l < kLanes; ++l) {
      if (group.members[l] == kNone || gone_[group.members[l]] || group.members[l] >= first)
        continue;
      first = group.members[l];
      lane = l;
    }
    const lir::Inst in = f_.inst(insts[first]);
    std::vector<Operand> sources;
    for (uint32_t s = 0; s < in.num_uses; ++s) {
      Operand o = Renamed(f_.uses(insts[first])[s]);
      if (group.stepping >> s & 1) {
        o.comp = static_cast<uint16_t>(o.comp - lane);
        o.comps = kLanes;
      }
      sources.push_back(o);
    }
    const Operand one = f_.defs(insts[first])[0];
    lir::Value v = f_.value(one.value());
    v.comps = kLanes;
    f_.values.push_back(v);
    const lir::ValueId vector(f_.values.size() - 1);
    lir::InstFields fields;
    fields.width = kLanes;
    fields.flags = in.flags;
    fields.cmod = in.cmod;
    fields.aux = in.aux;
    fields.spirv_id = in.spirv_id;
    const Operand def = lir::ValueOperand(vector, one.type, 0, kLanes);
    replacement_[first] = lir::MakeInst(f_, in.op, fields, {&def, 1}, sources);
    for (uint16_t l = 0; l < kLanes; ++l) {
      const uint32_t k = group.members[l];
      if (k == kNone || gone_[k]) continue;
      gone_[k] = 1;
      to_[f_.defs(insts[k])[0].id] = {vector, l};
    }
  }

  void Rewrite(lir::Block& block) {
    std::vector<InstId> out;
    out.reserve(block.insts.size());
    for (size_t k = 0; k < block.insts.size(); ++k) {
      if (replacement_[k].valid()) {
        out.push_back(replacement_[k]);
      } else if (!gone_[k]) {
        out.push_back(block.insts[k]);
      }
    }
    block.insts = std::move(out);
  }

  void RenameAll() {
    for (lir::Block& block : f_.blocks) {
      for (InstId id : block.insts) {
        for (Operand& o : f_.uses(id)) o = Renamed(o);
      }
      for (const lir::Edge& e : block.succs) {
        for (Operand& o : f_.args(e)) o = Renamed(o);
      }
    }
  }

  lir::Function& f_;
  PassContext& context_;
  // by value: a use names another component than the first, or several
  std::vector<char> odd_uses_;
  std::vector<Component> to_;            // by value: its present vector and component
  std::vector<uint32_t> level_, block_;  // by value: of its definition
  std::vector<std::vector<uint32_t>> levels_;
  std::vector<Group> groups_;        // of a level
  std::vector<InstId> replacement_;  // by position in the block
  std::vector<char> gone_;           // by position: member of a group that was made
};

}  // namespace

absl::StatusOr<bool> VectoriseUniforms(lir::Function& f, PassContext& context) {
  return Vectoriser(f, context).Run();
}

}  // namespace kiln::intel
