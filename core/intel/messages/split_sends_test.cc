// split_sends: see passes.h.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/intel/messages/passes.h"
#include "core/intel/messages/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using isa::Message;
using testing::After;
using testing::AfterWith;
using testing::Sent;

std::string Send(const std::string& operands, const std::string& aux) {
  return absl::StrCat("  %10x4:ud = msg ", operands, " {w8 ", aux, "}\n");
}

TEST(SplitSends, TwoPartsNeedNoCopies) {
  const std::string aux = Sent(Message::kSampleLz, 8);
  const std::string first = "  %11x4:ud = msg %0:ud {w8 " + aux + "}\n";
  EXPECT_EQ(After(first + "  %15x24:ud = collect %11.2x2:ud %0:ud {w8}\n" + Send("%15x24:ud", aux),
                  SplitSends),
            first + Send("%11.2x2:ud %0:ud", aux));
}

TEST(SplitSends, CutsWhereOneHalfIsAValueAlready) {
  const std::string aux = Sent(Message::kSampleLz, 8);
  EXPECT_EQ(After("  %11x4:ud = msg %0:ud {w8 " + aux +
                      "}\n"
                      "  %15x24:ud = collect %1:ud %11.1:ud %11.2:ud {w8}\n" +
                      Send("%15x24:ud", aux),
                  SplitSends),
            "  %11x4:ud = msg %0:ud {w8 " + aux + "}\n" + Send("%1:ud %11.1x2:ud", aux));
}

// A value that was moved for some of the thread's lanes is read where it was, by messages for the
// same lanes.
TEST(SplitSends, ComponentsOfSomeLanesAreReadWhereTheyWere) {
  const std::string aux = Sent(Message::kSampleLz, 8);
  const std::string move = "  %9:ud = mov %1:ud {w8 g8 nomask}\n";
  const std::string collect = "  %15x24:ud = collect %9:ud %13x8:ud {w8 nomask}\n";
  const auto send = [&](const std::string& payload, const char* group) {
    return absl::StrCat("  %10x4:ud = msg ", payload, " {w8 ", group, aux, "}\n");
  };
  EXPECT_EQ(After(move + collect + send("%15x24:ud", "g8 "), SplitSends, 16),
            send("%1:ud %13x8:ud", "g8 "));
  EXPECT_EQ(After(move + collect + send("%15x24:ud", ""), SplitSends, 16),
            move + send("%9:ud %13x8:ud", ""));
}

TEST(SplitSends, CutsAfterTheHeader) {
  const std::string aux = Sent(Message::kGather4, 8, true);
  EXPECT_EQ(After("  %15x24:ud = collect %13x8:ud %0:ud %1:ud {w8}\n" + Send("%15x24:ud", aux),
                  SplitSends),
            "  %16x2:ud = collect %0:ud %1:ud {w8}\n" + Send("%13x8:ud %16x2:ud", aux));
}

// Render targets: colours that lie together need no copy, whatever is appended to them.
TEST(SplitSends, TargetWritesAreCutWhereTheSourceChanges) {
  const std::string colours = "  %11x4:ud = msg %0:ud {w8 " + Sent(Message::kSampleLz, 8) + "}\n";
  const std::string write = " {w8 [target_write bti 1 target 1]}\n";
  EXPECT_EQ(
      After(colours + "  %10x4:ud = collect %11x3:ud %1:ud {w8}\n  msg.target %10x4:ud" + write,
            SplitSends),
      colours + "  msg.target %11x3:ud %1:ud" + write);
  EXPECT_EQ(
      After(colours + "  %10x4:ud = collect %1:ud %11.1x3:ud {w8}\n  msg.target %10x4:ud" + write,
            SplitSends),
      colours + "  msg.target %1:ud %11.1x3:ud" + write);
}

TEST(SplitSends, RenderTargetWritesAreCutAfterTheHeader) {
  const std::string write = " {w8 [target_write header 1 bti 1 target 1]}\n";
  EXPECT_EQ(After("  %15x24:ud = collect %13x8:ud %0:ud %1:ud {w8}\n  msg.target %15x24:ud" + write,
                  SplitSends),
            "  %16x2:ud = collect %0:ud %1:ud {w8}\n  msg.target %13x8:ud %16x2:ud" + write);
}

// The payload that ends the thread lies in the tail of the file, where nothing else does.
TEST(SplitSends, WhatEndsTheThreadStays) {
  const std::string body =
      "  %16x4:ud = collect %0:ud %1:ud %2:ud %0:ud {w8}\n"
      "  msg.target_end %16x4:ud {w8 [target_write last_target 1]}\n";
  EXPECT_EQ(AfterWith("value %16 G 4x4 tail\n", body, SplitSends), body);
}

// URB entries always have a header of handles.
TEST(SplitSends, UrbWritesAreCutAfterTheHandles) {
  const std::string write = " {w8 [urb_write header 1 urb_offset 2]}\n";
  EXPECT_EQ(After("  %15x24:ud = collect %13x8:ud %0:ud %1:ud {w8}\n  msg.urb %15x24:ud" + write,
                  SplitSends),
            "  %16x2:ud = collect %0:ud %1:ud {w8}\n  msg.urb %13x8:ud %16x2:ud" + write);
  // Data that lies together needs no copy.
  const std::string data = "  %11x4:ud = msg %0:ud {w8 " + Sent(Message::kSampleLz, 8) + "}\n";
  EXPECT_EQ(
      After(data + "  %15x24:ud = collect %13x8:ud %11.1x2:ud {w8}\n  msg.urb %15x24:ud" + write,
            SplitSends),
      data + "  msg.urb %13x8:ud %11.1x2:ud" + write);
}

// The exit block writes values of earlier blocks; a payload that they made for the message is
// removed.
TEST(SplitSends, APayloadMadeInABlockAboveGoes) {
  const std::string aux = Sent(Message::kSampleLz, 8);
  EXPECT_EQ(After("  %15x24:ud = collect %0:ud %1:ud %2:ud {w8}\n  -> b1\nblock b1 depth 0\n" +
                      Send("%15x24:ud", aux),
                  SplitSends),
            "  -> b1\nblock b1 depth 0\n  %16x2:ud = collect %1:ud %2:ud {w8}\n" +
                Send("%0:ud %16x2:ud", aux));
}

TEST(SplitSends, SharedPayloadsAndMessagesWithTwoStay) {
  const std::string aux = Sent(Message::kSampleLz, 8);
  const std::string shared = "  %15x24:ud = collect %0:ud %1:ud %2:ud {w8}\n" +
                             Send("%15x24:ud", aux) +
                             absl::StrReplaceAll(Send("%15x24:ud", aux), {{"%10", "%11"}});
  EXPECT_EQ(After(shared, SplitSends), shared);
  const std::string two =
      "  %15x24:ud = collect %0:ud %1:ud %2:ud {w8}\n" + Send("%0:ud %15x24:ud", aux);
  EXPECT_EQ(After(two, SplitSends), two);
}

TEST(SplitSends, TheDescriptorKeepsItsPlace) {
  const std::string aux = Sent(Message::kLdLz, 8, false, true);
  EXPECT_EQ(After("  %15x24:ud = collect %0:ud %1:ud %2:ud {w8}\n" + Send("%15x24:ud %14:ud", aux),
                  SplitSends),
            "  %16x2:ud = collect %1:ud %2:ud {w8}\n" + Send("%0:ud %16x2:ud %14:ud", aux));
}

TEST(SplitSends, TheHandleKeepsItsPlace) {
  const std::string aux = Sent(Message::kLdLz, 8, false, false, true);
  EXPECT_EQ(After("  %15x24:ud = collect %0:ud %1:ud %2:ud {w8}\n" + Send("%15x24:ud %14:ud", aux),
                  SplitSends),
            "  %16x2:ud = collect %1:ud %2:ud {w8}\n" + Send("%0:ud %16x2:ud %14:ud", aux));
}

TEST(SplitSends, EqualHalvesAreMadeOnce) {
  const std::string tail = " {w8 " + Sent(Message::kLdLz, 8) + "}\n";
  EXPECT_EQ(
      After("  %10x4:ud = collect %0:ud %1:ud %2:ud %0:ud {w8}\n  %3:ud = msg %10x4:ud" + tail +
                "  %11x4:ud = collect %1:ud %1:ud %2:ud %0:ud {w8}\n  %4:ud = msg %11x4:ud" + tail,
            SplitSends),
      "  %16x3:ud = collect %1:ud %2:ud %0:ud {w8}\n  %3:ud = msg %0:ud %16x3:ud" + tail +
          "  %4:ud = msg %1:ud %16x3:ud" + tail);
}

TEST(SplitSends, AsksForEachMessage) {
  const std::string aux = Sent(Message::kLdLz, 8);
  const std::string text =
      "  %15x24:ud = collect %0:ud %1:ud %2:ud {w8}\n" + Send("%15x24:ud", aux);
  EXPECT_EQ(After(text, SplitSends, 8, 0), text);
}

}  // namespace
}  // namespace kiln::intel
