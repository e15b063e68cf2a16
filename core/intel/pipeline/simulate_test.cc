// Tests that the options of a run reach the simulator, its own among them. core/sim/eu tests what
// they do there.
#include "core/intel/pipeline/simulate.h"

#include <vector>

#include "core/intel/isa/program.h"
#include "core/sim/eu/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using sim::eu::testing::Dst;
using sim::eu::testing::Grf;
using sim::eu::testing::Imm;
using sim::eu::testing::Make;

absl::StatusOr<sim::scene::RunStats> RunWith(const isa::Program& program,
                                             const SimulationOptions& options) {
  const auto code = isa::Finalise(program);
  EXPECT_TRUE(code.ok()) << code.status();
  sim::scene::Dispatch dispatch;
  dispatch.buffers.resize(1);
  return SimulateTgl(*code, sim::eu::testing::Record(8), options, dispatch);
}

// cmp, if, mov, endif, end of thread; no lane enters the block of the if.
TEST(Simulate, FusionEntersBlocksThatNoLaneEnters) {
  isa::Program p(isa::Generation::kGen12);
  isa::Instruction none = Make(isa::Opcode::kCmp, 8, sim::eu::testing::Null(isa::Type::kUD),
                               Grf(20, isa::Type::kUD), Grf(20, isa::Type::kUD));
  none.cmod = isa::CondMod::kNz;
  p.Append(none);
  isa::Instruction branch;
  branch.op = isa::Opcode::kIf;
  branch.exec_size = 8;
  branch.pred = isa::PredCtrl::kNormal;
  p.Append(branch, {3, 3});
  p.Append(Make(isa::Opcode::kMov, 8, Dst(10, isa::Type::kUD), Imm(isa::Type::kUD, 1)));
  branch.op = isa::Opcode::kEndif;
  branch.pred = isa::PredCtrl::kNone;
  p.Append(branch, {4, isa::kNoTarget});
  p.Append(sim::eu::testing::EndOfThread());
  SimulationOptions options;
  const auto skipped = RunWith(p, options);
  ASSERT_TRUE(skipped.ok()) << skipped.status();
  EXPECT_EQ(skipped->instructions, 4u);
  EXPECT_EQ(skipped->threads, 1u);
  options.switches = {"fusion"};
  const auto entered = RunWith(p, options);
  ASSERT_TRUE(entered.ok()) << entered.status();
  EXPECT_EQ(entered->instructions, 5u);
  EXPECT_EQ(entered->executed, (std::vector<uint32_t>{0, 16, 48, 64}));
}

TEST(Simulate, ContractAndLimitsAreThoseAskedFor) {
  isa::Program p(isa::Generation::kGen12);
  const isa::Instruction add = Make(isa::Opcode::kAdd, 8, Dst(10, isa::Type::kUD),
                                    Grf(10, isa::Type::kUD), Grf(10, isa::Type::kUD));
  p.Append(add);
  p.Append(add);  // does not wait for the first
  p.Append(sim::eu::testing::EndOfThread());
  SimulationOptions options;
  EXPECT_EQ(RunWith(p, options).status().code(), absl::StatusCode::kFailedPrecondition);
  options.contract = false;
  EXPECT_TRUE(RunWith(p, options).ok()) << RunWith(p, options).status();
  options.max_instructions = 1;
  EXPECT_EQ(RunWith(p, options).status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(Simulate, OtherBytesAreAnError) {
  sim::scene::Dispatch dispatch;
  dispatch.buffers.resize(1);
  const std::vector<uint8_t> bytes(7, 0);
  EXPECT_EQ(SimulateTgl(bytes, sim::eu::testing::Record(8), {}, dispatch).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace kiln::intel
