// Refusals as text: what, why, what to do; by daemons with and without reasons.
#include "client/output/reason.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/output/result_text.h"

namespace kiln::client {
namespace {

using kiln::v1::TargetResult;
using testing::HasSubstr;
using testing::Not;

TargetResult Refused(const std::string& cause) {
  TargetResult result;
  result.set_target("tgl");
  result.set_status(TargetResult::REFUSED);
  result.set_cause(cause);
  return result;
}

TEST(Reason, IsComposedOfItsParts) {
  TargetResult result = Refused("shared_memory_too_large");
  result.set_message("bytes of shared memory: 70000, at most 65536");
  result.set_spirv_id(12);
  auto* reason = result.mutable_reason();
  reason->set_sentence("It is too much.");
  reason->set_remedy("Use less.");
  reason->set_what("bytes of shared memory");
  reason->set_seen(70000);
  reason->set_limit(65536);
  reason->set_name("tile");
  reason->set_source_file("blur.comp");
  reason->set_source_line(14);
  EXPECT_EQ(FailureText("a.spv", result, false),
            "a.spv: tgl: refused (shared_memory_too_large): bytes of shared memory: 70000, at most "
            "65536 (%12 \"tile\", blur.comp:14)\n"
            "  why: It is too much.\n"
            "  what to do: Use less.");
  EXPECT_EQ(FailureText("a.spv", result, false, Why::kLeaveOut),
            "a.spv: tgl: refused (shared_memory_too_large): bytes of shared memory: 70000, at most "
            "65536 (%12 \"tile\", blur.comp:14)");
}

TEST(Reason, PartsThatAreNotKnownAreLeftOut) {
  TargetResult result = Refused("float64");
  result.mutable_reason()->set_what("member of a block");
  EXPECT_EQ(BlameText(result), "member of a block");
  result.mutable_reason()->set_capability("Float64");
  result.set_spirv_id(7);
  EXPECT_EQ(BlameText(result), "member of a block [capability Float64] (%7)");
  result.set_spirv_id(0);
  result.mutable_reason()->set_source_file("a.comp");
  result.mutable_reason()->set_source_line(3);
  EXPECT_EQ(BlameText(result), "member of a block [capability Float64] (a.comp:3)");
  result.mutable_reason()->set_limit(5);
  EXPECT_EQ(BlameText(result), "member of a block: more than 5 [capability Float64] (a.comp:3)");
  result.mutable_reason()->set_source_line(0);  // the whole file
  EXPECT_EQ(BlameText(result), "member of a block: more than 5 [capability Float64] (a.comp)");
}

// An id is told once: it may be a part of another one's digits.
TEST(Reason, AnIdThatTheTextHasIsNotToldAgain) {
  TargetResult result = Refused("float64");
  result.set_spirv_id(1);
  const auto blame = [&](const std::string& message) {
    result.set_message(message);
    return BlameText(result);
  };
  EXPECT_EQ(blame("load of %12"), "load of %12 (%1)");
  EXPECT_EQ(blame("load of %1_main"), "load of %1_main (%1)");
  EXPECT_EQ(blame("load of %12 by %1, twice"), "load of %12 by %1, twice");
  EXPECT_EQ(blame("load of %1"), "load of %1");
}

// A record that was cached before there were reasons.
TEST(Reason, AMessageOfAnOlderDaemonIsShownOnceAndExplained) {
  TargetResult result = Refused("float64");
  result.set_message("float64: element [capability Float64] (%12)");
  result.set_spirv_id(12);
  EXPECT_EQ(FailureText("a.spv", result, false),
            "a.spv: tgl: refused (float64): element [capability Float64] (%12)\n"
            "  why: The target has no double precision.\n"
            "  what to do: Use 32-bit floats, or pairs of them where their precision does not "
            "suffice.");
}

TEST(Reason, ACauseThatThisProgramDoesNotKnowIsExplainedByTheDaemon) {
  TargetResult result = Refused("of_next_year");
  EXPECT_EQ(WhyText(result), "");
  result.mutable_reason()->set_sentence("It is new.");
  EXPECT_EQ(WhyText(result), "\n  why: It is new.");
}

TEST(Reason, OfWhatIsInvalidTheMessageSaysAll) {
  TargetResult result = Refused("invalid_module");
  result.set_status(TargetResult::INVALID);
  result.set_message("instruction 5: a mistake");
  result.set_spirv_id(3);
  result.mutable_reason()->set_sentence("It is not valid.");
  result.mutable_reason()->set_name("x");
  EXPECT_EQ(FailureText("a.spv", result, false),
            "a.spv: tgl: invalid (invalid_module): instruction 5: a mistake (%3 \"x\")");
}

// Names are the module's.
TEST(Reason, TextsAreMadePrintable) {
  TargetResult result = Refused("float64");
  result.set_spirv_id(3);
  result.mutable_reason()->set_what("variable");
  result.mutable_reason()->set_name("a\x1b[2J");
  result.mutable_reason()->set_source_file("\x07.comp");
  result.mutable_reason()->set_source_line(1);
  EXPECT_THAT(FailureText("a.spv", result, false), Not(HasSubstr("\x1b")));
  EXPECT_THAT(FailureText("a.spv", result, false), Not(HasSubstr("\x07")));
}

// Returns the lines of a text that are indented by less than a message's.
std::string OwnLines(const std::string& text) {
  std::string own;
  for (const auto line : absl::StrSplit(text, '\n')) {
    if (!absl::StartsWith(line, "    ")) absl::StrAppend(&own, line, "|");
  }
  return own;
}

// An older daemon's results, or another's, have texts as the module has them.
TEST(Reason, NoTextMakesALineOfItsOwn) {
  const std::string hostile = "x\nb.spv: tgl: ok\r\xc2\x85\xe2\x80\xa8\xe2\x80\xae\t\x9b";
  const std::string shown =
      "x\\x0ab.spv: tgl: ok\\x0d\\xc2\\x85\\xe2\\x80\\xa8\\xe2\\x80\\xae\\x09\\x9b";
  TargetResult result = Refused(hostile);
  result.set_spirv_id(3);
  result.set_last_pass(hostile);
  auto* reason = result.mutable_reason();
  reason->set_what(hostile);
  reason->set_capability(hostile);
  reason->set_name(hostile);
  reason->set_source_file(hostile);
  reason->set_source_line(1);
  reason->set_sentence(hostile);
  reason->set_remedy(hostile);
  EXPECT_EQ(FailureText(hostile, result, false),
            absl::StrCat(shown, ": tgl: refused (", shown, "): ", shown, " [capability ", shown,
                         "] (%3 \"", shown, "\", ", shown, ":1) [in pass ", shown,
                         "]\n  why: ", shown, "\n  what to do: ", shown));
}

TEST(Reason, LinesOfAMessageAreIndented) {
  TargetResult result = Refused("invalid_glsl");
  result.set_status(TargetResult::INVALID);
  result.set_message("ERROR: a.comp:4: 'y'\nb.spv: tgl: ok\x1b[2J\r\n\n");
  const std::string text = FailureText("a.comp", result, false);
  EXPECT_EQ(OwnLines(text), "a.comp: tgl: invalid (invalid_glsl): ERROR: a.comp:4: 'y'|");
  EXPECT_THAT(text, HasSubstr("\n    b.spv: tgl: ok\\x1b[2J"));
}

}  // namespace
}  // namespace kiln::client
