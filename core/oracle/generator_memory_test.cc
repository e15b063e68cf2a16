#include <vector>

#include "core/oracle/generator_testing.h"
#include "gtest/gtest.h"

namespace kiln::oracle::random_modules {
namespace {

using mir::Op;

TEST(GeneratorMemory, KindsAreThoseAskedFor) {
  const Op kinds[] = {Op::kLoadShared,  Op::kStoreShared,  Op::kSharedAtomic, Op::kLoadPush,
                      Op::kLoadPrivate, Op::kStorePrivate, Op::kLoadConstant, Op::kControlBarrier};
  auto all = Ops(Modules({.instructions = 150}));
  auto buffers = Ops(Modules({.instructions = 150, .memory = false}));
  for (const Op op : kinds) {
    EXPECT_GT(all[op], 0) << mir::Info(op).name;
    EXPECT_EQ(buffers[op], 0) << mir::Info(op).name;
  }
  for (const Op op : {Op::kLoadSsbo, Op::kStoreSsbo, Op::kSsboAtomic, Op::kLoadUbo}) {
    EXPECT_GT(buffers[op], 0) << mir::Info(op).name;
  }
  auto wide = Ops(Modules({.instructions = 150, .types = true}));
  for (const Op op : {Op::kLoadGlobal, Op::kStoreGlobal, Op::kGlobalAtomic}) {
    EXPECT_EQ(all[op], 0) << mir::Info(op).name;
    EXPECT_GT(wide[op], 0) << mir::Info(op).name;
  }
}

// SPIR-V and IEEE 754 leave the bits of a NaN open, and memory would show them.
TEST(GeneratorMemory, StoredDoublesAreNumbers) {
  int stored = 0;
  ForEachInstOf(
      Modules({.instructions = 150, .defined_only = true, .types = true, .doubles = true}),
      [&](const mir::Module& m, mir::InstId id) {
        const Op op = m.inst(id).op;
        if (op != Op::kStoreSsbo && op != Op::kStoreShared && op != Op::kStoreGlobal) return;
        for (const mir::ValueId v : m.sources(id)) {
          if (m.value(v).type != mir::Type::kF64) continue;
          ++stored;
          EXPECT_EQ(DefinedBy(m, v), Op::kSelect);
        }
      });
  EXPECT_GT(stored, 20);
}

// All lanes reach barriers, and only the lane itself writes dwords that other lanes read.
TEST(GeneratorMemory, NothingRaces) {
  const auto modules = Modules({.instructions = 150});
  EXPECT_EQ(AtTheTop(modules, {Op::kControlBarrier}), Ops(modules)[Op::kControlBarrier]);
  ForEachInstOf(modules, [](const mir::Module& m, mir::InstId id) {
    if (m.inst(id).op != Op::kStoreSsbo && m.inst(id).op != Op::kSsboAtomic) return;
    EXPECT_EQ(m.inst(id).imm0, 0u);
  });
  for (uint64_t seed = 0; seed < modules.size(); ++seed) {
    LaunchInputs inputs = GenerateInputs(seed, modules[seed]);
    const auto run = Interpret(modules[seed], inputs);
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_EQ(run->races, 0) << seed;
  }
}

TEST(GeneratorMemory, PrivateArraysAreWrittenFirstWhereAllIsDefined) {
  for (const mir::Module& m : Modules({.defined_only = true})) {
    std::vector<uint32_t> written(m.private_arrays.size());
    for (const mir::InstId id : m.region(m.body).insts) {
      const Op op = m.inst(id).op;
      if (op == Op::kLoadPrivate || op == Op::kIf || op == Op::kLoop) break;
      if (op != Op::kStorePrivate) continue;
      written[m.inst(id).imm0] += 4 * static_cast<uint32_t>(m.inst(id).num_sources - 1);
    }
    for (size_t i = 0; i < written.size(); ++i) EXPECT_GE(written[i], m.private_arrays[i].bytes);
  }
}

}  // namespace
}  // namespace kiln::oracle::random_modules
