// Compiles through a daemon over one CompileStream call, for many threads at once, as in a batch.
//
// Each Compile is an item of the stream: first with the digest of its source only, and, if the
// daemon does not have the result, again with the source; the daemon answers in the order in which
// results are ready. At most as many items as the daemon has given credits are in flight; each
// thread holds one source, so memory is bounded by the threads. A broken call (a daemon that is
// restarted) is made again: unanswered items are sent again, answered ones never, and results that
// were finished but not delivered come from the cache. Delays are those of retry.h, per item;
// patience is shared by all (outage.h); a deadline is an item's, not the call's. A daemon that is
// present and does not read counts as absent: the call is given up and made again for as long as
// patience lasts. Answers too large for one message are assembled from their chunks; items of a
// call that ended because a message was too large for a proxy on the way are requested in separate
// calls.
//
// A daemon that comes back may be another one. Each call after the first begins by requesting its
// capabilities; a compiler that generates other code is a notice for the user (TakeNotice), because
// results from before and after are then of two compilers.
#ifndef KILN_CLIENT_SERVICE_STREAM_CLIENT_H_
#define KILN_CLIENT_SERVICE_STREAM_CLIENT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "client/service/client.h"
#include "client/service/service.h"

namespace kiln::client {

class StreamClient : public Service {
 public:
  explicit StreamClient(std::unique_ptr<Client> client);
  ~StreamClient() override;

  absl::StatusOr<kiln::v1::CompileResponse> Compile(
      const kiln::v1::CompileRequest& request) override;
  absl::StatusOr<kiln::v1::Capabilities> GetCapabilities() override {
    return client_->GetCapabilities();
  }
  absl::StatusOr<std::vector<ServiceHealth>> Health() override { return client_->Health(); }
  void Stop() override;
  std::string Name() const override { return client_->Name(); }
  std::optional<Away> CurrentlyAway() override { return client_->CurrentlyAway(); }
  std::string TakeNotice() override;

 private:
  class Session;  // one CompileStream call

  // Returns the session, a new one if the last is broken. Null after Stop.
  std::shared_ptr<Session> Open();
  // Retries shed and broken calls until one is answered.
  absl::StatusOr<kiln::v1::CompileResponse> Ask(const kiln::v1::CompileRequest& request);
  // Compares the daemon that answers now with the first.
  void Compare(const kiln::v1::Capabilities& now);

  const std::unique_ptr<Client> client_;
  absl::Mutex mutex_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t asked_ ABSL_GUARDED_BY(mutex_) = 0;
  std::shared_ptr<Session> session_ ABSL_GUARDED_BY(mutex_);
  std::string notice_ ABSL_GUARDED_BY(mutex_);
  std::string compilers_ ABSL_GUARDED_BY(mutex_);  // of the daemon that answered last
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_SERVICE_STREAM_CLIENT_H_
