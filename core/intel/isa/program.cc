// Machine programs: insertion, offsets and branch distances, encoding: see program.h.
#include "core/intel/isa/program.h"

#include <algorithm>
#include <cassert>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/intel/isa/codes.h"
#include "core/intel/isa/compact.h"
#include "core/intel/isa/computed_descriptors.h"
#include "core/intel/isa/encode.h"
#include "core/intel/isa/fields.h"

namespace kiln::intel::isa {
namespace {

bool NeedsUip(Opcode op) { return Info(op).format == Format::kBranchJU; }

// Branches through a register, and ret, have no branch target in the instruction.
bool NeedsJip(const Instruction& inst) {
  return IsBranch(inst.op) && Info(inst.op).format != Format::kRet &&
         inst.src[0].file != File::kGrf;
}

absl::Status CheckTarget(int32_t target, size_t count, int32_t at, const char* which) {
  if (target >= 0 && target <= static_cast<int32_t>(count)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("instruction ", at, ": ", which, " target ", target, " is not an instruction"));
}

// Appends the bytes of one instruction, in the form that it is marked for.
absl::Status AppendBytes(Generation gen, const Instruction& inst, std::vector<uint8_t>& bytes) {
  if (!inst.compacted) {
    const absl::StatusOr<std::array<uint8_t, 16>> full = Encode(gen, inst);
    if (full.ok()) bytes.insert(bytes.end(), full->begin(), full->end());
    return full.status();
  }
  const auto compacted = EncodeCompacted(gen, inst);
  if (!compacted.ok()) return compacted.status();
  if (!*compacted) {
    return absl::InvalidArgumentError(absl::StrCat(Info(inst.op).mnemonic, " is not compactable"));
  }
  bytes.insert(bytes.end(), (*compacted)->begin(), (*compacted)->end());
  return absl::OkStatus();
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

absl::StatusOr<std::optional<std::array<uint8_t, 8>>> EncodeCompacted(Generation gen,
                                                                      const Instruction& inst) {
  const absl::StatusOr<std::array<uint8_t, 16>> full = Encode(gen, inst);
  if (!full.ok()) return full.status();
  const absl::StatusOr<std::optional<uint64_t>> word = Compact(gen, FromBytes(*full));
  if (!word.ok()) return word.status();
  if (!*word) return std::nullopt;
  std::array<uint8_t, 8> bytes;
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<uint8_t>(**word >> (8 * i));
  return bytes;
}

absl::StatusOr<std::vector<PlacedInstruction>> PlaceInstructions(const Program& program) {
  assert(program.insts.size() == program.targets.size());
  if (absl::Status s = CheckColumn(kCodeTable, program.generation); !s.ok()) return s;
  const size_t count = program.insts.size();
  std::vector<PlacedInstruction> out;
  out.reserve(count);
  int32_t end = 0;
  for (const Instruction& inst : program.insts) {
    out.push_back({static_cast<uint32_t>(end), inst});
    end += ByteLength(inst);
  }
  const auto offset_of = [&](int32_t index) {
    return index == program.Next() ? end : static_cast<int32_t>(out[index].offset);
  };
  for (int32_t at = 0; at < program.Next(); ++at) {
    Instruction& inst = out[at].inst;
    inst.jip = 0;
    inst.uip = 0;
    if (!NeedsJip(inst)) continue;
    const BranchTargets& target = program.targets[at];
    if (absl::Status s = CheckTarget(target.jip, count, at, "JIP"); !s.ok()) return s;
    // The distance of calla is absolute; every other one counts from the branch itself.
    inst.jip = offset_of(target.jip) - (inst.op == Opcode::kCalla ? 0 : offset_of(at));
    if (!NeedsUip(inst.op)) continue;
    if (absl::Status s = CheckTarget(target.uip, count, at, "UIP"); !s.ok()) return s;
    inst.uip = offset_of(target.uip) - offset_of(at);
  }
  return out;
}

absl::StatusOr<std::vector<uint8_t>> Finalise(const Program& program) {
  const absl::StatusOr<std::vector<PlacedInstruction>> placed = PlaceInstructions(program);
  if (!placed.ok()) return placed.status();
  std::vector<uint8_t> bytes;
  if (!placed->empty()) bytes.reserve(placed->back().offset + 16);
  for (size_t i = 0; i < placed->size(); ++i) {
    if (absl::Status s = AppendBytes(program.generation, (*placed)[i].inst, bytes); !s.ok()) {
      return absl::Status(s.code(), absl::StrCat("instruction ", i, ": ", s.message()));
    }
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
    // A branch target just past the end: the last instruction's length tells where that is.
    if (placed.empty()) return kNoTarget;
    const int64_t end = placed.back().offset + ByteLength(placed.back().inst);
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
