// The structure of random programs for any machine: ifs (divergent and uniform), loops with breaks
// and continues, exits, parameters; random_program.h lists their properties. A machine's generator
// derives from it and provides the instructions in between. For tests only.
#ifndef KILN_CORE_LIR_RANDOM_STRUCTURE_H_
#define KILN_CORE_LIR_RANDOM_STRUCTURE_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "core/lir/build.h"
#include "core/lir/lir.h"
#include "core/lir/machine.h"
#include "core/lir/random_program.h"

namespace kiln::lir::testing {

// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators).
struct Random {
  uint64_t state;
  uint64_t Next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  int Below(int n) { return static_cast<int>(Next() % static_cast<uint64_t>(n)); }
  bool Chance(int percent) { return Below(100) < percent; }
};

struct ControlOps {
  uint16_t if_op, else_op, endif_op, break_op, continue_op, while_op, uniform_if_op,
      uniform_jump_op, exit_op;
};

struct PendingEdge {
  BlockId from;
  std::vector<Operand> args;
};

// An enclosing loop while its body is being made. Blocks get their id when they are put into the
// layout, so edges to later ones are kept here until then.
struct RandomLoop {
  size_t level;  // index in RandomStructure::marks_ of the first construct inside the body
  std::vector<Value> exit_params, cont_params;
  std::vector<PendingEdge> breaks, conts;
  size_t break_scope = ~size_t{0}, cont_scope = ~size_t{0};  // values available at all of them
};

class RandomStructure {
 public:
  RandomStructure(const Machine& t, const ControlOps& ops, uint64_t seed, const RandomOptions& o)
      : t_(t), ops_(ops), o_(o), r_{seed}, b_(f_) {}
  virtual ~RandomStructure() = default;

  Function Run() {
    f_.dispatch_width = o_.width;
    b_.SetBlock(b_.NewBlock());
    LiveIns();
    for (int i = 0; i < 3; ++i) Arithmetic();
    while (Made() < o_.instructions) Statement(0);
    if (first_exit_ != kNone) ExitBlock();
    End();
    return std::move(f_);
  }

 protected:
  // ---- Provided by the machine's generator.

  virtual void LiveIns() = 0;
  // Emits one or a few instructions without control flow.
  virtual void Arithmetic() = 0;
  // A condition that can differ between lanes.
  virtual ValueId Flag() = 0;
  virtual ValueId UniformCondition() = 0;
  // Values that edges carry: of one component, per lane and uniform.
  virtual Value LaneShape() = 0;
  virtual Value UniformShape() = 0;
  // The same, and values that only edges carry: masks of lanes, whole-wave values.
  virtual Value LaneEdgeShape() { return LaneShape(); }
  virtual Value UniformEdgeShape() { return UniformShape(); }
  virtual uint16_t ConstOp(const Value& v) = 0;
  // Emits the terminator of the last block.
  virtual void End() = 0;

  // ---- For the machine's generator to use.

  static constexpr uint32_t kNone = ~uint32_t{0};

  int Made() const { return static_cast<int>(f_.insts.size()); }

  InstFields Fields() const {
    InstFields fields;
    fields.width = o_.width;
    return fields;
  }

  static Value Make(uint8_t file, uint8_t elem, uint16_t comps, bool whole = false) {
    Value v;
    v.file = file;
    v.elem_bytes = elem;
    v.comps = comps;
    v.whole_registers = whole;
    return v;
  }

  void Publish(ValueId v, uint16_t varies = 0) {
    varies_.resize(f_.values.size());
    varies_[v.index] = varies;
    scope_.push_back(v);
  }

  bool IsWhole(const Value& v) const { return !t_.files[v.file].masked_writes; }

  // Depth of the innermost loop in which a uniform value computed from these can differ by
  // iteration.
  uint16_t Varies(absl::Span<const Operand> sources) const {
    uint16_t varies = 0;
    for (const Operand& o : sources) {
      if (IsValue(o)) varies = std::max(varies, varies_[o.id]);
    }
    return varies;
  }

  // Picks a value, mostly among the youngest ones; an invalid id if none is of the kind.
  template <class P>
  ValueId Pick(P&& wanted) {
    for (int attempt = 0; attempt < 24; ++attempt) {
      const int n = static_cast<int>(scope_.size());
      const int back = r_.Chance(o_.far_uses) ? r_.Below(n) : r_.Below(std::min(n, o_.pool_size));
      const ValueId v = scope_[n - 1 - back];
      if (wanted(f_.value(v)) && !(for_all_lanes_ && IsLate(v))) return v;
    }
    for (size_t k = scope_.size(); k-- > 0;) {
      if (wanted(f_.value(scope_[k])) && !(for_all_lanes_ && IsLate(scope_[k]))) return scope_[k];
    }
    return ValueId();
  }
  // In the exit block: returns true if the thread may arrive there without the value.
  bool IsLate(ValueId v) const {
    return exit_values_ != kNone && v.index >= first_exit_ && v.index < exit_values_;
  }
  ValueId PickFile(uint8_t file) {
    return Pick([&](const Value& v) { return v.file == file; });
  }

  Operand Component(ValueId v) {
    return ValueOperand(v, 0, static_cast<uint16_t>(r_.Below(f_.value(v).comps)));
  }

  // Returns a value of this shape that an edge can carry.
  Operand Argument(const Value& p) {
    const ValueId v = Pick([&](const Value& c) {
      return c.file == p.file && c.elem_bytes == p.elem_bytes && c.comps >= p.comps;
    });
    if (r_.Chance(5)) return NoOperand(p.comps);
    if (v.valid() && r_.Chance(80)) {
      const int room = f_.value(v).comps - p.comps;
      return ValueOperand(v, 0, static_cast<uint16_t>(r_.Below(room + 1)), p.comps);
    }
    if (p.comps > 1) return NoOperand(p.comps);
    const ValueId c = b_.NewValue(p);
    b_.Emit(ConstOp(p), Fields(), {ValueOperand(c, 0)}, {ImmOperand(7, 0)});
    // After a divergent exit no value is read that later iterations write in lanes that are off.
    const bool off_lanes = t_.ops[ConstOp(p)].flags & kOpWritesOffLanes;
    Publish(c, off_lanes ? Depth() : 0);
    return ValueOperand(c, 0);
  }
  std::vector<Operand> Arguments(const std::vector<Value>& params) {
    std::vector<Operand> args;
    for (const Value& p : params) args.push_back(Argument(p));
    return args;
  }
  std::vector<Value> ParamShapes(int most, bool uniform_too) {
    std::vector<Value> shapes;
    for (int k = r_.Below(most * o_.edge_values + 1); k > 0; --k) {
      if (uniform_too && r_.Chance(30)) {
        shapes.push_back(UniformEdgeShape());
      } else {
        shapes.push_back(LaneEdgeShape());
        if (shapes.back().elem_bytes != 0 && r_.Chance(15)) shapes.back().comps = 2;
      }
    }
    return shapes;
  }
  void AddParams(BlockId block, const std::vector<Value>& shapes) {
    for (const Value& s : shapes) {
      const ValueId v = b_.AddParam(block, s);
      Publish(v, IsWhole(s) ? Depth() : 0);
    }
  }

  uint16_t Depth() const { return static_cast<uint16_t>(loops_.size()); }

  const Machine& t_;
  const ControlOps ops_;
  const RandomOptions o_;
  Random r_;
  Function f_;
  Builder b_;
  std::vector<ValueId> scope_;    // available values, in order of definition
  std::vector<uint16_t> varies_;  // per value: not to be read after the loop of this depth, if any
  bool for_all_lanes_ = false;    // sources are being picked for a NoMask instruction

 private:
  void Statement(int depth);
  void Body(int depth);
  // Adds a new block with an edge from `block`, and continues there.
  void ContinueFrom(BlockId block);
  // A construct hides what it defines from what follows it.
  void Enter() { marks_.push_back(scope_.size()); }
  void LeaveScope();
  void If(int depth);
  void UniformIf(int depth);
  void Join(const std::vector<Value>& params, const std::vector<PendingEdge>& edges);
  void Predicated(uint16_t op, ValueId flag);
  // Emits a break or continue of the innermost loop: `if c { ...; break }`, or a predicated jump
  // where no arguments are needed.
  void Leave();
  void LeaveIf(bool is_break);
  void LoopStatement(int depth);
  // Makes the block where continues and the end of the body meet.
  void ContinueBlock();
  void Latch(bool counted, BlockId head, const std::vector<Value>& head_params);
  void Exit(size_t outside);
  void Exits();
  // Makes the exit block. Values now in scope that were made before the first exit are defined
  // above all exits.
  void ExitBlock();

  std::vector<size_t> marks_;  // scope sizes at the enclosing constructs
  std::vector<RandomLoop> loops_;
  uint32_t first_exit_ = kNone;   // number of values made before the first exit
  uint32_t exit_values_ = kNone;  // number of values made before the exit block's own
};

}  // namespace kiln::lir::testing

#endif  // KILN_CORE_LIR_RANDOM_STRUCTURE_H_
