// The limits in coverage.def equal those of the devices, by which the ABI refuses.
#include <map>
#include <string>

#include "core/front/check/coverage.h"
#include "core/intel/device/device.h"
#include "gtest/gtest.h"

namespace kiln {
namespace {

TEST(Limits, AreThoseOfTheDevice) {
  std::map<std::string, uint64_t> most;
  for (const front::LimitRow& row : front::Limits()) {
    if (row.target == "any") continue;  // bounds of the front end: core/front/check/bounds_test.cc
    EXPECT_TRUE(
        most.emplace(std::string(row.target) + " " + std::string(row.what), row.most).second);
  }
  const intel::Limits& limits = intel::Tgl().limits;
  EXPECT_EQ(most, (std::map<std::string, uint64_t>{
                      {"tgl bindings", limits.surfaces},
                      {"tgl descriptors of a binding", limits.bindless_surfaces},
                      {"tgl invocations of a workgroup", limits.invocations},
                      {"tgl bytes of shared memory", limits.shared_bytes}}));
}

}  // namespace
}  // namespace kiln
