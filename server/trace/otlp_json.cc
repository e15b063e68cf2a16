// Writes spans as OTLP's JSON and reads the answer: see otlp_json.h.
#include "server/trace/otlp_json.h"

#include <nlohmann/json.hpp>

#include "absl/strings/numbers.h"

namespace kiln::trace {
namespace {

using Json = nlohmann::ordered_json;

// Bits of Span.flags beside the trace's flags: it is known whether the parent is remote; it is.
constexpr uint32_t kKnowsRemote = 0x100, kIsRemote = 0x200;
constexpr int kStatusError = 2;

std::string Nanoseconds(absl::Time time) { return std::to_string(absl::ToUnixNanos(time)); }

Json AnyValue(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return {{"stringValue", *text}};
  if (const auto* number = std::get_if<int64_t>(&value)) {
    return {{"intValue", std::to_string(*number)}};
  }
  return {{"boolValue", std::get<bool>(value)}};
}

Json KeyValue(std::string_view key, const Value& value) {
  return {{"key", std::string(key)}, {"value", AnyValue(value)}};
}

// Returns the attributes as a list of KeyValue.
Json ListOf(const Attributes& attributes) {
  Json list = Json::array();
  for (const auto& [key, value] : attributes) list.push_back(KeyValue(key, value));
  return list;
}

Json EventOf(const Event& event) {
  Json json = {{"timeUnixNano", Nanoseconds(event.time)}, {"name", std::string(event.name)}};
  if (!event.attributes.empty()) json["attributes"] = ListOf(event.attributes);
  return json;
}

Json SpanOf(const Span& span) {
  Json json = {{"traceId", Hex(span.context.trace)}, {"spanId", Hex(span.context.span)}};
  if (!span.context.state.empty()) json["traceState"] = span.context.state;
  if (span.parent != SpanId{}) json["parentSpanId"] = Hex(span.parent);
  json["flags"] = span.context.flags | kKnowsRemote | (span.parent_is_remote ? kIsRemote : 0);
  json["name"] = span.name;
  json["kind"] = static_cast<int>(span.kind);
  json["startTimeUnixNano"] = Nanoseconds(span.start);
  json["endTimeUnixNano"] = Nanoseconds(std::max(span.start, span.end));
  if (!span.attributes.empty()) json["attributes"] = ListOf(span.attributes);
  for (const Event& event : span.events) json["events"].push_back(EventOf(event));
  if (span.link.has_value()) {
    json["links"].push_back({{"traceId", Hex(span.link->trace)}, {"spanId", Hex(span.link->span)}});
  }
  if (span.failed) json["status"] = {{"code", kStatusError}};
  return json;
}

}  // namespace

size_t Span::Bytes() const {
  const auto all = [](const Attributes& attributes) {
    size_t bytes = attributes.size() * sizeof(Attributes::value_type);
    for (const auto& [key, value] : attributes) {
      if (const auto* text = std::get_if<std::string>(&value)) bytes += text->capacity();
    }
    return bytes;
  };
  size_t bytes = sizeof(Span) + name.size() + context.state.size() + all(attributes);
  for (const Event& event : events) bytes += sizeof(Event) + all(event.attributes);
  return bytes;
}

std::string ToJson(const Resource& resource, std::string_view version,
                   const std::vector<Span>& spans) {
  Json attributes = Json::array();
  for (const auto& [key, value] : resource) attributes.push_back(KeyValue(key, value));
  Json list = Json::array();
  for (const Span& span : spans) list.push_back(SpanOf(span));
  const Json scope = {{"scope", {{"name", "kilnd"}, {"version", std::string(version)}}},
                      {"spans", std::move(list)}};
  const Json all = {{"resource", {{"attributes", std::move(attributes)}}},
                    {"scopeSpans", Json::array({scope})}};
  const Json request = {{"resourceSpans", Json::array({all})}};
  // Bytes that are not UTF-8 are replaced, rather than an exception thrown.
  return request.dump(-1, ' ', false, Json::error_handler_t::replace);
}

PartialSuccess ReadPartialSuccess(std::string_view body) {
  constexpr size_t kMaxMessage = 200;
  PartialSuccess partial;
  const Json json = Json::parse(body.begin(), body.end(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("partialSuccess")) return partial;
  const Json& part = json["partialSuccess"];
  if (!part.is_object()) return partial;
  if (part.contains("rejectedSpans")) {
    const Json& rejected = part["rejectedSpans"];
    if (rejected.is_number_integer()) partial.rejected = rejected.get<int64_t>();
    if (rejected.is_string() &&
        !absl::SimpleAtoi(rejected.get_ref<const std::string&>(), &partial.rejected)) {
      partial.rejected = 0;
    }
  }
  if (part.contains("errorMessage") && part["errorMessage"].is_string()) {
    partial.message = part["errorMessage"].get<std::string>().substr(0, kMaxMessage);
  }
  return partial;
}

}  // namespace kiln::trace
