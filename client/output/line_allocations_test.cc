// The cost of a JSON line beside its bytes: the number of allocations from a daemon's message to
// the line does not grow with the passes. With a message for each pass record it was some three for
// each, which was half of a batch's time; tests/service/bench_lines measures times.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/output/result_json.h"
#include "kiln/v1/compile.pb.h"
#include "proto/pass_sums.h"

namespace {
std::atomic<int> g_allocations = 0;
}  // namespace

void* operator new(size_t bytes) {
  ++g_allocations;
  void* p = malloc(bytes == 0 ? 1 : bytes);
  if (p == nullptr) abort();
  return p;
}
void operator delete(void* p) noexcept { free(p); }
void operator delete(void* p, size_t) noexcept { free(p); }

namespace kiln::client {
namespace {

using kiln::v1::OutputMask;
using kiln::v1::TargetResult;

// Returns the message of daemons that obey `mask`.
std::string MessageOf(int passes, const OutputMask& mask) {
  TargetResult result;
  result.set_status(TargetResult::OK);
  for (int run = 0; run < 2 * passes; ++run) {
    auto* record = result.add_passes();
    record->set_pass(absl::StrCat("a_pass_of_usual_length_", run % passes));
    record->set_level("mir");
    record->set_nanoseconds(1000 + run);
    record->set_instructions_before(200);
    record->set_instructions_after(199);
  }
  if (mask.pass_sums()) {
    SumPasses(&result);
    result.clear_passes();
  }
  return result.SerializeAsString();
}

struct Cost {
  int allocations = 0;
  std::string line;
};

Cost CostOf(const std::string& message) {
  Cost cost;
  const int before = g_allocations;
  {
    TargetResult result;
    EXPECT_TRUE(result.ParseFromString(message));
    cost.line = ResultLine("a.comp", result, {});
  }
  cost.allocations = g_allocations - before;
  return cost;
}

TEST(LineAllocations, DoNotGrowWithThePasses) {
  OutputMask asked, old;
  AskForLine(&asked);
  old.set_pass_records(true);
  const Cost few = CostOf(MessageOf(10, asked)), many = CostOf(MessageOf(90, asked));
  EXPECT_LE(many.allocations, few.allocations + 24);
  EXPECT_GT(many.line.size(), few.line.size() + 80 * 80);
  // Checks that allocations are counted, by the cost with records.
  const Cost records = CostOf(MessageOf(90, old));
  EXPECT_GT(records.allocations, 180);
  EXPECT_EQ(records.line, many.line);
}

TEST(LineAllocations, OfWhatIsAskedForTheMessageIsSmall) {
  OutputMask asked, old;
  AskForLine(&asked);
  old.set_pass_records(true);
  EXPECT_TRUE(asked.pass_records());  // for a daemon that makes no sums
  EXPECT_TRUE(asked.remarks());
  EXPECT_LT(MessageOf(80, asked).size() * 2, MessageOf(80, old).size());
}

}  // namespace
}  // namespace kiln::client
