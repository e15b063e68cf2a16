// Keeps the spans that are exported: see testing.h.
#include "server/trace/testing.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/numbers.h"

namespace kiln::trace {
namespace {

using Json = nlohmann::json;

// Reads a number that OTLP writes as a text.
int64_t NumberOf(const Json& text) {
  int64_t number = -1;
  return absl::SimpleAtoi(text.get<std::string>(), &number) ? number : -1;
}

std::map<std::string, std::string> AttributesOf(const Json& owner) {
  std::map<std::string, std::string> attributes;
  if (!owner.contains("attributes")) return attributes;
  for (const Json& each : owner["attributes"]) {
    const Json& value = each["value"].front();
    attributes[each["key"]] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return attributes;
}

ExportedSpan SpanOf(const Json& json) {
  ExportedSpan span;
  span.name = json["name"];
  span.trace = json["traceId"];
  span.id = json["spanId"];
  span.parent = json.value("parentSpanId", "");
  span.kind = json["kind"];
  span.start = NumberOf(json["startTimeUnixNano"]);
  span.end = NumberOf(json["endTimeUnixNano"]);
  span.failed = json.contains("status");
  span.attributes = AttributesOf(json);
  for (const Json& event : json.value("events", Json::array())) {
    span.events.push_back({event["name"], AttributesOf(event)});
  }
  if (json.contains("links")) {
    span.linked_trace = json["links"][0]["traceId"];
    span.linked_span = json["links"][0]["spanId"];
  }
  return span;
}

}  // namespace

class KeptSpans::Collector final : public Transport {
 public:
  explicit Collector(KeptSpans* to) : to_(to) {}
  Answer Post(const std::string& body, absl::Duration) override {
    absl::MutexLock lock(&to_->mutex_);
    to_->bodies_.push_back(body);
    Answer answer;
    answer.status = 200;
    return answer;
  }
  void EndBy(absl::Time) override {}

 private:
  KeptSpans* const to_;
};

KeptSpans::KeptSpans() : exporter_(Exporter::Options(), std::make_unique<Collector>(this)) {}

std::shared_ptr<Trace> KeptSpans::Begin() {
  return std::make_shared<Trace>(&exporter_, NewContext(true), SpanId{}, false);
}

std::string KeptSpans::Text() {
  exporter_.Stop(absl::Seconds(10));
  absl::MutexLock lock(&mutex_);
  std::string text;
  for (const std::string& body : bodies_) text += body;
  return text;
}

std::vector<ExportedSpan> KeptSpans::Spans() {
  exporter_.Stop(absl::Seconds(10));
  absl::MutexLock lock(&mutex_);
  std::vector<ExportedSpan> spans;
  for (const std::string& body : bodies_) {
    const Json document = Json::parse(body);
    for (const Json& span : document["resourceSpans"][0]["scopeSpans"][0]["spans"]) {
      spans.push_back(SpanOf(span));
    }
  }
  return spans;
}

}  // namespace kiln::trace
