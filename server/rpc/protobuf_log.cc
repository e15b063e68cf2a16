// Captures messages that protobuf logs itself: see protobuf_log.h.
#include "server/rpc/protobuf_log.h"

#include <google/protobuf/stubs/logging.h>

#include <atomic>
#include <chrono>
#include <utility>

#include "absl/synchronization/mutex.h"

namespace kiln::server {
namespace {

// Longer than any of protobuf's texts but dumps of whole messages, which do not belong in the log.
constexpr size_t kMaxBytes = 200;

struct Capture {
  absl::Mutex mutex;
  ProtobufSay say;
  absl::Duration interval;
  // Initially the clock's epoch: the first message passes at once.
  std::chrono::steady_clock::time_point next;
  uint64_t withheld = 0;
  std::atomic<uint64_t> messages{0};
};

// Never destroyed: protobuf may log until the process is gone.
Capture& TheCapture() {
  static auto* const capture = new Capture;
  return *capture;
}

void Handle(google::protobuf::LogLevel level, const char*, int, const std::string& text) {
  Capture& capture = TheCapture();
  ++capture.messages;
  absl::MutexLock lock(&capture.mutex);
  const auto now = std::chrono::steady_clock::now();
  if (capture.say == nullptr) return;
  if (now < capture.next && level != google::protobuf::LOGLEVEL_FATAL) {
    ++capture.withheld;
    return;
  }
  capture.next = now + absl::ToChronoNanoseconds(capture.interval);
  capture.say(text.substr(0, kMaxBytes), std::exchange(capture.withheld, 0));
}

}  // namespace

void CaptureProtobufMessages(ProtobufSay say, absl::Duration interval) {
  Capture& capture = TheCapture();
  {
    absl::MutexLock lock(&capture.mutex);
    capture.say = std::move(say);
    capture.interval = interval;
    capture.next = {};
    capture.withheld = 0;
  }
  google::protobuf::SetLogHandler(&Handle);
}

uint64_t ProtobufMessages() { return TheCapture().messages; }

}  // namespace kiln::server
