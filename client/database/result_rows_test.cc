// Which results are answers.
#include "client/database/result_rows.h"

#include <gtest/gtest.h>

namespace kiln::client {
namespace {

using kiln::v1::TargetResult;

TargetResult Made(TargetResult::Status status) {
  TargetResult result;
  result.set_status(status);
  result.set_version("1");
  result.set_code_generation_version(3);
  return result;
}

TEST(IsFinal, TheCompilersAnswers) {
  for (const auto status : {TargetResult::OK, TargetResult::REFUSED, TargetResult::INVALID}) {
    EXPECT_TRUE(IsFinal(Made(status))) << status;
  }
  for (const auto status : {TargetResult::CRASHED, TargetResult::TIMED_OUT,
                            TargetResult::MEMORY_LIMIT, TargetResult::NOT_CACHED}) {
    EXPECT_FALSE(IsFinal(Made(status))) << status;
  }
}

TEST(IsFinal, NotWhatTheClientFound) {
  TargetResult result = Made(TargetResult::REFUSED);
  result.set_code_generation_version(0);
  EXPECT_FALSE(IsFinal(result));
  result = Made(TargetResult::INVALID);
  result.clear_version();
  EXPECT_FALSE(IsFinal(result));
}

}  // namespace
}  // namespace kiln::client
