// Metrics that other parts count themselves: see snapshot.h.
#include "server/metrics/snapshot.h"

#include <sys/resource.h>
#include <unistd.h>

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
using prometheus::MetricType;

// Returns seconds since 1970. The kernel counts from boot, in ticks.
double StartTime() {
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

std::vector<MetricFamily> Snapshot::Collect() const {
  std::vector<MetricFamily> out;
  CollectCache(&out);
  CollectPool(&out);
  CollectQuarantine(&out);
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
  Add(out, "kiln_cache_requests_total", "Look-ups of records, by tier and outcome",
      MetricType::Counter,
      {{at("memory", "hit"), D(c.memory_hits)},
       {at("memory", "miss"), D(c.memory_misses)},
       {at("disk", "hit"), D(c.disk_hits)},
       {at("disk", "miss"), D(c.disk_misses)},
       {at("disk", "corrupt"), D(c.disk_corrupt)},
       {at("disk", "error"), D(c.disk_errors)}});
  std::vector<ClientMetric::Label> in_memory = {{"tier", "memory"}}, on_disk = {{"tier", "disk"}};
  Add(out, "kiln_cache_bytes", "Size of a cache tier in bytes", MetricType::Gauge,
      {{in_memory, D(memory.bytes)}, {on_disk, D(disk.bytes)}});
  Add(out, "kiln_cache_limit_bytes", "Maximum size of a cache tier in bytes", MetricType::Gauge,
      {{in_memory, D(cache_->memory_limit())}, {on_disk, D(disk_limit)}});
  Add(out, "kiln_cache_invalid_bytes",
      "Bytes of a tier in results of invalid modules; an estimate for the disk tier",
      MetricType::Gauge,
      {{in_memory, D(cache_->invalid_memory_usage().bytes)}, {on_disk, D(disk.invalid_bytes)}});
  Add(out, "kiln_cache_invalid_limit_bytes",
      "Maximum bytes of results of invalid modules in a tier", MetricType::Gauge,
      {{in_memory, D(cache_->invalid_memory_limit())}, {on_disk, D(disk_invalid_limit)}});
  Add(out, "kiln_cache_invalid_refused_total",
      "Records of invalid modules that the disk tier did not store because of their limit",
      MetricType::Counter, {{{}, D(disk.invalid_refused)}});
  Add(out, "kiln_cache_entries", "Records in a tier; an estimate for the disk tier",
      MetricType::Gauge, {{in_memory, D(memory.entries)}, {on_disk, D(disk.entries)}});
  Add(out, "kiln_cache_evicted_bytes_total", "Bytes evicted from a tier", MetricType::Counter,
      {{in_memory, D(memory.evicted_bytes)}, {on_disk, D(disk.dropped_bytes)}});
  Add(out, "kiln_cache_dropped_generations_total", "Generations evicted from the disk tier",
      MetricType::Counter, {{{}, D(disk.dropped_generations)}});
  Add(out, "kiln_cache_write_errors_total", "Records that the disk tier could not store",
      MetricType::Counter, {{{}, D(disk.write_errors)}});
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
  Add(out, "kiln_cache_disk_state",
      "1 for the disk tier's present state, 0 for the others; all 0: there is no disk tier",
      MetricType::Gauge, states);
  Add(out, "kiln_cache_disk_failing",
      "1 for the cause of the disk tier not serving completely, 0 for the others",
      MetricType::Gauge, causes);
  Add(out, "kiln_cache_disk_failures_total", "Number of times that the disk tier started to fail",
      MetricType::Counter, {{{}, D(disk.failures)}});
  Add(out, "kiln_cache_disk_recoveries_total", "Number of times that the disk tier recovered",
      MetricType::Counter, {{{}, D(disk.recoveries)}});
  Add(out, "kiln_cache_lost_records_total", "Records on disk lost to damage", MetricType::Counter,
      {{{}, D(disk.lost_records)}});
  auto end = [](const char* result) {
    return std::vector<ClientMetric::Label>{{"result", result}};
  };
  Add(out, "kiln_cache_damaged_generations_total",
      "Generations found damaged, and outcomes of those that could not be opened",
      MetricType::Counter,
      {{end("found"), D(disk.damaged_generations)},
       {end("repaired"), D(disk.repaired_generations)},
       {end("lost"), D(disk.lost_generations)}});
  Add(out, "kiln_cache_old_layouts_dropped_total", "Caches of an earlier layout that were removed",
      MetricType::Counter, {{{}, D(disk.old_layouts_dropped)}});
}

void Snapshot::CollectQueues(size_t jobs, std::vector<MetricFamily>* out) const {
  std::vector<ClientMetric::Label> worker = {{"queue", "worker"}}, disk = {{"queue", "disk"}};
  std::vector<Sample> depth = {{worker, D(jobs)}}, limit = {{worker, D(queue_limit_)}};
  if (disk_queued_) {
    depth.push_back({disk, D(disk_queued_())});
    limit.push_back({disk, D(disk_queue_limit_)});
  }
  Add(out, "kiln_queue_depth",
      "Waiting entries of a queue: jobs for a worker, steps of calls for a thread that may read "
      "from the disk",
      MetricType::Gauge, depth);
  if (refusals_held_ != nullptr) {
    Add(out, "kiln_refusals_held",
        "Refused calls whose answer is delayed, so that clients do not retry at once",
        MetricType::Gauge, {{{}, D(refusals_held_())}});
  }
  Add(out, "kiln_queue_limit", "Maximum number of waiting entries before new calls are refused",
      MetricType::Gauge, limit);
}

void Snapshot::CollectPool(std::vector<MetricFamily>* out) const {
  worker::Pool::Load load = pool_->load();
  CollectQueues(load.queued, out);
  Add(out, "kiln_queue_owners", "Client addresses with a waiting or running job", MetricType::Gauge,
      {{{}, D(load.owners)}});
  Add(out, "kiln_queue_busiest_share",
      "Share of the workers' recent CPU time, 0 to 1, of the client address that used most",
      MetricType::Gauge, {{{}, load.busiest_share}});
  Add(out, "kiln_queue_displaced_total",
      "Waiting jobs refused because the queue was full and other clients had fewer jobs in it",
      MetricType::Counter, {{{}, D(load.displaced)}});
  Add(out, "kiln_express_jobs_total",
      "Jobs that a spare worker ran while all other workers were busy", MetricType::Counter,
      {{{}, D(load.express)}});
  Add(out, "kiln_workers", "Worker processes alive", MetricType::Gauge,
      {{{}, static_cast<double>(load.workers)}});
  Add(out, "kiln_workers_busy", "Worker processes that run a job", MetricType::Gauge,
      {{{}, static_cast<double>(load.busy)}});
  Add(out, "kiln_worker_resident_memory_bytes", "Resident memory of all worker processes in bytes",
      MetricType::Gauge, {{{}, static_cast<double>(load.resident_bytes)}});
  Add(out, "kiln_worker_largest_resident_memory_bytes",
      "Resident memory of the largest worker process in bytes", MetricType::Gauge,
      {{{}, static_cast<double>(load.largest_resident_bytes)}});
  auto phase = [](const char* name, absl::Duration used) {
    return Sample{{{"phase", name}}, absl::ToDoubleSeconds(used)};
  };
  Add(out, "kiln_worker_cpu_seconds_total",
      "CPU seconds of worker processes: before they were ready for jobs, and since",
      MetricType::Counter, {phase("start", load.start_cpu), phase("jobs", load.jobs_cpu)});
  std::vector<Sample> level;
  for (const auto& [feature, value] : worker::LevelOf(pool_->sandbox())) {
    level.push_back({{{"feature", feature}}, static_cast<double>(value)});
  }
  Add(out, "kiln_sandbox_level",
      "Sandbox layers of every worker: 0 if missing, else 1 or the version of the kernel interface",
      MetricType::Gauge, level);
}

void Snapshot::CollectQuarantine(std::vector<MetricFamily>* out) const {
  if (quarantine_ == nullptr) return;
  const quarantine::Quarantine::Usage usage = quarantine_->usage();
  Add(out, "kiln_quarantine_entries", "Keys in quarantine: refused because they killed workers",
      MetricType::Gauge, {{{}, D(usage.entries)}});
  Add(out, "kiln_quarantine_bytes", "Bytes of the sources kept in quarantine", MetricType::Gauge,
      {{{}, D(usage.bytes)}});
  Add(out, "kiln_quarantine_refusals_total", "Results refused because their key is in quarantine",
      MetricType::Counter, {{{}, D(usage.refusals)}});
  Add(out, "kiln_quarantine_unwritten_entries",
      "Quarantine entries that are in memory only because the directory cannot be written",
      MetricType::Gauge, {{{}, D(usage.unwritten)}});
  Add(out, "kiln_quarantine_write_errors_total",
      "Quarantine entries that could not be written to disk", MetricType::Counter,
      {{{}, D(usage.write_errors)}});
  const auto& dropped = usage.dropped;
  Add(out, "kiln_quarantine_dropped_total",
      "Quarantine entries dropped at the start: damaged, of another format or compiler, or a limit "
      "that they exceeded has been raised",
      MetricType::Counter,
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
  Add(out, "process_cpu_seconds_total", "CPU seconds of the daemon, without its workers",
      MetricType::Counter, {{{}, seconds(usage.ru_utime) + seconds(usage.ru_stime)}});
  Add(out, "kiln_protobuf_messages_total",
      "Messages of protobuf about invalid input of clients (text that is not UTF-8)",
      MetricType::Counter, {{{}, D(server::ProtobufMessages())}});
  // Computed once: a step of the clock is not a restart.
  static const double start_time = StartTime();
  Add(out, "process_start_time_seconds", "Start time of the daemon, in seconds since 1970",
      MetricType::Gauge, {{{}, start_time}});
  unsigned long total = 0, resident = 0;
  if (FILE* f = fopen("/proc/self/statm", "re")) {
    if (fscanf(f, "%lu %lu", &total, &resident) != 2) resident = 0;
    fclose(f);
  }
  Add(out, "process_resident_memory_bytes",
      "Resident memory of the daemon in bytes, without its workers", MetricType::Gauge,
      {{{}, D(resident) * static_cast<double>(sysconf(_SC_PAGESIZE))}});
}

}  // namespace kiln::metrics
