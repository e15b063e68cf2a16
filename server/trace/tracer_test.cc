// Tests which requests are traced, and how spans hang together.
#include "server/trace/tracer.h"

#include <gtest/gtest.h>

#include "server/trace/testing.h"

namespace kiln::trace {
namespace {

constexpr char kSampledParent[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
constexpr char kUnsampledParent[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

Sampling OneOf(double ratio) {
  Sampling sampling;
  sampling.ratio = ratio;
  return sampling;
}

class TracerTest : public testing::Test {
 protected:
  std::shared_ptr<Trace> Begin(Sampling sampling, const std::vector<std::string>& parent,
                               const std::vector<std::string>& state = {}) {
    return Tracer(sampling, kept_.exporter()).Begin(parent, state);
  }

  KeptSpans kept_;
};

TEST_F(TracerTest, TheParentDecides) {
  EXPECT_NE(Begin({}, {kSampledParent}), nullptr);
  EXPECT_EQ(Begin({}, {kUnsampledParent}), nullptr);
  EXPECT_EQ(Begin(OneOf(1), {kUnsampledParent}), nullptr);
  EXPECT_NE(Begin(OneOf(0), {kSampledParent}), nullptr);
  EXPECT_EQ(Begin({.by_parent = false, .ratio = 0}, {kSampledParent}), nullptr);
  EXPECT_NE(Begin({.by_parent = false, .ratio = 1}, {kUnsampledParent}), nullptr);
}

TEST_F(TracerTest, WithoutAParentTheRatioDecides) {
  EXPECT_EQ(Begin({}, {}), nullptr);
  EXPECT_NE(Begin(OneOf(1), {}), nullptr);
  // Damaged ones, and two, count as none.
  EXPECT_EQ(Begin({}, {"00-zz"}), nullptr);
  EXPECT_EQ(Begin({}, {kSampledParent, kSampledParent}), nullptr);
  const auto own = Begin(OneOf(1), {std::string("garbage\0\xff", 9)}, {"a=1"});
  ASSERT_NE(own, nullptr);
  EXPECT_NE(Hex(own->context().trace), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(own->context().state, "");  // belongs to the traceparent
  int traced = 0;
  for (int i = 0; i < 4000; ++i) traced += Begin(OneOf(0.25), {}) != nullptr ? 1 : 0;
  EXPECT_GT(traced, 850);  // mean 1000, standard deviation 27
  EXPECT_LT(traced, 1150);
}

TEST_F(TracerTest, TheRatioIsOfTheIdsRandomBytes) {
  TraceId id{};
  EXPECT_FALSE(Tracer::IsIncluded(id, 0));
  EXPECT_TRUE(Tracer::IsIncluded(id, 0.001));
  for (uint8_t& byte : id) byte = 0xff;
  EXPECT_FALSE(Tracer::IsIncluded(id, 0.999));
  EXPECT_TRUE(Tracer::IsIncluded(id, 1));
  id[9] = 0x7f;
  EXPECT_TRUE(Tracer::IsIncluded(id, 0.5));
  EXPECT_FALSE(Tracer::IsIncluded(id, 0.49));
}

TEST_F(TracerTest, StepsAreChildrenOfTheirRequestAndPartsOfTheirStream) {
  const auto stream = Begin({}, {kSampledParent}, {"a=1", "b=2"});
  const auto item = stream->Child();
  { Step step(item.get(), "queue"); }
  Span end;
  end.name = "item";
  item->End(std::move(end));
  Span last;
  last.name = "stream";
  last.kind = Kind::kServer;
  stream->End(std::move(last));
  const std::string text = kept_.Text();
  const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
  const std::string trace = "\"traceId\":\"4bf92f3577b34da6a3ce929d0e0e4736\",\"spanId\":\"";
  const std::string state = "\",\"traceState\":\"a=1,b=2\",\"parentSpanId\":\"";
  EXPECT_TRUE(has(trace + Hex(stream->context().span) + state + "00f067aa0ba902b7"));
  EXPECT_TRUE(has(trace + Hex(item->context().span) + state + Hex(stream->context().span)));
  EXPECT_TRUE(has("\"parentSpanId\":\"" + Hex(item->context().span)));
}

TEST_F(TracerTest, PartsTellTimeByTheirRequestsClock) {
  const absl::Time past = absl::FromUnixSeconds(946684800);  // 2000-01-01
  const Trace request(kept_.exporter(), Context(), SpanId{}, false, SpanClock(past));
  const auto part = request.Child();
  EXPECT_LE(past, request.begun());
  EXPECT_LE(request.begun(), part->begun());
  const absl::Time parts = part->Now();
  EXPECT_LE(part->begun(), parts);
  EXPECT_LE(parts, request.Now());
  EXPECT_LT(request.Now(), past + absl::Hours(1));
}

TEST_F(TracerTest, AStepWithoutATraceDoesNothing) {
  Step step(nullptr, "queue");
  step.Set("kiln.queue", "disk");
  EXPECT_EQ(kept_.exporter()->counters().queued, 0u);
}

}  // namespace
}  // namespace kiln::trace
