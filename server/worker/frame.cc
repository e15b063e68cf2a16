// Reads and writes length-prefixed messages: see frame.h.
#include "server/worker/frame.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace kiln::worker {
namespace {

constexpr size_t kPrefix = 4;
// Memory that a reader keeps between frames.
constexpr size_t kKeptBytes = size_t{1} << 20;

void PutLength(uint32_t n, char* p) {
  for (int i = 0; i < 4; ++i) p[i] = static_cast<char>(n >> (8 * i));
}

uint32_t GetLength(const char* p) {
  uint32_t n = 0;
  for (int i = 0; i < 4; ++i)
    n |= static_cast<uint32_t>(static_cast<unsigned char>(p[i])) << (8 * i);
  return n;
}

// MSG_NOSIGNAL: a worker that is gone is an error here, not a SIGPIPE for the daemon.
absl::Status WriteAll(int fd, const char* p, size_t n) {
  while (n > 0) {
    ssize_t w = send(fd, p, n, MSG_NOSIGNAL);
    if (w < 0) {
      if (errno == EINTR) continue;
      return absl::UnavailableError(absl::StrCat("write to the other side: ", strerror(errno)));
    }
    p += w;
    n -= static_cast<size_t>(w);
  }
  return absl::OkStatus();
}

absl::Status ReadAll(int fd, char* p, size_t n, bool at_start) {
  size_t got = 0;
  while (got < n) {
    ssize_t r = read(fd, p + got, n - got);
    if (r < 0) {
      if (errno == EINTR) continue;
      return absl::UnavailableError(absl::StrCat("read from the other side: ", strerror(errno)));
    }
    if (r == 0) {
      if (at_start && got == 0) return absl::OutOfRangeError("closed");
      return absl::UnavailableError("the connection was closed inside a frame");
    }
    got += static_cast<size_t>(r);
  }
  return absl::OkStatus();
}

}  // namespace

// Concatenated bytes of two messages parse as both merged
// (protobuf.dev/programming-guides/encoding, "Last One Wins").
absl::Status AppendFrame(const google::protobuf::MessageLite& message, std::string* out,
                         const google::protobuf::MessageLite* more) {
  size_t bytes = message.ByteSizeLong() + (more == nullptr ? 0 : more->ByteSizeLong());
  if (bytes > kMaxFrameBytes)
    return absl::InvalidArgumentError("the message is too large for a frame");
  size_t start = out->size();
  out->resize(start + kPrefix);
  PutLength(static_cast<uint32_t>(bytes), out->data() + start);
  if (!message.AppendToString(out) || (more != nullptr && !more->AppendToString(out))) {
    return absl::InternalError("the message cannot be serialised");
  }
  return absl::OkStatus();
}

absl::Status WriteFrame(int fd, const google::protobuf::MessageLite& message) {
  std::string frame;
  if (absl::Status s = AppendFrame(message, &frame); !s.ok()) return s;
  return WriteAll(fd, frame.data(), frame.size());
}

absl::StatusOr<size_t> ReadFrameLength(int fd) {
  char prefix[kPrefix];
  if (absl::Status s = ReadAll(fd, prefix, kPrefix, true); !s.ok()) return s;
  size_t bytes = GetLength(prefix);
  if (bytes > kMaxFrameBytes) return absl::DataLossError("a frame exceeds the maximum length");
  return bytes;
}

absl::Status ReadFrameBody(int fd, size_t bytes, std::string* body) {
  body->assign(bytes, '\0');
  return ReadAll(fd, body->data(), bytes, false);
}

absl::Status ReadFrame(int fd, google::protobuf::MessageLite* message) {
  std::string body;
  const absl::StatusOr<size_t> bytes = ReadFrameLength(fd);
  if (!bytes.ok()) return bytes.status();
  if (absl::Status s = ReadFrameBody(fd, *bytes, &body); !s.ok()) return s;
  if (!message->ParseFromString(body)) return absl::DataLossError("a frame cannot be parsed");
  return absl::OkStatus();
}

absl::Status FrameReader::Fill(int fd) {
  constexpr size_t kChunk = 256 * 1024;
  size_t old = buffer_.size();
  buffer_.resize(old + kChunk);
  ssize_t r;
  do {
    r = recv(fd, buffer_.data() + old, kChunk, MSG_DONTWAIT);
  } while (r < 0 && errno == EINTR);
  buffer_.resize(old + (r > 0 ? static_cast<size_t>(r) : 0));
  if (r == 0) return absl::OutOfRangeError("closed");
  if (r < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
    return absl::OutOfRangeError(absl::StrCat("read from the worker: ", strerror(errno)));
  }
  return absl::OkStatus();
}

absl::Status FrameWriter::Send(int fd) {
  const ssize_t w =
      send(fd, frame_.data() + sent_, frame_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (w >= 0) {
    sent_ += static_cast<size_t>(w);
  } else if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
    return absl::UnavailableError(absl::StrCat("write to the worker: ", strerror(errno)));
  }
  return absl::OkStatus();
}

absl::StatusCode FrameReader::Take(google::protobuf::MessageLite* message, bool* taken) {
  *taken = false;
  if (buffer_.size() < kPrefix) return absl::StatusCode::kOk;
  size_t bytes = GetLength(buffer_.data());
  if (bytes > kMaxFrameBytes) return absl::StatusCode::kDataLoss;
  if (buffer_.size() < kPrefix + bytes) return absl::StatusCode::kOk;
  bool parsed = message->ParseFromArray(buffer_.data() + kPrefix, static_cast<int>(bytes));
  buffer_.erase(0, kPrefix + bytes);
  if (buffer_.empty() && buffer_.capacity() > kKeptBytes) Clear();
  *taken = parsed;
  return parsed ? absl::StatusCode::kOk : absl::StatusCode::kDataLoss;
}

}  // namespace kiln::worker
