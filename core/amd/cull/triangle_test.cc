#include "core/amd/cull/triangle.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/amd/abi/vertex.h"
#include "core/mir/verify.h"
#include "core/oracle/interp.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using mir::Op;
using mir::Type;
using mir::ValueId;

constexpr uint32_t kLanes = 32;

struct Case {
  float corners[3][3];  // x / w, y / w, w
  uint32_t settings = 0;
  float viewport[4] = {8, 8, 8, 8};  // scale x, y, offset x, y
  uint32_t outside[3] = {};
};
static_assert(sizeof(Case) == 4 * 17);

// Each lane tests its case of buffer 0, and stores 2 in buffer 1 if `keep` was executed, 1 more if
// the result was true.
mir::Module ModuleOfTests() {
  mir::Module m;
  m.local_size = {kLanes, 1, 1};
  m.resources.resize(2);
  m.resources[1].binding = 1;
  m.body = mir::NewRegion(m);
  mir::Builder b(m);
  b.SetRegion(m.body);
  const ValueId lane = b.LocalIndex();
  const ValueId at = b.Imul(lane, b.Int(sizeof(Case)));
  const auto load = [&](uint32_t dword, Type type) {
    const ValueId offset = b.Iadd(at, b.Int(4 * dword));
    return m.result(b.Load(Op::kLoadSsbo, 0, offset, {&type, 1}));
  };
  std::array<Corner, 3> corners;
  for (uint32_t i = 0; i < 3; ++i) {
    corners[i] = {load(3 * i, Type::kF32), load(3 * i + 1, Type::kF32), load(3 * i + 2, Type::kF32),
                  load(14 + i, Type::kI32)};
  }
  const CullingState state = {load(9, Type::kI32),
                              {load(10, Type::kF32), load(11, Type::kF32)},
                              {load(12, Type::kF32), load(13, Type::kF32)}};
  const ValueId out = b.Shl(lane, b.Int(2));
  const auto add = [&](uint32_t more) {
    const Type type = Type::kI32;
    const ValueId old = m.result(b.Load(Op::kLoadSsbo, 1, out, {&type, 1}));
    b.Store(Op::kStoreSsbo, 1, out, {b.Iadd(old, b.Int(more))});
  };
  const ValueId kept = KeepTriangle(b, corners, state, [&] { add(2); });
  const mir::InstId result = b.If(kept);
  b.SetRegion(m.inst(result).regions[0]);
  add(1);
  b.Yield();
  b.SetRegion(m.inst(result).regions[1]);
  b.Yield();
  b.SetRegion(m.body);
  b.Return();
  return m;
}

// Returns whether each case is kept; both ways to know it agree.
std::vector<bool> Kept(const std::vector<Case>& cases) {
  const mir::Module m = ModuleOfTests();
  EXPECT_EQ(mir::Verify(m), absl::OkStatus());
  std::vector<bool> kept;
  for (size_t first = 0; first < cases.size(); first += kLanes) {
    oracle::LaunchInputs inputs;
    oracle::BoundBuffer given, out;
    given.bytes.resize(kLanes * sizeof(Case));
    out.binding = 1;
    out.bytes.resize(size_t{4} * kLanes);
    const size_t count = std::min<size_t>(kLanes, cases.size() - first);
    std::memcpy(given.bytes.data(), &cases[first], count * sizeof(Case));
    inputs.buffers = {given, out};
    const auto run = oracle::Interpret(m, inputs);
    EXPECT_TRUE(run.ok()) << run.status();
    for (size_t lane = 0; lane < count; ++lane) {
      uint32_t word;
      std::memcpy(&word, inputs.buffers[1].bytes.data() + 4 * lane, 4);
      EXPECT_TRUE(word == 0 || word == 3) << word;
      kept.push_back(word == 3);
    }
  }
  return kept;
}

// The rules of triangle.h in doubles, exact for cases on a grid.
bool Expected(const Case& c) {
  const auto& [p, q, r] = c.corners;
  const bool behind = !(p[2] > 0) && !(q[2] > 0) && !(r[2] > 0);
  const bool negative = std::signbit(p[2]) || std::signbit(q[2]) || std::signbit(r[2]);
  double area = double{p[0]} * q[1] - double{p[1]} * q[0] + double{q[0]} * r[1] -
                double{q[1]} * r[0] + double{r[0]} * p[1] - double{r[1]} * p[0];
  const int mirrors = std::signbit(p[2]) + std::signbit(q[2]) + std::signbit(r[2]);
  if (mirrors % 2 != 0) area = -area;
  const bool counter_clockwise = area < 0;  // y down
  const bool front = counter_clockwise == ((c.settings & kFrontIsCounterClockwise) != 0);
  const bool face = (c.settings & (front ? kCullFront : kCullBack)) != 0 || area == 0;
  bool box = false;
  const double margin = std::exp2(static_cast<int32_t>(c.settings) >> kCullingPrecisionShift);
  for (int axis = 0; axis < 2; ++axis) {
    const double low = std::min({p[axis], q[axis], r[axis]});
    const double high = std::max({p[axis], q[axis], r[axis]});
    box |= high < -1 || low > 1;
    const double scale = c.viewport[axis], offset = c.viewport[2 + axis];
    const double from = low * scale + offset - margin, to = high * scale + offset + margin;
    box |= (c.settings & kCullSmall) != 0 && std::nearbyint(from) == std::nearbyint(to);
  }
  const bool clipped = (c.outside[0] & c.outside[1] & c.outside[2]) != 0;
  return !behind && !face && !clipped && !(box && !negative);
}

uint32_t Precision(int log2) { return static_cast<uint32_t>(log2) << kCullingPrecisionShift; }

TEST(Triangle, RulesOnAGrid) {
  std::mt19937 random(1);
  std::vector<Case> cases(20000);
  for (Case& c : cases) {
    // Coarse and fine grids: areas of 0, corners on edges of the screen and on samples.
    const float step = random() % 2 == 0 ? 0.25f : 0x1p-6f;
    const int most = random() % 2 == 0 ? 6 : 70;
    for (auto& corner : c.corners) {
      for (int axis = 0; axis < 2; ++axis) {
        corner[axis] =
            step * static_cast<float>(static_cast<int>(random() % (2 * most + 1)) - most);
      }
      constexpr float kW[] = {1, 1, 1, 1, 2, 0.5f, -1, -0.0f, 0};
      corner[2] = kW[random() % 9];
    }
    const int samples = 1 << random() % 4;  // 1, 2, 4, 8
    for (float& v : c.viewport) v *= static_cast<float>(samples);
    for (uint32_t& bits : c.outside) bits = random() % 256 & random();
    c.settings = random() % 16 | Precision(std::countr_zero(static_cast<uint32_t>(samples)) - 8);
  }
  const std::vector<bool> kept = Kept(cases);
  int count = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    ASSERT_EQ(kept[i], Expected(cases[i])) << i << " settings " << cases[i].settings;
    count += kept[i] ? 1 : 0;
  }
  EXPECT_GT(count, 2000);
  EXPECT_LT(count, 18000);
}

TEST(Triangle, EachTestAlone) {
  const Case large = {{{-0.5f, -0.5f, 1}, {-0.5f, 0.5f, 1}, {0.5f, -0.5f, 1}}};  // ccw, y down
  const auto with = [&](auto change, uint32_t settings = 0) {
    Case c = large;
    c.settings = settings;
    change(c);
    return c;
  };
  const auto same = [](Case&) {};
  const auto reversed = [](Case& c) { std::swap(c.corners[0], c.corners[1]); };
  const auto tiny = [](Case& c) {
    for (auto& corner : c.corners) {
      for (int axis = 0; axis < 2; ++axis) corner[axis] = corner[axis] * 0.0625f;
    }
  };
  const uint32_t ccw = kFrontIsCounterClockwise, small = kCullSmall | Precision(-8);
  const std::vector<std::pair<Case, bool>> all = {
      {with(same), true},
      {with(same, kCullFront | ccw), false},
      {with(same, kCullBack | ccw), true},
      {with(same, kCullFront), true},
      {with(same, kCullBack), false},
      {with(reversed, kCullFront | ccw), true},
      {with(reversed, kCullBack | ccw), false},
      {with([](Case& c) { c.corners[1][2] = -1; }, kCullFront | ccw), true},
      {with([](Case& c) { c.corners[1][2] = -1; }, kCullBack | ccw), false},
      {with([](Case& c) { c.corners[0][2] = c.corners[1][2] = c.corners[2][2] = -1; }), false},
      {with([](Case& c) { c.corners[0][2] = c.corners[1][2] = c.corners[2][2] = 0; }), false},
      {with([](Case& c) { std::copy(c.corners[0], c.corners[0] + 2, c.corners[2]); }), false},
      {with([](Case& c) { c.outside[0] = c.outside[1] = c.outside[2] = 0x80; }), false},
      {with([](Case& c) { c.outside[0] = c.outside[1] = 0xff, c.outside[2] = 1; }), false},
      {with([](Case& c) { c.outside[0] = c.outside[1] = 0xff; }), true},
      {with([](Case& c) { c.outside[0] = 1, c.outside[1] = 2, c.outside[2] = 4; }), true},
      {with([](Case& c) {
         for (auto& corner : c.corners) corner[0] += 1.75f;
       }),
       false},
      {with([](Case& c) {
         for (auto& corner : c.corners) corner[1] -= 1.75f;
       }),
       false},
      {with([](Case& c) {
         for (auto& corner : c.corners) corner[0] += 1.25f;
       }),
       true},
      {with([](Case& c) {
         for (auto& corner : c.corners) corner[0] += 1.75f;
         c.corners[0][2] = -1;
       }),
       true},
      // Between the samples at 7.5 and 8.5; over 7.5 by more samples, or a large margin.
      {with(tiny, small), false},
      {with(tiny), true},
      {with(
           [&](Case& c) {
             tiny(c);
             for (float& v : c.viewport) v *= 4;
           },
           kCullSmall | Precision(-6)),
       true},
      {with(tiny, kCullSmall | Precision(-1)), true},
      {with(
           [&](Case& c) {
             tiny(c);
             for (auto& corner : c.corners) corner[0] += 0.0625f, corner[1] += 0.0625f;
           },
           small),
       true}};
  std::vector<Case> cases;
  for (const auto& [c, keep] : all) cases.push_back(c);
  const std::vector<bool> kept = Kept(cases);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(kept[i], all[i].second) << i;
    EXPECT_EQ(Expected(all[i].first), all[i].second) << i;
  }
}

// Coordinates that are no numbers cull nothing by themselves.
TEST(Triangle, NumbersThatAreNotFinite) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const uint32_t all = kCullFront | kCullBack;
  std::vector<Case> cases = {
      {{{kNan, 0, 1}, {0, 0.5f, 1}, {0.5f, 0, 1}}, all},
      {{{kInf, kInf, 1}, {0, 0.5f, 1}, {0.5f, 0, 1}}, all},
      {{{-kInf, 0, 1}, {0, 0.5f, 1}, {0.5f, 0, 1}}, all},
      {{{0, 0, kNan}, {0, 0.5f, kNan}, {0.5f, 0, kNan}}},   // no w is positive
      {{{kInf, 0, 1}, {kInf, 0.5f, 1}, {kInf, 0.25f, 1}}},  // beyond
      {{{2, kNan, 1}, {2, 0.5f, 1}, {2, 0.25f, 1}}},        // by x
      {{{0, kNan, 1}, {2, 0.5f, 1}, {-2, 0.25f, 1}}},
  };
  EXPECT_EQ(Kept(cases), (std::vector<bool>{true, true, true, false, false, false, true}));
}

}  // namespace
}  // namespace kiln::amd
