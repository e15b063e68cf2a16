// See vertex_stream.h.
#include "core/sim/scene/vertex_stream.h"

#include <array>
#include <bit>
#include <cstddef>

#include "absl/strings/str_cat.h"

namespace kiln::sim::scene {
namespace {

constexpr uint32_t kMaxDistances = 8, kPerAttribute = 4;

absl::Status CheckSizes(const VertexStream& s) {
  const size_t n = s.positions.size();
  const auto each = [n](size_t size) { return size == 0 || size == n; };
  bool good = each(s.point_sizes.size()) && each(s.layers.size()) && each(s.viewports.size());
  for (const StreamValues& v : s.values) good &= v.bits.size() == n * v.components;
  for (const StreamDistances* d : {&s.clip, &s.cull}) good &= d->values.size() == n * d->each;
  good &= s.per_instance != 0 && n % s.per_instance == 0;
  if (!good) return absl::InvalidArgumentError("vertices: sizes do not fit together");
  if (s.clip.each + s.cull.each > kMaxDistances) {
    return absl::InvalidArgumentError("more than eight distances");
  }
  return absl::OkStatus();
}

// The primitives of a stream.
class Assembler {
 public:
  Assembler(const VertexStream& stream, FragmentInputs& draw) : s_(stream), draw_(draw) {}

  absl::Status Run(Topology topology) {
    const std::vector<std::array<uint32_t, 3>> primitives = Assemble(topology, s_.per_instance);
    const uint64_t all = primitives.size() * (s_.positions.size() / s_.per_instance);
    if (all > draw_.max_primitives) {
      return absl::ResourceExhaustedError(
          absl::StrCat(all, " primitives; at most ", draw_.max_primitives, " can be drawn"));
    }
    for (uint32_t first = 0; first < s_.positions.size(); first += s_.per_instance) {
      for (uint32_t number = 0; number < primitives.size(); ++number) {
        std::array<uint32_t, 3> v = primitives[number];
        for (uint32_t& vertex : v) vertex += first;
        Add(VerticesOf(topology), v, number);
        if (absl::Status s = draw_.limit.Spend(1); !s.ok()) return s;
      }
    }
    absl::Status s = Rasterise(triangles_, draw_);
    if (s.ok()) s = RasteriseLines(lines_, draw_);
    if (s.ok()) s = RasterisePoints(points_, draw_);
    return s;
  }

 private:
  void Add(int vertices, const std::array<uint32_t, 3>& v, uint32_t number) {
    if (vertices == 3) {
      Triangle& t = triangles_.emplace_back();
      Fill(v, number, t);
      for (size_t k = 0; k < 3; ++k) t.position[k] = s_.positions[v[k]];
    } else if (vertices == 2) {
      Line& line = lines_.emplace_back();
      Fill(v, number, line);
      line.position = {s_.positions[v[0]], s_.positions[v[1]]};
    } else {
      PointSprite& point = points_.emplace_back();
      Fill(v, number, point);
      point.position = s_.positions[v[0]];
      if (!s_.point_sizes.empty()) point.size = s_.point_sizes[v[0]];
    }
  }

  void Fill(const std::array<uint32_t, 3>& v, uint32_t number, PrimitiveData& p) const {
    p.number = number;
    if (!s_.layers.empty()) p.layer = s_.layers[v[0]];
    if (!s_.viewports.empty()) p.viewport = s_.viewports[v[0]];
    for (const StreamValues& values : s_.values) {
      for (uint32_t c = 0; c < values.components; ++c) {
        VertexValues& value = p.values.emplace_back();
        value.location = values.location;
        value.component = values.component + c;
        for (size_t k = 0; k < 3; ++k) {
          value.bits[k] = values.bits[size_t{v[k]} * values.components + c];
        }
      }
    }
    AddDistances(s_.clip, v, p, p.clip_distances);
    AddDistances(s_.cull, v, p, p.cull_distances);
  }

  static void AddDistances(const StreamDistances& from, const std::array<uint32_t, 3>& v,
                           PrimitiveData& p, std::vector<std::array<float, 3>>& to) {
    for (uint32_t d = 0; d < from.each; ++d) {
      const auto n = static_cast<uint32_t>(p.clip_distances.size() + p.cull_distances.size());
      BuiltInValues value{absl::StrCat("clip_distance_", n / kPerAttribute), n % kPerAttribute, {}};
      std::array<float, 3>& distances = to.emplace_back();
      for (size_t k = 0; k < 3; ++k) {
        distances[k] = from.values[size_t{v[k]} * from.each + d];
        value.bits[k] = std::bit_cast<uint32_t>(distances[k]);
      }
      p.built_ins.push_back(std::move(value));
    }
  }

  const VertexStream& s_;
  FragmentInputs& draw_;
  std::vector<Triangle> triangles_;
  std::vector<Line> lines_;
  std::vector<PointSprite> points_;
};

}  // namespace

absl::Status AddPrimitives(const VertexStream& stream, Topology topology, FragmentInputs& draw) {
  if (absl::Status s = CheckSizes(stream); !s.ok()) return s;
  return Assembler(stream, draw).Run(topology);
}

}  // namespace kiln::sim::scene
