// Results for people: the figures of a table are those that the service describes.
#include "client/output/result_text.h"

#include <gtest/gtest.h>

#include <string>

#include "proto/statistics.h"

namespace kiln::client {
namespace {

using kiln::v1::Capabilities;
using kiln::v1::TargetResult;

Capabilities::TargetInfo Target() {
  Capabilities::TargetInfo target;
  auto* registers = target.add_statistics();
  registers->set_name("vector_registers");
  registers->set_header("vregs");
  target.add_statistics()->set_name("hidden");
  auto* cycles = target.add_statistics();
  cycles->set_name("time");
  cycles->set_header("time");
  cycles->set_estimated(true);
  return target;
}

TargetResult Result() {
  TargetResult result;
  result.set_target("gfx");
  for (const int64_t registers : {24, 128}) {
    auto* variant = result.add_variants();
    variant->set_name(registers == 24 ? "wave32" : "wave64");
    *variant->mutable_statistics() =
        PackStatistics({{"hidden", 9}, {"vector_registers", registers}, {"time", 0}});
  }
  return result;
}

std::string Table(const std::string& text) { return text.substr(text.find('\n') + 1); }

TEST(SuccessText, HasAColumnForEachStatisticWithAHeader) {
  EXPECT_EQ(Table(SuccessText("a", Result(), Target(), false)),
            "  variant  vregs  time\n"
            "  wave32      24     -\n"
            "  wave64     128     -\n");
}

TEST(SuccessText, ShowsAllFiguresOfAServiceThatDescribesNone) {
  EXPECT_EQ(Table(SuccessText("a", Result(), {}, false)),
            "  variant  hidden  vector_registers  time\n"
            "  wave32        9                24     0\n"
            "  wave64        9               128     0\n");
}

TEST(SuccessText, AFigureThatAResultLacksIsADash) {
  TargetResult result = Result();
  *result.mutable_variants(1)->mutable_statistics() = PackStatistics({{"time", 7}});
  EXPECT_EQ(Table(SuccessText("a", result, Target(), false)),
            "  variant  vregs  time\n"
            "  wave32      24     -\n"
            "  wave64       -     7\n");
}

// Whatever a service sends stays on its line, without controls.
TEST(Texts, StringsOfAServiceArePrintable) {
  const std::string bad = "a\n\x1b[31m", shown = "a\\x0a\\x1b[31m";
  Capabilities::TargetInfo target = Target();
  target.mutable_statistics(0)->set_header(bad);
  TargetResult result = Result();
  result.set_target(bad);
  result.set_stage(bad);
  result.set_loadable_by(bad);
  result.mutable_variants(0)->set_name(bad);
  const std::string success = SuccessText("f", result, target, false);
  EXPECT_EQ(success.substr(0, success.find("ok")), "f  " + shown + "  " + shown + "  ");
  EXPECT_NE(success.find("  loadable by " + shown + "\n"), std::string::npos) << success;
  EXPECT_EQ(Table(success),
            "  variant        a\\x0a\\x1b[31m  time\n"
            "  a\\x0a\\x1b[31m             24     -\n"
            "  wave64                   128     -\n");
  EXPECT_EQ(FiguresText(result.variants(1), target), shown + " 128, time -");
  result.set_status(TargetResult::REFUSED);
  EXPECT_EQ(FailureText("f", result, false, Why::kLeaveOut).substr(0, 20),
            ("f: " + shown + ": refused").substr(0, 20));
}

TEST(FiguresText, IsTheTableOnALine) {
  EXPECT_EQ(FiguresText(Result().variants(0), Target()), "vregs 24, time -");
}

}  // namespace
}  // namespace kiln::client
