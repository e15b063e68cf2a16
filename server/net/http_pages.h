// A few pages over HTTP/1.1, for Prometheus and for probes: GET and HEAD, one request for each
// connection, one thread.
//
// Robust rather than general: a request has at most 8 KiB, a page is made while the others wait,
// and a connection lives for `lifetime` at most, asking, waiting and reading together. The listener
// in front bounds the connections and shuts down those that say nothing when there are too many,
// which ends them here too.
#ifndef KILN_SERVER_NET_HTTP_PAGES_H_
#define KILN_SERVER_NET_HTTP_PAGES_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace kiln::net {

class HttpPages {
 public:
  struct Page {
    int status = 200;
    std::string content_type = "text/plain; charset=utf-8";
    std::string body;
  };
  // `pages`: by path; made in the server's thread at each request.
  using Pages = std::map<std::string, std::function<Page()>, std::less<>>;
  explicit HttpPages(Pages pages, std::chrono::milliseconds lifetime = std::chrono::seconds(20));
  ~HttpPages();
  HttpPages(const HttpPages&) = delete;
  HttpPages& operator=(const HttpPages&) = delete;

  // Takes ownership of a non-blocking connection; from any thread.
  void Take(int fd);

 private:
  struct Connection {
    int fd;
    std::chrono::steady_clock::time_point end;
    std::string request;
    std::string answer;  // what of it is not sent yet; empty: still reading
  };

  void Run();
  // False: it is done with.
  bool Proceed(Connection* connection);
  bool Read(Connection* connection);
  bool Write(Connection* connection);
  std::string Answer(std::string_view request);

  const Pages pages_;
  const std::chrono::milliseconds lifetime_;
  int wake_ = -1;
  std::atomic<bool> stopping_ = false;
  absl::Mutex mutex_;
  std::vector<int> taken_ ABSL_GUARDED_BY(mutex_);
  std::vector<Connection> connections_;  // of the thread
  std::thread thread_;
};

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_HTTP_PAGES_H_
