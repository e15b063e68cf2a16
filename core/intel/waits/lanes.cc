// The paths of two lanes: see lanes.h.
#include "core/intel/waits/lanes.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/intel/isa/opcodes.h"

namespace kiln::intel::waits {
namespace {

using isa::Instruction;
using isa::Opcode;

constexpr int32_t kActive = -1;

// The position of a thread and of its lanes: active, or the instruction where they continue.
// Sorted, since the lanes are interchangeable.
struct Where {
  int32_t pc = 0;
  std::array<int32_t, 2> lanes = {kActive, kActive};

  bool AnyActive() const { return lanes[0] == kActive; }
  bool AnyAt(int32_t at) const { return lanes[0] == at || lanes[1] == at; }
  auto operator<=>(const Where&) const = default;  // NOLINT(modernize-use-nullptr): in its own code
};

class Walker {
 public:
  Walker(const isa::Program& program, Fusion fusion)
      : program_(program), fusion_(fusion), leader_(program.insts.size() + 1, false) {}

  absl::StatusOr<std::vector<Location>> Run() {
    if (absl::Status s = FindLeaders(); !s.ok()) return s;
    NumberOf({});
    for (size_t i = 0; i < wheres_.size(); ++i) {
      if (wheres_.size() > kMaxLocations) {
        return absl::ResourceExhaustedError("too many paths through the program");
      }
      Follow(i);
    }
    for (Location& location : locations_) {
      std::sort(location.successors.begin(), location.successors.end());
      location.successors.erase(std::unique(location.successors.begin(), location.successors.end()),
                                location.successors.end());
    }
    return std::move(locations_);
  }

 private:
  int32_t Count() const { return program_.Next(); }

  absl::Status FindLeaders() {
    leader_[0] = true;
    for (int32_t i = 0; i < Count(); ++i) {
      const Instruction& inst = program_.insts[i];
      if (isa::EndsThread(inst)) leader_[i + 1] = true;
      if (!isa::IsBranch(inst.op)) continue;
      const isa::Format format = isa::Info(inst.op).format;
      if (format == isa::Format::kCall || format == isa::Format::kRet ||
          inst.src[0].file == isa::File::kGrf) {
        return absl::UnimplementedError(
            absl::StrCat("instruction ", i, ": ", isa::Info(inst.op).mnemonic));
      }
      leader_[i + 1] = true;
      const isa::BranchTargets& target = program_.targets[i];
      const bool both = format == isa::Format::kBranchJU;
      if (!InProgram(target.jip) || (both && !InProgram(target.uip))) {
        return absl::InvalidArgumentError(
            absl::StrCat("instruction ", i, ": branch without target"));
      }
      leader_[target.jip] = true;
      if (both) leader_[target.uip] = true;
    }
    return absl::OkStatus();
  }

  bool InProgram(int32_t at) const { return at >= 0 && at <= Count(); }

  // Returns the number of the location of these lanes; those parked at its instruction are on
  // again.
  size_t NumberOf(Where w) {
    for (int32_t& lane : w.lanes) lane = lane == w.pc ? kActive : lane;
    std::sort(w.lanes.begin(), w.lanes.end());
    const auto [it, inserted] = numbers_.emplace(w, wheres_.size());
    if (!inserted) return it->second;
    wheres_.push_back(w);
    Location location;
    location.begin = location.end = w.pc;
    do ++location.end;
    while (location.end < Count() && !leader_[location.end]);
    location.off = !w.AnyActive();
    locations_.push_back(location);
    return it->second;
  }

  void GoTo(size_t from, Where w, int32_t pc) {
    w.pc = pc;
    if (pc >= Count()) {
      locations_[from].past_end = true;
      return;
    }
    const size_t to = NumberOf(w);
    locations_[from].successors.push_back(static_cast<int32_t>(to));
  }

  // Continues after the branch while any lane is (or will be) there, else at `jip`.
  void Continue(size_t from, const Where& w, int32_t at, int32_t jip) {
    const bool stays = w.AnyActive() || w.AnyAt(at + 1);
    if (stays || fusion_ == Fusion::kOn) GoTo(from, w, at + 1);
    if (!stays) GoTo(from, w, jip);
  }

  static Where Parked(Where w, unsigned lanes, int32_t at) {
    for (size_t i = 0; i < w.lanes.size(); ++i) {
      if ((lanes >> i & 1) != 0) w.lanes[i] = at;
    }
    std::sort(w.lanes.begin(), w.lanes.end());
    return w;
  }

  void Follow(size_t from) {
    const Where w = wheres_[from];
    const int32_t at = locations_[from].end - 1;
    const Instruction& inst = program_.insts[at];
    if (isa::EndsThread(inst)) return;
    if (!isa::IsBranch(inst.op)) return GoTo(from, w, at + 1);
    unsigned active = 0;
    for (size_t i = 0; i < w.lanes.size(); ++i) active |= (w.lanes[i] == kActive ? 1u : 0u) << i;
    // Tries every set of active lanes for which the predicate may hold.
    for (unsigned taken = 0; taken <= active; ++taken) {
      if ((taken & ~active) != 0) continue;
      if (inst.pred == isa::PredCtrl::kNone && taken != active) continue;
      Branch(from, w, at, active, taken);
    }
    // The scalar predicate of a jump may hold whatever lanes are on.
    if (inst.op == Opcode::kJmpi) Jump(from, w, at);
  }

  void Jump(size_t from, const Where& w, int32_t at) {
    GoTo(from, w, program_.targets[at].jip);
    if (program_.insts[at].pred != isa::PredCtrl::kNone) GoTo(from, w, at + 1);
  }

  void Branch(size_t from, const Where& w, int32_t at, unsigned active, unsigned taken) {
    const Instruction& inst = program_.insts[at];
    const auto [jip, uip] = program_.targets[at];
    switch (inst.op) {
      case Opcode::kIf: return Continue(from, Parked(w, active & ~taken, jip), at, jip);
      case Opcode::kElse:
        return Continue(from, Parked(w, active, inst.branch_control ? uip : jip), at, jip);
      case Opcode::kWhile: return Loop(from, w, at, active, taken);
      case Opcode::kBreak: {
        // Lanes that leave a loop continue after its end.
        const bool at_end = uip < Count() && program_.insts[uip].op == Opcode::kWhile;
        return Continue(from, Parked(w, taken, at_end ? uip + 1 : uip), at, jip);
      }
      case Opcode::kCont:
      case Opcode::kHalt:
      case Opcode::kBrc:
      case Opcode::kGoto: return Continue(from, Parked(w, taken, uip), at, jip);
      case Opcode::kBrd: return Continue(from, Parked(w, taken, jip), at, jip);
      case Opcode::kJmpi: return;
      default:  // endif, join
        return Continue(from, w, at, jip);
    }
  }

  void Loop(size_t from, const Where& w, int32_t at, unsigned active, unsigned taken) {
    const int32_t jip = program_.targets[at].jip;
    if (taken != 0) return GoTo(from, Parked(w, active & ~taken, at + 1), jip);
    GoTo(from, w, at + 1);
    if (fusion_ == Fusion::kOn) GoTo(from, Parked(w, active, at + 1), jip);
  }

  const isa::Program& program_;
  const Fusion fusion_;
  std::vector<bool> leader_;
  std::map<Where, size_t> numbers_;
  std::vector<Where> wheres_;  // by location
  std::vector<Location> locations_;
};

}  // namespace

absl::StatusOr<std::vector<Location>> LocationsOf(const isa::Program& program, Fusion fusion) {
  if (program.insts.empty()) return std::vector<Location>();
  return Walker(program, fusion).Run();
}

}  // namespace kiln::intel::waits
