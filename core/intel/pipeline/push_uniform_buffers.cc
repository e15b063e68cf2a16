#include "core/intel/pipeline/push_uniform_buffers.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/strings/str_cat.h"
#include "core/intel/abi/uniform_ranges.h"
#include "core/intel/lir/machine.h"
#include "core/intel/lir/ops.h"
#include "core/intel/pipeline/passes.h"
#include "core/intel/pipeline/widths.h"
#include "core/intel/select/select.h"
#include "core/lir/liveness.h"
#include "core/mid/analysis/value_lives.h"
#include "core/mid/lower/resolve_subgroup_size.h"
#include "core/target/program_widths.h"

namespace kiln::intel {
namespace {

using Ranges = std::vector<UniformRange>;

// Registers that may be live at once in the program as it is selected. Up to this number, the
// passes after selection never made one of the corpus' 1,388 fragment programs spill.
constexpr int64_t kSurelyFit = 112;
// Dwords per lane that are added to MIR's count, which does not contain messages and lane masks.
constexpr int64_t kSlack = 24;
// Programs with more live registers than this spill whatever is pushed, and take long to compile.
constexpr int64_t kHopeless = 256;
// The same two bounds for 32 lanes that the client did not ask for: most programs with fewer live
// registers do not spill; those with more are not tried, or spill. A closer look takes 5 % more of
// all compile time and saves no further width.
constexpr int64_t kExtraSurelyFit = 144;
constexpr int64_t kExtraHopeless = 192;
// The number of choices that are tried if registers are short, and the factor by which each has
// fewer registers than the one before.
constexpr int kTrials = 3;
constexpr uint32_t kFewer = 3;

uint32_t RegistersOf(const Ranges& ranges) {
  uint32_t registers = 0;
  for (const UniformRange& r : ranges) registers += r.registers;
  return registers;
}

class Judge {
 public:
  Judge(const AllWidths& all, PassContext& context)
      : all_(all),
        context_(context),
        asked_(!all.options->widths.empty() || all.options->required_subgroup_size != 0),
        widths_(WidthsOf(all)) {}

  // Returns the best ranges with which the program spills no more than without; fewer if it would.
  Ranges Choose() {
    const std::vector<UniformRead> reads = Reads();
    if (reads.empty()) return {};
    RangeLimits limits = Limits();
    for (int trial = 0; trial < kTrials; ++trial) {
      Ranges ranges = ChooseRanges(reads, limits);
      if (ranges.empty() || context_.Cancelled()) return {};
      if (Fit(ranges)) return ranges;
      limits.registers = RegistersOf(ranges) / kFewer;
    }
    return {};
  }

 private:
  static std::vector<int> WidthsOf(const AllWidths& all) {
    std::vector<int> widths;
    for (int width : kWidths) {
      if (!IsWanted(*all.options, width)) continue;
      if (AtWidth(*all.module, *all.abi, width).ok()) widths.push_back(width);
    }
    return widths;
  }

  // Finds the reads. Buffers in descriptor memory are not pushed; ABI.md says why.
  std::vector<UniformRead> Reads() const {
    std::vector<UniformRead> reads = FindUniformReads(*all_.module);
    const std::vector<uint32_t>& memory = all_.abi->surface_memory;
    const auto in_memory = [&](const UniformRead& r) {
      return memory[r.resource] != Abi::kNoSurface;
    };
    reads.erase(std::remove_if(reads.begin(), reads.end(), in_memory), reads.end());
    return reads;
  }

  // Returns the registers that a thread starts with besides uniform ranges. The module has this
  // width.
  uint32_t Others(int width) const {
    return StartRegisters(*all_.abi, *AtWidth(*all_.module, *all_.abi, width));
  }

  // Returns the limits on ranges, and on registers of constants, that the hardware can deliver and
  // the register file can hold.
  RangeLimits Limits() const {
    const Device& device = *all_.abi->device;
    const uint32_t pushed = all_.abi->cross_thread_registers;
    RangeLimits limits;
    limits.ranges = device.limits.push_ranges - (pushed != 0 ? 1 : 0);
    limits.registers = device.limits.push_registers - pushed;
    for (int width : widths_) {
      const uint32_t all = device.machine.registers, others = std::min(Others(width), all);
      limits.registers = std::min(limits.registers, all - others);
    }
    return limits;
  }

  // Returns true if the ranges fit at every width that is compiled.
  bool Fit(const Ranges& ranges) {
    return std::all_of(widths_.rbegin(), widths_.rend(),
                       [&](int width) { return FitsAt(ranges, width); });
  }

  // Returns true if the ranges fit at the width. A width that spills anyway is dropped in favour of
  // a narrower one, unless it was asked for.
  bool FitsAt(const Ranges& ranges, int width) {
    const bool needed = asked_ || width == widths_.front();
    const bool extra = !needed && width > 16;
    const int64_t surely = extra ? kExtraSurelyFit : kSurelyFit;
    if (UpperBound(ranges, width) <= surely) return true;
    const std::optional<int64_t> live = MostLive(ranges, width);
    if (!live) return false;
    if (*live > (extra ? kExtraHopeless : kHopeless)) return !needed;
    if (*live <= surely) return true;
    const std::optional<int64_t> spills = Spills(ranges, width);
    if (!spills || *spills == 0) return spills.has_value();
    if (!without_.contains(width)) without_[width] = Spills({}, width).value_or(0);
    return without_[width] > 0 && (!needed || *spills <= without_[width]);
  }

  // Returns the registers that would be live at once if every value were per lane.
  int64_t UpperBound(const Ranges& ranges, int width) {
    if (!dwords_) dwords_ = mid::ValueLives(*all_.module).MostDwords();
    return (*dwords_ + kSlack) * width / 8 + Others(width) + RegistersOf(ranges);
  }

  // Returns the maximum of registers live at once in the program as it is selected. Nothing if it
  // cannot be selected; compiling it will report the error.
  std::optional<int64_t> MostLive(const Ranges& ranges, int width) const {
    Abi abi = *all_.abi;
    PushRanges(ranges, abi);
    const mir::Module* module = all_.module;
    mir::Module resolved;
    if (mid::DependsOnSubgroupSize(*module)) {
      resolved = *module;
      mid::ResolveSubgroupSize(resolved, static_cast<uint32_t>(width));
      module = &resolved;
    }
    const absl::StatusOr<WidthAbi> at_width = AtWidth(*module, abi, width);
    if (!at_width.ok()) return std::nullopt;
    const absl::StatusOr<lir::Function> f = Select(*module, abi, *at_width);
    if (!f.ok()) return std::nullopt;
    const lir::Machine& target = MachineOf(*abi.device);
    const lir::Liveness live(target, *f);
    return (lir::MaxPressure(target, *f, live)[kPoolGrf].physical + 7) / 8;
  }

  // Returns spills and fills of the program once its registers are allocated. Nothing if it cannot
  // be compiled.
  std::optional<int64_t> Spills(const Ranges& ranges, int width) const {
    Abi abi = *all_.abi;
    PushRanges(ranges, abi);
    Work work(*abi.device);
    work.module = all_.module;
    work.abi = &abi;
    const absl::StatusOr<WidthAbi> at_width = AtWidth(*all_.module, abi, width);
    if (!at_width.ok()) return std::nullopt;
    work.at_width = *at_width;
    const std::vector<Pass<Work>> passes = IntelPasses(*abi.device);
    const absl::Status tried =
        context_.Try(IntelLevel(), absl::MakeConstSpan(passes), "allocate_registers", width, work);
    if (!tried.ok()) return std::nullopt;
    return work.spills + work.fills;
  }

  const AllWidths& all_;
  PassContext& context_;
  const bool asked_;                       // widths are
  const std::vector<int> widths_;          // ascending
  absl::btree_map<int, int64_t> without_;  // by width: spills without ranges
  std::optional<int64_t> dwords_;          // dwords of a lane that are live at once in MIR
};

}  // namespace

std::string TextOf(const mir::Module& m, const UniformRange& range) {
  const mir::Resource& resource = m.resources[range.resource];
  return absl::StrCat("set ", resource.set, " binding ", resource.binding, " element ",
                      range.element, ": ", range.registers, " registers from byte ",
                      range.first * kRangeGranule);
}

absl::StatusOr<bool> PushUniformBuffers(AllWidths& all, PassContext& context) {
  if (!all.abi->fragment && !all.abi->vertex) return false;
  Ranges ranges = Judge(all, context).Choose();
  size_t kept = 0;
  while (kept < ranges.size() && context.Rewrite()) {
    const UniformRange& range = ranges[kept++];
    context.Remark("uniform_range_pushed", all.module->resources[range.resource].spirv_id,
                   TextOf(*all.module, range));
  }
  ranges.resize(kept);
  PushRanges(std::move(ranges), *all.abi);
  return kept != 0;
}

}  // namespace kiln::intel
