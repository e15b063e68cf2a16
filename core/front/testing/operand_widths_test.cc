// Runs operands of unusual widths through the validator and the interpreter.
#include "core/front/testing/operand_widths.h"

#include <gtest/gtest.h>

#include "core/front/check/validate.h"
#include "core/front/testing/testing.h"
#include "core/mir/print.h"

namespace kiln::front {
namespace {

TEST(OperandWidths, AreTakenWhole) {
  const std::vector<uint32_t> in = OperandInputs();
  for (const OperandCase& c : OperandCases()) {
    const std::vector<uint32_t> words = Assemble(OperandKernel(c));
    EXPECT_TRUE(ValidateSpirv(words).ok()) << c.name << ": " << ValidateSpirv(words);
    const auto module = ImportVerified(words);
    EXPECT_TRUE(module.ok()) << c.name << ": " << module.status();
    if (!module.ok()) continue;
    const auto out = RunWords(*module, in, in.size());
    EXPECT_TRUE(out.ok()) << c.name << ": " << out.status() << mir::Print(*module);
    if (!out.ok()) continue;
    for (uint32_t id = 0; id < in.size(); ++id) {
      const uint32_t want = c.expected(in[id], id);
      EXPECT_EQ((*out)[id], want) << c.name << " of " << in[id] << " at " << id;
      if ((*out)[id] != want) break;
    }
  }
}

TEST(OperandWidths, OfImages) {
  for (const ImageCase& c : ImageCases()) {
    const std::vector<uint32_t> words = Assemble(OperandKernel(c.kernel));
    EXPECT_TRUE(ValidateSpirv(words).ok()) << c.kernel.name << ": " << ValidateSpirv(words);
    const auto module = ImportVerified(words);
    EXPECT_TRUE(module.ok()) << c.kernel.name << ": " << module.status();
    if (!module.ok()) continue;
    const std::string text = mir::Print(*module);
    EXPECT_NE(text.find(c.mir), std::string::npos) << c.kernel.name << "\n" << text;
  }
}

}  // namespace
}  // namespace kiln::front
