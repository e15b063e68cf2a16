// A kilnd process for end-to-end tests: started with the compiler double as its worker, on free
// ports, below the test's temporary folder.
#ifndef KILN_TESTS_SERVICE_KILND_PROCESS_H_
#define KILN_TESTS_SERVICE_KILND_PROCESS_H_

#include <grpcpp/grpcpp.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kiln/v1/compiler.grpc.pb.h"

namespace kiln::test {

class KilndProcess {
 public:
  // Bounds on the daemon's descriptors (RLIMIT_NOFILE).
  struct Descriptors {
    uint64_t soft;
    uint64_t hard;
  };

  // Runs kilnd with `flags` besides free ports and the worker. Does not wait. `under`: a program,
  // with its arguments, that runs kilnd in its own process.
  explicit KilndProcess(std::vector<std::string> flags,
                        std::optional<Descriptors> descriptors = std::nullopt,
                        const std::vector<std::string>& under = {});
  // Kills it if it still runs.
  ~KilndProcess();
  KilndProcess(const KilndProcess&) = delete;
  KilndProcess& operator=(const KilndProcess&) = delete;

  // Waits until kilnd reports that it listens. Returns false if it ended instead.
  bool AwaitReady();
  void Signal(int signal);
  // Its workers.
  std::vector<pid_t> Children() const;
  // Waits until it ends; returns its exit code, or 128 + signal. Gives up after 60 s with -1.
  int Wait();

  const std::string& address() const { return address_; }
  const std::string& metrics_address() const { return metrics_; }
  // Reads its standard error for at most so long. Returns false if nothing came.
  bool ReadLog(int timeout_ms) { return ReadSome(timeout_ms); }
  // Returns its standard error as far as it was read (after Wait: all).
  const std::string& log() const { return log_; }
  pid_t pid() const { return pid_; }

  std::shared_ptr<grpc::Channel> Channel() const;
  std::unique_ptr<kiln::v1::Compiler::Stub> Stub() const;
  // Returns the body of http://METRICS/PATH; empty on failure.
  std::string Page(const std::string& path) const;
  std::string Metrics() const { return Page("/metrics"); }
  // Returns the value on the line that begins with `name`; -1 if there is none.
  double Metric(const std::string& name) const;

 private:
  bool ReadSome(int timeout_ms);

  pid_t pid_ = -1;
  int log_fd_ = -1;
  std::string log_;
  std::string address_;
  std::string metrics_;
};

}  // namespace kiln::test

#endif  // KILN_TESTS_SERVICE_KILND_PROCESS_H_
