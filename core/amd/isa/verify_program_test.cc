// Tests verify_program.h: each rule with programs that break it, and their legal neighbours.
#include "core/amd/isa/verify_program.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/amd/isa/encode.h"

namespace kiln::amd::isa {
namespace {

using Code = std::vector<Instruction>;

// A finding: the instruction's number, and the rule.
using Found = std::pair<size_t, std::string>;
using List = std::vector<Found>;

List Findings(const Code& code) {
  const auto bytes = EncodeProgram(code);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  if (!bytes.ok()) return {};
  List found;
  VerifyProgram(*DecodeProgram(*bytes), [&](size_t i, absl::string_view rule) {
    found.emplace_back(i, std::string(rule));
  });
  return found;
}

Instruction Simple(Opcode op, int simm = 0) {
  Instruction inst;
  inst.op = op;
  inst.simm = static_cast<uint16_t>(simm);
  return inst;
}

// Two dwords.
Instruction ScalarLoad() {
  Instruction inst;
  inst.op = Opcode::kSLoadDword;
  inst.dst = Sgpr(0);
  inst.src[0] = Sgpr(2);
  return inst;
}

Instruction Global(Opcode op) {
  Instruction inst;
  inst.op = op;
  inst.src[0] = Vgpr(0);
  if (op == Opcode::kGlobalLoadDword) {
    inst.dst = Vgpr(4);
  } else {
    inst.src[1] = Vgpr(2);
  }
  return inst;
}

Instruction FlatLoad() {
  Instruction inst;
  inst.op = Opcode::kFlatLoadDword;
  inst.src[0] = Vgpr(0);
  inst.dst = Vgpr(4);
  return inst;
}

Instruction LdsLoad() {
  Instruction inst;
  inst.op = Opcode::kDsReadB32;
  inst.src[0] = Vgpr(0);
  inst.dst = Vgpr(4);
  return inst;
}

Instruction Jump(Opcode op) {
  Instruction inst;
  inst.op = op;
  inst.src[0] = Sgpr(4);
  if (op == Opcode::kSSwappcB64) inst.dst = Sgpr(6);
  return inst;
}

const Instruction kEndpgm = Simple(Opcode::kSEndpgm), kNop = Simple(Opcode::kSNop),
                  kPadding = Simple(Opcode::kSCodeEnd);

TEST(VerifyProgram, OfNoInstructionHasNoFinding) { EXPECT_EQ(Findings({}), List()); }

TEST(VerifyProgram, BranchesGoToInstructions) {
  const Opcode branches[] = {Opcode::kSBranch, Opcode::kSCbranchScc0, Opcode::kSCbranchExecz,
                             Opcode::kSCbranchVccnz};
  for (Opcode op : branches) {
    const auto with = [op](int distance) {
      return Findings({ScalarLoad(), Simple(op, distance), ScalarLoad(), kEndpgm});
    };
    const List finding = {{1, std::string(kBranchTargets)}};
    EXPECT_EQ(with(0), List());
    EXPECT_EQ(with(2), List()) << "the end";
    EXPECT_EQ(with(-1), List()) << "itself";
    EXPECT_EQ(with(-3), List()) << "the beginning";
    EXPECT_EQ(with(1), finding) << "into the load behind it";
    EXPECT_EQ(with(-2), finding) << "into the load before it";
    EXPECT_EQ(with(3), finding) << "behind the program";
    EXPECT_EQ(with(-4), finding) << "before the program";
  }
}

TEST(VerifyProgram, CallsGoToInstructions) {
  const auto with = [](int distance) {
    Instruction call = Simple(Opcode::kSCallB64, distance);
    call.dst = Sgpr(4);
    return Findings({call, ScalarLoad(), kEndpgm});
  };
  EXPECT_EQ(with(2), List());
  EXPECT_EQ(with(1), (List{{0, std::string(kBranchTargets)}}));
}

TEST(VerifyProgram, JumpsToRegistersAreNotJudged) {
  EXPECT_EQ(Findings({Jump(Opcode::kSSwappcB64), kEndpgm}), List());
  EXPECT_EQ(Findings({Jump(Opcode::kSSetpcB64)}), List());
}

TEST(VerifyProgram, NothingFallsOffTheEnd) {
  const List finding = {{0, std::string(kEnd)}};
  EXPECT_EQ(Findings({kEndpgm}), List());
  EXPECT_EQ(Findings({Simple(Opcode::kSEndpgmOrderedPsDone)}), List());
  EXPECT_EQ(Findings({Simple(Opcode::kSBranch, -1)}), List()) << "an endless loop";
  EXPECT_EQ(Findings({kEndpgm, kNop, kPadding, kPadding}), List());
  EXPECT_EQ(Findings({ScalarLoad()}), finding);
  EXPECT_EQ(Findings({Simple(Opcode::kSCbranchScc0, -1)}), finding);
  EXPECT_EQ(Findings({Jump(Opcode::kSSwappcB64)}), finding) << "a call returns";
  EXPECT_EQ(Findings({ScalarLoad(), kNop, kPadding}), finding);
  EXPECT_EQ(Findings({kNop}), finding) << "nothing but padding";
}

TEST(VerifyProgram, ClausesAreAsLongAsTheySay) {
  const auto with = [](int more) {
    return Findings(
        {Simple(Opcode::kSClause, more), ScalarLoad(), ScalarLoad(), ScalarLoad(), kNop, kEndpgm});
  };
  EXPECT_EQ(with(1), List()) << "the third load is behind it";
  EXPECT_EQ(with(2), List());
  EXPECT_EQ(with(3), (List{{0, std::string(kClauses)}}));
  EXPECT_EQ(with(50), (List{{0, std::string(kClauses)}})) << "past the program";
  EXPECT_EQ(Findings({ScalarLoad(), Simple(Opcode::kSClause, 1), ScalarLoad(), kEndpgm}),
            (List{{1, std::string(kClauses)}}));
}

TEST(VerifyProgram, ClausesAreOfOneKind) {
  const Instruction kinds[] = {ScalarLoad(), Global(Opcode::kGlobalLoadDword),
                               Global(Opcode::kGlobalStoreDword), FlatLoad(), LdsLoad()};
  for (size_t i = 0; i < std::size(kinds); ++i) {
    for (size_t k = 0; k < std::size(kinds); ++k) {
      const List found = Findings({Simple(Opcode::kSClause, 1), kinds[i], kinds[k], kEndpgm});
      EXPECT_EQ(found.empty(), i == k) << i << " " << k;
    }
  }
  const List finding = {{0, std::string(kClauses)}};
  EXPECT_EQ(Findings({Simple(Opcode::kSClause, 1), kNop, kNop, kEndpgm}), finding);
  EXPECT_EQ(Findings({Simple(Opcode::kSClause, 1), ScalarLoad(), kEndpgm}), finding);
}

TEST(VerifyProgram, AtomicsWithoutResultAreNotAmongLoads) {
  const Instruction clause = Simple(Opcode::kSClause, 1);
  const Instruction load = Global(Opcode::kGlobalLoadDword);
  const Instruction store = Global(Opcode::kGlobalStoreDword);
  const Instruction atomic = Global(Opcode::kGlobalAtomicAdd);
  Instruction returning = atomic;
  returning.glc = true;
  returning.dst = Vgpr(4);
  const List finding = {{0, std::string(kClauses)}};
  EXPECT_EQ(Findings({clause, load, returning, kEndpgm}), List());
  EXPECT_EQ(Findings({clause, store, atomic, kEndpgm}), List());
  EXPECT_EQ(Findings({clause, load, atomic, kEndpgm}), finding);
  EXPECT_EQ(Findings({clause, store, returning, kEndpgm}), finding);
}

TEST(VerifyProgram, NothingElseIsInAClause) {
  const List finding = {{0, std::string(kClauses)}};
  for (const Instruction& other :
       {kNop, kEndpgm, Simple(Opcode::kSWaitcnt, 0), Simple(Opcode::kSBarrier),
        Simple(Opcode::kSBranch), Simple(Opcode::kSDcacheInv), Simple(Opcode::kBufferGl0Inv)}) {
    EXPECT_EQ(Findings({Simple(Opcode::kSClause, 2), ScalarLoad(), other, ScalarLoad(), kEndpgm}),
              finding)
        << Info(other.op).mnemonic;
  }
  EXPECT_EQ(Findings({Simple(Opcode::kSClause, 2), ScalarLoad(), Simple(Opcode::kSClause, 1),
                      ScalarLoad(), ScalarLoad(), kEndpgm}),
            finding)
      << "the inner one is a clause";
}

TEST(VerifyProgram, BranchesDoNotGoIntoClauses) {
  // 0 clause, 4 load, 12 load, 20 branch.
  const auto with = [](int distance) {
    return Findings({Simple(Opcode::kSClause, 1), ScalarLoad(), ScalarLoad(),
                     Simple(Opcode::kSCbranchScc0, distance), kEndpgm});
  };
  const List finding = {{0, std::string(kClauses)}};
  EXPECT_EQ(with(-6), List()) << "to the clause";
  EXPECT_EQ(with(-5), finding) << "to its first load";
  EXPECT_EQ(with(-3), finding) << "to its last load";
  EXPECT_EQ(with(0), List()) << "behind it";
}

TEST(VerifyProgram, PermlaneAfterCmpx) {
  Instruction compare, other, permlane;
  compare.op = Opcode::kVCmpxEqU32;
  compare.src = {Vgpr(0), Vgpr(1)};
  other.op = Opcode::kVCmpEqU32;
  other.src = {Vgpr(0), Vgpr(1)};
  permlane.dst = Vgpr(0);
  permlane.src = {Vgpr(1), Sgpr(0), Sgpr(1)};
  for (Opcode op : {Opcode::kVPermlane16B32, Opcode::kVPermlanex16B32}) {
    permlane.op = op;
    EXPECT_EQ(Findings({compare, permlane, kEndpgm}), (List{{1, std::string(kPermlaneHazard)}}));
    EXPECT_EQ(Findings({compare, kNop, permlane, kEndpgm}), List());
    EXPECT_EQ(Findings({compare, other, permlane, kEndpgm}), List());
    EXPECT_EQ(Findings({other, permlane, kEndpgm}), List()) << "it does not write exec";
    EXPECT_EQ(Findings({permlane, compare, kEndpgm}), List());
  }
}

TEST(VerifyProgram, DenormalModeAfterAFloatAtomic) {
  Instruction add;
  add.op = Opcode::kVAddNcU32;
  add.dst = Vgpr(6);
  add.src = {Vgpr(6), Vgpr(7)};
  const Instruction denorm = Simple(Opcode::kSDenormMode, 15);
  for (Opcode op :
       {Opcode::kGlobalAtomicFmin, Opcode::kGlobalAtomicFmax, Opcode::kGlobalAtomicFcmpswap}) {
    const Instruction atomic = Global(op);
    for (size_t between = 0; between < 5; ++between) {
      Code code(between, kNop);
      code.insert(code.begin(), atomic);
      code.insert(code.end(), {denorm, kEndpgm});
      const List finding = {{between + 1, std::string(kDenormHazard)}};
      EXPECT_EQ(Findings(code), between < 3 ? finding : List()) << between;
    }
    EXPECT_EQ(Findings({atomic, Simple(Opcode::kSWaitcnt, 0x3f70), denorm, kEndpgm}), List());
    EXPECT_EQ(Findings({atomic, add, denorm, kEndpgm}), List());
    EXPECT_EQ(Findings({atomic, Simple(Opcode::kSRoundMode), kEndpgm}), List());
    EXPECT_EQ(Findings({denorm, atomic, kEndpgm}), List());
  }
  EXPECT_EQ(Findings({Global(Opcode::kGlobalAtomicAdd), denorm, kEndpgm}), List()) << "no float";
}

}  // namespace
}  // namespace kiln::amd::isa
