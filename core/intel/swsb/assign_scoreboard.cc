// The scoreboard pass: dataflow and emission of waits. See assign_scoreboard.h.
#include "core/intel/swsb/assign_scoreboard.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>
#include <vector>

#include "core/intel/isa/flow.h"
#include "core/intel/isa/footprint.h"
#include "core/intel/isa/messages.h"
#include "core/intel/swsb/encoding.h"
#include "core/intel/swsb/state.h"
#include "core/intel/swsb/tokens.h"

namespace kiln::intel::swsb {
namespace {

using isa::Footprint;
using isa::Instruction;
using isa::Program;

// The waits that one instruction needs, by the producers' class (kMasked, kNoMask).
struct Needs {
  int distance[2] = {0, 0};  // 0: none
  uint16_t dst[2] = {0, 0};
  uint16_t src[2] = {0, 0};

  void Distance(int c, int d) {
    if (d <= kPipelineLength && (distance[c] == 0 || d < distance[c])) distance[c] = d;
  }
  void After(int c, Position producer, Position now) {
    if (producer != kNone) Distance(c, now - producer);
  }
  bool Any(int c) const { return distance[c] != 0 || dst[c] != 0 || src[c] != 0; }
};

// Numbers the registers that the program names, ascending, and replaces the registers in the
// footprints by these numbers. Returns how many there are.
int NumberRegisters(std::vector<Footprint>& footprints) {
  isa::GrfSet named;
  for (const Footprint& fp : footprints) {
    named |= fp.reads;
    named |= fp.writes;
  }
  int number[isa::kGrfCount], count = 0;
  named.ForEach([&](int r) { number[r] = count++; });
  if (count == isa::kGrfCount) return count;
  const auto renumber = [&](isa::GrfSet& set) {
    isa::GrfSet renamed;
    set.ForEach([&](int r) { renamed.Add(number[r], 1); });
    set = renamed;
  };
  for (Footprint& fp : footprints) {
    renumber(fp.reads);
    renumber(fp.writes);
  }
  return count;
}

// Calls f for the resources that an instruction reads. The footprint has numbered registers.
template <typename F>
void ForEachRead(const Footprint& fp, F f) {
  fp.reads.ForEach([&](int r) { f(kFirstRegister + r); });
  if (fp.reads_address) f(kAddressResource);
  for (uint32_t rest = fp.reads_accumulators; rest != 0; rest &= rest - 1) {
    f(kAccumulatorResource + std::countr_zero(rest));
  }
}

template <typename F>
void ForEachWrite(const Footprint& fp, F f) {
  fp.writes.ForEach([&](int r) { f(kFirstRegister + r); });
  if (fp.writes_address) f(kAddressResource);
  for (uint32_t rest = fp.writes_accumulators; rest != 0; rest &= rest - 1) {
    f(kAccumulatorResource + std::countr_zero(rest));
  }
}

Needs NeedsOf(const State& state, const Instruction& inst, const Footprint& fp, bool fence,
              Position now) {
  Needs needs;
  const bool out_of_order = IsOutOfOrder(inst);
  // For each class of producers, the ledger that holds for this consumer.
  const int ledgers[] = {inst.no_mask ? kMaskedForNoMask : kMasked, kNoMask};
  ForEachRead(fp, [&](int r) {
    for (int c : {kMasked, kNoMask}) {
      needs.After(c, state.Writer(r, ledgers[c]), now);
      needs.dst[c] |= state.dst[ledgers[c]][r];
    }
  });
  ForEachWrite(fp, [&](int r) {
    for (int c : {kMasked, kNoMask}) {
      if (out_of_order) {
        needs.After(c, state.Writer(r, ledgers[c]), now);
        needs.After(c, state.Reader(r, ledgers[c]), now);
      }
      needs.dst[c] |= state.dst[ledgers[c]][r];
      needs.src[c] |= state.src[ledgers[c]][r];
    }
  });
  for (int c : {kMasked, kNoMask}) {
    if (fence) needs.dst[c] |= state.dst[ledgers[c]][kAnswersResource];
  }
  // Unprotected registers: the wait counts as one for a NoMask producer whatever the instruction
  // is, since the class of the last access is not recorded.
  if (fp.reads_special || fp.writes_special || state.special) needs.Distance(kNoMask, 1);
  for (int c : {kMasked, kNoMask}) {
    needs.src[c] &= ~needs.dst[c];
    needs.distance[c] = std::min(needs.distance[c], kMaxEncodedDistance);
  }
  return needs;
}

// Finds the instructions that may run with all channels off: those that some branch jumps over, and
// loop bodies, which keep running while the other thread of a fused pair stays in the loop.
std::vector<bool> Skippable(const Program& program) {
  std::vector<int32_t> change(program.insts.size() + 1, 0);
  const auto mark = [&](int32_t begin, int32_t end) {
    if (begin >= end) return;
    ++change[begin];
    --change[end];
  };
  for (int32_t i = 0; i < program.Next(); ++i) {
    if (!isa::IsBranch(program.insts[i].op)) continue;
    for (int32_t target : {program.targets[i].jip, program.targets[i].uip}) {
      if (target == isa::kNoTarget) continue;
      if (target > i) {
        mark(i + 1, target);
      } else {
        mark(target, i + 1);
      }
    }
  }
  std::vector<bool> skippable(program.insts.size());
  int32_t depth = 0;
  for (size_t i = 0; i < skippable.size(); ++i) {
    depth += change[i];
    skippable[i] = depth > 0;
  }
  return skippable;
}

bool IsMemoryFence(isa::Generation gen, const Instruction& inst) {
  if (!isa::IsSend(inst.op) || inst.send.desc_is_register) return false;
  const auto fields = isa::ParseDescriptor(gen, inst.send.sfid, inst.send.desc, inst.send.ex_desc);
  return fields.ok() && fields->message == isa::Message::kMemoryFence;
}

// Finds the blocks between the destination and the source of a backward edge.
std::vector<bool> InLoop(const std::vector<isa::MachineBlock>& blocks) {
  std::vector<bool> in_loop(blocks.size());
  for (size_t b = 0; b < blocks.size(); ++b) {
    for (const int32_t next : blocks[b].successors) {
      for (size_t inside = static_cast<size_t>(next); inside <= b; ++inside) in_loop[inside] = true;
    }
  }
  return in_loop;
}

// The waits that one instruction's own byte carries, or that sync instructions carry together.
struct Waits {
  int distance = 0;
  uint16_t dst = 0;
  uint16_t src = 0;
  bool Any() const { return distance != 0 || dst != 0 || src != 0; }
  friend bool operator==(const Waits&, const Waits&) = default;
};

// The way in which the waits of one instruction are carried.
struct Placement {
  Waits own;            // in the instruction's SWSB byte
  Waits reuse;          // waits that setting a token that may be in use implies
  Waits sync;           // in NoMask sync instructions before it
  bool forced = false;  // some sync exists only because of Wa_1407528679
  friend bool operator==(const Placement&, const Placement&) = default;
};

int Nearer(int a, int b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

// Decides how the waits of an instruction are carried. One byte holds a distance, a token.dst,
// both, or a token.src alone. An out-of-order instruction uses it for its own token and has room
// for a distance only; it does not start before that token is free. The end of the thread always
// waits with distance 1 and nothing else (Wa_14013672992).
Placement Place(const Instruction& inst, const Needs& needs, int token) {
  Placement out;
  const bool sets_token = token != kNoToken;
  if (sets_token) out.reuse.dst = static_cast<uint16_t>(1u << token);
  Waits rest{needs.distance[kMasked], needs.dst[kMasked], needs.src[kMasked]};
  if (inst.no_mask) {
    rest.distance = Nearer(rest.distance, needs.distance[kNoMask]);
    rest.dst |= needs.dst[kNoMask];
    rest.src |= needs.src[kNoMask];
  } else if (needs.Any(kNoMask)) {
    // The NoMask sync also covers masked producers, as far as its waits go.
    out.forced = true;
    out.sync = {needs.distance[kNoMask], needs.dst[kNoMask], needs.src[kNoMask]};
    if (out.sync.distance != 0 && rest.distance >= out.sync.distance) rest.distance = 0;
    rest.dst &= ~out.sync.dst;
    rest.src &= ~(out.sync.dst | out.sync.src);
  }
  rest.dst &= ~out.reuse.dst;
  rest.src &= ~(rest.dst | out.reuse.dst);
  const auto lowest = [](uint16_t mask) { return static_cast<uint16_t>(mask & -mask); };
  if (isa::EndsThread(inst)) {
    out.own.distance = 1;
  } else if (sets_token) {
    out.own.distance = std::exchange(rest.distance, 0);
  } else if (rest.dst != 0 || rest.distance != 0) {
    out.own.distance = std::exchange(rest.distance, 0);
    out.own.dst = lowest(rest.dst);
    rest.dst &= ~out.own.dst;
  } else {
    out.own.src = lowest(rest.src);
    rest.src &= ~out.own.src;
  }
  out.sync.dst |= rest.dst;
  out.sync.src |= rest.src;
  out.sync.src &= ~out.sync.dst;
  return out;
}

// Returns true if these waits cover the needed ones. Waits for NoMask producers must be NoMask
// themselves.
bool Suffices(const Placement& placement, const Instruction& inst, const Needs& needs) {
  for (int c : {kMasked, kNoMask}) {
    Waits w = placement.sync;
    if (c == kMasked || inst.no_mask) {
      w.distance = Nearer(w.distance, placement.own.distance);
      w.dst |= placement.own.dst | placement.reuse.dst;
      w.src |= placement.own.src;
    }
    const bool near = w.distance != 0 && w.distance <= needs.distance[c];
    if (needs.distance[c] != 0 && !near) return false;
    if ((needs.dst[c] & ~w.dst) != 0 || (needs.src[c] & ~(w.dst | w.src)) != 0) return false;
  }
  return true;
}

Instruction MakeSync(isa::SyncFunction function, uint16_t mask) {
  Instruction sync;
  sync.op = isa::Opcode::kSync;
  sync.sync = function;
  sync.no_mask = true;
  if (function == isa::SyncFunction::kNop) {
    sync.src[0].file = isa::File::kArf;
  } else {
    sync.src[0].file = isa::File::kImm;
    sync.src[0].imm = mask;
  }
  return sync;
}

// Returns the fewest sync instructions that wait for all of `w`. Several tokens of one kind need a
// mask instruction, whose own byte has room for one more wait.
std::vector<Instruction> MakeSyncs(Waits w) {
  std::vector<Instruction> out;
  const auto single = [](uint16_t mask) { return std::popcount(mask) == 1; };
  if (std::popcount(w.dst) > 1) {
    out.push_back(MakeSync(isa::SyncFunction::kAllWr, std::exchange(w.dst, 0)));
  }
  // One destination and one source, or a distance and a source, need two bytes: a mask for the
  // source then saves an instruction.
  const bool crowded = (w.dst != 0 || w.distance != 0) && w.src != 0 && out.empty();
  if (std::popcount(w.src) > 1 || crowded) {
    out.push_back(MakeSync(isa::SyncFunction::kAllRd, std::exchange(w.src, 0)));
  }
  if (w.dst != 0 || w.distance != 0) {
    if (out.empty()) out.push_back(MakeSync(isa::SyncFunction::kNop, 0));
    const int token = single(w.dst) ? std::countr_zero(w.dst) : -1;
    out.front().swsb = token < 0         ? Distance(w.distance)
                       : w.distance == 0 ? WaitDst(token)
                                         : DistanceAndToken(w.distance, token);
  }
  if (w.src != 0) {
    if (out.empty() || out.back().swsb != 0) out.push_back(MakeSync(isa::SyncFunction::kNop, 0));
    out.back().swsb = WaitSrc(std::countr_zero(w.src));
  }
  return out;
}

uint8_t OwnByte(const Waits& own, int token) {
  if (token != kNoToken) {
    return own.distance != 0 ? DistanceAndToken(own.distance, token) : SetToken(token);
  }
  if (own.src != 0) return WaitSrc(std::countr_zero(own.src));
  if (own.dst == 0) return Distance(own.distance);
  const int waited = std::countr_zero(own.dst);
  return own.distance != 0 ? DistanceAndToken(own.distance, waited) : WaitDst(waited);
}

// Returns the tokens that a sync of the input waits for by itself: those of its mask, or all if it
// has none.
Waits WaitsOfSync(const Instruction& inst) {
  Waits waits;
  if (inst.op != isa::Opcode::kSync) return waits;
  const uint16_t mask = inst.src[0].file == isa::File::kImm ? static_cast<uint16_t>(inst.src[0].imm)
                                                            : uint16_t{0xffff};
  if (inst.sync == isa::SyncFunction::kAllWr) waits.dst = mask;
  if (inst.sync == isa::SyncFunction::kAllRd) waits.src = mask;
  return waits;
}

// Bounds of Refine: its iterations, and the waits that are tried one by one.
constexpr int kMaxRefinements = 8;
constexpr int kMaxTries = 64;

class Pass {
 public:
  explicit Pass(Program& program) : program_(program) {}

  absl::StatusOr<SwsbStats> Run() {
    absl::StatusOr<std::vector<isa::MachineBlock>> blocks = isa::BuildBlocks(program_);
    if (!blocks.ok()) return blocks.status();
    blocks_ = *std::move(blocks);
    footprints_ = isa::FootprintsOf(program_);
    registers_ = NumberRegisters(footprints_);
    plan_ = AssignTokens(program_, footprints_);
    skippable_ = Skippable(program_);
    in_loop_ = InLoop(blocks_);
    for (const Instruction& inst : program_.insts) {
      fence_.push_back(IsMemoryFence(program_.generation, inst));
    }
    stats_.reused_tokens = plan_.reused;
    placements_.resize(program_.insts.size());
    needed_.resize(program_.insts.size());
    if (!Solve(Mode::kDecide)) Refine();
    for (size_t b = 0; b < blocks_.size(); ++b) {
      if (before_[b].reached) continue;
      State nothing(registers_);
      Walk(blocks_[b], nothing, Mode::kDecide);
    }
    for (int32_t i = 0; i < program_.Next(); ++i) Emit(i, placements_[i]);
    isa::Insert(program_, insertions_);
    return stats_;
  }

 private:
  enum class Mode {
    kDecide,  // waits follow from the state, and are noted in placements_
    kGiven,   // the state follows from the waits in placements_
    kJudge,   // as kGiven, and the given waits are compared with those that the state needs
  };

  // Iterates to a fixed point; a block is walked again only when its entry state grew. With kGiven
  // this is the least fixed point. With kDecide it may not be: a grown state makes more waits,
  // which make the state after them smaller, yet the successors keep the state that they got from
  // the earlier walk. Returns true if that never happened.
  bool Solve(Mode mode) {
    const size_t count = blocks_.size();
    bool exact = true;
    before_.assign(count, State(registers_));
    if (count != 0) before_[0].reached = true;
    std::map<size_t, State> handed_on;  // by block, for blocks of loops, which may be walked again
    std::vector<bool> dirty(count, true);
    for (bool again = true; again;) {
      again = false;
      ++stats_.iterations;
      for (size_t b = 0; b < count; ++b) {
        if (!dirty[b] || !before_[b].reached) continue;
        dirty[b] = false;
        State state = before_[b];
        state.Leave(Walk(blocks_[b], state, mode));
        if (mode == Mode::kDecide && in_loop_[b] && exact) {
          const auto [earlier, first] = handed_on.try_emplace(b, state);
          exact = first || state.Includes(earlier->second);
          if (!first) earlier->second = state;
        }
        for (int32_t next : blocks_[b].successors) {
          if (!before_[next].Join(state)) continue;
          dirty[next] = true;
          again = true;
        }
      }
    }
    return exact;
  }

  // Removes waits that a fixed point has kept although nothing is pending any more. The least state
  // under the present waits says which are needed. Those become the new waits, until all waits are
  // needed. If this does not terminate (for example, with two waits that make each other
  // redundant), the first waits, which are correct in any case, are tried one by one.
  void Refine() {
    const std::vector<Placement> first = placements_;
    for (int iteration = 0; iteration < kMaxRefinements; ++iteration) {
      const std::vector<Placement> given = placements_;
      Solve(Mode::kGiven);
      WalkAll(Mode::kDecide);
      if (placements_ == given) return;
      ++stats_.refinements;
    }
    placements_ = first;
    RefineOneByOne();
  }

  // Removes a wait if the remaining ones are enough. A wait that is needed stays needed when others
  // are removed.
  void RefineOneByOne() {
    Solve(Mode::kGiven);
    WalkAll(Mode::kJudge);
    int tries = 0;
    for (size_t i = 0; i < placements_.size() && tries < kMaxTries; ++i) {
      if (needed_[i] == placements_[i]) continue;
      ++tries;
      const std::vector<Placement> needed = needed_;
      const Placement given = std::exchange(placements_[i], needed_[i]);
      Solve(Mode::kGiven);
      if (WalkAll(Mode::kJudge)) continue;
      placements_[i] = given;
      needed_ = needed;
    }
  }

  // Walks each block once, from its entry state. With kJudge, returns true if the given waits cover
  // all that is needed.
  bool WalkAll(Mode mode) {
    enough_ = true;
    for (size_t b = 0; b < blocks_.size(); ++b) {
      State state = before_[b];
      Walk(blocks_[b], state, mode);
    }
    return enough_;
  }

  // An entry that a masked send or math instruction of the block being walked has added to the
  // ledger for NoMask consumers. Either all masked instructions of a block run or none, since no
  // jump lies between them. A masked wait in the block therefore covers these producers for all
  // consumers, though it may be skipped. (This is not done for waits by distance: they cost no
  // sync, since a NoMask consumer carries the distance itself.)
  struct Fresh {
    int16_t resource = 0;
    uint16_t token = 0;    // its bit
    bool written = false;  // true: the token's instruction writes the resource; false: it reads it
  };

  // Transforms `state` through the block. Returns the position after it.
  Position Walk(const isa::MachineBlock& block, State& state, Mode mode) {
    Position now = 0;
    fresh_.clear();
    for (int32_t i = block.begin; i < block.end; ++i) {
      const Instruction& inst = program_.insts[i];
      const Footprint& fp = footprints_[i];
      if (mode != Mode::kGiven) {
        const Needs needs = NeedsOf(state, inst, fp, fence_[i], now);
        needed_[i] = Place(inst, needs, plan_.token[i]);
        if (mode == Mode::kDecide) placements_[i] = needed_[i];
        if (mode == Mode::kJudge) enough_ = enough_ && Suffices(placements_[i], inst, needs);
      }
      const Placement& placement = placements_[i];
      const Carrier carrier = inst.no_mask    ? Carrier::kNoMask
                              : skippable_[i] ? Carrier::kMaskedSkippable
                                              : Carrier::kMasked;
      Clear(state, placement.sync, Carrier::kNoMask, now);
      Clear(state, placement.own, carrier, now);
      Clear(state, placement.reuse, carrier, now);
      Clear(state, WaitsOfSync(inst), carrier, now);
      Execute(state, inst, fp, plan_.token[i], now);
      if (IsInOrder(inst) && ++now == kMaxPositions) state.Leave(std::exchange(now, Position{0}));
    }
    return now;
  }

  void Clear(State& state, const Waits& waits, Carrier carrier, Position now) const {
    if (waits.Any()) ClearAll(state, waits, carrier, now);
  }

  void ClearAll(State& state, const Waits& waits, Carrier carrier, Position now) const {
    state.ClearTokens(waits.dst, waits.src, carrier);
    if (waits.distance != 0) {
      state.ClearOrdered(static_cast<Position>(now - waits.distance), carrier);
    }
    if (carrier != Carrier::kMaskedSkippable || (waits.dst | waits.src) == 0) return;
    for (const Fresh& f : fresh_) {
      if (f.written) {
        state.dst[kMaskedForNoMask][f.resource] &= static_cast<uint16_t>(~(waits.dst & f.token));
      } else {
        state.src[kMaskedForNoMask][f.resource] &=
            static_cast<uint16_t>(~((waits.dst | waits.src) & f.token));
      }
    }
  }

  // Notes an entry that a masked instruction of the block is about to add to the ledger for NoMask
  // consumers, unless an earlier producer has added the same one.
  void NoteFresh(const uint16_t (&tokens)[State::kRow], int r, uint16_t bit, bool written) {
    if ((tokens[r] & bit) == 0) fresh_.push_back({static_cast<int16_t>(r), bit, written});
  }

  void Execute(State& state, const Instruction& inst, const Footprint& fp, int8_t token,
               Position now) {
    const bool in_order = IsInOrder(inst);
    const uint16_t bit = token == kNoToken ? 0 : static_cast<uint16_t>(1u << token);
    const auto each_ledger = [&](auto f) {
      if (inst.no_mask) return f(kNoMask);
      f(kMasked);
      f(kMaskedForNoMask);
    };
    // Out-of-order instructions read a0 and accumulators at issue.
    ForEachRead(fp, [&](int r) {
      each_ledger([&](int c) {
        if (in_order) state.read[c][r] = now;
        if (bit == 0 || r < kFirstRegister) return;
        if (c == kMaskedForNoMask) NoteFresh(state.src[c], r, bit, false);
        state.src[c][r] |= bit;
      });
    });
    ForEachWrite(fp, [&](int r) {
      Forget(state, r, inst.no_mask);
      each_ledger([&](int c) {
        if (in_order) state.write[c][r] = now;
        if (bit != 0 && c == kMaskedForNoMask) NoteFresh(state.dst[c], r, bit, true);
        state.dst[c][r] |= bit;
      });
    });
    if (bit != 0 && isa::IsSend(inst.op) && !fp.writes.Empty()) {
      each_ledger([&](int c) {
        if (c == kMaskedForNoMask) NoteFresh(state.dst[c], kAnswersResource, bit, true);
        state.dst[c][kAnswersResource] |= bit;
      });
    }
    state.special = fp.reads_special || fp.writes_special;
  }

  // Clears the entries for which a writer of the register has waited itself. A masked write may be
  // skipped, so entries for which NoMask consumers have not waited stay.
  static void Forget(State& state, int r, bool no_mask) {
    for (int c = 0; c < kLedgers; ++c) {
      if (no_mask || c == kMasked) {
        state.write[c][r] = kNone;
        state.read[c][r] = kNone;
      }
      if (no_mask || c != kMaskedForNoMask) {
        state.dst[c][r] = 0;
        state.src[c][r] = 0;
      }
    }
  }

  void Emit(int32_t i, const Placement& placement) {
    Instruction& inst = program_.insts[i];
    for (const Waits& w : {placement.own, placement.sync}) {
      if (!w.Any()) continue;
      stats_.distance_waits += w.distance != 0;
      stats_.token_waits += std::popcount(w.dst) + std::popcount(w.src);
    }
    if (placement.sync.Any()) EmitSyncs(i, placement);
    inst.swsb = OwnByte(placement.own, plan_.token[i]);
    if (inst.op == isa::Opcode::kSync && inst.src[0].file == isa::File::kGrf) {
      inst.src[0] = isa::Operand{};
      inst.src[0].file = isa::File::kArf;
    }
  }

  void EmitSyncs(int32_t i, const Placement& placement) {
    const std::vector<Instruction> syncs = MakeSyncs(placement.sync);
    stats_.syncs += static_cast<int>(syncs.size());
    if (placement.forced) stats_.nomask_syncs += static_cast<int>(syncs.size());
    for (const Instruction& sync : syncs) insertions_.push_back({i, sync});
  }

  Program& program_;
  std::vector<isa::MachineBlock> blocks_;
  std::vector<Footprint> footprints_;  // with numbered registers
  int registers_ = 0;                  // that have numbers
  TokenPlan plan_;
  std::vector<bool> skippable_;  // by instruction
  std::vector<bool> fence_;      // by instruction
  std::vector<bool> in_loop_;    // by block
  std::vector<State> before_;
  std::vector<Fresh> fresh_;           // of the block being walked
  std::vector<Placement> placements_;  // by instruction
  std::vector<Placement> needed_;      // as needed by the state of the last walk
  // whether placements_ are enough, by the last walks with kJudge
  bool enough_ = true;
  std::vector<isa::Insertion> insertions_;
  SwsbStats stats_;
};

}  // namespace

absl::StatusOr<SwsbStats> AssignScoreboard(Program& program) { return Pass(program).Run(); }

}  // namespace kiln::intel::swsb
