// See sampler.h.
#include "core/sim/eu/sampler.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "core/base/float_bits.h"
#include "core/intel/isa/messages.h"
#include "core/sim/eu/typed.h"
#include "core/sim/scene/float16.h"

namespace kiln::sim::eu {
namespace {

using isa::ParamKind;
using M = isa::Message;

// The sampler's action for a message, regardless of its parameters.
enum class Action : uint8_t { kFilter, kGather, kFetch, kSize, kSampleCount, kLodQuery, kMcs };

Action ActionOf(M message) {
  switch (message) {
    case M::kGather4:
    case M::kGather4C:
    case M::kGather4Po:
    case M::kGather4PoC: return Action::kGather;
    case M::kLd:
    case M::kLdLz:
    case M::kLd2dms:
    case M::kLd2dmsW: return Action::kFetch;
    case M::kResinfo: return Action::kSize;
    case M::kSampleinfo: return Action::kSampleCount;
    case M::kLod: return Action::kLodQuery;
    case M::kLdMcs: return Action::kMcs;
    default: return Action::kFilter;
  }
}

bool TakesIntegers(M message) {
  const Action a = ActionOf(message);
  return a == Action::kFetch || a == Action::kSize || a == Action::kMcs;
}

bool NeedsSampler(Action a) {
  return a == Action::kFilter || a == Action::kGather || a == Action::kLodQuery;
}

// Number of coordinates of the dimension, without the array index.
int Coordinates(scene::ImageDim dim) {
  switch (dim) {
    case scene::ImageDim::k1d:
    case scene::ImageDim::kBuffer: return 1;
    case scene::ImageDim::k2d: return 2;
    default: return 3;
  }
}

struct Header {
  std::array<int, 3> offset = {0, 0, 0};
  uint32_t components = 0xf;
  int gather = 0;
};

int SignedNibble(uint32_t v) { return static_cast<int32_t>(v << 28) >> 28; }

Header HeaderOf(const Call& c) {
  Header h;
  if (!c.m.header) return h;
  const uint32_t word = c.source.Read32(c.Payload(0) + 8);
  h.offset = {SignedNibble(word >> 8), SignedNibble(word >> 4), SignedNibble(word)};
  h.components = ~(word >> 12) & 0xf;
  h.gather = static_cast<int>(word >> 16 & 3);
  return h;
}

class Executor {
 public:
  Executor(const Call& c, const scene::ImageView& view, const scene::ClientSampler& sampler)
      : c_(c),
        view_(view),
        image_(*view.image),
        sampler_(sampler),
        header_(HeaderOf(c)),
        action_(ActionOf(c.m.message)) {
    place_.fill(-1);
    const auto list = isa::Params(kGeneration, c.m.message);
    const int first = c.m.header ? 1 : 0;
    const int count = (c.m.mlen + c.m.ex_mlen - first) / ParameterRegisters(c.m);
    for (int i = 0; i < count; ++i) {
      place_[static_cast<int>(list[i].kind)] = first + i * ParameterRegisters(c.m);
    }
  }

  absl::Status Run() {
    const int components = std::popcount(header_.components);
    if (c_.m.rlen > components * ResponseRegisters(c_.m)) {
      return absl::InvalidArgumentError("the response is longer than the components returned");
    }
    constexpr int kAll = 4;
    if (isa::AnswersWhole(c_.m.message) &&
        (components != kAll || c_.m.rlen != kAll * ResponseRegisters(c_.m))) {
      return absl::InvalidArgumentError("a message that always answers with four components");
    }
    if (image_.null_surface) {
      RespondZeros();
      return absl::OkStatus();
    }
    if (image_.dim == scene::ImageDim::kCube && GivesDerivatives()) {
      return absl::InvalidArgumentError("derivatives of a cube's direction");
    }
    if (LevelFromQuads() && c_.source.fragment == nullptr) {
      return absl::InvalidArgumentError("an implicit LOD outside a fragment thread");
    }
    if (image_.samples > 1 && !TakesSamples()) {
      return absl::InvalidArgumentError("a message without a sample index to a multisampled image");
    }
    for (int lane = 0; lane < c_.m.simd; ++lane) {
      if (!c_.Enabled(lane)) continue;
      if (absl::Status s = CheckDirection(lane); !s.ok()) return s;
      Respond(lane, Value(lane));
    }
    return absl::OkStatus();
  }

 private:
  bool Has(ParamKind kind) const { return place_[static_cast<int>(kind)] >= 0; }

  // A parameter's bits as 32: 16-bit integers are sign extended, halves widened.
  uint32_t Raw(ParamKind kind, int lane) const {
    const int reg = place_[static_cast<int>(kind)];
    if (reg < 0) return 0;
    if (!c_.m.half_params) return c_.source.Read32(c_.Payload(reg + lane / 8) + 4 * (lane % 8));
    const uint16_t v = c_.source.Read16(c_.Payload(reg) + 2 * lane);
    return TakesIntegers(c_.m.message) ? static_cast<uint32_t>(static_cast<int16_t>(v))
                                       : AsBits(scene::HalfToFloat(v));
  }

  float F(ParamKind kind, int lane) const { return AsFloat(Raw(kind, lane)); }

  // Coordinate k of the list u, v, r, ai.
  static ParamKind CoordinateKind(int k) {
    static constexpr ParamKind kKinds[] = {ParamKind::kU, ParamKind::kV, ParamKind::kR,
                                           ParamKind::kArrayIndex};
    return kKinds[k];
  }

  scene::SamplePoint Point(int lane) const {
    scene::SamplePoint p;
    const int n = Coordinates(image_.dim);
    for (int k = 0; k < n; ++k) p.uvw[k] = F(CoordinateKind(k), lane);
    if (image_.arrayed) p.layer = F(CoordinateKind(n), lane);
    p.offset = header_.offset;
    if (Has(ParamKind::kOffsetU)) p.offset[0] = SixBits(Raw(ParamKind::kOffsetU, lane));
    if (Has(ParamKind::kOffsetV)) p.offset[1] = SixBits(Raw(ParamKind::kOffsetV, lane));
    p.reference = F(ParamKind::kRef, lane);
    return p;
  }

  // Checks a cube's direction: the sampler does not divide by its largest component, which must be
  // 1, up to the error of a reciprocal of 4 ulp. A direction that is zero or not finite is
  // undefined and not checked.
  absl::Status CheckDirection(int lane) const {
    if (image_.dim != scene::ImageDim::kCube || !NeedsSampler(action_)) return absl::OkStatus();
    float largest = 0;
    for (int k = 0; k < 3; ++k) {
      const float part = std::fabs(F(CoordinateKind(k), lane));
      if (!std::isfinite(part)) return absl::OkStatus();
      largest = std::max(largest, part);
    }
    constexpr float kSlack = 0x1p-20f;
    if (largest == 0 || std::fabs(largest - 1) <= kSlack) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrFormat("a cube direction whose largest component is %g, not 1", largest));
  }

  static int SixBits(uint32_t v) { return static_cast<int32_t>(v << 26) >> 26; }

  bool TakesSamples() const {
    return Has(ParamKind::kSampleIndex) || action_ == Action::kMcs || action_ == Action::kSize ||
           action_ == Action::kSampleCount;
  }

  bool GivesDerivatives() const {
    return c_.m.message == M::kSampleD || c_.m.message == M::kSampleDC;
  }

  bool LevelFromQuads() const {
    switch (c_.m.message) {
      case M::kSampleL:
      case M::kSampleLC:
      case M::kSampleLz:
      case M::kSampleCLz: return false;
      default:
        return !GivesDerivatives() && (action_ == Action::kFilter || action_ == Action::kLodQuery);
    }
  }

  // LOD before the sampler's bias and clamps.
  float Lod(int lane) const {
    std::array<float, 3> dx{}, dy{};
    switch (c_.m.message) {
      case M::kSampleL:
      case M::kSampleLC: return F(ParamKind::kLod, lane);
      case M::kSampleLz:
      case M::kSampleCLz: return 0;
      case M::kSampleD:
      case M::kSampleDC:
        dx = {F(ParamKind::kDuDx, lane), F(ParamKind::kDvDx, lane), F(ParamKind::kDrDx, lane)};
        dy = {F(ParamKind::kDuDy, lane), F(ParamKind::kDvDy, lane), F(ParamKind::kDrDy, lane)};
        break;
      default: QuadDerivatives(lane, dx, dy);
    }
    return scene::LodOfDerivatives(image_, dx, dy) + F(ParamKind::kBias, lane);
  }

  // Lanes 4i .. 4i+3 are a 2x2 block, x fastest.
  void QuadDerivatives(int lane, std::array<float, 3>& dx, std::array<float, 3>& dy) const {
    const int corner = lane & ~3;
    const std::array<float, 3> here = OnFace(corner, corner), right = OnFace(corner + 1, corner),
                               below = OnFace(corner + 2, corner);
    for (int k = 0; k < Coordinates(image_.dim); ++k) {
      dx[k] = right[k] - here[k];
      dy[k] = below[k] - here[k];
    }
  }

  // Returns the coordinates of a lane; for a cube those on the face that the direction of lane
  // `corner` hits. The face is 1 wide, and its plane extends beyond its edges.
  std::array<float, 3> OnFace(int lane, int corner) const {
    std::array<float, 3> at{}, direction{};
    for (int k = 0; k < Coordinates(image_.dim); ++k) {
      at[k] = F(CoordinateKind(k), lane);
      direction[k] = F(CoordinateKind(k), corner);
    }
    return image_.dim == scene::ImageDim::kCube ? scene::ProjectOnFace(at, direction) : at;
  }

  bool Compares() const { return Has(ParamKind::kRef); }

  struct Position {
    std::array<int, 3> at = {0, 0, 0};
    int layer = 0;
  };
  Position PositionOf(int lane) const {
    Position p;
    const int n = Coordinates(image_.dim);
    for (int k = 0; k < n; ++k) {
      p.at[k] = static_cast<int>(Raw(CoordinateKind(k), lane)) + header_.offset[k];
    }
    if (image_.arrayed) p.layer = static_cast<int>(Raw(CoordinateKind(n), lane));
    return p;
  }

  // By how many slices the samples of a texel are rotated, modulo the number of samples.
  uint32_t Turn(const Position& p) const {
    return static_cast<uint32_t>(p.at[0] + 3 * p.at[1] + 5 * p.layer + 1) % image_.samples;
  }

  // Control data of a texel: for each sample its slice.
  scene::Texel ControlData(int lane) const {
    const uint32_t turn = Turn(PositionOf(lane));
    uint64_t slices = 0;
    for (uint32_t s = 0; s < image_.samples && s < 16; ++s) {
      slices |= uint64_t{(s + turn) % image_.samples} << 4 * s;
    }
    return {static_cast<uint32_t>(slices), static_cast<uint32_t>(slices >> 32), 0, 0};
  }

  // Returns the sample in the slice that the control data names.
  uint32_t SampleIn(const Position& p, int lane) const {
    const uint32_t wanted = Raw(ParamKind::kSampleIndex, lane);
    if (image_.samples == 1 || wanted >= image_.samples) return wanted;
    const uint64_t slices = Raw(ParamKind::kMcs, lane) | uint64_t{Raw(ParamKind::kMcsHigh, lane)}
                                                             << 32;
    const uint32_t slice = slices >> 4 * wanted & 15;
    return (slice + image_.samples - Turn(p)) % image_.samples;
  }

  scene::Texel Fetch(int lane) const {
    const Position p = PositionOf(lane);
    const scene::TexelIndex at{p.at[0],
                               p.at[1],
                               p.at[2],
                               p.layer,
                               static_cast<int>(Raw(ParamKind::kLod, lane)),
                               static_cast<int>(SampleIn(p, lane))};
    if (!image_.null_surface && !scene::HasTexel(image_, at)) c_.NoteOutside();
    return scene::FetchTexel(view_, at);
  }

  // A surface is an array only if it has more than one layer (Wa_1806565034). Layers of a sampled
  // cube are counted in cubes, those of a storage image in faces.
  uint32_t Layers() const {
    if (!image_.arrayed || image_.layers == 1) return 0;
    return image_.dim == scene::ImageDim::kCube && !view_.storage ? image_.layers / 6
                                                                  : image_.layers;
  }

  scene::Texel Size(int lane) const {
    if (image_.dim == scene::ImageDim::kBuffer) return {image_.width, 0, 0, 0};
    const uint32_t level = Raw(ParamKind::kLod, lane);
    if (level >= image_.levels) return {0, 0, 0, image_.levels};
    const std::array<uint32_t, 3> s = image_.Size(level);
    const uint32_t layers = Layers();
    switch (image_.dim) {
      case scene::ImageDim::k1d: return {s[0], layers, 0, image_.levels};
      case scene::ImageDim::k3d: return {s[0], s[1], s[2], image_.levels};
      default: return {s[0], s[1], layers, image_.levels};
    }
  }

  scene::Texel LodQuery(int lane) const {
    const float lod = Lod(lane) + sampler_.lod_bias;
    const float clamped = std::min(std::max(lod, sampler_.min_lod), sampler_.max_lod);
    const float last = static_cast<float>(image_.levels - 1);
    return {AsBits(std::min(std::max(clamped, 0.0f), last)), AsBits(lod), 0, 0};
  }

  scene::Texel Value(int lane) const {
    switch (action_) {
      case Action::kFilter: {
        scene::SamplePoint p = Point(lane);
        p.lod = Lod(lane);
        p.min_lod = F(ParamKind::kMinLod, lane);
        return scene::SampleImage(view_, sampler_, p, Compares());
      }
      case Action::kGather:
        return scene::GatherImage(view_, sampler_, Point(lane), header_.gather, Compares());
      case Action::kFetch: return Fetch(lane);
      case Action::kSize: return Size(lane);
      case Action::kSampleCount: return {image_.samples, 0, 0, 0};
      case Action::kLodQuery: return LodQuery(lane);
      case Action::kMcs: return ControlData(lane);
    }
    return {0, 0, 0, 0};
  }

  void RespondZeros() {
    for (int lane = 0; lane < c_.m.simd; ++lane) {
      if (c_.Enabled(lane)) Respond(lane, {0, 0, 0, 0});
    }
  }

  bool IntegerResult() const {
    return scene::IsIntegerFormat(view_.format) || action_ == Action::kSize ||
           action_ == Action::kSampleCount || action_ == Action::kMcs;
  }

  void Respond(int lane, const scene::Texel& value) {
    int k = 0;
    for (int e = 0; e < 4; ++e) {
      if (!(header_.components >> e & 1)) continue;
      if ((k + 1) * ResponseRegisters(c_.m) > c_.m.rlen) return;
      const int reg = c_.Response(k++ * ResponseRegisters(c_.m));
      if (!c_.m.half_result) {
        c_.thread.Write32(reg + 4 * lane, value[e]);
        continue;
      }
      const uint16_t half =
          IntegerResult() ? static_cast<uint16_t>(value[e])
                          : scene::DoubleToHalf(AsFloat(value[e]), scene::Rounding::kNearestEven);
      std::memcpy(c_.thread.regs.data() + reg + 2 * lane, &half, 2);
    }
  }

  const Call& c_;
  const scene::ImageView& view_;
  const scene::ClientImage& image_;
  const scene::ClientSampler& sampler_;
  const Header header_;
  const Action action_;
  std::array<int, 32> place_;  // payload register by ParamKind; -1: absent
};

// resinfo of a raw buffer: the surface's size in bytes in component 0. If a buffer ends in the
// middle of a dword, its size is rounded up, and the padding is added once more, so that the low
// two bits show it (Mesa, isl_surface_state.c, buffer_fill_state).
void BufferSize(const Call& c, const Surface& surface) {
  for (int lane = 0; lane < c.m.simd; ++lane) {
    if (!c.Enabled(lane)) continue;
    for (int k = 0; k * ResponseRegisters(c.m) < c.m.rlen; ++k) {
      c.thread.Write32(c.Response(k * ResponseRegisters(c.m)) + 4 * lane,
                       k == 0 ? static_cast<uint32_t>(surface.size + 2 * surface.Padding()) : 0);
    }
  }
}

// Finds the sampler state: at the pointer in the header's dword 3, or without a header at that of
// r0, 16 bytes further on for each index of the descriptor.
absl::StatusOr<const scene::ClientSampler*> BoundSampler(const Call& c) {
  const uint32_t pointer = c.m.header ? c.source.Read32(c.Payload(0) + 12) : kSamplerTable;
  if ((pointer & 0x1e) != 0) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "bits 4:1 of the header's dword 3, the sampler table's address, are not 0: 0x%08x",
        pointer));
  }
  const uint32_t at = (pointer & ~31u) + 16 * c.m.sampler;
  const bool bindless = (pointer & 1) != 0;
  const auto& samplers = bindless ? c.memory.bindless_samplers : c.memory.samplers;
  const uint32_t first = bindless ? kFirstBindlessSampler : kSamplerTable;
  const uint32_t bytes = bindless ? 32 : 16;
  const size_t number = (at - first) / bytes;
  if (at < first || (at - first) % bytes != 0 || number >= samplers.size() ||
      samplers[number] == nullptr) {
    const auto& names = bindless ? c.memory.bindless_sampler_names : c.memory.sampler_names;
    const bool named = at >= first && number < names.size();
    return absl::NotFoundError(
        absl::StrFormat("nothing is bound to %s%ssampler %d of the table at 0x%08x",
                        named ? names[number] : "", named ? ", " : "", c.m.sampler, pointer));
  }
  return samplers[number];
}

}  // namespace

absl::Status ExecuteSampler(const Call& c) {
  const Action action = ActionOf(c.m.message);
  const size_t surface = SurfacePlace(c.m);
  if (action == Action::kSize && !c.m.half_result && surface < c.memory.surfaces.size() &&
      c.memory.surfaces[surface].data != nullptr) {
    BufferSize(c, c.memory.surfaces[surface]);
    return absl::OkStatus();
  }
  const absl::StatusOr<scene::ImageView> view = BoundImage(c);
  if (!view.ok()) return view.status();
  static constexpr scene::ClientSampler kNoSampler{};
  const scene::ClientSampler* sampler = &kNoSampler;
  if (NeedsSampler(action)) {
    const absl::StatusOr<const scene::ClientSampler*> bound = BoundSampler(c);
    if (!bound.ok()) return bound.status();
    sampler = *bound;
  }
  return Executor(c, *view, *sampler).Run();
}

}  // namespace kiln::sim::eu
