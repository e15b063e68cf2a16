// See clip.h. Sutherland and Hodgman's algorithm, plane by plane.
#include "core/sim/scene/clip.h"

#include <cstddef>

namespace kiln::sim::scene {
namespace {

// Inside: a x + b y + c w >= 0.
struct Plane {
  double a, b, c;

  double Distance(const Homogeneous& p) const { return a * p[0] + b * p[1] + c * p[2]; }
};

Homogeneous Between(const Homogeneous& p, const Homogeneous& q, double part) {
  Homogeneous r{};
  for (size_t k = 0; k < 3; ++k) r[k] = p[k] + part * (q[k] - p[k]);
  return r;
}

std::vector<Homogeneous> ClipBy(const Plane& plane, const std::vector<Homogeneous>& in) {
  std::vector<Homogeneous> out;
  const size_t n = in.size();
  for (size_t k = 0; k < n; ++k) {
    const Homogeneous &p = in[k], &q = in[(k + 1) % n];
    const double dp = plane.Distance(p), dq = plane.Distance(q);
    if (dp >= 0) out.push_back(p);
    // A line has one edge, not two.
    if (n == 2 && k == 1) break;
    if ((dp >= 0) != (dq >= 0)) out.push_back(Between(p, q, dp / (dp - dq)));
  }
  return out;
}

}  // namespace

std::vector<Homogeneous> Clip(absl::Span<const Homogeneous> corners, double limit) {
  const Plane planes[] = {{0, 0, 1}, {1, 0, limit}, {-1, 0, limit}, {0, 1, limit}, {0, -1, limit}};
  std::vector<Homogeneous> left(corners.begin(), corners.end());
  for (const Plane& plane : planes) {
    left = ClipBy(plane, left);
    if (left.size() < 2) return {};
  }
  return left;
}

}  // namespace kiln::sim::scene
