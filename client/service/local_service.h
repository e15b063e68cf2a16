// Compiles without a daemon, in the same worker processes that kilnd uses.
//
// The compiler runs sandboxed and with limits in kiln_worker, never in this process; a shader that
// kills it loses only its own result. There is no cache: every result is a miss.
#ifndef KILN_CLIENT_SERVICE_LOCAL_SERVICE_H_
#define KILN_CLIENT_SERVICE_LOCAL_SERVICE_H_

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "client/service/service.h"
#include "server/worker/pool.h"

namespace kiln::client {

struct LocalOptions {
  std::string worker;  // kiln_worker; empty: beside this executable
  int workers = 1;
  absl::Duration time_limit = absl::Seconds(60);  // of one job, wall-clock and CPU
};

class LocalService : public Service {
 public:
  // Starts the workers. FailedPrecondition: there is no worker or it does not start.
  static absl::StatusOr<std::unique_ptr<LocalService>> Start(const LocalOptions& options);
  ~LocalService() override;

  absl::StatusOr<kiln::v1::CompileResponse> Compile(
      const kiln::v1::CompileRequest& request) override;
  absl::StatusOr<kiln::v1::Capabilities> GetCapabilities() override;
  absl::StatusOr<std::vector<ServiceHealth>> Health() override;
  void Stop() override;
  std::string Name() const override { return "local workers"; }

 private:
  explicit LocalService(std::unique_ptr<worker::Pool> pool) : pool_(std::move(pool)) {}

  // Runs one job to its end. Cancelled: after Stop.
  absl::StatusOr<worker::JobOutcome> Run(worker::Job job);
  // Fills in the results, one job after another until each target has one.
  absl::Status CompileTargets(const kiln::v1::CompileRequest& request, const std::string& spirv,
                              kiln::v1::CompileResponse* response);

  std::unique_ptr<worker::Pool> pool_;
  absl::Mutex mutex_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::set<worker::Pool::Handle> in_flight_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_SERVICE_LOCAL_SERVICE_H_
