// See fragment_payload.h.
#include "core/sim/eu/fragment_payload.h"

#include <algorithm>
#include <cmath>

#include "core/base/float_bits.h"

namespace kiln::sim::eu {
namespace {

using out::PayloadItem;
using out::PayloadPart;

bool IsBarycentric(PayloadPart part) {
  return part >= PayloadPart::kPerspectivePixel && part <= PayloadPart::kLinearSample;
}

void SetLane(int reg, int lane, uint32_t bits, Thread& t) {
  t.Write32(kGrfBytes * (reg + lane / 8) + 4 * (lane % 8), bits);
}

void SetWord(int at, uint32_t bits, Thread& t) {
  t.regs[at] = static_cast<uint8_t>(bits);
  t.regs[at + 1] = static_cast<uint8_t>(bits >> 8);
}

// Replaces the bits of `mask` in a dword.
void SetBits(int at, uint32_t mask, uint32_t bits, Thread& t) {
  t.Write32(at, (t.Read32(at) & ~mask) | (bits & mask));
}

// Fills register 1 or 2: lanes `first` to first + 15.
void FillPositions(const FragmentThread& of, const PayloadItem& item, Thread& t) {
  const int base = kGrfBytes * static_cast<int>(item.reg);
  const size_t first = item.first_lane / 4;
  for (size_t i = first; i < std::min(of.subspans.size(), first + 4); ++i) {
    const scene::Quad& quad = of.draw->quads[of.subspans[i].quad];
    const int k = static_cast<int>(i - first);
    if (of.record->fragment.per_sample) {
      SetBits(base, 0xfu << 4 * k, of.subspans[i].sample << 4 * k, t);
    }
    SetWord(base + 8 + 4 * k, quad.x, t);
    SetWord(base + 10 + 4 * k, quad.y, t);
  }
  SetWord(base + 28, of.Covered() >> item.first_lane, t);
  if (item.first_lane != 0) return;
  const scene::Primitive& p = of.Shape();
  const uint32_t facts = (p.back_facing ? 1u << 15 : 0) | p.layer << 16 | p.viewport << 27;
  SetBits(base + 4, 0x7fff8000, facts, t);
}

// Returns the point of a lane's pixel at which a barycentric set is evaluated.
scene::Point PlaceFor(PayloadPart part, const FragmentThread& of, int lane) {
  scene::Point in = {0.5, 0.5};
  switch (part) {
    case PayloadPart::kPerspectiveCentroid:
    case PayloadPart::kLinearCentroid:
      in = scene::Centroid(of.Coverage(lane), of.draw->samples);
      break;
    case PayloadPart::kPerspectiveSample:
    case PayloadPart::kLinearSample: in = of.SamplePlace(lane); break;
    default:
      if (of.per_sample) {
        const bool depth = part == PayloadPart::kSourceDepth || part == PayloadPart::kSourceW;
        if (depth) in = of.SamplePlace(lane);
      }
  }
  const scene::Point corner = of.Corner(lane);
  return {corner.x + in.x, corner.y + in.y};
}

void FillLane(const FragmentThread& of, const PayloadItem& item, int lane, Thread& t) {
  const int reg = static_cast<int>(item.reg);
  const int in_block = lane - static_cast<int>(item.first_lane);
  const scene::Point at = PlaceFor(item.what, of, lane);
  if (IsBarycentric(item.what)) {
    const bool perspective = item.what <= PayloadPart::kPerspectiveSample;
    const std::array<float, 2> b = of.Shape().Barycentrics(at, perspective);
    for (uint32_t k = 0; k < 2; ++k) {
      SetLane(reg + in_block / 8 + static_cast<int>(k), in_block,
              AsBits(scene::Jittered(*of.draw, b[k], at, 4 * static_cast<uint32_t>(item.what) + k)),
              t);
    }
    return;
  }
  switch (item.what) {
    case PayloadPart::kSourceDepth:
      return SetLane(reg, in_block, AsBits(scene::Jittered(*of.draw, of.Shape().Depth(at), at, 1)),
                     t);
    case PayloadPart::kSourceW:
      return SetLane(reg, in_block, AsBits(scene::Jittered(*of.draw, of.Shape().W(at), at, 2)), t);
    case PayloadPart::kInputCoverage: return SetLane(reg, in_block, of.InputCoverage(lane), t);
    case PayloadPart::kPositionOffsets: {
      const scene::Point p = of.SamplePlace(lane);
      t.regs[kGrfBytes * reg + 2 * in_block] = static_cast<uint8_t>(std::lround(16 * p.x));
      t.regs[kGrfBytes * reg + 2 * in_block + 1] = static_cast<uint8_t>(std::lround(16 * p.y));
      return;
    }
    default: return;
  }
}

// Fills the three dwords of a component; dword 2 of the four is undefined.
void FillSetup(int at, const std::array<uint32_t, 3>& vertex, bool flat, Thread& t) {
  const auto value = [&vertex](int k) { return AsFloat(vertex[k]); };
  t.Write32(at, flat ? 0 : AsBits(value(1) - value(0)));
  t.Write32(at + 4, flat ? 0 : AsBits(value(2) - value(0)));
  t.Write32(at + 12, vertex[0]);
}

// Fills the setup data of an input of the program.
void FillInput(const FragmentThread& of, size_t number, Thread& t) {
  const out::IntelFragment& launch = out::IntelOf(*of.record).fragment;
  const out::FragmentInput& a = of.record->fragment.inputs[number];
  const int first =
      kGrfBytes * static_cast<int>(launch.setup_first_register + 2 * launch.input_slots[number]);
  if (a.builtin == "primitive_id") {
    const uint32_t number = of.Shape().number;
    for (int c = 0; c < 4; ++c) FillSetup(first + 16 * c, {number, number, number}, true, t);
  }
  for (const scene::BuiltInValues& v : of.Shape().built_ins) {
    if (v.attribute == a.builtin && v.component < 4) {
      FillSetup(first + 16 * static_cast<int>(v.component), v.bits, a.flat, t);
    }
  }
  if (!a.builtin.empty()) return;
  for (const scene::VertexValues& v : of.Shape().values) {
    if (v.location == a.location && v.component < 4) {
      FillSetup(first + 16 * static_cast<int>(v.component), v.bits, a.flat, t);
    }
  }
}

}  // namespace

void FillFragmentPayload(const FragmentThread& of, Thread& t) {
  for (const PayloadItem& item : out::IntelOf(*of.record).fragment.payload) {
    if (item.what == PayloadPart::kHeader) continue;
    if (item.what == PayloadPart::kPixelPositions) {
      FillPositions(of, item, t);
      continue;
    }
    for (int i = 0; i < kPayloadLanes; ++i) {
      const int lane = static_cast<int>(item.first_lane) + i;
      if (lane < 32 && of.Quads() >> lane & 1) FillLane(of, item, lane, t);
    }
  }
  for (size_t i = 0; i < of.record->fragment.inputs.size(); ++i) FillInput(of, i, t);
  t.fragment = &of;
  t.dispatch = t.active = of.Channels();
  t.Write32(kStateOffset + 8, of.Covered());
  t.Write32(kStateOffset + 12, of.Quads());
}

}  // namespace kiln::sim::eu
