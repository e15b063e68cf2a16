// Puts kilnd together: see daemon.h.
#include "server/daemon.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/server_posix.h>
#include <prometheus/text_serializer.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "server/build_commit.h"
#include "server/cache/cache_directory.h"
#include "server/cache/disk_tier.h"
#include "server/cache/result_cache.h"
#include "server/engine/engine.h"
#include "server/engine/overload.h"
#include "server/engine/recheck.h"
#include "server/event_log.h"
#include "server/log/log.h"
#include "server/memory/limits.h"
#include "server/memory/plan.h"
#include "server/metrics/metrics.h"
#include "server/metrics/network.h"
#include "server/metrics/open_metrics.h"
#include "server/metrics/snapshot.h"
#include "server/metrics/traces.h"
#include "server/net/address.h"
#include "server/net/connection.h"
#include "server/net/descriptors.h"
#include "server/net/health_call.h"
#include "server/net/http_pages.h"
#include "server/net/listener.h"
#include "server/net/self_probe.h"
#include "server/pages/activity.h"
#include "server/pages/pages.h"
#include "server/quarantine/admin_service.h"
#include "server/quarantine/quarantine.h"
#include "server/rpc/health_service.h"
#include "server/rpc/reflection_service.h"
#include "server/rpc/service.h"
#include "server/rpc/v1alpha.h"
#include "server/trace/exporter.h"
#include "server/trace/http_transport.h"
#include "server/trace/settings.h"
#include "server/trace/tracer.h"
#include "server/worker/pool.h"
#include "server/worker_user.h"

namespace kiln::server {
namespace {

// The collectors that a scrape reads. A part that ends before the last scrape is removed first.
class Scrape {
 public:
  void Add(std::shared_ptr<prometheus::Collectable> source) {
    absl::MutexLock lock(&mutex_);
    sources_.push_back(std::move(source));
  }
  void Remove(const prometheus::Collectable* source) {
    absl::MutexLock lock(&mutex_);
    std::erase_if(sources_, [&](const auto& s) { return s.get() == source; });
  }
  // Returns what all collectors have.
  std::vector<prometheus::MetricFamily> Collect() {
    absl::MutexLock lock(&mutex_);
    std::vector<prometheus::MetricFamily> all;
    for (const auto& source : sources_) {
      auto some = source->Collect();
      std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    return all;
  }

 private:
  absl::Mutex mutex_;
  std::vector<std::shared_ptr<prometheus::Collectable>> sources_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

// Destroyed from the last to the first, after Stop.
struct Daemon::Parts {
  // Null while there are no metrics: workers may end before that, and after.
  std::atomic<metrics::Metrics*> exit_counter = nullptr;
  net::ConnectionTable connections;
  std::unique_ptr<cache::ResultCache> cache;
  std::unique_ptr<metrics::Metrics> metrics;
  std::unique_ptr<pages::Activity> activity;
  std::unique_ptr<quarantine::Quarantine> quarantine;
  std::unique_ptr<trace::Exporter> exporter;  // null: traces are off, and tracer is null
  std::unique_ptr<trace::Tracer> tracer;
  std::unique_ptr<KnownSources> known;
  std::unique_ptr<Recheck> recheck;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<worker::Pool> pool;
  std::shared_ptr<metrics::Snapshot> snapshot;
  std::unique_ptr<CompilerService> service;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor;
  std::unique_ptr<AdminService> admin;
  std::unique_ptr<V1AlphaServices> v1alpha;
  HealthService health{{"", "kiln.v1.Compiler", kV1AlphaCompiler}, &connections};
  ReflectionService reflection{
      {"kiln.v1.Compiler", "kiln.v1.Admin", kV1AlphaCompiler, kV1AlphaAdmin,
       "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"},
      V1AlphaFiles(),
      &connections};
  std::unique_ptr<grpc::Server> server;
  std::unique_ptr<net::Listener> call_listener;
  std::unique_ptr<net::SelfProbe> probe;
  std::shared_ptr<metrics::Network> network;
  Scrape scrape;
  std::unique_ptr<pages::Pages> own_pages;
  std::unique_ptr<net::HttpPages> pages;
  std::unique_ptr<net::Listener> scrape_listener;
  std::string listen_address;
  std::string metrics_address;
  pages::Facts facts;
  bool reached_from_elsewhere = false;
  uint64_t max_connections = 0;
  uint64_t max_per_address = 0;
  absl::Duration drain_time;
  std::atomic<bool> stopping = false;
  log::Log* log = nullptr;
  // State as of the last Look.
  Overload overload;
  uint64_t quarantine_write_errors = 0;
  std::string quarantine_trouble;
};

namespace {

worker::PoolOptions MakePoolOptions(const Config& config) {
  worker::PoolOptions options;
  options.executable = config.worker_binary;
  options.workers = static_cast<int>(NumberOfWorkers(config));
  options.spare_workers = static_cast<int>(config.spare_workers);
  options.queue_limit = config.queue;
  options.jobs_per_worker = static_cast<int64_t>(config.jobs_per_worker);
  options.limits.address_space_bytes = config.job_memory;
  options.limits.cpu_time = config.job_cpu_time;
  options.limits.wall_time = config.job_time;
  options.limits.niceness = static_cast<int>(config.worker_niceness);
  options.limits.fault_injection = config.enable_fault_injection;
  return options;
}

// Returns the bounds on memory that metrics show.
metrics::Snapshot::Memory MemoryOf(const Config& config) {
  const memory::Limits limits = memory::ReadLimits();
  return {memory::ResidentNeed(config), memory::WorkerProcesses(config) * config.job_memory,
          limits.group == memory::kUnlimited ? 0 : limits.group};
}

// Number of tables that the disk cache keeps open; all of them where descriptors are plenty.
uint64_t CacheTables(const Config& config) {
  if (config.cache_dir.empty()) return 0;
  return std::clamp<uint64_t>(net::GetDescriptorLimits().hard / 4, 60, 4096);
}

// Descriptors that the daemon needs besides clients' connections. Idle it has about 30, and 3 for
// each worker.
uint64_t ReservedDescriptors(const Config& config) {
  constexpr uint64_t kOwn = 92;        // standard files, gRPC's queues, a probe, logs and locks
  constexpr uint64_t kEachWorker = 8;  // including those of its start
  return kOwn + 2 * net::kListenerDescriptors + net::HttpPages::kMaxOpen +
         kEachWorker * memory::WorkerProcesses(config) + CacheTables(config);
}

absl::StatusOr<std::unique_ptr<cache::ResultCache>> OpenCache(const Config& config, log::Log* log) {
  std::unique_ptr<cache::DiskTier> disk;
  if (!config.cache_dir.empty()) {
    cache::DiskOptions options;
    options.directory = config.cache_dir;
    options.limit_bytes = config.cache_bytes;
    options.memory_bytes = config.disk_cache_memory;
    options.open_tables = static_cast<int>(CacheTables(config));
    options.observer = [log](const cache::DiskEvent& event) { LogDiskEvent(event, log); };
    auto opened = cache::DiskTier::Open(options);
    if (!opened.ok()) return opened.status();
    disk = *std::move(opened);
  }
  return std::make_unique<cache::ResultCache>(config.memory_cache_bytes, std::move(disk));
}

// Returns what a cache key depends on besides the request: the compiler of `target`, or of
// translations if it is empty.
std::string CompilerOf(const worker::Hello& hello, const std::string& target) {
  if (target.empty()) return absl::StrCat("glslang ", hello.glslang_version());
  for (const auto& known : hello.targets()) {
    if (known.name() != target) continue;
    return absl::StrCat(target, " ", known.code_generation_version(), ", ABI ",
                        known.abi_version());
  }
  return "";
}

std::unique_ptr<quarantine::Quarantine> OpenQuarantine(const Config& config,
                                                       const worker::Hello& hello, log::Log* log) {
  quarantine::Options options;
  options.deaths = static_cast<uint32_t>(std::min<uint64_t>(config.quarantine_after, UINT32_MAX));
  if (!config.cache_dir.empty()) {
    options.directory = std::filesystem::absolute(config.cache_dir) / "quarantine";
  }
  const worker::WorkerLimits limits = MakePoolOptions(config).limits;
  options.limits.set_job_time_ms(absl::ToInt64Milliseconds(limits.wall_time));
  options.limits.set_job_cpu_time_ms(absl::ToInt64Milliseconds(limits.cpu_time));
  options.limits.set_job_memory_bytes(limits.address_space_bytes);
  options.compiler = [hello](const std::string& target) { return CompilerOf(hello, target); };
  options.follow_interval = absl::Seconds(1);
  options.on_quarantined = [log](const auto& entry) { LogQuarantined(entry, log); };
  options.on_cleared = [log](uint32_t entries) {
    log->Write(log::Event::kQuarantineCleared, {{"entries", entries}});
  };
  auto quarantine = std::make_unique<quarantine::Quarantine>(std::move(options));
  LogQuarantineLoaded(quarantine->usage(), log);
  return quarantine;
}

// Returns the disk tier's status; without a disk tier, that of one that serves.
cache::DiskStatus DiskStatusOf(const cache::ResultCache& cache) {
  const cache::DiskTier* disk = cache.disk();
  return disk == nullptr ? cache::DiskStatus() : disk->status();
}

// Bound on the time for spans that are not sent when the daemon stops.
constexpr absl::Duration kTraceFlushTime = absl::Seconds(3);

trace::Flags TraceFlags(const Config& config) {
  trace::Flags flags = {config.otlp_endpoint, config.otlp_headers_file, std::nullopt};
  if (config.given.count("trace-sampling") > 0) {
    const uint64_t n = config.trace_sampling;
    flags.ratio = n == 0 ? 0.0 : 1.0 / static_cast<double>(n);
  }
  return flags;
}

// Makes exporter and tracer if there is a collector to send traces to.
absl::Status OpenTracing(const Config& config, log::Log* log,
                         std::unique_ptr<trace::Exporter>* exporter,
                         std::unique_ptr<trace::Tracer>* tracer) {
  auto settings = trace::ReadSettings(TraceFlags(config), getenv, kVersion);
  if (!settings.ok()) return settings.status();
  for (const std::string& warning : settings->warnings) {
    log->Write(log::Event::kTraceSetting, {{"message", warning}});
  }
  if (settings->endpoint.url.empty()) return absl::OkStatus();
  auto transport = trace::HttpTransport::Make(settings->endpoint);
  if (!transport.ok()) return transport.status();
  trace::Exporter::Options options = std::move(settings->exporter);
  options.on_change = [log](const std::string& why) {
    if (why.empty()) {
      log->Write(log::Event::kTracesExported, {});
    } else {
      log->Write(log::Event::kTracesNotExported, {{"message", why}});
    }
  };
  *exporter = std::make_unique<trace::Exporter>(std::move(options), *std::move(transport));
  *tracer = std::make_unique<trace::Tracer>(settings->sampling, exporter->get());
  return absl::OkStatus();
}

// The daemon counts as deaf if its probe of itself has no answer after this time.
constexpr absl::Duration kProbeTimeout = absl::Seconds(5);
// A client that does not answer a ping within this time counts as gone, and its calls end.
constexpr absl::Duration kPingTimeout = absl::Seconds(20);
// With --require-source-once: how many sources are remembered for all clients together, at about
// 100 bytes each, and for how long.
constexpr size_t kKnownSources = 1 << 18;
constexpr absl::Duration kSourceKnownFor = absl::Hours(1);
// How often a draining daemon checks if calls are in flight.
constexpr absl::Duration kDrainLook = absl::Milliseconds(5);
// Time in which a new connection has to begin with HTTP/2.
constexpr absl::Duration kHandshakeTimeout = absl::Seconds(10);

int Milliseconds(absl::Duration time) {
  return static_cast<int>(
      std::clamp<int64_t>(absl::ToInt64Milliseconds(time), 1, std::numeric_limits<int>::max()));
}

absl::Status BuildServer(const Config& config, const std::vector<grpc::Service*>& services,
                         std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor>* acceptor,
                         std::unique_ptr<grpc::Server>* server) {
  using External = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
  grpc::ServerBuilder builder;
  *acceptor = builder.experimental().AddExternalConnectionAcceptor(
      External::FROM_FD, grpc::InsecureServerCredentials());
  // Bounds for clients that keep to HTTP/2. server/net/README.md has the attacks that gRPC 1.51
  // does not bound.
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 1024);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, 8 << 10);
  // Clients that wait send pings (client/service/client.h); more often than this is a nuisance.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 4000);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, Milliseconds(kHandshakeTimeout));
  // A connection without a call for so long ends, whatever else its client sends, and another
  // client can connect. The time begins with the connection, and anew if there were calls when it
  // ends.
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, Milliseconds(config.idle_time));
  // Pings go only to clients with calls, and end the calls of clients that vanished without a word.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(config.idle_time / 3));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Milliseconds(kPingTimeout));
  builder.SetMaxReceiveMessageSize(static_cast<int>(
      std::min<uint64_t>(config.limits.message_bytes, std::numeric_limits<int>::max())));
  builder.SetMaxSendMessageSize(-1);
  // gRPC 1.51 measures a message before it inflates it, and 1 MB becomes 1 GB. Without the filter
  // that inflates, and with all algorithms off, a call that names one ends with UNIMPLEMENTED.
  // Answers are not compressed either.
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_COMPRESSION, 0);
  for (grpc_compression_algorithm algorithm : {GRPC_COMPRESS_DEFLATE, GRPC_COMPRESS_GZIP}) {
    builder.SetCompressionAlgorithmSupportStatus(algorithm, false);
  }
  // Messages count against --request-bytes once they have arrived (service.h). While they arrive
  // gRPC holds them, for any number of clients; beyond this quota it ends some of these calls with
  // RESOURCE_EXHAUSTED.
  grpc::ResourceQuota quota("kilnd");
  quota.Resize(memory::GrpcBytes(config));
  builder.SetResourceQuota(quota);
  for (grpc::Service* service : services) builder.RegisterService(service);
  *server = builder.BuildAndStart();
  if (*server == nullptr) return absl::UnavailableError("gRPC could not be started");
  return absl::OkStatus();
}

}  // namespace

void Daemon::ListenForCalls(const Config& config, net::ListeningSockets sockets,
                            net::TrustedProxies trusted, Parts* parts) {
  parts->listen_address = sockets.address;
  parts->reached_from_elsewhere = net::ReachedFromElsewhere(sockets);
  net::Listener::Options options;
  options.max_connections = parts->max_connections;
  parts->max_per_address = config.max_connections_per_address != 0
                               ? config.max_connections_per_address
                               : (parts->max_connections + 1) / 2;
  options.max_per_address = parts->max_per_address;
  options.trusted = std::move(trusted);
  options.table = &parts->connections;
  options.on_refusing = [log = parts->log](bool refusing) { LogRefusing("grpc", refusing, log); };
  options.take = [acceptor = parts->acceptor.get(), server = parts->server.get()](int fd,
                                                                                  bool named) {
    // gRPC names a connection from an acceptor by its peer's address, which all clients of a
    // Unix-domain socket have in common; a connection given by descriptor is named by that.
    if (!named) return grpc::AddInsecureChannelFromFd(server, fd);
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
    connection.fd = fd;
    acceptor->HandleNewConnection(&connection);
  };
  parts->call_listener = std::make_unique<net::Listener>(std::move(sockets), std::move(options));

  net::SelfProbe::Options probe;
  probe.interval = config.probe_interval;
  probe.bound = 3 * kProbeTimeout;
  probe.ask = [listener = parts->call_listener.get()] {
    return net::CallHealthThrough(listener, kProbeTimeout);
  };
  probe.on_change = [parts](const absl::Status& status) {
    parts->health.SetServing(status.ok());
    LogSelfHealth(status, parts->log);
  };
  parts->probe = std::make_unique<net::SelfProbe>(std::move(probe));
}

namespace {

const char* LackOf(net::Listener::Full full) {
  switch (full) {
    case net::Listener::Full::kAddress: return "connections for their address";
    case net::Listener::Full::kDescriptors: return "descriptors (raise ulimit -n); of connections";
    default: return "connections";
  }
}

}  // namespace

// The page /metrics, in OpenMetrics or in Prometheus' text format.
net::HttpPages::Page Daemon::MetricsPage(Parts* parts, bool open_metrics) {
  const std::vector<prometheus::MetricFamily> families = parts->scrape.Collect();
  net::HttpPages::Page page;
  if (open_metrics) {
    page.content_type = metrics::kOpenMetricsContentType;
    page.body =
        metrics::OpenMetrics(families, parts->metrics->exemplars().Read(), metrics::StartTime());
  } else {
    page.content_type = "text/plain; version=0.0.4; charset=utf-8";
    page.body = prometheus::TextSerializer().Serialize(families);
  }
  return page;
}

// A disk cache that fails costs time, not answers: the daemon counts as healthy, and the reasons
// say why it is slower.
pages::Health Daemon::HealthOf(const Parts& parts) {
  using State = pages::Health::State;
  const absl::Status status = parts.probe->counters().last;
  pages::Health health;
  if (!status.ok() && !parts.stopping) {
    health.state = State::kFailing;
    health.reasons.push_back(absl::StrCat("the listener does not answer: ", status.message()));
  }
  // Not a failure: connected clients are served, and a restart would not give room to others.
  const net::Listener::Counters calls = parts.call_listener->counters();
  if (calls.full != net::Listener::Full::kNo && !parts.stopping) {
    health.reasons.push_back(absl::StrCat("connections_full: new clients are refused for lack of ",
                                          LackOf(calls.full), ": ", calls.open, " of ", calls.limit,
                                          " are open, and one address may have at most ",
                                          parts.max_per_address));
  }
  const cache::DiskStatus disk = DiskStatusOf(*parts.cache);
  if (disk.state != cache::DiskState::kServing) {
    health.reasons.push_back(absl::StrCat("the disk cache is ", Describe(disk)));
  }
  const std::string trouble = parts.quarantine->usage().trouble;
  if (!trouble.empty()) {
    health.reasons.push_back("the quarantine is in memory only: " + trouble);
  }
  if (parts.recheck != nullptr && parts.recheck->differences() > 0) {
    health.reasons.push_back(absl::StrCat("two workers gave different results for the same job ",
                                          parts.recheck->differences(),
                                          " times: see workers_disagree in the log"));
  }
  if (parts.stopping) {
    health.state = State::kStopping;
  } else if (status.ok() && !health.reasons.empty()) {
    health.state = State::kDegraded;
  }
  return health;
}

net::HttpPages::Page Daemon::HealthPage(const Parts& parts) {
  using State = pages::Health::State;
  const pages::Health health = HealthOf(parts);
  const bool serves = health.state == State::kOk || health.state == State::kDegraded;
  net::HttpPages::Page page;
  page.status = serves ? 200 : 503;
  page.body = serves ? "ok\n" : health.state == State::kStopping ? "stopping\n" : "";
  for (const std::string& reason : health.reasons) absl::StrAppend(&page.body, reason, "\n");
  return page;
}

void Daemon::ListenForScrapes(net::ListeningSockets sockets, Parts* parts) {
  parts->metrics_address = sockets.address;
  pages::Pages::Sources sources;
  sources.collect = [parts] { return parts->scrape.Collect(); };
  sources.health = [parts] { return HealthOf(*parts); };
  sources.activity = parts->activity.get();
  sources.log = parts->log;
  sources.hello = parts->pool->hello();
  sources.facts = parts->facts;
  parts->own_pages = std::make_unique<pages::Pages>(std::move(sources));
  net::HttpPages::Pages slow = parts->own_pages->Slow();
  slow.emplace("/metrics",
               net::HttpPages::Source([parts](bool second) { return MetricsPage(parts, second); },
                                      metrics::kOpenMetricsType));
  slow.emplace("/healthz", [parts] { return HealthPage(*parts); });
  parts->pages = std::make_unique<net::HttpPages>(std::move(slow), parts->own_pages->Quick());
  // Browsers do not connect to sockets of the file system, and other names lead to other addresses.
  const bool is_unix = parts->metrics_address.starts_with("unix:");
  if (!is_unix && !net::ReachedFromElsewhere(sockets)) parts->pages->CheckHosts();
  net::Listener::Options options;
  options.max_connections = net::HttpPages::kMaxOpen;
  options.on_refusing = [log = parts->log](bool refusing) {
    LogRefusing("metrics", refusing, log);
  };
  options.take = [pages = parts->pages.get()](int fd, bool) { pages->Take(fd); };
  options.held = [pages = parts->pages.get()] { return pages->held(); };
  parts->scrape_listener = std::make_unique<net::Listener>(std::move(sockets), std::move(options));
}

absl::StatusOr<std::unique_ptr<Daemon>> Daemon::Start(const Config& given, log::Log* log) {
  Config config = given;
  // Resolved once, so that cache and quarantine are in the same directory even if a link changes.
  if (!given.cache_dir.empty()) config.cache_dir = cache::ResolvedCacheDirectory(given.cache_dir);
  auto parts = std::make_unique<Parts>();
  parts->log = log;
  parts->drain_time = config.drain_time;
  parts->facts = {kVersion, absl::Now(), memory::ResidentNeed(config),
                  memory::WorkerProcesses(config) * config.job_memory};
  auto room = net::MakeRoomForConnections(config.max_connections, ReservedDescriptors(config));
  if (!room.ok()) return room.status();
  parts->max_connections = *room;
  auto cache = OpenCache(config, log);
  if (!cache.ok()) return cache.status();
  parts->cache = *std::move(cache);

  worker::PoolOptions options = MakePoolOptions(config);
  const auto user = FindWorkerUser(config.worker_user, geteuid() == 0);
  if (!user.ok()) return user.status();
  options.limits.uid = user->uid;
  options.limits.gid = user->gid;
  options.on_worker_exit = [log, counter = &parts->exit_counter](std::string_view reason) {
    if (metrics::Metrics* m = counter->load()) m->WorkerExit(reason);
    log->Write(log::Event::kWorkerExited, {{"reason", reason}});
  };
  options.on_idle_death = [log](const worker::Exit& exit) { LogIdleDeath(exit, log); };
  Recheck::Options recheck = {config.recheck, options, log};
  size_t queue_limit = options.queue_limit;
  auto pool = worker::Pool::Start(std::move(options));
  if (!pool.ok()) return pool.status();
  parts->pool = *std::move(pool);
  LogSandbox(parts->pool->hello(), log);

  parts->metrics =
      std::make_unique<metrics::Metrics>(parts->pool->hello(), kVersion, BuildCommit());
  parts->exit_counter = parts->metrics.get();
  parts->activity = std::make_unique<pages::Activity>(parts->pool->hello());
  parts->snapshot =
      std::make_shared<metrics::Snapshot>(parts->cache.get(), parts->pool.get(), queue_limit);
  parts->quarantine = OpenQuarantine(config, parts->pool->hello(), log);
  parts->snapshot->Watch(parts->quarantine.get());
  parts->snapshot->WatchMemory(MemoryOf(config));
  Engine::Options engine;
  engine.limits = config.limits;
  engine.quarantine = parts->quarantine.get();
  engine.log = log;
  engine.activity = parts->activity.get();
  if (config.recheck != 0) {
    parts->recheck = std::make_unique<Recheck>(recheck, parts->pool.get(), parts->cache.get(),
                                               parts->metrics.get());
    engine.recheck = parts->recheck.get();
  }
  if (auto s = OpenTracing(config, log, &parts->exporter, &parts->tracer); !s.ok()) return s;
  if (config.require_source_once) {
    parts->known = std::make_unique<KnownSources>(kKnownSources, kSourceKnownFor);
    engine.known = parts->known.get();
  }
  parts->engine =
      std::make_unique<Engine>(engine, parts->pool.get(), parts->cache.get(), parts->metrics.get());
  parts->snapshot->WatchDiskQueue([engine = parts->engine.get()] { return engine->queued(); },
                                  engine.queue_limit);
  parts->snapshot->WatchRefusals(
      [engine = parts->engine.get()] { return engine->refusals().held(); });
  parts->service = std::make_unique<CompilerService>(
      parts->engine.get(), parts->metrics.get(), &parts->connections,
      MakeCapabilities(parts->pool->hello(), config.limits, kVersion), config.request_bytes,
      config.enable_fault_injection, parts->tracer.get());
  parts->admin = std::make_unique<AdminService>(parts->quarantine.get(), &parts->connections);
  parts->v1alpha = std::make_unique<V1AlphaServices>(parts->service.get(), parts->admin.get());
  if (absl::Status status = StartServing(config, parts.get()); !status.ok()) return status;
  return std::unique_ptr<Daemon>(new Daemon(std::move(parts)));
}

absl::Status Daemon::StartServing(const Config& config, Parts* parts) {
  absl::StatusOr<net::ListeningSockets> scrapes;
  if (!config.metrics.empty()) {
    scrapes = net::Listen("metrics", config.metrics);
    if (!scrapes.ok()) return scrapes.status();
  }
  auto trusted = net::TrustedProxies::Parse(config.trusted_proxies);
  if (!trusted.ok()) return trusted.status();
  auto calls = net::Listen("listen", config.listen);
  if (!calls.ok()) return calls.status();
  absl::Status status = BuildServer(config,
                                    {parts->service.get(), parts->admin.get(), parts->v1alpha.get(),
                                     &parts->health, &parts->reflection},
                                    &parts->acceptor, &parts->server);
  if (!status.ok()) return status;
  ListenForCalls(config, *std::move(calls), *std::move(trusted), parts);
  parts->scrape.Add(parts->metrics->registry());
  parts->scrape.Add(parts->metrics->code());
  parts->scrape.Add(parts->snapshot);
  parts->scrape.Add(std::make_shared<metrics::Traces>(parts->exporter.get()));
  if (scrapes.ok()) ListenForScrapes(*std::move(scrapes), parts);
  parts->network =
      std::make_shared<metrics::Network>(parts->call_listener.get(), parts->scrape_listener.get(),
                                         parts->pages.get(), parts->probe.get());
  parts->scrape.Add(parts->network);
  return absl::OkStatus();
}

Daemon::Daemon(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Daemon::~Daemon() { Stop(); }
const std::string& Daemon::listen_address() const { return parts_->listen_address; }
const std::string& Daemon::metrics_address() const { return parts_->metrics_address; }
bool Daemon::reached_from_elsewhere() const { return parts_->reached_from_elsewhere; }
uint64_t Daemon::max_connections() const { return parts_->max_connections; }

int Daemon::in_flight() const { return parts_->service->in_flight(); }
void Daemon::Reconfigure(const Config& config) { parts_->drain_time = config.drain_time; }

void Daemon::Look() {
  LookForOverload();
  LookAtQuarantine();
}

void Daemon::LookAtQuarantine() {
  const quarantine::Quarantine::Usage usage = parts_->quarantine->usage();
  const uint64_t before = std::exchange(parts_->quarantine_write_errors, usage.write_errors);
  const std::string was = std::exchange(parts_->quarantine_trouble, usage.trouble);
  const bool troubled = usage.trouble != was && !usage.trouble.empty();
  if (usage.write_errors > before || (troubled && usage.unwritten > 0)) {
    std::vector<log::Field> fields = {{"errors", usage.write_errors - before},
                                      {"entries", usage.unwritten}};
    if (!usage.trouble.empty()) fields.emplace_back("message", usage.trouble);
    parts_->log->Write(log::Event::kQuarantineNotWritten, std::move(fields));
  } else if (usage.trouble.empty() && !was.empty()) {
    parts_->log->Write(log::Event::kQuarantineWritten, {{"entries", usage.entries}});
  }
}

void Daemon::LookForOverload() {
  const Overload::Change change =
      parts_->overload.Look(parts_->metrics->Overloads(),
                            absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch()));
  if (change == Overload::Change::kEntered) {
    const worker::Pool::Load load = parts_->pool->load();
    parts_->log->Write(log::Event::kOverloadEntered, {{"refused", parts_->overload.refused()},
                                                      {"queued", load.queued},
                                                      {"busy", load.busy},
                                                      {"workers", load.workers}});
  } else if (change == Overload::Change::kLeft) {
    parts_->log->Write(log::Event::kOverloadLeft, {{"refused", parts_->overload.refused()},
                                                   {"lasted_seconds", parts_->overload.lasted()}});
  }
}

int Daemon::Stop() {
  if (parts_->server == nullptr) return 0;
  parts_->stopping = true;
  parts_->metrics->Draining();
  parts_->probe->Stop();
  parts_->health.SetServing(false);
  parts_->service->Drain();
  absl::Duration waited;  // counted by sleeps: the clock may be set meanwhile
  for (; parts_->service->in_flight() > 0 && waited < parts_->drain_time; waited += kDrainLook) {
    absl::SleepFor(kDrainLook);
  }
  const int cancelled = parts_->service->in_flight();
  // Removes the collectors of parts that end here; a scrape has the other counters until the end.
  parts_->scrape.Remove(parts_->network.get());
  parts_->scrape.Remove(parts_->snapshot.get());
  // Stopped but not destroyed: pages still read its counters.
  parts_->call_listener->Stop();
  parts_->health.End();
  // Only the sending of answers is left to wait for; for idle connections gRPC would wait seconds,
  // until their clients notice.
  parts_->server->Shutdown(std::chrono::system_clock::now() + std::chrono::milliseconds(500));
  parts_->server->Wait();
  parts_->server.reset();
  parts_->engine->Stop();
  if (parts_->recheck != nullptr) parts_->recheck->Stop();
  parts_->pool.reset();
  if (parts_->exporter != nullptr) parts_->exporter->Stop(kTraceFlushTime);
  return cancelled;
}

}  // namespace kiln::server
