// Random modules verify, round-trip through text, end, do something, and depend on the seed alone.
#include "core/oracle/generate.h"

#include <cstdint>
#include <string>
#include <vector>

#include "core/mir/build.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "core/oracle/interp.h"
#include "gtest/gtest.h"

namespace kiln::oracle {
namespace {

using mir::Module;
using mir::Parse;

std::vector<uint8_t> Outcome(const Module& m, uint64_t seed, LaunchInputs* after = nullptr) {
  LaunchInputs inputs = GenerateInputs(seed, m);
  const absl::StatusOr<InterpStatistics> run = Interpret(m, inputs);
  EXPECT_TRUE(run.ok()) << run.status();
  if (after != nullptr) *after = inputs;
  return inputs.buffers[0].bytes;
}

TEST(Generate, ModulesAreWellFormedRoundTripAndEnd) {
  int changed = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Module m = GenerateModule(seed);
    ASSERT_EQ(Verify(m), absl::OkStatus()) << seed << "\n" << Print(m);
    const std::string text = Print(m);
    absl::StatusOr<Module> parsed = Parse(text);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    ASSERT_EQ(Print(*parsed), text);
    const std::vector<uint8_t> expected = Outcome(m, seed);
    ASSERT_EQ(Outcome(*parsed, seed), expected);
    Module compact = m;
    Compact(compact);
    ASSERT_EQ(Verify(compact), absl::OkStatus());
    ASSERT_EQ(Outcome(compact, seed), expected);
    changed += expected != GenerateInputs(seed, m).buffers[0].bytes;
    ASSERT_EQ(Print(GenerateModule(seed)), text);
  }
  EXPECT_EQ(changed, 300);
}

// Generators of other stages must not change these modules: other tests' results depend on them.
TEST(Generate, ModulesOfComputeStayTheSame) {
  uint64_t hash = 1469598103934665603u;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    GenerateOptions options;
    options.types = seed % 2 != 0;
    options.subgroups = seed % 3 == 0;
    options.defined_only = seed % 5 == 0;
    for (unsigned char c : Print(GenerateModule(seed, options))) {
      hash = (hash ^ c) * 1099511628211u;
    }
  }
  EXPECT_EQ(hash, 4753521580251365654u);
}

TEST(Generate, FragmentsAreWellFormedRoundTripAndDoSomething) {
  int colours = 0, live = 0, killed = 0;
  GenerateOptions options;
  options.stage = mir::Stage::kFragment;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    options.types = seed % 2 != 0;
    options.subgroups = seed % 3 == 0;
    const Module m = GenerateModule(seed, options);
    ASSERT_EQ(Verify(m), absl::OkStatus()) << seed << "\n" << Print(m);
    const absl::StatusOr<Module> parsed = Parse(Print(m));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    ASSERT_EQ(Print(*parsed), Print(m));
    LaunchInputs after;
    ASSERT_EQ(Outcome(*parsed, seed), Outcome(m, seed, &after));
    for (uint32_t lane = 0; lane < kFragmentLanes; ++lane) {
      live += after.stage.live[lane];
      killed += !after.stage.live[lane] && !after.stage.helpers[lane];
      for (uint64_t x : after.stage.outputs[0]) colours += x != 0;
    }
  }
  EXPECT_GT(colours, 1000);
  EXPECT_GT(live, 1000);
  EXPECT_GT(killed, 300);
}

TEST(Generate, VerticesAreWellFormedRoundTripAndDoSomething) {
  std::vector<int> written(4);  // by output
  GenerateOptions options;
  options.stage = mir::Stage::kVertex;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    options.types = seed % 2 != 0;
    options.subgroups = seed % 3 == 0;
    const Module m = GenerateModule(seed, options);
    ASSERT_EQ(Verify(m), absl::OkStatus()) << seed << "\n" << Print(m);
    const absl::StatusOr<Module> parsed = Parse(Print(m));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    ASSERT_EQ(Print(*parsed), Print(m));
    LaunchInputs after;
    ASSERT_EQ(Outcome(*parsed, seed), Outcome(m, seed, &after));
    for (uint32_t lane = 0; lane < kVertexLanes; ++lane) ASSERT_TRUE(after.stage.live[lane]);
    for (size_t i = 0; i < written.size(); ++i) {
      for (uint64_t x : after.stage.outputs[i]) written[i] += x != 0;
    }
  }
  for (int n : written) EXPECT_GT(n, 1000);
}

// The programs of all stages and their inputs, as hashes: a seed that an old report names must
// still give the same program. After an intended change of the generator the new hashes go here.
TEST(Generate, SeedsKeepTheirPrograms) {
  struct Kind {
    GenerateOptions options;
    uint64_t hash;
  };
  using mir::Stage;
  const Kind kinds[] = {
      {{.types = true, .subgroups = true}, 644683930293913880u},
      {{.floats = false, .defined_only = true, .memory = false}, 11292639006399942325u},
      {{.stage = Stage::kFragment, .types = true}, 11702736152825353861u},
      {{.stage = Stage::kFragment,
        .defined_only = true,
        .types = true,
        .drawn = true,
        .samples = 1},
       11653958576383798828u},
      {{.stage = Stage::kFragment, .defined_only = true, .drawn = true, .samples = 4},
       14574234614693406025u},
      {{.stage = Stage::kVertex, .types = true}, 7164366915039797315u},
      {{.stage = Stage::kVertex, .defined_only = true, .types = true, .drawn = true},
       8957965735070533188u},
  };
  for (const Kind& kind : kinds) {
    uint64_t hash = 1469598103934665603u;
    const auto add = [&hash](unsigned char c) { hash = (hash ^ c) * 1099511628211u; };
    for (uint64_t seed = 0; seed < 50; ++seed) {
      const Module m = GenerateModule(seed, kind.options);
      for (unsigned char c : Print(m)) add(c);
      const LaunchInputs inputs = GenerateInputs(seed, m);
      for (const BoundBuffer& buffer : inputs.buffers) {
        for (uint8_t byte : buffer.bytes) add(byte);
      }
      for (const std::vector<uint64_t>& values : inputs.stage.inputs) {
        for (uint64_t value : values) add(static_cast<unsigned char>(value ^ value >> 24));
      }
    }
    EXPECT_EQ(hash, kind.hash);
  }
}

}  // namespace
}  // namespace kiln::oracle
