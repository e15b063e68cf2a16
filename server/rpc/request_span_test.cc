// Tests what the span of a request tells: its name and kind, its status, and its results.
#include "server/rpc/request_span.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "server/trace/testing.h"

namespace kiln::server {
namespace {

using kiln::v1::TargetResult;
using Method = metrics::Metrics::Method;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr char kParent[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

// Returns an answer whose result has `bytes` of code, of a shader of the stage.
Answer Result(TargetResult::Status status, const char* stage, uint32_t bytes) {
  cache::ResultTag tag;
  tag.stage = cache::StageIndex(stage);
  tag.bytes = bytes;
  Answer answer;
  answer.ready.status = status;
  answer.ready.bytes = cache::SharedBytes::Make(
      1, [](char* to) { *to = 0; }, tag);
  return answer;
}

class RequestSpanTest : public testing::Test {
 protected:
  trace::ExportedSpan End(const RequestEnd& end) {
    EndTrace(end, kept_.Begin().get());
    std::vector<trace::ExportedSpan> spans = kept_.Spans();
    EXPECT_EQ(spans.size(), 1u);
    return spans.empty() ? trace::ExportedSpan() : spans[0];
  }
  std::shared_ptr<trace::Trace> Begin(const Headers& headers) {
    const trace::Tracer tracer({}, kept_.exporter());
    return BeginTrace(&tracer, headers);
  }

  trace::KeptSpans kept_;
};

TEST_F(RequestSpanTest, HeadersDecideWhetherThereIsATrace) {
  EXPECT_EQ(BeginTrace(nullptr, {{"traceparent", kParent}}), nullptr);
  EXPECT_EQ(Begin({}), nullptr);
  EXPECT_EQ(Begin({{"traceparent", kParent}, {"traceparent", kParent}}), nullptr);
  const auto traced =
      Begin({{"traceparent", kParent}, {"tracestate", "a=1"}, {"tracestate", "b=2"}});
  ASSERT_NE(traced, nullptr);
  EXPECT_EQ(trace::Hex(traced->context().trace), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(traced->context().state, "a=1,b=2");
}

TEST_F(RequestSpanTest, OneResultIsToldByTheSpanItself) {
  const std::vector<std::string> targets = {"tgl"};
  Reply reply;
  reply.answers = {Result(TargetResult::OK, "compute", 1656)};
  reply.answers[0].tier = kiln::v1::CACHE_DISK;
  reply.answers[0].key[0] = 0xab;
  const auto span = End({Method::kCompile, absl::StatusCode::kOk, "r-1", &targets, &reply, 2000});
  EXPECT_EQ(span.name, "kiln.v1.Compiler/Compile");
  EXPECT_EQ(span.kind, static_cast<int>(trace::Kind::kServer));
  EXPECT_FALSE(span.failed);
  EXPECT_THAT(span.attributes,
              UnorderedElementsAre(Pair("rpc.system.name", "grpc"),
                                   Pair("rpc.method", "kiln.v1.Compiler/Compile"),
                                   Pair("rpc.status_code", "OK"), Pair("kiln.request_id", "r-1"),
                                   Pair("kiln.response.bytes", "2000"), Pair("kiln.target", "tgl"),
                                   Pair("kiln.result", "ok"), Pair("kiln.cache", "disk"),
                                   Pair("kiln.code.bytes", "1656"), Pair("kiln.stage", "compute"),
                                   Pair("kiln.key", "ab" + std::string(62, '0'))));
  EXPECT_TRUE(span.events.empty());
}

TEST_F(RequestSpanTest, SeveralResultsAreAnEventEach) {
  const std::vector<std::string> targets = {"tgl", "gfx1030"};
  Reply reply;
  reply.answers = {Result(TargetResult::OK, "vertex", 8), Answer()};
  reply.answers[1].ready.status = TargetResult::CRASHED;
  reply.answers[1].quarantined = true;
  const auto span = End({Method::kItem, absl::StatusCode::kOk, "", &targets, &reply, 10});
  EXPECT_EQ(span.name, "item");
  EXPECT_EQ(span.kind, static_cast<int>(trace::Kind::kInternal));
  EXPECT_THAT(span.attributes, UnorderedElementsAre(Pair("rpc.status_code", "OK"),
                                                    Pair("kiln.response.bytes", "10")));
  ASSERT_EQ(span.events.size(), 2u);
  EXPECT_EQ(span.events[0].name, "kiln.result");
  EXPECT_THAT(span.events[0].attributes,
              UnorderedElementsAre(Pair("kiln.target", "tgl"), Pair("kiln.result", "ok"),
                                   Pair("kiln.cache", "miss"), Pair("kiln.code.bytes", "8"),
                                   Pair("kiln.stage", "vertex")));
  EXPECT_THAT(span.events[1].attributes,
              UnorderedElementsAre(Pair("kiln.target", "gfx1030"), Pair("kiln.result", "crashed"),
                                   Pair("kiln.cache", "quarantine"), Pair("kiln.code.bytes", "0")));
}

TEST_F(RequestSpanTest, EachOriginOfAResultHasItsName) {
  const std::vector<std::string> targets(5, "tgl");
  Reply reply;
  reply.answers.resize(5);
  reply.answers[0].tier = kiln::v1::CACHE_MEMORY;
  reply.answers[1].tier = kiln::v1::CACHE_DISK;
  reply.answers[2].tier = kiln::v1::CACHE_COALESCED;
  reply.answers[3].tier = kiln::v1::CACHE_MISS;
  reply.answers[4].ready.status = TargetResult::NOT_CACHED;
  const auto span = End({Method::kCompile, absl::StatusCode::kOk, "", &targets, &reply, 0});
  std::vector<std::string> origins;
  for (const auto& event : span.events) origins.push_back(event.attributes.at("kiln.cache"));
  EXPECT_THAT(origins, testing::ElementsAre("memory", "disk", "coalesced", "miss", "probe"));
}

// Codes count as errors by OpenTelemetry's conventions: if they are the server's doing.
TEST_F(RequestSpanTest, OnlyTheServersErrorsAreErrors) {
  const std::vector<std::pair<absl::StatusCode, bool>> codes = {
      {absl::StatusCode::kUnavailable, true},
      {absl::StatusCode::kDeadlineExceeded, true},
      {absl::StatusCode::kInvalidArgument, false},
      {absl::StatusCode::kCancelled, false},
      {absl::StatusCode::kResourceExhausted, false}};
  Reply reply;
  reply.status = absl::UnavailableError("queue full");
  for (const auto& [code, failed] : codes) {
    EndTrace({Method::kCompileStream, code, "", nullptr, &reply, 0}, kept_.Begin().get());
  }
  const auto spans = kept_.Spans();
  ASSERT_EQ(spans.size(), codes.size());
  for (size_t i = 0; i < codes.size(); ++i) {
    const std::string name = absl::StatusCodeToString(codes[i].first);
    EXPECT_EQ(spans[i].name, "kiln.v1.Compiler/CompileStream");
    EXPECT_EQ(spans[i].failed, codes[i].second) << name;
    EXPECT_EQ(spans[i].attributes.at("rpc.status_code"), name);
    EXPECT_EQ(spans[i].attributes.count("error.type"), codes[i].second ? 1u : 0u) << name;
    EXPECT_EQ(spans[i].attributes.count("kiln.response.bytes"), 0u) << "there is no response";
  }
}

}  // namespace
}  // namespace kiln::server
