// See launch_fragment.h.
#include "core/sim/rdna2/launch_fragment.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "absl/strings/str_format.h"
#include "core/base/float_bits.h"

namespace kiln::sim::rdna2 {
namespace {

// Bits of SPI_PS_INPUT_ENA and SPI_PS_INPUT_ADDR (Mesa, amd/registers/gfx103.json).
enum class Input : uint8_t {
  kPerspectiveSample,
  kPerspectiveCenter,
  kPerspectiveCentroid,
  kPullModel,
  kLinearSample,
  kLinearCenter,
  kLinearCentroid,
  kLineStipple,
  kPositionX,
  kPositionY,
  kPositionZ,
  kPositionW,
  kFrontFace,
  kAncillary,
  kSampleCoverage,
  kPixelPosition,
};

constexpr int kInputs = 16;
constexpr std::array<uint8_t, kInputs> kRegisters = {2, 2, 2, 3, 2, 2, 2, 1,
                                                     1, 1, 1, 1, 1, 1, 1, 1};

// Bit 31 of prim_mask: centroids are the centres (Mesa 25.0.7, ac_nir_lower_ps_late.c).
constexpr uint32_t kNoCentroids = 1u << 31;

// Any value other than those that programs are likely to have in m0 by chance.
constexpr uint32_t kPrimMask = 0x2b5a0000;

absl::Status Wrong(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("launch record: ", what));
}

uint32_t CountFormats(uint32_t formats) {
  uint32_t count = 0;
  for (; formats != 0; formats >>= 4) ++count;
  return count;
}

absl::Status CheckInputs(const out::LaunchRecord& record) {
  const out::AmdFragment& f = out::AmdOf(record).fragment;
  const uint32_t ena = f.spi_ps_input_ena, addr = f.spi_ps_input_addr;
  if (addr >> kInputs != 0 || (ena & ~addr) != 0) {
    return Wrong("inputs of fragments that are filled without a place");
  }
  // Mesa 25.0.7, radv_shader.c, radv_compute_spi_ps_input.
  if ((ena & 0x7f) == 0) return Wrong("no barycentrics, of which one kind must be enabled");
  if ((ena >> 11 & 1) != 0 && (ena & 0xf) == 0) {
    return Wrong("w of the position without barycentrics with perspective");
  }
  if (f.spi_ps_input_cntl.size() != record.fragment.inputs.size()) {
    return Wrong("number of SPI_PS_INPUT_CNTL registers");
  }
  return absl::OkStatus();
}

absl::Status CheckFormats(const out::LaunchRecord& record) {
  const out::AmdFragment& f = out::AmdOf(record).fragment;
  const uint32_t count = CountFormats(f.spi_shader_col_format);
  for (uint32_t k = 0; k < count; ++k) {
    const uint32_t format = f.spi_shader_col_format >> 4 * k & 15;
    if (format == 0 || format > 9) return Wrong("a format of colours");
  }
  const uint32_t z = f.spi_shader_z_format;
  if (z != 0 && z != 1 && z != 2 && z != 3 && z != 7 && z != 9) return Wrong("the format of depth");
  const bool alpha = (f.db_shader_control & kCoverageToMask) != 0;
  if (alpha && z != 3 && z != 9) return Wrong("coverage from alpha without its export");
  if (!alpha && z == 3) return Wrong("an alpha beside depth that nothing is made of");
  return absl::OkStatus();
}

// Returns true if DB_SHADER_CONTROL says what the rest of the record does, as far as a difference
// would change results; 0: the record does not have it. KILL_ENABLE is judged by exports. Fields:
// Mesa, amd/registers/gfx103.json; their values: Mesa 25.0.7, radv_shader.c,
// radv_compute_db_shader_control.
bool ControlAgrees(const out::LaunchRecord& record) {
  const uint32_t control = out::AmdOf(record).fragment.db_shader_control;
  const out::FragmentLaunch& f = record.fragment;
  if (control == 0) return true;
  const auto is = [&](int bit, bool wanted) { return (control >> bit & 1) == (wanted ? 1 : 0); };
  constexpr int kZExport = 0, kStencilExport = 1, kMaskExport = 8, kExecOnHierFail = 9,
                kExecOnNoop = 10, kDepthBeforeShader = 12, kPreShaderDepthCoverage = 23;
  const uint32_t order = control >> 4 & 3, conservative = control >> 13 & 3;
  constexpr uint32_t kLateZ = 0, kLessThanZ = 1, kGreaterThanZ = 2;
  // Fragments that fail a test must run if they write memory, and those must not whose tests are
  // early.
  const bool late = f.has_side_effects && !f.early_tests;
  const uint32_t promised = f.depth == out::DepthOutput::kLess      ? kLessThanZ
                            : f.depth == out::DepthOutput::kGreater ? kGreaterThanZ
                                                                    : 0;
  return is(kZExport, f.depth != out::DepthOutput::kOff) && is(kStencilExport, f.writes_stencil) &&
         is(kMaskExport, f.writes_sample_mask) && is(kExecOnHierFail, f.has_side_effects) &&
         is(kExecOnNoop, f.has_side_effects) && is(kDepthBeforeShader, f.early_tests) &&
         is(kPreShaderDepthCoverage, f.post_depth_coverage) && (!late || order == kLateZ) &&
         (conservative == 0 || conservative == promised);
}

// Killed lanes are taken from exports: without memory for them the hardware ignores exec (Mesa
// 25.0.7, radv_pipeline_graphics.c, radv_needs_null_export_workaround).
bool KillsWithoutExports(const out::AmdFragment& f) {
  constexpr uint32_t kKillEnable = 1 << 6;
  return (f.db_shader_control & kKillEnable) != 0 && f.spi_shader_col_format == 0 &&
         f.spi_shader_z_format == 0;
}

// Returns the point of a lane's pixel at which an input is evaluated.
scene::Point PlaceOf(Input input, const FragmentWave& of, int lane) {
  scene::Point in = {0.5, 0.5};
  switch (input) {
    case Input::kPerspectiveCentroid:
    case Input::kLinearCentroid: in = scene::Centroid(of.Coverage(lane), of.draw->samples); break;
    case Input::kPerspectiveSample:
    case Input::kLinearSample:
      // In programs that run once for a pixel the sample is the first one.
      in = of.SamplePlace(lane);
      break;
    case Input::kPositionX:
    case Input::kPositionY:
    case Input::kPositionZ:
    case Input::kPositionW:
      if (of.per_sample) in = of.SamplePlace(lane);
      break;
    default: break;
  }
  const scene::Point corner = of.Corner(lane);
  return {corner.x + in.x, corner.y + in.y};
}

// Returns i and j: the weights of the second and the third vertex in the hardware's order.
std::array<float, 2> WeightsOf(const FragmentWave& of, int lane, const scene::Point& at,
                               bool perspective) {
  const std::array<float, 2> b = of.ShapeOf(lane).Barycentrics(at, perspective);
  const std::array<float, 3> all = {1 - b[0] - b[1], b[0], b[1]};
  return {all[of.VertexAt(1, lane)], all[of.VertexAt(2, lane)]};
}

// i / w, j / w, 1 / w at the pixel's centre.
std::array<uint32_t, 3> PullModel(const FragmentWave& of, int lane, const scene::Point& at) {
  const std::array<float, 2> ij = WeightsOf(of, lane, at, /*perspective=*/true);
  const float inverse = 1 / of.ShapeOf(lane).W(at);
  return {AsBits(ij[0] * inverse), AsBits(ij[1] * inverse), AsBits(inverse)};
}

std::array<uint32_t, 3> Barycentrics(Input input, const FragmentWave& of, int lane,
                                     const scene::Point& at) {
  const bool perspective = input <= Input::kPerspectiveCentroid;
  const std::array<float, 2> ij = WeightsOf(of, lane, at, perspective);
  const uint32_t which = 4 * static_cast<uint32_t>(input);
  return {AsBits(scene::Jittered(*of.draw, ij[0], at, which + 4)),
          AsBits(scene::Jittered(*of.draw, ij[1], at, which + 5)), 0};
}

uint32_t Ancillary(const FragmentWave& of, int lane) {
  const uint32_t sample =
      of.per_sample ? of.subspans[static_cast<size_t>(lane / scene::kQuadPixels)].sample : 0;
  return sample << 8 | (of.ShapeOf(lane).layer & 0x1fff) << 16;
}

// LOAD_PROVOKING_VTX of SPI_SHADER_PGM_RSRC1_PS.
bool LoadsProvokingVertex(const out::LaunchRecord& record) {
  return (out::AmdOf(record).rsrc1 >> 27 & 1) != 0;
}

// Returns the dwords of an input in a lane.
std::array<uint32_t, 3> ValueOf(Input input, const FragmentWave& of, int lane) {
  const scene::Point at = PlaceOf(input, of, lane), corner = of.Corner(lane);
  const scene::Primitive& shape = of.ShapeOf(lane);
  const auto x = static_cast<uint32_t>(corner.x), y = static_cast<uint32_t>(corner.y);
  switch (input) {
    case Input::kPullModel: return PullModel(of, lane, at);
    case Input::kPositionX: return {AsBits(static_cast<float>(at.x))};
    case Input::kPositionY: return {AsBits(static_cast<float>(at.y))};
    case Input::kPositionZ: return {AsBits(scene::Jittered(*of.draw, shape.Depth(at), at, 1))};
    case Input::kPositionW: return {AsBits(scene::Jittered(*of.draw, 1 / shape.W(at), at, 2))};
    case Input::kFrontFace: return {AsBits(shape.back_facing ? -1.0f : 1.0f)};
    case Input::kAncillary: return {Ancillary(of, lane)};
    case Input::kSampleCoverage: return {of.InputCoverage(lane)};
    case Input::kPixelPosition: return {x | y << 16};
    case Input::kLineStipple: return {0};
    default: return Barycentrics(input, of, lane, at);
  }
}

// Returns true if the primitive covers every sample of the wave's pixels.
bool CoversAll(const FragmentWave& of) {
  const uint32_t all = (uint32_t{1} << of.draw->samples) - 1;
  for (uint64_t lanes = of.quads; lanes != 0; lanes &= lanes - 1) {
    if (of.Coverage(std::countr_zero(lanes)) != all) return false;
  }
  return true;
}

// Returns true for centroids that the hardware does not compute, because the program has the
// centres as well.
bool IsLeftOut(Input input, const FragmentWave& of) {
  const bool centroid = input == Input::kPerspectiveCentroid || input == Input::kLinearCentroid;
  const uint32_t ena = out::AmdOf(*of.record).fragment.spi_ps_input_ena;
  return centroid && (of.prim_mask & kNoCentroids) != 0 &&
         (ena >> (static_cast<int>(input) - 1) & 1) != 0;
}

void FillLane(const FragmentWave& of, int lane, WaveState& w) {
  const out::AmdFragment& f = out::AmdOf(*of.record).fragment;
  size_t vgpr = 0;
  for (int i = 0; i < kInputs; ++i) {
    if ((f.spi_ps_input_addr >> i & 1) == 0) continue;
    const size_t count = kRegisters[static_cast<size_t>(i)];
    if ((f.spi_ps_input_ena >> i & 1) != 0 && !IsLeftOut(static_cast<Input>(i), of)) {
      const std::array<uint32_t, 3> value = ValueOf(static_cast<Input>(i), of, lane);
      for (size_t k = 0; k < count; ++k) w.vector[vgpr + k][static_cast<size_t>(lane)] = value[k];
    }
    vgpr += count;
  }
}

}  // namespace

absl::Status CheckFragmentRecord(const out::LaunchRecord& record,
                                 const scene::FragmentInputs& draw) {
  if (record.fragment.samples != draw.samples) {
    return absl::InvalidArgumentError(
        absl::StrFormat("draw: %d samples a pixel; the program was compiled for %d", draw.samples,
                        record.fragment.samples));
  }
  if (draw.output.alpha_to_coverage != record.fragment.alpha_to_coverage) {
    return absl::InvalidArgumentError(
        "draw: alpha to coverage is not what the program was compiled for");
  }
  if (absl::Status s = CheckInputs(record); !s.ok()) return s;
  if (absl::Status s = CheckFormats(record); !s.ok()) return s;
  if (!ControlAgrees(record)) return Wrong("DB_SHADER_CONTROL does not say what the rest does");
  if (KillsWithoutExports(out::AmdOf(record).fragment)) {
    return Wrong("lanes are killed without a format, so without memory for exports");
  }
  return scene::CheckDraw(draw);
}

uint32_t FragmentInputVgprs(const out::LaunchRecord& record) {
  const out::AmdFragment& f = out::AmdOf(record).fragment;
  uint32_t vgpr = 0, end = 0;
  for (int i = 0; i < kInputs; ++i) {
    if ((f.spi_ps_input_addr >> i & 1) != 0) vgpr += kRegisters[static_cast<size_t>(i)];
    if ((f.spi_ps_input_ena >> i & 1) != 0) end = vgpr;
  }
  return end;
}

std::vector<FragmentWave> FragmentWaves(const out::LaunchRecord& record, bool opposite,
                                        const scene::QuadRange& quads,
                                        scene::FragmentInputs& draw) {
  std::vector<FragmentWave> waves;
  for (scene::QuadGroup& group : scene::GroupQuads(
           record.dispatch_width, record.fragment.per_sample, opposite, quads, draw)) {
    FragmentWave& wave = waves.emplace_back();
    static_cast<scene::QuadGroup&>(wave) = std::move(group);
    wave.record = &record;
    wave.prim_mask = kPrimMask | (wave.primitive & 0xffff);
    if (CoversAll(wave)) wave.prim_mask |= kNoCentroids;
    wave.told_vertices = LoadsProvokingVertex(record);
  }
  return waves;
}

namespace {

// Returns two bits for each quad of a wave.
uint32_t ProvokingVertices(const FragmentWave& of) {
  uint32_t all = 0;
  constexpr int kQuads = kMaxLanes / static_cast<int>(scene::kQuadPixels);
  for (int q = 0; q < kQuads; ++q) {
    all |= of.ProvokingVertex(static_cast<int>(scene::kQuadPixels) * q) << 2 * q;
  }
  return all;
}

}  // namespace

void FillFragmentWave(const FragmentWave& of, int sgpr, WaveState& w) {
  const out::AmdLaunch& amd = out::AmdOf(*of.record);
  w.SetScalar(sgpr++, of.prim_mask);
  if (LoadsProvokingVertex(*of.record)) w.SetScalar(sgpr++, ProvokingVertices(of));
  if ((amd.rsrc2 & 1) != 0) w.SetScalar(sgpr, 0);
  for (int lane = 0; lane < w.lanes(); ++lane) {
    if ((of.quads >> lane & 1) != 0) FillLane(of, lane, w);
  }
  w.SetLaneMask(isa::kExecLo, of.covered);
}

uint32_t PixelState(const out::LaunchRecord& record, const scene::FragmentInputs& draw,
                    const scene::Primitive& primitive) {
  const uint32_t shaded = record.fragment.per_sample ? draw.samples : 1;
  // Every `shaded`-th sample: Mesa 25.0.7, ac_shader_util.c, ac_get_ps_iter_mask.
  uint32_t mask = 0;
  for (uint32_t s = 0; s < 16; s += shaded) mask |= 1u << s;
  const bool point =
      std::any_of(primitive.built_ins.begin(), primitive.built_ins.end(),
                  [](const scene::BuiltInValues& v) { return v.attribute == "point_coord"; });
  const uint32_t kind = point ? 0 : primitive.vertices - 1;
  return draw.samples | mask << 6 | kind << 22;
}

}  // namespace kiln::sim::rdna2
