// The table of causes.
#include "client/capture/capture_cause.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace kiln::client {
namespace {

using kiln::v1::TargetResult;

TEST(CaptureCauses, EachHasItsRow) {
  std::set<std::string> words;
  for (size_t i = 0; i < CaptureCauses().size(); ++i) {
    const CaptureCauseRow& row = CaptureCauses()[i];
    EXPECT_EQ(static_cast<size_t>(row.cause), i);
    EXPECT_TRUE(words.insert(std::string(row.word)).second) << row.word;
    EXPECT_EQ(row.sentence.back(), '.') << row.word;
    EXPECT_EQ(row.remedy.back(), '.') << row.word;
  }
  EXPECT_EQ(CaptureCauses().back().cause, CaptureCause::kInvalidSpecialization);
}

TEST(ResultOf, SaysAllParts) {
  const TargetResult result =
      ResultOf({CaptureCause::kDynamicState, "alpha to one"}, "tgl", "fragment", "main");
  EXPECT_EQ(result.status(), TargetResult::REFUSED);
  EXPECT_EQ(result.cause(), "dynamic_state");
  EXPECT_EQ(result.message(), "alpha to one");
  EXPECT_EQ(result.target() + result.stage() + result.entry_point(), "tglfragmentmain");
  EXPECT_NE(result.reason().sentence(), "");
  EXPECT_NE(result.reason().remedy(), "");
}

TEST(ResultOf, AWrongCaptureIsInvalid) {
  EXPECT_EQ(ResultOf({CaptureCause::kMissingModule, ""}, "tgl", "", "").status(),
            TargetResult::INVALID);
}

}  // namespace
}  // namespace kiln::client
