#include "core/amd/pipeline/schedule.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/amd/isa/wave_limits.h"
#include "core/amd/lir/machine.h"
#include "core/amd/lir/ops.h"
#include "core/amd/perf/occupancy.h"
#include "core/lir/liveness.h"
#include "core/lir/order.h"
#include "core/lir/schedule/schedule.h"

namespace kiln::amd {
namespace {

using lir::schedule::ScheduleStats;

constexpr uint32_t kVgprReserve = 4, kSgprReserve = 4;
// Cycles for SCC in excess: a save and a restore.
constexpr uint32_t kSccExcess = 4;
// A step is near if its registers are exceeded by at most a fraction of them, one by so many.
constexpr uint32_t kNear = 4;

isa::Wave WaveOf(const Work& w) { return w.lanes == 64 ? isa::Wave::k64 : isa::Wave::k32; }

class WaveScheduler {
 public:
  explicit WaveScheduler(Work& w) : w_(w), f_(w.lir), wave_(WaveOf(w)) {}

  bool Run() {
    w_.live.reset();
    w_.pressure.clear();
    w_.unscheduled = lir::OrderOf(f_);
    const uint32_t first = FirstStep();
    ScheduleStats best = ScheduleWithin(first);
    bool changed = best.changed() != 0;
    if (NextStep(first) == 0 && best.blocks_over == 0) {
      w_.vgpr_goal = first;
      return changed;
    }
    w_.pressure = Pressure();
    while (const uint32_t step = NextStep(Vgprs().physical)) {
      if (Vgprs().physical > step + step / kNear) break;
      std::vector<lir::InstId> other = w_.unscheduled;
      lir::SwapOrder(f_, other);
      const ScheduleStats tried = ScheduleWithin(step);
      std::vector<lir::Pressure> pressure = Pressure();
      // (What waiting lanes hold may exceed the step, though all blocks fit.)
      if (pressure[kPoolVgpr].physical > step ||
          tried.cycles_after * Waves(StepOf(Vgprs().physical)) > best.cycles_after * Waves(step)) {
        lir::SwapOrder(f_, other);
        break;
      }
      best = tried;
      changed = tried.changed() != 0;
      w_.pressure = std::move(pressure);
    }
    w_.vgpr_goal = StepOf(Vgprs().logical);
    return changed;
  }

 private:
  // Returns the step of the registers that the function needs in its present order. A function
  // whose values all together fit the most waves needs no count of those that live at once.
  uint32_t FirstStep() {
    uint64_t all = kVgprReserve;
    for (const lir::Value& v : f_.values) {
      if (Gfx1030Machine().files[v.file].pool != kPoolVgpr) continue;
      all += uint64_t{v.comps} * Gfx1030Machine().units_per_comp(f_, v);
    }
    if (all <= static_cast<uint64_t>(isa::VgprsOfWaves(isa::kMaxWavesOfSimd, wave_))) {
      return StepOf(static_cast<uint32_t>(all));
    }
    return StepOf(Pressure()[kPoolVgpr].physical + kVgprReserve);
  }

  // Returns what is live at once in the present order.
  std::vector<lir::Pressure> Pressure() {
    if (w_.live) {
      w_.live->Reorder(Gfx1030Machine(), f_);
    } else {
      w_.live.emplace(Gfx1030Machine(), f_);
    }
    return lir::MaxPressure(Gfx1030Machine(), f_, *w_.live);
  }
  const lir::Pressure& Vgprs() const { return w_.pressure[kPoolVgpr]; }

  int64_t Waves(uint32_t vgprs) const {
    return isa::WavesByRegisters(static_cast<int>(vgprs), wave_);
  }
  uint32_t StepOf(uint32_t vgprs) const {
    return static_cast<uint32_t>(MostVgprs(static_cast<int>(vgprs), wave_));
  }
  // Returns the VGPRs of the step that has more waves than so many; 0 if there is none.
  uint32_t NextStep(uint32_t vgprs) const {
    return static_cast<uint32_t>(isa::VgprsOfWaves(static_cast<int>(Waves(vgprs)) + 1, wave_));
  }

  ScheduleStats ScheduleWithin(uint32_t vgprs) {
    const auto all = static_cast<uint32_t>(lir::FreeUnits(Gfx1030Machine(), f_, kPoolVgpr));
    const uint32_t reserve = all - std::min(all, vgprs) + kVgprReserve;
    return lir::schedule::ScheduleBeforeAllocation(Gfx1030Machine(), &f_,
                                                   {.reserve = {reserve, kSgprReserve, 0},
                                                    .balanced = {kVgprReserve, 0, 0},
                                                    .excess = {0, 0, kSccExcess},
                                                    .fewest_live = false,
                                                    .live = &w_.live});
  }

  Work& w_;
  lir::Function& f_;
  const isa::Wave wave_;
};

}  // namespace

bool ScheduleForWaves(Work& w) { return WaveScheduler(w).Run(); }

uint32_t LargerStep(const Work& w, uint32_t vgprs) {
  if (vgprs >= isa::kVgprCount) return isa::kVgprCount;
  return static_cast<uint32_t>(MostVgprs(static_cast<int>(vgprs) + 1, WaveOf(w)));
}

}  // namespace kiln::amd
