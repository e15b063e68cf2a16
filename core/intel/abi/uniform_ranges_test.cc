// Tests which data a module reads from uniform buffers, which of it is pushed, and where it then
// is.
#include "core/intel/abi/uniform_ranges.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/intel/abi/abi.h"
#include "core/intel/abi/launch.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

mir::Module Module(const std::string& body) {
  absl::StatusOr<mir::Module> m = mir::Parse(
      absl::StrCat("mir 1\nentry \"main\"\nstage fragment\npush 16\n"
                   "input 0 location 0.0 i32 x1 flat\n"
                   "output 0 location 0.0 i32 x4\n"
                   "resource 0 ssbo 0.0.0\nresource 1 ubo 0.1.0\nresource 2 ubo 1.0.2 array 3\n"
                   "resource 3 ubo 1.1.0 array 0\nbody {\n",
                   body, "return\n}\n"));
  EXPECT_TRUE(m.ok()) << m.status();
  if (!m.ok()) return {};
  EXPECT_TRUE(mir::Verify(*m).ok()) << mir::Verify(*m);
  return *std::move(m);
}

using Reads = std::vector<UniformRead>;
using Ranges = std::vector<UniformRange>;

Reads ReadsOf(const std::string& body) { return FindUniformReads(Module(body)); }

TEST(UniformReads, AreLoadsAtKnownPlaces) {
  EXPECT_EQ(ReadsOf(R"(
    %0:i32, %1:i32 = load_ubo[1, align 4] 28
    %2:i32 = load_ubo.indexed[2, align 4] 1, 96
    %3:i32 = load_ubo[1, align 4] 48
    store_output[0, 0] %0, %1, %2, %3
)"),
            (Reads{{1, 0, 0, 1}, {1, 0, 1, 1}, {2, 3, 3, 1}}));
}

TEST(UniformReads, AreNotWhatAValueChooses) {
  EXPECT_EQ(ReadsOf(R"(
    %0:i32 = load_input[0, 0]
    %1:i32 = load_ubo[1, align 4] %0
    %2:i32 = load_ubo.indexed[2, align 4] %0, 0
    %3:i32 = load_ubo.indexed[2, align 4] 3, 0
    %4:i32 = load_ubo.indexed[3, align 4] 0, 0
    %5:i32 = load_ubo.volatile[1, align 4] 0
    %6:i32 = load_ssbo[0, align 4] 0
    %7:i32 = iadd %4, %5
    %8:i32 = iadd %6, %7
    store_output[0, 0] %1, %2, %3, %8
)"),
            Reads());
}

// Reads inside or after the first one's region share its message; a loop counts ten, and each side
// of a branch one.
TEST(UniformReads, CountMessagesAsSelectionSendsThem) {
  EXPECT_EQ(ReadsOf(R"(
    %0:i32 = load_input[0, 0]
    %1:bool = ieq %0, 0
    %2:i32 = load_ubo[1, align 4] 0
    if %1 {
      %3:i32 = load_ubo[1, align 4] 4
      %4:i32 = load_ubo[1, align 4] 32
      store_ssbo[0, align 4] %3, %4
      yield
    } else {
      %5:i32 = load_ubo[1, align 4] 36
      store_ssbo[0, align 4] %0, %5
      yield
    }
    loop {
      %6:i32 = load_ubo[1, align 4] 64
      store_ssbo[0, align 4] %2, %6
      if %1 {
        break
      } else {
        yield
      }
      loop {
        %7:i32 = load_ubo[1, align 4] 64
        %8:i32 = load_ubo[1, align 4] 96
        store_ssbo[0, align 4] %7, %8
        break
      }
      continue
    }
    %9:i32 = load_ubo[1, align 4] 68
    store_output[0, 0] %9
)"),
            (Reads{{1, 0, 0, 1}, {1, 0, 1, 2}, {1, 0, 2, 11}, {1, 0, 3, 100}}));
}

TEST(ChooseRanges, TakesWhatSavesTheMostMessagesInFourRanges) {
  const Reads reads = {{0, 0, 5, 1}, {1, 0, 0, 10}, {1, 0, 1, 1},
                       {2, 0, 7, 2}, {3, 0, 0, 3},  {3, 1, 0, 2}};
  EXPECT_EQ(ChooseRanges(reads, {4, 64}),
            (Ranges{{1, 0, 0, 2, 0}, {2, 0, 7, 1, 0}, {3, 0, 0, 1, 0}, {3, 1, 0, 1, 0}}));
  EXPECT_EQ(ChooseRanges(reads, {2, 64}), (Ranges{{1, 0, 0, 2, 0}, {3, 0, 0, 1, 0}}));
  EXPECT_EQ(ChooseRanges(reads, {4, 2}), (Ranges{{1, 0, 0, 1, 0}, {3, 0, 0, 1, 0}}));
  EXPECT_TRUE(ChooseRanges(reads, {0, 64}).empty());
  EXPECT_TRUE(ChooseRanges(reads, {4, 0}).empty());
}

// A buffer that is read from end to end gets no more than 64 registers.
TEST(ChooseRanges, KeepsToTheRegisters) {
  Reads reads;
  for (uint32_t i = 0; i < 100; ++i) reads.push_back({0, 0, i, i == 90 ? 5 : 1});
  const Ranges ranges = ChooseRanges(reads, {4, 64});
  uint32_t registers = 0;
  bool has = false;
  for (const UniformRange& r : ranges) {
    registers += r.registers;
    has |= r.first <= 90 && 90 < r.first + r.registers;
  }
  EXPECT_EQ(registers, 64u);
  EXPECT_TRUE(has);
}

// A range includes registers that are not read if that costs less than the messages.
TEST(ChooseRanges, BridgesShortGaps) {
  EXPECT_EQ(ChooseRanges(Reads{{0, 0, 2, 1}, {0, 0, 5, 1}}, {1, 64}), (Ranges{{0, 0, 2, 4, 0}}));
  EXPECT_EQ(ChooseRanges(Reads{{0, 0, 2, 1}, {0, 0, 9, 1}}, {1, 64}).size(), 1u);
  EXPECT_EQ(ChooseRanges(Reads{{0, 0, 2, 1}, {0, 0, 9, 1}}, {1, 64})[0].registers, 1u);
  EXPECT_EQ(ChooseRanges(Reads{{0, 0, 2, 1}, {0, 0, 4, 1}}, {2, 64}),
            (Ranges{{0, 0, 2, 1, 0}, {0, 0, 4, 1, 0}}));
}

// Returns the worth of the best choice by trying all: each read is in no range, in a new one, or in
// the last.
int64_t BestByTrying(const Reads& reads, size_t i, bool inside, RangeLimits left) {
  if (i == reads.size()) return 0;
  int64_t best = BestByTrying(reads, i + 1, false, left);
  const int64_t worth = 4 * reads[i].messages;
  if (left.ranges > 0 && left.registers > 0) {
    best = std::max(
        best, worth - 1 + BestByTrying(reads, i + 1, true, {left.ranges - 1, left.registers - 1}));
  }
  if (inside && reads[i].resource == reads[i - 1].resource) {
    const uint32_t longer = reads[i].index - reads[i - 1].index;
    if (longer <= left.registers) {
      best = std::max(best,
                      worth - longer +
                          BestByTrying(reads, i + 1, true, {left.ranges, left.registers - longer}));
    }
  }
  return best;
}

TEST(ChooseRanges, IsTheBestChoiceThatThereIs) {
  std::mt19937 random(1);
  for (int n = 0; n < 300; ++n) {
    Reads reads;
    for (uint32_t resource = 0; resource < 3; ++resource) {
      for (uint32_t index = 0; index < 9; ++index) {
        if (random() % 3 == 0)
          reads.push_back({resource, 0, index, 1 + static_cast<int64_t>(random() % 3)});
      }
    }
    const RangeLimits limits = {static_cast<uint32_t>(random() % 5),
                                static_cast<uint32_t>(random() % 12)};
    const Ranges ranges = ChooseRanges(reads, limits);
    uint32_t registers = 0;
    int64_t worth = 0;
    for (const UniformRange& r : ranges) registers += r.registers;
    for (const UniformRead& read : reads) {
      for (const UniformRange& r : ranges) {
        if (r.resource == read.resource && read.index >= r.first &&
            read.index < r.first + r.registers) {
          worth += 4 * read.messages;
        }
      }
    }
    EXPECT_LE(ranges.size(), limits.ranges);
    EXPECT_LE(registers, limits.registers);
    EXPECT_EQ(worth - registers, BestByTrying(reads, 0, false, limits)) << n;
  }
}

// Ranges follow the client's block, in whole registers; setup data follow them.
TEST(UniformRanges, AreInTheLaunchRecord) {
  const mir::Module m = Module(R"(
    %0:i32 = load_push[align 4] 12
    %1:i32 = load_ubo[1, align 4] 64
    %2:i32 = load_ubo.indexed[2, align 4] 1, 0
    %3:i32 = load_input[0, 0]
    store_output[0, 0] %0, %1, %2, %3
)");
  absl::StatusOr<Abi> abi = AssignAbi(m, Tgl());
  ASSERT_TRUE(abi.ok()) << abi.status();
  PushRanges({{1, 0, 2, 3, 0}, {2, 3, 0, 1, 0}}, *abi);
  EXPECT_EQ(PushedRegister(*abi, 1, 0, 4), 3u);
  EXPECT_EQ(PushedRegister(*abi, 1, 0, 5), std::nullopt);
  EXPECT_EQ(PushedRegister(*abi, 1, 0, 1), std::nullopt);
  EXPECT_EQ(PushedRegister(*abi, 2, 3, 0), 4u);
  EXPECT_EQ(PushedRegister(*abi, 2, 2, 0), std::nullopt);
  const absl::StatusOr<WidthAbi> at_width = AtWidth(m, *abi, 8);
  ASSERT_TRUE(at_width.ok()) << at_width.status();
  const out::LaunchRecord r = LaunchOf(m, *abi, *at_width);
  ASSERT_EQ(r.push.size(), 3u);
  const out::IntelLaunch& intel = out::IntelOf(r);
  EXPECT_EQ(intel.push_registers, 5u);
  EXPECT_EQ(intel.fragment.setup_first_register, intel.push_first_register + 5);
  EXPECT_EQ(r.push[0].source, out::PushSource::kClientPushConstants);
  for (int i : {1, 2}) EXPECT_EQ(r.push[i].source, out::PushSource::kUbo);
  EXPECT_EQ(r.push[1].at, 32u);
  EXPECT_EQ(r.push[1].bytes, 96u);
  EXPECT_EQ(r.push[1].offset, 64u);
  EXPECT_EQ(r.resources[r.push[1].resource].binding, 1u);
  EXPECT_EQ(r.push[2].at, 4u * 32);
  EXPECT_EQ(r.resources[r.push[2].resource].set, 1u);
  EXPECT_EQ(r.push[2].element, 3u);
}

}  // namespace
}  // namespace kiln::intel
