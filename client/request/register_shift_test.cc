#include "client/request/register_shift.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::client {
namespace {

using Shift = kiln::v1::GlslSource::RegisterShift;
using testing::HasSubstr;

std::string Error(const std::vector<std::string>& texts) {
  return std::string(ParseRegisterShifts(texts).status().message());
}

TEST(RegisterShift, KindsNumbersAndSpaces) {
  const auto shifts = ParseRegisterShifts({"b:0", "t:16", "s:65534:0", "u:7:62"});
  ASSERT_TRUE(shifts.ok()) << shifts.status();
  ASSERT_EQ(shifts->size(), 4u);
  EXPECT_EQ((*shifts)[0].kind(), Shift::B);
  EXPECT_FALSE((*shifts)[0].has_space());
  EXPECT_EQ((*shifts)[1].kind(), Shift::T);
  EXPECT_EQ((*shifts)[1].shift(), 16u);
  EXPECT_EQ((*shifts)[2].kind(), Shift::S);
  EXPECT_TRUE((*shifts)[2].has_space());
  EXPECT_EQ((*shifts)[2].space(), 0u);
  EXPECT_EQ((*shifts)[3].kind(), Shift::U);
  EXPECT_EQ((*shifts)[3].space(), 62u);
  std::vector<std::string> texts;
  for (const Shift& shift : *shifts) texts.push_back(RegisterShiftText(shift));
  EXPECT_THAT(texts, testing::ElementsAre("b:0", "t:16", "s:65534:0", "u:7:62"));
}

TEST(RegisterShift, ErrorsQuoteTheText) {
  for (const char* wrong : {"", "t", "t:", "x:1", "t:a", "t:1:", "t:1:2:3", "tt:1", "t:-1"}) {
    EXPECT_THAT(Error({wrong}), HasSubstr(std::string(wrong) + ": must be KIND:N")) << wrong;
  }
  EXPECT_THAT(Error({"t:65535"}), HasSubstr("N is at most 65534"));
  EXPECT_THAT(Error({"t:1:63"}), HasSubstr("SPACE is at most 62"));
  EXPECT_EQ(Error({"t:1", "t:1:0", "t:2"}), "t:2: this kind and space have a shift already");
}

}  // namespace
}  // namespace kiln::client
