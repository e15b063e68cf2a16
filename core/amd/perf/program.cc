#include "core/amd/perf/program.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/amd/isa/disasm.h"
#include "core/amd/isa/operands.h"

namespace kiln::amd {
namespace {

using isa::Opcode;
using isa::PlacedInstruction;

bool IsBranch(const PlacedInstruction& placed) {
  const isa::OpcodeInfo& info = isa::Info(placed.inst.op);
  return info.unit == isa::Unit::kBranch && info.encoding == isa::Encoding::kSopp;
}

// Returns true if control never goes on behind the instruction.
bool Leaves(const isa::Instruction& inst) {
  return inst.op == Opcode::kSBranch || inst.op == Opcode::kSSetpcB64 ||
         isa::Info(inst.op).Has(isa::opcode_flag::kEnd);
}

// The inclusive range of instructions of a loop.
struct Loop {
  int32_t head = 0;
  int32_t last = 0;
  bool Contains(int32_t i) const { return head <= i && i <= last; }
};

// The branches of a program: for each instruction the one it branches to, or -1.
class Flow {
 public:
  explicit Flow(absl::Span<const PlacedInstruction> program) : program_(program) {
    for (const PlacedInstruction& placed : program) targets_.push_back(TargetOf(placed));
    FindLoops();
  }

  int32_t size() const { return static_cast<int32_t>(targets_.size()); }
  int32_t target(int32_t i) const { return targets_[static_cast<size_t>(i)]; }
  const isa::Instruction& inst(int32_t i) const { return program_[static_cast<size_t>(i)].inst; }
  absl::Span<const Loop> loops() const { return loops_; }

  bool IsForward(int32_t i) const { return target(i) > i; }
  bool LeavesALoop(int32_t from, int32_t to) const {
    return std::any_of(loops_.begin(), loops_.end(),
                       [&](const Loop& loop) { return loop.Contains(from) && !loop.Contains(to); });
  }

 private:
  int32_t TargetOf(const PlacedInstruction& placed) const {
    if (!IsBranch(placed)) return -1;
    const int64_t offset = isa::BranchTarget(placed);
    const auto at = std::lower_bound(
        program_.begin(), program_.end(), offset,
        [](const PlacedInstruction& p, int64_t wanted) { return p.offset < wanted; });
    const bool found = at != program_.end() && at->offset == offset;
    return found ? static_cast<int32_t>(at - program_.begin()) : -1;
  }

  // Several branches back to one head are one loop.
  void FindLoops() {
    for (int32_t i = 0; i < size(); ++i) {
      const int32_t head = target(i);
      if (head < 0 || head > i) continue;
      const auto same = std::find_if(loops_.begin(), loops_.end(),
                                     [head](const Loop& loop) { return loop.head == head; });
      if (same == loops_.end()) {
        loops_.push_back({head, i});
      } else {
        same->last = i;
      }
    }
  }

  absl::Span<const PlacedInstruction> program_;
  std::vector<int32_t> targets_;
  std::vector<Loop> loops_;
};

// Cuts the program in front of targets and behind instructions that may leave.
std::vector<Block> Cut(const Flow& flow) {
  std::vector<bool> starts(static_cast<size_t>(flow.size()) + 1, false);
  for (int32_t i = 0; i < flow.size(); ++i) {
    if (flow.target(i) >= 0) starts[static_cast<size_t>(flow.target(i))] = true;
    if (flow.target(i) >= 0 || Leaves(flow.inst(i))) starts[static_cast<size_t>(i) + 1] = true;
  }
  std::vector<Block> blocks;
  for (int32_t i = 0; i < flow.size(); ++i) {
    if (i == 0 || starts[static_cast<size_t>(i)]) blocks.push_back({.first = i, .end = i});
    blocks.back().end = i + 1;
  }
  return blocks;
}

int32_t BlockAt(absl::Span<const Block> blocks, int32_t inst) {
  const auto behind =
      std::upper_bound(blocks.begin(), blocks.end(), inst,
                       [](int32_t wanted, const Block& block) { return wanted < block.first; });
  return static_cast<int32_t>(behind - blocks.begin()) - 1;
}

void Connect(const Flow& flow, std::vector<Block>& blocks) {
  for (int32_t b = 0; b < static_cast<int32_t>(blocks.size()); ++b) {
    const int32_t last = blocks[static_cast<size_t>(b)].end - 1;
    const bool falls = !Leaves(flow.inst(last)) && static_cast<size_t>(b) + 1 < blocks.size();
    if (falls) blocks[static_cast<size_t>(b) + 1].predecessors.push_back(b);
    if (flow.target(last) < 0) continue;
    Block& to = blocks[static_cast<size_t>(BlockAt(blocks, flow.target(last)))];
    if (to.predecessors.empty() || to.predecessors.back() != b) to.predecessors.push_back(b);
  }
}

// Adds one to a count of the blocks of instructions [first, end).
void Deepen(std::vector<Block>& blocks, int Block::*depth, int32_t first, int32_t end) {
  for (size_t b = static_cast<size_t>(BlockAt(blocks, first));
       b < blocks.size() && blocks[b].first < end; ++b) {
    ++(blocks[b].*depth);
  }
}

// Returns the end of the else side, whose first instruction is `at`; nothing if there is none.
std::optional<int32_t> EndOfElse(const Flow& flow, int32_t branch, int32_t at) {
  const int32_t jump = at - 1;
  if (jump <= branch || flow.inst(jump).op != Opcode::kSBranch) return std::nullopt;
  if (flow.target(jump) <= at || flow.LeavesALoop(branch, flow.target(jump))) return std::nullopt;
  return flow.target(jump);
}

void AddIf(const Flow& flow, int32_t branch, std::vector<Block>& blocks) {
  const int32_t target = flow.target(branch);
  const Opcode op = flow.inst(branch).op;
  if (op == Opcode::kSBranch || !flow.IsForward(branch)) return;
  if (flow.LeavesALoop(branch, target)) return;
  if (isa::Info(flow.inst(target - 1).op).Has(isa::opcode_flag::kEnd)) return;
  const bool divergent = op == Opcode::kSCbranchExecz || op == Opcode::kSCbranchExecnz;
  int Block::*depth = divergent ? &Block::divergent_ifs : &Block::uniform_ifs;
  if (branch + 1 < target) Deepen(blocks, depth, branch + 1, target);
  const std::optional<int32_t> end = EndOfElse(flow, branch, target);
  if (end) Deepen(blocks, depth, target, *end);
}

bool HandlesMasks(isa::Encoding e) {
  return e == isa::Encoding::kSop1 || e == isa::Encoding::kSop2 || e == isa::Encoding::kSopc;
}

}  // namespace

absl::StatusOr<std::vector<PlacedInstruction>> DecodeCode(absl::Span<const uint8_t> bytes) {
  std::vector<PlacedInstruction> program;
  size_t at = 0;
  while (at < bytes.size()) {
    const auto decoded = isa::Decode(bytes.subspan(at));
    if (!decoded.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("byte ", at, ": ", std::string(decoded.status().message())));
    }
    if (decoded->inst.op == Opcode::kSCodeEnd) break;
    program.push_back({static_cast<uint32_t>(at), decoded->length, decoded->inst});
    at += static_cast<size_t>(decoded->length);
  }
  if (program.empty()) return absl::InvalidArgumentError("there is no instruction");
  return program;
}

int64_t BytesOf(absl::Span<const PlacedInstruction> program) {
  return program.empty() ? 0 : static_cast<int64_t>(program.back().offset) + program.back().length;
}

isa::Wave WaveShownBy(absl::Span<const PlacedInstruction> program) {
  for (const PlacedInstruction& placed : program) {
    const isa::OpcodeInfo& info = isa::Info(placed.inst.op);
    if (!HandlesMasks(info.encoding)) continue;
    for (const isa::OperandUse& use : isa::OperandsOf(placed.inst, isa::Wave::k32)) {
      const bool wide = use.dwords == 2 && !use.implicit;
      if (wide && use.operand.code == isa::kExecLo) return isa::Wave::k64;
    }
    if (info.Has(isa::opcode_flag::kExecW) && isa::Dwords(info.dst) == 2) return isa::Wave::k64;
  }
  return isa::Wave::k32;
}

std::vector<Block> BlocksOf(absl::Span<const PlacedInstruction> program) {
  const Flow flow(program);
  std::vector<Block> blocks = Cut(flow);
  Connect(flow, blocks);
  for (const Loop& loop : flow.loops()) Deepen(blocks, &Block::loops, loop.head, loop.last + 1);
  for (int32_t i = 0; i < flow.size(); ++i) {
    if (flow.target(i) >= 0) AddIf(flow, i, blocks);
  }
  return blocks;
}

}  // namespace kiln::amd
