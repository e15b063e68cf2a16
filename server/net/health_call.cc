// Checks the daemon's health through its own listener: see health_call.h.
#include "server/net/health_call.h"

#include <grpcpp/create_channel_posix.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"

namespace kiln::net {
namespace {

struct Address {
  sockaddr_storage storage = {};
  socklen_t size = 0;
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

absl::Status Failed(const char* what) {
  return absl::UnavailableError(absl::StrCat(what, ": ", strerror(errno)));
}

// Returns the address at which `listening` can be reached: one cannot connect to a wildcard.
Address Reachable(Address listening) {
  if (listening.storage.ss_family == AF_INET) {
    auto* ip = reinterpret_cast<sockaddr_in*>(&listening.storage);
    if (ip->sin_addr.s_addr == htonl(INADDR_ANY)) ip->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  } else if (listening.storage.ss_family == AF_INET6) {
    auto* ip = reinterpret_cast<sockaddr_in6*>(&listening.storage);
    if (memcmp(&ip->sin6_addr, &in6addr_any, sizeof in6addr_any) == 0) {
      ip->sin6_addr = in6addr_loopback;
    }
  }
  return listening;
}

// Binds the socket before it connects, so that the listener can be told its name: the host's
// address and a free port, or an abstract name.
absl::Status BindTo(int fd, Address to, Address* own) {
  if (to.storage.ss_family == AF_INET) reinterpret_cast<sockaddr_in*>(to.get())->sin_port = 0;
  if (to.storage.ss_family == AF_INET6) reinterpret_cast<sockaddr_in6*>(to.get())->sin6_port = 0;
  if (to.storage.ss_family == AF_UNIX) to.size = sizeof to.storage.ss_family;
  if (bind(fd, to.get(), to.size) != 0) return Failed("bind");
  own->size = sizeof own->storage;
  if (getsockname(fd, own->get(), &own->size) != 0) return Failed("getsockname");
  return absl::OkStatus();
}

absl::Status Connect(int fd, Address to, absl::Duration timeout) {
  if (connect(fd, to.get(), to.size) == 0) return absl::OkStatus();
  if (errno != EINPROGRESS) return Failed("connect");
  pollfd wait = {fd, POLLOUT, 0};
  if (poll(&wait, 1, static_cast<int>(absl::ToInt64Milliseconds(timeout))) <= 0) {
    return absl::DeadlineExceededError("no connection");
  }
  socklen_t size = sizeof errno;
  int error = 0;
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  errno = error;
  return error == 0 ? absl::OkStatus() : Failed("connect");
}

absl::Status Check(int fd, absl::Duration timeout) {
  grpc::GenericStub stub(grpc::CreateInsecureChannelFromFd("self", fd));
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + timeout));
  grpc::ByteBuffer request, response;  // an empty message asks for the whole server
  grpc::Slice empty;
  request = grpc::ByteBuffer(&empty, 1);
  grpc::CompletionQueue queue;
  auto call = stub.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check", request, &queue);
  grpc::Status status;
  call->StartCall();
  call->Finish(&response, &status, nullptr);
  void* tag;
  bool ok;
  queue.Next(&tag, &ok);
  if (status.ok()) return absl::OkStatus();
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

}  // namespace

absl::Status CallHealthThrough(Listener* listener, absl::Duration timeout) {
  Address to, own;
  to.storage = listener->first_address(&to.size);
  to = Reachable(to);
  Descriptor fd(socket(to.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (fd.get() < 0) return Failed("socket");
  if (absl::Status s = BindTo(fd.get(), to, &own); !s.ok()) return s;
  listener->Expect(own.storage);
  if (absl::Status s = Connect(fd.get(), to, timeout); !s.ok()) return s;
  return Check(fd.Release(), timeout);
}

}  // namespace kiln::net
