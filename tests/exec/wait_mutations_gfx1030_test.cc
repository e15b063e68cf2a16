// The checker of waits on programs that the compiler makes: nothing is missing, and no wait can be
// weaker, but those that a barrier or a fence asks for, which these programs do not have.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/amd/waits/testing/check_waits.h"
#include "core/driver/compile.h"
#include "core/driver/prepared.h"
#include "core/oracle/generate.h"
#include "gtest/gtest.h"
#include "tests/exec/gfx1030_rows.h"

namespace kiln::exec {
namespace {

bool HasBarrier(const amd::Program& program) {
  for (const amd::Row& row : program.rows) {
    if (row.inst.op == amd::isa::Opcode::kSBarrier ||
        row.inst.op == amd::isa::Opcode::kBufferGl0Inv) {
      return true;
    }
  }
  return false;
}

TEST(WaitMutations, WeakerWaitsAreFound) {
  int weakened = 0, found = 0;
  std::string missed;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    oracle::GenerateOptions shape;
    shape.max_depth = 2 + static_cast<int>(seed % 4);
    shape.defined_only = true;
    shape.memory = seed % 4 != 0;
    shape.types = seed % 3 == 1;
    shape.subgroups = seed % 4 >= 2;
    shape.pressure = seed % 6 == 1 ? 40 : 0;
    const auto prepared = PrepareMir(oracle::GenerateModule(seed, shape), {}, nullptr, {});
    ASSERT_TRUE(prepared.ok()) << prepared.status();
    const auto compiled = Compile(**prepared, Target::kGfx1030, {}, nullptr, {});
    ASSERT_TRUE(compiled.ok()) << compiled.status();
    for (const Variant& v : compiled->variants) {
      const amd::Program program = RowsOf(v);
      const auto missing = amd::CheckWaits(program);
      EXPECT_TRUE(missing.empty()) << "seed " << seed << " " << v.name << ": " << missing[0].text;
      if (HasBarrier(program)) continue;
      for (const WithoutWait& changed : WithoutWaits(program, true)) {
        ++weakened;
        const bool noticed = !amd::CheckWaits(changed.program).empty();
        found += noticed ? 1 : 0;
        if (!noticed) missed += absl::StrCat("seed ", seed, " ", v.name, " ", changed.text, "\n");
      }
    }
  }
  printf("%d of %d\n", found, weakened);
  EXPECT_GE(weakened, 400);
  EXPECT_GE(100 * found, 99 * weakened) << missed;
}

}  // namespace
}  // namespace kiln::exec
