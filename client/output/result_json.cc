// The JSON line of one result: see result_json.h.
#include "client/output/result_json.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/output/json_writer.h"
#include "client/output/reason.h"
#include "client/request/pipeline_state.h"
#include "client/request/spec_constant.h"
#include "core/base/version.h"
#include "proto/pass_sums.h"
#include "proto/statistics.h"

namespace kiln::client {
namespace {

using kiln::v1::TargetResult;

// Milliseconds, to a microsecond: more digits are noise.
void WriteMilliseconds(absl::string_view key, int64_t nanoseconds, JsonWriter* json) {
  json->DecimalMember(key, (nanoseconds + 500) / 1000, 3);
}

void WriteVariants(const TargetResult& result, const ResultLineOptions& options, JsonWriter* json) {
  json->Key("variants");
  json->BeginArray();
  for (int i = 0; i < result.variants_size(); ++i) {
    const kiln::v1::Variant& variant = result.variants(i);
    json->BeginObject();
    json->StringMember("name", variant.name());
    json->IntMember("width", variant.width());
    for (const NamedValue& v : ReadStatistics(variant)) json->IntMember(v.name, v.value);
    const size_t index = static_cast<size_t>(i);
    if (index < options.binaries.size()) json->StringMember("binary", options.binaries[index]);
    if (options.assembly) json->StringMember("assembly", variant.assembly());
    json->EndObject();
  }
  json->EndArray();
}

void WritePass(const PassSum& sum, JsonWriter* json) {
  json->BeginObject();
  json->StringMember("name", sum.name);
  json->IntMember("runs", sum.runs);
  json->IntMember("changed", sum.changed);
  json->DecimalMember("us", (sum.nanoseconds + 50) / 100, 1);
  json->IntMember("instructions_delta", sum.instructions_delta);
  json->EndObject();
}

// Writes one element for each pass, in the order of their first runs.
void WritePasses(const TargetResult& result, JsonWriter* json) {
  json->Key("passes");
  json->BeginArray();
  // Times recorded by another job, and once for all results.
  const auto& timings = result.timings();
  for (const auto& [name, ns] : {std::pair("start_glslang", timings.start_ns()),
                                 std::pair("translate_glsl", timings.translate_ns())}) {
    if (ns != 0) WritePass({.name = name, .runs = 1, .nanoseconds = ns}, json);
  }
  PassSummer summer;  // records of a daemon that makes no sums
  if (!result.has_pass_sums()) {
    for (const auto& record : result.passes()) summer.Add(record);
  }
  const kiln::v1::PassSums summed = std::move(summer).Take();
  for (const PassSum& sum : ReadPassSums(result.has_pass_sums() ? result.pass_sums() : summed)) {
    WritePass(sum, json);
  }
  json->EndArray();
}

void WriteIfSet(absl::string_view key, absl::string_view value, JsonWriter* json) {
  if (!value.empty()) json->StringMember(key, value);
}

void WriteTrue(absl::string_view key, JsonWriter* json) {
  json->Key(key);
  json->Raw("true");
}

void WriteList(absl::string_view key, const std::vector<std::string>& values, JsonWriter* json) {
  if (values.empty()) return;
  json->Key(key);
  json->BeginArray();
  for (const std::string& value : values) json->String(value);
  json->EndArray();
}

void WriteRemarks(const TargetResult& result, JsonWriter* json) {
  if (result.remarks().empty()) return;
  json->Key("remarks");
  json->BeginArray();
  for (const auto& remark : result.remarks()) {
    json->BeginObject();
    json->StringMember("pass", remark.pass());
    json->StringMember("kind", remark.kind());
    json->IntMember("spirv_id", remark.spirv_id());
    json->StringMember("text", remark.text());
    json->IntMember("width", remark.width());
    json->EndObject();
  }
  json->EndArray();
}

int64_t Clamped(uint64_t n) {
  return static_cast<int64_t>(std::min<uint64_t>(n, std::numeric_limits<int64_t>::max()));
}

void WriteReason(const TargetResult& result, JsonWriter* json) {
  const kiln::v1::Reason reason = CompleteReason(result);
  if (reason.ByteSizeLong() == 0) return;
  json->Key("reason");
  json->BeginObject();
  WriteIfSet("sentence", reason.sentence(), json);
  WriteIfSet("remedy", reason.remedy(), json);
  WriteIfSet("what", reason.what(), json);
  if (reason.has_seen()) json->IntMember("seen", Clamped(reason.seen()));
  if (reason.has_limit()) json->IntMember("limit", Clamped(reason.limit()));
  WriteIfSet("capability", reason.capability(), json);
  WriteIfSet("name", reason.name(), json);
  WriteIfSet("file", reason.source_file(), json);
  if (reason.source_line() != 0) json->IntMember("line", reason.source_line());
  if (reason.source_column() != 0) json->IntMember("column", reason.source_column());
  json->EndObject();
}

void WriteExtras(const TargetResult& result, JsonWriter* json) {
  WriteIfSet("message", result.message(), json);
  if (result.spirv_id() != 0) json->IntMember("spirv_id", result.spirv_id());
  if (result.status() != TargetResult::OK) WriteReason(result, json);
  WriteIfSet("last_pass", result.last_pass(), json);
  WriteIfSet("entry_point", result.entry_point(), json);
  WriteIfSet("container", result.container(), json);
  WriteIfSet("loadable_by", result.loadable_by(), json);
  WriteIfSet("key", result.key(), json);
  WriteIfSet("spirv_sha256", absl::BytesToHexString(result.spirv_sha256()), json);
  const auto& timings = result.timings();
  if (timings.translate_ns() != 0) {
    WriteMilliseconds("translate_ms", timings.translate_ns(), json);
  }
  if (timings.service_ns() != 0) {
    WriteMilliseconds("service_ms", timings.service_ns(), json);
  }
  WriteRemarks(result, json);
}

void WriteWidths(const std::vector<uint32_t>& widths, JsonWriter* json) {
  if (widths.empty()) return;
  json->Key("widths");
  json->Raw(absl::StrCat("[", absl::StrJoin(widths, ","), "]"));
}

void WriteIdentity(const ResultIdentity& identity, JsonWriter* json) {
  WriteIfSet("name", identity.name, json);
  WriteList("defines", identity.defines, json);
  WriteList("spec", identity.spec, json);
  if (identity.subgroup_size != 0) json->IntMember("subgroup_size", identity.subgroup_size);
  WriteWidths(identity.widths, json);
  if (identity.full_subgroups) WriteTrue("full_subgroups", json);
  if (identity.dispatch_base) WriteTrue("dispatch_base", json);
  WriteIfSet("scan", identity.scan, json);
  if (identity.ngg_group != 0) json->IntMember("ngg_group", identity.ngg_group);
  if (!identity.state.empty()) {
    json->Key("state");
    json->Raw(identity.state);
  }
  WriteIfSet("pair", identity.pair, json);
}

}  // namespace

std::string StatusWord(TargetResult::Status status) {
  switch (status) {
    case TargetResult::OK: return "ok";
    case TargetResult::REFUSED: return "refused";
    case TargetResult::INVALID: return "invalid";
    case TargetResult::TIMED_OUT: return "timeout";
    case TargetResult::CANCELLED: return "cancelled";
    case TargetResult::NOT_CACHED: return "not_cached";
    default:
      // The compiler did not finish; unknown statuses of later daemons count as no success either.
      return "crashed";
  }
}

TargetResult::Status StatusOfWord(absl::string_view word) {
  for (const auto status :
       {TargetResult::OK, TargetResult::REFUSED, TargetResult::INVALID, TargetResult::TIMED_OUT,
        TargetResult::CANCELLED, TargetResult::NOT_CACHED}) {
    if (StatusWord(status) == word) return status;
  }
  return TargetResult::CRASHED;
}

std::string CacheWord(kiln::v1::CacheTier tier) {
  switch (tier) {
    case kiln::v1::CACHE_MEMORY: return "memory";
    case kiln::v1::CACHE_DISK: return "disk";
    case kiln::v1::CACHE_COALESCED: return "coalesced";
    default: return "miss";
  }
}

ExitCode ExitCodeOf(TargetResult::Status status) {
  switch (status) {
    case TargetResult::OK: return kExitOk;
    case TargetResult::REFUSED:
    case TargetResult::INVALID:
    case TargetResult::NOT_CACHED: return kExitSomeFailed;
    default: return kExitInternal;
  }
}

ExitCode Worse(ExitCode a, ExitCode b) { return a > b ? a : b; }

ResultIdentity IdentityOf(const std::string& name, const std::vector<std::string>& defines,
                          const kiln::v1::CompileRequest& request) {
  ResultIdentity identity;
  identity.name = name;
  identity.defines = defines;
  for (const auto& constant : request.spec_constants()) {
    identity.spec.push_back(SpecConstantText(constant));
  }
  const auto& options = request.options();
  identity.subgroup_size = options.required_subgroup_size();
  identity.widths.assign(options.widths().begin(), options.widths().end());
  identity.full_subgroups = options.require_full_subgroups();
  identity.dispatch_base = options.dispatch_base();
  identity.scan = options.scan();
  identity.ngg_group = options.ngg_group();
  identity.state = PipelineStateJson(options.state());
  return identity;
}

void AskForLine(kiln::v1::OutputMask* mask) {
  mask->set_pass_records(true);  // for daemons that make no sums
  mask->set_pass_sums(true);
  mask->set_remarks(true);
}

std::string ResultLine(absl::string_view file, const TargetResult& result,
                       const ResultLineOptions& options) {
  const auto& timings = result.timings();
  std::string line;
  line.reserve(1024 + 96 * static_cast<size_t>(result.pass_sums().runs_size()));
  JsonWriter json(&line);
  json.BeginObject();
  json.StringMember("file", file);
  json.StringMember("target", result.target());
  json.StringMember("stage", result.stage());
  json.StringMember("status", StatusWord(result.status()));
  json.StringMember("cause", result.cause());
  WriteMilliseconds("compile_ms",
                    timings.translate_ns() + timings.prepare_ns() + timings.compile_ns(), &json);
  json.StringMember("cache", CacheWord(result.cache()));
  WriteVariants(result, options, &json);
  WritePasses(result, &json);
  json.StringMember("entry", result.entry_point());
  WriteExtras(result, &json);
  WriteIdentity(options.identity, &json);
  json.StringMember("version", result.version().empty() ? kVersion : result.version());
  if (result.code_generation_version() != 0) {
    json.IntMember("code_generation", result.code_generation_version());
  }
  json.EndObject();
  return line;
}

}  // namespace kiln::client
