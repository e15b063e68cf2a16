// The simulator of a target is found by its row; core/intel/pipeline/simulate_test.cc tests it.
#include "core/driver/simulate.h"

#include "core/base/cause.h"
#include "gtest/gtest.h"

namespace kiln {
namespace {

TEST(Simulate, IsThatOfTheTarget) {
  sim::scene::Dispatch dispatch;
  const absl::Status other = Simulate(Target::kTgl, {}, {}, {}, dispatch).status();
  EXPECT_EQ(other,
            absl::InvalidArgumentError("launch record: is not of a program of this architecture"));
}

TEST(Simulate, ModesAreThoseOfTheTarget) {
  ASSERT_EQ(SimulationSwitches().size(), 1u);
  SimulationOptions options;
  options.switches = {std::string(SimulationSwitches()[0].name)};
  EXPECT_TRUE(CheckSimulation(Target::kTgl, options).ok());
  options.switches = {"other"};
  const absl::Status refused = CheckSimulation(Target::kTgl, options);
  EXPECT_EQ(refused.message(), "--other: the simulator of tgl has no such mode");
  EXPECT_EQ(CauseOf(refused), "missing_tool");
  sim::scene::Dispatch dispatch;
  EXPECT_EQ(Simulate(Target::kTgl, {}, {}, options, dispatch).status(), refused);
}

}  // namespace
}  // namespace kiln
