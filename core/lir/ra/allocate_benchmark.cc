// Measures allocation time: per instruction it must not grow with the size of the program, and 512
// values live at once must take less than 100 ms.
//
//   bazel run //core/lir/ra:allocate_benchmark
#include "benchmark/benchmark.h"
#include "core/lir/build.h"
#include "core/lir/liveness.h"
#include "core/lir/ra/allocate.h"
#include "core/lir/random_program.h"
#include "core/lir/testing.h"

namespace kiln::lir::ra {
namespace {

void RandomPrograms(benchmark::State& state) {
  testing::RandomOptions options;
  options.instructions = static_cast<int>(state.range(0));
  options.width = 8;
  options.far_uses = 0;
  Function program;
  for (uint64_t seed = 1; seed < 50; ++seed) {  // one that fits
    program = testing::RandomProgram(seed, options);
    Function f = program;
    if (Allocate(testing::TestMachine(), &f).ok()) break;
  }
  for (auto _ : state) {
    state.PauseTiming();
    Function f = program;
    state.ResumeTiming();
    benchmark::DoNotOptimize(Allocate(testing::TestMachine(), &f).ok());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(program.insts.size()));
}
BENCHMARK(RandomPrograms)->Arg(500)->Arg(2000)->Arg(10000)->Unit(benchmark::kMillisecond);

// Makes `range` uniform values live at once through 20 blocks of a loop nest, each read in each
// block.
void ManyLiveValues(benchmark::State& state) {
  Function program;
  program.dispatch_width = 8;
  Builder b(program);
  b.SetBlock(b.NewBlock());
  InstFields fields;
  fields.flags = kNoMask;
  std::vector<ValueId> values;
  for (int64_t k = 0; k < state.range(0); ++k) {
    Value v;
    v.file = testing::kU;
    values.push_back(b.NewValue(v));
    b.Emit(testing::kConstOp, fields, {ValueOperand(values.back(), 0)}, {ImmOperand(1, 0)});
  }
  for (int block = 0; block < 20; ++block) {
    const BlockId before = b.block();
    b.SetBlock(b.NewBlock());
    b.AddEdge(before, b.block());
    for (ValueId v : values) b.Emit(testing::kStoreOp, fields, {}, {ValueOperand(v, 0)});
  }
  b.Emit(testing::kEndOp, fields, {}, {});
  for (auto _ : state) {
    state.PauseTiming();
    Function f = program;
    state.ResumeTiming();
    if (!Allocate(testing::TestMachine(), &f).ok()) state.SkipWithError("refused");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(program.insts.size()));
}
BENCHMARK(ManyLiveValues)->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);

void LivenessOnly(benchmark::State& state) {
  testing::RandomOptions options;
  options.instructions = static_cast<int>(state.range(0));
  options.far_uses = 0;
  const Function program = testing::RandomProgram(1, options);
  for (auto _ : state) {
    Liveness l(testing::TestMachine(), program);
    benchmark::DoNotOptimize(l.num_slots());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(program.insts.size()));
}
BENCHMARK(LivenessOnly)->Arg(500)->Arg(2000)->Arg(10000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kiln::lir::ra
