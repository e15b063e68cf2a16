// Tests that only the library's own words of a message are kept.
#include "server/log/library_message.h"

#include <gtest/gtest.h>

namespace kiln::log {
namespace {

TEST(LibraryMessageTest, OnlyTheFirstWords) {
  EXPECT_EQ(ConstantPart("Error parsing metadata: error=invalid value key=te value=SECRET"),
            "Error parsing metadata");
  EXPECT_EQ(ConstantPart("Base64 decoding failed, input string:\nSECRET\n"), "Base");
  EXPECT_EQ(ConstantPart("skipping unparseable HTTP CONNECT header: SECRET"),
            "skipping unparseable HTTP CONNECT header");
  EXPECT_EQ(ConstantPart("it's \"SECRET\""), "it's");
  EXPECT_EQ(ConstantPart("\x1b[31mSECRET"), "");
  EXPECT_EQ(ConstantPart("\xc3\xa4SECRET"), "");
  EXPECT_EQ(ConstantPart(""), "");
  EXPECT_EQ(ConstantPart(std::string(5000, 'a')).size(), kMaxConstantBytes);
}

TEST(LibraryMessageTest, AssertionsAreTheSourcesOwn) {
  EXPECT_EQ(ConstantPart("assertion failed: r == 0"), "assertion failed: r == 0");
}

TEST(LibraryMessageTest, TheEndOfThePath) {
  EXPECT_EQ(SourceLine("./src/core/lib/surface/call.cc", 12), "lib/surface/call.cc:12");
  EXPECT_EQ(SourceLine("/a.cc", 1), "/a.cc:1");
  EXPECT_EQ(SourceLine("a.cc", 1), "a.cc:1");
  EXPECT_EQ(SourceLine("", 0), ":0");
}

}  // namespace
}  // namespace kiln::log
