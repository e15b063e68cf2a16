// Messages about an absence, and their times.
#include "client/service/away_notice.h"

#include <gtest/gtest.h>

namespace kiln::client {
namespace {

Away For(double seconds, bool sheds = false) {
  return {absl::Seconds(seconds), absl::Seconds(60), sheds, "Connection refused"};
}

TEST(AwayNotice, OnceWhenItLastsAndOnceWhenItIsOver) {
  AwayNotice notice("host:1");
  EXPECT_EQ(notice.Update(std::nullopt), "");
  EXPECT_EQ(notice.Update(For(0.5)), "");
  EXPECT_EQ(notice.Update(For(1.5)),
            "host:1 does not answer (Connection refused); waiting for it, up to 60 s (--patience)");
  EXPECT_EQ(notice.Update(For(12)), "");
  EXPECT_EQ(notice.Update(std::nullopt), "host:1 answers again after 0:12");
  EXPECT_EQ(notice.Update(std::nullopt), "");
  EXPECT_EQ(notice.Update(For(2, true)),
            "host:1 refuses work (Connection refused); waiting for it, up to 60 s (--patience)");
}

TEST(AwayNotice, ShortOnesAreNotMentioned) {
  AwayNotice notice("host:1");
  EXPECT_EQ(notice.Update(For(0.9)), "");
  EXPECT_EQ(notice.Update(std::nullopt), "");
}

TEST(AwayNotice, InAProgressLine) {
  EXPECT_EQ(WaitingText("host:1", For(7)), "waiting for host:1 0:07 of 1:00");
}

}  // namespace
}  // namespace kiln::client
