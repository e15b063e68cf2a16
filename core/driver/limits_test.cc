// The limits that coverage.def tells are those of the ABI that refuses by them.
#include <map>
#include <string>

#include "core/front/coverage.h"
#include "core/intel/abi/abi.h"
#include "gtest/gtest.h"

namespace kiln {
namespace {

TEST(Limits, AreThoseOfTheAbi) {
  std::map<std::string, uint64_t> most;
  for (const front::LimitRow& row : front::Limits()) {
    if (row.target == "any") continue;  // bounds of the front end: core/front/bounds_test.cc
    EXPECT_TRUE(most.emplace(std::string(row.target) + " " + std::string(row.what), row.most).second);
  }
  EXPECT_EQ(most, (std::map<std::string, uint64_t>{
                      {"tgl bindings", intel::kMaxSurfaces},
                      {"tgl descriptors of a binding", intel::kMaxBindlessSurfaces},
                      {"tgl invocations of a workgroup", intel::kMaxInvocations},
                      {"tgl bytes of shared memory", intel::kMaxSharedBytes}}));
}

}  // namespace
}  // namespace kiln
