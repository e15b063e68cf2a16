// Tests the JSON writer: commas, escapes, numbers.
#include "server/pages/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kiln::pages {
namespace {

TEST(JsonTest, CommasAreBetweenValuesOnly) {
  Json json;
  json.BeginObject().Key("a").BeginArray().Number(1).BeginArray().EndArray().Text("x").EndArray();
  json.Key("b").BeginObject().EndObject().Key("c").Bool(true).EndObject();
  EXPECT_EQ(json.Take(), R"({"a":[1,[],"x"],"b":{},"c":true})");
}

TEST(JsonTest, TextsAreEscaped) {
  Json json;
  json.Text("a\"b\\c\n\x01\xff</script>é");
  EXPECT_EQ(json.Take(), "\"a\\\"b\\\\c\\u000a\\u0001\\\\xff</script>é\"");
}

TEST(JsonTest, WholeNumbersAreExactAndOthersHaveTenDigits) {
  Json json;
  json.BeginArray().Number(9007199254740991.0).Number(0.1).Number(-2.0).Number(uint64_t{1} << 60);
  json.Number(std::nan("")).Number(std::numeric_limits<double>::infinity()).EndArray();
  EXPECT_EQ(json.Take(), "[9007199254740991,0.1,-2,1152921504606846976,null,null]");
}

}  // namespace
}  // namespace kiln::pages
