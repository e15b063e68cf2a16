// Compact JSON: commas, escapes and numbers as nlohmann's writer has them.
#include "client/output/json_writer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kiln::client {
namespace {

TEST(JsonWriter, CommasStandBetweenMembersAndElements) {
  std::string text;
  JsonWriter json(&text);
  json.BeginObject();
  json.IntMember("a", -3);
  json.Key("b");
  json.BeginArray();
  json.EndArray();
  json.Key("c");
  json.BeginArray();
  for (int i = 0; i < 2; ++i) {
    json.BeginObject();
    json.StringMember("d", "x");
    json.DecimalMember("e", 15, 1);
    json.EndObject();
  }
  json.String("y");
  json.EndArray();
  json.IntMember("f", 0);
  json.Key("g");
  json.Raw("{\"h\":true}");
  json.EndObject();
  EXPECT_EQ(text, R"({"a":-3,"b":[],"c":[{"d":"x","e":1.5},{"d":"x","e":1.5},"y"],"f":0,)"
                  R"("g":{"h":true}})");
}

TEST(JsonWriter, StringsAreEscapedAsByTheLibrary) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  for (const std::string& value :
       {all, std::string(), std::string("plain text"), std::string("\"\\/\x7f"),
        std::string("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\xa5"), std::string("\xc3"),
        std::string("nul\0 inside", 11)}) {
    std::string text;
    JsonWriter(&text).String(value);
    EXPECT_EQ(text,
              nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
}

// Milliseconds to a microsecond and microseconds to a tenth, as in result lines.
TEST(JsonWriter, DecimalsAreTheLibrarysNumbers) {
  uint64_t n = 1;
  for (int i = 0; i < 20000; ++i) {
    n = n * 6364136223846793005u + 1442695040888963407u;
    for (const int64_t units : {static_cast<int64_t>(n >> (20 + n % 40)), int64_t{i}}) {
      for (const int digits : {1, 3}) {
        std::string text;
        JsonWriter(&text).Decimal(units, digits);
        ASSERT_EQ(text,
                  nlohmann::json(static_cast<double>(units) / (digits == 1 ? 10 : 1000)).dump());
      }
    }
  }
}

}  // namespace
}  // namespace kiln::client
