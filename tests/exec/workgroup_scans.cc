#include "tests/exec/workgroup_scans.h"

#include <optional>
#include <random>
#include <vector>

#include "tests/exec/scan_runner.h"

namespace kiln::exec {
namespace {

using amd::ScanShape;

constexpr size_t kBatch = 2048;  // workgroups of a dispatch

class Proof {
 public:
  Proof(uint32_t step, uint32_t seed) : step_(step), next_(seed % step), rng_(seed) {}

  void Run(uint32_t random) {
    for (const ScanShape& shape :
         {ScanShape{32, 8, 1}, ScanShape{64, 4, 1}, ScanShape{32, 4, 1}, ScanShape{64, 2, 1}}) {
      Begin(shape, shape.waves);
      for (uint32_t present = 1; present <= shape.waves; ++present) OneStream(present);
      End();
    }
    for (const ScanShape& shape :
         {ScanShape{32, 8, 2}, ScanShape{64, 4, 2}, ScanShape{32, 4, 2}, ScanShape{64, 2, 2}}) {
      Begin(shape, shape.waves);
      for (uint32_t present = 1; present <= shape.waves; ++present) TwoStreams(present);
      End();
    }
    Random(random);
    EachNumberOfWaves();
  }

  ScanProof result() && { return std::move(result_); }

 private:
  void Begin(const ScanShape& shape, uint32_t launched) {
    shape_ = shape;
    runner_.emplace(shape, launched);
  }

  // Adds a case; absent waves get anything. `sampled`: only every step-th is run.
  void Add(ScanCase c, bool sampled = true) {
    if (!result_.failure.empty()) return;
    if (sampled && next_-- != 0) return;
    if (sampled) next_ = step_ - 1;
    for (auto& counts : c.counts) {
      for (size_t wave = c.present; wave < counts.size(); ++wave) counts[wave] = rng_();
    }
    batch_.push_back(c);
    if (batch_.size() == kBatch) Flush();
  }

  void Flush() {
    if (batch_.empty()) return;
    result_.cases += batch_.size();
    if (result_.failure.empty()) result_.failure = runner_->All(batch_);
    batch_.clear();
  }
  void End() { Flush(); }

  uint32_t Value(uint64_t digit) const {
    const uint32_t values[] = {0, 1, shape_.width - 1, shape_.width};
    return values[digit % 4];
  }
  static uint64_t Combinations(uint32_t waves) { return uint64_t{1} << (2 * waves); }

  void Set(ScanCase& c, size_t stream, uint64_t combination) const {
    for (uint32_t wave = 0; wave < c.present; ++wave) {
      c.counts[stream][wave] = Value(combination >> (2 * wave));
    }
  }

  void OneStream(uint32_t present) {
    for (uint64_t i = 0; i < Combinations(present); ++i) {
      ScanCase c = {.present = present};
      Set(c, 0, i);
      Add(c);
    }
  }

  void TwoStreams(uint32_t present) {
    const uint64_t all = Combinations(present);
    if (present <= 4) {
      for (uint64_t i = 0; i < all * all; ++i) {
        ScanCase c = {.present = present};
        Set(c, 0, i % all);
        Set(c, 1, i / all);
        Add(c);
      }
      return;
    }
    // Beside nothing, all lanes, and different ones.
    for (const uint64_t beside : {uint64_t{0}, all - 1, 0x9c6d ^ all >> 1}) {
      for (uint64_t i = 0; i < 2 * all; ++i) {
        ScanCase c = {.present = present};
        Set(c, i % 2, i / 2);
        Set(c, 1 - i % 2, beside);
        Add(c);
      }
    }
  }

  ScanCase RandomCase(uint32_t most) {
    ScanCase c = {.present = 1 + static_cast<uint32_t>(rng_()) % most};
    for (auto& counts : c.counts) {
      for (uint32_t& count : counts) count = static_cast<uint32_t>(rng_()) % (shape_.width + 1);
    }
    return c;
  }

  void Random(uint32_t count) {
    constexpr ScanShape kShapes[] = {{32, 4, 1}, {32, 8, 1}, {64, 2, 1}, {64, 4, 1},
                                     {32, 4, 2}, {32, 8, 2}, {64, 2, 2}, {64, 4, 2}};
    for (const ScanShape& shape : kShapes) {
      Begin(shape, shape.waves);
      for (uint32_t i = 0; i < count / 8; ++i) Add(RandomCase(shape.waves), false);
      End();
    }
  }

  // Programs of each number of waves; waves that do not exist store nothing.
  void EachNumberOfWaves() {
    constexpr int kEach = 24;
    for (const uint32_t width : {32u, 64u}) {
      for (uint32_t waves = 1; waves * width <= mir::kMaxScanned; ++waves) {
        for (uint32_t streams = 1; streams <= 2; ++streams) {
          for (uint32_t launched = 1; launched <= waves; launched += launched < 3 ? 1 : 2) {
            Begin({width, waves, streams}, launched);
            for (int i = 0; i < kEach; ++i) Add(RandomCase(launched), false);
            End();
          }
        }
      }
    }
  }

  const uint32_t step_;
  uint32_t next_;  // cases to skip before the next one that is run
  std::mt19937 rng_;
  ScanShape shape_;
  std::optional<ScanRunner> runner_;
  std::vector<ScanCase> batch_;
  ScanProof result_;
};

}  // namespace

ScanProof ProveScans(uint32_t step, uint32_t random, uint32_t seed) {
  Proof proof(step, seed);
  proof.Run(random);
  return std::move(proof).result();
}

}  // namespace kiln::exec
