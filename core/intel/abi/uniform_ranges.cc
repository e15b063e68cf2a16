#include "core/intel/abi/uniform_ranges.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "core/mir/build.h"

namespace kiln::intel {
namespace {

using mir::InstId;
using mir::Module;
using mir::Op;

// The weights of both estimate.h and the reference compiler.
constexpr int64_t kLoopWeight = 10, kMaxWeight = 1'000'000;
// The number of registers worth pushing to save one message: a message is a header, a send and a
// wait for it.
constexpr int64_t kMessageWorth = 4;
// The number of registers considered; messages read the others.
constexpr size_t kMaxReads = 4096;

using Place = std::tuple<uint32_t, uint32_t, uint32_t>;  // resource, element, register

// Walks the module as selection does, which reads a register again unless a region around has read
// it.
class Reader {
 public:
  explicit Reader(const Module& m) : m_(m) {}

  absl::btree_map<Place, int64_t> Run() {
    Visit(m_.body, 1);
    return std::move(messages_);
  }

 private:
  void Visit(mir::RegionId region, int64_t weight) {
    const size_t outside = read_.size();
    for (InstId id : m_.region(region).insts) {
      const mir::Inst& inst = m_.inst(id);
      if (inst.op == Op::kLoadUbo) Note(id, weight);
      const int64_t inner =
          inst.op == Op::kLoop ? std::min(kLoopWeight * weight, kMaxWeight) : weight;
      for (int r = 0; r < inst.num_regions; ++r) Visit(inst.regions[r], inner);
    }
    for (; read_.size() > outside; read_.pop_back()) open_.erase(read_.back());
  }

  void Note(InstId id, int64_t weight) {
    const mir::Inst& inst = m_.inst(id);
    uint32_t element = 0;
    const mir::Value& offset = m_.value(m_.source(id, mir::OffsetSource(inst)));
    if (inst.num_results == 0 || (inst.flags & mir::kVolatile) != 0 ||
        offset.kind != mir::Value::Kind::kConstant || !NamesElement(m_, id, &element)) {
      return;
    }
    const uint32_t bytes = mir::BytesOf(m_.value(m_.result(id)).type);
    for (uint32_t i = 0; i < inst.num_results; ++i) {
      const uint64_t byte = offset.bits + uint64_t{i} * bytes;
      if (byte + bytes > uint64_t{1} << 32) return;
      const Place place = {inst.imm0, element, static_cast<uint32_t>(byte / kRangeGranule)};
      if (!open_.insert(place).second) continue;
      read_.push_back(place);
      messages_[place] += weight;
    }
  }

  const Module& m_;
  absl::btree_map<Place, int64_t> messages_;
  absl::btree_set<Place> open_;
  std::vector<Place> read_;  // contents of open_, in the order of the regions around
};

// Finds the best choice among the first reads, for each number of ranges and registers that it may
// take.
class Chooser {
 public:
  Chooser(absl::Span<const UniformRead> reads, const RangeLimits& limits)
      : reads_(reads),
        ranges_(limits.ranges + 1),
        registers_(limits.registers + 1),
        steps_(reads.size() * ranges_ * registers_) {}

  std::vector<UniformRange> Run() {
    std::vector<int64_t> best(ranges_ * registers_), ending(ranges_ * registers_, kNever);
    for (size_t i = 0; i < reads_.size(); ++i) Take(i, best, ending);
    return Collect();
  }

 private:
  static constexpr int64_t kNever = -(int64_t{1} << 60);
  struct Step {
    bool takes = false;    // the best choice up to this read has it
    bool extends = false;  // the range that ends at this read begins before it
  };

  size_t At(uint32_t ranges, uint32_t registers) const { return ranges * registers_ + registers; }
  Step& StepAt(size_t read, size_t at) { return steps_[read * ranges_ * registers_ + at]; }

  // Returns the number of registers from the preceding read to this one; 0 if that is in another
  // buffer.
  uint32_t Distance(size_t i) const {
    if (i == 0 || reads_[i - 1].resource != reads_[i].resource ||
        reads_[i - 1].element != reads_[i].element) {
      return 0;
    }
    return reads_[i].index - reads_[i - 1].index;
  }

  // Updates the best values for one more read. `best` is for choices among the reads before this
  // one; `ending` is for those whose last range ends at the one before. Goes down, so that the
  // values it reads are not yet updated for this read.
  void Take(size_t i, std::vector<int64_t>& best, std::vector<int64_t>& ending) {
    const int64_t worth = kMessageWorth * std::min(reads_[i].messages, kMaxWeight);
    const uint32_t distance = Distance(i);
    for (uint32_t k = ranges_; k-- > 0;) {
      for (uint32_t r = registers_; r-- > 0;) {
        Step& step = StepAt(i, At(k, r));
        int64_t value = kNever;
        if (k > 0 && r > 0) value = best[At(k - 1, r - 1)] + worth - 1;
        if (distance != 0 && distance <= r) {
          const int64_t longer = ending[At(k, r - distance)] + worth - distance;
          step.extends = longer >= value;
          value = std::max(value, longer);
        }
        ending[At(k, r)] = value;
        step.takes = value > best[At(k, r)];
        best[At(k, r)] = std::max(best[At(k, r)], value);
      }
    }
  }

  std::vector<UniformRange> Collect() {
    std::vector<UniformRange> chosen;
    uint32_t k = ranges_ - 1, r = registers_ - 1;
    bool inside = false;  // the read after this one extends a range to here
    for (size_t i = reads_.size(); i-- > 0;) {
      const Step step = StepAt(i, At(k, r));
      if (!inside && !step.takes) continue;
      if (!inside) chosen.push_back({reads_[i].resource, reads_[i].element, reads_[i].index, 1, 0});
      inside = step.extends;
      if (inside) {
        chosen.back().first = reads_[i - 1].index;
        chosen.back().registers += Distance(i);
        r -= Distance(i);
      } else {
        --k, --r;
      }
    }
    std::reverse(chosen.begin(), chosen.end());
    return chosen;
  }

  const absl::Span<const UniformRead> reads_;
  const uint32_t ranges_, registers_;
  std::vector<Step> steps_;  // by read, ranges and registers
};

}  // namespace

bool NamesElement(const Module& m, InstId load, uint32_t* element) {
  const mir::Inst& inst = m.inst(load);
  const mir::Resource& resource = m.resources[inst.imm0];
  *element = resource.element;
  if ((inst.flags & mir::kIndexed) == 0) return true;
  const mir::Value& index = m.value(m.source(load, 0));
  if (index.kind != mir::Value::Kind::kConstant || index.bits >= resource.count) return false;
  *element += static_cast<uint32_t>(index.bits);
  return true;
}

std::vector<UniformRead> FindUniformReads(const Module& m) {
  std::vector<UniformRead> reads;
  for (const auto& [place, messages] : Reader(m).Run()) {
    if (reads.size() == kMaxReads) break;
    reads.push_back({std::get<0>(place), std::get<1>(place), std::get<2>(place), messages});
  }
  return reads;
}

std::vector<UniformRange> ChooseRanges(absl::Span<const UniformRead> reads,
                                       const RangeLimits& limits) {
  if (reads.empty() || limits.ranges == 0 || limits.registers == 0) return {};
  return Chooser(reads, limits).Run();
}

}  // namespace kiln::intel
