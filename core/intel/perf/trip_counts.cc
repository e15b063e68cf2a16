#include "core/intel/perf/trip_counts.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "core/intel/isa/instruction.h"
#include "core/intel/isa/opcodes.h"

namespace kiln::intel {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using isa::Type;

constexpr int kCounterBytes = 4;
constexpr int kMaxNested = 64;  // loops; each is walked by itself

// A range of bytes of the register file.
struct Bytes {
  int first = 0;
  int end = 0;
  friend bool operator==(const Bytes&, const Bytes&) = default;
  bool Overlaps(const Bytes& other) const { return first < other.end && other.first < end; }
};

bool IsCounterType(Type type) { return type == Type::kD || type == Type::kUD; }
bool IsRegister(const Operand& o) { return o.file == isa::File::kGrf && !o.indirect; }
bool IsCount(const Operand& o) {
  return o.file == isa::File::kImm &&
         (IsCounterType(o.type) || o.type == Type::kW || o.type == Type::kUW);
}

// Returns the dword that an immediate stands for. A copy of singles keeps its bits.
uint32_t CountOf(const Operand& o) {
  const auto bits = static_cast<uint32_t>(o.imm);
  return o.type == Type::kW ? static_cast<uint32_t>(static_cast<int16_t>(bits)) : bits;
}

Bytes Written(const Instruction& inst) {
  const int first = isa::kGrfBytes * inst.dst.nr + inst.dst.subnr;
  const int size = isa::ByteSize(inst.dst.type);
  return {first, first + ((inst.exec_size - 1) * inst.dst.region.hstride + 1) * size};
}

// Returns the bytes of a source that is one element for all lanes, or consecutive elements, one per
// lane.
std::optional<Bytes> Read(const Operand& o, int lanes) {
  if (!IsRegister(o) || !IsCounterType(o.type) || o.negate || o.absolute) return std::nullopt;
  const isa::Region& r = o.region;
  const int first = isa::kGrfBytes * o.nr + o.subnr;
  if (r.vstride == 0 && r.width == 1 && r.hstride == 0) return Bytes{first, first + kCounterBytes};
  const bool consecutive = r.hstride == 1 && r.vstride == r.width;
  if (!consecutive) return std::nullopt;
  return Bytes{first, first + lanes * kCounterBytes};
}

// Returns true if the instruction writes exactly these bytes, for all lanes that need it.
bool WritesExactly(const Instruction& inst, const Bytes& bytes) {
  return inst.pred == isa::PredCtrl::kNone && inst.cmod == isa::CondMod::kNone && !inst.saturate &&
         IsRegister(inst.dst) && inst.dst.region.hstride == 1 && Written(inst) == bytes &&
         (inst.no_mask || inst.exec_size > 1);
}

bool Holds(isa::CondMod cmod, Type type, uint32_t a, uint32_t b) {
  const bool less = type == Type::kD ? static_cast<int32_t>(a) < static_cast<int32_t>(b) : a < b;
  switch (cmod) {
    case isa::CondMod::kZ: return a == b;
    case isa::CondMod::kNz: return a != b;
    case isa::CondMod::kG: return !less && a != b;
    case isa::CondMod::kGe: return !less;
    case isa::CondMod::kL: return less;
    default: return less || a == b;  // kLe
  }
}

// Returns true if the instruction makes dwords of an immediate: as integers, or as a copy of
// singles, the form that compacted code has.
bool MakesCount(const Instruction& inst) {
  const Operand& from = inst.src[0];
  if (inst.op != Opcode::kMov) return false;
  if (IsCounterType(inst.dst.type)) return IsCount(from);
  return inst.dst.type == Type::kF && from.file == isa::File::kImm && from.type == Type::kF;
}

class Counter {
 public:
  Counter(const isa::Program& program, absl::Span<const isa::Footprint> footprints)
      : p_(program), footprints_(footprints), region_(program.insts.size()) {}

  std::vector<LoopTrips> Run() {
    FindLoops();
    if (loops_.empty() || !FindRegions()) return loops_;
    for (size_t k = 0; k < loops_.size(); ++k) Count(k);
    return loops_;
  }

 private:
  static constexpr int kNoLoop = -1;

  // Code that is executed as a whole: a side of an if, or the part of an iteration up to an
  // instruction where lanes leave it.
  struct Region {
    int parent = -1;
    int loop = kNoLoop;   // the innermost loop around it, in loops_
    int loops = 0;        // around it
    int32_t opener = -1;  // the if or else that begins it
  };

  // The instruction by which lanes leave a loop: a break or the while. The predicate of `decides`
  // controls it: of the instruction itself, or of the if around it.
  struct Exit {
    int32_t at = -1;
    int32_t decides = -1;
  };

  const Instruction& at(int32_t i) const { return p_.insts[static_cast<size_t>(i)]; }
  int RegionOf(int32_t i) const { return region_[static_cast<size_t>(i)]; }
  int LoopOf(int32_t i) const { return regions_[static_cast<size_t>(RegionOf(i))].loop; }

  void FindLoops() {
    for (int32_t i = 0; i < static_cast<int32_t>(p_.insts.size()); ++i) {
      const int32_t head = p_.targets[static_cast<size_t>(i)].jip;
      if (at(i).op != Opcode::kWhile || head < 0 || head > i) continue;
      LoopTrips loop;
      loop.head = head;
      loop.end = i;
      loops_.push_back(loop);
    }
  }

  void Open(int loop, int32_t opener = -1) {
    const Region& around = regions_[static_cast<size_t>(open_.back())];
    regions_.push_back({open_.back(), loop, around.loops + (loop != around.loop), opener});
    open_.push_back(static_cast<int>(regions_.size()) - 1);
  }

  // Finds the regions. Returns false if the code is not structured, or if loops are nested too
  // deeply; then nothing is known of it.
  bool FindRegions() {
    // Among loops with the same head, the one that ends last is around the others.
    std::vector<size_t> by_head;
    for (size_t k = loops_.size(); k-- > 0;) by_head.push_back(k);
    std::stable_sort(by_head.begin(), by_head.end(),
                     [&](size_t a, size_t b) { return loops_[a].head < loops_[b].head; });
    regions_ = {Region()};
    open_ = {0};
    size_t next = 0;
    for (int32_t i = 0; i < static_cast<int32_t>(p_.insts.size()); ++i) {
      for (; next < by_head.size() && loops_[by_head[next]].head == i; ++next) {
        Open(static_cast<int>(by_head[next]));
        if (regions_.back().loops > kMaxNested) return false;
      }
      const Opcode op = at(i).op;
      const int loop = regions_[static_cast<size_t>(open_.back())].loop;
      if (op == Opcode::kElse || op == Opcode::kEndif) {
        if (open_.size() < 2) return false;
        open_.pop_back();
      }
      region_[static_cast<size_t>(i)] = open_.back();
      if (op == Opcode::kIf || op == Opcode::kElse) Open(loop, i);
      if (op != Opcode::kWhile) continue;
      if (loop == kNoLoop || loops_[static_cast<size_t>(loop)].end != i) return false;
      open_.pop_back();
    }
    return open_.size() == 1;
  }

  bool Writes(int32_t i, const Bytes& bytes) const {
    bool any = false;
    for (int r = bytes.first / isa::kGrfBytes; r * isa::kGrfBytes < bytes.end; ++r) {
      any |= r >= isa::kGrfCount || footprints_[static_cast<size_t>(i)].writes.Has(r);
    }
    if (!any) return false;
    return isa::IsSend(at(i).op) || !IsRegister(at(i).dst) || Written(at(i)).Overlaps(bytes);
  }

  // Returns the instruction whose predicate decides if lanes take a break: the break itself or, if
  // all lanes that reach it take it, the if around it; -1 if something else decides.
  int32_t DeciderOf(int32_t leave) const {
    if (at(leave).pred != isa::PredCtrl::kNone) return leave;
    const int32_t opener = regions_[static_cast<size_t>(RegionOf(leave))].opener;
    return opener >= 0 && at(opener).op == Opcode::kIf ? opener : -1;
  }

  // Returns the only way by which lanes leave the loop, if every iteration decides on it.
  std::optional<Exit> ExitOf(int k) const {
    const LoopTrips& loop = loops_[static_cast<size_t>(k)];
    Exit exit;
    if (at(loop.end).pred != isa::PredCtrl::kNone) exit = {loop.end, loop.end};
    for (int32_t i = loop.head; i < loop.end; ++i) {
      const Opcode op = at(i).op;
      if (!isa::IsBranch(op) || op == Opcode::kIf || op == Opcode::kElse || op == Opcode::kEndif ||
          op == Opcode::kWhile) {
        continue;
      }
      // Breaks and continues of inner loops stay in them.
      const bool inner = op == Opcode::kBreak || op == Opcode::kCont;
      if (inner && LoopOf(i) != k) continue;
      if (op != Opcode::kBreak || exit.at >= 0) return std::nullopt;
      exit = {i, DeciderOf(i)};
      if (exit.decides < loop.head) return std::nullopt;
    }
    if (exit.at < 0 || RegionOf(exit.decides) != RegionOf(loop.end)) return std::nullopt;
    return exit;
  }

  // Returns the compare, in the same iteration, whose flag `decides` reads; -1 if another
  // instruction writes the flag.
  int32_t CompareFor(const LoopTrips& loop, int32_t decides) const {
    for (int32_t i = decides - 1; i >= loop.head; --i) {
      const Instruction& inst = at(i);
      if (footprints_[static_cast<size_t>(i)].uses_flags_explicitly) return -1;
      if (inst.cmod == isa::CondMod::kNone || inst.flag_nr != at(decides).flag_nr ||
          inst.flag_subnr != at(decides).flag_subnr) {
        continue;
      }
      // A signed word besides an unsigned dword is not handled.
      if (inst.src[1].type == Type::kW && inst.src[0].type != Type::kD) return -1;
      const bool plain = inst.op == Opcode::kCmp && inst.pred == isa::PredCtrl::kNone &&
                         inst.cmod <= isa::CondMod::kLe && IsCount(inst.src[1]) &&
                         RegionOf(i) == RegionOf(decides);
      return plain ? i : -1;
    }
    return -1;
  }

  // Returns the one instruction of the loop that writes the counter; -1 if there are none or
  // several.
  int32_t StepOf(const LoopTrips& loop, const Bytes& counter) const {
    int32_t step = -1;
    for (int32_t i = loop.head; i <= loop.end; ++i) {
      if (!Writes(i, counter)) continue;
      if (step >= 0) return -1;
      step = i;
    }
    if (step < 0) return -1;
    const Instruction& inst = at(step);
    const bool adds = inst.op == Opcode::kAdd && IsCounterType(inst.dst.type) &&
                      WritesExactly(inst, counter) && IsCount(inst.src[1]) &&
                      Read(inst.src[0], inst.exec_size) == counter &&
                      RegionOf(step) == RegionOf(loop.end);
    return adds ? step : -1;
  }

  // Returns the move of an immediate to the counter that every lane that reaches the loop has
  // executed just before; -1 if there is none.
  int32_t StartOf(const LoopTrips& loop, const Bytes& counter) const {
    for (int32_t i = loop.head - 1; i >= 0; --i) {
      if (!Writes(i, counter)) continue;
      const Instruction& inst = at(i);
      const bool moves = MakesCount(inst) && WritesExactly(inst, counter);
      const Region& body = regions_[static_cast<size_t>(RegionOf(loop.end))];
      const int around = regions_[static_cast<size_t>(body.parent)].loop;
      return moves && IsAround(RegionOf(i), body.parent) && LoopOf(i) == around ? i : -1;
    }
    return -1;
  }

  bool IsAround(int region, int inner) const {
    for (; inner >= 0; inner = regions_[static_cast<size_t>(inner)].parent) {
      if (inner == region) return true;
    }
    return false;
  }

  void Count(size_t k) {
    LoopTrips& loop = loops_[k];
    const std::optional<Exit> exit = ExitOf(static_cast<int>(k));
    if (!exit) return;
    const int32_t compare = CompareFor(loop, exit->decides);
    if (compare < 0) return;
    const std::optional<Bytes> counter = Read(at(compare).src[0], at(compare).exec_size);
    if (!counter) return;
    const int32_t step = StepOf(loop, *counter), start = StartOf(loop, *counter);
    if (step < 0 || start < 0) return;
    Walk(start, step, compare, *exit, &loop);
  }

  void Walk(int32_t start, int32_t step, int32_t compare, const Exit& exit, LoopTrips* loop) const {
    const Instruction& test = at(compare);
    const bool leaves_if = (exit.at != loop->end) != at(exit.decides).pred_inverse;
    const uint32_t by = CountOf(at(step).src[1]);
    const uint32_t bound = CountOf(test.src[1]);
    uint32_t count = CountOf(at(start).src[0]);
    if (step < compare) count += by;
    for (int n = 0; n < kMaxIterations; ++n, count += by) {
      if (Holds(test.cmod, test.src[0].type, count, bound) != leaves_if) continue;
      loop->known = true;
      loop->exit = exit.at;
      loop->begun = n + 1;
      loop->finished = n;
      return;
    }
  }

  const isa::Program& p_;
  const absl::Span<const isa::Footprint> footprints_;
  std::vector<LoopTrips> loops_;
  std::vector<Region> regions_;
  std::vector<int> region_;  // by instruction; a while has that of the body it ends
  std::vector<int> open_;    // regions around the current instruction
};

}  // namespace

std::vector<LoopTrips> CountTrips(const isa::Program& program,
                                  absl::Span<const isa::Footprint> footprints) {
  return Counter(program, footprints).Run();
}

}  // namespace kiln::intel
