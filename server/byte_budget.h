// A bound on the sum of bytes of the requests that the daemon holds, or of answers.
//
// Every request is bounded by itself (request.h); many at once are not: a few clients with the
// largest modules would take gigabytes. A request takes its share before anything is made of its
// bytes, and gives it back when it is answered.
#ifndef KILN_SERVER_BYTE_BUDGET_H_
#define KILN_SERVER_BYTE_BUDGET_H_

#include <atomic>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace kiln::server {

class ByteBudget {
 public:
  // What one request has taken; gives it back. An empty one has taken nothing.
  class Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
    Share& operator=(Share&& other) noexcept {
      Release();
      budget_ = std::exchange(other.budget_, nullptr);
      bytes_ = other.bytes_;
      return *this;
    }
    ~Share() { Release(); }
    explicit operator bool() const { return budget_ != nullptr; }
    uint64_t bytes() const { return budget_ == nullptr ? 0 : bytes_; }
    void Release() {
      if (ByteBudget* budget = std::exchange(budget_, nullptr)) budget->used_ -= bytes_;
    }

   private:
    friend class ByteBudget;
    Share(ByteBudget* budget, uint64_t bytes) : budget_(budget), bytes_(bytes) {}
    ByteBudget* budget_ = nullptr;
    uint64_t bytes_ = 0;
  };

  explicit ByteBudget(uint64_t limit) : limit_(limit) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  // Empty: there is no room. The budget outlives its shares. Never blocks.
  Share Take(uint64_t bytes) {
    uint64_t used = used_;
    do {
      if (bytes > limit_ - used) return {};
    } while (!used_.compare_exchange_weak(used, used + bytes));
    return Share(this, bytes);
  }
  uint64_t limit() const { return limit_; }
  uint64_t used() const { return used_; }

  // Why a request of so many bytes got no share. Unavailable: worth another try.
  absl::Status Refusal(uint64_t bytes) const {
    if (bytes > limit_) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the request has ", bytes, " bytes, and all requests together may have ",
                       limit_, " (--request-bytes)"));
    }
    return absl::UnavailableError(
        absl::StrCat("requests of ", limit_, " bytes are all that is held at once"));
  }

 private:
  const uint64_t limit_;
  std::atomic<uint64_t> used_ = 0;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_BYTE_BUDGET_H_
