// Litmus programs on gfx1030: outcomes that Vulkan's memory model forbids never occur, but do occur
// if any one needed wait, cache bit or invalidate is removed.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/amd/emit/finalise.h"
#include "core/amd/emit/program.h"
#include "core/amd/perf/program.h"
#include "core/amd/waits/counts.h"
#include "core/amd/waits/testing/check_waits.h"
#include "core/out/amd_launch.h"
#include "core/out/launch_record.h"
#include "core/sim/rdna2/needs.h"
#include "core/sim/rdna2/simulator.h"
#include "gtest/gtest.h"
#include "tests/exec/gfx1030_rows.h"
#include "tests/exec/litmus.h"

namespace kiln::exec {
namespace {

using amd::Program;
using amd::Row;
namespace isa = ::kiln::amd::isa;

// Returns the program with a wait for everything behind each loop, as a wait that is removed may
// have been one for the results, too.
Program WithWaitsAfterLoops(const Program& program) {
  amd::Counts all;
  all.of.fill(0);
  Program made;
  made.wave = program.wave;
  std::vector<int> now_at;
  for (size_t i = 0; i < program.rows.size(); ++i) {
    now_at.push_back(static_cast<int>(made.rows.size()));
    const int before = i == 0 ? Row::kNoTarget : program.rows[i - 1].target;
    if (before != Row::kNoTarget && before < static_cast<int>(i)) {
      for (const isa::Instruction& inst : amd::WaitsFor(all)) made.rows.emplace_back().inst = inst;
    }
    made.rows.push_back(program.rows[i]);
  }
  for (Row& row : made.rows) {
    if (row.target != Row::kNoTarget) row.target = now_at[static_cast<size_t>(row.target)];
  }
  return made;
}

// Returns the variant with the code of a program.
Variant With(const Variant& variant, const Program& program) {
  const auto binary = amd::Finalise(program, {});
  EXPECT_TRUE(binary.ok()) << binary.status();
  Variant made = variant;
  if (!binary.ok()) return made;
  made.code = binary->bytes;
  made.launch.code_bytes = static_cast<uint32_t>(binary->bytes.size());
  std::get<out::AmdLaunch>(made.launch.arch).instruction_bytes = binary->instruction_bytes;
  return made;
}

Program Without(const Program& program, size_t row) {
  Program changed = program;
  changed.rows[row].inst = isa::Instruction();  // s_nop 0
  return changed;
}

bool IsInvalidate(const Row& row) {
  return row.inst.op == isa::Opcode::kBufferGl0Inv || row.inst.op == isa::Opcode::kBufferGl1Inv;
}

bool IsLoad(const Row& row) {
  return isa::Info(row.inst.op).Has(isa::opcode_flag::kLoad) && (row.inst.glc || row.inst.dlc);
}

bool IsSeenIn(const Variant& v, const Program& program, const LitmusProgram& litmus,
              Between between) {
  return IsSeen(Target::kGfx1030, With(v, WithWaitsAfterLoops(program)), litmus, between, false);
}

// Returns the waits of a whole program that some run needed: something was in flight, of stores
// something that the other wave's CU has read.
std::set<std::string> NeededWaits(const Variant& v) {
  sim::rdna2::Needs needs;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    sim::scene::Dispatch dispatch = LitmusDispatch(Between::kWorkgroups);
    sim::rdna2::Options options;
    options.memory_seed = seed;
    options.zero_memory = true;
    options.needs = &needs;
    EXPECT_TRUE(sim::rdna2::Run(v.code, v.launch, options, dispatch).ok());
  }
  const auto placed = amd::DecodeCode(v.code);
  std::set<std::string> waits;
  for (const auto& [offset, need] : needs) {
    for (size_t i = 0; i < placed->size(); ++i) {
      if ((*placed)[i].offset != offset) continue;
      waits.insert(absl::StrCat(sim::rdna2::NameOf(need), " of row ", i));
    }
  }
  return waits;
}

class Litmus : public testing::TestWithParam<LitmusProgram> {};

// Waits that no register needs (check_waits.h) are there for the order. The waves of a workgroup
// have one vector cache, and LDS, which keep it; but a barrier may overtake a load of LDS. So there
// are none for buffers of a workgroup.
TEST_P(Litmus, EachWaitForTheOrderIsNeeded) {
  const LitmusProgram& litmus = GetParam();
  for (const Between between : litmus.places) {
    int waits = 0;
    for (const int width : {32, 64}) {
      const auto v = CompileLitmus(Target::kGfx1030, litmus, between, width);
      ASSERT_TRUE(v.ok()) << v.status();
      SCOPED_TRACE(absl::StrCat(v->name, " ", NameOf(between)));
      EXPECT_FALSE(IsSeen(Target::kGfx1030, *v, litmus, between, true));
      const bool apart = between == Between::kWorkgroups;
      const std::set<std::string> needed = apart ? NeededWaits(*v) : std::set<std::string>();
      const Program program = RowsOf(*v);
      for (const WithoutWait& w : WithoutWaits(program, false)) {
        if (!amd::CheckWaits(w.program).empty()) continue;
        ++waits;
        const bool barrier = program.rows[w.row + 1].inst.op == isa::Opcode::kSBarrier;
        const bool in_lds = between == Between::kThreadsShared && barrier;
        EXPECT_EQ(IsSeenIn(*v, w.program, litmus, between), needed.contains(w.text) || in_lds)
            << w.text;
      }
    }
    const bool apart = between == Between::kWorkgroups;
    EXPECT_EQ(waits == 0 || between == Between::kThreadsShared,
              !apart || litmus.needed == Needed::kNothing)
        << NameOf(between);
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Litmus, testing::ValuesIn(LitmusPrograms()),
                         [](const auto& info) { return std::string(info.param.name); });

// Loads of memory that may be made visible have bits, and acquiring fences invalidate for plain
// loads: either is enough, and each part of it is needed.
// `data`: of plain accesses, or of atomic loads and stores, for which there are no invalidates; the
// flag is atomic in both.
void CheckBitsAndInvalidates(std::string_view data, size_t expected_invalidates) {
  const auto& all = LitmusPrograms();
  const auto litmus = std::find_if(all.begin(), all.end(), [&](const LitmusProgram& p) {
    return std::string_view(p.name) == data;
  });
  ASSERT_NE(litmus, all.end());
  constexpr Between kApart = Between::kWorkgroups;
  for (const int width : {32, 64}) {
    const auto v = CompileLitmus(Target::kGfx1030, *litmus, kApart, width);
    ASSERT_TRUE(v.ok()) << v.status();
    SCOPED_TRACE(v->name);
    const Program program = RowsOf(*v);
    Program by_bits = program, by_invalidates = program;
    std::vector<size_t> loads, invalidates, stores;
    for (size_t i = 0; i < program.rows.size(); ++i) {
      const Row& row = program.rows[i];
      if (IsInvalidate(row)) invalidates.push_back(i);
      if (IsInvalidate(row)) by_bits.rows[i].inst = isa::Instruction();
      if (IsLoad(row)) loads.push_back(i);
      if (IsLoad(row)) by_invalidates.rows[i].inst.glc = by_invalidates.rows[i].inst.dlc = false;
      if (row.inst.op == isa::Opcode::kBufferStoreDword && row.inst.glc) stores.push_back(i);
    }
    EXPECT_FALSE(IsSeenIn(*v, by_bits, *litmus, kApart));
    EXPECT_EQ(IsSeenIn(*v, by_invalidates, *litmus, kApart), expected_invalidates == 0);
    ASSERT_EQ(loads.size(), 3u);   // of the data, of the flag, of the data
    ASSERT_EQ(stores.size(), 2u);  // of the data, of the flag
    ASSERT_EQ(invalidates.size(), expected_invalidates);
    // The first load is before the other wave's store is seen.
    for (const bool glc : {true, false}) {
      Program changed = by_bits;
      changed.rows[loads[2]].inst.glc &= !glc;
      changed.rows[loads[2]].inst.dlc &= glc;
      EXPECT_TRUE(IsSeenIn(*v, changed, *litmus, kApart)) << (glc ? "glc" : "dlc");
    }
    for (size_t k = 0; k < invalidates.size(); ++k) {
      EXPECT_TRUE(IsSeenIn(*v, Without(by_invalidates, invalidates[k]), *litmus, kApart))
          << "invalidate of row " << invalidates[k];
    }
    Program changed = program;
    changed.rows[stores[0]].inst.glc = false;
    EXPECT_TRUE(IsSeenIn(*v, changed, *litmus, kApart)) << "glc of the store";
  }
}

TEST(LitmusOfCaches, BitsOrInvalidatesOfPlainData) {
  CheckBitsAndInvalidates("MessagePassingOfPlainData", 2);  // of the acquiring fence
}
TEST(LitmusOfCaches, BitsOfAtomics) { CheckBitsAndInvalidates("MessagePassing", 0); }

}  // namespace
}  // namespace kiln::exec
