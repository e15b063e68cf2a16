// Computes how much memory kilnd and its workers may come to need: see plan.h.
#include "server/memory/plan.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "server/cache/disk_tier.h"
#include "server/engine/recheck.h"
#include "server/quarantine/quarantine.h"
#include "server/trace/exporter.h"

namespace kiln::memory {
namespace {

using server::Config;

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kGrpcsOwnBytes = 64 * kMiB;
// A worker has 40 MiB mapped before its first job, and an eighth of its memory as stack. All of
// tests/shaders compile with 128 MiB, none with 64: kLeastJobMemory is twice the former, and larger
// modules want more.
constexpr uint64_t kEnoughJobMemory = 512 * kMiB;
constexpr uint64_t kLeastJobMemory = 256 * kMiB;
constexpr uint64_t kLeastMemoryCache = 16 * kMiB;

std::string Size(uint64_t bytes) {
  if (bytes % (uint64_t{1} << 30) == 0) return absl::StrCat(bytes >> 30, " GiB");
  return absl::StrFormat("%.0f MiB", static_cast<double>(bytes) / static_cast<double>(kMiB));
}

bool Given(const Config& config, const char* name) { return config.given.count(name) > 0; }

uint64_t Sum(const Config& config) {
  uint64_t sum = 0;
  for (const Bound& bound : Bounds(config)) sum += bound.bytes;
  return sum + sum / 5;
}

// A bound of kilnd that may be lowered, down to `least`.
struct Lowers {
  const char* name;
  uint64_t Config::*value;
  uint64_t least;
};

std::vector<Lowers> Lowered(const Config& config) {
  std::vector<Lowers> all;
  // At least one request of the largest size has to fit.
  const Lowers candidates[] = {
      {"request-bytes", &Config::request_bytes, config.limits.message_bytes},
      {"memory-cache-bytes", &Config::memory_cache_bytes, kLeastMemoryCache},
      {"disk-cache-memory", &Config::disk_cache_memory,
       cache::DiskTier::LeastMemory(config.cache_bytes)}};
  for (const Lowers& one : candidates) {
    const bool needless = config.cache_dir.empty() && one.value == &Config::disk_cache_memory;
    if (!needless && !Given(config, one.name) && config.*one.value > one.least) all.push_back(one);
  }
  return all;
}

// Returns `config` with all that may be lowered at `share`/256 of the way from its least to its
// value.
Config Scaled(Config config, uint64_t share) {
  if (share == 256) return config;
  for (const Lowers& one : Lowered(config)) {
    uint64_t& value = config.*one.value;
    value = one.least + (value - one.least) / 256 * share;
    value = std::max(one.least, value / kMiB * kMiB);
  }
  return config;
}

// Returns the config with the largest share of its bounds that fits, or the least of each.
Config ScaledTo(const Config& config, uint64_t (*need)(const Config&), uint64_t room) {
  for (uint64_t share = 256; share > 0; --share) {
    Config scaled = Scaled(config, share);
    if (need(scaled) <= room) return scaled;
  }
  return Scaled(config, 0);
}

// Returns the given settings among those that matter here, as flags.
std::string GivenFlags(const Config& config) {
  std::vector<std::string> flags;
  for (const auto& [name, value] : server::ShowSettings(config)) {
    static constexpr const char* kMatter[] = {"request-bytes",     "memory-cache-bytes",
                                              "disk-cache-memory", "cache-bytes",
                                              "job-memory",        "workers",
                                              "spare-workers",     "recheck",
                                              "max-message-bytes"};
    const bool matters = std::any_of(std::begin(kMatter), std::end(kMatter),
                                     [&](const char* one) { return name == one; });
    if (matters && Given(config, name.c_str())) {
      flags.push_back(absl::StrCat("--", name, "=", value));
    }
  }
  return absl::StrJoin(flags, " ");
}

void AppendOwn(const Config& config, uint64_t start, uint64_t need, std::string* text) {
  absl::StrAppendFormat(text, "  %8s  kilnd at its start\n", Size(start));
  uint64_t sum = 0;
  for (const Bound& bound : Bounds(config)) {
    absl::StrAppendFormat(text, "  %8s  %s (%s)\n", Size(bound.bytes), bound.what, bound.how);
    sum += bound.bytes;
  }
  absl::StrAppendFormat(text, "  %8s  a fifth of these bounds for the allocator\n", Size(sum / 5));
  absl::StrAppendFormat(text, "= %8s  kilnd\n", Size(need));
}

void AppendWorkers(const Config& config, std::string* text) {
  const uint64_t processes = WorkerProcesses(config);
  absl::StrAppendFormat(text, "  %8s  %d worker processes x %s (--job-memory): %d, %d spare%s\n",
                        config.job_memory == 0 ? "no bound" : Size(processes * config.job_memory),
                        processes, Size(config.job_memory), server::NumberOfWorkers(config),
                        config.spare_workers, config.recheck != 0 ? ", 1 for rechecks" : "");
}

absl::Status Refusal(const std::string& what, const std::string& reckoning, const Config& config) {
  const std::string given = GivenFlags(config);
  return absl::ResourceExhaustedError(absl::StrCat(
      "not enough memory: ", what, "\n", reckoning,
      given.empty()
          ? "All of these are at their minimum: raise the limit."
          : absl::StrCat(
                "These settings are given: ", given,
                "; all others are at their minimum. Lower the given ones or raise the limit.")));
}

absl::Status FitAddressSpace(const Limits& limits, Config* config) {
  if (limits.address_space == kUnlimited) return absl::OkStatus();
  const uint64_t room = limits.address_space;
  if (config->job_memory > room) {
    if (Given(*config, "job-memory")) {
      return Refusal(absl::StrCat("workers inherit the limit of ", Size(room),
                                  " on address space (RLIMIT_AS, ulimit -v)"),
                     "", *config);
    }
    config->job_memory = room / kMiB * kMiB;
  }
  const Config fits = ScaledTo(*config, AddressSpaceNeed, room);
  if (const uint64_t need = AddressSpaceNeed(fits);
      need > room || (!Given(fits, "job-memory") && fits.job_memory < kLeastJobMemory)) {
    std::string reckoning;
    AppendOwn(fits, kStartAddressSpace, need, &reckoning);
    return Refusal(absl::StrCat("address space is limited to ", Size(room),
                                " (RLIMIT_AS, ulimit -v), and kilnd needs ", Size(need),
                                ", a worker ", Size(kLeastJobMemory)),
                   reckoning, fits);
  }
  *config = fits;
  return absl::OkStatus();
}

// Returns the memory per worker that fits beside kilnd's bounds as they are or, if that is less
// than kEnoughJobMemory, beside the least that they may be lowered to.
uint64_t JobMemoryIn(const Config& config, uint64_t room) {
  if (Given(config, "job-memory")) return config.job_memory;
  const uint64_t processes = WorkerProcesses(config);
  const auto beside = [&](uint64_t need) { return room > need ? (room - need) / processes : 0; };
  uint64_t each = std::min(config.job_memory, beside(ResidentNeed(config)));
  if (each < kEnoughJobMemory) {
    each = std::min({config.job_memory, kEnoughJobMemory, beside(ResidentNeed(Scaled(config, 0)))});
  }
  return each / kMiB * kMiB;
}

absl::Status FitGroup(const Limits& limits, Config* config) {
  if (limits.group == kUnlimited) return absl::OkStatus();
  const uint64_t room = limits.group;
  const std::string allowed = absl::StrCat("all processes together are limited to ", Size(room),
                                           " (", limits.group_file, ")");
  if (config->job_memory == 0) {
    return Refusal(absl::StrCat(allowed, ", and workers have no memory limit: give --job-memory"),
                   "", *config);
  }
  const bool may_lower = !Given(*config, "job-memory");
  const uint64_t least_job =
      may_lower ? std::min(config->job_memory, kLeastJobMemory) : config->job_memory;
  Config next = *config;
  const auto least = [&] {
    return ResidentNeed(Scaled(next, 0)) + WorkerProcesses(next) * least_job;
  };
  while (least() > room && !Given(next, "workers") && server::NumberOfWorkers(next) > 1) {
    next.workers = server::NumberOfWorkers(next) - 1;
  }
  if (least() > room && !Given(next, "spare-workers")) next.spare_workers = 0;
  if (const uint64_t need = least(); need > room) {
    next = Scaled(next, 0);
    next.job_memory = least_job;
    std::string reckoning;
    AppendOwn(next, kStartResident, ResidentNeed(next), &reckoning);
    AppendWorkers(next, &reckoning);
    return Refusal(absl::StrCat(allowed, ", and ", Size(need), " are needed"), reckoning, next);
  }
  next.job_memory = JobMemoryIn(next, room);
  *config = ScaledTo(next, ResidentNeed, room - WorkerProcesses(next) * next.job_memory);
  return absl::OkStatus();
}

}  // namespace

uint64_t GrpcBytes(const Config& config) { return kGrpcsOwnBytes + 2 * config.request_bytes; }

std::vector<Bound> Bounds(const Config& config) {
  const uint64_t processes = WorkerProcesses(config);
  std::vector<Bound> bounds = {
      {"requests in flight, as read and as jobs", 2 * config.request_bytes, "2 x --request-bytes"},
      {"requests being received, and connections", GrpcBytes(config),
       "64 MiB + 2 x --request-bytes"},
      {"answers not yet read from streams", config.request_bytes, "--request-bytes"},
      {"jobs being sent to workers", processes * config.limits.message_bytes,
       absl::StrCat(processes, " x --max-message-bytes")},
      {"memory cache", config.memory_cache_bytes, "--memory-cache-bytes"}};
  if (!config.cache_dir.empty()) {
    bounds.push_back({"disk cache: blocks, indexes, records not yet in a table",
                      cache::DiskTier::MemoryBound(config.cache_bytes, config.disk_cache_memory),
                      "--disk-cache-memory"});
  }
  if (config.recheck != 0) {
    bounds.push_back({"answers waiting for a recheck", server::Recheck::kMaxBytes, "--recheck"});
  }
  if (config.quarantine_after != 0) {
    bounds.push_back(
        {"quarantined sources", quarantine::Options().max_bytes, "--quarantine-after"});
  }
  if (!config.traces_url.empty()) {
    bounds.push_back({"traces not yet exported", trace::Exporter::kMaxBytes, "--otlp-endpoint"});
  }
  return bounds;
}

uint64_t ResidentNeed(const Config& config) { return kStartResident + Sum(config); }
uint64_t AddressSpaceNeed(const Config& config) { return kStartAddressSpace + Sum(config); }

uint64_t WorkerProcesses(const Config& config) {
  return server::NumberOfWorkers(config) + config.spare_workers + (config.recheck != 0 ? 1 : 0);
}

absl::StatusOr<std::vector<std::string>> Fit(const Limits& limits, Config* config) {
  const auto before = server::ShowSettings(*config);
  if (absl::Status s = FitAddressSpace(limits, config); !s.ok()) return s;
  if (absl::Status s = FitGroup(limits, config); !s.ok()) return s;
  std::vector<std::string> lowered;
  const auto after = server::ShowSettings(*config);
  for (size_t i = 0; i < after.size(); ++i) {
    if (after[i] == before[i]) continue;
    lowered.push_back(absl::StrCat(after[i].first, "=", after[i].second));
  }
  return lowered;
}

std::string Describe(const Limits& limits, const Config& config) {
  std::string text = "Resident memory, at most:\n";
  AppendOwn(config, kStartResident, ResidentNeed(config), &text);
  AppendWorkers(config, &text);
  const uint64_t workers = WorkerProcesses(config) * config.job_memory;
  if (config.job_memory != 0) {
    absl::StrAppendFormat(&text, "= %8s  all processes together; allowed: %s\n",
                          Size(ResidentNeed(config) + workers),
                          limits.group == kUnlimited
                              ? "no control-group limit"
                              : absl::StrCat(Size(limits.group), " (", limits.group_file, ")"));
  }
  absl::StrAppendFormat(&text, "Address space of kilnd: %s; allowed: %s\n",
                        Size(AddressSpaceNeed(config)),
                        limits.address_space == kUnlimited
                            ? "no limit (RLIMIT_AS)"
                            : absl::StrCat(Size(limits.address_space), " (RLIMIT_AS)"));
  return text;
}

}  // namespace kiln::memory
