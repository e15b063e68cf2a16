// Two simulators, one client: what core/sim/eu and core/sim/rdna2 answer for the same image,
// sampler and coordinates must agree.
//
// Texels and weights are scene's in both. Judged is what each machine has of its own: the order of
// an address' parts, coordinates of cubes and layers, levels of detail from quads and derivatives,
// bias and limits through the words of a sampler, offsets, 16-bit addresses and results, the
// component of a gather, the order of components through DST_SEL, comparison, what is outside,
// sizes, stores and atomics. Questions are drawn by a seed; coordinates are multiples of 1/128, so
// that both compute exactly. Agreement says nothing about what is wrong in both: rounding of
// layers, weights, texels of a gather.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/float_bits.h"
#include "core/intel/isa/messages.h"
#include "core/sim/eu/dataport.h"
#include "core/sim/eu/fragment_launch.h"
#include "core/sim/eu/testing.h"
#include "core/sim/rdna2/resource/client_descriptor.h"
#include "core/sim/rdna2/resource/image_operation.h"
#include "core/sim/scene/float16.h"
#include "gtest/gtest.h"

namespace kiln::sim {
namespace {

namespace intel = ::kiln::intel::isa;
namespace amd = ::kiln::amd::isa;
using amd::Opcode;
using intel::ParamKind;
using rdna2::AddressDim;
using scene::ImageDim;
using M = intel::Message;

constexpr size_t kLanes = 8;  // two quads
constexpr uint64_t kAddress = 0x10000;

// The random numbers of the questions: the same on every host.
class Random {
 public:
  explicit Random(uint32_t seed) : state_(seed * 2654435761u + 1) {}
  uint32_t Below(uint32_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state_ >> 33) % n;
  }
  int Between(int low, int high) {
    return low + static_cast<int>(Below(static_cast<uint32_t>(high - low + 1)));
  }
  bool Flip() { return Below(2) != 0; }
  // A multiple of 1 / parts.
  float Number(int low, int high, int parts) {
    return static_cast<float>(Between(low * parts, high * parts)) / static_cast<float>(parts);
  }

 private:
  uint64_t state_;
};

// A lane's values, as the client's program has them.
struct Lane {
  std::array<float, 3> at{};  // of a cube: a direction whose largest component is 1 or -1
  float layer = 0, level = 0, bias = 0, reference = 0, min_level = 0;
  std::array<float, 3> dx{}, dy{};
  std::array<int, 3> texel{};  // integer coordinates
  int texel_layer = 0, texel_level = 0;
};

struct Question {
  scene::ClientImage image;
  scene::ClientSampler sampler;
  std::array<Lane, kLanes> lanes{};
  std::array<int, 3> offset{};
  bool half = false;       // 16-bit results
  bool narrow = false;     // 16-bit parameters, of numbers that are halves
  uint32_t component = 0;  // of a gather
};

// Four dwords a lane, zeros where fewer are returned.
using Answers = std::array<std::array<uint32_t, 4>, kLanes>;

int Axes(const scene::ClientImage& i) {
  return i.dim == ImageDim::k1d ? 1 : i.dim == ImageDim::k2d ? 2 : 3;
}

// --- The image -----------------------------------------------------------------------------------

void Fill(scene::ClientImage& image, Random& r) {
  image.texels.assign(image.Bytes(), 0);
  const auto bytes = static_cast<size_t>(scene::TexelBytes(image.format));
  for (size_t at = 0; at < image.texels.size(); at += bytes) {
    scene::Texel t;
    for (uint32_t& c : t) {
      c = scene::IsIntegerFormat(image.format) ? r.Below(100) : AsBits(r.Number(-1, 1, 64));
    }
    scene::EncodeTexel(image.format, t, image.texels.data() + at);
  }
}

scene::ClientImage DrawImage(scene::TexelFormat format, Random& r) {
  scene::ClientImage i;
  i.format = format;
  constexpr ImageDim kDims[] = {ImageDim::k1d, ImageDim::k2d, ImageDim::k2d, ImageDim::k3d,
                                ImageDim::kCube};
  i.dim = kDims[r.Below(5)];
  i.width = 1u << r.Between(0, 4);
  i.height = i.dim == ImageDim::k1d ? 1 : 1u << r.Between(0, 4);
  if (i.dim == ImageDim::k2d && r.Flip()) i.width += r.Below(5);
  if (i.dim == ImageDim::kCube) i.height = i.width;
  if (i.dim == ImageDim::k3d) i.depth = 1u << r.Between(0, 3);
  i.arrayed = i.dim != ImageDim::k3d && r.Flip();
  if (i.arrayed) i.layers = r.Below(4) + 1;
  if (i.dim == ImageDim::kCube) i.layers *= 6;
  i.levels = static_cast<uint32_t>(std::bit_width(std::max({i.width, i.height, i.depth})));
  i.levels = 1 + r.Below(i.levels);
  Fill(i, r);
  return i;
}

scene::ClientSampler DrawSampler(Random& r) {
  scene::ClientSampler s;
  s.mag_linear = r.Flip();
  s.min_linear = r.Flip();
  s.linear_mips = r.Flip();
  for (scene::AddressMode& mode : s.address) mode = static_cast<scene::AddressMode>(r.Below(5));
  s.border = static_cast<scene::BorderColor>(r.Below(3));
  s.compare = static_cast<scene::CompareFunction>(r.Below(8));
  if (r.Flip()) s.min_lod = r.Number(0, 3, 16);
  s.max_lod = r.Flip() ? 1000 : s.min_lod + r.Number(0, 3, 16);
  if (r.Flip()) s.lod_bias = r.Number(-2, 2, 16);
  return s;
}

uint32_t Half(uint32_t bits) {
  return scene::DoubleToHalf(AsFloat(bits), scene::Rounding::kNearestEven);
}

// --- Intel ---------------------------------------------------------------------------------------

uint32_t Parameter(ParamKind kind, const Question& q, const Lane& l, bool integers) {
  const int axes = Axes(q.image);
  const auto coordinate = [&](size_t k) -> uint32_t {
    if (static_cast<int>(k) < axes) {
      return integers ? static_cast<uint32_t>(l.texel[k]) : AsBits(l.at[k]);
    }
    if (static_cast<int>(k) > axes || !q.image.arrayed) return 0;
    return integers ? static_cast<uint32_t>(l.texel_layer) : AsBits(l.layer);
  };
  switch (kind) {
    case ParamKind::kU: return coordinate(0);
    case ParamKind::kV: return coordinate(1);
    case ParamKind::kR: return coordinate(2);
    case ParamKind::kArrayIndex: return coordinate(3);
    case ParamKind::kLod: return integers ? static_cast<uint32_t>(l.texel_level) : AsBits(l.level);
    case ParamKind::kBias: return AsBits(l.bias);
    case ParamKind::kRef: return AsBits(l.reference);
    case ParamKind::kMinLod: return AsBits(l.min_level);
    case ParamKind::kDuDx: return AsBits(l.dx[0]);
    case ParamKind::kDvDx: return AsBits(l.dx[1]);
    case ParamKind::kDrDx: return AsBits(l.dx[2]);
    case ParamKind::kDuDy: return AsBits(l.dy[0]);
    case ParamKind::kDvDy: return AsBits(l.dy[1]);
    case ParamKind::kDrDy: return AsBits(l.dy[2]);
    default: return 0;
  }
}

bool HasOffset(const Question& q) { return q.offset != std::array<int, 3>{}; }

// Payload from r10, response to r40.
absl::StatusOr<Answers> AskIntel(M message, const Question& q, scene::ClientImage& image,
                                 bool integers) {
  constexpr int kPayload = 10, kResponse = 40;
  intel::MessageFields f;
  f.message = message;
  f.lanes = kLanes;
  f.bti = 1;
  f.half_result = q.half;
  f.half_params = q.narrow;
  f.header = HasOffset(q) || message == M::kGather4 || message == M::kGather4C;
  const auto params = intel::Params(intel::Generation::kGen12, message);
  const eu::FragmentThread fragment{};
  eu::Thread thread;
  thread.fragment = &fragment;  // LODs of quads exist there alone
  const auto nibble = [](int v) { return static_cast<uint32_t>(v) & 0xf; };
  eu::testing::SetDword(thread, kPayload, 2,
                        nibble(q.offset[0]) << 8 | nibble(q.offset[1]) << 4 | nibble(q.offset[2]) |
                            q.component << 16);
  eu::testing::SetDword(thread, kPayload, 3, eu::kSamplerTable);
  int count = 0;
  for (size_t p = 0; p < params.size(); ++p) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const uint32_t v = Parameter(params[p].kind, q, q.lanes[lane], integers);
      if (v != 0) count = static_cast<int>(p);
      const int reg = kPayload + (f.header ? 1 : 0) + static_cast<int>(p);
      if (q.narrow) {
        const auto half = static_cast<uint16_t>(integers ? v : Half(v));
        std::memcpy(thread.regs.data() + eu::kGrfBytes * reg + 2 * lane, &half, 2);
      } else {
        eu::testing::SetDword(thread, reg, static_cast<int>(lane), v);
      }
    }
  }
  intel::SetLengths(intel::Generation::kGen12, f, count + 1, 4);
  const absl::StatusOr<uint32_t> desc = intel::BuildDescriptor(intel::Generation::kGen12, f);
  if (!desc.ok()) return desc.status();
  const absl::StatusOr<eu::Message> m =
      eu::DecodeMessage(intel::Info(message).sfid, false, *desc, intel::BuildExDescriptor(f));
  if (!m.ok()) return m.status();
  eu::MemoryView view;
  view.images = {{}, scene::ImageView{&image, image.texels.data(), image.format}};
  view.samplers = {&q.sampler};
  const absl::Status s =
      eu::ExecuteMessage(*m, {kResponse, kPayload, kPayload + 15}, 0xff, view, thread);
  if (!s.ok()) return s;
  Answers a{};
  for (size_t lane = 0; lane < kLanes; ++lane) {
    for (int k = 0; k < 4; ++k) {
      const int reg = kResponse + k * eu::ResponseRegisters(*m);
      a[lane][static_cast<size_t>(k)] =
          q.half ? thread.Read16(eu::kGrfBytes * reg + 2 * static_cast<int>(lane))
                 : eu::testing::Dword(thread, reg, static_cast<int>(lane));
    }
  }
  return a;
}

// --- AMD -----------------------------------------------------------------------------------------

AddressDim DimOf(const scene::ClientImage& i, bool storage) {
  switch (i.dim) {
    case ImageDim::k1d: return i.arrayed ? AddressDim::k1dArray : AddressDim::k1d;
    case ImageDim::k3d: return AddressDim::k3d;
    case ImageDim::kCube: return storage ? AddressDim::k2dArray : AddressDim::kCube;
    default: return i.arrayed ? AddressDim::k2dArray : AddressDim::k2d;
  }
}

// What a program does with a cube's direction before it samples: v_cubeid, v_cubesc, v_cubetc and
// v_cubema (AMD, "RDNA 2" ISA guide, 12.11), the division, 1.5, 8 faces a cube, rounded layers.
std::array<float, 3> CubeCoordinates(const Lane& l, bool arrayed) {
  const float x = l.at[0], y = l.at[1], z = l.at[2];
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  float id, sc, tc, ma;
  if (az >= ax && az >= ay) {
    id = z < 0 ? 5 : 4;
    sc = z < 0 ? -x : x;
    tc = -y;
    ma = 2 * z;
  } else if (ay >= ax) {
    id = y < 0 ? 3 : 2;
    sc = x;
    tc = y < 0 ? -z : z;
    ma = 2 * y;
  } else {
    id = x < 0 ? 1 : 0;
    sc = x < 0 ? z : -z;
    tc = -y;
    ma = 2 * x;
  }
  if (arrayed) id += 8 * std::nearbyint(l.layer);
  return {sc / std::fabs(ma) + 1.5f, tc / std::fabs(ma) + 1.5f, id};
}

// The coordinates and the level or its lower limit.
std::vector<uint32_t> BodyOf(const rdna2::ImageOpcode& op, const Question& q, const Lane& l,
                             bool storage) {
  std::vector<uint32_t> a;
  const auto axes = static_cast<size_t>(Axes(q.image));
  if (op.action == rdna2::ImageAction::kGetSize) {
    // The level is all.
  } else if (op.integer()) {
    const size_t used = storage && q.image.dim == ImageDim::kCube ? 2 : axes;
    for (size_t k = 0; k < used; ++k) a.push_back(static_cast<uint32_t>(l.texel[k]));
    if (used != axes || q.image.arrayed) a.push_back(static_cast<uint32_t>(l.texel_layer));
  } else if (q.image.dim == ImageDim::kCube) {
    for (float c : CubeCoordinates(l, q.image.arrayed)) a.push_back(AsBits(c));
  } else {
    for (size_t k = 0; k < axes; ++k) a.push_back(AsBits(l.at[k]));
    if (q.image.arrayed) a.push_back(AsBits(l.layer));
  }
  if (op.level) a.push_back(op.integer() ? static_cast<uint32_t>(l.texel_level) : AsBits(l.level));
  if (op.min_level) a.push_back(AsBits(l.min_level));
  return a;
}

std::vector<uint32_t> AddressOf(const rdna2::ImageOpcode& op, const Question& q, const Lane& l,
                                bool storage) {
  std::vector<uint32_t> a;
  if (op.offset) {
    uint32_t packed = 0;
    for (size_t k = 0; k < 3; ++k) packed |= (static_cast<uint32_t>(q.offset[k]) & 0x3f) << 8 * k;
    a.push_back(packed);
  }
  if (op.bias) a.push_back(q.narrow ? Half(AsBits(l.bias)) : AsBits(l.bias));
  if (op.compare) a.push_back(AsBits(l.reference));
  const auto axes = static_cast<size_t>(Axes(q.image));
  if (op.derivatives) {
    for (size_t k = 0; k < axes; ++k) a.push_back(AsBits(l.dx[k]));
    for (size_t k = 0; k < axes; ++k) a.push_back(AsBits(l.dy[k]));
  }
  const std::vector<uint32_t> body = BodyOf(op, q, l, storage);
  if (!q.narrow) {
    a.insert(a.end(), body.begin(), body.end());
    return a;
  }
  for (size_t k = 0; k < body.size(); ++k) {
    const uint32_t half = op.integer() ? body[k] & 0xffff : Half(body[k]);
    if (k % 2 == 0) a.push_back(0);
    a.back() |= half << 16 * (k % 2);
  }
  return a;
}

// The opcode with the offset's part if the question has an offset.
Opcode WithOffset(Opcode op, bool offset) {
  if (!offset) return op;
  const std::string name = std::string(amd::Info(op).mnemonic) + "_o";
  for (int i = 0; i < amd::kOpcodeCount; ++i) {
    if (amd::Info(i).mnemonic == name) return static_cast<Opcode>(i);
  }
  ADD_FAILURE() << "no opcode " << name;
  return op;
}

absl::StatusOr<rdna2::ImageOperation> Prepare(Opcode opcode, uint8_t dmask, const Question& q,
                                              scene::ClientImage& image, bool storage) {
  amd::Instruction inst;
  inst.op = opcode;
  inst.dim = static_cast<uint8_t>(DimOf(q.image, storage));
  inst.dmask = dmask;
  inst.d16 = q.half;
  inst.a16 = q.narrow;
  const absl::StatusOr<rdna2::ImageOpcode> op = rdna2::ImageOpcodeOf(opcode);
  if (!op.ok()) return op.status();
  inst.unnormalised = op->integer();
  const absl::StatusOr<rdna2::ImageWords> words = rdna2::DescribeImage(image, kAddress, storage);
  if (!words.ok()) return words.status();
  rdna2::SamplerState state = rdna2::DecodeSampler(rdna2::DescribeSampler(q.sampler));
  if (op->action == rdna2::ImageAction::kGather) state.trunc_coord = false;  // as programs do
  return rdna2::ImageOperation::Make(inst, *words, rdna2::EncodeSampler(state),
                                     {&image, image.texels.data()});
}

absl::StatusOr<Answers> AskAmd(Opcode opcode, uint8_t dmask, const Question& q,
                               scene::ClientImage& image) {
  const absl::StatusOr<rdna2::ImageOperation> o = Prepare(opcode, dmask, q, image, false);
  if (!o.ok()) return o.status();
  std::array<std::vector<uint32_t>, kLanes> addresses;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    addresses[lane] = AddressOf(o->opcode(), q, q.lanes[lane], false);
  }
  Answers a{};
  for (size_t lane = 0; lane < kLanes; ++lane) {
    std::array<absl::Span<const uint32_t>, 4> quad;
    for (size_t k = 0; k < 4; ++k) quad[k] = addresses[(lane & ~size_t{3}) + k];
    const absl::StatusOr<rdna2::ImageResult> r = o->Read(addresses[lane], quad);
    if (!r.ok()) return r.status();
    const auto count = static_cast<size_t>(r->count) * (q.half ? 2 : 1);
    for (size_t k = 0; k < count; ++k) {
      a[lane][k] = q.half ? r->dwords[k / 2] >> 16 * (k % 2) & 0xffff : r->dwords[k];
    }
  }
  return a;
}

// --- Questions -----------------------------------------------------------------------------------

// A direction whose largest part is 1, or -1.
std::array<float, 3> DrawDirection(Random& r) {
  std::array<float, 3> d;
  for (float& c : d) c = r.Number(-1, 1, 64);
  d[r.Below(3)] = r.Flip() ? 1 : -1;
  return d;
}

// The lanes of a quad differ by a step in x and one in y. Cubes: near one direction, on one face.
void DrawQuad(Question& q, size_t first, Random& r) {
  Lane base;
  for (float& c : base.at) c = r.Number(-1, 2, 128);
  std::array<std::array<float, 3>, 2> step{};
  const int parts = 1 << r.Between(1, 7);
  for (auto& s : step) {
    for (float& c : s) c = r.Number(-1, 1, parts) / 4;
  }
  const bool cube = q.image.dim == ImageDim::kCube;
  if (cube) base.at = DrawDirection(r);
  size_t major = 0;
  for (size_t k = 1; k < 3; ++k) {
    if (std::fabs(base.at[k]) > std::fabs(base.at[major])) major = k;
  }
  for (size_t i = 0; i < 4; ++i) {
    Lane l = base;
    for (size_t k = 0; k < 3; ++k) {
      float moved = l.at[k] + (i & 1 ? step[0][k] : 0) + (i & 2 ? step[1][k] : 0);
      if (cube) moved = k == major ? l.at[k] : std::min(std::max(moved, -0.984375f), 0.984375f);
      l.at[k] = moved;
    }
    l.layer = r.Number(-1, 5, 4);
    l.level = r.Number(-1, 5, 16);
    l.bias = r.Number(-2, 2, 16);
    l.min_level = r.Number(0, 3, 16);
    l.reference = r.Number(-1, 2, 64);
    for (float& c : l.dx) c = r.Number(-1, 1, 32);
    for (float& c : l.dy) c = r.Number(-1, 1, 32);
    for (size_t k = 0; k < 3; ++k) l.texel[k] = r.Between(-1, 9);
    l.texel_layer = r.Between(-1, static_cast<int>(q.image.layers));
    l.texel_level = r.Between(0, static_cast<int>(q.image.levels));
    q.lanes[first + i] = l;
  }
}

Question Draw(scene::TexelFormat format, uint32_t seed) {
  Random r(seed);
  Question q;
  q.image = DrawImage(format, r);
  q.sampler = DrawSampler(r);
  for (size_t first = 0; first < kLanes; first += 4) DrawQuad(q, first, r);
  // Offsets do not exist for cubes.
  if (q.image.dim != ImageDim::kCube && r.Flip()) {
    for (int k = 0; k < Axes(q.image); ++k) q.offset[static_cast<size_t>(k)] = r.Between(-8, 7);
  }
  q.half = r.Below(4) == 0;
  q.component = r.Below(4);
  return q;
}

constexpr scene::TexelFormat kFormats[] = {
    scene::TexelFormat::kRgba32f,  scene::TexelFormat::kRgba8,     scene::TexelFormat::kBgra8,
    scene::TexelFormat::kR8,       scene::TexelFormat::kRg16f,     scene::TexelFormat::kRgba16Snorm,
    scene::TexelFormat::kRgb10a2,  scene::TexelFormat::kBgr10a2ui, scene::TexelFormat::kR5g6b5,
    scene::TexelFormat::kR4g4b4a4, scene::TexelFormat::kB5g5r5a1,  scene::TexelFormat::kRgba8Srgb,
    scene::TexelFormat::kR32ui,    scene::TexelFormat::kRgba8i,    scene::TexelFormat::kR11g11b10f};
constexpr scene::TexelFormat kDepthFormats[] = {scene::TexelFormat::kD32f, scene::TexelFormat::kD16,
                                                scene::TexelFormat::kR16,
                                                scene::TexelFormat::kR32f};
constexpr uint32_t kRounds = 400;

struct Pair {
  M intel;
  Opcode amd;
};

// Asks both for every kind of image; `keep` says which questions make sense for the pair.
template <typename Keep>
void ExpectAgreement(const Pair& pair, absl::Span<const scene::TexelFormat> formats, bool integers,
                     size_t components, bool gathers, Keep keep) {
  int asked = 0;
  for (uint32_t seed = 0; seed < kRounds; ++seed) {
    Question q = Draw(formats[seed % formats.size()], seed * 31 + static_cast<uint32_t>(pair.amd));
    if (!keep(q)) continue;
    const std::string name = std::string(amd::Info(pair.amd).mnemonic) + " seed " +
                             std::to_string(seed) + " dim " +
                             std::to_string(static_cast<int>(q.image.dim));
    const absl::StatusOr<Answers> intel = AskIntel(pair.intel, q, q.image, integers);
    ASSERT_TRUE(intel.ok()) << name << ": " << intel.status();
    const Opcode op = integers ? pair.amd : WithOffset(pair.amd, HasOffset(q));
    const auto dmask = static_cast<uint8_t>(gathers ? 1u << q.component : (1u << components) - 1);
    const absl::StatusOr<Answers> amd = AskAmd(op, dmask, q, q.image);
    ASSERT_TRUE(amd.ok()) << name << ": " << amd.status();
    for (size_t lane = 0; lane < kLanes; ++lane) {
      for (size_t k = 0; k < components; ++k) {
        ASSERT_EQ((*intel)[lane][k], (*amd)[lane][k])
            << name << " lane " << lane << " component " << k << ": " << AsFloat((*intel)[lane][k])
            << " and " << AsFloat((*amd)[lane][k]);
      }
    }
    ++asked;
  }
  EXPECT_GT(asked, static_cast<int>(kRounds) / 4) << amd::Info(pair.amd).mnemonic;
}

TEST(TextureAgreementTest, Samples) {
  const auto no_limit = [](Question& q) {
    for (Lane& l : q.lanes) l.min_level = 0;
    return true;
  };
  for (const Pair& pair :
       {Pair{M::kSampleLz, Opcode::kImageSampleLz}, Pair{M::kSampleL, Opcode::kImageSampleL},
        Pair{M::kSample, Opcode::kImageSample}, Pair{M::kSampleB, Opcode::kImageSampleB}}) {
    ExpectAgreement(pair, kFormats, false, 4, false, no_limit);
  }
}

TEST(TextureAgreementTest, SixteenBitAddresses) {
  const auto narrow = [](Question& q) {
    for (Lane& l : q.lanes) l.min_level = 0;
    q.narrow = true;
    return true;
  };
  for (const Pair& pair :
       {Pair{M::kSampleLz, Opcode::kImageSampleLz}, Pair{M::kSampleL, Opcode::kImageSampleL},
        Pair{M::kSampleB, Opcode::kImageSampleB}}) {
    ExpectAgreement(pair, kFormats, false, 4, false, narrow);
  }
  ExpectAgreement({M::kSampleLC, Opcode::kImageSampleCL}, kDepthFormats, false, 1, false, narrow);
  ExpectAgreement({M::kLd, Opcode::kImageLoadMip}, kFormats, true, 4, false, [&](Question& q) {
    q.offset = {};
    for (Lane& l : q.lanes) l.texel_layer = std::max(l.texel_layer, 0);
    return narrow(q) && q.image.dim != ImageDim::kCube;
  });
}

// The lower limit is the last parameter of Intel's payload.
TEST(TextureAgreementTest, LowerLimits) {
  ExpectAgreement({M::kSample, Opcode::kImageSampleCl}, kFormats, false, 4, false,
                  [](const Question& q) { return !HasOffset(q); });
  ExpectAgreement({M::kSampleB, Opcode::kImageSampleBCl}, kFormats, false, 4, false,
                  [](const Question& q) { return !HasOffset(q); });
}

TEST(TextureAgreementTest, Derivatives) {
  const auto flat = [](Question& q) {
    for (Lane& l : q.lanes) l.min_level = 0;
    return q.image.dim != ImageDim::kCube;
  };
  ExpectAgreement({M::kSampleD, Opcode::kImageSampleD}, kFormats, false, 4, false, flat);
  ExpectAgreement({M::kSampleDC, Opcode::kImageSampleCD}, kDepthFormats, false, 1, false, flat);
}

TEST(TextureAgreementTest, Comparisons) {
  const auto no_limit = [](Question& q) {
    for (Lane& l : q.lanes) l.min_level = 0;
    return true;
  };
  for (const Pair& pair :
       {Pair{M::kSampleCLz, Opcode::kImageSampleCLz}, Pair{M::kSampleLC, Opcode::kImageSampleCL},
        Pair{M::kSampleC, Opcode::kImageSampleC}, Pair{M::kSampleBC, Opcode::kImageSampleCB}}) {
    ExpectAgreement(pair, kDepthFormats, false, 1, false, no_limit);
  }
}

TEST(TextureAgreementTest, Gathers) {
  const auto flat = [](Question& q) {
    for (Lane& l : q.lanes) l.min_level = 0;
    return q.image.dim == ImageDim::k2d || q.image.dim == ImageDim::kCube;
  };
  ExpectAgreement({M::kGather4, Opcode::kImageGather4Lz}, kFormats, false, 4, true, flat);
  const auto first = [&](Question& q) {
    q.component = 0;
    return flat(q);
  };
  ExpectAgreement({M::kGather4C, Opcode::kImageGather4CLz}, kDepthFormats, false, 4, true, first);
}

TEST(TextureAgreementTest, LevelQueries) {
  ExpectAgreement({M::kLod, Opcode::kImageGetLod}, kFormats, false, 2, false, [](Question& q) {
    q.offset = {};
    q.half = false;
    return true;
  });
}

TEST(TextureAgreementTest, Fetches) {
  const auto no_cube = [](Question& q) {
    q.offset = {};
    for (Lane& l : q.lanes) {
      if (l.texel_layer < 0) l.texel_layer = 0;
    }
    return q.image.dim != ImageDim::kCube;
  };
  ExpectAgreement({M::kLd, Opcode::kImageLoadMip}, kFormats, true, 4, false, no_cube);
  ExpectAgreement({M::kLdLz, Opcode::kImageLoad}, kFormats, true, 4, false, no_cube);
}

// Intel counts no layers where there is one (sampler.h), and gives the others another place in one
// dimension.
TEST(TextureAgreementTest, Sizes) {
  for (uint32_t seed = 0; seed < kRounds; ++seed) {
    Question q = Draw(kFormats[seed % std::size(kFormats)], seed);
    q.half = false;
    q.offset = {};
    const absl::StatusOr<Answers> intel = AskIntel(M::kResinfo, q, q.image, true);
    const absl::StatusOr<Answers> amd = AskAmd(Opcode::kImageGetResinfo, 0xf, q, q.image);
    ASSERT_TRUE(intel.ok() && amd.ok());
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const auto &i = (*intel)[lane], &a = (*amd)[lane];
      EXPECT_EQ(i[0], a[0]);
      EXPECT_EQ(i[3], a[3]) << "levels";
      const bool line = q.image.dim == ImageDim::k1d;
      if (!line) {
        EXPECT_EQ(i[1], a[1]);
      }
      const uint32_t third = line ? i[1] : i[2];
      const bool cube = q.image.dim == ImageDim::kCube;
      if (third != 0) {
        EXPECT_EQ(cube ? 6 * third : third, a[2]) << "depth, layers or faces";
      }
    }
  }
}

// --- Storage images ------------------------------------------------------------------------------

// Sends a typed message for one lane, at texel coordinates as far as the image has them.
absl::StatusOr<std::array<uint32_t, 4>> AskTyped(intel::MessageFields f, const Question& q,
                                                 scene::ClientImage& image,
                                                 absl::Span<const uint32_t> data) {
  eu::Thread thread;
  const Lane& l = q.lanes[0];
  const int flat = std::min(Axes(q.image), q.image.dim == ImageDim::kCube ? 2 : 3);
  int params = 0;
  const auto put = [&](int v) {
    eu::testing::SetDword(thread, 10 + params++, 0, static_cast<uint32_t>(v));
  };
  for (int k = 0; k < flat; ++k) put(l.texel[static_cast<size_t>(k)]);
  if (q.image.arrayed || q.image.dim == ImageDim::kCube) put(l.texel_layer);
  f.bti = 1;
  intel::SetLengths(intel::Generation::kGen12, f, params, 4);
  for (size_t k = 0; k < data.size(); ++k) {
    eu::testing::SetDword(thread, 20 + static_cast<int>(k), 0, data[k]);
  }
  const absl::StatusOr<uint32_t> desc = intel::BuildDescriptor(intel::Generation::kGen12, f);
  if (!desc.ok()) return desc.status();
  const absl::StatusOr<eu::Message> m =
      eu::DecodeMessage(intel::Info(f.message).sfid, false, *desc, intel::BuildExDescriptor(f));
  if (!m.ok()) return m.status();
  eu::MemoryView view;
  view.images = {{}, scene::ImageView{&image, image.texels.data(), image.format, true}};
  const absl::Status s = eu::ExecuteMessage(*m, {f.rlen == 0 ? -1 : 40, 10, 20}, 1, view, thread);
  if (!s.ok()) return s;
  std::array<uint32_t, 4> a{};
  for (size_t k = 0; k < 4; ++k) a[k] = eu::testing::Dword(thread, 40 + static_cast<int>(k), 0);
  return a;
}

constexpr scene::TexelFormat kStorageFormats[] = {
    scene::TexelFormat::kRgba32f, scene::TexelFormat::kRgba8,   scene::TexelFormat::kR8Snorm,
    scene::TexelFormat::kRg16f,   scene::TexelFormat::kRgba16i, scene::TexelFormat::kR32ui,
    scene::TexelFormat::kRg8ui};

TEST(TextureAgreementTest, StorageLoadsAndStores) {
  int differences = 0;
  for (uint32_t seed = 0; seed < kRounds; ++seed) {
    Question q = Draw(kStorageFormats[seed % std::size(kStorageFormats)], seed);
    q.half = false;
    scene::ClientImage other = q.image;
    Random r(seed);
    std::array<uint32_t, 4> data;
    for (uint32_t& d : data) {
      d = scene::IsIntegerFormat(q.image.format) ? r.Below(300) - 20 : AsBits(r.Number(-2, 2, 64));
    }
    intel::MessageFields f;
    f.channels = 0xf;
    f.message = M::kTypedWrite;
    ASSERT_TRUE(AskTyped(f, q, q.image, data).ok());
    const absl::StatusOr<rdna2::ImageOperation> store =
        Prepare(Opcode::kImageStore, 0xf, q, other, true);
    ASSERT_TRUE(store.ok()) << store.status();
    const std::vector<uint32_t> at = AddressOf(store->opcode(), q, q.lanes[0], true);
    const std::vector<uint8_t> before = other.texels;
    ASSERT_TRUE(store->Store(at, data).ok());
    differences += before != other.texels;
    ASSERT_EQ(q.image.texels, other.texels) << seed;
    f.message = M::kTypedRead;
    const auto intel = AskTyped(f, q, q.image, {});
    ASSERT_TRUE(intel.ok()) << intel.status();
    const auto load = Prepare(Opcode::kImageLoad, 0xf, q, other, true);
    ASSERT_TRUE(load.ok());
    const absl::StatusOr<rdna2::ImageResult> amd = load->Read(at);
    ASSERT_TRUE(amd.ok());
    for (size_t k = 0; k < 4; ++k) EXPECT_EQ((*intel)[k], amd->dwords[k]) << seed << " " << k;
  }
  EXPECT_GT(differences, 50) << "stores that changed a texel";
}

TEST(TextureAgreementTest, Atomics) {
  struct Operation {
    intel::AtomicOp intel;
    Opcode amd;
    size_t operands = 1;
  };
  // Increments of Intel's do not wrap at a limit, as AMD's do.
  constexpr Operation kOperations[] = {
      {intel::AtomicOp::kAnd, Opcode::kImageAtomicAnd},
      {intel::AtomicOp::kOr, Opcode::kImageAtomicOr},
      {intel::AtomicOp::kXor, Opcode::kImageAtomicXor},
      {intel::AtomicOp::kExchange, Opcode::kImageAtomicSwap},
      {intel::AtomicOp::kAdd, Opcode::kImageAtomicAdd},
      {intel::AtomicOp::kSub, Opcode::kImageAtomicSub},
      {intel::AtomicOp::kSMax, Opcode::kImageAtomicSmax},
      {intel::AtomicOp::kSMin, Opcode::kImageAtomicSmin},
      {intel::AtomicOp::kUMax, Opcode::kImageAtomicUmax},
      {intel::AtomicOp::kUMin, Opcode::kImageAtomicUmin},
      {intel::AtomicOp::kCompareExchange, Opcode::kImageAtomicCmpswap, 2}};
  int exchanged = 0;
  for (uint32_t seed = 0; seed < kRounds; ++seed) {
    const Operation& op = kOperations[seed % std::size(kOperations)];
    Question q = Draw(seed % 2 == 0 ? scene::TexelFormat::kR32ui : scene::TexelFormat::kR32i, seed);
    q.half = false;
    scene::ClientImage other = q.image;
    Random r(seed);
    const uint32_t value = r.Below(200) - 50;
    const uint32_t expected = seed % 4 == 0 ? r.Below(100) : 0;
    const auto amd = Prepare(op.amd, op.operands == 2 ? 3 : 1, q, other, true);
    ASSERT_TRUE(amd.ok()) << amd.status();
    const std::vector<uint32_t> at = AddressOf(amd->opcode(), q, q.lanes[0], true);
    uint32_t held = expected;
    if (const absl::Span<uint8_t> texel = amd->TexelOf(at); !texel.empty() && seed % 3 == 0) {
      std::memcpy(&held, texel.data(), 4);
    }
    intel::MessageFields f;
    f.message = M::kTypedAtomic;
    f.op = static_cast<uint8_t>(op.intel);
    f.returns = true;
    // Intel has the expected value first, AMD the new one.
    const std::vector<uint32_t> intel_data =
        op.operands == 2 ? std::vector<uint32_t>{held, value} : std::vector<uint32_t>{value};
    const std::vector<uint32_t> amd_data =
        op.operands == 2 ? std::vector<uint32_t>{value, held} : std::vector<uint32_t>{value};
    const auto intel = AskTyped(f, q, q.image, intel_data);
    ASSERT_TRUE(intel.ok()) << intel.status();
    const std::vector<uint8_t> before = other.texels;
    const rdna2::ImageResult result = amd->Atomic(at, amd_data);
    EXPECT_EQ((*intel)[0], result.dwords[0]) << seed;
    EXPECT_EQ(q.image.texels, other.texels) << seed;
    exchanged += before != other.texels;
  }
  EXPECT_GT(exchanged, 50);
}

// A quad whose lanes see different faces of a cube: both project onto the face of the first lane.
// Points beyond it are not multiples of 1/128, so that levels differ by rounding.
TEST(TextureAgreementTest, LevelsAcrossTheEdgesOfACube) {
  for (uint32_t seed = 0; seed < kRounds; ++seed) {
    Random r(seed);
    Question q = Draw(scene::TexelFormat::kR32f, seed);
    q.image.dim = ImageDim::kCube;
    q.image.width = q.image.height = 64;
    q.image.depth = 1;
    q.image.arrayed = false;
    q.image.layers = 6;
    q.image.levels = 7;
    Fill(q.image, r);
    q.sampler.lod_bias = 0;
    q.half = false;
    q.offset = {};
    for (Lane& l : q.lanes) l.at = DrawDirection(r);
    // Lane 0's face sees the others: their part along its axis has the same sign and is not small.
    for (size_t lane = 1; lane < 3; ++lane) {
      for (size_t k = 0; k < 3; ++k) {
        const float axis = q.lanes[0].at[k];
        float& part = q.lanes[lane].at[k];
        if (std::fabs(axis) == 1) part = std::copysign(std::max(std::fabs(part), 0.25f), axis);
      }
    }
    const absl::StatusOr<Answers> intel = AskIntel(M::kLod, q, q.image, false);
    const absl::StatusOr<Answers> amd = AskAmd(Opcode::kImageGetLod, 3, q, q.image);
    ASSERT_TRUE(intel.ok()) << intel.status();
    ASSERT_TRUE(amd.ok()) << amd.status();
    EXPECT_NEAR(AsFloat((*intel)[0][1]), AsFloat((*amd)[0][1]), 1e-3f) << seed;
  }
}

}  // namespace
}  // namespace kiln::sim
