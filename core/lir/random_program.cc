#include "core/lir/random_program.h"

#include <algorithm>
#include <vector>

#include "core/lir/build.h"
#include "core/lir/random_structure.h"
#include "core/lir/testing.h"

namespace kiln::lir::testing {

namespace {

enum Type : uint8_t { kUd, kFloat };

constexpr ControlOps kControl = {kIfOp,    kElseOp,      kEndifOp,       kBreakOp, kContOp,
                                 kWhileOp, kUniformIfOp, kUniformJumpOp, kExitOp};

// Programs of the small machine of testing.h.
class Generator : public RandomStructure {
 public:
  Generator(uint64_t seed, const RandomOptions& o)
      : RandomStructure(TestMachine(), kControl, seed, o) {}

 private:
  ValueId UniformCondition() override { return PickFile(kU); }
  Value UniformShape() override { return Make(kU, 4, 1); }
  uint16_t ConstOp(const Value&) override { return kConstOp; }

  uint32_t Units(const Value& v) const { return TestMachine().units_per_comp(f_, v) * v.comps; }

  Value LaneShape() override {
    const int k = o_.dwords ? 3 : r_.Below(20);
    return Make(kG, k == 0 ? 8 : k < 3 ? 2 : 4, 1);
  }

  void LiveIns() override {
    uint32_t at = 8;
    scope_.push_back(b_.AddLiveIn(Make(kU, 4, 8, true), 0));
    if (o_.header) f_.scratch_header = scope_.back();
    for (int i = 0; i < o_.live_ins; ++i) {
      const Value v = r_.Chance(25) ? Make(kU, 4, 8, true)
                                    : Make(kG, 4, static_cast<uint16_t>(1 + r_.Below(2)));
      scope_.push_back(b_.AddLiveIn(v, at));
      if (o_.held != 0) f_.live_ins.back().held = r_.Chance(o_.held);
      at += Units(v);
    }
    varies_.resize(f_.values.size());
  }

  Operand Source(bool uniform) {
    if (r_.Chance(8)) return ImmOperand(static_cast<uint32_t>(r_.Next()), kUd);
    const ValueId v = PickFile(uniform || r_.Chance(25) ? kU : kG);
    if (!v.valid()) return ImmOperand(1, kUd);
    Operand o = Component(v);
    if (r_.Chance(10)) o.mods = Operand::kNegate;
    return o;
  }

  ValueId Flag() override {
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

  void Arithmetic() override {
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
      const ValueId flag = Flag(), v = b_.NewValue(LaneShape());
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
    const ValueId v = b_.NewValue(LaneShape());
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
    Value shape =
        uniform ? Make(kU, 4, 8, true) : Make(kG, 4, static_cast<uint16_t>(1 + r_.Below(4)), true);
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
          o.comps = static_cast<uint16_t>(TestMachine().units_per_comp(f_, shape));
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

  void End() override {
    const ValueId v = Collect(1 + r_.Below(3), true);
    b_.Emit(kEndOp, Fields(), {}, {ValueOperand(v, kUd, 0, f_.value(v).comps)});
  }
};

}  // namespace

Function RandomProgram(uint64_t seed, const RandomOptions& options) {
  return Generator(seed, options).Run();
}

}  // namespace kiln::lir::testing
