#include "core/lir/random_program.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "absl/types/span.h"
#include "core/lir/build.h"
#include "core/lir/testing.h"

namespace kiln::lir::testing {

namespace {

enum Type : uint8_t { kUd, kFloat };

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

struct PendingEdge {
  BlockId from;
  std::vector<Operand> args;
};

// An enclosing loop while its body is being made. Blocks get their id when they are placed, so
// edges to the later ones wait.
struct Loop {
  size_t level;  // index in Generator::marks_ of the first construct inside the body
  std::vector<Value> exit_params, cont_params;
  std::vector<PendingEdge> breaks, conts;
  size_t break_scope = ~size_t{0}, cont_scope = ~size_t{0};  // values available at all of them
};

class Generator {
 public:
  Generator(uint64_t seed, const RandomOptions& o) : o_(o), r_{seed}, b_(f_) {}

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

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  int Made() const { return static_cast<int>(f_.insts.size()); }

  InstFields Fields() const {
    InstFields fields;
    fields.width = o_.width;
    return fields;
  }

  uint32_t Units(const Value& v) const { return TestTarget().units_per_comp(f_, v) * v.comps; }

  static Value Make(File file, uint8_t elem, uint16_t comps, bool whole = false) {
    Value v;
    v.file = file;
    v.elem_bytes = elem;
    v.comps = comps;
    v.whole_registers = whole;
    return v;
  }

  Value RandomG() {
    const int k = r_.Below(20);
    return Make(kG, k == 0 ? 8 : k < 3 ? 2 : 4, 1);
  }

  void LiveIns() {
    uint32_t at = 8;
    scope_.push_back(b_.AddLiveIn(Make(kU, 4, 8, true), 0));
    if (o_.header) f_.scratch_header = scope_.back();
    for (int i = 0; i < o_.live_ins; ++i) {
      const Value v = r_.Chance(25) ? Make(kU, 4, 8, true)
                                    : Make(kG, 4, static_cast<uint16_t>(1 + r_.Below(2)));
      scope_.push_back(b_.AddLiveIn(v, at));
      at += Units(v);
    }
    varies_.resize(f_.values.size());
  }

  void Publish(ValueId v, uint16_t varies = 0) {
    varies_.resize(f_.values.size());
    varies_[v.index] = varies;
    scope_.push_back(v);
  }

  // The innermost loop in which a uniform value that is computed of these can differ by iteration.
  uint16_t Varies(absl::Span<const Operand> sources) const {
    uint16_t varies = 0;
    for (const Operand& o : sources) {
      if (o.kind == Operand::Kind::kValue) varies = std::max(varies, varies_[o.id]);
    }
    return varies;
  }

  // The youngest values are taken most, but not only; none of the kind: an invalid id.
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
  // In the exit block: may the thread come there without the value?
  bool IsLate(ValueId v) const {
    return exit_values_ != kNone && v.index >= first_exit_ && v.index < exit_values_;
  }
  ValueId PickFile(File file) {
    return Pick([&](const Value& v) { return v.file == file; });
  }

  Operand Component(ValueId v) {
    return ValueOperand(v, kUd, static_cast<uint16_t>(r_.Below(f_.value(v).comps)));
  }

  Operand Source(bool uniform) {
    if (r_.Chance(8)) return ImmOperand(static_cast<uint32_t>(r_.Next()), kUd);
    const ValueId v = PickFile(uniform || r_.Chance(25) ? kU : kG);
    if (!v.valid()) return ImmOperand(1, kUd);
    Operand o = Component(v);
    if (r_.Chance(10)) o.mods = Operand::kNegate;
    return o;
  }

  ValueId Flag() {
    if (r_.Chance(30)) {
      const ValueId v = PickFile(kF);
      if (v.valid()) return v;
    }
    const ValueId v = b_.NewValue(Make(kF, 0, 1));
    InstFields fields = Fields();
    fields.cmod = 1;
    b_.Emit(kCmpOp, fields, {ValueOperand(v, kUd)}, {Source(false), Source(false)});
    Publish(v);
    return v;
  }

  // A value of this shape that an edge can carry.
  Operand Argument(const Value& p) {
    const ValueId v = Pick([&](const Value& c) {
      return c.file == p.file && c.elem_bytes == p.elem_bytes && c.comps >= p.comps;
    });
    if (r_.Chance(5)) return NoOperand(p.comps);
    if (v.valid() && r_.Chance(80)) {
      const int room = f_.value(v).comps - p.comps;
      return ValueOperand(v, kUd, static_cast<uint16_t>(r_.Below(room + 1)), p.comps);
    }
    if (p.comps > 1) return NoOperand(p.comps);
    const ValueId c = b_.NewValue(p);
    b_.Emit(kConstOp, Fields(), {ValueOperand(c, kUd)}, {ImmOperand(7, kUd)});
    Publish(c);
    return ValueOperand(c, kUd);
  }
  std::vector<Operand> Arguments(const std::vector<Value>& params) {
    std::vector<Operand> args;
    for (const Value& p : params) args.push_back(Argument(p));
    return args;
  }
  std::vector<Value> ParamShapes(int most, bool uniform_too) {
    std::vector<Value> shapes;
    for (int k = r_.Below(most + 1); k > 0; --k) {
      if (uniform_too && r_.Chance(30)) {
        shapes.push_back(Make(kU, 4, 1));
      } else {
        shapes.push_back(RandomG());
        if (r_.Chance(15)) shapes.back().comps = 2;
      }
    }
    return shapes;
  }
  void AddParams(BlockId block, const std::vector<Value>& shapes) {
    for (const Value& s : shapes) {
      const ValueId v = b_.AddParam(block, s);
      Publish(v, s.file == kU ? Depth() : 0);
    }
  }

  void Arithmetic() {
    InstFields fields = Fields();
    const int kind = r_.Below(100);
    if (kind < 12) {  // uniform
      const ValueId v = b_.NewValue(Make(kU, 4, r_.Chance(20) ? 4 : 1));
      fields.flags = kNoMask;
      const Operand sources[] = {Source(true), Source(true)};
      const Operand def = ValueOperand(v, kUd, 0, f_.value(v).comps);
      b_.Emit(kAddOp, fields, {&def, 1}, sources);
      return Publish(v, Varies(sources));
    }
    if (kind < 17) {
      const ValueId flag = Flag(), v = b_.NewValue(Make(kU, 4, 1));
      b_.Emit(kBallotOp, fields, {ValueOperand(v, kUd)}, {ValueOperand(flag, kUd)});
      return Publish(v, Depth());
    }
    if (kind < 25) {
      const ValueId flag = Flag(), v = b_.NewValue(RandomG());
      fields.predicate_mode = 1;
      b_.Emit(kSelOp, fields, {ValueOperand(v, kUd)},
              {Source(false), Source(false), ValueOperand(flag, kUd)});
      return Publish(v);
    }
    if (kind < 33) {
      const ValueId from = PickFile(r_.Chance(85) ? kG : kU);
      if (!from.valid()) return;
      Value shape = f_.value(from);
      shape.comps = 1;
      shape.whole_registers = false;
      const ValueId v = b_.NewValue(shape);
      b_.Emit(kCopyOp, fields, {ValueOperand(v, kUd)}, {Component(from)});
      return Publish(v, shape.file == kU ? varies_[from.index] : 0);
    }
    if (kind < 45) return Load();
    if (kind < 60) return CollectAndStore();
    if (kind < 62) {
      b_.Emit(kBarrierOp, fields, {}, {});
      return;
    }
    const ValueId v = b_.NewValue(RandomG());
    const bool no_mask = r_.Chance(8);
    if (no_mask) fields.flags = kNoMask;
    for_all_lanes_ = no_mask;
    if (kind < 80) {
      b_.Emit(kAddOp, fields, {ValueOperand(v, kFloat)}, {Source(false), Source(false)});
    } else {
      b_.Emit(kMadOp, fields, {ValueOperand(v, kFloat)},
              {Source(false), Source(false), Source(false)});
    }
    for_all_lanes_ = false;
    Publish(v, no_mask ? Depth() : 0);
  }

  void Load() {
    const ValueId address = PickFile(kG);
    const bool uniform = r_.Chance(20) && !(address.valid() && IsLate(address));
    Value shape = uniform ? Make(kU, 4, 8, true)
                          : Make(kG, 4, static_cast<uint16_t>(1 + r_.Below(4)), true);
    const ValueId v = b_.NewValue(shape);
    InstFields fields = Fields();
    if (uniform) fields.flags = kNoMask;
    b_.Emit(kLoadOp, fields, {ValueOperand(v, kUd, 0, shape.comps)},
            {address.valid() ? Component(address) : ImmOperand(0, kUd)});
    Publish(v, uniform ? Depth() : 0);
  }

  ValueId Collect(int parts, bool tail) {
    std::vector<Operand> uses;
    uint16_t comps = 0;
    for (int k = 0; k < parts; ++k) {
      const ValueId v = Pick([](const Value& c) { return c.file == kG && c.elem_bytes == 4; });
      if (!v.valid() || r_.Chance(4)) {
        uses.push_back(NoOperand());
        ++comps;
        continue;
      }
      const uint16_t n = r_.Chance(25) ? f_.value(v).comps : 1;
      uses.push_back(n == 1 ? Component(v) : ValueOperand(v, kUd, 0, n));
      comps = static_cast<uint16_t>(comps + n);
    }
    Value shape = Make(kG, 4, comps, true);
    const ValueId header = Pick([](const Value& c) { return c.file == kU && c.comps == 8; });
    if (r_.Chance(30) && header.valid()) {  // as raw registers: eight dwords, then the parts
      for (Operand& o : uses) {
        if (o.kind == Operand::Kind::kNone) {
          o.comps = static_cast<uint16_t>(TestTarget().units_per_comp(f_, shape));
        }
      }
      uses.insert(uses.begin(), ValueOperand(header, kUd, 0, 8));
      shape = Make(kU, 4, static_cast<uint16_t>(8 + Units(shape)), true);
    }
    shape.in_tail = tail;
    const ValueId v = b_.NewValue(shape);
    const Operand def = ValueOperand(v, kUd, 0, shape.comps);
    b_.Emit(kCollectOp, Fields(), {&def, 1}, uses);
    return v;
  }

  void CollectAndStore() {
    const ValueId v = Collect(1 + r_.Below(5), false);
    const ValueId address = PickFile(kG);
    b_.Emit(kStoreOp, Fields(), {},
            {address.valid() ? Component(address) : ImmOperand(0, kUd),
             ValueOperand(v, kUd, 0, f_.value(v).comps)});
    if (f_.value(v).file == kG && r_.Chance(20)) Publish(v);
  }

  void Statement(int depth) {
    if (o_.exits != 0 && r_.Chance(o_.exits)) return Exits();
    const int kind = r_.Below(100);
    if (depth < o_.max_depth && Made() < o_.instructions) {
      if (kind < 6) return If(depth);
      if (kind < 9) return UniformIf(depth);
      if (kind < 14) return LoopStatement(depth);
    }
    if (!loops_.empty() && kind < 22) return Leave();
    Arithmetic();
  }

  void Body(int depth) {
    for (int k = 1 + r_.Below(8); k > 0; --k) Statement(depth + 1);
  }

  // A construct hides what it defines from what follows it.
  void Enter() { marks_.push_back(scope_.size()); }
  void LeaveScope() {
    scope_.resize(marks_.back());
    marks_.pop_back();
  }

  void If(int depth) {
    const ValueId flag = Flag();
    const std::vector<Value> params = r_.Chance(70) ? ParamShapes(3, false) : std::vector<Value>();
    const bool two = !params.empty() || r_.Chance(50);
    const BlockId head = b_.block();
    Predicated(kIfOp, flag);
    const BlockId then = b_.NewBlock(Depth());
    b_.AddEdge(head, then);
    b_.SetBlock(then);
    Enter();
    Body(depth);
    PendingEdge from_then{BlockId(), Arguments(params)};
    from_then.from = b_.block();
    b_.Emit(two ? kElseOp : kEndifOp, Fields(), {}, {});
    LeaveScope();
    PendingEdge from_else{head, {}};
    if (two) {
      const BlockId other = b_.NewBlock(Depth());
      b_.AddEdge(head, other);
      b_.AddPhysicalEdge(from_then.from, other);
      b_.SetBlock(other);
      Enter();
      if (r_.Chance(80)) Body(depth);
      from_else.args = Arguments(params);
      from_else.from = b_.block();
      b_.Emit(kEndifOp, Fields(), {}, {});
      LeaveScope();
    }
    Join(params, {from_then, from_else});
  }

  void UniformIf(int depth) {
    const ValueId condition = PickFile(kU);
    const std::vector<Value> params = ParamShapes(3, true);
    const BlockId head = b_.block();
    b_.Emit(kUniformIfOp, Fields(), {}, {Component(condition)});
    const BlockId then = b_.NewBlock(Depth());
    b_.AddEdge(head, then);
    b_.SetBlock(then);
    Enter();
    Body(depth);
    PendingEdge from_then{BlockId(), Arguments(params)};
    from_then.from = b_.block();
    b_.Emit(kUniformJumpOp, Fields(), {}, {});
    LeaveScope();
    const BlockId other = b_.NewBlock(Depth());
    b_.AddEdge(head, other);
    b_.SetBlock(other);
    Enter();
    Body(depth);
    PendingEdge from_else{BlockId(), Arguments(params)};
    from_else.from = b_.block();
    LeaveScope();
    Join(params, {from_then, from_else});
  }

  void Join(const std::vector<Value>& params, const std::vector<PendingEdge>& edges) {
    const BlockId join = b_.NewBlock(Depth());
    for (const PendingEdge& e : edges) b_.AddEdge(e.from, join, e.args);
    b_.SetBlock(join);
    AddParams(join, params);
  }

  uint16_t Depth() const { return static_cast<uint16_t>(loops_.size()); }

  void Predicated(Op op, ValueId flag) {
    InstFields fields = Fields();
    fields.predicate_mode = 1;
    b_.Emit(op, fields, {}, {ValueOperand(flag, kUd)});
  }

  // Break or continue of the innermost loop: `if c { ...; break }`, or a predicated jump where no
  // arguments are needed.
  void Leave() {
    const bool is_break = r_.Chance(60);
    LeaveIf(is_break);
  }
  void LeaveIf(bool is_break) {
    const ValueId flag = Flag();
    Loop& loop = loops_.back();
    size_t& scope = is_break ? loop.break_scope : loop.cont_scope;
    // Values of the constructs we are in do not dominate the target; those before them may.
    scope = std::min(scope, marks_.size() > loop.level ? marks_[loop.level] : scope_.size());
    const std::vector<Value>& params = is_break ? loop.exit_params : loop.cont_params;
    const Op op = is_break ? kBreakOp : kContOp;
    const BlockId head = b_.block();
    if (params.empty() && r_.Chance(60)) {
      Predicated(op, flag);
      (is_break ? loop.breaks : loop.conts).push_back({head, {}});
      const BlockId next = b_.NewBlock(Depth());
      b_.AddEdge(head, next);
      b_.SetBlock(next);
      return;
    }
    Predicated(kIfOp, flag);
    const BlockId leave = b_.NewBlock(Depth());
    b_.AddEdge(head, leave);
    b_.SetBlock(leave);
    Enter();
    for (int k = r_.Below(3); k > 0; --k) Arithmetic();
    PendingEdge edge{leave, Arguments(params)};
    b_.Emit(op, Fields(), {}, {});
    LeaveScope();
    (is_break ? loops_.back().breaks : loops_.back().conts).push_back(edge);
    const BlockId endif = b_.NewBlock(Depth());  // no lane gets here, the thread does
    b_.AddPhysicalEdge(leave, endif);
    b_.SetBlock(endif);
    b_.Emit(kEndifOp, Fields(), {}, {});
    const BlockId next = b_.NewBlock(Depth());
    b_.AddEdge(head, next);
    b_.AddEdge(endif, next);
    b_.SetBlock(next);
  }

  void LoopStatement(int depth) {
    const bool counted = r_.Chance(40);  // ends by a predicated while; no parameters
    const std::vector<Value> head_params = counted ? std::vector<Value>() : ParamShapes(3, true);
    Loop loop;
    if (!counted && r_.Chance(70)) loop.exit_params = ParamShapes(2, false);
    if (r_.Chance(50)) loop.cont_params = ParamShapes(2, false);
    const std::vector<Operand> init = Arguments(head_params);
    const BlockId before = b_.block();
    const size_t outside = scope_.size();
    loops_.push_back(loop);
    const BlockId head = b_.NewBlock(Depth());
    b_.AddEdge(before, head, init);
    b_.SetBlock(head);
    AddParams(head, head_params);
    loops_.back().level = marks_.size();
    Body(depth);
    if (!counted) LeaveIf(true);
    Body(depth);
    ContinueBlock();
    Latch(counted, head, head_params);
    Exit(outside);
  }

  // Where continues and the end of the body meet.
  void ContinueBlock() {
    Loop& loop = loops_.back();
    const std::vector<Operand> args = Arguments(loop.cont_params);
    const BlockId end = b_.block();
    const BlockId cont = b_.NewBlock(Depth());
    b_.AddEdge(end, cont, args);
    for (const PendingEdge& e : loop.conts) b_.AddEdge(e.from, cont, e.args);
    b_.SetBlock(cont);
    scope_.resize(std::min(scope_.size(), loop.cont_scope));
    loop.break_scope = std::min(loop.break_scope, scope_.size());  // what follows is new
    AddParams(cont, loop.cont_params);
    for (int k = r_.Below(3); k > 0; --k) Arithmetic();
  }

  void Latch(bool counted, BlockId head, const std::vector<Value>& head_params) {
    Loop& loop = loops_.back();
    if (counted) {
      const ValueId flag = Flag();
      const BlockId latch = b_.block();
      Predicated(kWhileOp, flag);
      b_.AddEdge(latch, head);
      loop.breaks.push_back({latch, {}});
      loop.break_scope = std::min(loop.break_scope, scope_.size());
      return;
    }
    const std::vector<Operand> args = Arguments(head_params);
    const BlockId latch = b_.block();
    b_.Emit(kWhileOp, Fields(), {}, {});
    b_.AddEdge(latch, head, args);
  }

  void Exit(size_t outside) {
    const Loop loop = loops_.back();
    const uint16_t depth = Depth();
    loops_.pop_back();
    const BlockId exit = b_.NewBlock(Depth());
    for (const PendingEdge& e : loop.breaks) b_.AddEdge(e.from, exit, e.args);
    b_.SetBlock(exit);
    scope_.resize(std::min(scope_.size(), loop.break_scope));
    size_t kept = outside;
    for (size_t k = outside; k < scope_.size(); ++k) {
      if (varies_[scope_[k].index] < depth) scope_[kept++] = scope_[k];
    }
    scope_.resize(std::min(scope_.size(), kept));
    AddParams(exit, loop.exit_params);
  }

  void Exits() {
    do {
      const ValueId flag = Flag();
      if (first_exit_ == kNone) first_exit_ = static_cast<uint32_t>(f_.values.size());
      Predicated(kExitOp, flag);
      for (int k = r_.Below(3); k > 0; --k) Arithmetic();
    } while (r_.Chance(40));
  }

  // What is in scope by now and was made before the first exit is defined above all of them.
  void ExitBlock() {
    const std::vector<Value> params = ParamShapes(2, false);
    const std::vector<Operand> args = Arguments(params);
    const BlockId before = b_.block();
    f_.exit_block = b_.NewBlock();
    b_.AddEdge(before, f_.exit_block, args);
    exit_values_ = static_cast<uint32_t>(f_.values.size());
    std::erase_if(scope_, [&](ValueId v) { return f_.value(v).file == kU && IsLate(v); });
    b_.SetBlock(f_.exit_block);
    for (const Value& s : params) {
      const ValueId p = b_.AddParam(f_.exit_block, s);
      ++exit_values_;
      Publish(p);
    }
    for (int k = r_.Below(12); k > 0; --k) Arithmetic();
  }

  void End() {
    const ValueId v = Collect(1 + r_.Below(3), true);
    b_.Emit(kEndOp, Fields(), {}, {ValueOperand(v, kUd, 0, f_.value(v).comps)});
  }

  const RandomOptions o_;
  Random r_;
  Function f_;
  Builder b_;
  std::vector<ValueId> scope_;   // available values, in order of definition
  std::vector<uint16_t> varies_; // per value: not to be read after the loop of this depth, if any
  std::vector<size_t> marks_;    // scope sizes at the constructs we are in
  std::vector<Loop> loops_;
  uint32_t first_exit_ = kNone;   // values made before the first exit
  uint32_t exit_values_ = kNone;  // ... and before the exit block makes its own
  bool for_all_lanes_ = false;    // sources are being picked for a NoMask instruction
};

}  // namespace

Function RandomProgram(uint64_t seed, const RandomOptions& options) {
  return Generator(seed, options).Run();
}

}  // namespace kiln::lir::testing
