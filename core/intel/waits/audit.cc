// Abstract execution over the instructions in flight: see audit.h.
#include "core/intel/waits/audit.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "core/intel/isa/flow.h"
#include "core/intel/isa/messages.h"

namespace kiln::intel::waits {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::SyncFunction;

enum Viewer { kMaskedConsumer = 0, kNoMaskConsumer = 1 };

struct InFlight {
  int32_t inst = 0;
  int8_t distance = 0;         // in-order producers: to the next instruction, from 1 on
  uint8_t phases[2] = {0, 0};  // open, by Viewer
  bool Done() const { return (phases[0] | phases[1]) == 0; }
  friend bool operator==(const InFlight&, const InFlight&) = default;
};

// Ascending by instruction.
using State = std::vector<InFlight>;

// The waits that one instruction carries.
struct Waits {
  int distance = 0;      // 0: none
  uint16_t written = 0;  // tokens whose destination is waited for
  uint16_t read = 0;     // tokens whose sources are waited for
  bool Any() const { return distance != 0 || (written | read) != 0; }
};

Waits WaitsOf(const Instruction& inst) {
  Waits w;
  const uint8_t s = inst.swsb;
  const auto token = static_cast<uint16_t>(1u << (s & 0xf));
  if ((s & 0x80) != 0) {
    w.distance = s >> 4 & 7;
    w.written = token;  // an unordered instruction sets its token: waits until it is free
  } else if ((s & 0x70) == 0x20 || (s & 0x70) == 0x40) {
    w.written = token;
  } else if ((s & 0x70) == 0x30) {
    w.read = token;
  } else {
    w.distance = s & 7;
  }
  if (inst.op == Opcode::kSync &&
      (inst.sync == SyncFunction::kAllRd || inst.sync == SyncFunction::kAllWr)) {
    const bool some = inst.src[0].file == isa::File::kImm;
    const auto mask = static_cast<uint16_t>(some ? inst.src[0].imm : 0xffff);
    (inst.sync == SyncFunction::kAllRd ? w.read : w.written) |= mask;
  }
  return w;
}

int TokenSetBy(const Instruction& inst) {
  const bool sets = (inst.swsb & 0x80) != 0 || (inst.swsb & 0x70) == 0x40;
  return IsUnordered(inst) && sets ? inst.swsb & 0xf : -1;
}

bool IsFenceOrGateway(isa::Generation gen, const Instruction& inst) {
  if (!isa::IsSend(inst.op)) return false;
  return inst.send.sfid == isa::Sfid::kGateway || IsMemoryFence(gen, inst);
}

// Finds instructions that may run with all channels off: those inside of an if or a loop, or
// between a halt and the point where halted lanes are on again.
std::vector<bool> FindSkippable(const isa::Program& program) {
  const auto count = static_cast<int32_t>(program.insts.size());
  std::vector<int32_t> change(static_cast<size_t>(count) + 1, 0);
  auto mark = [&](int32_t from, int32_t to) {
    if (from < 0 || to <= from || to > count) return;
    ++change[static_cast<size_t>(from)];
    --change[static_cast<size_t>(to)];
  };
  std::vector<int32_t> ifs;
  for (int32_t i = 0; i < count; ++i) {
    switch (program.insts[i].op) {
      case Opcode::kIf: ifs.push_back(i); break;
      case Opcode::kEndif:
        if (ifs.empty()) break;
        mark(ifs.back() + 1, i + 1);
        ifs.pop_back();
        break;
      case Opcode::kWhile: mark(program.targets[i].jip, i + 1); break;
      case Opcode::kHalt:
      case Opcode::kGoto:
      case Opcode::kBrc: mark(i + 1, program.targets[i].uip); break;
      default: break;
    }
  }
  std::vector<bool> skippable(static_cast<size_t>(count));
  int32_t depth = 0;
  for (int32_t i = 0; i < count; ++i) {
    depth += change[static_cast<size_t>(i)];
    skippable[static_cast<size_t>(i)] = depth > 0;
  }
  return skippable;
}

class Auditor {
 public:
  Auditor(const isa::Program& program, std::vector<isa::MachineBlock> blocks, Skipping skipping)
      : program_(program),
        blocks_(std::move(blocks)),
        skippable_(skipping == Skipping::kPossible ? FindSkippable(program)
                                                   : std::vector<bool>(program.insts.size())) {
    for (size_t b = 0; b < blocks_.size(); ++b) {
      block_of_.insert(block_of_.end(), static_cast<size_t>(blocks_[b].end - blocks_[b].begin), b);
    }
    constexpr isa::RegisterRange kNone;
    for (size_t i = 0; i < program.insts.size(); ++i) {
      const isa::RegisterRange* range = isa::FindIndirectRange(program, static_cast<int32_t>(i));
      footprints_.push_back(isa::FootprintOf(program.insts[i], range != nullptr ? range : &kNone));
      waits_.push_back(WaitsOf(program.insts[i]));
    }
  }

  // Follows lanes: `locations` are the blocks, and every wait is performed where a channel is on.
  Auditor(const isa::Program& program, const std::vector<Location>& locations)
      : Auditor(program, BlocksOf(locations), Skipping::kNever) {
    for (const Location& location : locations) off_.push_back(location.off);
    performed_ = true;
  }

  // Returns the missing waits; FindRedundantSyncs may be called after it.
  std::vector<MissingWait> FindMissing() {
    at_entry_.assign(blocks_.size(), {});
    std::vector<bool> dirty(blocks_.size(), true);
    for (bool any = true; any;) {
      any = false;
      for (size_t b = 0; b < blocks_.size(); ++b) {
        if (!dirty[b]) continue;
        dirty[b] = false;
        State state = at_entry_[b];
        for (int32_t i = blocks_[b].begin; i < blocks_[b].end; ++i) {
          if (IsIdle(b, i)) {
            Advance(i, &state);
          } else {
            Step(i, &state, true);
          }
        }
        for (int32_t s : blocks_[b].successors) {
          if (!Join(state, &at_entry_[static_cast<size_t>(s)])) continue;
          dirty[static_cast<size_t>(s)] = true;
          any = true;
        }
      }
    }
    std::vector<MissingWait> missing;
    for (size_t b = 0; b < blocks_.size(); ++b) {
      State state = at_entry_[b];
      for (int32_t i = blocks_[b].begin; i < blocks_[b].end; ++i) {
        if (IsIdle(b, i)) {
          Advance(i, &state);
          continue;
        }
        Apply(i, &state);
        Compare(i, state, &missing);
        Enter(i, &state);
      }
    }
    return missing;
  }

  std::vector<int32_t> FindRedundantSyncs() const {
    std::vector<int32_t> redundant;
    for (size_t b = 0; b < blocks_.size(); ++b) {
      State state = at_entry_[b];
      for (int32_t i = blocks_[b].begin; i < blocks_[b].end; ++i) {
        if (IsSyncThatWaits(i)) {
          const State ended = EndedBy(i, state);
          if (!OrdersMemory(ended) && !IsMissed(b, i, ended)) redundant.push_back(i);
        }
        Step(i, &state, true);
      }
    }
    return redundant;
  }

 private:
  static std::vector<isa::MachineBlock> BlocksOf(const std::vector<Location>& locations) {
    std::vector<isa::MachineBlock> blocks;
    for (const Location& location : locations)
      blocks.push_back({location.begin, location.end, location.successors});
    return blocks;
  }

  // Returns true if the instruction is issued without channels: it neither waits nor has an effect.
  bool IsIdle(size_t block, int32_t i) const {
    return performed_ && off_[block] && !program_.insts[i].no_mask;
  }

  // Returns true if a wait ends a fence or a gateway message: such a wait orders memory, whether or
  // not an instruction reads the response.
  bool OrdersMemory(const State& waited) const {
    return std::any_of(waited.begin(), waited.end(), [this](const InFlight& p) {
      return IsFenceOrGateway(program_.generation, program_.insts[p.inst]);
    });
  }

  bool IsSyncThatWaits(int32_t i) const {
    const Instruction& inst = program_.insts[i];
    return inst.op == Opcode::kSync && inst.sync != SyncFunction::kBar &&
           inst.sync != SyncFunction::kHost && waits_[i].Any();
  }

  // Returns the part of the instructions in flight before instruction `i` that its waits end.
  State EndedBy(int32_t i, const State& before) const {
    State after = before;
    Apply(i, &after);
    State ended;
    auto left = after.begin();
    for (InFlight p : before) {
      while (left != after.end() && left->inst < p.inst) ++left;
      if (left != after.end() && left->inst == p.inst) {
        for (int v = 0; v < 2; ++v) p.phases[v] &= static_cast<uint8_t>(~left->phases[v]);
      }
      if (!p.Done()) ended.push_back(p);
    }
    return ended;
  }

  // Returns true if an instruction would miss a wait if `open` were still in flight after
  // instruction `at` of block `block`. Producers do not influence each other, so only these are
  // followed.
  bool IsMissed(size_t block, int32_t at, State open) const {
    std::vector<State> entry(blocks_.size());
    std::vector<size_t> work;
    std::vector<MissingWait> missing;
    auto follow = [&](int32_t from, const isa::MachineBlock& in, State state) {
      for (int32_t i = from; i < in.end && !state.empty() && missing.empty(); ++i) {
        Apply(i, &state);
        Compare(i, state, &missing);
        Step(i, &state, false);
      }
      for (int32_t s : in.successors) {
        if (!state.empty() && Join(state, &entry[static_cast<size_t>(s)])) {
          work.push_back(static_cast<size_t>(s));
        }
      }
    };
    follow(at + 1, blocks_[block], std::move(open));
    while (!work.empty() && missing.empty()) {
      const size_t b = work.back();
      work.pop_back();
      follow(blocks_[b].begin, blocks_[b], entry[b]);
    }
    return !missing.empty();
  }

  // Adds the instructions that may be in flight at the end of one path; returns false if none is
  // new.
  static bool Join(const State& from, State* to) {
    State joined;
    auto a = from.begin();
    auto b = to->begin();
    while (a != from.end() || b != to->end()) {
      if (b == to->end() || (a != from.end() && a->inst < b->inst)) {
        joined.push_back(*a++);
      } else if (a == from.end() || b->inst < a->inst) {
        joined.push_back(*b++);
      } else {
        InFlight both = *a;
        both.distance = std::min(a->distance, b->distance);
        for (int v = 0; v < 2; ++v) both.phases[v] |= b->phases[v];
        joined.push_back(both);
        ++a, ++b;
      }
    }
    if (joined == *to) return false;
    *to = std::move(joined);
    return true;
  }

  // Updates the state across instruction `i`. Without `enter`, the instruction itself is not put in
  // flight, and its previous execution is removed, too: the next one takes over its role.
  void Step(int32_t i, State* state, bool enter) const {
    Apply(i, state);
    Enter(i, state);
    if (enter) return;
    std::erase_if(*state, [i](const InFlight& p) { return p.inst == i; });
  }

  // Returns the phases of a producer that the waits of instruction `i` end.
  uint8_t Ended(const Waits& w, const InFlight& p) const {
    const Instruction& producer = program_.insts[p.inst];
    if (!IsUnordered(producer)) {
      return w.distance != 0 && p.distance >= w.distance ? kReading | kWriting : 0;
    }
    const int token = TokenSetBy(producer);
    if (token < 0) return 0;
    if ((w.written >> token & 1) != 0) return kReading | kWriting;
    return (w.read >> token & 1) != 0 ? kReading : 0;
  }

  // Returns true if the last execution of `producer`, which is masked as `waiter` is, was under the
  // channels that are on at `waiter`. This holds between two jumps, where no channel goes off or
  // on. (A producer further down ran in an earlier iteration.)
  bool RanTogether(int32_t producer, int32_t waiter) const {
    return producer < waiter && block_of_[producer] == block_of_[waiter];
  }

  void Apply(int32_t i, State* state) const {
    const Waits& w = waits_[i];
    if (!w.Any()) return;
    const bool everybody = program_.insts[i].no_mask;
    for (InFlight& p : *state) {
      if (!everybody && !performed_ && program_.insts[p.inst].no_mask) continue;
      const auto open = static_cast<uint8_t>(~Ended(w, p));
      p.phases[kMaskedConsumer] &= open;
      if (everybody || performed_ || !skippable_[i] || RanTogether(p.inst, i))
        p.phases[kNoMaskConsumer] &= open;
    }
    std::erase_if(*state, [](const InFlight& p) { return p.Done(); });
  }

  void Compare(int32_t i, const State& state, std::vector<MissingWait>* missing) const {
    const Instruction& consumer = program_.insts[i];
    if (consumer.op == Opcode::kSync || consumer.op == Opcode::kNop) return;
    const Viewer viewer = consumer.no_mask ? kNoMaskConsumer : kMaskedConsumer;
    const bool fence = IsMemoryFence(program_.generation, consumer);
    for (const InFlight& p : state) {
      uint8_t owed = PhasesOwed(footprints_[p.inst], IsUnordered(program_.insts[p.inst]),
                                footprints_[i], IsUnordered(consumer));
      // No source demands this wait, so it is not among the certain ones.
      if (fence && !performed_)
        owed |= PhasesOwedToFence(program_.insts[p.inst], footprints_[p.inst]);
      owed &= p.phases[viewer];
      if (owed != 0) missing->push_back({p.inst, i, owed});
    }
  }

  // Counts an instruction of the in-order pipe between the producers and the next consumer.
  void Advance(int32_t i, State* state) const {
    if (!IsInOrder(program_.insts[i])) return;
    for (InFlight& p : *state) {
      if (!IsUnordered(program_.insts[p.inst])) ++p.distance;
    }
    std::erase_if(*state, [this](const InFlight& p) {
      return !IsUnordered(program_.insts[p.inst]) && p.distance > kPipeDepth;
    });
  }

  void Enter(int32_t i, State* state) const {
    const Instruction& inst = program_.insts[i];
    Advance(i, state);
    const isa::Footprint& f = footprints_[i];
    const bool touches =
        !f.reads.Empty() || !f.writes.Empty() || f.writes_address || f.writes_special;
    if (!touches || inst.op == Opcode::kSync) return;
    const InFlight entry = {i, 1, {kReading | kWriting, kReading | kWriting}};
    auto at = std::lower_bound(state->begin(), state->end(), i,
                               [](const InFlight& p, int32_t inst) { return p.inst < inst; });
    if (at != state->end() && at->inst == i) {
      *at = entry;
    } else {
      state->insert(at, entry);
    }
  }

  const isa::Program& program_;
  const std::vector<isa::MachineBlock> blocks_;
  const std::vector<bool> skippable_;
  std::vector<size_t> block_of_;  // by instruction: jumps enter and leave a block at its ends only
  std::vector<isa::Footprint> footprints_;
  std::vector<Waits> waits_;
  std::vector<State> at_entry_;
  std::vector<bool> off_;   // by block, if lanes are followed
  bool performed_ = false;  // lanes are followed
};

absl::StatusOr<Auditor> MakeAuditor(const isa::Program& program, Skipping skipping) {
  absl::StatusOr<std::vector<isa::MachineBlock>> blocks = isa::BuildBlocks(program);
  if (!blocks.ok()) return blocks.status();
  return Auditor(program, *std::move(blocks), skipping);
}

}  // namespace

std::string Describe(const isa::Program& program, const MissingWait& missing) {
  auto name = [&](int32_t i) {
    return absl::StrCat(i, " (", isa::Info(program.insts[i].op).mnemonic, ")");
  };
  return absl::StrCat(
      "instruction ", name(missing.consumer), " does not wait for ", name(missing.producer), ": ",
      (missing.phases & kWriting) != 0 ? "results not written" : "sources not read");
}

absl::StatusOr<std::vector<MissingWait>> FindMissingWaits(const isa::Program& program,
                                                          Skipping skipping) {
  absl::StatusOr<Auditor> auditor = MakeAuditor(program, skipping);
  if (!auditor.ok()) return auditor.status();
  return auditor->FindMissing();
}

absl::StatusOr<std::vector<MissingWait>> FindCertainMissingWaits(const isa::Program& program,
                                                                 Fusion fusion) {
  const absl::StatusOr<std::vector<Location>> locations = LocationsOf(program, fusion);
  if (!locations.ok()) return locations.status();
  // The same pair may meet at several locations.
  std::map<std::pair<int32_t, int32_t>, uint8_t> phases;
  for (const MissingWait& m : Auditor(program, *locations).FindMissing()) {
    phases[{m.consumer, m.producer}] |= m.phases;
  }
  std::vector<MissingWait> missing;
  missing.reserve(phases.size());
  for (const auto& [pair, p] : phases) missing.push_back({pair.second, pair.first, p});
  return missing;
}

absl::StatusOr<std::vector<int32_t>> FindRedundantSyncs(const isa::Program& program,
                                                        Skipping skipping) {
  absl::StatusOr<Auditor> auditor = MakeAuditor(program, skipping);
  if (!auditor.ok()) return auditor.status();
  auditor->FindMissing();
  return auditor->FindRedundantSyncs();
}

}  // namespace kiln::intel::waits
