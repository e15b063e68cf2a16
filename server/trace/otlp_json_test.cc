// Tests OTLP's JSON form; tests/service/trace_test compares it with the published schema.
#include "server/trace/otlp_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kiln::trace {
namespace {

using Json = nlohmann::json;

Span Sample() {
  Span span;
  span.context = *ParseTraceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-03");
  span.context.state = "a=1";
  span.parent = {1, 2, 3, 4, 5, 6, 7, 0xff};
  span.parent_is_remote = true;
  span.name = "kiln.v1.Compiler/Compile";
  span.kind = Kind::kServer;
  span.start = absl::FromUnixNanos(1544712660000000001);
  span.end = absl::FromUnixNanos(1544712661000000000);
  span.attributes = {{"text", "t"}, {"number", int64_t{1} << 53}, {"flag", false}};
  span.events = {{span.end, "result", {{"text", "\"\n"}}}};
  span.link = Link{span.context.trace, {9, 9, 9, 9, 9, 9, 9, 9}};
  span.failed = true;
  return span;
}

TEST(OtlpJsonTest, HasNamesAndFormsOfTheSchema) {
  const Json request = Json::parse(ToJson({{"service.name", "kilnd"}}, "1.2", {Sample()}));
  EXPECT_EQ(request, Json::parse(R"({"resourceSpans": [{
    "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "kilnd"}}]},
    "scopeSpans": [{"scope": {"name": "kilnd", "version": "1.2"}, "spans": [{
      "traceId": "4bf92f3577b34da6a3ce929d0e0e4736", "spanId": "00f067aa0ba902b7",
      "traceState": "a=1", "parentSpanId": "01020304050607ff", "flags": 771,
      "name": "kiln.v1.Compiler/Compile", "kind": 2,
      "startTimeUnixNano": "1544712660000000001", "endTimeUnixNano": "1544712661000000000",
      "attributes": [{"key": "text", "value": {"stringValue": "t"}},
                     {"key": "number", "value": {"intValue": "9007199254740992"}},
                     {"key": "flag", "value": {"boolValue": false}}],
      "events": [{"timeUnixNano": "1544712661000000000", "name": "result",
                  "attributes": [{"key": "text", "value": {"stringValue": "\"\n"}}]}],
      "links": [{"traceId": "4bf92f3577b34da6a3ce929d0e0e4736", "spanId": "0909090909090909"}],
      "status": {"code": 2}}]}]}]})"));
}

TEST(OtlpJsonTest, LeavesOutWhatHasItsDefault) {
  Span span;
  span.context = NewContext(true);
  span.name = "queue";
  span.start = span.end = absl::FromUnixNanos(7);
  const Json request = Json::parse(ToJson({}, "", {span}));
  const Json& json = request["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
  for (const char* name :
       {"traceState", "parentSpanId", "attributes", "events", "links", "status"}) {
    EXPECT_FALSE(json.contains(name)) << name;
  }
  EXPECT_EQ(json["flags"], 0x103);
  EXPECT_EQ(json["kind"], 1);
}

TEST(OtlpJsonTest, EveryTextMakesValidJson) {
  Span span = Sample();
  span.name = std::string("\xff\xc0\x80\0x\xed\xa0\x80", 8);
  span.attributes = {{"text", std::string("\xf4\x90\x80\x80")}};
  span.end = span.start - absl::Seconds(1);  // the clock was set back
  const Json request = Json::parse(ToJson({{"a", "\xff"}}, "1", {span}));
  const Json& json = request["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
  EXPECT_EQ(json["startTimeUnixNano"], json["endTimeUnixNano"]);
}

TEST(OtlpJsonTest, ReadsWhatTheCollectorRejected) {
  EXPECT_EQ(ReadPartialSuccess("{}").rejected, 0);
  const PartialSuccess partial = ReadPartialSuccess(
      R"({"partialSuccess": {"rejectedSpans": "3", "errorMessage": "too old"}})");
  EXPECT_EQ(partial.rejected, 3);
  EXPECT_EQ(partial.message, "too old");
  EXPECT_EQ(ReadPartialSuccess(R"({"partialSuccess": {"rejectedSpans": 4}})").rejected, 4);
  for (const char* other : {"", "[", "null", "[1]", "\xff", R"({"partialSuccess": null})",
                            R"({"partialSuccess": {"rejectedSpans": {}, "errorMessage": 1}})",
                            R"({"partialSuccess": {"rejectedSpans": "many"}})", "<html></html>"}) {
    EXPECT_EQ(ReadPartialSuccess(other).rejected, 0) << other;
    EXPECT_EQ(ReadPartialSuccess(other).message, "") << other;
  }
  // Deeper than any stack.
  EXPECT_EQ(ReadPartialSuccess(std::string(200000, '[')).rejected, 0);
  const std::string deep = std::string(60000, '[') + std::string(60000, ']');
  EXPECT_EQ(ReadPartialSuccess(deep).rejected, 0);
}

}  // namespace
}  // namespace kiln::trace
