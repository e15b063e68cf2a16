// Length-prefixed messages between a parent and its worker.
//
// A frame is 4 bytes of length (little-endian) and that many bytes of one protobuf message. Lengths
// are checked against a limit before anything is allocated: neither side trusts the other's count.
// Reads and writes block; a parent that must not block polls first and reads with FrameReader.
#ifndef KILN_SERVER_WORKER_FRAME_H_
#define KILN_SERVER_WORKER_FRAME_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "google/protobuf/message_lite.h"

namespace kiln::worker {

// Larger than any request or result that the service lets through.
inline constexpr size_t kMaxFrameBytes = size_t{256} << 20;

// Writes one frame, blocking until all is written. Unavailable: the other side is gone.
absl::Status WriteFrame(int fd, const google::protobuf::MessageLite& message);

// Reads one frame, blocking. OutOfRange: the other side closed between frames; Unavailable: it went
// away inside one; DataLoss: not a frame of this message type.
absl::Status ReadFrame(int fd, google::protobuf::MessageLite* message);

// The same in two parts: the message's bytes, before anything looks at them.
absl::Status ReadFrameBytes(int fd, std::string* body);

// The frame of `message` as bytes, for writers that poll.
absl::Status AppendFrame(const google::protobuf::MessageLite& message, std::string* out);

// Collects frames from a descriptor that is read when poll() says so.
class FrameReader {
 public:
  // One read(). OutOfRange: closed by the other side. Nothing to read is Ok.
  absl::Status Fill(int fd);
  // Takes a complete frame off the front into `message`; *taken says whether there was one.
  // DataLoss: what is there is no frame of this message type.
  absl::StatusCode Take(google::protobuf::MessageLite* message, bool* taken);
  void Clear() { buffer_.clear(); }

 private:
  std::string buffer_;
};

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_FRAME_H_
