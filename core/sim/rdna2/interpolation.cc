// See interpolation.h.
#include "core/sim/rdna2/interpolation.h"

#include <array>

#include "absl/strings/str_format.h"
#include "core/base/float_bits.h"
#include "core/sim/rdna2/alu/evaluate.h"
#include "core/sim/rdna2/operand.h"
#include "core/sim/scene/float16.h"

namespace kiln::sim::rdna2 {
namespace {

using isa::Opcode;

// Fields of SPI_PS_INPUT_CNTL_n (Mesa, amd/registers/gfx103.json).
constexpr uint32_t kFlat = 1 << 10, kHalves = 1 << 19;
// Bit 5 of OFFSET, with FLAT_SHADE: parameters as they were exported, not their differences; of the
// vertices in their own order (ROTATE_PC_PTR) or in the hardware's.
constexpr uint32_t kAsExported = 1 << 5, kOwnOrder = 1 << 11, kSprite = 1 << 17;

// Returns the values of a component at the three vertices; all `undefined` if the vertices do not
// have it.
std::array<uint32_t, 3> VerticesOf(const scene::Primitive& shape, const out::FragmentInput& input,
                                   uint32_t component, uint32_t undefined) {
  const auto same = [](uint32_t v) { return std::array<uint32_t, 3>{v, v, v}; };
  if (input.builtin == "primitive_id") return same(shape.number);
  if (input.builtin == "layer") return same(shape.layer);
  if (input.builtin == "viewport") return same(shape.viewport);
  for (const scene::BuiltInValues& v : shape.built_ins) {
    if (v.attribute == input.builtin && v.component == component) return v.bits;
  }
  if (!input.builtin.empty()) return same(undefined);
  for (const scene::VertexValues& v : shape.values) {
    if (v.location == input.location && v.component == component) return v.bits;
  }
  return same(undefined);
}

uint32_t Difference(uint32_t a, uint32_t b) { return AsBits(AsFloat(a) - AsFloat(b)); }

// Differences of both halves.
uint32_t HalfDifferences(uint32_t a, uint32_t b) {
  uint32_t both = 0;
  for (int shift : {0, 16}) {
    const float d = scene::HalfToFloat(static_cast<uint16_t>(a >> shift)) -
                    scene::HalfToFloat(static_cast<uint16_t>(b >> shift));
    both |= uint32_t{scene::DoubleToHalf(d, scene::Rounding::kNearestEven)} << shift;
  }
  return both;
}

bool IsPerVertex(uint32_t control) {
  return (control & kFlat) != 0 && (control & kAsExported) != 0 && (control & kSprite) == 0;
}

// Returns P10, P20, P0 from the values at the vertices.
std::array<uint32_t, 3> ParameterOf(const FragmentWave& of, const std::array<uint32_t, 3>& own,
                                    uint32_t control) {
  const auto vertex = [&](uint32_t place) { return own[of.VertexAt(place)]; };
  if (IsPerVertex(control)) {
    if ((control & kOwnOrder) != 0) return {own[1], own[2], own[0]};
    return {vertex(1), vertex(2), vertex(0)};
  }
  if ((control & kFlat) != 0) return {0, 0, own[0]};
  const auto difference = (control & kHalves) != 0 ? HalfDifferences : Difference;
  return {difference(vertex(1), vertex(0)), difference(vertex(2), vertex(0)), vertex(0)};
}

absl::Status Wrong(const Op& op, const WaveState& wave, absl::StatusCode code,
                   absl::string_view what) {
  return OpError(code, op, wave.size, absl::StrCat("interpolation: ", what));
}

absl::Status Check(const Op& op, const FragmentWave* of, const WaveState& wave) {
  const auto refuse = [&](absl::string_view what) {
    return Wrong(op, wave, absl::StatusCode::kInvalidArgument, what);
  };
  if (of == nullptr) return refuse("not in a fragment program");
  if (op.inst.attribute >= of->record->fragment.inputs.size()) {
    return refuse(absl::StrFormat("of %d attributes", of->record->fragment.inputs.size()));
  }
  if (wave.scalar[isa::kM0] != of->prim_mask) {
    return Wrong(op, wave, absl::StatusCode::kFailedPrecondition,
                 "reads parameters while m0 is not prim_mask");
  }
  const bool moves = op.inst.op == Opcode::kVInterpMovF32;
  const bool of_vertex = moves && (op.inst.src[0].code & 0xff) != 2;
  const uint32_t control = out::AmdOf(*of->record).fragment.spi_ps_input_cntl[op.inst.attribute];
  if (of_vertex && (control & kFlat) != 0 && !IsPerVertex(control)) {
    return refuse("another vertex's value of a flat attribute");
  }
  if (!moves && IsPerVertex(control)) return refuse("of an attribute that has values of vertices");
  return absl::OkStatus();
}

}  // namespace

absl::Status ExecuteInterpolation(const Op& op, const Context& context, WaveState& w) {
  const FragmentWave* const of = context.fragment;
  if (absl::Status s = Check(op, of, w); !s.ok()) return s;
  if (absl::Status s = alu::CheckComputed(op.inst); !s.ok()) {
    return NotModelled(op, w.size, s.message());
  }
  const uint32_t control = out::AmdOf(*of->record).fragment.spi_ps_input_cntl[op.inst.attribute];
  alu::LaneInputs in;
  in.parameter = ParameterOf(*of,
                             VerticesOf(of->Shape(), of->record->fragment.inputs[op.inst.attribute],
                                        op.inst.channel, context.undefined),
                             control);
  const alu::Mode mode = alu::ModeOf(w.mode);
  LaneDwords& to = w.vector[static_cast<size_t>(op.inst.dst.vgpr())];
  for (int lane = 0; lane < w.lanes(); ++lane) {
    if ((w.Exec() >> lane & 1) == 0) continue;
    for (int i = 0; i < 3; ++i) {
      const isa::Operand source = op.inst.src[static_cast<size_t>(i)];
      const bool read = source.exists() && op.inst.op != Opcode::kVInterpMovF32;
      in.src[static_cast<size_t>(i)] = read ? LaneSource(w, op, i, lane) : 0;
    }
    in.old = to[static_cast<size_t>(lane)];
    in.lane = lane;
    to[static_cast<size_t>(lane)] = static_cast<uint32_t>(alu::Evaluate(op.inst, mode, in).value);
  }
  return absl::OkStatus();
}

}  // namespace kiln::sim::rdna2
