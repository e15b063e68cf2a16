#include "core/oracle/texels.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/oracle/numbers.h"
#include "core/oracle/quads.h"

namespace kiln::oracle {
namespace {

using mir::AtomicOp;
using mir::InstId;
using mir::Op;
using mir::TexelSources;
using mir::TexelSourcesOf;
using mir::Type;
using mir::ValueId;

}  // namespace

bool Texels::Exec(InstId id, const BitSet& active) {
  switch (m_.inst(id).op) {
    case Op::kSample:
    case Op::kSampleImplicit:
    case Op::kImageLod:
    case Op::kGather: SampleTexels(id, active); return true;
    case Op::kFetch:
    case Op::kImageLoad: LoadTexels(id, active); return true;
    case Op::kImageStore: StoreTexels(id, active); return true;
    case Op::kImageAtomic:
    case Op::kImageAtomic64: TexelAtomic(id, active); return true;
    case Op::kImageSize:
    case Op::kImageLevels:
    case Op::kImageSamples: QueryImage(id, active); return true;
    default: return false;
  }
}

absl::Span<const uint32_t> Texels::LaneSources(InstId id, size_t lane) {
  lane_sources_.clear();
  for (ValueId v : m_.sources(id)) {
    lane_sources_.push_back(static_cast<uint32_t>(e_.Lanes(v)[lane]));
  }
  return lane_sources_;
}

void Texels::SetTexel(InstId id, size_t lane, const Texel& texel) {
  for (int i = 0; i < m_.inst(id).num_results; ++i) e_.Lanes(m_.result(id, i))[lane] = texel[i];
}

const BoundSampler& Texels::SamplerOf(InstId id, size_t lane) {
  return in_.samplers[descriptors_.SamplerOf(id, lane)];
}

// Vulkan, "Derivative Operations": an implicit level is that of the derivatives of the coordinates.
// In incomplete quads these are undefined, but the sample is still one of some level.
TexelSlopes Texels::SlopesOf(InstId id, size_t lane, const BitSet& active) {
  const bool whole = IsWholeQuad(lane, active, e_.lanes);
  e_.statistics.undefined_results += !whole;
  const TexelSources s = TexelSourcesOf(m_, id);
  const int spatial = SpatialCount(m_.resources[m_.inst(id).imm0].image.dim);
  TexelSlopes slopes;
  for (int k = 0; k < spatial; ++k) {
    const ValueId v = m_.source(id, s.coordinates + k);
    const auto slope = [&](bool down) {
      if (!whole)
        return std::bit_cast<float>(static_cast<uint32_t>(e_.chance.Undefined(Type::kF32)));
      const QuadPair pair = PairOf(lane, down, false);
      const uint64_t* x = e_.Lanes(v);
      return std::bit_cast<float>(
          static_cast<uint32_t>(Difference(Type::kF32, x[pair.to], x[pair.from], e_)));
    };
    slopes.dx[k] = slope(false);
    slopes.dy[k] = slope(true);
  }
  return slopes;
}

// Random rounding: Vulkan does not specify how the value of a normalised format is rounded. Only 0
// and 1 are exact: other multiples of 1 / (2^n - 1) have no finite binary form.
Texel Texels::Rounded(const BoundImage& image, Texel texel) {
  if (in_.perturb_seed == 0 || !IsNormalized(FormatOf(image.format).numeric)) return texel;
  for (uint32_t& x : texel) {
    const bool is_exact = std::fabs(std::bit_cast<float>(x)) == 1;
    if (!is_exact && MayMove(Type::kF32, x, 1)) x += static_cast<uint32_t>(e_.chance.Noise(1));
  }
  return texel;
}

void Texels::SampleTexels(InstId id, const BitSet& active) {
  e_.ForActive(active, [&](size_t lane) {
    // Random rounding: coordinates have 8 bits of a texel (Vulkan's subTexelPrecisionBits).
    std::array<double, 4> noise = {0, 0, 0, 0};
    for (double& x : noise) x = in_.perturb_seed == 0 ? 0 : e_.chance.RandomUnit() / 256;
    std::optional<TexelSlopes> slopes;
    const Op op = m_.inst(id).op;
    if (op == Op::kSampleImplicit || op == Op::kImageLod) slopes = SlopesOf(id, lane, active);
    const BoundImage& image = in_.images[descriptors_.DescriptorOf(id, lane)];
    const Texel texel =
        SampledTexel(m_, id, LaneSources(id, lane), image, SamplerOf(id, lane), noise, slopes);
    SetTexel(id, lane, op == Op::kImageLod ? texel : Rounded(image, texel));
  });
}

void Texels::QueryImage(InstId id, const BitSet& active) {
  e_.ForActive(active, [&](size_t lane) {
    SetTexel(id, lane,
             QueriedTexel(m_, id, LaneSources(id, lane),
                          in_.images[descriptors_.DescriptorOf(id, lane)]));
  });
}

// Returns the texel of a lane; counts those outside.
std::optional<uint64_t> Texels::TexelOf(InstId id, size_t lane, const BoundImage& image) {
  const std::optional<uint64_t> texel = NamedTexel(m_, id, LaneSources(id, lane), image);
  if (!texel.has_value()) ++e_.statistics.outside_accesses;
  return texel;
}

bool Texels::NoteTexel(InstId id, size_t place, uint64_t texel, size_t lane, AccessKind kind,
                       bool same) {
  std::vector<Access>* accesses = memories_.AccessesOfImage(place);
  return accesses != nullptr && races_.Note(id, (*accesses)[texel], lane, kind, same);
}

void Texels::LoadTexels(InstId id, const BitSet& active) {
  e_.ForActive(active, [&](size_t lane) {
    const size_t place = descriptors_.DescriptorOf(id, lane);
    const std::optional<uint64_t> texel = TexelOf(id, lane, in_.images[place]);
    const BoundImage& image = in_.images[place];
    SetTexel(id, lane, Rounded(image, texel.has_value() ? image.Read(*texel) : image.Outside()));
    if (texel.has_value()) NoteTexel(id, place, *texel, lane, AccessKind::kRead, false);
  });
}

void Texels::StoreTexels(InstId id, const BitSet& active) {
  const int first = TexelSourcesOf(m_, id).values;
  e_.ForActive(active, [&](size_t lane) {
    const size_t place = descriptors_.DescriptorOf(id, lane);
    BoundImage& image = in_.images[place];
    const std::optional<uint64_t> texel = TexelOf(id, lane, image);
    if (!texel.has_value()) return;
    Texel value;
    for (int c = 0; c < 4; ++c) {
      value[c] = static_cast<uint32_t>(e_.Lanes(m_.source(id, first + c))[lane]);
    }
    const Texel before = image.Read(*texel);
    image.Write(*texel, value);
    const bool after_write =
        NoteTexel(id, place, *texel, lane, AccessKind::kWrite, image.Read(*texel) == before);
    if (races_.ComesBefore(after_write)) image.Write(*texel, before);
  });
}

// A texel, operand or result is a dword, or two with the low one first.
void Texels::TexelAtomic(InstId id, const BitSet& active) {
  const AtomicOp op = m_.texel_ops[m_.inst(id).imm1].atomic;
  const TexelSources s = TexelSourcesOf(m_, id);
  const int dwords = m_.inst(id).num_results;
  const int bytes = 4 * dwords;
  // Returns the operand that many before the end; 0 if there is none.
  const auto operand = [&](int from_end, size_t lane) {
    const int first = s.num_values - dwords * from_end;
    uint64_t x = 0;
    for (int i = 0; first >= 0 && i < dwords; ++i) {
      x |= e_.Lanes(m_.source(id, s.values + first + i))[lane] << (32 * i);
    }
    return x;
  };
  e_.ForActive(active, [&](size_t lane) {
    const size_t place = descriptors_.DescriptorOf(id, lane);
    BoundImage& image = in_.images[place];
    const std::optional<uint64_t> texel = TexelOf(id, lane, image);
    uint64_t old = 0;
    if (texel.has_value() && FormatOf(image.format).Bytes() == bytes) {
      uint8_t* at = image.bytes.data() + static_cast<uint64_t>(bytes) * *texel;
      std::memcpy(&old, at, static_cast<size_t>(bytes));
      NoteTexel(id, place, *texel, lane, AccessKind::kAtomic, false);
      const uint64_t value = operand(1, lane), comparator = operand(2, lane);
      const uint64_t next =
          IsFloatAtomic(op) ? FloatAtomicResult(op, e_.flush, Type::kF32, old, value)
          : dwords == 2     ? AtomicResult(op, old, value, comparator)
                        : AtomicResult(op, static_cast<uint32_t>(old), static_cast<uint32_t>(value),
                                       static_cast<uint32_t>(comparator));
      std::memcpy(at, &next, static_cast<size_t>(bytes));
    }
    for (int i = 0; i < dwords; ++i) {
      e_.Lanes(m_.result(id, i))[lane] = old >> (32 * i) & 0xffffffffu;
    }
  });
}

}  // namespace kiln::oracle
