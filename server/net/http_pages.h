// Serves a few pages over HTTP/1.1, for Prometheus and for probes: GET and HEAD, one request for
// each connection.
//
// A well-behaved client is answered, whatever other clients do:
//   * A request's header (8 KiB at most) has to arrive within `request_time` after the connection
//     was accepted, and the answer has to be read within `answer_time` after that, or the
//     connection is closed; a byte now and then lengthens neither time.
//   * kMaxStaying connections may stay, besides those that wait for a page. Above that the oldest
//   of
//     those without a complete header gives way, or else the oldest of those that do not read their
//     answer. A new connection is read before another gives way, so that one which brings its
//     request along is always served, and kGrace is left to those that send it right after.
//   * While kMaxOpen are held none is taken (held()): clients wait in the kernel, in order.
//   * Each page is made in a thread of its own, once for all clients that ask meanwhile for the
//     same form of it: a slow page (a disk that hangs) delays only clients that want it. An answer
//     is never older than its request. Quick pages, which wait for nothing, are made in the thread
//     of the connections, in their first form.
//
// A page may have two forms, chosen by the request's Accept header, and is compressed with gzip for
// clients whose Accept-Encoding takes that (negotiate.h).
//
// On loopback, requests whose Host header names another host are refused (host_header.h).
//
// Limit: clients that connect thousands of times a second leave each connection only kGrace; a
// client that needs longer to send its request after it connected is lost.
#ifndef KILN_SERVER_NET_HTTP_PAGES_H_
#define KILN_SERVER_NET_HTTP_PAGES_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace kiln::net {

class HttpPages {
 public:
  static constexpr size_t kMaxStaying = 16;
  static constexpr size_t kMaxOpen = 24;
  static constexpr std::chrono::milliseconds kGrace{2};

  struct Page {
    int status = 200;
    std::string content_type = "text/plain; charset=utf-8";
    std::string body;
    std::string headers = {};  // further ones, each with its line's end
    bool compressed = false;   // set by HttpPages: the body is gzip
  };
  // Makes a page. The functions are called from one thread each, when a client asks.
  struct Source {
    template <typename Make>
    requires std::is_invocable_r_v<Page, Make> Source(
        Make one)  // NOLINT: a page of one form is a function
        : make([one = std::move(one)](bool) { return one(); }) {}
    Source(std::function<Page(bool second)> make_form, std::string_view second_type)
        : make(std::move(make_form)), second(second_type) {}

    std::function<Page(bool second)> make;
    // The media type of the second form, given to clients that accept it as much as text/plain;
    // empty: there is none.
    std::string second;
  };
  // Pages by path.
  using Pages = std::map<std::string, Source, std::less<>>;
  struct Times {
    std::chrono::milliseconds request = std::chrono::seconds(2);
    std::chrono::milliseconds answer = std::chrono::seconds(5);
  };
  struct Counters {
    uint64_t gave_way = 0;
    uint64_t late = 0;  // closed because a time ran out
  };

  HttpPages(Pages pages, Pages quick, Times times);
  explicit HttpPages(Pages pages, Times times) : HttpPages(std::move(pages), {}, times) {}
  explicit HttpPages(Pages pages, Pages quick = {})
      : HttpPages(std::move(pages), std::move(quick), Times()) {}
  // Waits for pages that are being made.
  ~HttpPages();
  HttpPages(const HttpPages&) = delete;
  HttpPages& operator=(const HttpPages&) = delete;

  // From now on refuses requests whose Host header names another host than this machine.
  void CheckHosts() { checks_hosts_ = true; }
  // Takes ownership of a non-blocking connection; from any thread.
  void Take(int fd);
  // Connections taken and not closed yet.
  uint64_t held() const;
  Counters counters() const;

 private:
  using Clock = std::chrono::steady_clock;
  // An answer to one kind of request for a page. Requests are numbered; a page answers those that
  // had come when its making began.
  struct Form {
    uint64_t asked = 0;
    uint64_t answered = 0;
    std::shared_ptr<const Page> page;
  };
  // Makes one page, again and again.
  struct Maker {
    explicit Maker(Source s) : source(std::move(s)) {}
    const Source source;
    std::array<Form, 4> forms;  // bit 0: the second form; bit 1: compressed
    std::thread thread;
  };
  struct Connection {
    int fd;
    Clock::time_point came;
    Clock::time_point end;
    std::string request = {};  // the part received so far, until there is `maker` or `answer`
    Maker* maker = nullptr;    // of the page that it waits for
    size_t form = 0;           // of the page, at the maker
    uint64_t number = 0;       // number of the request, among those for the form
    bool with_body = true;
    std::string answer = {};
    size_t sent = 0;  // of the answer
    bool done = false;

    bool IsAsking() const { return !done && maker == nullptr && answer.empty(); }
    bool IsTaking() const { return !done && !answer.empty(); }
  };

  void Run();
  void RunMaker(Maker* maker);
  void WakeUp();
  void AwaitTraffic();
  void TakeNew();
  void Proceed(Connection* connection);
  void Read(Connection* connection);
  void Ask(Connection* connection, std::string_view header);
  void Collect(Connection* connection);
  void Write(Connection* connection);
  size_t Staying() const;
  void MakeRoom();
  void CloseDone();

  const Times times_;
  int wake_ = -1;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> checks_hosts_ = false;
  mutable absl::Mutex mutex_;
  std::vector<int> taken_ ABSL_GUARDED_BY(mutex_);
  uint64_t held_ ABSL_GUARDED_BY(mutex_) = 0;
  Counters counters_ ABSL_GUARDED_BY(mutex_);
  // The map is constant; the makers' forms are guarded by the mutex.
  std::map<std::string, Maker, std::less<>> makers_;
  const Pages quick_;
  std::list<Connection> connections_;  // used by the thread; the oldest first
  std::thread thread_;
};

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_HTTP_PAGES_H_
