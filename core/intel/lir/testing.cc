#include "core/intel/lir/testing.h"

#include "absl/strings/str_cat.h"
#include "core/intel/lir/machine.h"
#include "core/lir/parse.h"
#include "gtest/gtest.h"

namespace kiln::intel::testing {

lir::Function FunctionOf(int width, const std::string& values, const std::string& body) {
  const std::string text =
      absl::StrCat("function tgl width ", width, "\n", values, "block b0 depth 0\n", body);
  absl::StatusOr<lir::Function> f = lir::Parse(MachineOf(Tgl()), text);
  EXPECT_TRUE(f.ok()) << f.status() << "\n" << text;
  return f.ok() ? *std::move(f) : lir::Function();
}

lir::InstId FirstOf(const lir::Function& f) { return f.blocks[0].insts[0]; }

}  // namespace kiln::intel::testing
