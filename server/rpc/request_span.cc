// Begins and ends the spans of requests: see request_span.h.
#include "server/rpc/request_span.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "core/base/shader_stage.h"
#include "server/request/request_id.h"
#include "server/rpc/ending.h"

namespace kiln::server {
namespace {

using kiln::v1::TargetResult;
using Method = metrics::Metrics::Method;
using Source = metrics::Metrics::Source;

// Span names are those of the methods; an item of a stream is a part of one.
constexpr char kCompile[] = "kiln.v1.Compiler/Compile";
constexpr char kCompileStream[] = "kiln.v1.Compiler/CompileStream";
constexpr char kItem[] = "item";

std::vector<std::string> Values(const Headers& headers, const char* name) {
  std::vector<std::string> values;
  const auto [begin, end] = headers.equal_range(name);
  for (auto it = begin; it != end; ++it) {
    values.emplace_back(it->second.data(), it->second.size());
  }
  return values;
}

// The codes that OpenTelemetry's conventions count as a server's errors.
bool IsServersError(absl::StatusCode code) {
  constexpr absl::StatusCode kErrors[] = {
      absl::StatusCode::kUnknown,  absl::StatusCode::kDeadlineExceeded,
      absl::StatusCode::kInternal, absl::StatusCode::kUnimplemented,
      absl::StatusCode::kDataLoss, absl::StatusCode::kUnavailable};
  return std::find(std::begin(kErrors), std::end(kErrors), code) != std::end(kErrors);
}

std::string OriginOf(const Answer& answer) {
  switch (SourceOf(answer)) {
    case Source::kQuarantine: return "quarantine";
    case Source::kMemory: return "memory";
    case Source::kDisk: return "disk";
    case Source::kCoalesced: return "coalesced";
    case Source::kProbe: return "probe";
    case Source::kMiss: break;
  }
  return "miss";
}

// Returns what the span, or one of its events, says of a target's result.
trace::Attributes AttributesOf(const std::string& target, const Answer& answer) {
  const cache::ResultTag& tag = TagOf(answer);
  const auto status = static_cast<TargetResult::Status>(answer.ready.status);
  trace::Attributes attributes = {
      {"kiln.target", target},
      {"kiln.result", absl::AsciiStrToLower(TargetResult::Status_Name(status))},
      {"kiln.cache", OriginOf(answer)},
      {"kiln.code.bytes", int64_t{tag.bytes}}};
  if (tag.stage != cache::kOtherStage) {
    attributes.emplace_back("kiln.stage", std::string(kShaderStages[tag.stage].name));
  }
  if (answer.key != cache::Digest{}) attributes.emplace_back("kiln.key", cache::ToHex(answer.key));
  return attributes;
}

// One result is told by the span's own attributes, several by an event each.
void AddResults(const RequestEnd& end, absl::Time now, trace::Span* span) {
  const std::vector<Answer>& answers = end.reply->answers;
  if (answers.size() == 1) {
    trace::Attributes one = AttributesOf(end.targets->front(), answers[0]);
    std::move(one.begin(), one.end(), std::back_inserter(span->attributes));
    return;
  }
  for (size_t i = 0; i < answers.size(); ++i) {
    span->events.push_back({now, "kiln.result", AttributesOf((*end.targets)[i], answers[i])});
  }
}

}  // namespace

std::shared_ptr<trace::Trace> BeginTrace(const trace::Tracer* tracer, const Headers& headers) {
  if (tracer == nullptr) return nullptr;
  return tracer->Begin(Values(headers, trace::kTraceparentHeader),
                       Values(headers, trace::kTracestateHeader));
}

void EndTrace(const RequestEnd& end, trace::Trace* trace) {
  trace::Span span;
  const bool is_item = end.method == Method::kItem;
  span.name = is_item ? kItem : end.method == Method::kCompile ? kCompile : kCompileStream;
  span.kind = is_item ? trace::Kind::kInternal : trace::Kind::kServer;
  const std::string code = absl::StatusCodeToString(end.code);
  if (!is_item) {
    span.attributes = {{"rpc.system.name", "grpc"}, {"rpc.method", span.name}};
  }
  span.attributes.emplace_back("rpc.status_code", code);
  span.failed = IsServersError(end.code);
  if (span.failed) span.attributes.emplace_back("error.type", code);
  if (!end.request_id.empty()) {
    span.attributes.emplace_back("kiln.request_id", std::string(end.request_id));
  }
  if (end.reply != nullptr && end.reply->status.ok()) {
    span.attributes.emplace_back("kiln.response.bytes", static_cast<int64_t>(end.response_bytes));
    AddResults(end, trace->Now(), &span);
  }
  trace->End(std::move(span));
}

}  // namespace kiln::server
