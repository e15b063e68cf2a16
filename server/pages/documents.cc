// The JSON documents behind the daemon's pages: see documents.h.
#include "server/pages/documents.h"

#include "absl/strings/ascii.h"
#include "server/pages/json.h"

namespace kiln::pages {
namespace {

using kiln::v1::TargetResult;

// Families whose series the status has, those that are not 0.
constexpr std::string_view kFamilies[] = {
    "kiln_cache_bytes",
    "kiln_cache_damaged_generations_total",
    "kiln_cache_dropped_generations_total",
    "kiln_cache_entries",
    "kiln_cache_evicted_age_seconds",
    "kiln_cache_evicted_bytes_total",
    "kiln_cache_limit_bytes",
    "kiln_cache_lost_records_total",
    "kiln_cache_write_errors_total",
    "kiln_compile_results_total",
    "kiln_connections",
    "kiln_connections_limit",
    "kiln_connections_refused_total",
    "kiln_job_failures_total",
    "kiln_quarantine_entries",
    "kiln_quarantine_refusals_total",
    "kiln_queue_busiest_share",
    "kiln_queue_depth",
    "kiln_queue_displaced_total",
    "kiln_queue_limit",
    "kiln_queue_owners",
    "kiln_rechecks_total",
    "kiln_refusals_held",
    "kiln_request_bytes",
    "kiln_requests_in_flight",
    "kiln_requests_total",
    "kiln_sandbox_level",
    "kiln_shed_total",
    "kiln_worker_exits_total",
    "kiln_worker_largest_resident_memory_bytes",
    "process_max_fds",
    "process_open_fds",
};

std::string_view Name(Health::State state) {
  switch (state) {
    case Health::State::kOk: return "ok";
    case Health::State::kDegraded: return "degraded";
    case Health::State::kFailing: return "failing";
    case Health::State::kStopping: break;
  }
  return "stopping";
}

std::string_view Name(History::Kind kind) {
  switch (kind) {
    case History::Kind::kTime: return "time";
    case History::Kind::kCounter: return "counter";
    case History::Kind::kGauge: return "gauge";
    case History::Kind::kQuantile: break;
  }
  return "quantile";
}

std::string Name(TargetResult::Status status) {
  return absl::AsciiStrToLower(TargetResult::Status_Name(status));
}

void WriteSample(const Sample& sample, Json* json) {
  json->BeginArray();
  for (double value : sample) json->Number(value);
  json->EndArray();
}

void WriteColumns(std::initializer_list<std::string_view> names, Json* json) {
  json->Key("columns").BeginArray();
  for (std::string_view name : names) json->Text(name);
  json->EndArray();
}

// Writes [[{LABEL: VALUE, ...}, NUMBER], ...].
void WriteFamily(const prometheus::MetricFamily& family, Json* json) {
  json->BeginArray();
  for (const auto& metric : family.metric) {
    const double value =
        family.type == prometheus::MetricType::Counter ? metric.counter.value : metric.gauge.value;
    if (value == 0) continue;
    json->BeginArray().BeginObject();
    for (const auto& label : metric.label) json->Key(label.name).Text(label.value);
    json->EndObject().Number(value).EndArray();
  }
  json->EndArray();
}

}  // namespace

std::string StatusJson(const Facts& facts, const worker::Hello& hello, const Health& health,
                       const Readings& readings, const Sample& now) {
  Json json;
  json.BeginObject();
  json.Key("health").BeginObject().Key("state").Text(Name(health.state)).Key("reasons");
  json.BeginArray();
  for (const std::string& reason : health.reasons) json.Text(reason);
  json.EndArray().EndObject();
  json.Key("version").Text(facts.version).Key("started").Number(absl::ToUnixSeconds(facts.started));
  json.Key("targets").BeginArray();
  for (const auto& target : hello.targets()) {
    json.BeginObject().Key("name").Text(target.name());
    json.Key("code_generation_version").Number(target.code_generation_version()).EndObject();
  }
  json.EndArray().Key("glslang").Text(hello.glslang_version());
  json.Key("bounds").BeginObject().Key("daemon_bytes").Number(facts.daemon_bound_bytes);
  json.Key("workers_bytes").Number(facts.workers_bound_bytes).EndObject();
  json.Key("sample");
  WriteSample(now, &json);
  json.Key("metrics").BeginObject();
  for (std::string_view name : kFamilies) {
    const prometheus::MetricFamily* family = readings.Find(name);
    if (family == nullptr) continue;
    json.Key(name);
    WriteFamily(*family, &json);
  }
  json.EndObject().EndObject();
  return json.Take();
}

std::string HistoryJson(const std::vector<Sample>& samples) {
  Json json;
  json.BeginObject().Key("seconds").Number(absl::ToInt64Seconds(History::kInterval));
  json.Key("columns").BeginArray();
  for (const History::Column& column : History::Columns()) {
    json.BeginArray().Text(column.name).Text(Name(column.kind)).EndArray();
  }
  json.EndArray().Key("samples").BeginArray();
  for (const Sample& sample : samples) WriteSample(sample, &json);
  json.EndArray().EndObject();
  return json.Take();
}

std::string PassesJson(const worker::Hello& hello, const std::vector<PassTable::Row>& rows) {
  Json json;
  json.BeginObject().Key("passes").BeginArray();
  for (const auto& pass : hello.passes()) {
    json.BeginObject().Key("name").Text(pass.name()).Key("level").Text(pass.level());
    json.Key("optional").Bool(pass.optional()).Key("summary").Text(pass.summary()).EndObject();
  }
  json.EndArray();
  WriteColumns(
      {"pass", "target", "stage", "runs", "changed", "seconds", "removed", "added", "deaths"},
      &json);
  json.Key("rows").BeginArray();
  for (const PassTable::Row& row : rows) {
    json.BeginArray().Text(row.pass).Text(row.target).Text(row.stage).Number(row.runs);
    json.Number(row.changed).Number(static_cast<double>(row.nanoseconds) * 1e-9);
    json.Number(row.removed).Number(row.added).Number(row.deaths).EndArray();
  }
  json.EndArray().EndObject();
  return json.Take();
}

std::string ShadersJson(const ShaderList& shaders) {
  Json json;
  json.BeginObject().Key("most").Number(ShaderList::kMaxShaders);
  json.Key("statistics").BeginArray();
  for (const auto& statistic : shaders.statistics()) {
    json.BeginObject().Key("name").Text(statistic.name()).Key("header").Text(statistic.header());
    json.Key("counts").Text(statistic.counts()).EndObject();
  }
  json.EndArray();
  WriteColumns({"key", "target", "stage", "status", "cause", "last", "made", "refused", "seconds",
                "code_bytes", "variants", "values"},
               &json);
  json.Key("rows").BeginArray();
  for (const Shader& s : shaders.All()) {
    json.BeginArray().Text(cache::ToHex(s.key)).Text(s.target).Text(s.stage).Text(Name(s.status));
    json.Text(s.cause).Number(absl::ToUnixSeconds(s.last)).Number(s.made).Number(s.refused);
    json.Number(absl::ToDoubleSeconds(s.took)).Number(s.code_bytes).Number(s.variants);
    json.BeginArray();
    for (int64_t value : s.values) {
      value == Shader::kNoValue ? json.Raw("null") : json.Number(value);
    }
    json.EndArray().EndArray();
  }
  json.EndArray().EndObject();
  return json.Take();
}

std::string LogJson(const std::vector<std::string>& lines) {
  Json json;
  json.BeginObject().Key("lines").BeginArray();
  for (std::string_view line : lines) {
    if (line.ends_with('\n')) line.remove_suffix(1);
    json.Raw(line);
  }
  json.EndArray().EndObject();
  return json.Take();
}

}  // namespace kiln::pages
