// place_constants: see passes.h.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/intel/lir/machine.h"
#include "core/intel/lir/ops.h"
#include "core/intel/optimise/passes.h"
#include "core/intel/optimise/testing.h"
#include "core/lir/parse.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

constexpr int kFirst = 400;  // constants are %400 and up, per-lane values have names below

// Returns a function with `n` constants, made in front of `rest`.
std::string Constants(int n, const std::string& rest) {
  std::string text = "function tgl width 8\nvalue %0 G 4x1\nvalue %1 F 0x1\n";
  for (int i = 2; i < kFirst + n; ++i) {
    absl::StrAppend(&text, "value %", i, i < kFirst ? " G" : " U", " 4x1\n");
  }
  const int live_in = kFirst + n;
  absl::StrAppend(&text, "value %", live_in, " U 4x8 whole\nlivein %", live_in, " at 0\n");
  text += "block b0 depth 0\n";
  for (int i = kFirst; i < live_in; ++i) {
    absl::StrAppend(&text, "  %", i, ":ud = mov #0x7:ud {w1 nomask}\n");
  }
  return absl::StrCat(text, "  %0:ud = mov %", live_in, ".1:ud {w8}\n", rest);
}

// Returns uses of the first n constants; results from %result on.
std::string Uses(int n, int result = 2) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    absl::StrAppend(&text, "  %", result + i, ":ud = shl %", kFirst + i, ":ud %0:ud {w8}\n");
  }
  return text;
}

// Returns the number of constant moves that each block has after the pass.
std::vector<int> Made(const std::string& text) {
  absl::StatusOr<lir::Function> f = lir::Parse(MachineOf(Tgl()), text);
  EXPECT_TRUE(f.ok()) << f.status();
  PassContext context = PassContext::ForTest(-1);
  EXPECT_EQ(lir::Verify(MachineOf(Tgl()), *f), absl::OkStatus());
  EXPECT_TRUE(PlaceConstants(*f, context).ok());
  EXPECT_EQ(lir::Verify(MachineOf(Tgl()), *f), absl::OkStatus());
  std::vector<int> made;
  for (const lir::Block& b : f->blocks) {
    made.push_back(0);
    for (lir::InstId i : b.insts) {
      const bool constant =
          f->inst(i).op == Op(isa::Opcode::kMov) && f->uses(i)[0].kind == lir::Operand::Kind::kImm;
      if (!constant) continue;
      EXPECT_EQ(f->uses(i)[0].id, 7u);
      ++made.back();
    }
  }
  return made;
}

TEST(PlaceConstants, FewStayWhereTheyAre) {
  EXPECT_EQ(Made(Constants(256, "  -> b1\nblock b1 depth 0\n" + Uses(256))),
            (std::vector<int>{256, 0}));
}

TEST(PlaceConstants, ManyAreMadeNearTheirUses) {
  EXPECT_EQ(Made(Constants(257, "  -> b1\nblock b1 depth 0\n" + Uses(257))),
            (std::vector<int>{128, 129}));
  // Two uses near each other share one copy.
  EXPECT_EQ(Made(Constants(257, "  -> b1\nblock b1 depth 0\n" + Uses(33) + Uses(257, 50))),
            (std::vector<int>{128, 129}));
  // In two blocks, the constants with more uses stay.
  EXPECT_EQ(Made(Constants(257, "  -> b1\nblock b1 depth 0\n" + Uses(257) +
                                    "  -> b2\nblock b2 depth 0\n" + Uses(130, 260))),
            (std::vector<int>{128, 129, 2}));
}

TEST(PlaceConstants, LoopsKeepTheirBest) {
  const std::string loop =
      "  -> b1\nblock b1 depth 1\n" + Uses(300) +
      "  %1:uw = cmp %0:d #0x5:d {w8 cmod 5}\n  if %1:uw {w8 pred 1}\n  -> b2, b3\n"
      "block b2 depth 1\n  break {w8}\n  -> b5\n  ~> b3\n"
      "block b3 depth 1\n  endif {w8}\n  -> b4\n"
      "block b4 depth 1\n  while {w8}\n  -> b1\n  ~> b5\n"
      "block b5 depth 0\n  msg.write %0:ud %0:ud {w8 [untyped_write bti 1 channels 1]}\n";
  EXPECT_EQ(Made(Constants(300, loop)), (std::vector<int>{192, 108, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace kiln::intel
