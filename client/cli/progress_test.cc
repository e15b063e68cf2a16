// The progress line's text, and the terminal's helpers.
#include "client/cli/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "client/cli/terminal.h"

namespace kiln::client {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ProgressLine, HalfWay) {
  EXPECT_EQ(ProgressLine({500, 1000, 0, absl::Seconds(10)}, 100),
            " 500/1000 [############------------]  50%  50.0/s  ETA 0:10");
}

TEST(ProgressLine, BeginAndEnd) {
  EXPECT_EQ(ProgressLine({0, 7, 0, absl::ZeroDuration()}, 100),
            "0/7 [------------------------]   0%");
  EXPECT_EQ(ProgressLine({7, 7, 2, absl::Seconds(70)}, 100),
            "7/7 [########################] 100%  0.10/s  2 not ok");
  EXPECT_EQ(ProgressLine({0, 0, 0, absl::Seconds(1)}, 100), "0/0 [------------------------]");
}

TEST(ProgressLine, Waiting) {
  EXPECT_EQ(ProgressLine({500, 1000, 1, absl::Seconds(10), "waiting for host:1 0:07 of 1:00"}, 100),
            " 500/1000 [############------------]  50%  waiting for host:1 0:07 of 1:00  1 not ok");
}

TEST(ProgressLine, NarrowTerminals) {
  ProgressState state{500, 1000, 3, absl::Seconds(10)};
  EXPECT_THAT(ProgressLine(state, 50), Not(HasSubstr("[")));
  EXPECT_THAT(ProgressLine(state, 50), HasSubstr("ETA 0:10"));
  EXPECT_EQ(ProgressLine(state, 9), " 500/1000");
  EXPECT_EQ(ProgressLine(state, 0), "");
}

TEST(ClockTime, Forms) {
  EXPECT_EQ(ClockTime(absl::Seconds(7)), "0:07");
  EXPECT_EQ(ClockTime(absl::Milliseconds(59600)), "1:00");
  EXPECT_EQ(ClockTime(absl::Seconds(760)), "12:40");
  EXPECT_EQ(ClockTime(absl::Seconds(11100)), "3:05:00");
}

TEST(Terminal, FilesGetNeitherColourNorProgress) {
  FILE* file = tmpfile();
  ASSERT_NE(file, nullptr);
  EXPECT_FALSE(IsTerminal(file));
  EXPECT_FALSE(UsesColour(ColourChoice::kAuto, file));
  EXPECT_TRUE(UsesColour(ColourChoice::kAlways, file));
  {
    Progress progress(file, 10);
    progress.Update(5, 0);
  }
  EXPECT_EQ(ftell(file), 0);
  fclose(file);
}

TEST(Terminal, Text) {
  EXPECT_EQ(StatusText("ok", false), "ok");
  EXPECT_EQ(StatusText("ok", true), "\x1b[32mok\x1b[0m");
}

TEST(Terminal, TextsOfOthersStayWhereTheyArePut) {
  EXPECT_EQ(Printable("a\x1b[31mb\nc\td\xc2\x9b\xe2\x80\xae"),
            "a\\x1b[31mb\\x0ac\\x09d\\xc2\\x9b\\xe2\\x80\\xae");
  EXPECT_EQ(Printable("caf\xc3\xa9 \xff"), "caf\xc3\xa9 \\xff");
  EXPECT_EQ(PrintableText("a\tb\n\x1b[31m\r\n"), "a\tb\n\\x1b[31m\\x0d\n");
  EXPECT_EQ(PrintableLines("a\tb\nc.spv: tgl: ok\r\x1b[2J\n\n"),
            "a\tb\n    c.spv: tgl: ok\\x0d\\x1b[2J");
}

}  // namespace
}  // namespace kiln::client
