// Metrics that other parts count themselves: see snapshot.h.
#include "server/metrics/snapshot.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <initializer_list>
#include <string>

#include "server/metrics/families.h"
#include "server/rpc/protobuf_log.h"
#include "server/worker/sandbox_level.h"

namespace kiln::metrics {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;

// The kernel counts from boot, in ticks.
double ReadStartTime() {
  FILE* f = fopen("/proc/self/stat", "re");
  if (f == nullptr) return 0;
  unsigned long long ticks = 0;
  // Reads field 22; field 2 is the name in brackets.
  int found = fscanf(f,
                     "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
                     "%*d %*d %*d %*d %llu",
                     &ticks);
  fclose(f);
  timespec now = {}, up = {};
  clock_gettime(CLOCK_REALTIME, &now);
  clock_gettime(CLOCK_BOOTTIME, &up);
  double booted = static_cast<double>(now.tv_sec - up.tv_sec) +
                  static_cast<double>(now.tv_nsec - up.tv_nsec) * 1e-9;
  if (found != 1) return 0;
  return booted + static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

double StartTime() {
  static const double start_time = ReadStartTime();
  return start_time;
}

std::vector<MetricFamily> Snapshot::Collect() const {
  std::vector<MetricFamily> out;
  CollectCache(&out);
  CollectPool(&out);
  CollectQuarantine(&out);
  CollectMemory(&out);
  CollectProcess(&out);
  return out;
}

void Snapshot::CollectCache(std::vector<MetricFamily>* out) const {
  const auto& c = cache_->counters();
  auto memory = cache_->memory_usage();
  cache::DiskTier::Usage disk;
  uint64_t disk_limit = 0, disk_invalid_limit = 0;
  if (cache_->disk() != nullptr) {
    disk = cache_->disk()->usage();
    disk_limit = cache_->disk()->limit_bytes();
    disk_invalid_limit = cache_->disk()->invalid_limit_bytes();
  }
  auto at = [](const char* tier, const char* result) {
    return std::vector<ClientMetric::Label>{{"tier", tier}, {"result", result}};
  };
  Add(out, "kiln_cache_requests_total",
      {{at("memory", "hit"), D(c.memory_hits)},
       {at("memory", "miss"), D(c.memory_misses)},
       {at("disk", "hit"), D(c.disk_hits)},
       {at("disk", "miss"), D(c.disk_misses)},
       {at("disk", "corrupt"), D(c.disk_corrupt)},
       {at("disk", "error"), D(c.disk_errors)}});
  std::vector<ClientMetric::Label> in_memory = {{"tier", "memory"}}, on_disk = {{"tier", "disk"}};
  Add(out, "kiln_cache_bytes", {{in_memory, D(memory.bytes)}, {on_disk, D(disk.bytes)}});
  Add(out, "kiln_cache_limit_bytes",
      {{in_memory, D(cache_->memory_limit())}, {on_disk, D(disk_limit)}});
  Add(out, "kiln_cache_invalid_bytes",
      {{in_memory, D(cache_->invalid_memory_usage().bytes)}, {on_disk, D(disk.invalid_bytes)}});
  Add(out, "kiln_cache_invalid_limit_bytes",
      {{in_memory, D(cache_->invalid_memory_limit())}, {on_disk, D(disk_invalid_limit)}});
  Add(out, "kiln_cache_invalid_refused_total", {{{}, D(disk.invalid_refused)}});
  Add(out, "kiln_cache_entries", {{in_memory, D(memory.entries)}, {on_disk, D(disk.entries)}});
  Add(out, "kiln_cache_evicted_bytes_total",
      {{in_memory, D(memory.evicted_bytes)}, {on_disk, D(disk.dropped_bytes)}});
  std::vector<Sample> ages;
  if (memory.evicted_age_seconds >= 0) ages.push_back({in_memory, memory.evicted_age_seconds});
  if (disk.dropped_age_seconds >= 0) ages.push_back({on_disk, disk.dropped_age_seconds});
  Add(out, "kiln_cache_evicted_age_seconds", ages);
  Add(out, "kiln_cache_dropped_generations_total", {{{}, D(disk.dropped_generations)}});
  Add(out, "kiln_cache_write_errors_total", {{{}, D(disk.write_errors)}});
  CollectDisk(disk, out);
}

// The state of the disk tier, and the cost of damage to it.
void Snapshot::CollectDisk(const cache::DiskTier::Usage& disk,
                           std::vector<MetricFamily>* out) const {
  cache::DiskStatus status;
  if (cache_->disk() != nullptr) status = cache_->disk()->status();
  std::vector<Sample> states, causes;
  for (cache::DiskState state : cache::kDiskStates) {
    states.push_back({{{"state", std::string(cache::Name(state))}},
                      cache_->disk() != nullptr && status.state == state ? 1.0 : 0.0});
  }
  for (cache::DiskCause cause : cache::kDiskCauses) {
    causes.push_back(
        {{{"cause", std::string(cache::Name(cause))}}, status.cause == cause ? 1.0 : 0.0});
  }
  Add(out, "kiln_cache_disk_state", states);
  Add(out, "kiln_cache_disk_failing", causes);
  Add(out, "kiln_cache_disk_failures_total", {{{}, D(disk.failures)}});
  Add(out, "kiln_cache_disk_recoveries_total", {{{}, D(disk.recoveries)}});
  Add(out, "kiln_cache_lost_records_total", {{{}, D(disk.lost_records)}});
  auto end = [](const char* result) {
    return std::vector<ClientMetric::Label>{{"result", result}};
  };
  Add(out, "kiln_cache_damaged_generations_total",
      {{end("found"), D(disk.damaged_generations)},
       {end("repaired"), D(disk.repaired_generations)},
       {end("lost"), D(disk.lost_generations)}});
  Add(out, "kiln_cache_old_layouts_dropped_total", {{{}, D(disk.old_layouts_dropped)}});
}

void Snapshot::CollectQueues(size_t jobs, std::vector<MetricFamily>* out) const {
  std::vector<ClientMetric::Label> worker = {{"queue", "worker"}}, disk = {{"queue", "disk"}};
  std::vector<Sample> depth = {{worker, D(jobs)}}, limit = {{worker, D(queue_limit_)}};
  if (disk_queued_) {
    depth.push_back({disk, D(disk_queued_())});
    limit.push_back({disk, D(disk_queue_limit_)});
  }
  Add(out, "kiln_queue_depth", depth);
  if (refusals_held_ != nullptr) {
    Add(out, "kiln_refusals_held", {{{}, D(refusals_held_())}});
  }
  Add(out, "kiln_queue_limit", limit);
}

void Snapshot::CollectShares(const worker::Pool::Load& load, std::vector<MetricFamily>* out) {
  std::vector<Sample> shares;
  double others = load.largest_shares.empty() ? 0 : 1;
  for (size_t rank = 0; rank < worker::Pool::Load::kLargestShares; ++rank) {
    const double share = rank < load.largest_shares.size() ? load.largest_shares[rank] : 0;
    others -= share;
    shares.push_back({{{"rank", std::to_string(rank + 1)}}, share});
  }
  shares.push_back({{{"rank", "others"}}, std::max(others, 0.0)});
  Add(out, "kiln_queue_share", shares);
  Add(out, "kiln_queue_refused_jobs_total",
      {{{{"client", "busiest"}}, D(load.refused_busiest)},
       {{{"client", "other"}}, D(load.refused_others)}});
}

void Snapshot::CollectMemory(std::vector<MetricFamily>* out) const {
  if (memory_.daemon == 0) return;
  Add(out, "kiln_memory_bound_bytes",
      {{{{"process", "daemon"}}, D(memory_.daemon)},
       {{{"process", "workers"}}, D(memory_.workers)}});
  if (memory_.limit != 0) Add(out, "kiln_memory_limit_bytes", {{{}, D(memory_.limit)}});
}

void Snapshot::CollectPool(std::vector<MetricFamily>* out) const {
  worker::Pool::Load load = pool_->load();
  CollectQueues(load.queued, out);
  CollectShares(load, out);
  Add(out, "kiln_queue_owners", {{{}, D(load.owners)}});
  Add(out, "kiln_queue_busiest_share", {{{}, load.busiest_share}});
  Add(out, "kiln_queue_displaced_total", {{{}, D(load.displaced)}});
  Add(out, "kiln_express_jobs_total", {{{}, D(load.express)}});
  Add(out, "kiln_workers", {{{}, static_cast<double>(load.workers)}});
  Add(out, "kiln_workers_busy", {{{}, static_cast<double>(load.busy)}});
  Add(out, "kiln_worker_resident_memory_bytes", {{{}, static_cast<double>(load.resident_bytes)}});
  Add(out, "kiln_worker_largest_resident_memory_bytes",
      {{{}, static_cast<double>(load.largest_resident_bytes)}});
  auto phase = [](const char* name, absl::Duration used) {
    return Sample{{{"phase", name}}, absl::ToDoubleSeconds(used)};
  };
  Add(out, "kiln_worker_cpu_seconds_total",
      {phase("start", load.start_cpu), phase("jobs", load.jobs_cpu)});
  std::vector<Sample> level;
  for (const auto& [feature, value] : worker::LevelOf(pool_->sandbox())) {
    level.push_back({{{"feature", feature}}, static_cast<double>(value)});
  }
  Add(out, "kiln_sandbox_level", level);
}

void Snapshot::CollectQuarantine(std::vector<MetricFamily>* out) const {
  if (quarantine_ == nullptr) return;
  const quarantine::Quarantine::Usage usage = quarantine_->usage();
  Add(out, "kiln_quarantine_entries", {{{}, D(usage.entries)}});
  Add(out, "kiln_quarantine_bytes", {{{}, D(usage.bytes)}});
  Add(out, "kiln_quarantine_refusals_total", {{{}, D(usage.refusals)}});
  Add(out, "kiln_quarantine_unwritten_entries", {{{}, D(usage.unwritten)}});
  Add(out, "kiln_quarantine_write_errors_total", {{{}, D(usage.write_errors)}});
  const auto& dropped = usage.dropped;
  Add(out, "kiln_quarantine_dropped_total",
      {{{{"reason", "damaged"}}, D(dropped.damaged)},
       {{{"reason", "format"}}, D(dropped.format)},
       {{{"reason", "compiler"}}, D(dropped.compiler)},
       {{{"reason", "limits"}}, D(dropped.limits)}});
}

void Snapshot::CollectProcess(std::vector<MetricFamily>* out) {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  Add(out, "process_cpu_seconds_total", {{{}, seconds(usage.ru_utime) + seconds(usage.ru_stime)}});
  Add(out, "kiln_protobuf_messages_total", {{{}, D(server::ProtobufMessages())}});
  Add(out, "process_start_time_seconds", {{{}, StartTime()}});
  unsigned long total = 0, resident = 0;
  if (FILE* f = fopen("/proc/self/statm", "re")) {
    if (fscanf(f, "%lu %lu", &total, &resident) != 2) resident = 0;
    fclose(f);
  }
  Add(out, "process_resident_memory_bytes",
      {{{}, D(resident) * static_cast<double>(sysconf(_SC_PAGESIZE))}});
}

}  // namespace kiln::metrics
