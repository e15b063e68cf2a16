// The JSON line of one result: see result_json.h.
#include "client/result_json.h"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/escaping.h"

namespace kiln::client {
namespace {

using kiln::v1alpha::TargetResult;
using Json = nlohmann::ordered_json;

// To a microsecond: more digits are noise.
double Milliseconds(int64_t nanoseconds) {
  return static_cast<double>((nanoseconds + 500) / 1000) / 1000;
}

Json VariantJson(const kiln::v1alpha::Variant& variant) {
  const auto& s = variant.statistics();
  return {{"name", variant.name()},
          {"width", variant.width()},
          {"instructions", s.instructions()},
          {"sync_instructions", s.sync_instructions()},
          {"sends", s.sends()},
          {"cycles", s.cycles()},
          {"spills", s.spills()},
          {"fills", s.fills()},
          {"loops", s.loops()},
          {"registers", s.registers()},
          {"bytes", s.bytes()},
          {"spill_bytes", s.spill_bytes()},
          {"fill_bytes", s.fill_bytes()},
          {"exit_cycles", s.exit_cycles()}};
}

// One object per pass, in the order of their first runs.
Json PassesJson(const TargetResult& result) {
  struct Sum {
    int64_t runs = 0, changed = 0, nanoseconds = 0, delta = 0;
  };
  std::vector<std::string> order;
  std::map<std::string, Sum> sums;
  // Recorded by another job, and once for all results.
  for (const auto& [name, ns] : {std::pair("start_glslang", result.timings().start_ns()),
                                 std::pair("translate_glsl", result.timings().translate_ns())}) {
    if (ns == 0) continue;
    order.push_back(name);
    sums[name] = {.runs = 1, .nanoseconds = ns};
  }
  for (const auto& record : result.passes()) {
    Sum& sum = sums[record.pass()];
    if (sum.runs++ == 0) order.push_back(record.pass());
    sum.changed += record.changed() ? 1 : 0;
    sum.nanoseconds += record.nanoseconds();
    sum.delta += record.instructions_after() - record.instructions_before();
  }
  Json passes = Json::array();
  for (const std::string& name : order) {
    const Sum& sum = sums[name];
    passes.push_back({{"name", name},
                      {"runs", sum.runs},
                      {"changed", sum.changed},
                      {"us", static_cast<double>((sum.nanoseconds + 50) / 100) / 10},
                      {"instructions_delta", sum.delta}});
  }
  return passes;
}

void AddIfSet(const char* key, const std::string& value, Json* to) {
  if (!value.empty()) (*to)[key] = value;
}

void AddExtras(const TargetResult& result, Json* line) {
  AddIfSet("message", result.message(), line);
  if (result.spirv_id() != 0) (*line)["spirv_id"] = result.spirv_id();
  AddIfSet("last_pass", result.last_pass(), line);
  AddIfSet("entry_point", result.entry_point(), line);
  AddIfSet("loadable_by", result.loadable_by(), line);
  AddIfSet("key", result.key(), line);
  AddIfSet("spirv_sha256", absl::BytesToHexString(result.spirv_sha256()), line);
  const auto& timings = result.timings();
  if (timings.translate_ns() != 0) (*line)["translate_ms"] = Milliseconds(timings.translate_ns());
  if (timings.service_ns() != 0) (*line)["service_ms"] = Milliseconds(timings.service_ns());
  if (result.remarks().empty()) return;
  Json remarks = Json::array();
  for (const auto& remark : result.remarks()) {
    remarks.push_back({{"pass", remark.pass()},
                       {"kind", remark.kind()},
                       {"spirv_id", remark.spirv_id()},
                       {"text", remark.text()},
                       {"width", remark.width()}});
  }
  (*line)["remarks"] = std::move(remarks);
}

}  // namespace

std::string StatusWord(TargetResult::Status status) {
  switch (status) {
    case TargetResult::OK:
      return "ok";
    case TargetResult::REFUSED:
      return "refused";
    case TargetResult::INVALID:
      return "invalid";
    case TargetResult::TIMED_OUT:
      return "timeout";
    case TargetResult::CANCELLED:
      return "cancelled";
    case TargetResult::NOT_CACHED:
      return "not_cached";
    default:
      // The compiler did not come to an end; what a later daemon may say is no success either.
      return "crashed";
  }
}

std::string CacheWord(kiln::v1alpha::CacheTier tier) {
  switch (tier) {
    case kiln::v1alpha::CACHE_MEMORY:
      return "memory";
    case kiln::v1alpha::CACHE_DISK:
      return "disk";
    case kiln::v1alpha::CACHE_SHARED:
      return "shared";
    case kiln::v1alpha::CACHE_COALESCED:
      return "coalesced";
    default:
      return "miss";
  }
}

ExitCode ExitCodeOf(TargetResult::Status status) {
  switch (status) {
    case TargetResult::OK:
      return kExitOk;
    case TargetResult::REFUSED:
    case TargetResult::INVALID:
    case TargetResult::NOT_CACHED:
      return kExitSomeFailed;
    default:
      return kExitInternal;
  }
}

ExitCode Worse(ExitCode a, ExitCode b) { return a > b ? a : b; }

std::string ResultLine(absl::string_view file, const TargetResult& result,
                       const ResultLineOptions& options) {
  const auto& timings = result.timings();
  Json line = {{"file", std::string(file)},
               {"target", result.target()},
               {"stage", result.stage()},
               {"status", StatusWord(result.status())},
               {"cause", result.cause()},
               {"compile_ms", Milliseconds(timings.translate_ns() + timings.prepare_ns() +
                                          timings.compile_ns())},
               {"cache", CacheWord(result.cache())},
               {"variants", Json::array()}};
  for (int i = 0; i < result.variants_size(); ++i) {
    Json variant = VariantJson(result.variants(i));
    size_t index = static_cast<size_t>(i);
    if (index < options.binaries.size()) variant["binary"] = options.binaries[index];
    if (options.assembly) variant["assembly"] = result.variants(i).assembly();
    line["variants"].push_back(std::move(variant));
  }
  line["passes"] = PassesJson(result);
  line["entry"] = result.entry_point();
  AddExtras(result, &line);
  // Names of files are bytes: what is no UTF-8 is replaced, not thrown over.
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace kiln::client
