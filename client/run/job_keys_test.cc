#include "client/run/job_keys.h"

#include <string>

#include "gtest/gtest.h"

namespace kiln::client::run {
namespace {

constexpr Key kKeys[] = {
    {"any", Form::kAny},       {"count", Form::kCount, 9, 2}, {"int", Form::kInt32},
    {"number", Form::kNumber}, {"bool", Form::kBool},         {"text", Form::kText},
    {"list", Form::kList},     {"object", Form::kObject},
};

std::string Said(const std::string& text) {
  return std::string(CheckKeys(nlohmann::json::parse(text), kKeys, "thing").message());
}

TEST(JobKeys, ValuesOfTheirForms) {
  EXPECT_EQ(Said("{}"), "");
  EXPECT_EQ(Said(R"({"any": null, "count": 2, "int": -2147483648, "number": 1.5, "bool": false,
                     "text": "", "list": [], "object": {}})"),
            "");
  EXPECT_EQ(Said(R"({"count": 9, "int": 2147483647})"), "");
}

TEST(JobKeys, OtherValuesAreNamed) {
  EXPECT_EQ(Said(R"({"count": 1})"), "thing: \"count\": must be a whole number from 2 to 9, not 1");
  EXPECT_EQ(Said(R"({"count": 10})"),
            "thing: \"count\": must be a whole number from 2 to 9, not 10");
  const std::string whole =
      "thing: \"int\": must be a whole number from -2147483648 to 2147483647, not ";
  EXPECT_EQ(Said(R"({"int": 2147483648})"), whole + "2147483648");
  EXPECT_EQ(Said(R"({"int": -2147483649})"), whole + "-2147483649");
  EXPECT_EQ(Said(R"({"int": 18446744073709551615})"), whole + "18446744073709551615");
  EXPECT_EQ(Said(R"({"int": 1.0})"), whole + "1.0");
  EXPECT_EQ(Said(R"({"number": "1"})"), "thing: \"number\": must be a number, not \"1\"");
  EXPECT_EQ(Said(R"({"bool": 1})"), "thing: \"bool\": must be true or false, not 1");
  EXPECT_EQ(Said(R"({"list": {}})"), "thing: \"list\": must be a list, not {}");
  EXPECT_EQ(Said(R"({"object": []})"), "thing: \"object\": must be an object, not []");
  EXPECT_NE(Said(R"({"text": 1})").find("thing: \"text\""), std::string::npos);
}

TEST(JobKeys, UnknownKeysAndNoObjects) {
  EXPECT_EQ(
      Said(R"({"cuont": 2})"),
      "thing: unknown key \"cuont\"; there are any, count, int, number, bool, text, list, object"
      "; did you mean count?");
  EXPECT_EQ(Said("[]"), "thing is not a JSON object");
}

}  // namespace
}  // namespace kiln::client::run
