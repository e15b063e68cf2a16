// kilnd: the compile service.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "server/config.h"
#include "server/daemon.h"
#include "server/protobuf_log.h"

namespace {

void Say(const std::string& text) { fprintf(stderr, "kilnd: %s\n", text.c_str()); }

// Blocked here, before there are threads, so that only main's sigwait ever sees them.
sigset_t BlockStopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return signals;
}

int Run(const kiln::server::Config& config) {
  sigset_t signals = BlockStopSignals();
  kiln::server::CaptureProtobufMessages([](const std::string& text, uint64_t withheld) {
    Say(text + (withheld == 0 ? "" : " (" + std::to_string(withheld) + " such messages before)"));
  });
  auto daemon = kiln::server::Daemon::Start(config);
  if (!daemon.ok()) {
    Say(std::string(daemon.status().message()));
    return 1;
  }
  std::string metrics = (*daemon)->metrics_address();
  Say("listening on " + (*daemon)->listen_address() +
      (metrics.empty() ? std::string() : ", metrics on http://" + metrics + "/metrics"));
  if ((*daemon)->max_connections() < config.max_connections) {
    Say("room for " + std::to_string((*daemon)->max_connections()) +
        " connections, not for --max-connections=" + std::to_string(config.max_connections) +
        ": raise the limit on open files (ulimit -Hn)");
  }
  if (config.cache_dir.empty()) Say("no --cache-dir: results are kept in memory only");
  kiln::cache::DiskStatus disk = (*daemon)->disk_status();
  if (disk.state != kiln::cache::DiskState::kServing) {
    Say("the disk cache is " + Describe(disk) + "; it is tried again, until then memory serves");
  }
  int signal = 0;
  sigwait(&signals, &signal);
  Say("stopping: finishing calls in flight");
  (*daemon)->Stop();
  Say("stopped");
  // Nothing is in flight and every record is in the write-ahead log: the rest of taking down would
  // change nothing.
  _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  auto config = kiln::server::ParseConfig(arguments);
  if (!config.ok()) {
    Say(std::string(config.status().message()));
    return 2;
  }
  if (config->help) {
    fputs(kiln::server::HelpText().c_str(), stdout);
    return 0;
  }
  if (config->version) {
    printf("kilnd %s\n", kiln::server::kVersion);
    return 0;
  }
  return Run(*config);
}
