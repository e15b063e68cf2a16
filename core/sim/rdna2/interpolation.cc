// See interpolation.h.
#include "core/sim/rdna2/interpolation.h"

#include <array>

#include "absl/strings/str_format.h"
#include "core/base/float_bits.h"
#include "core/out/ps_input_cntl.h"
#include "core/sim/rdna2/alu/evaluate.h"
#include "core/sim/rdna2/operand.h"
#include "core/sim/rdna2/vertex_outputs.h"
#include "core/sim/scene/float16.h"

namespace kiln::sim::rdna2 {
namespace {

using isa::Opcode;

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

// Returns component c of the constant that a register names.
uint32_t ConstantOf(uint32_t control, uint32_t c) {
  const uint32_t which = control >> out::kDefaultValShift & 3;
  return (c == 3 ? which & 1 : which >> 1) != 0 ? AsBits(1.0f) : 0;
}

// Returns the register of an attribute: with the vertex program's parameter, if there is a program.
uint32_t ControlOf(const FragmentWave& of, uint32_t attribute) {
  const uint32_t own = out::AmdOf(*of.record).fragment.spi_ps_input_cntl[attribute];
  if (of.vertex_record == nullptr) return own;
  return out::LinkPsInputCntl(own, out::ParameterFor(out::AmdOf(*of.vertex_record).vertex,
                                                     of.record->fragment.inputs[attribute]));
}

bool IsConstant(uint32_t control) {
  return (control & (out::kOffsetBit5 | out::kFlatShade | out::kPtSpriteTex)) == out::kOffsetBit5;
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

// Returns the values at the three vertices of a primitive that an attribute's register chooses.
// Without a vertex program those that are named like the input.
std::array<uint32_t, 3> ValuesOf(const FragmentWave& of, const scene::Primitive& shape,
                                 uint32_t attribute, uint32_t component, uint32_t control,
                                 uint32_t undefined) {
  const out::FragmentInput& input = of.record->fragment.inputs[attribute];
  if (of.vertex_record == nullptr || (control & out::kPtSpriteTex) != 0) {
    return VerticesOf(shape, input, component, undefined);
  }
  if (IsConstant(control)) {
    const uint32_t constant = ConstantOf(control, component);
    return {constant, constant, constant};
  }
  constexpr uint32_t kParameters = 0x1f;  // OFFSET[4:0]
  const out::AmdParameter* const read = ParameterAt(*of.vertex_record, control & kParameters);
  if (read == nullptr) return {undefined, undefined, undefined};
  return VerticesOf(shape, {read->location, read->builtin}, component, undefined);
}

bool IsPerVertex(uint32_t control) {
  return (control & out::kFlatShade) != 0 && (control & out::kOffsetBit5) != 0 &&
         (control & out::kPtSpriteTex) == 0;
}

// Returns P10, P20, P0 of a lane's primitive from the values at its vertices.
std::array<uint32_t, 3> ParameterOf(const FragmentWave& of, int lane,
                                    const std::array<uint32_t, 3>& own, uint32_t control) {
  const auto vertex = [&](uint32_t place) { return own[of.VertexAt(place, lane)]; };
  if (IsPerVertex(control)) {
    if ((control & out::kRotatePcPtr) != 0) return {own[1], own[2], own[0]};
    return {vertex(1), vertex(2), vertex(0)};
  }
  if ((control & out::kFlatShade) != 0) return {0, 0, own[0]};
  const auto difference = (control & out::kFp16InterpMode) != 0 ? HalfDifferences : Difference;
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
  const uint32_t control = ControlOf(*of, op.inst.attribute);
  if (of_vertex && (control & out::kFlatShade) != 0 && !IsPerVertex(control)) {
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
  const uint32_t control = ControlOf(*of, op.inst.attribute);
  alu::LaneInputs in;
  const scene::Primitive* shape = nullptr;  // that in.parameter is of
  const alu::Mode mode = alu::ModeOf(w.mode);
  LaneDwords& to = w.vector[static_cast<size_t>(op.inst.dst.vgpr())];
  for (int lane = 0; lane < w.lanes(); ++lane) {
    if ((w.Exec() >> lane & 1) == 0) continue;
    if (const scene::Primitive& own = of->ShapeOf(lane); shape != &own) {
      shape = &own;
      in.parameter = ParameterOf(
          *of, lane,
          ValuesOf(*of, own, op.inst.attribute, op.inst.channel, control, context.undefined),
          control);
    }
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
