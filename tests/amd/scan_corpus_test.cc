// Tests the counts and intervals of the report on scans: see scan_corpus.h.
#include "tests/amd/scan_corpus.h"

#include <vector>

#include "core/amd/isa/opcodes.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using isa::Opcode;

std::vector<isa::PlacedInstruction> Code(const std::vector<Opcode>& ops) {
  std::vector<isa::PlacedInstruction> code;
  for (const Opcode op : ops) {
    isa::PlacedInstruction& placed = code.emplace_back();
    placed.inst.op = op;
  }
  return code;
}

// Loads of other data come before that of the counts; what is behind the first v_readlane does not
// matter.
TEST(ScanCorpus, InstructionsAfterTheLoadOfTheCounts) {
  const Opcode load = Opcode::kDsReadB32, wait = Opcode::kSWaitcnt, other = Opcode::kVMovB32,
               read = Opcode::kVReadlaneB32;
  EXPECT_EQ(AfterLoad(Code({load, other, other, wait, load, other, wait, other, read})), 1);
  EXPECT_EQ(AfterLoad(Code({load, wait, read, load, other, wait, read})), 0);
  EXPECT_EQ(AfterLoad(Code({other, read})), 0);
}

TEST(ScanCorpus, IntervalsOfMeans) {
  const Interval i = IntervalOf(std::vector<double>{1, 2, 3, 4});
  EXPECT_DOUBLE_EQ(i.mean, 2.5);
  EXPECT_NEAR(i.half, 1.96 * 0.6454972, 1e-5);  // the standard error of the mean
  EXPECT_EQ(IntervalOf(std::vector<double>{7}).mean, 7);
  EXPECT_EQ(IntervalOf(std::vector<double>{7}).half, 0);
  EXPECT_EQ(IntervalOf({}).mean, 0);
}

TEST(ScanCorpus, AMissingListIsTold) { EXPECT_FALSE(ReportCorpus("no such list")); }

}  // namespace
}  // namespace kiln::amd
