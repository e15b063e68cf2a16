// A TCP port in front of a daemon that a test can close, open again and reset: the effects of a
// network, a load balancer or a firewall on connections of a healthy daemon.
#ifndef KILN_TESTS_SERVICE_TCP_PROXY_H_
#define KILN_TESTS_SERVICE_TCP_PROXY_H_

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace kiln::test {

class TcpProxy {
 public:
  // Forwards to 127.0.0.1:`port`. Listens at once, on a new port.
  explicit TcpProxy(uint16_t port);
  ~TcpProxy();
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  // Stops listening and resets every connection.
  void Close();
  // Listens again, on the same port.
  void Open();
  // Resets every connection and keeps listening.
  void Reset();
  // While set, new connections are accepted but no byte gets through; connections open now never
  // carry a byte again, nor end: a machine that is switched off, and later on again.
  void SetGone(bool gone) { gone_ = gone; }

 private:
  struct Connection {
    int client;
    int daemon;
    std::thread thread;
  };
  void Accept();
  void Forward(int client, int daemon);

  const uint16_t target_;
  uint16_t port_ = 0;
  std::atomic<bool> gone_{false};
  std::atomic<int> listener_{-1};
  std::thread acceptor_;
  std::mutex mutex_;
  std::list<Connection> connections_;
};

}  // namespace kiln::test

#endif  // KILN_TESTS_SERVICE_TCP_PROXY_H_
