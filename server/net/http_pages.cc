// Serves a few pages over HTTP/1.1: see http_pages.h.
#include "server/net/http_pages.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/net/host_header.h"
#include "server/net/negotiate.h"

namespace kiln::net {
namespace {

constexpr size_t kMaxRequestBytes = 8 << 10;
// How often the thread checks if it is to end, when no descriptor was left for waking it.
constexpr std::chrono::milliseconds kLookUp(1000);
// Bits of the index of a form.
constexpr size_t kSecondForm = 1, kCompressedForm = 2;

const char* Reason(int status) {
  switch (status) {
    case 200: return "OK";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 503: return "Service Unavailable";
    default: return "Bad Request";
  }
}

// Returns the end of a request's header; npos: it has not arrived.
size_t EndOfHeader(std::string_view request) {
  return std::min(request.find("\r\n\r\n"), request.find("\n\n"));
}

std::string Respond(const HttpPages::Page& page, bool with_body) {
  return absl::StrCat(
      "HTTP/1.1 ", page.status, " ", Reason(page.status), "\r\nContent-Type: ", page.content_type,
      page.compressed ? "\r\nContent-Encoding: gzip" : "",
      "\r\nVary: Accept, Accept-Encoding\r\nContent-Length: ", page.body.size(),
      "\r\nConnection: close\r\n", page.headers, "\r\n", with_body ? page.body : "");
}

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): its elements are moved from
HttpPages::HttpPages(Pages pages, Pages quick, Times times)
    : times_(times), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), quick_(std::move(quick)) {
  for (auto& [path, source] : pages) makers_.try_emplace(path, std::move(source));
  for (auto& [path, maker] : makers_) {
    maker.thread = std::thread([this, m = &maker] { RunMaker(m); });
  }
  thread_ = std::thread([this] { Run(); });
}

HttpPages::~HttpPages() {
  {
    absl::MutexLock lock(&mutex_);  // the makers' Await needs the mutex to see the change
    stopping_ = true;
  }
  WakeUp();
  thread_.join();
  for (auto& [path, maker] : makers_) maker.thread.join();
  for (const Connection& c : connections_) close(c.fd);
  for (int fd : taken_) close(fd);
  close(wake_);
}

void HttpPages::Take(int fd) {
  {
    absl::MutexLock lock(&mutex_);
    taken_.push_back(fd);
    ++held_;
  }
  WakeUp();
}

uint64_t HttpPages::held() const {
  absl::MutexLock lock(&mutex_);
  return held_;
}

HttpPages::Counters HttpPages::counters() const {
  absl::MutexLock lock(&mutex_);
  return counters_;
}

void HttpPages::WakeUp() {
  uint64_t one = 1;
  [[maybe_unused]] ssize_t written = write(wake_, &one, sizeof one);
}

void HttpPages::RunMaker(Maker* maker) {
  const auto next = [maker] {
    return std::find_if(maker->forms.begin(), maker->forms.end(),
                        [](const Form& form) { return form.asked > form.answered; });
  };
  auto wanted = [this, maker, next] { return stopping_ || next() != maker->forms.end(); };
  for (;;) {
    uint64_t asked;
    size_t form;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(&wanted));
      if (stopping_) return;
      form = static_cast<size_t>(next() - maker->forms.begin());
      asked = maker->forms[form].asked;
    }
    Page made = maker->source.make((form & kSecondForm) != 0);
    if ((form & kCompressedForm) != 0) made.compressed = Compress(&made.body);
    auto page = std::make_shared<const Page>(std::move(made));
    {
      absl::MutexLock lock(&mutex_);
      maker->forms[form].page = std::move(page);
      maker->forms[form].answered = asked;
    }
    WakeUp();
  }
}

void HttpPages::Run() {
  while (!stopping_) {
    AwaitTraffic();
    TakeNew();
    for (Connection& c : connections_) Proceed(&c);
    MakeRoom();
    CloseDone();
  }
}

// Waits until bytes have come or can be sent, a connection's time is over, or it is woken.
void HttpPages::AwaitTraffic() {
  std::vector<pollfd> wait = {{wake_, POLLIN, 0}};
  auto now = Clock::now(), until = now + kLookUp;
  for (const Connection& c : connections_) {
    wait.push_back({c.fd, static_cast<short>(c.IsAsking() ? POLLIN : c.maker ? 0 : POLLOUT), 0});
    until = std::min(until, c.end);
  }
  // Then a connection has to give way.
  if (Staying() > kMaxStaying) until = std::min(until, now + kGrace);
  auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now).count();
  poll(wait.data(), wait.size(), static_cast<int>(std::max<int64_t>(left, 0)));
  uint64_t count;
  [[maybe_unused]] ssize_t woken = read(wake_, &count, sizeof count);
  size_t i = 1;
  for (Connection& c : connections_) {
    // Detects clients that left: nothing is read or written while a page is made, so no call would
    // fail.
    c.done = c.maker != nullptr && (wait[i].revents & (POLLERR | POLLHUP)) != 0;
    ++i;
  }
}

void HttpPages::TakeNew() {
  absl::MutexLock lock(&mutex_);
  auto now = Clock::now();
  for (int fd : taken_) connections_.push_back({fd, now, now + times_.request});
  taken_.clear();
}

void HttpPages::Proceed(Connection* connection) {
  if (connection->IsAsking()) Read(connection);
  if (!connection->done && connection->maker != nullptr) Collect(connection);
  if (connection->IsTaking()) Write(connection);
  if (connection->done || Clock::now() < connection->end) return;
  connection->done = true;
  absl::MutexLock lock(&mutex_);
  ++counters_.late;
}

void HttpPages::Read(Connection* connection) {
  char bytes[4096];
  ssize_t n = recv(connection->fd, bytes, sizeof bytes, 0);
  if (n <= 0) {
    connection->done = n == 0 || !WouldBlock();
    return;
  }
  std::string& request = connection->request;
  request.append(bytes, static_cast<size_t>(n));
  size_t end = EndOfHeader(request);
  if (end != std::string::npos) {
    Ask(connection, std::string_view(request).substr(0, end));
  } else if (request.size() > kMaxRequestBytes) {
    connection->answer = Respond({400, "text/plain", "the request is too long\n"}, true);
  }
  if (!connection->IsAsking()) connection->end = Clock::now() + times_.answer;
}

// Answers a wrong request and one for a quick page at once; for another page, asks its maker.
void HttpPages::Ask(Connection* connection, std::string_view header) {
  size_t space = header.find(' ');
  size_t end = space == std::string_view::npos ? space : header.find_first_of(" ?\r\n", space + 1);
  if (end == std::string_view::npos) {
    connection->answer = Respond({400, "text/plain", "this is not an HTTP request\n"}, true);
    return;
  }
  std::string_view method = header.substr(0, space);
  std::string_view path = header.substr(space + 1, end - space - 1);
  if (method != "GET" && method != "HEAD") {
    connection->answer = Respond({405, "text/plain", "only GET and HEAD are supported\n"}, true);
    return;
  }
  connection->with_body = method == "GET";
  if (checks_hosts_ && !NamesNoOtherHost(HeaderValues(header, "host"))) {
    connection->answer = Respond(
        {403, "text/plain", "the Host header names another host: use an IP address or localhost\n"},
        connection->with_body);
    return;
  }
  auto found = makers_.find(path);
  if (found != makers_.end()) {
    Maker& maker = found->second;
    const std::string& second = maker.source.second;
    connection->maker = &maker;
    connection->form = (!second.empty() && Prefers(header, second) ? kSecondForm : 0) |
                       (TakesGzip(header) ? kCompressedForm : 0);
    absl::MutexLock lock(&mutex_);
    connection->number = ++maker.forms[connection->form].asked;
    return;
  }
  if (const auto quick = quick_.find(path); quick != quick_.end()) {
    connection->answer = Respond(quick->second.make(false), connection->with_body);
    return;
  }
  std::string paths;
  for (const auto& [known, maker] : makers_) absl::StrAppend(&paths, known, "\n");
  for (const auto& [known, make] : quick_) absl::StrAppend(&paths, known, "\n");
  connection->answer =
      Respond({404, "text/plain", absl::StrCat("no such page; the pages are\n", paths)},
              connection->with_body);
}

void HttpPages::Collect(Connection* connection) {
  std::shared_ptr<const Page> page;
  {
    absl::MutexLock lock(&mutex_);
    const Form& form = connection->maker->forms[connection->form];
    if (form.answered < connection->number) return;
    page = form.page;
  }
  connection->maker = nullptr;
  connection->answer = Respond(*page, connection->with_body);
}

void HttpPages::Write(Connection* connection) {
  std::string_view rest = std::string_view(connection->answer).substr(connection->sent);
  ssize_t n = send(connection->fd, rest.data(), rest.size(), MSG_NOSIGNAL);
  if (n < 0) {
    connection->done = !WouldBlock();
    return;
  }
  connection->sent += static_cast<size_t>(n);
  connection->done = connection->sent == connection->answer.size();
}

size_t HttpPages::Staying() const {
  return static_cast<size_t>(
      std::count_if(connections_.begin(), connections_.end(),
                    [](const Connection& c) { return c.IsAsking() || c.IsTaking(); }));
}

void HttpPages::MakeRoom() {
  auto young = Clock::now() - kGrace;
  auto first = [this](bool (Connection::*is)() const) {
    return std::find_if(connections_.begin(), connections_.end(), std::mem_fn(is));
  };
  for (size_t count = Staying(); count > kMaxStaying; --count) {
    auto gives_way = first(&Connection::IsAsking);
    if (gives_way == connections_.end() || gives_way->came > young) {
      gives_way = first(&Connection::IsTaking);
    }
    if (gives_way == connections_.end()) return;  // soon
    gives_way->done = true;
    absl::MutexLock lock(&mutex_);
    ++counters_.gave_way;
  }
}

void HttpPages::CloseDone() {
  size_t closed = std::erase_if(connections_, [](const Connection& c) {
    if (c.done) close(c.fd);
    return c.done;
  });
  absl::MutexLock lock(&mutex_);
  held_ -= closed;
}

}  // namespace kiln::net
