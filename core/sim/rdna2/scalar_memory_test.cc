// Tests scalar_memory.h: a dword that a scalar load reads and the dispatch writes is an error,
// whichever comes first.
#include "core/sim/rdna2/scalar_memory.h"

#include "core/sim/rdna2/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

constexpr uint32_t kLoadInput[] = {0xf4200406,
                                   0xfa000000};  // s_buffer_load_dword s16, s[12:15], 0x0
constexpr uint32_t kStoreInput[] = {0xe0701000,
                                    0x8003001f};  // buffer_store_dword v0, v31, s[12:15], 0 offen
constexpr uint32_t kWait = 0xbf8cc07f;            // s_waitcnt lgkmcnt(0)

TestProgram Of(const Words& body) {
  return {.body = body, .input = std::vector<uint32_t>(32), .options = {}};
}

TEST(ScalarMemory, AReadBeforeAWrite) {
  const absl::Status status =
      ErrorOf(Of({kLoadInput[0], kLoadInput[1], kWait, kStoreInput[0], kStoreInput[1]}));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(status.message().find("which the dispatch reads by"), std::string::npos) << status;
}

TEST(ScalarMemory, AWriteBeforeARead) {
  const absl::Status status =
      ErrorOf(Of({kStoreInput[0], kStoreInput[1], kLoadInput[0], kLoadInput[1], kWait}));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(status.message().find("which the dispatch writes by"), std::string::npos) << status;
}

TEST(ScalarMemory, InMemoryModeToo) {
  TestProgram p = Of({kLoadInput[0], kLoadInput[1], kWait, kStoreInput[0], kStoreInput[1]});
  p.options.contract = false;
  EXPECT_TRUE(ErrorOf(p).ok());
  p.options.memory_seed = 1;
  EXPECT_EQ(ErrorOf(p).code(), absl::StatusCode::kFailedPrecondition);
}

TEST(ScalarMemory, OtherMemory) {
  EXPECT_TRUE(ErrorOf(Of({kLoadInput[0], kLoadInput[1], kWait})).ok());
  // The last dword of a load may be beside what is written: dwords count, not lines.
  TestProgram p = Of({kStoreInput[0], kStoreInput[1], 0xf4200406, 0xfa000080, kWait});
  p.input.resize(33);
  EXPECT_TRUE(ErrorOf(p).ok());
}

}  // namespace
}  // namespace kiln::sim::rdna2
