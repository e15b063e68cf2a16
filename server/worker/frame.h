// Length-prefixed messages between a parent and its worker.
//
// A frame is 4 bytes of length (little-endian) and that many bytes of one protobuf message. Lengths
// are checked against a limit before anything is allocated: neither side trusts the other's count.
// The worker's reads and writes block; its parent polls, reads with FrameReader and writes with
// FrameWriter.
#ifndef KILN_SERVER_WORKER_FRAME_H_
#define KILN_SERVER_WORKER_FRAME_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/message_lite.h"

namespace kiln::worker {

// Larger than any request or result that the service accepts.
inline constexpr size_t kMaxFrameBytes = size_t{256} << 20;

// Writes one frame, blocking until all is written. Unavailable: the other side is gone.
absl::Status WriteFrame(int fd, const google::protobuf::MessageLite& message);

// Reads one frame, blocking. OutOfRange: the other side closed between frames; Unavailable: it
// closed inside one; DataLoss: not a frame of this message type.
absl::Status ReadFrame(int fd, google::protobuf::MessageLite* message);

// The same in two steps: the number of bytes, and the bytes themselves, not parsed.
absl::StatusOr<size_t> ReadFrameLength(int fd);
absl::Status ReadFrameBody(int fd, size_t bytes, std::string* body);

// Appends the frame of `message`, for writers that poll. With `more`, of the same type: the frame
// of the message that has the fields of both.
absl::Status AppendFrame(const google::protobuf::MessageLite& message, std::string* out,
                         const google::protobuf::MessageLite* more = nullptr);

// Collects frames from a descriptor that is read when poll() reports it readable.
class FrameReader {
 public:
  // Calls read() once. OutOfRange: closed by the other side. Nothing to read is Ok.
  absl::Status Fill(int fd);
  // Takes a complete frame from the front into `message`; *taken: there was one. DataLoss: the
  // bytes are no frame of this message type.
  absl::StatusCode Take(google::protobuf::MessageLite* message, bool* taken);
  // True if all bytes read have been taken.
  bool empty() const { return buffer_.empty(); }
  // Bytes of memory.
  size_t held() const { return buffer_.capacity(); }
  // Its memory too.
  void Clear() { std::string().swap(buffer_); }

 private:
  std::string buffer_;
};

// A frame that is written as fast as the other side reads.
class FrameWriter {
 public:
  // `frame`: of AppendFrame.
  explicit FrameWriter(std::string frame) : frame_(std::move(frame)) {}
  // Writes once, as much as is possible without waiting; that may be nothing. Unavailable: the
  // other side is gone.
  absl::Status Send(int fd);
  bool done() const { return sent_ == frame_.size(); }

 private:
  std::string frame_;
  size_t sent_ = 0;
};

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_FRAME_H_
