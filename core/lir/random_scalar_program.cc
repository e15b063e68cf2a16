#include "core/lir/random_scalar_program.h"

#include <cassert>
#include <utility>
#include <vector>

#include "core/lir/build.h"
#include "core/lir/random_structure.h"
#include "core/lir/testing_scalar.h"

namespace kiln::lir::testing {

namespace {

constexpr ControlOps kControl = {kMaskIfOp,    kMaskElseOp, kMaskEndifOp, kMaskBreakOp, kMaskContOp,
                                 kMaskWhileOp, kSccIfOp,    kSJumpOp,     kMaskExitOp};

constexpr uint32_t kScalarLiveIns = 8;  // units

class ScalarGenerator : public RandomStructure {
 public:
  ScalarGenerator(uint64_t seed, const RandomOptions& o, uint32_t vector_units,
                  uint32_t scalar_units)
      : RandomStructure(ScalarTestMachine(), kControl, seed, o) {
    assert(o.width == 32 || o.width == 64);
    // VCC is as long as a mask: at 32 lanes half of it does not exist.
    f_.pool_units = {vector_units, scalar_units, o.width / 32u, 1};
  }

 private:
  Value LaneShape() override { return Make(kFileV, r_.Chance(5) ? 8 : 4, 1); }
  Value UniformShape() override { return Make(kFileS, 4, 1); }
  Value LaneEdgeShape() override { return r_.Chance(20) ? Make(kFileM, 0, 1) : LaneShape(); }
  Value UniformEdgeShape() override { return r_.Chance(25) ? Make(kFileW, 4, 1) : UniformShape(); }
  uint16_t ConstOp(const Value& v) override {
    switch (v.file) {
      case kFileV: return kVConstOp;
      case kFileW: return kWConstOp;
      case kFileM: return kMaskConstOp;
      default: return kSConstOp;
    }
  }

  void LiveIns() override {
    scope_.push_back(b_.AddLiveIn(Make(kFileS, 4, 4), 0));
    scope_.push_back(b_.AddLiveIn(Make(kFileS, 4, 2), 4));
    scope_.push_back(b_.AddLiveIn(Make(kFileS, 4, 1), 7));
    for (int k = 0; k < o_.live_ins; ++k) {
      scope_.push_back(b_.AddLiveIn(Make(kFileV, 4, 1), static_cast<uint32_t>(k)));
    }
    varies_.resize(f_.values.size());
    const uint32_t masks = static_cast<uint32_t>(o_.max_depth + 1) * o_.width / 32;
    f_.reserved.push_back({kPoolS, kScalarLiveIns, masks});
  }

  Operand Source(uint8_t file) {
    if (r_.Chance(8)) return ImmOperand(static_cast<uint32_t>(r_.Next()), 0);
    const ValueId v = Pick([&](const Value& c) { return c.file == file; });
    return v.valid() ? Component(v) : ImmOperand(1, 0);
  }
  Operand VectorSource() { return Source(r_.Chance(15) ? kFileS : r_.Chance(8) ? kFileW : kFileV); }

  ValueId Define(uint16_t op, const Value& shape, absl::Span<const Operand> uses, uint16_t varies,
                 uint8_t predicate_mode = 0) {
    const ValueId v = b_.NewValue(shape);
    InstFields fields = Fields();
    fields.predicate_mode = predicate_mode;
    const Operand def = ValueOperand(v, 0, 0, shape.comps);
    b_.Emit(op, fields, {&def, 1}, uses);
    Publish(v, varies);
    return v;
  }
  ValueId Define(uint16_t op, const Value& shape, std::initializer_list<Operand> uses,
                 uint16_t varies, uint8_t predicate_mode = 0) {
    return Define(op, shape, absl::MakeConstSpan(uses.begin(), uses.size()), varies,
                  predicate_mode);
  }

  // Returns a mask in scalar registers or in VCC, new or existing; a mask stays in the file in
  // which it was made.
  ValueId MaskIn(uint8_t file) {
    if (r_.Chance(35)) {
      const ValueId v = PickFile(file);
      if (v.valid()) return v;
    }
    const Operand uses[] = {VectorSource(), Source(kFileV)};
    return Define(file == kFileM ? kVCmpOp : kVCmpVccOp, Make(file, 0, 1), uses, Depth());
  }
  ValueId Flag() override { return MaskIn(r_.Chance(50) ? kFileM : kFileVcc); }
  ValueId UniformCondition() override {
    if (r_.Chance(35)) {
      const ValueId v = PickFile(kFileScc);
      if (v.valid()) return v;
    }
    const Operand uses[] = {Source(kFileS), Source(kFileS)};
    return Define(kSCmpOp, Make(kFileScc, 0, 1), uses, Depth());
  }

  void Arithmetic() override {
    if (r_.Chance(8)) return WholeWave();
    const int kind = r_.Below(100);
    if (kind < 22) return Scalar();
    if (kind < 27) return void(Select(MaskIn(kFileM), kVSelOp));
    if (kind < 33) return void(Select(MaskIn(kFileVcc), kVSelVccOp));
    if (kind < 41) return Copy();
    if (kind < 52) return Memory();
    if (kind < 62) return CollectAndStore();
    if (kind < 72) return Accumulate();
    if (kind < 76) {
      Define(kVBroadcastOp, LaneShape(), {Source(kFileS)}, 0);
    } else if (kind < 88) {
      Define(kVAddOp, LaneShape(), {VectorSource(), Source(kFileV)}, 0);
    } else {
      Define(kVMadOp, LaneShape(), {VectorSource(), Source(kFileV), Source(kFileV)}, 0);
    }
  }

  void Scalar() {
    const int kind = r_.Below(100);
    const Value one = UniformShape();
    const Operand uses[] = {Source(kFileS), Source(kFileS)};
    if (kind < 35) {
      Define(kSAddOp, Make(kFileS, 4, r_.Chance(20) ? 2 : 1), uses, Varies(uses));
    } else if (kind < 50) {
      Define(kSMulOp, one, uses, Varies(uses));
    } else if (kind < 60) {
      const ValueId sum = b_.NewValue(one), carry = b_.NewValue(Make(kFileScc, 0, 1));
      b_.Emit(kSAddCarryOp, Fields(), {ValueOperand(sum, 0), ValueOperand(carry, 0)},
              {uses[0], uses[1]});
      Publish(sum, Varies(uses));
      Publish(carry, Depth());
    } else if (kind < 75) {
      const Operand condition = ValueOperand(UniformCondition(), 0);
      Define(kSSelOp, one, {uses[0], uses[1], condition}, Depth(), 1);
    } else if (kind < 85) {
      const ValueId a = MaskIn(kFileM), b = MaskIn(kFileM);
      Define(kMaskAndOp, Make(kFileM, 0, 1), {ValueOperand(a, 0), ValueOperand(b, 0)}, Depth());
    } else {
      Define(kReadFirstOp, one, {Source(kFileV)}, Depth());
    }
  }

  void WholeWave() {
    const int kind = r_.Below(100);
    const Value one = Make(kFileW, 4, 1);
    if (kind < 20) {
      Define(kWConstOp, one, {ImmOperand(static_cast<uint32_t>(r_.Next()), 0)}, 0);
    } else if (kind < 40) {
      const Operand use = Source(kFileS);
      Define(kWBroadcastOp, one, {use}, Varies({&use, 1}));
    } else if (kind < 55) {
      const Operand uses[] = {Source(kFileW), Source(kFileW)};
      Define(kWAddOp, one, uses, Varies(uses));
    } else if (kind < 70) {
      const ValueId old = PickFile(kFileW);
      if (old.valid()) Define(kWInsertOp, one, {Component(old), Source(kFileV)}, Depth());
    } else if (kind < 88) {
      const Operand uses[] = {Source(kFileV), Source(kFileW)};
      const ValueId result = b_.NewValue(Make(kFileV, 4, 1)), scratch = b_.NewValue(one);
      b_.Emit(kWScanOp, Fields(), {ValueOperand(result, 0), ValueOperand(scratch, 0)},
              {uses[0], uses[1]});
      Publish(result);
    } else {
      const Operand use = Source(kFileW);
      Define(kWReadOp, UniformShape(), {use}, Varies({&use, 1}));
    }
  }

  ValueId Select(ValueId mask, uint16_t op) {
    return Define(op, LaneShape(), {VectorSource(), Source(kFileV), ValueOperand(mask, 0)}, 0, 1);
  }

  void Copy() {
    const uint8_t file = r_.Chance(70) ? kFileV : kFileS;
    const ValueId from = PickFile(file);
    if (!from.valid()) return;
    Value shape = f_.value(from);
    shape.comps = 1;
    const Operand use = Component(from);
    Define(file == kFileV ? kVCopyOp : kSCopyOp, shape, {use},
           file == kFileV ? 0 : varies_[from.index]);
  }

  // Emits an accumulation. Its source may be read again, be a part of a vector, or be read by the
  // same instruction.
  void Accumulate() {
    const Value shape = LaneShape();
    const ValueId sum =
        Pick([&](const Value& c) { return c.file == kFileV && c.elem_bytes == shape.elem_bytes; });
    if (!sum.valid()) return;
    const Operand use = Component(sum);
    Define(kVMacOp, shape, {VectorSource(), r_.Chance(15) ? use : Source(kFileV), use}, 0);
  }

  void Memory() {
    const int kind = r_.Below(100);
    if (kind < 35) {
      Define(kVLoadOp, Make(kFileV, 4, static_cast<uint16_t>(1 + r_.Below(4))), {Source(kFileV)},
             0);
    } else if (kind < 60) {
      const Operand use = Source(kFileS);
      Define(kSLoadOp, Make(kFileS, 4, static_cast<uint16_t>(1u << r_.Below(4))), {use}, Depth());
    } else if (kind < 80) {
      Define(kLdsLoadOp, Make(kFileV, 4, 1), {Source(kFileV)}, 0);
    } else if (kind < 95) {
      b_.Emit(kLdsStoreOp, Fields(), {}, {Source(kFileV), Source(kFileV)});
    } else {
      b_.Emit(kSBarrierOp, Fields(), {}, {});
    }
  }

  ValueId Collect(uint8_t file, int parts) {
    std::vector<Operand> uses;
    uint16_t comps = 0, varies = 0;
    for (int k = 0; k < parts; ++k) {
      const ValueId v = Pick([&](const Value& c) { return c.file == file && c.elem_bytes == 4; });
      const uint16_t n = v.valid() && r_.Chance(25) ? f_.value(v).comps : 1;
      comps = static_cast<uint16_t>(comps + n);
      if (!v.valid() || r_.Chance(4)) {
        uses.push_back(NoOperand(n));
        continue;
      }
      uses.push_back(n == 1 ? Component(v) : ValueOperand(v, 0, 0, n));
      if (file == kFileS) varies = std::max(varies, varies_[v.index]);
    }
    return Define(kSCollectOp, Make(file, 4, comps), uses, varies);
  }

  void CollectAndStore() {
    if (r_.Chance(20)) {
      const ValueId v = Collect(kFileS, 2 + r_.Below(3));
      b_.Emit(kVStoreOp, Fields(), {}, {Source(kFileV), ValueOperand(v, 0, 0, f_.value(v).comps)});
      return;
    }
    const ValueId v = Collect(kFileV, 1 + r_.Below(4));
    if (!r_.Chance(20)) scope_.pop_back();
    b_.Emit(kVStoreOp, Fields(), {}, {Source(kFileV), ValueOperand(v, 0, 0, f_.value(v).comps)});
  }

  void End() override {
    const ValueId v = Collect(kFileV, 1 + r_.Below(3));
    b_.Emit(kSEndOp, Fields(), {}, {ValueOperand(v, 0, 0, f_.value(v).comps)});
  }
};

}  // namespace

Function RandomScalarProgram(uint64_t seed, const RandomOptions& options, uint32_t vector_units,
                             uint32_t scalar_units) {
  return ScalarGenerator(seed, options, vector_units, scalar_units).Run();
}

}  // namespace kiln::lir::testing
