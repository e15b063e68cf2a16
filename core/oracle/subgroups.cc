#include "core/oracle/subgroups.h"

#include <algorithm>
#include <array>
#include <map>
#include <type_traits>

#include "core/mir/immediates.h"
#include "core/mir/semantics.h"
#include "core/oracle/interp_subgroup.h"
#include "core/oracle/numbers.h"

namespace kiln::oracle {
namespace {

namespace semantics = mir::semantics;
using mir::Inst;
using mir::InstId;
using mir::LaneMask;
using mir::Op;
using mir::OpOf;
using mir::ReduceOp;
using mir::Type;
using mir::ValueId;

}  // namespace

// Within quads helpers always take part.
bool Subgroups::MayLeaveOutHelpers(const Inst& inst) {
  const bool quad = inst.op == Op::kQuadBroadcast || inst.op == Op::kQuadSwap ||
                    (inst.op == Op::kReduce && inst.imm1 != 0 && inst.imm1 <= 4);
  return mir::Info(inst.op).Has('X') && !quad;
}

bool Subgroups::Exec(InstId id, const BitSet& active) {
  const bool leaves_out =
      MayLeaveOutHelpers(m_.inst(id)) && in_.undefined_seed % 2 != 0 && e_.helpers.count() != 0;
  if (!leaves_out) return ExecFor(id, active);
  BitSet lanes = active;
  lanes.subtract(e_.helpers);
  if (!ExecFor(id, lanes)) return false;
  active.for_each([&](size_t lane) {
    if (!e_.helpers.test(lane)) return;
    for (int i = 0; i < m_.inst(id).num_results; ++i) {
      const ValueId v = m_.result(id, i);
      e_.Lanes(v)[lane] = e_.chance.Undefined(e_.TypeOf(v));
    }
  });
  return true;
}

bool Subgroups::ExecFor(InstId id, const BitSet& active) {
  const auto each = [&](void (Subgroups::*f)(InstId, const BitSet&, uint32_t)) {
    e_.ForSubgroups(active, [&](uint32_t first) { (this->*f)(id, active, first); });
    return true;
  };
  switch (m_.inst(id).op) {
    case Op::kLaneMask: LaneMasks(id); return true;
    case Op::kSubgroupElect:
    case Op::kSubgroupAny:
    case Op::kSubgroupAll:
    case Op::kBallot: return each(&Subgroups::Vote);
    case Op::kReadFirst:
    case Op::kReadLane:
    case Op::kShuffle:
    case Op::kQuadBroadcast:
    case Op::kQuadSwap: return each(&Subgroups::ReadLanes);
    case Op::kReduce:
    case Op::kInclusiveScan:
    case Op::kExclusiveScan: return each(&Subgroups::Reduce);
    default: return false;
  }
}

void Subgroups::LaneMasks(InstId id) {
  const LaneMask mask = static_cast<LaneMask>(m_.inst(id).imm0);
  for (uint32_t lane = 0; lane < e_.lanes; ++lane) {
    const auto bits = LaneMaskBits(mask, lane % in_.subgroup_size, in_.subgroup_size);
    for (int i = 0; i < 4; ++i) e_.Lanes(m_.result(id, i))[lane] = bits[i];
  }
}

void Subgroups::Vote(InstId id, const BitSet& active, uint32_t first) {
  const Op op = m_.inst(id).op;
  std::array<uint32_t, 4> ballot = {0, 0, 0, 0};
  bool all = true;
  for (uint32_t lane = first; lane < e_.SubgroupEnd(first); ++lane) {
    if (!active.test(lane)) continue;
    const bool yes = op == Op::kSubgroupElect || e_.Lanes(m_.source(id, 0))[lane] != 0;
    all &= yes;
    if (yes) ballot[(lane - first) / 32] |= 1u << ((lane - first) % 32);
  }
  const bool any = (ballot[0] | ballot[1] | ballot[2] | ballot[3]) != 0;
  const uint32_t elected = e_.FirstActive(active, first);
  for (uint32_t lane = first; lane < e_.SubgroupEnd(first); ++lane) {
    for (int i = 0; i < m_.inst(id).num_results; ++i) {
      e_.Lanes(m_.result(id, i))[lane] = op == Op::kBallot        ? ballot[i]
                                         : op == Op::kSubgroupAny ? any
                                         : op == Op::kSubgroupAll ? all
                                                                  : lane == elected;
    }
  }
}

void Subgroups::ReadLanes(InstId id, const BitSet& active, uint32_t first) {
  const Inst& inst = m_.inst(id);
  const uint32_t elected = e_.FirstActive(active, first);
  const auto* value = e_.Lanes(m_.source(id, 0));
  for (uint32_t lane = elected; lane < e_.SubgroupEnd(first); ++lane) {
    uint32_t from = elected - first;
    if (inst.op == Op::kReadLane) {
      from = static_cast<uint32_t>(e_.Lanes(m_.source(id, 1))[elected]);
    } else if (inst.op != Op::kReadFirst) {
      const uint32_t index =
          inst.op == Op::kShuffle ? static_cast<uint32_t>(e_.Lanes(m_.source(id, 1))[lane]) : 0;
      from = SourceLane(inst, lane - first, index);
    }
    const bool there = from < e_.SubgroupEnd(first) - first && active.test(first + from);
    const bool agreed = inst.op != Op::kReadLane || e_.Lanes(m_.source(id, 1))[lane] == from;
    uint64_t& result = e_.Lanes(m_.result(id))[lane];
    result = there ? value[first + from] : 0;
    if (!active.test(lane) || (there && agreed)) continue;
    ++e_.statistics.undefined_results;
    if (in_.undefined_seed != 0) result = e_.chance.Undefined(e_.TypeOf(m_.result(id)));
  }
}

void Subgroups::ScanWorkgroup(InstId id, const BitSet& active) {
  const Inst& inst = m_.inst(id);
  const int streams = inst.num_sources - 2;
  const auto source = [&](int i, size_t lane) {
    return static_cast<uint32_t>(e_.Lanes(m_.source(id, i))[lane]);
  };
  // The lane that speaks for each subgroup that takes part, by the number of the subgroup.
  std::map<uint32_t, uint32_t> speakers;
  bool defined = true;
  uint32_t taking_part = 0;
  e_.ForSubgroups(active, [&](uint32_t first) {
    const uint32_t speaker = e_.FirstActive(active, first);
    taking_part = source(1, speaker);
    if (source(0, speaker) < taking_part) {
      defined = defined && speakers.emplace(source(0, speaker), speaker).second;
      for (int i = 2; i < inst.num_sources; ++i) {
        defined = defined && source(i, speaker) <= e_.SubgroupEnd(first) - first;
      }
    }
    for (uint32_t lane = speaker; lane < e_.SubgroupEnd(first); ++lane) {
      for (int i = 0; active.test(lane) && i < inst.num_sources; ++i) {
        defined = defined && source(i, lane) == source(i, speaker);
      }
    }
  });
  defined = defined && speakers.size() == taking_part;
  active.for_each([&](size_t lane) {
    const bool own = defined && source(0, lane) < taking_part;
    for (int s = 0; s < streams; ++s) {
      uint32_t before = 0, total = 0;
      for (const auto& [number, speaker] : speakers) {
        if (number < source(0, lane)) before += source(2 + s, speaker);
        total += source(2 + s, speaker);
      }
      for (int k = 0; k < 2; ++k) {
        const ValueId v = m_.result(id, 2 * s + k);
        e_.Lanes(v)[lane] = k == 0 ? before : total;
        if (own) continue;
        ++e_.statistics.undefined_results;
        if (in_.undefined_seed != 0) e_.Lanes(v)[lane] = e_.chance.Undefined(e_.TypeOf(v));
      }
    }
  });
}

void Subgroups::Reduce(InstId id, const BitSet& active, uint32_t first) {
  const Inst& inst = m_.inst(id);
  const ReduceOp op = static_cast<ReduceOp>(inst.imm0);
  const Type type = e_.TypeOf(m_.result(id));
  SubgroupValues<uint64_t> lanes(in_.subgroup_size);
  for (uint32_t lane = first; lane < e_.SubgroupEnd(first); ++lane) {
    if (active.test(lane)) lanes[lane - first] = e_.Lanes(m_.source(id, 0))[lane];
  }
  const bool rounds = op == ReduceOp::kFadd || op == ReduceOp::kFmul;
  semantics::VisitExact(OpOf(op), type, type, e_.flush, [&](auto exact) {
    if constexpr (std::is_invocable_v<decltype(exact), uint64_t, uint64_t>) {
      const auto combine = [&](uint64_t a, uint64_t b) {
        const uint64_t x = exact(a, b);
        return rounds && in_.perturb_seed != 0 && MayMove(type, x, 16) ? x + e_.chance.Noise(1) : x;
      };
      const uint32_t size = in_.subgroup_size;
      if (inst.op == Op::kReduce) {
        ReduceLanes(combine, inst.imm1 == 0 ? size : std::min(inst.imm1, size), lanes);
      } else if (inst.op == Op::kInclusiveScan) {
        ScanLanes(combine, size, lanes);
      } else {
        ExclusiveScanLanes(combine, ScanIdentity(op, type), lanes);
      }
    }
  });
  for (uint32_t lane = first; lane < e_.SubgroupEnd(first); ++lane) {
    e_.Lanes(m_.result(id))[lane] = lanes[lane - first].value_or(0);
  }
}

}  // namespace kiln::oracle
