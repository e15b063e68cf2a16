// Tests trace contexts with the cases of the W3C recommendation and with hostile ones.
#include "server/trace/context.h"

#include <gtest/gtest.h>

#include <set>

namespace kiln::trace {
namespace {

constexpr char kTrace[] = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr char kSpan[] = "00f067aa0ba902b7";

std::string Parent(std::string_view version, std::string_view trace, std::string_view span,
                   std::string_view flags, std::string_view rest = "") {
  std::string text;
  for (const std::string_view part : {version, trace, span, flags}) {
    if (!text.empty()) text += "-";
    text += part;
  }
  return text + std::string(rest);
}

TEST(TraceContextTest, ReadsAndWritesVersionZero) {
  const std::string text = Parent("00", kTrace, kSpan, "01");
  const std::optional<Context> context = ParseTraceparent(text);
  ASSERT_TRUE(context.has_value());
  EXPECT_EQ(Hex(context->trace), kTrace);
  EXPECT_EQ(Hex(context->span), kSpan);
  EXPECT_TRUE(context->sampled());
  EXPECT_EQ(FormatTraceparent(*context), text);
  EXPECT_FALSE(ParseTraceparent(Parent("00", kTrace, kSpan, "00"))->sampled());
  // Other flags are not known, and not passed on.
  EXPECT_FALSE(ParseTraceparent(Parent("00", kTrace, kSpan, "fc"))->sampled());
  EXPECT_EQ(ParseTraceparent(Parent("00", kTrace, kSpan, "ff"))->flags, kSampled | kRandom);
}

TEST(TraceContextTest, ReadsLaterVersionsAsFarAsItKnowsThem) {
  EXPECT_TRUE(ParseTraceparent(Parent("01", kTrace, kSpan, "01")).has_value());
  EXPECT_TRUE(ParseTraceparent(Parent("cc", kTrace, kSpan, "01", "-what-the-future-brings")));
  EXPECT_TRUE(ParseTraceparent(Parent("fe", kTrace, kSpan, "01", "-")).has_value());
  EXPECT_FALSE(ParseTraceparent(Parent("cc", kTrace, kSpan, "01", ".rest")).has_value());
  EXPECT_FALSE(ParseTraceparent(Parent("cc", kTrace, kSpan, "01", "0")).has_value());
}

TEST(TraceContextTest, IgnoresWhatIsNotValid) {
  const std::string zeros(32, '0'), good = Parent("00", kTrace, kSpan, "01");
  for (const std::string& bad : std::vector<std::string>{
           "",
           "-",
           "00",
           "00-",
           std::string(55, '-'),
           std::string(55, '0'),
           std::string("\0\0", 2),
           std::string(100000, 'a'),
           Parent("00", kTrace, kSpan, "01", "-"),    // version 00 ends there
           Parent("00", kTrace, kSpan, "01", "-00"),  //
           Parent("00", kTrace, kSpan, "01", " "),    //
           Parent("00", kTrace, kSpan, "1"),          // too short
           Parent("00", kTrace, kSpan, ""),           //
           Parent("ff", kTrace, kSpan, "01"),         // a version that is not allowed
           Parent("0", kTrace, kSpan, "010"),         //
           Parent(".0", kTrace, kSpan, "01"),         //
           Parent("00", zeros, kSpan, "01"),          //
           Parent("00", kTrace, zeros.substr(16), "01"),
           Parent("00", "4BF92F3577B34DA6A3CE929D0E0E4736", kSpan, "01"),  // upper case
           Parent("00", kTrace, "00F067AA0BA902B7", "01"),
           Parent("00", kTrace, kSpan, "0A"),
           Parent("00", "4bf92f3577b34da6a3ce929d0e0e473", "000f067aa0ba902b7", "01"),
           Parent("00", "4bf92f3577b34da6a3ce929d0e0e473.", kSpan, "01"),
           Parent("00", kTrace, "00f067aa0ba902b\xff", "01"),
           " " + good,
           good + "\n",
           good + "," + good}) {
    EXPECT_FALSE(ParseTraceparent(bad).has_value()) << bad.substr(0, 100);
  }
  // A change of any character by any other gives nothing, or what the characters say.
  for (size_t i = 0; i < good.size(); ++i) {
    for (int c = 0; c < 256; ++c) {
      std::string changed = good;
      changed[i] = static_cast<char>(c);
      const auto context = ParseTraceparent(changed);
      if (context.has_value()) {
        EXPECT_EQ(FormatTraceparent(*context).substr(2, 50), changed.substr(2, 50));
      }
    }
    EXPECT_FALSE(ParseTraceparent(good.substr(0, i)).has_value());
  }
}

TEST(TraceContextTest, PassesOnAValidTracestate) {
  EXPECT_EQ(CheckedTracestate(""), "");
  EXPECT_EQ(CheckedTracestate("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"),
            "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE");
  EXPECT_EQ(CheckedTracestate(" a=1 ,, \tb=2,"), "a=1,b=2");
  EXPECT_EQ(CheckedTracestate("0tenant@system=a b!~"), "0tenant@system=a b!~");
  EXPECT_EQ(CheckedTracestate(std::string(256, 'k') + "=v").size(), 258u);
  std::string full;
  for (int i = 0; i < 32; ++i) full += "k" + std::to_string(i) + "=v,";
  EXPECT_EQ(CheckedTracestate(full), full.substr(0, full.size() - 1));
  for (const std::string& bad :
       std::vector<std::string>{"a",
                                "=1",
                                "a=",
                                "A=1",
                                "1a=1",
                                "a=1=2",
                                "a=\x01",
                                "a=\xe2\x82\xac",
                                "a=1,a=2",
                                "a=1,b",
                                "@a=1",
                                "a@=1",
                                "a@1b=1",
                                "a@" + std::string(15, 's') + "=1",
                                "a b=1",
                                full + "one=more",
                                std::string(257, 'k') + "=v",
                                "k=" + std::string(257, 'v'),
                                "k=" + std::string(256, 'v') + ",l=" + std::string(256, 'v'),
                                std::string("a=1\0", 4)}) {
    EXPECT_EQ(CheckedTracestate(bad), "") << bad;
  }
}

TEST(TraceContextTest, NewContextsDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const Context context = NewContext(i % 2 == 1);
    EXPECT_EQ(context.sampled(), i % 2 == 1);
    EXPECT_TRUE(seen.insert(Hex(context.trace)).second);
    EXPECT_TRUE(seen.insert(Hex(context.span)).second);
    EXPECT_TRUE(ParseTraceparent(FormatTraceparent(context)).has_value());
  }
}

}  // namespace
}  // namespace kiln::trace
