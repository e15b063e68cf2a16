// Halves messages of threads with 32 lanes.
//
// Problem: no data port or sampler message takes more than 16 lanes. Invariants: SSA in and out;
// afterwards no message has more, except atomics by address. Selection may therefore treat 32 lanes
// like any other width, with descriptors that say 16. Needed for correctness.
//
// A message is sent for lanes 0 to 15 and for 16 to 31. A payload with one component (offsets,
// 64-bit addresses, a dword of data) is read where it is: the lanes of each half lie together. If a
// payload has several components, each half is moved to registers of its own, for all lanes, since
// lanes that are off are not sent. The responses are joined under the mask. For a write to a render
// target, only the parts that are defined are moved, under the mask, because the exit block may
// have values of only the lanes that reached it; and only the second half of the last write ends
// the thread.
//
// The first half of the last write tells hardware that its pixels are done (Last Render Target
// Select, in the messages of either half); a stall at the pixel scoreboard waits for that before
// the data port is flushed. So it stays after all stores of the thread: it is a barrier
// (kMsgTargetLast). Samples need no barrier: those of the first half come before this write, or
// before a store, because the write or store uses them, and those of the second half come before
// the write of their own pixels. (Mesa 25.0.7 keeps such writes after everything,
// brw_schedule_instructions.cpp, is_scheduling_barrier; with that rule, three of bench.txt's
// shaders lost their 32 lanes.)
//
// Atomics by address are not halved: at any width, emission sends them for 8 lanes at a time.
// halve_values finds the moves and joins that are redundant. Cost: linear.
#include <vector>

#include "core/intel/isa/opcodes.h"
#include "core/intel/lir/message.h"
#include "core/intel/lir/ops.h"
#include "core/intel/messages/passes.h"
#include "core/intel/messages/payload.h"
#include "core/lir/build.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using isa::Type;
using lir::Operand;

constexpr auto kRaw = static_cast<uint8_t>(Type::kUD);
constexpr int kLanes = 16;
constexpr int kRegisters = kLanes * 4 / 32;  // of a component

class Halving {
 public:
  explicit Halving(lir::Function& f) : f_(f) {}

  bool Run() {
    FindCollects();
    bool changed = false;
    for (lir::Block& block : f_.blocks) {
      out_.clear();
      bool here = false;
      for (lir::InstId id : block.insts) {
        if (IsGone(id)) {
          here = true;
          continue;
        }
        const lir::Inst& in = f_.inst(id);
        if (!IsMessage(in.op) || in.width <= kLanes || IsSplitMessage(f_, in)) {
          out_.push_back(id);
          continue;
        }
        Halve(id);
        here = true;
      }
      if (here) block.insts = out_;
      changed |= here;
    }
    return changed;
  }

 private:
  void Halve(lir::InstId id) {
    const lir::Inst in = f_.inst(id);
    const std::vector<Operand> uses(f_.uses(id).begin(), f_.uses(id).end());
    const std::vector<Operand> defs(f_.defs(id).begin(), f_.defs(id).end());
    std::vector<Operand> responses;
    for (int group = 0; group < in.width; group += kLanes) {
      std::vector<Operand> half;
      for (const Operand& o : uses) half.push_back(HasParts(o) ? Half(in, o, group) : o);
      lir::InstFields fields = Fields(in, group);
      fields.flags = in.flags;
      fields.predicate_mode = in.predicate_mode;
      fields.aux = AuxOf(in, group);
      std::vector<Operand> def;
      if (!defs.empty()) {
        def.push_back(MakeRegisters(f_, defs[0].comps * kRegisters));
        responses.push_back(def[0]);
      }
      const bool ends = in.op == kMsgTargetEnd && group + kLanes == in.width;
      for (int i = 0; ends && i < PayloadCount(f_, in); ++i)
        f_.value(half[i].value()).in_tail = true;
      const bool goes_on = in.op == kMsgTargetEnd && !ends;
      Emit(goes_on ? uint16_t{kMsgTargetLast} : in.op, fields, def, half);
    }
    if (defs.empty()) return;
    lir::InstFields join = Fields(in, 0);
    join.width = in.width;
    Emit(kJoin, join, {defs[0]}, responses);
  }

  // Returns the aux of one half: for a write to a render target, a field says which of the thread's
  // lanes it is for.
  uint32_t AuxOf(const lir::Inst& in, int group) {
    if (!IsTargetWrite(in.op)) return in.aux;
    LirMessage message = MessageOf(f_, in);
    message.fields.high_slots = group != 0;
    return AddMessage(f_, message);
  }
  bool HasParts(const Operand& o) const {
    return IsValue(o) && f_.value(o.value()).file == kFileG && o.comps > 1;
  }
  Operand Half(const lir::Inst& in, const Operand& o, int group) {
    std::vector<Operand> parts;
    for (uint16_t c = 0; c < o.comps; ++c) {
      Operand from = Component(in, o, c);
      if (from.kind == Operand::Kind::kNone) {
        parts.push_back(lir::NoOperand(kLanes));
        continue;
      }
      const Operand part = MakeRegisters(f_, kRegisters);
      lir::InstFields fields = Fields(in, group);
      if (!IsTargetWrite(in.op)) fields.flags = lir::kNoMask;
      from.type = kRaw;
      Emit(Op(Opcode::kMov), fields, {part}, {from});
      parts.push_back(part);
    }
    if (parts.size() == 1) return parts[0];
    const Operand all = MakeRegisters(f_, kRegisters * static_cast<int>(parts.size()));
    lir::InstFields fields = Fields(in, 0);
    fields.flags = lir::kNoMask;
    Emit(kCollect, fields, {all}, parts);
    return all;
  }

  // Returns the component of a payload. For a render target it is the operand from which the
  // payload was collected: kNone if it is not defined.
  Operand Component(const lir::Inst& in, const Operand& o, uint16_t c) const {
    if (IsTargetWrite(in.op) && o.id < collect_.size() && collect_[o.id].valid()) {
      return f_.uses(collect_[o.id])[c];
    }
    Operand from = o;
    from.comp = static_cast<uint16_t>(o.comp + c);
    from.comps = 1;
    return from;
  }

  // Finds the collects of payloads for render targets; they are removed when these are halved.
  void FindCollects() {
    collect_.assign(f_.values.size(), lir::InstId());
    std::vector<lir::InstId> made(f_.values.size());
    for (const lir::Block& block : f_.blocks) {
      for (lir::InstId id : block.insts) {
        if (f_.inst(id).op == kCollect) made[f_.defs(id)[0].id] = id;
        if (!IsTargetWrite(f_.inst(id).op)) continue;
        for (int i = 0; i < PayloadCount(f_, f_.inst(id)); ++i) {
          const uint32_t payload = f_.uses(id)[static_cast<size_t>(i)].id;
          collect_[payload] = made[payload];
        }
      }
    }
  }
  bool IsGone(lir::InstId id) const {
    return f_.inst(id).op == kCollect && f_.defs(id)[0].id < collect_.size() &&
           collect_[f_.defs(id)[0].id] == id;
  }

  static lir::InstFields Fields(const lir::Inst& in, int group) {
    lir::InstFields fields;
    fields.width = kLanes;
    fields.group = static_cast<uint8_t>(group);
    fields.spirv_id = in.spirv_id;
    return fields;
  }

  void Emit(uint16_t op, const lir::InstFields& fields, const std::vector<Operand>& defs,
            const std::vector<Operand>& uses) {
    out_.push_back(lir::MakeInst(f_, op, fields, defs, uses));
  }

  lir::Function& f_;
  std::vector<lir::InstId> out_;
  std::vector<lir::InstId> collect_;  // by value: of the payload of a render target
};

}  // namespace

absl::StatusOr<bool> HalveMessages(lir::Function& f, PassContext&) {
  if (f.dispatch_width <= kLanes) return false;
  return Halving(f).Run();
}

}  // namespace kiln::intel
