// See vector.h. All sources are read before any result is written: a destination may be a source of
// another lane.
#include "core/sim/rdna2/vector.h"

#include <array>

#include "core/sim/rdna2/alu/evaluate.h"
#include "core/sim/rdna2/dpp.h"
#include "core/sim/rdna2/operand.h"
#include "core/sim/rdna2/relative.h"

namespace kiln::sim::rdna2 {
namespace {

using isa::Opcode;

// Lane masks that an instruction reads and writes; null if there is none.
struct Masks {
  uint16_t read = isa::kNull;
  uint16_t written = isa::kNull;
  bool writes_exec = false;
};

bool HasShortForm(const Op& op) {
  return op.info->encoding != isa::Encoding::kVop3 && op.inst.form != isa::Form::kVop3;
}

Masks MasksOf(const Op& op) {
  Masks masks;
  if (op.Has(isa::opcode_flag::kMaskIn)) {
    masks.read = HasShortForm(op) ? isa::kVccLo : op.inst.src[2].code;
  } else if (op.Has(isa::opcode_flag::kVccR)) {
    masks.read = isa::kVccLo;
  }
  if (op.Has(isa::opcode_flag::kCarryOut)) {
    masks.written = HasShortForm(op) ? isa::kVccLo : op.inst.sdst.code;
  } else if (op.info->encoding == isa::Encoding::kVopc) {
    masks.writes_exec = isa::IsCmpx(*op.info);
    masks.written = op.inst.sdst.exists()  ? op.inst.sdst.code
                    : op.inst.dst.exists() ? op.inst.dst.code
                                           : isa::kVccLo;
  }
  return masks;
}

bool UsesDpp(const Op& op) {
  return op.inst.form == isa::Form::kDpp16 || op.inst.form == isa::Form::kDpp8;
}

// v_movrels_b32 and kin.
absl::Status ExecuteRelative(const Op& op, WaveState& w) {
  if (UsesDpp(op) || op.inst.form == isa::Form::kSdwa) {
    return NotModelled(op, w.size, "relative move with DPP or SDWA");
  }
  const bool from_vgpr = op.inst.src[0].is_vgpr();
  const RelativeOperands at = RelativeOperandsOf(op, w);
  const uint64_t source = from_vgpr ? at.from - 256 : 0;
  const uint64_t target = at.to - 256;
  if (source >= w.vector.size() || target >= w.vector.size()) {
    return OpError(absl::StatusCode::kOutOfRange, op, w.size, "a register beyond the wave's");
  }
  const uint64_t exec = w.Exec();
  for (int lane = 0; lane < w.lanes(); ++lane) {
    if ((exec >> lane & 1) == 0) continue;
    uint32_t& to_value = w.vector[target][static_cast<size_t>(lane)];
    if (!from_vgpr) {
      to_value = static_cast<uint32_t>(LaneSource(w, op, 0, lane));
    } else if (op.inst.op == Opcode::kVSwaprelB32) {
      std::swap(to_value, w.vector[source][static_cast<size_t>(lane)]);
    } else {
      to_value = w.vector[source][static_cast<size_t>(lane)];
    }
  }
  return absl::OkStatus();
}

// Bits of op_sel: fetch lanes that are off; lanes without source read 0.
void ExecutePermlane(const Op& op, bool other_row, WaveState& w) {
  const uint32_t low = Scalar32(w, op, op.inst.src[1]), high = Scalar32(w, op, op.inst.src[2]);
  const bool fetch = (op.inst.op_sel & 1) != 0, bound = (op.inst.op_sel & 2) != 0;
  const uint64_t exec = w.Exec();
  const LaneDwords source = w.vector[static_cast<size_t>(op.inst.src[0].vgpr())];
  LaneDwords& to = w.vector[static_cast<size_t>(op.inst.dst.vgpr())];
  for (int lane = 0; lane < w.lanes(); ++lane) {
    if ((exec >> lane & 1) == 0) continue;
    const int from = PermlaneSource(low, high, other_row, lane);
    if (fetch || (exec >> from & 1) != 0) {
      to[static_cast<size_t>(lane)] = source[static_cast<size_t>(from)];
    } else if (bound) {
      to[static_cast<size_t>(lane)] = 0;
    }
  }
}

// Lanes that compute, and what each has as source 0.
struct Lanes {
  uint64_t on = 0;
  std::array<DppLane, kMaxLanes> from{};
};

absl::Status FindLanes(const Op& op, const WaveState& w, Lanes& lanes) {
  lanes.on = w.Exec();
  if (!UsesDpp(op)) return absl::OkStatus();
  if (op.inst.form == isa::Form::kDpp16 && !IsDppControl(op.inst.dpp.control)) {
    return NotModelled(op, w.size, "DPP control");
  }
  for (int lane = 0; lane < w.lanes(); ++lane) {
    if ((lanes.on >> lane & 1) == 0) continue;
    const DppLane from = DppLaneOf(op.inst, lane, w.Exec());
    lanes.from[static_cast<size_t>(lane)] = from;
    if (from.source == DppSource::kDisabled) lanes.on &= ~(uint64_t{1} << lane);
  }
  return absl::OkStatus();
}

uint64_t HighHalf(const WaveState& w, isa::Operand operand, int lane) {
  if (!operand.is_vgpr()) return 0;
  const auto at = static_cast<size_t>(lane);
  const auto vgpr = static_cast<size_t>(operand.vgpr());
  return w.vector[vgpr + 2][at] | uint64_t{w.vector[vgpr + 3][at]} << 32;
}

alu::LaneInputs InputsOf(const Op& op, const WaveState& w, const Lanes& lanes, uint64_t mask,
                         int sources, int dst_dwords, int lane) {
  alu::LaneInputs in;
  const DppLane& from = lanes.from[static_cast<size_t>(lane)];
  for (int i = 0; i < sources; ++i) {
    const bool moved = i == 0 && UsesDpp(op);
    if (moved && from.source == DppSource::kZero) continue;
    in.src[static_cast<size_t>(i)] = LaneSource(w, op, i, moved ? from.lane : lane);
  }
  if (op.info->src[2] == isa::Type::kB128) in.src2_high = HighHalf(w, op.inst.src[2], lane);
  in.mask_bit = (mask >> lane & 1) != 0;
  in.lane = lane;
  if (op.inst.dst.is_vgpr()) {
    const auto vgpr = static_cast<size_t>(op.inst.dst.vgpr());
    const auto at = static_cast<size_t>(lane);
    in.old = w.vector[vgpr][at];
    if (dst_dwords >= 2) in.old |= uint64_t{w.vector[vgpr + 1][at]} << 32;
  }
  return in;
}

// Results of all lanes that are on; elements of others, and arrays that an instruction does not
// need, are not set.
struct Results {
  std::array<uint64_t, kMaxLanes> value, value_high, src0_value;
  uint64_t bits = 0;

  void Set(int lane, const alu::LaneResult& r) {
    const auto at = static_cast<size_t>(lane);
    value[at] = r.value;
    value_high[at] = r.value_high;
    src0_value[at] = r.src0_value;
    bits |= uint64_t{r.mask_bit} << lane;
  }
};

void Store(const Op& op, int dwords, int lane, const Results& r, WaveState& w) {
  const auto vgpr = static_cast<size_t>(op.inst.dst.vgpr());
  const auto at = static_cast<size_t>(lane);
  w.vector[vgpr][at] = static_cast<uint32_t>(r.value[at]);
  if (dwords >= 2) w.vector[vgpr + 1][at] = static_cast<uint32_t>(r.value[at] >> 32);
  if (dwords >= 4) {
    w.vector[vgpr + 2][at] = static_cast<uint32_t>(r.value_high[at]);
    w.vector[vgpr + 3][at] = static_cast<uint32_t>(r.value_high[at] >> 32);
  }
  if (op.Has(isa::opcode_flag::kSrc0W)) {
    w.vector[static_cast<size_t>(op.inst.src[0].vgpr())][at] =
        static_cast<uint32_t>(r.src0_value[at]);
  }
}

absl::Status ExecuteLanes(const Op& op, WaveState& w) {
  if (absl::Status s = alu::CheckComputed(op.inst); !s.ok()) {
    return NotModelled(op, w.size, s.message());
  }
  Lanes lanes;
  if (absl::Status s = FindLanes(op, w, lanes); !s.ok()) return s;
  const Masks masks = MasksOf(op);
  const uint64_t mask = masks.read == isa::kNull ? 0 : w.LaneMask(masks.read);
  const alu::Mode mode = alu::ModeOf(w.mode);
  const int dwords = op.inst.dst.is_vgpr() ? isa::Dwords(op.info->dst) : 0;
  int sources = 0;
  while (sources < 3 && op.inst.src[static_cast<size_t>(sources)].exists() &&
         op.info->src[static_cast<size_t>(sources)] != isa::Type::kMask) {
    ++sources;
  }
  Results results;
  for (int lane = 0; lane < w.lanes(); ++lane) {
    if ((lanes.on >> lane & 1) == 0) continue;
    results.Set(lane,
                alu::Evaluate(op.inst, mode, InputsOf(op, w, lanes, mask, sources, dwords, lane)));
  }
  for (int lane = 0; dwords != 0 && lane < w.lanes(); ++lane) {
    if ((lanes.on >> lane & 1) != 0) Store(op, dwords, lane, results, w);
  }
  // Lanes that are off get 0.
  if (masks.writes_exec) {
    w.SetLaneMask(isa::kExecLo, results.bits);
  } else if (masks.written != isa::kNull) {
    w.SetLaneMask(masks.written, results.bits);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ExecuteVector(const Op& op, WaveState& w) {
  switch (op.inst.op) {
    case Opcode::kVNop: return absl::OkStatus();
    case Opcode::kVReadfirstlaneB32:
    case Opcode::kVReadlaneB32: {
      const bool first = op.inst.op == Opcode::kVReadfirstlaneB32;
      const int lane = first ? FirstLane(w) : SelectedLane(w, op);
      w.SetScalar(op.inst.dst.code, static_cast<uint32_t>(LaneSource(w, op, 0, lane)));
      return absl::OkStatus();
    }
    case Opcode::kVWritelaneB32:
      w.vector[static_cast<size_t>(op.inst.dst.vgpr())][static_cast<size_t>(SelectedLane(w, op))] =
          Scalar32(w, op, op.inst.src[0]);
      return absl::OkStatus();
    case Opcode::kVPermlane16B32: ExecutePermlane(op, false, w); return absl::OkStatus();
    case Opcode::kVPermlanex16B32: ExecutePermlane(op, true, w); return absl::OkStatus();
    default: return IsRelativeMove(op.inst.op) ? ExecuteRelative(op, w) : ExecuteLanes(op, w);
  }
}

}  // namespace kiln::sim::rdna2
