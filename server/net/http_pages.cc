// A few pages over HTTP/1.1: see http_pages.h.
#include "server/net/http_pages.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"

namespace kiln::net {
namespace {

constexpr size_t kMostRequestBytes = 8 << 10;
// Between two looks at who has lived for too long; the wake-up ends a wait sooner.
constexpr int kLookUpMilliseconds = 1000;

const char* Reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 503:
      return "Service Unavailable";
    default:
      return "Bad Request";
  }
}

// Where the header of a request ends; npos: not yet.
size_t EndOfHeader(std::string_view request) {
  return std::min(request.find("\r\n\r\n"), request.find("\n\n"));
}

std::string Respond(const HttpPages::Page& page, bool with_body) {
  return absl::StrCat("HTTP/1.1 ", page.status, " ", Reason(page.status),
                      "\r\nContent-Type: ", page.content_type,
                      "\r\nContent-Length: ", page.body.size(), "\r\nConnection: close\r\n\r\n",
                      with_body ? page.body : "");
}

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

HttpPages::HttpPages(Pages pages, std::chrono::milliseconds lifetime)
    : pages_(std::move(pages)), lifetime_(lifetime), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  thread_ = std::thread([this] { Run(); });
}

HttpPages::~HttpPages() {
  stopping_ = true;
  uint64_t one = 1;
  [[maybe_unused]] ssize_t written = write(wake_, &one, sizeof one);
  thread_.join();
  for (const Connection& c : connections_) close(c.fd);
  for (int fd : taken_) close(fd);
  close(wake_);
}

void HttpPages::Take(int fd) {
  {
    absl::MutexLock lock(&mutex_);
    taken_.push_back(fd);
  }
  uint64_t one = 1;
  [[maybe_unused]] ssize_t written = write(wake_, &one, sizeof one);
}

void HttpPages::Run() {
  while (!stopping_) {
    std::vector<pollfd> wait = {{wake_, POLLIN, 0}};
    for (const Connection& c : connections_) {
      wait.push_back({c.fd, static_cast<short>(c.answer.empty() ? POLLIN : POLLOUT), 0});
    }
    poll(wait.data(), wait.size(), kLookUpMilliseconds);
    uint64_t count;
    [[maybe_unused]] ssize_t woken = read(wake_, &count, sizeof count);
    std::vector<Connection> left;
    auto now = std::chrono::steady_clock::now();
    for (size_t i = 0; i < connections_.size(); ++i) {
      bool lives = wait[i + 1].revents == 0 || Proceed(&connections_[i]);
      if (lives && now < connections_[i].end) {
        left.push_back(std::move(connections_[i]));
      } else {
        close(connections_[i].fd);
      }
    }
    connections_ = std::move(left);
    absl::MutexLock lock(&mutex_);
    for (int fd : taken_) connections_.push_back({fd, now + lifetime_, "", ""});
    taken_.clear();
  }
}

bool HttpPages::Proceed(Connection* connection) {
  if (connection->answer.empty() && !Read(connection)) return false;
  return connection->answer.empty() || Write(connection);
}

bool HttpPages::Read(Connection* connection) {
  char bytes[4096];
  ssize_t n = recv(connection->fd, bytes, sizeof bytes, 0);
  if (n <= 0) return n < 0 && WouldBlock();
  std::string& request = connection->request;
  request.append(bytes, static_cast<size_t>(n));
  size_t end = EndOfHeader(request);
  if (end != std::string::npos) {
    connection->answer = Answer(std::string_view(request).substr(0, end));
  } else if (request.size() > kMostRequestBytes) {
    connection->answer = Respond({400, "text/plain", "the request is too long\n"}, true);
  }
  return true;
}

bool HttpPages::Write(Connection* connection) {
  std::string& answer = connection->answer;
  ssize_t n = send(connection->fd, answer.data(), answer.size(), MSG_NOSIGNAL);
  if (n < 0) return WouldBlock();
  answer.erase(0, static_cast<size_t>(n));
  return !answer.empty();
}

std::string HttpPages::Answer(std::string_view request) {
  size_t space = request.find(' ');
  size_t end = space == std::string_view::npos ? space : request.find_first_of(" ?\r\n", space + 1);
  if (end == std::string_view::npos) return Respond({400, "text/plain", "no HTTP\n"}, true);
  std::string_view method = request.substr(0, space);
  std::string_view path = request.substr(space + 1, end - space - 1);
  if (method != "GET" && method != "HEAD") {
    return Respond({405, "text/plain", "GET and HEAD only\n"}, true);
  }
  auto page = pages_.find(path);
  if (page != pages_.end()) return Respond(page->second(), method == "GET");
  std::string paths;
  for (const auto& [known, make] : pages_) absl::StrAppend(&paths, known, "\n");
  return Respond({404, "text/plain", absl::StrCat("the pages here are\n", paths)}, method == "GET");
}

}  // namespace kiln::net
