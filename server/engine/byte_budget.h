// A bound on the sum of bytes of the requests that the daemon holds, or of answers, in which every
// client has a share.
//
// Each request is bounded by itself (request.h), but many at once are not: a few clients with the
// largest modules would take gigabytes. A request takes its share before its bytes are parsed or
// copied, and gives it back when it is answered.
//
// Problem: with one bound for all, a client that sends faster than the workers compile holds all of
// it, and the hits of all other clients are refused. Nothing is taken back from a request that is
// under way, so there has to be room left when the next client comes.
//
// Algorithm: dynamic thresholds (Choudhury and Hahne, "Dynamic queue length thresholds for
// shared-memory packet switches", IEEE/ACM Transactions on Networking 6(2), 1998), on the two
// levels of an owner (worker/owner.h): a group may hold as much as it leaves free, and a member may
// hold as much as it leaves of what its group may still take. Alone, a group gets half of the bytes
// and a member a quarter; n groups that take all they get come to have 1/(n + 1) each, and as much
// stays free. Until the requests of the first groups are answered, each new group gets half of what
// it found free. An owner that holds nothing gets all that is free, so that a single request may be
// as large as the budget.
//
// A request of at most kSmall bytes (for example by digest) needs room only, no share: such
// requests are bounded by the queues in which they wait.
#ifndef KILN_SERVER_ENGINE_BYTE_BUDGET_H_
#define KILN_SERVER_ENGINE_BYTE_BUDGET_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "server/worker/owner.h"

namespace kiln::server {

// Thread-safe. Outlives its shares.
class ByteBudget {
  struct Account {
    uint64_t bytes = 0;
    size_t shares = 0;
  };
  struct Group : Account {
    std::unordered_map<std::string, Account> members;
  };
  using Groups = std::unordered_map<std::string, Group>;
  // Points to the two accounts of a share; they do not move while they have shares.
  struct Holder {
    Groups::value_type* group = nullptr;
    std::pair<const std::string, Account>* member = nullptr;
  };

 public:
  // Requests of at most this many bytes are granted wherever there is room for them.
  static constexpr uint64_t kSmall = 1024;

  // The bytes that one request has taken; its end gives them back. An empty share has taken
  // nothing.
  class Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)),
          holder_(other.holder_),
          bytes_(other.bytes_) {}
    Share& operator=(Share&& other) noexcept {
      Release();
      budget_ = std::exchange(other.budget_, nullptr);
      holder_ = other.holder_;
      bytes_ = other.bytes_;
      return *this;
    }
    ~Share() { Release(); }
    explicit operator bool() const { return budget_ != nullptr; }
    uint64_t bytes() const { return budget_ == nullptr ? 0 : bytes_; }
    void Release() {
      if (ByteBudget* budget = std::exchange(budget_, nullptr)) budget->GiveBack(holder_, bytes_);
    }

   private:
    friend class ByteBudget;
    Share(ByteBudget* budget, Holder holder, uint64_t bytes)
        : budget_(budget), holder_(holder), bytes_(bytes) {}
    ByteBudget* budget_ = nullptr;
    Holder holder_;
    uint64_t bytes_ = 0;
  };

  explicit ByteBudget(uint64_t limit) : limit_(limit) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  // Takes `bytes` for `owner`. Returns an empty share if there is no room for that owner.
  Share Take(const worker::Owner& owner, uint64_t bytes);

  uint64_t limit() const { return limit_; }
  uint64_t used() const;
  // Number of owners that hold something, plus the number of their groups.
  size_t accounts() const;

  // Says why a request of `bytes` got no share. Unavailable: a later try may succeed.
  absl::Status Refusal(uint64_t bytes) const;

 private:
  // Returns how much an account that holds `held` bytes may still take of `free` bytes.
  static uint64_t RoomOf(uint64_t held, uint64_t free);
  bool HasRoom(const worker::Owner& owner, uint64_t bytes) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void GiveBack(const Holder& holder, uint64_t bytes);

  const uint64_t limit_;
  mutable absl::Mutex mutex_;
  uint64_t used_ ABSL_GUARDED_BY(mutex_) = 0;
  Groups groups_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::server

#endif  // KILN_SERVER_ENGINE_BYTE_BUDGET_H_
