#include "core/oracle/stages.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/mir/semantics.h"
#include "core/oracle/numbers.h"
#include "core/oracle/quads.h"

namespace kiln::oracle {
namespace {

using mir::Auxiliary;
using mir::DerivativeMode;
using mir::Inst;
using mir::InstId;
using mir::Interface;
using mir::InterpolateAt;
using mir::Interpolation;
using mir::Op;
using mir::Stage;
using mir::Type;
using mir::ValueId;

// The smallest limits of interpolation offsets that Vulkan allows (minInterpolationOffset,
// maxInterpolationOffset).
constexpr double kMaxOffset = 0.5;

// The position of a variable's component for invocation 0; other invocations follow.
size_t IndexOf(const Interface& v, uint32_t element, uint32_t component, uint32_t invocations) {
  return (size_t{element} * v.components + component) * invocations;
}

template <class T>
T At(const std::vector<T>& list, size_t i) {
  return i < list.size() ? list[i] : T();
}

}  // namespace

absl::Status Stages::Prepare() {
  if (m_.stage == Stage::kCompute) return absl::OkStatus();
  if (m_.stage == Stage::kFragment && in_.stage.invocations % 4 != 0) {
    return absl::InvalidArgumentError("interpreter: fragments come in quads");
  }
  for (uint32_t lane = 0; lane < e_.lanes; ++lane) {
    if (m_.stage == Stage::kFragment && At(in_.stage.helpers, lane)) e_.helpers.set(lane);
  }
  in_.stage.live.assign(e_.lanes, false);
  in_.stage.outputs.resize(m_.outputs.size());
  for (size_t i = 0; i < m_.outputs.size(); ++i) {
    const size_t size = IndexOf(m_.outputs[i], m_.outputs[i].elements, 0, e_.lanes);
    in_.stage.outputs[i].resize(size);
    outputs_.emplace_back(size);
    written_.emplace_back(size);
  }
  return absl::OkStatus();
}

bool Stages::Exec(InstId id, BitSet* active) {
  switch (m_.inst(id).op) {
    case Op::kLoadInput: LoadInput(id, *active); return true;
    case Op::kInterpolate: Interpolate(id, *active); return true;
    case Op::kStoreOutput: StoreOutput(id, *active); return true;
    case Op::kDdx:
    case Op::kDdy: Derive(id, *active); return true;
    case Op::kDemote:
    case Op::kDiscard:
    case Op::kTerminate: Kill(id, active); return true;
    case Op::kHelperInvocation:
      active->for_each([&](size_t lane) { e_.Lanes(m_.result(id))[lane] = e_.helpers.test(lane); });
      return true;
    default: return false;
  }
}

void Stages::Finish(const BitSet& active) {
  if (m_.stage == Stage::kCompute) return;
  active.for_each([&](size_t lane) {
    if (e_.helpers.test(lane)) return;
    in_.stage.live[lane] = true;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      for (size_t at = lane; at < outputs_[i].size(); at += e_.lanes) {
        if (written_[i][at]) {
          in_.stage.outputs[i][at] = outputs_[i][at];
        } else if (in_.undefined_seed != 0) {
          in_.stage.outputs[i][at] = e_.chance.Undefined(m_.outputs[i].type);
        }
      }
    }
  });
}

// ---- Inputs and outputs ----

// An element beyond the variable's is undefined, as any index beyond an array is in SPIR-V.
uint32_t Stages::ElementOf(InstId id, const Interface& v, size_t lane, bool* outside) {
  if (!v.array) return 0;
  const auto element = static_cast<uint32_t>(e_.Lanes(m_.source(id, 0))[lane]);
  *outside = element >= v.elements;
  e_.statistics.undefined_results += *outside;
  return *outside ? 0 : element;
}

void Stages::LoadInput(InstId id, const BitSet& active) {
  const Inst& inst = m_.inst(id);
  const Interface& v = m_.inputs[inst.imm0];
  active.for_each([&](size_t lane) {
    bool outside = false;
    const uint32_t element = ElementOf(id, v, lane, &outside);
    for (uint32_t i = 0; i < inst.num_results; ++i) {
      e_.Lanes(m_.result(id, static_cast<int>(i)))[lane] =
          outside ? e_.chance.Undefined(v.type)
                  : InputAt(inst.imm0, element, inst.imm1 + i, lane, DeclaredOffset(v, lane));
    }
  });
}

void Stages::Interpolate(InstId id, const BitSet& active) {
  const Inst& inst = m_.inst(id);
  const Interface& v = m_.inputs[inst.imm0];
  const uint32_t first = mir::InterpolatedComponent(inst.imm1);
  const auto at = static_cast<InterpolateAt>(mir::InterpolateAtOf(inst.imm1));
  active.for_each([&](size_t lane) {
    bool outside = false;
    uint32_t element = ElementOf(id, v, lane, &outside);
    if (mir::IsAtVertex(at)) element += mir::VertexOf(at) * v.elements;
    const int64_t before = e_.statistics.undefined_results;
    const Offset offset = AskedOffset(id, lane);
    outside |= in_.undefined_seed != 0 && e_.statistics.undefined_results != before;
    for (uint32_t i = 0; i < inst.num_results; ++i) {
      e_.Lanes(m_.result(id, static_cast<int>(i)))[lane] =
          outside ? e_.chance.Undefined(v.type)
                  : InputAt(inst.imm0, element, first + i, lane, offset);
    }
  });
}

Stages::Offset Stages::DeclaredOffset(const Interface& v, size_t lane) const {
  const StageData& data = in_.stage;
  std::array<float, 2> at = {0, 0};
  if (v.auxiliary == Auxiliary::kCentroid) at = At(data.centroids, lane);
  if (v.auxiliary == Auxiliary::kSample) at = At(data.samples, At(data.sample_ids, lane));
  return {at[0], at[1]};
}

// Samples that do not exist, and offsets beyond those that Vulkan requires of all targets, are
// undefined.
Stages::Offset Stages::AskedOffset(InstId id, size_t lane) {
  const StageData& data = in_.stage;
  const Inst& inst = m_.inst(id);
  const auto source = [&](int n) {
    return static_cast<uint32_t>(e_.Lanes(m_.source(id, OffsetSource(inst) + n))[lane]);
  };
  std::array<float, 2> at = {0, 0};
  switch (static_cast<InterpolateAt>(mir::InterpolateAtOf(inst.imm1))) {
    case InterpolateAt::kCentroid: at = At(data.centroids, lane); break;
    case InterpolateAt::kSample:
      e_.statistics.undefined_results += source(0) >= std::max<size_t>(1, data.samples.size());
      at = At(data.samples, source(0));
      break;
    case InterpolateAt::kOffset:
      at = {std::bit_cast<float>(source(0)), std::bit_cast<float>(source(1))};
      e_.statistics.undefined_results +=
          !(std::fabs(at[0]) <= kMaxOffset && std::fabs(at[1]) <= kMaxOffset);
      break;
    case InterpolateAt::kVertex0:
    case InterpolateAt::kVertex1:
    case InterpolateAt::kVertex2: break;  // of a value that has no position
  }
  return {at[0], at[1]};
}

uint64_t Stages::InputAt(uint32_t input, uint32_t element, uint32_t component, size_t lane,
                         const Offset& offset) const {
  const Interface& v = m_.inputs[input];
  const StageData& data = in_.stage;
  const size_t index = IndexOf(v, element, component, e_.lanes) + lane;
  const uint64_t centre = input < data.inputs.size() ? At(data.inputs[input], index) : 0;
  if (v.type != Type::kF32 || v.interpolation == Interpolation::kFlat ||
      v.interpolation == Interpolation::kPerVertex || input >= data.slopes.size()) {
    return centre & mir::MaskOf(v.type);
  }
  const std::array<float, 2> slope = At(data.slopes[input], index);
  const auto moved = [&](double value, double right, double down) {
    return value + right * offset[0] + down * offset[1];
  };
  double x = ToDouble(Type::kF32, centre);
  if (v.builtin == mir::BuiltIn::kBaryCoord && lane < data.inverse_w.size()) {
    const std::array<float, 3>& w = data.inverse_w[lane];
    x = moved(x * w[0], slope[0], slope[1]) / moved(w[0], w[1], w[2]);
  } else {
    x = moved(x, slope[0], slope[1]);
  }
  return std::bit_cast<uint32_t>(static_cast<float>(x));
}

void Stages::StoreOutput(InstId id, const BitSet& active) {
  const Inst& inst = m_.inst(id);
  const Interface& v = m_.outputs[inst.imm0];
  const int first = FirstValueSource(inst);
  active.for_each([&](size_t lane) {
    bool outside = false;
    const uint32_t element = ElementOf(id, v, lane, &outside);
    if (outside) return;
    for (int i = first; i < inst.num_sources; ++i) {
      const uint32_t component = inst.imm1 + static_cast<uint32_t>(i - first);
      const size_t index = IndexOf(v, element, component, e_.lanes) + lane;
      outputs_[inst.imm0][index] = e_.Lanes(m_.source(id, i))[lane];
      written_[inst.imm0][index] = true;
    }
  });
}

// ---- Quads ----

void Stages::Derive(InstId id, const BitSet& active) {
  const auto mode = static_cast<DerivativeMode>(m_.inst(id).imm0);
  // Coarse derivatives may be fine, and those of mode kAny either. Without a seed each is as it
  // says; even seeds take coarse ones where they may, odd seeds fine ones.
  const bool may_be_coarse = mode != DerivativeMode::kFine;
  const bool coarse = in_.undefined_seed == 0 ? mode == DerivativeMode::kCoarse
                                              : may_be_coarse && in_.undefined_seed % 2 == 0;
  const Type type = e_.TypeOf(m_.result(id));
  const uint64_t* value = e_.Lanes(m_.source(id, 0));
  uint64_t* r = e_.Lanes(m_.result(id));
  active.for_each([&](size_t lane) {
    const QuadPair pair = PairOf(lane, m_.inst(id).op == Op::kDdy, coarse);
    const bool whole = IsWholeQuad(lane, active, e_.lanes);
    e_.statistics.undefined_results += !whole;
    if (!whole) {
      r[lane] = e_.chance.Undefined(type);
      return;
    }
    r[lane] = Difference(type, value[pair.to], value[pair.from], e_);
  });
}

// ---- Kills ----

void Stages::Kill(InstId id, BitSet* active) {
  const uint64_t* condition = e_.Lanes(m_.source(id, 0));
  BitSet killed(e_.lanes);
  active->for_each([&](size_t lane) {
    if (condition[lane] != 0) killed.set(lane);
  });
  if (m_.inst(id).op == Op::kDemote) {
    e_.helpers.unite(killed);
  } else {
    active->subtract(killed);
  }
}

}  // namespace kiln::oracle
