// Rules about structured control flow: see verify_flow.h.
#include "core/intel/isa/verify_flow.h"

#include <algorithm>
#include <cstdint>

namespace kiln::intel::isa {
namespace {

constexpr int kNowhere = -1;

class Structure {
 public:
  explicit Structure(absl::Span<const PlacedInstruction> program)
      : program_(program),
        count_(static_cast<int>(program.size())),
        open_(program.size(), kNowhere),
        else_(program.size(), kNowhere),
        endif_(program.size(), kNowhere) {}

  std::vector<size_t> Find() {
    Nest();
    for (int i = 0; i < count_; ++i) {
      if (OpOf(i) == Opcode::kWhile) Loop(i);
    }
    for (int i = 0; i < count_; ++i) Check(i);
    std::sort(bad_.begin(), bad_.end());
    bad_.erase(std::unique(bad_.begin(), bad_.end()), bad_.end());
    return bad_;
  }

  std::vector<size_t> FindUnmetHalts() {
    Nest();
    bad_.clear();
    std::vector<int> halts;
    for (int i = 0; i < count_; ++i) {
      if (OpOf(i) == Opcode::kWhile) Loop(i);
      if (OpOf(i) == Opcode::kHalt) halts.push_back(i);
    }
    bad_.clear();
    if (halts.empty()) return bad_;
    const int last = halts.back();
    const bool nested =
        open_[static_cast<size_t>(last)] != kNowhere || InnermostEnd(last) != kNowhere;
    for (const int i : halts) {
      const bool misled = Uip(i) != last + 1 || Jip(i) > Uip(i);
      const bool open =
          i == last && (nested || Jip(i) != Uip(i) ||
                        program_[static_cast<size_t>(i)].inst.pred != PredCtrl::kNone);
      if (misled || open) Bad(i);
    }
    return bad_;
  }

 private:
  struct Interval {
    int head, end;
  };

  Opcode OpOf(int i) const { return program_[static_cast<size_t>(i)].inst.op; }
  void Bad(int i) { bad_.push_back(static_cast<size_t>(i)); }

  // Returns the index of the instruction `distance` bytes from instruction i, count_ for the end of
  // the program, kNowhere for an offset between instructions.
  int At(int i, int distance) const {
    const int64_t offset = int64_t{program_[static_cast<size_t>(i)].offset} + distance;
    const auto it = std::lower_bound(
        program_.begin(), program_.end(), offset,
        [](const PlacedInstruction& p, int64_t value) { return p.offset < value; });
    const int at = static_cast<int>(it - program_.begin());
    if (it != program_.end()) return it->offset == offset ? at : kNowhere;
    const int64_t end = int64_t{program_.back().offset} + ByteLength(program_.back().inst);
    return offset == end ? at : kNowhere;
  }
  int Jip(int i) const { return At(i, program_[static_cast<size_t>(i)].inst.jip); }
  int Uip(int i) const { return At(i, program_[static_cast<size_t>(i)].inst.uip); }
  // Returns true if `at` is the instruction `target`, or if only syncs and nops lie between.
  bool Reaches(int at, int target) const {
    while (at != kNowhere && at < target && (OpOf(at) == Opcode::kSync || OpOf(at) == Opcode::kNop))
      ++at;
    return at == target;
  }

  // Finds the if that is open before each instruction, and the else and endif of each if.
  void Nest() {
    std::vector<int> ifs;
    for (int i = 0; i < count_; ++i) {
      open_[static_cast<size_t>(i)] = ifs.empty() ? kNowhere : ifs.back();
      const Opcode op = OpOf(i);
      if (op == Opcode::kIf) ifs.push_back(i);
      if (op != Opcode::kElse && op != Opcode::kEndif) continue;
      if (ifs.empty() ||
          (op == Opcode::kElse && else_[static_cast<size_t>(ifs.back())] != kNowhere)) {
        Bad(i);
      } else if (op == Opcode::kElse) {
        else_[static_cast<size_t>(ifs.back())] = i;
      } else {
        const auto opened = static_cast<size_t>(ifs.back());
        endif_[opened] = i;
        if (else_[opened] != kNowhere) endif_[static_cast<size_t>(else_[opened])] = i;
        ifs.pop_back();
      }
    }
    for (const int i : ifs) Bad(i);
  }

  void Loop(int i) {
    const int head = Jip(i);
    if (head == kNowhere || head > i ||
        open_[static_cast<size_t>(head)] != open_[static_cast<size_t>(i)]) {
      return Bad(i);
    }
    loops_.push_back({head, i});
  }

  // Returns the while of the innermost loop around instruction i, or kNowhere.
  int InnermostEnd(int i) const {
    int end = kNowhere, head = kNowhere;
    for (const Interval& loop : loops_) {
      if (loop.head <= i && i < loop.end && loop.head >= head) {
        // Among loops with the same head, the inner one ends first.
        if (loop.head > head || loop.end < end) end = loop.end;
        head = loop.head;
      }
    }
    return end;
  }

  void Check(int i) {
    const auto n = static_cast<size_t>(i);
    switch (OpOf(i)) {
      case Opcode::kIf: {
        if (endif_[n] == kNowhere) return;  // said already
        const bool jip = else_[n] != kNowhere ? Jip(i) == else_[n] + 1 : Reaches(Jip(i), endif_[n]);
        if (!jip || !Reaches(Uip(i), endif_[n])) Bad(i);
        return;
      }
      case Opcode::kElse:
        if (endif_[n] == kNowhere) return;
        if (!Reaches(Jip(i), endif_[n]) || !Reaches(Uip(i), endif_[n])) Bad(i);
        return;
      case Opcode::kEndif:
        if (program_[n].inst.jip <= 0) Bad(i);
        return;
      case Opcode::kBreak:
      case Opcode::kCont: {
        const int end = InnermostEnd(i);
        if (end == kNowhere || !Reaches(Uip(i), end) || Jip(i) <= i || Jip(i) > end) Bad(i);
        return;
      }
      case Opcode::kHalt:
        if (program_[n].inst.jip <= 0 || program_[n].inst.uip <= 0) Bad(i);
        return;
      default: return;
    }
  }

  const absl::Span<const PlacedInstruction> program_;
  const int count_;
  std::vector<int> open_, else_, endif_;
  std::vector<Interval> loops_;
  std::vector<size_t> bad_;
};

}  // namespace

std::vector<size_t> MisplacedControlFlow(absl::Span<const PlacedInstruction> program) {
  return Structure(program).Find();
}

std::vector<size_t> UnmetHalts(absl::Span<const PlacedInstruction> program) {
  return Structure(program).FindUnmetHalts();
}

}  // namespace kiln::intel::isa
