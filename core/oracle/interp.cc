// Control of the interpreter: dispatch, workgroups, regions and masks. The parts that it owns
// execute the straight-line ops.
#include "core/oracle/interp.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/mir/print.h"
#include "core/oracle/descriptor_choice.h"
#include "core/oracle/execution.h"
#include "core/oracle/memories.h"
#include "core/oracle/numbers.h"
#include "core/oracle/races.h"
#include "core/oracle/stages.h"
#include "core/oracle/subgroups.h"
#include "core/oracle/texels.h"

namespace kiln::oracle {
namespace {

using mir::DenormMode;
using mir::Info;
using mir::Inst;
using mir::InstId;
using mir::kIndexed;
using mir::Module;
using mir::Op;
using mir::PrivateArray;
using mir::RegionId;
using mir::Scope;
using mir::Stage;
using mir::Value;
using mir::ValueId;

class Interpreter {
 public:
  Interpreter(const Module& module, LaunchInputs& inputs, const InterpLimits& limits)
      : m_(module), in_(inputs), limits_(limits), e_(module, inputs) {}

  absl::StatusOr<InterpStatistics> Run() {
    absl::Status status = Prepare();
    const bool half = mir::RoundsToZero(m_, Op::kFadd, mir::Type::kF16);
    const bool single = mir::RoundsToZero(m_, Op::kFadd, mir::Type::kF32);
    const bool twice = mir::RoundsToZero(m_, Op::kFadd, mir::Type::kF64);
    const Rounding rounding(single);
    rounding_differs_ = half != single || twice != single;
    const bool compute = m_.stage == Stage::kCompute;
    const uint64_t plane = compute ? uint64_t{in_.groups[0]} * in_.groups[1] : 1;
    const uint64_t total = compute ? plane * in_.groups[2] : 1;
    const std::vector<uint32_t> order = e_.chance.Shuffled(in_.shuffle_seed != 0 ? total : 0);
    for (uint64_t n = 0; n < total && status.ok(); ++n) {
      const uint64_t at = !order.empty() ? order[n] : in_.opposite_order ? total - 1 - n : n;
      group_ = {static_cast<uint32_t>(at % in_.groups[0]),
                static_cast<uint32_t>(at / in_.groups[0] % in_.groups[1]),
                static_cast<uint32_t>(at / plane)};
      status = RunGroup();
    }
    if (!status.ok()) return status;
    e_.statistics.raced = memories_.Raced();
    return e_.statistics;
  }

 private:
  struct LoopFrame {
    InstId loop;
    BitSet continued;
    BitSet broke;
  };

  absl::Status Prepare() {
    const uint64_t lanes = m_.stage == Stage::kCompute
                               ? uint64_t{m_.local_size[0]} * m_.local_size[1] * m_.local_size[2]
                               : in_.stage.invocations;
    uint64_t bytes = 8 * m_.values.size();
    for (const PrivateArray& a : m_.private_arrays) bytes += a.bytes;
    if (lanes > 65536 || bytes * lanes > static_cast<uint64_t>(limits_.max_register_bytes)) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "interpreter: ", bytes, " bytes of values of ", lanes, " lanes are too many"));
    }
    e_.lanes = static_cast<uint32_t>(lanes);
    e_.helpers = BitSet(e_.lanes);
    if (absl::Status status = stages_.Prepare(); !status.ok()) return status;
    const DenormMode single = m_.f32_mode.denorms;
    e_.flush.single = single == DenormMode::kAny ? in_.denormals == Denormals::kFlush
                                                 : single == DenormMode::kFlush;
    e_.flush.half = m_.f16_mode.denorms == DenormMode::kFlush;
    e_.flush.twice = m_.f64_mode.denorms == DenormMode::kFlush;
    if (absl::Status status = descriptors_.Prepare(); !status.ok()) return status;
    memories_.Prepare();
    e_.registers.resize(m_.values.size() * e_.lanes);
    for (size_t i = 0; i < m_.values.size(); ++i) {
      const Value& v = m_.values[i];
      if (v.kind == Value::Kind::kConstant) std::fill_n(e_.Lanes(ValueId(i)), e_.lanes, v.bits);
      if (v.kind == Value::Kind::kUndef) {
        std::fill_n(e_.Lanes(ValueId(i)), e_.lanes, e_.chance.Undefined(v.type));
      }
    }
    return absl::OkStatus();
  }

  absl::Status RunGroup() {
    memories_.BeginGroup();
    races_.BeginGroup();
    BitSet all(e_.lanes);
    const std::vector<bool>& off = in_.stage.off;
    for (uint32_t i = 0; i < e_.lanes; ++i) {
      if (i >= off.size() || !off[i]) all.set(i);
    }
    loops_.clear();
    ExecRegion(m_.body, InstId(), all, nullptr);
    return e_.error;
  }

  // ---- Control ----

  // Executes a region for the active lanes. Lanes that reach a yield are added to *yielded.
  void ExecRegion(RegionId region, InstId owner, BitSet active, BitSet* yielded) {
    for (InstId id : m_.region(region).insts) {
      e_.statistics.lane_steps += e_.lanes;
      if (e_.statistics.lane_steps > limits_.max_lane_steps) {
        return e_.Fail(absl::DeadlineExceededError(
            absl::StrCat("interpreter: more than ", limits_.max_lane_steps, " lane steps")));
      }
      switch (m_.inst(id).op) {
        case Op::kIf: ExecIf(id, &active); break;
        case Op::kLoop: ExecLoop(id, &active); break;
        case Op::kYield:
          for (int i = 0; i < m_.inst(id).num_sources; ++i) {
            Copy(m_.result(owner, i), m_.source(id, i), active);
          }
          yielded->unite(active);
          return;
        case Op::kBreak:
          for (int i = 0; i < m_.inst(id).num_sources; ++i) {
            Copy(m_.result(loops_.back().loop, i), m_.source(id, i), active);
          }
          loops_.back().broke.unite(active);
          return;
        case Op::kContinue: Continue(id, active); return;
        case Op::kReturn: return stages_.Finish(active);
        case Op::kUnreachable:
          return e_.Fail(absl::FailedPreconditionError("interpreter: unreachable was reached"));
        default: ExecRounding(id, &active); break;
      }
      if (!e_.error.ok() || active.count() == 0) return;
      if (in_.observer != nullptr) {
        for (int i = 0; i < m_.inst(id).num_results; ++i) Observe(m_.result(id, i), active);
      }
    }
  }

  void Observe(ValueId v, const BitSet& active) {
    in_.observer->OnValue(v, active, absl::MakeConstSpan(e_.Lanes(v), e_.lanes));
  }

  // Draws an undefined value anew at each use (SPIR-V, OpUndef: "each consumption"). A module has
  // one such value of each type, which stands for the contents of several variables.
  void Copy(ValueId to, ValueId from, const BitSet& active) {
    uint64_t* t = e_.Lanes(to);
    const uint64_t* f = e_.Lanes(from);
    const Value& v = m_.value(from);
    const bool undefined = v.kind == Value::Kind::kUndef;
    active.for_each(
        [&](size_t lane) { t[lane] = undefined ? e_.chance.Undefined(v.type) : f[lane]; });
  }

  // Copies by way of scratch_, since a parameter's next value may be another parameter.
  void Continue(InstId id, const BitSet& active) {
    LoopFrame& frame = loops_.back();
    const std::vector<ValueId>& params = m_.region(m_.inst(frame.loop).regions[0]).params;
    scratch_.resize(params.size());
    active.for_each([&](size_t lane) {
      for (size_t i = 0; i < params.size(); ++i) {
        scratch_[i] = e_.Lanes(m_.source(id, static_cast<int>(i)))[lane];
      }
      for (size_t i = 0; i < params.size(); ++i) e_.Lanes(params[i])[lane] = scratch_[i];
    });
    frame.continued.unite(active);
  }

  void ExecIf(InstId id, BitSet* active) {
    const uint64_t* condition = e_.Lanes(m_.source(id, 0));
    BitSet taken(e_.lanes);
    active->for_each([&](size_t lane) {
      if (condition[lane] != 0) taken.set(lane);
    });
    BitSet rest = *active;
    rest.subtract(taken);
    BitSet yielded(e_.lanes);
    if (taken.count() != 0) ExecRegion(m_.inst(id).regions[0], id, std::move(taken), &yielded);
    if (rest.count() != 0 && e_.error.ok()) {
      ExecRegion(m_.inst(id).regions[1], id, std::move(rest), &yielded);
    }
    *active = std::move(yielded);
  }

  void ExecLoop(InstId id, BitSet* active) {
    const RegionId body = m_.inst(id).regions[0];
    const std::vector<ValueId>& params = m_.region(body).params;
    for (size_t i = 0; i < params.size(); ++i) {
      Copy(params[i], m_.source(id, static_cast<int>(i)), *active);
    }
    loops_.push_back({id, BitSet(e_.lanes), BitSet(e_.lanes)});
    BitSet running = *active;
    while (running.count() != 0 && e_.error.ok()) {
      if (in_.observer != nullptr) {
        for (ValueId p : params) Observe(p, running);
      }
      loops_.back().continued.clear();
      ExecRegion(body, id, running, nullptr);
      running = loops_.back().continued;
    }
    *active = std::move(loops_.back().broke);
    loops_.pop_back();
  }

  // ---- Straight-line ops ----

  // Executes an op with the rounding mode of its result's width.
  void ExecRounding(InstId id, BitSet* lanes) {
    if (!rounding_differs_ || m_.inst(id).num_results == 0) return Exec(id, lanes);
    const mir::Type type = m_.value(m_.result(id)).type;
    if (!mir::IsFloat(type) && m_.inst(id).op != Op::kF2f16) return Exec(id, lanes);
    const Rounding rounding(mir::RoundsToZero(m_, m_.inst(id).op, type));
    Exec(id, lanes);
  }

  void Exec(InstId id, BitSet* lanes) {
    const Inst& inst = m_.inst(id);
    if (inst.num_results == 1 && inst.num_sources != 0 && numbers_.Exec(id, *lanes)) return;
    if (stages_.Exec(id, lanes)) return;
    const BitSet effective = WithEffect(id, *lanes);
    const BitSet& active = effective.size() != 0 ? effective : *lanes;
    if ((inst.flags & kIndexed) != 0) descriptors_.CheckIndex(id, active);
    if (Launch(id) || subgroups_.Exec(id, active) || memories_.Exec(id, active) ||
        texels_.Exec(id, active)) {
      return;
    }
    switch (inst.op) {
      case Op::kControlBarrier:
        return Barrier(inst.imm1 == static_cast<uint32_t>(Scope::kWorkgroup), active);
      case Op::kMemoryBarrier: return;
      case Op::kReadClock: return ReadClock(id);
      case Op::kWorkgroupScan: subgroups_.ScanWorkgroup(id, active); return Barrier(true, active);
      default:
        e_.Fail(
            absl::InternalError(absl::StrCat("interpreter: no meaning for ", PrintInst(m_, id))));
    }
  }

  // For an instruction that changes memory other than the lane's own: the active lanes that are no
  // helpers. Empty: all of them.
  BitSet WithEffect(InstId id, const BitSet& active) {
    const Inst& inst = m_.inst(id);
    if (!Info(inst.op).Has('W') || inst.op == Op::kStorePrivate || e_.helpers.count() == 0) {
      return BitSet();
    }
    for (int i = 0; i < inst.num_results; ++i) {
      active.for_each([&](size_t lane) {
        if (e_.helpers.test(lane)) {
          e_.Lanes(m_.result(id, i))[lane] = e_.chance.Undefined(e_.TypeOf(m_.result(id, i)));
        }
      });
    }
    BitSet lanes = active;
    lanes.subtract(e_.helpers);
    return lanes;
  }

  // Executes an op that reads a launch value; returns false for other ops.
  bool Launch(InstId id) {
    const Inst& inst = m_.inst(id);
    switch (inst.op) {
      case Op::kWorkgroupId: return Broadcast(id, group_[inst.imm0]);
      case Op::kNumWorkgroups: return Broadcast(id, in_.groups[inst.imm0]);
      case Op::kBaseWorkgroup: return Broadcast(id, in_.base_workgroup[inst.imm0]);
      case Op::kLocalIndex: return Number(id, [](uint32_t lane) { return lane; });
      case Op::kSubgroupId:
        return Number(id, [&](uint32_t lane) { return lane / in_.subgroup_size; });
      case Op::kSubgroupInvocation:
        return Number(id, [&](uint32_t lane) { return lane % in_.subgroup_size; });
      case Op::kSubgroupSize: return Broadcast(id, in_.subgroup_size);
      case Op::kNumSubgroups:
        return Broadcast(id, (e_.lanes + in_.subgroup_size - 1) / in_.subgroup_size);
      default: return false;
    }
  }

  bool Broadcast(InstId id, uint32_t x) {
    std::fill_n(e_.Lanes(m_.result(id)), e_.lanes, x);
    return true;
  }

  template <class F>
  bool Number(InstId id, F f) {
    uint64_t* r = e_.Lanes(m_.result(id));
    for (uint32_t i = 0; i < e_.lanes; ++i) r[i] = f(i);
    return true;
  }

  // The clock counts what lanes have executed. Its start and its speed differ by undefined_seed, so
  // that results which depend on either count as undefined, but not those on its order.
  void ReadClock(InstId id) {
    const uint64_t seed = in_.undefined_seed;
    const uint64_t time =
        (seed << 40) + (seed + 1) * static_cast<uint64_t>(e_.statistics.lane_steps);
    for (int i = 0; i < 2; ++i) {
      std::fill_n(e_.Lanes(m_.result(id, i)), e_.lanes, time >> (32 * i) & 0xffffffffu);
    }
  }

  void Barrier(bool of_workgroup, const BitSet& active) {
    races_.Barrier(of_workgroup);
    if (!of_workgroup || active.count() == e_.lanes) return;
    ++e_.statistics.split_barriers;
    ++e_.statistics.undefined_results;
  }

  const Module& m_;
  LaunchInputs& in_;
  const InterpLimits limits_;
  std::array<uint32_t, 3> group_ = {0, 0, 0};
  bool rounding_differs_ = false;  // by the width of floats; else set once for the run
  std::vector<uint64_t> scratch_;
  std::vector<LoopFrame> loops_;

  Execution e_;
  Numbers numbers_{e_};
  Subgroups subgroups_{e_};
  Stages stages_{e_};
  Races races_{e_};
  DescriptorChoice descriptors_{e_};
  Memories memories_{e_, descriptors_, races_};
  Texels texels_{e_, descriptors_, memories_, races_};
};

}  // namespace

absl::StatusOr<InterpStatistics> Interpret(const Module& module, LaunchInputs& inputs,
                                           const InterpLimits& limits) {
  return Interpreter(module, inputs, limits).Run();
}

}  // namespace kiln::oracle
