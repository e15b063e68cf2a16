// Specialisation constants, right and wrong.
#include "client/capture/specialization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace kiln::client {
namespace {

using testing::HasSubstr;

// Returns the constants of 8 bytes, 1 to 8, as text, or the error.
std::string Read(const std::string& entries,
                 const std::string& data = "AQIDBAUGBwg=", int bytes = 8) {
  const auto document = EntryDocument::Parse(
      absl::StrCat(R"({"version":6,"x":{"1":{"dataSize":)", bytes, R"(,"data":")", data,
                   R"(","mapEntries":[)", entries, "]}}}"),
      "x", 1);
  EXPECT_TRUE(document.ok()) << document.status();
  const auto constants = ReadSpecialization(document->object());
  if (!constants.ok()) return std::string(constants.status().message());
  std::string text;
  for (const auto& constant : *constants) {
    absl::StrAppend(&text, constant.id(), "=", absl::Hex(constant.bits()), " ");
  }
  return text;
}

TEST(ReadSpecialization, ReadsBitsOfEverySize) {
  EXPECT_EQ(Read(R"({"constantID":9,"offset":0,"size":8},{"constantID":1,"offset":2,"size":4},)"
                 R"({"constantID":2,"offset":7,"size":1},{"constantID":3,"offset":6,"size":2})"),
            "1=6050403 2=8 3=807 9=807060504030201 ");
}

TEST(ReadSpecialization, NoEntriesAreNoConstants) {
  EXPECT_EQ(Read(""), "");
  EXPECT_EQ(Read("", "", 0), "");
}

TEST(ReadSpecialization, TheSameValueTwiceCountsOnce) {
  const std::string entry = R"({"constantID":1,"offset":2,"size":4})";
  EXPECT_EQ(Read(entry + "," + entry), "1=6050403 ");
}

TEST(ReadSpecialization, NamesWhatIsWrong) {
  EXPECT_EQ(Read(R"({"constantID":1,"offset":0,"size":4},{"constantID":1,"offset":4,"size":4})"),
            "constant 1 has two values");
  EXPECT_THAT(Read(R"({"constantID":4,"offset":5,"size":4})"),
              HasSubstr("constant 4 lies outside"));
  EXPECT_THAT(Read(R"({"constantID":4,"offset":4294967295,"size":4})"), HasSubstr("outside"));
  EXPECT_EQ(Read(R"({"constantID":4,"offset":0,"size":3})"), "constant 4 has 3 bytes");
  EXPECT_EQ(Read(R"({"constantID":4,"offset":0,"size":0})"), "constant 4 has 0 bytes");
  EXPECT_THAT(Read("", "A*"), HasSubstr("base64"));
  EXPECT_THAT(Read("", "AQID", 8), HasSubstr("its length"));
}

}  // namespace
}  // namespace kiln::client
