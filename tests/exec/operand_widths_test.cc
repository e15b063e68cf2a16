// Kernels whose operands have unusual widths (core/front/testing/operand_widths.h), compiled at
// every width and executed by the simulator.
#include "core/front/testing/operand_widths.h"

#include <cstring>
#include <random>

#include "core/front/testing/testing.h"
#include "gtest/gtest.h"
#include "tests/exec/exec.h"
#include "tests/exec/images.h"

namespace kiln::exec {
namespace {

std::string RunCase(const front::OperandCase& c) {
  const auto module = front::ImportVerified(front::Assemble(front::OperandKernel(c)));
  if (!module.ok()) return std::string(module.status().message());
  oracle::LaunchInputs in;
  in.groups = {1, 1, 1};
  in.denormals = oracle::Denormals::kFlush;
  const std::vector<uint32_t> words = front::OperandInputs();
  in.buffers.resize(2);
  for (uint32_t i = 0; i < 2; ++i) {
    in.buffers[i].binding = i;
    in.buffers[i].bytes.resize(4 * words.size());
  }
  std::memcpy(in.buffers[0].bytes.data(), words.data(), 4 * words.size());
  std::mt19937 rng(1);
  AddImages(*module, rng, in, MaxSamples(TestTarget()));
  return CompareModule(*module, in, Setup());
}

TEST(OperandWidths, AreTakenWhole) {
  for (const front::OperandCase& c : front::OperandCases()) EXPECT_EQ(RunCase(c), "") << c.name;
}

TEST(OperandWidths, OfImages) {
  for (const front::ImageCase& c : front::ImageCases())
    EXPECT_EQ(RunCase(c.kernel), "") << c.kernel.name;
}

}  // namespace
}  // namespace kiln::exec
