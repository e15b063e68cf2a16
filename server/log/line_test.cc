// Tests one line of the log: what is quoted, that no value forges a line, lengths.
#include "server/log/line.h"

#include <gtest/gtest.h>

#include <string>

namespace kiln::log {
namespace {

const absl::Time kTime = absl::FromUnixMillis(1'700'000'000'123);

std::string Text(const std::vector<Field>& fields) {
  return FormatLine(Format::kText, kTime, Level::kInfo, "e", fields);
}
std::string Json(const std::vector<Field>& fields) {
  return FormatLine(Format::kJson, kTime, Level::kInfo, "e", fields);
}

TEST(LineTest, TextAndJson) {
  const std::vector<Field> fields = {{"address", "127.0.0.1:7411"},
                                     {"empty", ""},
                                     {"words", "two words"},
                                     {"n", -3},
                                     {"big", ~0ull},
                                     {"yes", true},
                                     {"ran_seconds", absl::Milliseconds(1500)}};
  EXPECT_EQ(FormatLine(Format::kText, kTime, Level::kWarning, "event_name", fields),
            "time=2023-11-14T22:13:20.123Z level=warning event=event_name address=127.0.0.1:7411 "
            "empty=\"\" words=\"two words\" n=-3 big=18446744073709551615 yes=true "
            "ran_seconds=1.500\n");
  EXPECT_EQ(FormatLine(Format::kJson, kTime, Level::kError, "event_name", fields),
            "{\"time\":\"2023-11-14T22:13:20.123Z\",\"level\":\"error\",\"event\":\"event_name\","
            "\"address\":\"127.0.0.1:7411\",\"empty\":\"\",\"words\":\"two words\",\"n\":-3,"
            "\"big\":18446744073709551615,\"yes\":true,\"ran_seconds\":1.500}\n");
}

TEST(LineTest, NoValueForgesALineOrAField) {
  EXPECT_NE(Text({{"v", "a\nevent=b"}}).find(" v=\"a\\x0aevent=b\"\n"), std::string::npos);
  EXPECT_NE(Text({{"v", "a\" b=\"c\\"}}).find(" v=\"a\\\" b=\\\"c\\\\\"\n"), std::string::npos);
  EXPECT_NE(Text({{"v", "a=b"}}).find(" v=\"a=b\"\n"), std::string::npos);
  EXPECT_NE(Text({{"v", "\x1b[2J\x7f"}}).find("\"\\x1b[2J\\x7f\""), std::string::npos);
  EXPECT_NE(Text({{"v", "\xe2\x80\xa8"}}).find("\"\\xe2\\x80\\xa8\""), std::string::npos);
  EXPECT_NE(Json({{"v", "a\"\n\\"}}).find("\"v\":\"a\\\"\\u000a\\\\\"}\n"), std::string::npos);
  EXPECT_NE(Json({{"v", "\xc3\xa4"}}).find("\"v\":\"\\u00e4\"}"), std::string::npos);
  EXPECT_NE(Json({{"v", "\xf0\x9f\x98\x80"}}).find("\"\\ud83d\\ude00\"}"), std::string::npos);
  EXPECT_NE(Json({{"v", "\xff!"}}).find("\"v\":\"\\\\xff!\"}"), std::string::npos);
}

TEST(LineTest, EveryByteGivesOnePrintableLine) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  for (const std::string& line : {Text({{"v", all}}), Json({{"v", all}})}) {
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    for (char c : line.substr(0, line.size() - 1)) EXPECT_TRUE(c >= 0x20 && c < 0x7f) << line;
  }
}

// C1 controls (a terminal's CSI is U+009B), direction marks, line separators, tags.
TEST(LineTest, NoCharacterIsObeyedOrHidden) {
  for (const char* bad : {"\xc2\x9b"  // NOLINT(bugprone-suspicious-missing-comma)
                          "31m",
                          "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\xa8", "\xd8\x9c",
                          "\xef\xbb\xbf", "\xf3\xa0\x81\x81"}) {
    for (const std::string& line : {Text({{"v", bad}}), Json({{"v", bad}})}) {
      for (char c : line) EXPECT_TRUE(static_cast<unsigned char>(c) < 0x7f) << line;
    }
  }
}

TEST(LineTest, LengthIsBounded) {
  const std::string one = Text({{"v", std::string(5000, 'x')}, {"w", 1}});
  EXPECT_LT(one.size(), kMaxValueBytes + 100);
  EXPECT_NE(one.find("xxx... w=1\n"), std::string::npos) << one;
  // The worst case of each format: an escape makes four bytes of one, or six.
  const std::vector<Field> many(40, Field("key", std::string(kMaxValueBytes, '\x01')));
  for (const std::string& line : {Text(many), Json(many)}) {
    EXPECT_LE(line.size(), kMaxLineBytes);
    EXPECT_GT(line.size(), kMaxLineBytes / 8);
    EXPECT_EQ(line.find('\n'), line.size() - 1);
  }
  EXPECT_NE(Text(many).find(" cut=true\n"), std::string::npos);
  EXPECT_NE(Json(many).find(",\"cut\":true}\n"), std::string::npos);
}

}  // namespace
}  // namespace kiln::log
