#include "tests/exec/interpret_draw.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/float_bits.h"
#include "core/sim/scene/quad_group.h"

namespace kiln::exec {
namespace {

using mir::BuiltIn;
using mir::Interface;
using mir::Interpolation;
using mir::Type;
using oracle::StageData;
using sim::scene::FragmentInputs;
using sim::scene::kQuadPixels;
using sim::scene::Point;
using sim::scene::Primitive;
using sim::scene::Quad;
using sim::scene::QuadRange;
using sim::scene::QuadsOfPrimitive;
using sim::scene::QuadsOfPrimitives;
using sim::scene::VertexValues;

struct Lane {
  const Primitive* primitive = nullptr;
  uint32_t x = 0, y = 0;
  uint32_t sample = 0;
  uint32_t covered = 0;  // bits of the samples that it stands for
  // belongs to a sample that no pixel of its quad covers: the lane exists nevertheless
  bool off = false;
  Point at;  // where its inputs are evaluated
};

uint32_t Bits(double v) { return AsBits(static_cast<float>(v)); }

class Interpretation {
 public:
  Interpretation(const mir::Module& module, bool per_sample, Interpolating interpolating,
                 bool together, oracle::LaunchInputs& inputs, FragmentInputs& draw)
      : m_(module),
        per_sample_(per_sample),
        interpolating_(interpolating),
        together_(together),
        in_(inputs),
        draw_(draw),
        places_(sim::scene::SamplePositions(draw.samples)) {}

  absl::Status Run() {
    for (size_t next = 0; next < draw_.quads.size();) {
      const QuadRange quads =
          together_ ? QuadsOfPrimitives(draw_, next) : QuadsOfPrimitive(draw_, next);
      next = quads.end;
      FindLanes(quads);
      Fill();
      if (const auto run = oracle::Interpret(m_, in_); !run.ok()) return run.status();
      Keep();
    }
    return absl::OkStatus();
  }

 private:
  void FindLanes(const QuadRange& quads) {
    lanes_.clear();
    for (size_t q = quads.first; q < quads.end; ++q) {
      const Quad& quad = draw_.quads[q];
      for (uint32_t s = 0; s < (per_sample_ ? draw_.samples : 1); ++s) {
        const uint32_t mask = per_sample_ ? 1u << s : ~0u;
        uint32_t any = 0;
        for (uint32_t c : quad.coverage) any |= c & mask;
        for (uint32_t p = 0; p < kQuadPixels; ++p) {
          const Point in = per_sample_ ? places_[s] : Point{0.5, 0.5};
          const uint32_t x = quad.x + p % 2, y = quad.y + p / 2;
          lanes_.push_back({&draw_.primitives[quad.primitive],
                            x,
                            y,
                            s,
                            quad.coverage[p] & mask,
                            any == 0,
                            {x + in.x, y + in.y}});
        }
      }
    }
  }

  void Fill() {
    StageData& stage = in_.stage;
    stage = StageData();
    stage.invocations = static_cast<uint32_t>(lanes_.size());
    for (const Lane& lane : lanes_) {
      stage.helpers.push_back(lane.covered == 0);
      stage.off.push_back(lane.off);
      stage.sample_ids.push_back(lane.sample);
      stage.centroids.push_back(Centroid(lane));
      stage.inverse_w.push_back(InverseW(lane));
    }
    for (const Point& p : places_) {
      stage.samples.push_back({static_cast<float>(p.x - 0.5), static_cast<float>(p.y - 0.5)});
    }
    for (const Interface& v : m_.inputs) {
      std::vector<uint64_t> values;
      std::vector<std::array<float, 2>> slopes;
      const bool per_vertex = v.interpolation == Interpolation::kPerVertex;
      const uint32_t count = v.elements * v.components * (per_vertex ? mir::kVertices : 1);
      for (uint32_t n = 0; n < count; ++n) {
        for (const Lane& lane : lanes_) {
          slopes.push_back({0, 0});
          values.push_back(v.builtin != BuiltIn::kNone ? BuiltInOf(v, n, lane, &slopes.back())
                                                       : ValueOf(v, n, lane, &slopes.back()));
        }
      }
      stage.inputs.push_back(std::move(values));
      stage.slopes.push_back(std::move(slopes));
    }
  }

  // A partly covered pixel uses the first of its covered samples (core/sim/scene/fragment.h).
  std::array<float, 2> Centroid(const Lane& lane) const {
    const bool partly = lane.covered != 0 && lane.covered != (1u << places_.size()) - 1;
    if (per_sample_ || !partly) return {0, 0};
    const Point& p = places_[std::countr_zero(lane.covered)];
    return {static_cast<float>(p.x - 0.5), static_cast<float>(p.y - 0.5)};
  }

  static std::array<float, 3> InverseW(const Lane& lane) {
    const Primitive& primitive = *lane.primitive;
    std::array<double, 2> slope = {0, 0};
    for (size_t k = 0; k < 3; ++k) {
      for (size_t i = 0; i < 2; ++i) slope[i] += primitive.weight[k][i] * primitive.inverse_w[k];
    }
    return {1 / primitive.W(lane.at), static_cast<float>(slope[0]), static_cast<float>(slope[1])};
  }

  uint64_t BuiltInOf(const Interface& v, uint32_t component, const Lane& lane,
                     std::array<float, 2>* slope) const {
    const Primitive& primitive = *lane.primitive;
    switch (v.builtin) {
      case BuiltIn::kFragCoord:
        return component == 0   ? Bits(lane.at.x)
               : component == 1 ? Bits(lane.at.y)
               : component == 2 ? Bits(primitive.Depth(lane.at))
                                : Bits(1 / primitive.W(lane.at));
      case BuiltIn::kFrontFacing: return !primitive.back_facing;
      case BuiltIn::kPrimitiveId: return primitive.number;
      case BuiltIn::kBaryCoord:
      case BuiltIn::kBaryCoordNoPerspective: {
        const bool perspective = v.builtin == BuiltIn::kBaryCoord;
        const std::array<float, 2> b = primitive.Barycentrics(lane.at, perspective);
        // Lanes of samples are at their own place, which they do not leave.
        for (size_t i = 0; i < 2 && !per_sample_; ++i) {
          const double factor =
              perspective ? primitive.inverse_w[component] : primitive.scale[component];
          (*slope)[i] = static_cast<float>(primitive.weight[component][i] * factor);
        }
        return AsBits(component == 0 ? 1 - b[0] - b[1] : b[component - 1]);
      }
      case BuiltIn::kSampleId: return lane.sample;
      default: return lane.covered;
    }
  }

  uint64_t ValueOf(const Interface& v, uint32_t n, const Lane& lane,
                   std::array<float, 2>* slope) const {
    const Primitive& primitive = *lane.primitive;
    const uint32_t vertex = n / (v.elements * v.components);  // of a per-vertex input
    const uint32_t location = v.location + n / v.components % v.elements;
    const uint32_t component = v.component + n % v.components;
    for (const VertexValues& values : primitive.values) {
      if (values.location != location || values.component != component) continue;
      if (v.interpolation == Interpolation::kPerVertex) return values.bits[vertex];
      if (v.type != Type::kF32 || v.interpolation == Interpolation::kFlat) return values.bits[0];
      const auto at = [&](int k) { return AsFloat(values.bits[k]); };
      const std::array<float, 2> b =
          primitive.Barycentrics(lane.at, v.interpolation == Interpolation::kSmooth);
      const float along_1 = at(1) - at(0), along_2 = at(2) - at(0);
      const auto& w = primitive.weight;
      for (size_t i = 0; i < 2; ++i) {
        (*slope)[i] = static_cast<float>(along_1 * w[1][i] * primitive.scale[1] +
                                         along_2 * w[2][i] * primitive.scale[2]);
      }
      if (interpolating_ == Interpolating::kFirstVertexFirst) {
        return AsBits(std::fmaf(along_2, b[1], std::fmaf(along_1, b[0], at(0))));
      }
      return AsBits(std::fmaf(along_1, b[0], std::fmaf(along_2, b[1], at(0))));
    }
    return 0;
  }

  void Keep() {
    for (size_t i = 0; i < lanes_.size(); ++i) {
      const Lane& lane = lanes_[i];
      if (m_.fragment.early_tests) KeepDepth(lane, lane.covered);
      if (!in_.stage.live[i]) continue;
      uint32_t samples = lane.covered;
      const uint32_t* depth = nullptr;
      uint32_t given = 0;
      for (size_t o = 0; o < m_.outputs.size(); ++o) {
        const auto value = static_cast<uint32_t>(in_.stage.outputs[o][i]);
        if (m_.outputs[o].builtin == BuiltIn::kSampleMask) samples &= value;
        if (m_.outputs[o].builtin != BuiltIn::kFragDepth) continue;
        given = value;
        depth = &given;
      }
      if (!m_.fragment.early_tests && depth == nullptr) KeepDepth(lane, samples);
      for (; samples != 0; samples &= samples - 1) {
        const auto s = static_cast<uint32_t>(std::countr_zero(samples));
        const size_t at = draw_.At(lane.x, lane.y, s);
        if (!m_.fragment.early_tests && depth != nullptr) draw_.depth[at] = AsFloat(*depth);
        KeepColours(i, at);
      }
    }
  }

  // Keeps the primitive's depth at samples of the lane's pixel. Early tests do so before the
  // program runs, whatever it discards or stores (Vulkan 1.3, "Early Fragment Tests").
  void KeepDepth(const Lane& lane, uint32_t samples) {
    for (; samples != 0; samples &= samples - 1) {
      const auto s = static_cast<uint32_t>(std::countr_zero(samples));
      draw_.depth[draw_.At(lane.x, lane.y, s)] =
          lane.primitive->Depth({lane.x + places_[s].x, lane.y + places_[s].y});
    }
  }

  void KeepColours(size_t lane, size_t at) {
    for (size_t o = 0; o < m_.outputs.size(); ++o) {
      const Interface& v = m_.outputs[o];
      if (v.builtin != BuiltIn::kNone) continue;
      for (sim::scene::RenderTarget& t : draw_.targets) {
        for (uint32_t c = 0; t.location == v.location && c < v.components; ++c) {
          t.texels[4 * at + v.component + c] =
              static_cast<uint32_t>(in_.stage.outputs[o][c * lanes_.size() + lane]);
        }
      }
    }
  }

  const mir::Module& m_;
  const bool per_sample_;
  const Interpolating interpolating_;
  const bool together_;
  oracle::LaunchInputs& in_;
  FragmentInputs& draw_;
  const absl::Span<const Point> places_;
  std::vector<Lane> lanes_;  // that run together
};

}  // namespace

absl::Status InterpretDraw(const mir::Module& module, bool per_sample, Interpolating interpolating,
                           bool together, oracle::LaunchInputs& inputs, FragmentInputs& draw) {
  return Interpretation(module, per_sample, interpolating, together, inputs, draw).Run();
}

}  // namespace kiln::exec
