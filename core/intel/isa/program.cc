// Machine programs: insertion, branch resolution, encoding; see program.h.
#include "core/intel/isa/program.h"

#include <algorithm>
#include <cassert>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/intel/isa/codes.h"
#include "core/intel/isa/computed_descriptors.h"
#include "core/intel/isa/encode.h"

namespace kiln::intel::isa {
namespace {

constexpr int32_t kBytes = 16;

bool NeedsUip(Opcode op) { return Info(op).format == Format::kBranchJU; }

// Branches through a register, and ret, have no target in the instruction.
bool NeedsJip(const Instruction& inst) {
  return IsBranch(inst.op) && Info(inst.op).format != Format::kRet &&
         inst.src[0].file != File::kGrf;
}

absl::Status CheckTarget(int32_t target, size_t count, int32_t at, const char* which) {
  if (target >= 0 && target <= static_cast<int32_t>(count)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("instruction ", at, ": ", which, " target ", target, " is not an instruction"));
}

}  // namespace

const RegisterRange* FindIndirectRange(const Program& program, int32_t inst) {
  const auto it = std::lower_bound(
      program.indirect.begin(), program.indirect.end(), inst,
      [](const IndirectRange& range, int32_t value) { return range.inst < value; });
  return it != program.indirect.end() && it->inst == inst ? &it->registers : nullptr;
}

std::vector<Footprint> FootprintsOf(const Program& program) {
  std::vector<Footprint> footprints;
  footprints.reserve(program.insts.size());
  for (int32_t i = 0; i < program.Next(); ++i) {
    footprints.push_back(FootprintOf(program.insts[i], FindIndirectRange(program, i)));
  }
  return footprints;
}

void Insert(Program& program, absl::Span<const Insertion> insertions) {
  if (insertions.empty()) return;
  const auto count = static_cast<int32_t>(program.insts.size());
  std::vector<int32_t> moved(count + 1);  // old index -> index of its first insertion, or itself
  std::vector<int32_t> place(count);      // old index -> its own new index
  Program out(program.generation);
  out.insts.reserve(program.insts.size() + insertions.size());
  out.targets.reserve(out.insts.capacity());
  size_t next = 0;
  for (int32_t i = 0; i <= count; ++i) {
    moved[i] = out.Next();
    for (; next < insertions.size() && insertions[next].before == i; ++next) {
      out.Append(insertions[next].inst);
    }
    if (i < count) place[i] = out.Append(program.insts[i], program.targets[i]);
  }
  assert(next == insertions.size());  // sorted and within the program
  for (BranchTargets& target : out.targets) {
    if (target.jip != kNoTarget) target.jip = moved[target.jip];
    if (target.uip != kNoTarget) target.uip = moved[target.uip];
  }
  for (const IndirectRange& range : program.indirect) {
    out.indirect.push_back({place[range.inst], range.registers});
  }
  program = std::move(out);
}

absl::StatusOr<std::vector<Instruction>> ResolveBranches(const Program& program) {
  assert(program.insts.size() == program.targets.size());
  if (absl::Status s = CheckColumn(kCodeTable, program.generation); !s.ok()) return s;
  std::vector<Instruction> out = program.insts;
  for (size_t i = 0; i < out.size(); ++i) {
    const auto at = static_cast<int32_t>(i);
    out[i].jip = 0;
    out[i].uip = 0;
    if (!NeedsJip(out[i])) continue;
    const BranchTargets& target = program.targets[i];
    if (absl::Status s = CheckTarget(target.jip, out.size(), at, "JIP"); !s.ok()) return s;
    // calla is absolute; every other distance counts from the branch itself.
    out[i].jip = kBytes * (out[i].op == Opcode::kCalla ? target.jip : target.jip - at);
    if (!NeedsUip(out[i].op)) continue;
    if (absl::Status s = CheckTarget(target.uip, out.size(), at, "UIP"); !s.ok()) return s;
    out[i].uip = kBytes * (target.uip - at);
  }
  return out;
}

absl::StatusOr<std::vector<uint8_t>> Finalise(const Program& program) {
  absl::StatusOr<std::vector<Instruction>> insts = ResolveBranches(program);
  if (!insts.ok()) return insts.status();
  std::vector<uint8_t> bytes;
  bytes.reserve(insts->size() * kBytes);
  for (size_t i = 0; i < insts->size(); ++i) {
    absl::StatusOr<std::array<uint8_t, 16>> one = Encode(program.generation, (*insts)[i]);
    if (!one.ok()) {
      return absl::Status(one.status().code(),
                          absl::StrCat("instruction ", i, ": ", one.status().message()));
    }
    bytes.insert(bytes.end(), one->begin(), one->end());
  }
  return bytes;
}

absl::StatusOr<Program> ToProgram(Generation gen, absl::Span<const PlacedInstruction> placed) {
  if (absl::Status s = CheckColumn(kCodeTable, gen); !s.ok()) return s;
  const auto index_of = [&](int64_t offset) -> int32_t {
    const auto it = std::lower_bound(
        placed.begin(), placed.end(), offset,
        [](const PlacedInstruction& p, int64_t value) { return p.offset < value; });
    if (it != placed.end()) {
      return it->offset == offset ? static_cast<int32_t>(it - placed.begin()) : kNoTarget;
    }
    // Just past the end: the last instruction's own length tells where that is.
    if (placed.empty()) return kNoTarget;
    const int64_t end = placed.back().offset + (placed.back().inst.compacted ? 8 : 16);
    return offset == end ? static_cast<int32_t>(placed.size()) : kNoTarget;
  };
  Program program(gen);
  for (const PlacedInstruction& p : placed) {
    BranchTargets target;
    Instruction inst = p.inst;
    if (NeedsJip(inst)) {
      const int64_t base = inst.op == Opcode::kCalla ? 0 : p.offset;
      target.jip = index_of(base + inst.jip);
      if (target.jip == kNoTarget) {
        return absl::InvalidArgumentError(
            absl::StrCat("offset ", p.offset, ": JIP is not an instruction's start"));
      }
      if (NeedsUip(inst.op)) {
        target.uip = index_of(base + inst.uip);
        if (target.uip == kNoTarget) {
          return absl::InvalidArgumentError(
              absl::StrCat("offset ", p.offset, ": UIP is not an instruction's start"));
        }
      }
    }
    inst.jip = 0;
    inst.uip = 0;
    inst.compacted = false;
    program.Append(inst, target);
  }
  NoteComputedDescriptors(program);
  return program;
}

}  // namespace kiln::intel::isa
