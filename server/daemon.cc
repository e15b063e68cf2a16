// kilnd put together: see daemon.h.
#include "server/daemon.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <prometheus/exposer.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/address.h"
#include "server/cache/disk_tier.h"
#include "server/cache/result_cache.h"
#include "server/engine.h"
#include "server/metrics/metrics.h"
#include "server/metrics/snapshot.h"
#include "server/service.h"
#include "server/worker/pool.h"

namespace kiln::server {

// Destroyed from the last to the first, after Stop.
struct Daemon::Parts {
  // Workers may end before there are metrics to count that, and after.
  std::atomic<metrics::Metrics*> exit_counter = nullptr;
  std::unique_ptr<cache::ResultCache> cache;
  std::unique_ptr<metrics::Metrics> metrics;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<worker::Pool> pool;
  std::shared_ptr<metrics::Snapshot> snapshot;
  std::unique_ptr<CompilerService> service;
  std::unique_ptr<prometheus::Exposer> exposer;
  std::unique_ptr<grpc::Server> server;
  std::string listen_address;
  std::string metrics_address;
  absl::Duration drain_time;
};

namespace {

worker::PoolOptions MakePoolOptions(const Config& config) {
  worker::PoolOptions options;
  options.executable = config.worker_binary;
  unsigned processors = std::max(1U, std::thread::hardware_concurrency());
  options.workers = static_cast<int>(config.workers == 0 ? processors : config.workers);
  options.queue_limit = config.queue;
  options.jobs_per_worker = static_cast<int64_t>(config.jobs_per_worker);
  options.limits.address_space_bytes = config.job_memory;
  options.limits.cpu_seconds = std::max<int64_t>(1, absl::ToInt64Seconds(config.job_cpu_time));
  options.limits.wall_time = config.job_time;
  options.limits.seccomp = config.seccomp;
  options.limits.fault_injection = config.enable_fault_injection;
  return options;
}

absl::StatusOr<std::unique_ptr<cache::ResultCache>> OpenCache(const Config& config) {
  std::unique_ptr<cache::DiskTier> disk;
  if (!config.cache_dir.empty()) {
    cache::DiskOptions options;
    options.directory = config.cache_dir;
    options.limit_bytes = config.cache_bytes;
    auto opened = cache::DiskTier::Open(options);
    if (!opened.ok()) return opened.status();
    disk = *std::move(opened);
  }
  return std::make_unique<cache::ResultCache>(config.memory_cache_bytes, std::move(disk));
}

absl::Status StartMetricsServer(const Config& config, metrics::Metrics* metrics,
                                const std::shared_ptr<metrics::Snapshot>& snapshot,
                                std::unique_ptr<prometheus::Exposer>* exposer,
                                std::string* address) {
  if (config.metrics.empty()) return absl::OkStatus();
  if (absl::Status s = CheckListenable("metrics", config.metrics); !s.ok()) return s;
  try {  // the exposer's way to say that it could not be started
    *exposer = std::make_unique<prometheus::Exposer>(config.metrics, 1);
  } catch (const std::exception& e) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", config.metrics, " for --metrics: ", e.what()));
  }
  (*exposer)->RegisterCollectable(metrics->registry());
  (*exposer)->RegisterCollectable(snapshot);
  auto ports = (*exposer)->GetListeningPorts();
  *address = ports.empty() ? config.metrics : WithPort(config.metrics, ports[0]);
  return absl::OkStatus();
}

absl::Status StartServer(const Config& config, CompilerService* service,
                         std::unique_ptr<grpc::Server>* server, std::string* address) {
  if (absl::Status s = CheckListenable("listen", config.listen); !s.ok()) return s;
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(config.listen, grpc::InsecureServerCredentials(), &port);
  // Two daemons that share a port without knowing would be a puzzle.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 1024);
  // Clients that wait ask for a sign of life (client/client.h); more often than this is a nuisance.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 4000);
  builder.SetMaxReceiveMessageSize(static_cast<int>(
      std::min<uint64_t>(config.limits.message_bytes, std::numeric_limits<int>::max())));
  builder.SetMaxSendMessageSize(-1);
  builder.RegisterService(service);
  *server = builder.BuildAndStart();
  if (*server == nullptr || port == 0) {
    return absl::UnavailableError(absl::StrCat("cannot listen on ", config.listen));
  }
  if (auto* health = (*server)->GetHealthCheckService()) {
    health->SetServingStatus("kiln.v1alpha.Compiler", true);
  }
  *address = WithPort(config.listen, port);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Daemon>> Daemon::Start(const Config& config) {
  auto parts = std::make_unique<Parts>();
  parts->drain_time = config.drain_time;
  auto cache = OpenCache(config);
  if (!cache.ok()) return cache.status();
  parts->cache = *std::move(cache);

  worker::PoolOptions options = MakePoolOptions(config);
  options.on_worker_exit = [counter = &parts->exit_counter](std::string_view reason) {
    if (metrics::Metrics* m = counter->load()) m->WorkerExit(reason);
  };
  size_t queue_limit = options.queue_limit;
  auto pool = worker::Pool::Start(std::move(options));
  if (!pool.ok()) return pool.status();
  parts->pool = *std::move(pool);

  parts->metrics = std::make_unique<metrics::Metrics>(parts->pool->hello(), kVersion);
  parts->exit_counter = parts->metrics.get();
  parts->snapshot =
      std::make_shared<metrics::Snapshot>(parts->cache.get(), parts->pool.get(), queue_limit);
  Engine::Options engine;
  engine.limits = config.limits;
  parts->engine =
      std::make_unique<Engine>(engine, parts->pool.get(), parts->cache.get(), parts->metrics.get());
  parts->service = std::make_unique<CompilerService>(
      parts->engine.get(), parts->metrics.get(),
      MakeCapabilities(parts->pool->hello(), config.limits, kVersion), config.request_bytes,
      config.enable_fault_injection);

  absl::Status status = StartMetricsServer(config, parts->metrics.get(), parts->snapshot,
                                           &parts->exposer, &parts->metrics_address);
  if (!status.ok()) return status;
  status = StartServer(config, parts->service.get(), &parts->server, &parts->listen_address);
  if (!status.ok()) return status;
  return std::unique_ptr<Daemon>(new Daemon(std::move(parts)));
}

Daemon::Daemon(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Daemon::~Daemon() { Stop(); }
const std::string& Daemon::listen_address() const { return parts_->listen_address; }
const std::string& Daemon::metrics_address() const { return parts_->metrics_address; }

void Daemon::Stop() {
  if (parts_->server == nullptr) return;
  if (auto* health = parts_->server->GetHealthCheckService()) health->SetServingStatus(false);
  parts_->service->Drain();
  absl::Time end = absl::Now() + parts_->drain_time;
  while (parts_->service->in_flight() > 0 && absl::Now() < end) {
    absl::SleepFor(absl::Milliseconds(5));
  }
  // What is left to wait for is that answers leave the machine; idle connections would make gRPC
  // wait for seconds until their clients look up.
  parts_->server->Shutdown(std::chrono::system_clock::now() + std::chrono::milliseconds(500));
  parts_->server->Wait();
  parts_->server.reset();
  parts_->engine->Stop();
  parts_->snapshot.reset();  // it asks the pool
  parts_->pool.reset();
}

}  // namespace kiln::server
