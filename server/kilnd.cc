// kilnd: the compile service.
//
// The main thread waits for signals, and once a second calls Daemon::Look for the states that no
// event reports.
#include <fcntl.h>
#include <grpc/support/log.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "server/config/config.h"
#include "server/config/manual_page.h"
#include "server/daemon.h"
#include "server/log/library_message.h"
#include "server/log/log.h"
#include "server/memory/exhausted.h"
#include "server/memory/limits.h"
#include "server/memory/plan.h"
#include "server/metrics/catalogue.h"
#include "server/rpc/protobuf_log.h"
#include "server/trace/settings.h"
#include "server/worker/scheduling.h"

namespace {

using kiln::log::Event;
using kiln::log::Field;
using kiln::server::Config;
using kiln::server::Daemon;

// Never destroyed: gRPC's threads may log until the process is gone.
kiln::log::Log& TheLog() {
  static auto* const log = new kiln::log::Log;
  return *log;
}

// Opens /dev/null for missing standard files: otherwise a file or socket of the daemon could become
// number 2 and get the log.
void KeepStandardFilesTaken() {
  int fd = 0;
  while (fd >= 0 && fd <= STDERR_FILENO) fd = open("/dev/null", O_RDWR);
  if (fd >= 0) close(fd);
}

// Blocks the signals before there are threads, so that only main's sigtimedwait receives them.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  // A write beyond RLIMIT_FSIZE then fails (EFBIG), as on a full disk.
  signal(SIGXFSZ, SIG_IGN);
  return signals;
}

std::string SignalName(int signal) { return std::string("SIG") + sigabbrev_np(signal); }

void ConfigureLog(const Config& config) {
  using kiln::log::Format;
  using kiln::log::Level;
  auto level = Level::kInfo;
  for (Level l : {Level::kDebug, Level::kWarning, Level::kError}) {
    if (config.log_level == Name(l)) level = l;
  }
  TheLog().Configure(level, config.log_format == "json" ? Format::kJson : Format::kText);
}

absl::Status SendLogToFile(const Config& config) {
  if (config.log_file.empty()) return absl::OkStatus();
  return TheLog().WriteToFile(config.log_file, config.log_file_bytes);
}

// Bound on writing the last lines: a supervisor may wait for the daemon's end, and the log's reader
// need not read.
constexpr absl::Duration kLogTime = absl::Seconds(1);

// Turns gRPC's own messages into log lines; errors only unless its environment says otherwise.
void CaptureGrpcMessages() {
  gpr_set_log_function([](gpr_log_func_args* args) {
    TheLog().Write(Event::kGrpcMessage, {{"severity", gpr_log_severity_string(args->severity)},
                                         {"source", kiln::log::SourceLine(args->file, args->line)},
                                         {"message", kiln::log::ConstantPart(args->message)}});
  });
}

// The sender learns of it from the answer; the line is for the operator.
void CaptureProtobufMessages() {
  kiln::server::CaptureProtobufMessages([](const std::string& text, uint64_t withheld) {
    TheLog().Write(Event::kProtobufMessage, {{"message", text}, {"withheld", withheld}});
  });
}

// Writes out the log on SIGABRT: a library's failed assertion is a line of the log and then this
// signal. The process dies of the signal all the same, with its core.
void LetTheLogOutOnCrash() {
  TheLog();
  struct sigaction action = {};
  action.sa_sigaction = [](int signal, siginfo_t* info, void*) {
    kiln::memory::EndIfExhausted(signal, *info);
    TheLog().Drain(kLogTime);
    raise(signal);
  };
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_SIGINFO);
  for (int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE}) sigaction(signal, &action, nullptr);
}

void EndWithALineWithoutMemory() {
  TheLog().PrepareLastWords(
      Event::kOutOfMemory,
      "an allocation failed and kilnd exits; raise the memory limit, or lower the settings that "
      "kilnd --memory-plan shows");
  kiln::memory::EndWhenExhausted([] { TheLog().SayLastWords(kLogTime); });
}

// Threads of the daemon and of its libraries do not recurse into what clients send; the system's 8
// MiB for each would be most of the address space.
void UseSmallStacks() {
  constexpr size_t kStackBytes = size_t{1} << 20;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  if (pthread_attr_setstacksize(&attributes, kStackBytes) == 0) {
    pthread_setattr_default_np(&attributes);
  }
  pthread_attr_destroy(&attributes);
}

// Reads the settings and lowers them until kilnd fits in the memory that it may have.
absl::StatusOr<Config> ReadSettings(const std::vector<std::string>& arguments,
                                    std::vector<std::string>* lowered) {
  auto config = kiln::server::ParseConfig(arguments);
  if (!config.ok() || config->help || config->version || !config->manual.empty()) return config;
  auto traces = kiln::trace::TracesUrl(config->otlp_endpoint, getenv);
  if (!traces.ok()) return traces.status();
  config->traces_url = *std::move(traces);
  auto changes = kiln::memory::Fit(kiln::memory::ReadLimits(), &*config);
  if (!changes.ok()) return changes.status();
  *lowered = *std::move(changes);
  return config;
}

void SayStarted(const Config& config, const Daemon& daemon) {
  const std::string& metrics = daemon.metrics_address();
  std::vector<Field> fields = {
      {"message", "listening on " + daemon.listen_address() +
                      (metrics.empty() ? "" : ", metrics on http://" + metrics + "/metrics")},
      {"version", kiln::kVersion},
      {"pid", getpid()}};
  for (auto& [name, value] : ShowSettings(config)) fields.emplace_back(name, value);
  TheLog().Write(Event::kStarted, std::move(fields));
}

// Logs what the daemon, though it serves, has less of than its settings ask for.
void SayWhatIsLess(const Config& config, const Daemon& daemon) {
  if (daemon.max_connections() < config.max_connections) {
    TheLog().Write(
        Event::kFewDescriptors,
        {{"message",
          "fewer connections than --max-connections: raise the limit on open files (ulimit -Hn)"},
         {"room_for_connections", daemon.max_connections()},
         {"asked_for", config.max_connections}});
  }
  if (daemon.reached_from_elsewhere()) {
    TheLog().Write(
        Event::kOpenToOthers,
        {{"message",
          "the address can be reached from other machines, without encryption and authentication: "
          "listen on 127.0.0.1 or unix:PATH, with deploy/proxy in front"}});
  }
  if (config.cache_dir.empty()) {
    TheLog().Write(Event::kMemoryOnly,
                   {{"message", "no --cache-dir: results are lost when kilnd exits"}});
  }
}

// Changes the settings that can change in a running daemon; `config` becomes what it then runs
// with.
void Reload(const std::vector<std::string>& arguments, Config* config, Daemon* daemon) {
  std::vector<std::string> lowered;  // not reported: as at the start
  auto next = ReadSettings(arguments, &lowered);
  if (!next.ok()) {
    TheLog().Write(Event::kReloadFailed, {{"message", std::string(next.status().message())}});
    return;
  }
  const kiln::server::Changes changes = TakeChanges(*next, config);
  daemon->Reconfigure(*config);
  ConfigureLog(*config);
  TheLog().Write(Event::kConfigReloaded,
                 {{"changed", absl::StrJoin(changes.taken, " ")},
                  {"needs_restart", absl::StrJoin(changes.need_restart, " ")}});
}

// Serves until a signal stops it; returns that signal.
int Serve(const std::vector<std::string>& arguments, const sigset_t& signals, Config* config,
          Daemon* daemon) {
  for (;;) {
    const timespec second = {1, 0};
    const int signal = sigtimedwait(&signals, nullptr, &second);
    if (signal == SIGTERM || signal == SIGINT) return signal;
    if (signal == SIGHUP) {
      Reload(arguments, config, daemon);
    } else if (signal > 0) {
      TheLog().Write(Event::kSignalIgnored, {{"signal", SignalName(signal)}});
    }
    daemon->Look();
    TheLog().FlushCounts(false);
  }
}

int FailToStart(const absl::Status& why) {
  TheLog().Write(Event::kStartFailed, {{"message", std::string(why.message())}});
  TheLog().Drain(kLogTime);
  return 1;
}

int Run(const std::vector<std::string>& arguments, Config config,
        const std::vector<std::string>& lowered) {
  const sigset_t signals = BlockSignals();
  UseSmallStacks();
  kiln::worker::UseShortSlices();
  ConfigureLog(config);
  CaptureGrpcMessages();
  CaptureProtobufMessages();
  LetTheLogOutOnCrash();
  EndWithALineWithoutMemory();
  if (absl::Status log = SendLogToFile(config); !log.ok()) return FailToStart(log);
  auto daemon = Daemon::Start(config, &TheLog());
  if (!daemon.ok()) return FailToStart(daemon.status());
  SayStarted(config, **daemon);
  if (!lowered.empty()) {
    TheLog().Write(
        Event::kMemoryLowered,
        {{"message",
          "settings were lowered to fit a memory limit: kilnd --memory-plan shows the sum"},
         {"lowered", absl::StrJoin(lowered, " ")}});
  }
  SayWhatIsLess(config, **daemon);
  const int signal = Serve(arguments, signals, &config, daemon->get());
  TheLog().Write(Event::kDrainStarted, {{"signal", SignalName(signal)},
                                        {"in_flight", (*daemon)->in_flight()},
                                        {"limit_seconds", config.drain_time}});
  const int cancelled = (*daemon)->Stop();
  TheLog().FlushCounts(true);
  TheLog().Write(Event::kStopped, {{"cancelled", cancelled}});
  TheLog().Drain(kLogTime);
  // Leaves without destructors: nothing is in flight, and every record is in the write-ahead log.
  _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  KeepStandardFilesTaken();
  std::vector<std::string> arguments(argv + 1, argv + argc);
  std::vector<std::string> lowered;
  auto config = ReadSettings(arguments, &lowered);
  if (!config.ok()) {
    fprintf(stderr, "kilnd: %s\n", std::string(config.status().message()).c_str());
    return 2;
  }
  if (config->help) {
    fputs(kiln::server::HelpText().c_str(), stdout);
    return 0;
  }
  if (config->manual == "metrics-markdown") {
    fputs(kiln::metrics::MetricsPage().c_str(), stdout);
    return 0;
  }
  if (!config->manual.empty()) {
    fputs(kiln::server::Manual(config->manual, kiln::kVersion).c_str(), stdout);
    return 0;
  }
  if (config->version) {
    printf("kilnd %s\n", kiln::kVersion);
    return 0;
  }
  if (config->memory_plan) {
    fputs(kiln::memory::Describe(kiln::memory::ReadLimits(), *config).c_str(), stdout);
    if (!lowered.empty()) printf("Lowered: %s\n", absl::StrJoin(lowered, " ").c_str());
    return 0;
  }
  return Run(arguments, *std::move(config), lowered);
}
