#include "core/amd/emit/far_branches.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "core/amd/isa/fields.h"

namespace kiln::amd {
namespace {

using isa::Opcode;

// Islands that are inserted later move what is already placed: distances keep so much room.
constexpr int kRoom = 64;

// Returns by row whether an island may come before it.
std::vector<bool> PlacesOf(const Program& program) {
  std::vector<bool> places(program.rows.size(), true);
  int in_clause = 0;
  for (size_t i = 0; i < program.rows.size(); ++i) {
    const isa::Instruction& inst = program.rows[i].inst;
    if (in_clause > 0) {
      places[i] = false;
      --in_clause;
    }
    if (program.rows[i].constant_address) places[i] = false;
    if (inst.op == Opcode::kSClause) in_clause = (inst.simm & 63) + 1;
  }
  return places;
}

class Shortener {
 public:
  Shortener(Program& program, int farthest) : program_(program), farthest_(farthest) {}

  absl::Status Run() {
    while (true) {
      offsets_ = OffsetsOf(program_);
      const size_t far = FindFar();
      if (far == program_.rows.size()) return absl::OkStatus();
      if (absl::Status s = Shorten(far); !s.ok()) return s;
    }
  }

 private:
  size_t FindFar() const {
    size_t i = 0;
    for (; i < program_.rows.size(); ++i) {
      if (program_.rows[i].target == Row::kNoTarget) continue;
      if (std::abs(BranchDistance(program_, offsets_, i)) > farthest_) break;
    }
    return i;
  }

  int Dwords(size_t from, size_t to) const {
    return (static_cast<int>(offsets_[to]) - static_cast<int>(offsets_[from])) / 4;
  }

  // Walks from the branch to its target as far as it reaches. The last s_branch with the same
  // target serves, else the last place gets an island.
  absl::Status Shorten(size_t branch) {
    const int target = program_.rows[branch].target;
    const int step = target > static_cast<int>(branch) ? 1 : -1;
    const std::vector<bool> places = PlacesOf(program_);
    const int room = std::min(kRoom, farthest_ / 4);
    size_t place = 0;
    for (int i = static_cast<int>(branch) + 2 * step; i >= 0 && i != target; i += step) {
      const auto at = static_cast<size_t>(i);
      if (at >= program_.rows.size()) break;
      if (std::abs(Dwords(branch, at)) > farthest_ - room) break;
      const Row& row = program_.rows[at];
      if (row.inst.op == Opcode::kSBranch && row.target == target) served_ = i;
      if (places[at]) place = at;
    }
    if (served_ >= 0) {
      program_.rows[branch].target = served_;
      served_ = -1;
      return absl::OkStatus();
    }
    if (place == 0) {
      return absl::InternalError(absl::StrCat("no place for an island of branch ", branch));
    }
    Insert(branch, place);
    return absl::OkStatus();
  }

  void Insert(size_t branch, size_t place) {
    Row skip, hop;
    skip.inst.op = hop.inst.op = Opcode::kSBranch;
    const bool falls = place == 0 || FallsThrough(program_.rows[place - 1].inst);
    const int count = falls ? 2 : 1;
    const int target = program_.rows[branch].target;
    hop.target = target >= static_cast<int>(place) ? target + count : target;
    skip.target = static_cast<int>(place) + count;
    const Row both[] = {skip, hop};
    InsertIsland(program_, place, absl::MakeConstSpan(both + (falls ? 0 : 1), both + 2));
    const size_t moved = branch >= place ? branch + static_cast<size_t>(count) : branch;
    program_.rows[moved].target = static_cast<int>(place) + count - 1;
  }

  Program& program_;
  const int farthest_;
  std::vector<uint32_t> offsets_;
  int served_ = -1;
};

}  // namespace

int LengthOf(const isa::Instruction& inst) {
  const int literal = isa::HasLiteral(inst) ? 1 : 0,
            extension = isa::HasExtension(inst.form) ? 1 : 0;
  return isa::DwordsOf(isa::FormatOf(isa::Info(inst.op), inst.form)) + literal + extension +
         inst.nsa_dwords;
}

std::vector<uint32_t> OffsetsOf(const Program& program) {
  std::vector<uint32_t> offsets;
  offsets.reserve(program.rows.size() + 1);
  uint32_t at = 0;
  for (const Row& row : program.rows) {
    offsets.push_back(at);
    at += 4 * static_cast<uint32_t>(LengthOf(row.inst));
  }
  offsets.push_back(at);
  return offsets;
}

int BranchDistance(const Program& program, const std::vector<uint32_t>& offsets, size_t i) {
  const auto to = static_cast<size_t>(program.rows[i].target);
  return (static_cast<int>(offsets[to]) - static_cast<int>(offsets[i])) / 4 - 1;
}

absl::Status ShortenBranches(Program& program, int farthest) {
  return Shortener(program, farthest).Run();
}

}  // namespace kiln::amd
