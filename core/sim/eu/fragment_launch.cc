// See fragment_launch.h.
#include "core/sim/eu/fragment_launch.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "absl/strings/str_format.h"

namespace kiln::sim::eu {
namespace {

using out::PayloadItem;
using out::PayloadPart;

constexpr uint32_t kRegisters = kGrfCount;
constexpr int kHalf = 16;  // lanes that have a block of the payload of their own

// In the order in which a block holds them.
constexpr PayloadPart kBlockParts[] = {
    PayloadPart::kPerspectivePixel, PayloadPart::kPerspectiveCentroid,
    PayloadPart::kPerspectiveSample, PayloadPart::kLinearPixel,
    PayloadPart::kLinearCentroid, PayloadPart::kLinearSample,
    PayloadPart::kSourceDepth, PayloadPart::kSourceW,
    PayloadPart::kPositionOffsets, PayloadPart::kInputCoverage,
};

bool IsBarycentric(PayloadPart part) {
  return part >= PayloadPart::kPerspectivePixel && part <= PayloadPart::kLinearSample;
}

uint32_t RegistersOf(PayloadPart part, uint32_t width) {
  const uint32_t per_lane = std::min<uint32_t>(width, kHalf) / 8;
  if (IsBarycentric(part)) return 2 * per_lane;
  return part == PayloadPart::kPositionOffsets ? 1 : per_lane;
}

// What the hardware delivers when these parts are asked for.
std::vector<PayloadItem> Delivered(const out::LaunchRecord& record) {
  const auto asked = [&record](PayloadPart part) {
    return std::any_of(record.fragment.payload.begin(), record.fragment.payload.end(),
                       [part](const PayloadItem& i) { return i.what == part; });
  };
  const uint32_t width = record.dispatch_width;
  std::vector<PayloadItem> items = {{0, 1, PayloadPart::kHeader, 0}};
  const auto add = [&items](PayloadPart part, uint32_t registers, uint32_t first_lane) {
    items.push_back({items.back().reg + items.back().registers, registers, part, first_lane});
  };
  for (uint32_t lane = 0; lane < width; lane += kHalf) add(PayloadPart::kPixelPositions, 1, lane);
  for (uint32_t lane = 0; lane < width; lane += kHalf) {
    for (PayloadPart part : kBlockParts) {
      if (asked(part)) add(part, RegistersOf(part, width), lane);
    }
  }
  return items;
}

absl::Status CheckPayload(const out::LaunchRecord& record) {
  const std::vector<PayloadItem> want = Delivered(record);
  const std::vector<PayloadItem>& have = record.fragment.payload;
  for (size_t i = 0; i < std::max(want.size(), have.size()); ++i) {
    if (i >= want.size() || i >= have.size() || want[i].what != have[i].what ||
        want[i].reg != have[i].reg || want[i].registers != have[i].registers ||
        want[i].first_lane != have[i].first_lane) {
      return absl::InvalidArgumentError(
          absl::StrFormat("launch record: the hardware delivers another payload, from r%d on",
                          i < want.size() ? want[i].reg : have[i].reg));
    }
  }
  return absl::OkStatus();
}

// Parts that a thread gets only if a lane is a sample (intel_shader_enums.h,
// intel_fs_barycentric_modes; brw_compile_fs.cpp, brw_nir_populate_wm_prog_data).
absl::Status CheckSampleParts(const out::FragmentLaunch& launch) {
  if (launch.per_sample) return absl::OkStatus();
  for (const PayloadItem& i : launch.payload) {
    if (i.what == PayloadPart::kPerspectiveSample || i.what == PayloadPart::kLinearSample ||
        i.what == PayloadPart::kPositionOffsets || i.what == PayloadPart::kSampleOffsets) {
      return absl::InvalidArgumentError(
          "launch record: places of samples without per-sample dispatch");
    }
  }
  return absl::OkStatus();
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

uint32_t Bits(float v) { return std::bit_cast<uint32_t>(v); }

// Register 1 or 2: lanes `first` to first + 15.
void FillPositions(const FragmentThread& of, const PayloadItem& item, Thread& t) {
  const int base = kGrfBytes * static_cast<int>(item.reg);
  const size_t first = item.first_lane / 4;
  for (size_t i = first; i < std::min(of.subspans.size(), first + 4); ++i) {
    const Quad& quad = of.draw->quads[of.subspans[i].quad];
    const int k = static_cast<int>(i - first);
    if (of.record->fragment.per_sample) {
      SetBits(base, 0xfu << 4 * k, of.subspans[i].sample << 4 * k, t);
    }
    SetWord(base + 8 + 4 * k, quad.x, t);
    SetWord(base + 10 + 4 * k, quad.y, t);
  }
  SetWord(base + 28, of.covered >> item.first_lane, t);
  if (item.first_lane != 0) return;
  const Primitive& p = of.Shape();
  const uint32_t facts = (p.back_facing ? 1u << 15 : 0) | p.layer << 16 | p.viewport << 27;
  SetBits(base + 4, 0x7fff8000, facts, t);
}

// Where a barycentric set is taken in a lane's pixel.
Point PlaceFor(PayloadPart part, const FragmentThread& of, int lane) {
  const absl::Span<const Point> places = SamplePlaces(of.draw->samples);
  Point in = {0.5, 0.5};
  const uint32_t coverage = of.Coverage(lane);
  switch (part) {
    case PayloadPart::kPerspectiveCentroid:
    case PayloadPart::kLinearCentroid:
      // Covered in part: at a covered sample.
      if (coverage != 0 && coverage != (1u << places.size()) - 1) {
        in = places[std::countr_zero(coverage)];
      }
      break;
    case PayloadPart::kPerspectiveSample:
    case PayloadPart::kLinearSample:
      in = places[of.subspans[lane / 4].sample];
      break;
    default:
      if (of.record->fragment.per_sample) {
        const bool depth = part == PayloadPart::kSourceDepth || part == PayloadPart::kSourceW;
        if (depth) in = places[of.subspans[lane / 4].sample];
      }
  }
  const Point corner = of.Corner(lane);
  return {corner.x + in.x, corner.y + in.y};
}

void FillLane(const FragmentThread& of, const PayloadItem& item, int lane, Thread& t) {
  const int reg = static_cast<int>(item.reg);
  const int in_block = lane - static_cast<int>(item.first_lane);
  const Point at = PlaceFor(item.what, of, lane);
  if (IsBarycentric(item.what)) {
    const bool perspective = item.what <= PayloadPart::kPerspectiveSample;
    const std::array<float, 2> b = of.Shape().Barycentrics(at, perspective);
    SetLane(reg + in_block / 8, in_block, Bits(b[0]), t);
    SetLane(reg + in_block / 8 + 1, in_block, Bits(b[1]), t);
    return;
  }
  switch (item.what) {
    case PayloadPart::kSourceDepth:
      return SetLane(reg, in_block, Bits(of.Shape().Depth(at)), t);
    case PayloadPart::kSourceW:
      return SetLane(reg, in_block, Bits(of.Shape().W(at)), t);
    case PayloadPart::kInputCoverage:
      return SetLane(reg, in_block, of.Coverage(lane), t);
    case PayloadPart::kPositionOffsets: {
      const Point p = SamplePlaces(of.draw->samples)[of.subspans[lane / 4].sample];
      t.regs[kGrfBytes * reg + 2 * in_block] = static_cast<uint8_t>(std::lround(16 * p.x));
      t.regs[kGrfBytes * reg + 2 * in_block + 1] = static_cast<uint8_t>(std::lround(16 * p.y));
      return;
    }
    default:
      return;
  }
}

// The three dwords of a component; dword 2 of the four means nothing.
void FillSetup(int at, const std::array<uint32_t, 3>& vertex, bool flat, Thread& t) {
  const auto value = [&vertex](int k) { return std::bit_cast<float>(vertex[k]); };
  t.Write32(at, flat ? 0 : Bits(value(1) - value(0)));
  t.Write32(at + 4, flat ? 0 : Bits(value(2) - value(0)));
  t.Write32(at + 12, vertex[0]);
}

void FillAttribute(const FragmentThread& of, const out::SetupAttribute& a, Thread& t) {
  const auto& launch = of.record->fragment;
  const int first = kGrfBytes * static_cast<int>(launch.setup_first_register + 2 * a.slot);
  if (a.builtin == "primitive_id") {
    const uint32_t number = of.Shape().number;
    for (int c = 0; c < 4; ++c) FillSetup(first + 16 * c, {number, number, number}, true, t);
  }
  if (!a.builtin.empty()) return;
  const bool flat = launch.flat_mask >> a.slot & 1;
  for (const VertexValues& v : of.Shape().values) {
    if (v.location == a.location && v.component < 4) {
      FillSetup(first + 16 * static_cast<int>(v.component), v.bits, flat, t);
    }
  }
}

uint32_t LaneMask(size_t subspans) {
  return subspans >= 8 ? ~0u : (1u << (kQuadPixels * subspans)) - 1;
}

}  // namespace

Point FragmentThread::Corner(int lane) const {
  const Quad& quad = draw->quads[subspans[lane / kQuadPixels].quad];
  return {static_cast<double>(quad.x + lane % 2), static_cast<double>(quad.y + lane % 4 / 2)};
}

uint32_t FragmentThread::Coverage(int lane) const {
  return draw->quads[subspans[lane / kQuadPixels].quad].coverage[lane % kQuadPixels];
}

uint32_t FragmentThread::Samples(int lane) const {
  const uint32_t covered = Coverage(lane);
  if (!record->fragment.per_sample) return covered;
  return covered & 1u << subspans[lane / kQuadPixels].sample;
}

absl::Status CheckFragmentRecord(const out::LaunchRecord& record) {
  const out::FragmentLaunch& launch = record.fragment;
  if (absl::Status s = CheckPayload(record); !s.ok()) return s;
  if (absl::Status s = CheckSampleParts(launch); !s.ok()) return s;
  const uint32_t end = launch.payload.back().reg + launch.payload.back().registers;
  const uint64_t constants_end = uint64_t{record.push_first_register} + record.push_registers;
  if (record.push_first_register < end || launch.setup_first_register != constants_end ||
      launch.setup_first_register + 2 * uint64_t{launch.setup_slots} > kRegisters) {
    return absl::InvalidArgumentError(
        "launch record: constants follow the payload, setup data the constants, up to r127");
  }
  for (const out::SetupAttribute& a : launch.attributes) {
    if (a.slot >= launch.setup_slots) {
      return absl::InvalidArgumentError("launch record: an attribute beyond the setup data");
    }
  }
  return absl::OkStatus();
}

std::vector<FragmentThread> FragmentThreads(const out::LaunchRecord& record, bool opposite,
                                            FragmentInputs& draw) {
  const size_t most = record.dispatch_width / kQuadPixels;
  std::vector<FragmentThread> threads;
  size_t first_of_primitive = 0;
  const auto turn = [&] {
    if (opposite) std::reverse(threads.begin() + first_of_primitive, threads.end());
    first_of_primitive = threads.size();
  };
  for (uint32_t q = 0; q < draw.quads.size(); ++q) {
    const Quad& quad = draw.quads[q];
    if (q > 0 && draw.quads[q - 1].primitive != quad.primitive) turn();
    for (uint32_t s = 0; s < (record.fragment.per_sample ? draw.samples : 1); ++s) {
      uint32_t covered = 0;
      for (int p = 0; p < kQuadPixels; ++p) {
        const bool on = record.fragment.per_sample ? quad.coverage[p] >> s & 1 : quad.coverage[p];
        covered |= uint32_t{on} << p;
      }
      if (covered == 0) continue;
      const bool fits = threads.size() > first_of_primitive && threads.back().subspans.size() < most;
      if (!fits) threads.push_back({&record, &draw, quad.primitive, {}, 0, 0});
      FragmentThread& t = threads.back();
      t.covered |= covered << kQuadPixels * t.subspans.size();
      t.subspans.push_back({q, s});
      t.quads = LaneMask(t.subspans.size());
    }
  }
  turn();
  return threads;
}

void FillFragmentPayload(const FragmentThread& of, Thread& t) {
  const out::FragmentLaunch& launch = of.record->fragment;
  for (const PayloadItem& item : launch.payload) {
    if (item.what == PayloadPart::kHeader) continue;
    if (item.what == PayloadPart::kPixelPositions) {
      FillPositions(of, item, t);
      continue;
    }
    for (int i = 0; i < kHalf; ++i) {
      const int lane = static_cast<int>(item.first_lane) + i;
      if (lane < 32 && of.quads >> lane & 1) FillLane(of, item, lane, t);
    }
  }
  for (const out::SetupAttribute& a : launch.attributes) FillAttribute(of, a, t);
  t.fragment = &of;
  t.dispatch = t.active = of.Channels();
  t.Write32(kStateOffset + 8, of.covered);
  t.Write32(kStateOffset + 12, of.quads);
}

}  // namespace kiln::sim::eu
