// Builds blocks and edges: see flow.h.
#include "core/intel/isa/flow.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace kiln::intel::isa {
namespace {

bool FallsThrough(const Instruction& inst) {
  if (EndsThread(inst)) return false;
  return inst.op != Opcode::kJmpi || inst.pred != PredCtrl::kNone;
}

absl::Status CheckBranch(const Program& program, int32_t at) {
  const Instruction& inst = program.insts[at];
  const Format format = Info(inst.op).format;
  if (format == Format::kCall || format == Format::kRet || inst.src[0].file == File::kGrf) {
    return absl::UnimplementedError(
        absl::StrCat("instruction ", at, ": ", Info(inst.op).mnemonic, " to a register"));
  }
  const auto in_range = [&](int32_t t) {
    return t >= 0 && t <= static_cast<int32_t>(program.insts.size());
  };
  const BranchTargets& target = program.targets[at];
  if (!in_range(target.jip) || (format == Format::kBranchJU && !in_range(target.uip))) {
    return absl::InvalidArgumentError(absl::StrCat("instruction ", at, ": branch without target"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<MachineBlock>> BuildBlocks(const Program& program) {
  const auto count = static_cast<int32_t>(program.insts.size());
  std::vector<bool> leader(count + 1, false);
  leader[0] = true;
  for (int32_t i = 0; i < count; ++i) {
    if (EndsThread(program.insts[i])) leader[i + 1] = true;
    if (!IsBranch(program.insts[i].op)) continue;
    if (absl::Status s = CheckBranch(program, i); !s.ok()) return s;
    leader[i + 1] = true;
    leader[program.targets[i].jip] = true;
    if (Info(program.insts[i].op).format == Format::kBranchJU) {
      leader[program.targets[i].uip] = true;
    }
  }
  std::vector<MachineBlock> blocks;
  std::vector<int32_t> block_of(count + 1, -1);  // -1: past the end
  for (int32_t i = 0; i < count; ++i) {
    if (leader[i]) blocks.push_back({i, i, {}});
    block_of[i] = static_cast<int32_t>(blocks.size()) - 1;
    blocks.back().end = i + 1;
  }
  for (MachineBlock& block : blocks) {
    const int32_t last = block.end - 1;
    const Instruction& inst = program.insts[last];
    std::vector<int32_t>& next = block.successors;
    if (FallsThrough(inst)) next.push_back(block_of[block.end]);
    if (IsBranch(inst.op)) {
      next.push_back(block_of[program.targets[last].jip]);
      if (Info(inst.op).format == Format::kBranchJU) {
        next.push_back(block_of[program.targets[last].uip]);
      }
    }
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    if (!next.empty() && next.front() == -1) next.erase(next.begin());
  }
  return blocks;
}

}  // namespace kiln::intel::isa
