// The checker's own test: good allocations are accepted, and of mutated ones at least 99 % are
// caught.
//
// A mutation can leave a program right (two registers with the same content, a dead component), so
// mutations are chosen such that the meaning changes, and the rest of such cases is what the one
// percent is for. No kind of mutation may do much worse than all together.
#include "core/lir/ra/check.h"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "core/lir/liveness.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/ra/allocate.h"
#include "core/lir/random_program.h"
#include "core/lir/testing.h"
#include "gtest/gtest.h"

namespace kiln::lir::ra {
namespace {

using testing::TestTarget;

Function Read(const std::string& text) {
  auto f = Parse(TestTarget(), text);
  EXPECT_TRUE(f.ok()) << f.status();
  return *std::move(f);
}

// ---- Each shape by hand: `%0` is kept in unit 8 or 16 while `nomask` writes unit 8.

struct Shape {
  const char* name;
  const char* text;
};

constexpr char kHead[] =
    "function test width 8\n"
    "value %0 G 4x1\n"
    "value %1 G 4x1\n"
    "value %2 F 0x1\n"
    "value %3 G 4x1\n"
    "value %4 F 0x1\n";

const Shape kShapes[] = {
    {"break: a value of the head, needed after the loop",
     "block b0 depth 0\n"
     "  -> b1\n"
     "block b1 depth 1\n"
     "  %1:ud@16 = const #0x5:ud {w8 nomask}\n"
     "  store %1:ud@16\n"
     "  %0:ud@8 = const #0x1:ud {w8}\n"
     "  %2:ud@0 = cmp %0:ud@8 {w8}\n"
     "  break %2:ud@0 {w8 pred 1}\n"
     "  -> b3, b2\n"
     "block b2 depth 1\n"
     "  while\n"
     "  -> b1\n"
     "block b3 depth 0\n"
     "  end %0:ud@8\n"},
    {"else only: a value that only the else side reads",
     "block b0 depth 0\n"
     "  %0:ud@8 = const #0x1:ud {w8}\n"
     "  %2:ud@0 = cmp %0:ud@8 {w8}\n"
     "  if %2:ud@0 {w8 pred 1}\n"
     "  -> b1, b2\n"
     "block b1 depth 0\n"
     "  %1:ud@16 = const #0x5:ud {w8 nomask}\n"
     "  store %1:ud@16\n"
     "  else\n"
     "  -> b3\n"
     "  ~> b2\n"
     "block b2 depth 0\n"
     "  store %0:ud@8\n"
     "  endif\n"
     "  -> b3\n"
     "block b3 depth 0\n"
     "  end\n"},
    {"continue: a value that the continue block reads",
     "block b0 depth 0\n"
     "  -> b1\n"
     "block b1 depth 1\n"
     "  %0:ud@8 = const #0x1:ud {w8}\n"
     "  %2:ud@0 = cmp %0:ud@8 {w8}\n"
     "  if %2:ud@0 {w8 pred 1}\n"
     "  -> b2, b3\n"
     "block b2 depth 1\n"
     "  cont {w8}\n"
     "  -> b5\n"
     "  ~> b3\n"
     "block b3 depth 1\n"
     "  endif\n"
     "  -> b4\n"
     "block b4 depth 1\n"
     "  %1:ud@16 = const #0x5:ud {w8 nomask}\n"
     "  store %1:ud@16\n"
     "  -> b5\n"
     "block b5 depth 1\n"
     "  store %0:ud@8\n"
     "  while\n"
     "  -> b1\n"},
    {"nested: lanes that wait for the outer join while an inner loop runs",
     "block b0 depth 0\n"
     "  %0:ud@8 = const #0x1:ud {w8}\n"
     "  %2:ud@0 = cmp %0:ud@8 {w8}\n"
     "  if %2:ud@0 {w8 pred 1}\n"
     "  -> b1, b4\n"
     "block b1 depth 0\n"
     "  -> b2\n"
     "block b2 depth 1\n"
     "  %1:ud@16 = const #0x5:ud {w8 nomask}\n"
     "  %4:ud@1 = cmp %1:ud@16 {w8}\n"
     "  while %4:ud@1 {w8 pred 1}\n"
     "  -> b2, b3\n"
     "block b3 depth 0\n"
     "  endif\n"
     "  -> b4\n"
     "block b4 depth 0\n"
     "  end %0:ud@8\n"},
};

TEST(CheckTest, EachShapeOfParkedLanes) {
  for (const Shape& s : kShapes) {
    const std::string good = std::string(kHead) + s.text;
    const Function f = Read(good);
    EXPECT_TRUE(CheckAllocation(TestTarget(), f, f).ok())
        << s.name << ": " << CheckAllocation(TestTarget(), f, f);
    // The NoMask value moves into the register of the value that parked lanes hold.
    std::string bad = good;
    for (size_t at; (at = bad.find("%1:ud@16")) != bad.npos;) bad.replace(at, 8, "%1:ud@8");
    EXPECT_FALSE(CheckAllocation(TestTarget(), f, Read(bad)).ok()) << s.name;
  }
}

// In the same place a masked write is harmless in the break shape (the lane that executes writes
// %0 again before it leaves) and where the side that runs does not need the value.
TEST(CheckTest, MaskedWritesShareLanes) {
  for (int k : {0, 1, 2}) {
    std::string text = std::string(kHead) + kShapes[k].text;
    for (size_t at; (at = text.find(" nomask")) != text.npos;) text.erase(at, 7);
    for (size_t at; (at = text.find("%1:ud@16")) != text.npos;) text.replace(at, 8, "%1:ud@8");
    const Function f = Read(text);
    const absl::Status s = CheckAllocation(TestTarget(), f, f);
    // In the continue shape %0 is needed by lanes that go on as well.
    EXPECT_EQ(s.ok(), k != 2) << kShapes[k].name << ": " << s;
  }
}

// What an exit makes of moves that are right without it: a value is out of its home, in unit 8,
// where the thread may leave.
struct ExitShape {
  const char* name;
  uint32_t moved;      // the value
  const char* before;  // ... the place where it is out for a while
  const char* after;
};
constexpr char kExit[] = "  exit %2:ud@0 {w8 pred 1}\n";
constexpr char kOut[] = "  %1:ud@8 = const #0x5:ud {nomask}\n  store %1:ud@8\n";
constexpr char kExitHead[] =
    "function test width 8\n"
    "value %0 U 4x1\n"
    "value %1 U 4x1\n"
    "value %2 F 0x1\n"
    "value %3 G 4x1\n";

const ExitShape kExitShapes[] = {
    {"what the exit block reads for all lanes", 0,
     "exit_block b1\n"
     "block b0 depth 0\n"
     "  %0:ud@8 = const #0x1:ud {nomask}\n"
     "  %2:ud@0 = cmp %0:ud@8 {w8}\n",
     "  -> b1\n"
     "block b1 depth 0\n"
     "  end %0:ud@8\n"},
    {"what lanes hold that wait for the else side", 0,
     "exit_block b3\n"
     "block b0 depth 0\n"
     "  %0:ud@8 = const #0x1:ud {nomask}\n"
     "  %2:ud@0 = cmp %0:ud@8 {w8}\n"
     "  if %2:ud@0 {w8 pred 1}\n"
     "  -> b1, b2\n"
     "block b1 depth 0\n",
     "  else\n"
     "  -> b3\n"
     "  ~> b2\n"
     "block b2 depth 0\n"
     "  store %0:ud@8\n"
     "  endif\n"
     "  -> b3\n"
     "block b3 depth 0\n"
     "  end\n"},
    {"what lanes hold that have left the loop", 3,
     "exit_block b3\n"
     "block b0 depth 0\n"
     "  %3:ud@8 = const #0x1:ud {w8 nomask}\n"
     "  %2:ud@0 = cmp %3:ud@8 {w8}\n"
     "  -> b1\n"
     "block b1 depth 1\n"
     "  break %2:ud@0 {w8 pred 1}\n"
     "  -> b3, b2\n"
     "block b2 depth 1\n",
     "  while\n"
     "  -> b1\n"
     "block b3 depth 0\n"
     "  end %3:ud@8 {w8}\n"},
};

InstId MoveOf(Function* f, uint32_t value, uint32_t to, uint32_t from) {
  const Value v = f->values[value];
  const uint32_t units = TestTarget().units_per_comp(*f, v);
  const InstId i = TestTarget().make_copy(*f, v, to, from, units, true);
  for (Operand& o : f->defs(i)) o.id = value;
  for (Operand& o : f->uses(i)) o.id = value;
  return i;
}

// The checker's answer if the value goes to unit 16 before kOut, and home so many instructions
// behind it. The exit stands before or behind kOut.
absl::Status Verdict(const ExitShape& s, bool exit_first, size_t behind) {
  const Function ssa = Read(std::string(kExitHead) + s.before + (exit_first ? kExit : "") + kOut +
                            (exit_first ? "" : kExit) + s.after);
  Function f = ssa;
  const InstId away = MoveOf(&f, s.moved, 16, 8), back = MoveOf(&f, s.moved, 8, 16);
  for (Block& b : f.blocks) {
    const auto out = std::find_if(b.insts.begin(), b.insts.end(), [&](InstId i) {
      return f.inst(i).num_defs != 0 && f.defs(i)[0].id == 1;
    });
    if (out == b.insts.end()) continue;
    const auto at = out - b.insts.begin();
    b.insts.insert(b.insts.begin() + at + 2 + static_cast<std::ptrdiff_t>(behind), back);
    b.insts.insert(b.insts.begin() + at, away);
    break;
  }
  return CheckAllocation(TestTarget(), ssa, f);
}

TEST(CheckTest, AtAnExitEverythingIsAtHome) {
  for (const ExitShape& s : kExitShapes) {
    EXPECT_TRUE(Verdict(s, true, 0).ok()) << s.name << ": " << Verdict(s, true, 0);
    EXPECT_TRUE(Verdict(s, false, 0).ok()) << s.name << ": " << Verdict(s, false, 0);
    EXPECT_FALSE(Verdict(s, false, 1).ok()) << s.name;
  }
}

// A loop that only exits leave: what the exit block reads for all lanes lives round it.
TEST(CheckTest, TheExitBlockIsReachedByExitsAlone) {
  const std::string text = std::string(kExitHead) +
                           "exit_block b2\n"
                           "block b0 depth 0\n"
                           "  %0:ud@8 = const #0x1:ud {nomask}\n"
                           "  %2:ud@0 = cmp %0:ud@8 {w8}\n"
                           "  -> b1\n"
                           "block b1 depth 1\n"
                           "  exit %2:ud@0 {w8 pred 1}\n"
                           "  %1:ud@16 = const #0x5:ud {nomask}\n"
                           "  store %1:ud@16\n"
                           "  while\n"
                           "  -> b1\n"
                           "block b2 depth 0\n"
                           "  end %0:ud@8\n";
  const Function f = Read(text);
  EXPECT_TRUE(CheckAllocation(TestTarget(), f, f).ok()) << CheckAllocation(TestTarget(), f, f);
  std::string bad = text;
  for (size_t at; (at = bad.find("%1:ud@16")) != bad.npos;) bad.replace(at, 8, "%1:ud@8");
  EXPECT_FALSE(CheckAllocation(TestTarget(), f, Read(bad)).ok());
}

// What is reserved holds no value, and a pool ends where the function says.
TEST(CheckTest, ReservedUnitsHoldNoValue) {
  const std::string text =
      "function test width 8\n"
      "value %0 G 4x1\n"
      "pool grf units 64\n"
      "pool flag units 4\n"
      "reserved grf at 12 units 2\n"
      "block b0 depth 0\n"
      "  %0:ud@REG = const #0x1:ud {w8}\n"
      "  store %0:ud@REG\n"
      "  end\n";
  for (const auto& [reg, good] :
       {std::pair("0", true), {"16", true}, {"8", false}, {"64", false}}) {
    std::string placed = text;
    for (size_t at; (at = placed.find("REG")) != std::string::npos;) placed.replace(at, 3, reg);
    const Function f = Read(placed);
    EXPECT_EQ(CheckAllocation(TestTarget(), f, f).ok(), good) << reg;
  }
}

// Three xors exchange two registers; two of them, or in another order, do not.
TEST(CheckTest, SwapsAreUnderstood) {
  const Function ssa = Read(
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 G 4x1\n"
      "block b0 depth 0\n"
      "  %0:ud@8 = const #0x1:ud {w8}\n"
      "  %1:ud@16 = const #0x2:ud {w8}\n"
      "  store %0:ud@16 %1:ud@8 {w8}\n"
      "  end\n");
  const Target& t = TestTarget();
  EXPECT_FALSE(CheckAllocation(t, ssa, ssa).ok());
  Function f = ssa;
  std::array<InstId, 3> three;
  t.make_swap(f, ssa.values[0], 8, 16, 8, false, absl::MakeSpan(three));
  for (InstId i : three) {
    for (Operand& o : f.defs(i)) o.id = 0;
    for (Operand& o : f.uses(i)) o.id = 0;
  }
  std::vector<InstId>& insts = f.blocks[0].insts;
  insts.insert(insts.begin() + 2, three.begin(), three.end());
  EXPECT_TRUE(CheckAllocation(t, ssa, f).ok()) << CheckAllocation(t, ssa, f);
  std::swap(insts[2], insts[3]);
  EXPECT_FALSE(CheckAllocation(t, ssa, f).ok());
  std::swap(insts[2], insts[3]);
  insts.erase(insts.begin() + 4);
  EXPECT_FALSE(CheckAllocation(t, ssa, f).ok());
}

// ---- Mutations.

enum Mutation {
  kMoveUse,        // a source reads another register
  kMoveDef,        // a result goes to another register
  kDropCopy,       // one copy is missing
  kRedirectCopy,   // a copy writes elsewhere
  kSwapOrder,      // a copy and the instruction before it change places
  kMask,           // a NoMask copy obeys the mask
  kRenameTwo,      // two values live at once change registers for good
  kNoMaskClash,    // a NoMask result is put where parked lanes hold something
  kDropInst,
  kNumMutations,
};
const char* const kNames[] = {"move use",   "move def",  "drop copy", "redirect copy",
                              "swap order", "mask",      "rename two", "NoMask clash",
                              "drop instruction"};

using Rng = std::mt19937_64;
uint32_t Below(Rng& r, size_t n) { return static_cast<uint32_t>(r() % n); }

bool IsValue(const Operand& o) { return o.kind == Operand::Kind::kValue; }

struct Site {
  uint32_t block = 0, position = 0;
};

template <class P>
bool PickInst(const Function& f, Rng& r, P&& wanted, Site* site) {
  std::vector<Site> sites;
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    for (uint32_t k = 0; k < f.blocks[b].insts.size(); ++k) {
      if (wanted(f.blocks[b].insts[k], b, k)) sites.push_back({b, k});
    }
  }
  if (sites.empty()) return false;
  *site = sites[Below(r, sites.size())];
  return true;
}

std::vector<uint32_t> UseCounts(const Function& f) {
  std::vector<uint32_t> n(f.values.size());
  for (const Block& b : f.blocks) {
    for (InstId i : b.insts) {
      for (const Operand& o : f.uses(i)) {
        if (IsValue(o)) ++n[o.id];
      }
    }
  }
  return n;
}

std::vector<uint32_t> DefinedAt(const Function& f) {
  std::vector<uint32_t> at(f.values.size(), Operand::kNoReg);
  for (const Block& b : f.blocks) {
    for (InstId i : b.insts) {
      for (const Operand& o : f.defs(i)) {
        if (IsValue(o)) at[o.id] = o.reg;
      }
    }
  }
  return at;
}

// Blocks that no lane reaches prove nothing.
std::vector<char> Reached(const Function& f) {
  std::vector<char> seen(f.blocks.size());
  std::vector<uint32_t> work = {0};
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    if (seen[b]++) continue;
    for (const Edge& e : f.blocks[b].succs) work.push_back(e.to.index);
  }
  return seen;
}

bool Inserted(const Function& ssa, InstId i) { return i.index >= ssa.insts.size(); }

// Copies whose absence must show: those of collects (which are stored), and those of edges into
// units that an instruction reads a parameter from. Other parameters may be dead in a cycle.
std::vector<char> CopiesThatMatter(const Function& ssa, const Function& f) {
  const Target& t = TestTarget();
  const std::vector<char> reached = Reached(ssa);
  std::vector<char> matters(f.insts.size());
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    if (!reached[b]) continue;
    std::vector<uint32_t> read;  // units of parameters of the successor
    const bool args = ssa.blocks[b].succs.size() == 1 && ssa.blocks[b].succs[0].num_args != 0;
    if (args) {
      const std::vector<ValueId>& params = ssa.block(ssa.blocks[b].succs[0].to).params;
      for (uint32_t u = 0; u < f.blocks.size(); ++u) {
        for (InstId i : f.blocks[u].insts) {
          if (!reached[u] || Inserted(ssa, i)) continue;
          for (const Operand& o : f.uses(i)) {
            if (!IsValue(o) ||
                std::find(params.begin(), params.end(), o.value()) == params.end()) {
              continue;
            }
            const uint32_t n = o.comps * t.units_per_comp(f, f.value(o.value()));
            for (uint32_t k = 0; k < n; ++k) read.push_back(o.reg + k);
          }
        }
      }
    }
    // Copies at the end belong to the edge.
    const std::vector<InstId>& insts = f.blocks[b].insts;
    size_t edge = insts.size();
    if (edge != 0 && (t.ops[f.inst(insts.back()).op].flags & kOpTerminator)) --edge;
    while (args && edge != 0 && Inserted(ssa, insts[edge - 1])) --edge;
    for (size_t k = 0; k < insts.size(); ++k) {
      if (!Inserted(ssa, insts[k]) || f.inst(insts[k]).num_uses != 1) continue;
      matters[insts[k].index] =
          k < edge || std::find(read.begin(), read.end(), f.defs(insts[k])[0].reg) != read.end();
    }
  }
  return matters;
}

uint32_t OtherReg(const Target& t, const Function& f, const Operand& o, Rng& r) {
  const Value& v = f.value(o.value());
  const uint32_t units = o.comps * t.units_per_comp(f, v);
  const uint32_t align = t.alignment(f, v), pool = t.pools[t.files[v.file].pool].units;
  const uint32_t first = v.in_tail ? t.pools[t.files[v.file].pool].tail_first : 0;
  for (int k = 0; k < 50; ++k) {
    const uint32_t reg = first + Below(r, (pool - units - first) / align + 1) * align;
    if (reg != o.reg) return reg;
  }
  return o.reg;
}

// A value defined NoMask moves, with all its uses, into a register of which only parked lanes hold
// the content: nothing is wrong for the lanes that execute.
bool ClashWithParked(const Function& ssa, Rng& r, Function* f) {
  const Target& t = TestTarget();
  const Liveness live(t, ssa);
  const std::vector<uint32_t> homes = DefinedAt(*f);
  const std::vector<char> reached = Reached(ssa);
  struct Candidate {
    uint32_t value, reg;
  };
  std::vector<Candidate> candidates;
  for (uint32_t b = 0; b < ssa.blocks.size(); ++b) {
    if (!reached[b]) continue;
    // Per-lane values that an instruction reads where the lanes go on. (A uniform value is computed
    // again, and is the same then, before that.)
    std::vector<uint32_t> places;
    for (BlockId j : live.waits(BlockId(b))) {
      if (!reached[j.index]) continue;
      for (InstId i : ssa.block(j).insts) {
        if (t.ops[ssa.inst(i).op].flags & (kOpCopy | kOpCollect)) continue;
        for (const Operand& o : ssa.uses(i)) {
          if (!IsValue(o) || ssa.value(o.value()).file != testing::kG) continue;
          const uint32_t g = live.global(live.first_slot(o.value()) + o.comp);
          if (g == Liveness::kLocal || !live.parked(BlockId(b)).test(g)) continue;
          if (live.live_in(BlockId(b)).test(g) || homes[o.id] == Operand::kNoReg) continue;
          places.push_back(homes[o.id] + o.comp * t.units_per_comp(ssa, ssa.value(o.value())));
        }
      }
    }
    for (InstId i : ssa.blocks[b].insts) {
      for (const Operand& o : ssa.defs(i)) {
        if (!IsValue(o) || t.files[ssa.value(o.value()).file].pool != 0) continue;
        if (homes[o.id] == Operand::kNoReg) continue;  // a copy that was dropped
        const bool no_mask = !t.files[ssa.value(o.value()).file].masked_writes ||
                             (ssa.inst(i).flags & kNoMask);
        if (!no_mask || (t.ops[ssa.inst(i).op].flags & kOpCollect)) continue;
        for (uint32_t reg : places) {
          if (reg % t.alignment(ssa, ssa.value(o.value())) == 0) candidates.push_back({o.id, reg});
        }
      }
    }
  }
  if (candidates.empty()) return false;
  const Candidate c = candidates[Below(r, candidates.size())];
  const uint32_t old = homes[c.value];
  for (Operand& o : f->operands) {
    if (IsValue(o) && o.id == c.value && o.reg != Operand::kNoReg) o.reg = o.reg - old + c.reg;
  }
  return true;
}

// Applies one mutation; false if there is nowhere to.
bool Mutate(const Function& ssa, Mutation m, Rng& r, Function* f) {
  const Target& t = TestTarget();
  const std::vector<char> reached = Reached(ssa);
  const std::vector<char> matters = CopiesThatMatter(ssa, *f);
  Site s;
  switch (m) {
    case kMoveUse: {
      if (!PickInst(*f, r, [&](InstId i, uint32_t b, uint32_t) {
            return reached[b] && !Inserted(ssa, i) && f->inst(i).num_uses != 0 &&
                   IsValue(f->uses(i)[0]) && f->uses(i)[0].comp == 0;
          }, &s)) return false;
      Operand& o = f->uses(f->blocks[s.block].insts[s.position])[0];
      o.reg = OtherReg(t, *f, o, r);
      return true;
    }
    case kMoveDef: {
      const std::vector<uint32_t> uses = UseCounts(*f);
      if (!PickInst(*f, r, [&](InstId i, uint32_t b, uint32_t) {
            return reached[b] && !Inserted(ssa, i) && f->inst(i).num_defs == 1 &&
                   IsValue(f->defs(i)[0]) && uses[f->defs(i)[0].id] != 0;
          }, &s)) return false;
      Operand& o = f->defs(f->blocks[s.block].insts[s.position])[0];
      o.reg = OtherReg(t, *f, o, r);
      return true;
    }
    case kDropCopy:
      if (!PickInst(*f, r, [&](InstId i, uint32_t, uint32_t) {
            return matters[i.index];
          }, &s)) return false;
      f->blocks[s.block].insts.erase(f->blocks[s.block].insts.begin() + s.position);
      return true;
    case kRedirectCopy: {
      if (!PickInst(*f, r, [&](InstId i, uint32_t, uint32_t) {
            return matters[i.index];
          }, &s)) return false;
      Operand& o = f->defs(f->blocks[s.block].insts[s.position])[0];
      o.reg = OtherReg(t, *f, o, r);
      return true;
    }
    case kSwapOrder: {
      // The copy reads what the instruction before it writes.
      if (!PickInst(*f, r, [&](InstId i, uint32_t b, uint32_t k) {
            if (!reached[b] || k == 0 || !Inserted(ssa, i) || f->inst(i).num_uses != 1) return false;
            const InstId p = f->blocks[b].insts[k - 1];
            const Operand& u = f->uses(i)[0];
            return f->inst(p).num_defs == 1 && IsValue(f->defs(p)[0]) &&
                   f->defs(p)[0].reg == u.reg &&
                   t.files[f->value(f->defs(p)[0].value()).file].pool ==
                       t.files[f->value(u.value()).file].pool;
          }, &s)) return false;
      std::swap(f->blocks[s.block].insts[s.position], f->blocks[s.block].insts[s.position - 1]);
      return true;
    }
    case kRenameTwo: {
      // Two definitions in one block, both read there afterwards, trade names of registers at the
      // definitions only.
      const std::vector<uint32_t> uses = UseCounts(*f);
      if (!PickInst(*f, r, [&](InstId i, uint32_t b, uint32_t k) {
            if (!reached[b] || k == 0) return false;
            const InstId p = f->blocks[b].insts[k - 1];
            if (Inserted(ssa, i) || Inserted(ssa, p)) return false;
            if (f->inst(i).num_defs != 1 || f->inst(p).num_defs != 1) return false;
            const Operand &x = f->defs(i)[0], &y = f->defs(p)[0];
            return IsValue(x) && IsValue(y) && uses[x.id] != 0 && uses[y.id] != 0 &&
                   f->value(x.value()).file == f->value(y.value()).file &&
                   f->value(x.value()).comps == f->value(y.value()).comps && x.reg != y.reg;
          }, &s)) return false;
      const std::vector<InstId>& insts = f->blocks[s.block].insts;
      std::swap(f->defs(insts[s.position])[0].reg, f->defs(insts[s.position - 1])[0].reg);
      return true;
    }
    case kDropInst: {
      // A computation that nobody reads may be missing.
      const std::vector<uint32_t> uses = UseCounts(*f);
      if (!PickInst(*f, r, [&](InstId i, uint32_t b, uint32_t) {
            if (!reached[b] || Inserted(ssa, i)) return false;
            const uint16_t flags = t.ops[f->inst(i).op].flags;
            if (flags & kOpSideEffect) return !(flags & kOpTerminator);
            return f->inst(i).num_defs == 1 && uses[f->defs(i)[0].id] != 0 &&
                   !(flags & (kOpCopy | kOpTerminator));
          }, &s)) return false;
      f->blocks[s.block].insts.erase(f->blocks[s.block].insts.begin() + s.position);
      return true;
    }
    case kMask: {
      if (!PickInst(*f, r, [&](InstId i, uint32_t, uint32_t) {
            return matters[i.index] && (f->inst(i).flags & kNoMask);
          }, &s)) return false;
      f->inst(f->blocks[s.block].insts[s.position]).flags &= static_cast<uint8_t>(~kNoMask);
      return true;
    }
    case kNoMaskClash: return ClashWithParked(ssa, r, f);
    case kNumMutations: break;
  }
  return false;
}

struct Score {
  int tried = 0, caught = 0;
};

TEST(CheckTest, MutationsAreCaught) {
  std::array<Score, kNumMutations> scores;
  Rng r(7);
  std::string missed;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    testing::RandomOptions options;
    options.instructions = 60;
    options.exits = seed < 28 ? 0 : 8;
    options.width = seed % 2 == 0 ? 8 : 16;
    const Function ssa = testing::RandomProgram(seed, options);
    Function good = ssa;
    if (!Allocate(TestTarget(), &good).ok()) continue;
    ASSERT_TRUE(CheckAllocation(TestTarget(), ssa, good).ok());
    for (int m = 0; m < kNumMutations; ++m) {
      for (int k = 0; k < (m == kNoMaskClash ? 10 : 5); ++k) {
        Function bad = good;
        if (!Mutate(ssa, static_cast<Mutation>(m), r, &bad)) continue;
        ++scores[m].tried;
        if (!CheckAllocation(TestTarget(), ssa, bad).ok()) {
          ++scores[m].caught;
        } else if (missed.size() < 4000) {
          missed += std::string(kNames[m]) + " seed " + std::to_string(seed) + "\n";
        }
      }
    }
  }
  int tried = 0, caught = 0;
  for (int m = 0; m < kNumMutations; ++m) {
    printf("%-18s %5d tried %5d caught\n", kNames[m], scores[m].tried, scores[m].caught);
    tried += scores[m].tried;
    caught += scores[m].caught;
  }
  EXPECT_GE(100 * caught, 99 * tried) << missed;
  for (int m = 0; m < kNumMutations; ++m) {
    EXPECT_GT(scores[m].tried, 50) << kNames[m];
    EXPECT_GE(100 * scores[m].caught, 97 * scores[m].tried) << kNames[m];
  }
}

// ---- Mutations of spilled code.

enum SpillMutation {
  kSpillElsewhere,   // a store goes to another value's place
  kFillElsewhere,    // a fill comes from there
  kSpillOther,       // a store takes another register
  kFillOther,        // a fill goes to another register
  kDropSpill,
  kDropFill,
  kUnmaskSpill,      // a store that spares parked lanes does not
  kRepeatOther,      // a repeated computation reads something else
  kFillClash,        // a fill goes to a register of which only parked lanes hold the content
  kNumSpillMutations,
};
const char* const kSpillNames[] = {"spill elsewhere", "fill elsewhere", "spill other",
                                   "fill other",      "drop spill",     "drop fill",
                                   "unmask spill",    "repeat other",   "fill clash"};

// A fill or repeated computation whose result an instruction of the program reads in its block, so
// that it matters, and what it stands for.
struct ReadFill {
  uint32_t block = 0, position = 0;
  InstId inst;
  uint32_t value = 0;   // in the SSA program
};

std::vector<ReadFill> ReadFills(const Function& ssa, const Function& f) {
  const Target& t = testing::SmallTestTarget();
  const std::vector<char> reached = Reached(ssa);
  std::vector<ReadFill> found;
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    if (!reached[b]) continue;
    for (uint32_t k = 0; k < f.blocks[b].insts.size(); ++k) {
      const InstId i = f.blocks[b].insts[k];
      if (!Inserted(ssa, i) || f.inst(i).num_defs != 1 ||
          (t.ops[f.inst(i).op].flags & kOpCollect)) {
        continue;
      }
      ReadFill fill{b, k, i, Operand::kNoReg};
      for (uint32_t n = k + 1; n < f.blocks[b].insts.size(); ++n) {
        const InstId user = f.blocks[b].insts[n];
        if (Inserted(ssa, user)) continue;
        for (uint32_t u = 0; u < f.inst(user).num_uses; ++u) {
          const Operand& o = f.uses(user)[u];
          if (IsValue(o) && o.id == f.defs(i)[0].id) fill.value = ssa.uses(user)[u].id;
        }
      }
      if (fill.value != Operand::kNoReg && f.defs(i)[0].id >= ssa.values.size()) {
        found.push_back(fill);
      }
    }
  }
  return found;
}

bool IsDefinedIn(const Function& ssa, uint32_t value, uint32_t block) {
  for (InstId i : ssa.blocks[block].insts) {
    for (const Operand& o : ssa.defs(i)) {
      if (IsValue(o) && o.id == value) return true;
    }
  }
  return false;
}

bool HasUndefinedArgument(const Function& ssa, uint32_t value, uint32_t block) {
  const std::vector<ValueId>& params = ssa.blocks[block].params;
  const auto at = std::find(params.begin(), params.end(), ValueId(value)) - params.begin();
  if (static_cast<size_t>(at) == params.size()) return false;
  for (const Block& b : ssa.blocks) {
    for (const Edge& e : b.succs) {
      if (e.to.index == block && !IsValue(ssa.args(e)[static_cast<size_t>(at)])) return true;
    }
  }
  return false;
}

// Registers of per-lane values that only lanes parked in the fill's block hold, and read when they
// go on: nothing else in the block touches them.
std::vector<uint32_t> OnlyParked(const Function& ssa, const Function& f, const Liveness& live,
                                 const std::vector<uint32_t>& homes, uint32_t b) {
  const Target& t = testing::SmallTestTarget();
  std::vector<uint32_t> regs;
  for (BlockId j : live.waits(BlockId(b))) {
    if (j.index <= b) continue;
    for (InstId i : f.block(j).insts) {
      if (Inserted(ssa, i)) break;  // names may have changed behind it
      if (t.ops[ssa.inst(i).op].flags & (kOpCopy | kOpCollect)) continue;
      for (uint32_t u = 0; u < ssa.inst(i).num_uses; ++u) {
        const Operand& o = ssa.uses(i)[u];
        if (!IsValue(o) || ssa.value(o.value()).file != testing::kG) continue;
        if (f.uses(i)[u].id != o.id || homes[o.id] == Operand::kNoReg) continue;
        const uint32_t g = live.global(live.first_slot(o.value()) + o.comp);
        if (g == Liveness::kLocal || !live.parked(BlockId(b)).test(g)) continue;
        if (live.live_in(BlockId(b)).test(g) || live.def_block(o.value()).index >= b) continue;
        regs.push_back(f.uses(i)[u].reg);
      }
    }
  }
  return regs;
}

bool MutateSpills(const Function& ssa, SpillMutation m, Rng& r, Function* f) {
  const Target& t = testing::SmallTestTarget();
  const std::vector<char> reached = Reached(ssa);
  const std::vector<ReadFill> all = ReadFills(ssa, *f);
  std::vector<ReadFill> fills, repeats;
  for (const ReadFill& x : all) {
    if (f->inst(x.inst).op == testing::kFillOp) fills.push_back(x);
    for (const Repeat& y : f->repeats) {
      if (y.inst == x.inst && f->inst(x.inst).num_uses != 0 && IsValue(f->uses(x.inst)[0])) {
        repeats.push_back(x);
      }
    }
  }
  if (fills.empty()) return false;
  const ReadFill& fill = fills[Below(r, fills.size())];
  // Another place than this, in use.
  const auto other_place = [&](uint32_t place) {
    for (int k = 0; k < 50; ++k) {
      const uint32_t p = f->uses(fills[Below(r, fills.size())].inst)[1].id;
      if (p != place) return p;
    }
    return place;
  };
  // The store of the value that the fill stands for, behind its definition.
  const auto is_its_store = [&](InstId i, uint32_t, uint32_t) {
    return f->inst(i).op == testing::kSpillOp && f->uses(i)[1].id == fill.value &&
           f->uses(i)[2].id <= f->uses(fill.inst)[1].id &&
           f->uses(fill.inst)[1].id <
               f->uses(i)[2].id + f->uses(i)[1].comps *
                                      t.units_per_comp(*f, f->value(f->uses(i)[1].value()));
  };
  Site s;
  switch (m) {
    case kSpillElsewhere: {
      if (!PickInst(*f, r, is_its_store, &s)) return false;
      Operand& place = f->uses(f->blocks[s.block].insts[s.position])[2];
      const uint32_t old = place.id;
      place.id = other_place(old);
      return place.id != old;
    }
    case kFillElsewhere: {
      Operand& place = f->uses(fill.inst)[1];
      const uint32_t old = place.id;
      place.id = other_place(old);
      return place.id != old;
    }
    case kSpillOther: {
      if (!PickInst(*f, r, is_its_store, &s)) return false;
      Operand& o = f->uses(f->blocks[s.block].insts[s.position])[1];
      o.reg = OtherReg(t, *f, o, r);
      return true;
    }
    case kFillOther: {
      Operand& o = f->defs(fill.inst)[0];
      o.reg = OtherReg(t, *f, o, r);
      return true;
    }
    case kDropSpill:
      if (!PickInst(*f, r, is_its_store, &s)) return false;
      f->blocks[s.block].insts.erase(f->blocks[s.block].insts.begin() + s.position);
      return true;
    case kDropFill:
      // Back where the value was, it may still be.
      if (DefinedAt(*f)[fill.value] == f->defs(fill.inst)[0].reg) return false;
      f->blocks[fill.block].insts.erase(f->blocks[fill.block].insts.begin() + fill.position);
      return true;
    case kUnmaskSpill: {
      // Lanes that wait for the fill's block read the place there.
      const Liveness live(t, ssa);
      if (!PickInst(*f, r, [&](InstId i, uint32_t b, uint32_t) {
            if (f->inst(i).op != testing::kSpillOp || (f->inst(i).flags & kNoMask)) return false;
            const auto waits = live.waits(BlockId(b));
            return reached[b] && b < fill.block && f->uses(i)[2].id == f->uses(fill.inst)[1].id &&
                   std::find(waits.begin(), waits.end(), BlockId(fill.block)) != waits.end() &&
                   !IsDefinedIn(ssa, fill.value, fill.block) &&
                   !HasUndefinedArgument(ssa, fill.value, fill.block);
          }, &s)) return false;
      f->inst(f->blocks[s.block].insts[s.position]).flags |= kNoMask;
      return true;
    }
    case kRepeatOther: {
      if (repeats.empty()) return false;
      Operand& o = f->uses(repeats[Below(r, repeats.size())].inst)[0];
      o.reg = OtherReg(t, *f, o, r);
      return true;
    }
    case kFillClash: {
      const Liveness live(t, ssa);
      const std::vector<uint32_t> homes = DefinedAt(*f);
      struct Candidate {
        InstId fill;
        uint32_t reg;
      };
      std::vector<Candidate> candidates;
      for (uint32_t b = 0; b < f->blocks.size(); ++b) {
        std::vector<uint32_t> regs;
        for (InstId i : f->blocks[b].insts) {
          if (f->inst(i).op != testing::kFillOp) continue;
          if (regs.empty()) regs = OnlyParked(ssa, *f, live, homes, b);
          for (uint32_t reg : regs) {
            if (reg % 8 == 0) candidates.push_back({i, reg});
          }
        }
      }
      if (candidates.empty()) return false;
      const Candidate c = candidates[Below(r, candidates.size())];
      const uint32_t id = f->defs(c.fill)[0].id, old = f->defs(c.fill)[0].reg;
      if (c.reg == old) return false;
      for (Operand& o : f->operands) {
        if (IsValue(o) && o.id == id && o.reg != Operand::kNoReg) o.reg = o.reg - old + c.reg;
      }
      return f->defs(c.fill)[0].reg + 8 <= 256;
    }
    case kNumSpillMutations: break;
  }
  return false;
}

TEST(CheckTest, MutationsOfSpilledCodeAreCaught) {
  const Target& t = testing::SmallTestTarget();
  std::array<Score, kNumSpillMutations> scores;
  Rng r(11);
  std::string missed;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    testing::RandomOptions options;
    options.instructions = 120;
    options.width = seed % 2 == 0 ? 8 : 16;
    options.pool_size = 30;
    options.far_uses = 20;
    const Function ssa = testing::RandomProgram(seed, options);
    Function good = ssa;
    const auto stats = AllocateWithSpills(t, &good);
    if (!stats.ok() || stats->spill.fills == 0) continue;
    ASSERT_TRUE(CheckAllocation(t, ssa, good).ok());
    for (int m = 0; m < kNumSpillMutations; ++m) {
      for (int k = 0; k < (m == kUnmaskSpill ? 60 : 4); ++k) {
        Function bad = good;
        if (!MutateSpills(ssa, static_cast<SpillMutation>(m), r, &bad)) continue;
        ++scores[m].tried;
        if (!CheckAllocation(t, ssa, bad).ok()) {
          ++scores[m].caught;
        } else if (missed.size() < 4000) {
          missed += std::string(kSpillNames[m]) + " seed " + std::to_string(seed) + "\n";
        }
      }
    }
  }
  int tried = 0, caught = 0;
  for (int m = 0; m < kNumSpillMutations; ++m) {
    printf("%-18s %5d tried %5d caught\n", kSpillNames[m], scores[m].tried, scores[m].caught);
    tried += scores[m].tried;
    caught += scores[m].caught;
    EXPECT_GT(scores[m].tried, 10) << kSpillNames[m];
  }
  EXPECT_GE(100 * caught, 99 * tried) << missed;
}

}  // namespace
}  // namespace kiln::lir::ra
