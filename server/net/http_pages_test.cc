// Pages over HTTP: whole, in pieces, hostile.
#include "server/net/http_pages.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>

namespace kiln::net {
namespace {

class HttpPagesTest : public testing::Test {
 protected:
  // The other end of a connection.
  int Connect() {
    int pair[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    pages_.Take(pair[0]);
    return pair[1];
  }
  // Until the end; "timeout" if there is none.
  static std::string ReadAll(int fd) {
    std::string all;
    for (;;) {
      pollfd p = {fd, POLLIN, 0};
      if (poll(&p, 1, 5000) <= 0) return "timeout";
      char bytes[65536];
      ssize_t n = recv(fd, bytes, sizeof bytes, 0);
      if (n <= 0) break;
      all.append(bytes, static_cast<size_t>(n));
    }
    close(fd);
    return all;
  }
  std::string Ask(const std::string& request) {
    int fd = Connect();
    EXPECT_EQ(send(fd, request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
    return ReadAll(fd);
  }
  static std::string Status(const std::string& answer) { return answer.substr(0, 12); }

  HttpPages pages_{{
      {"/small",
       [] {
         return HttpPages::Page{200, "text/plain", "hello\n"};
       }},
      {"/large",
       [] {
         return HttpPages::Page{200, "text/plain", std::string(3'000'000, 'x')};
       }},
      {"/sick",
       [] {
         return HttpPages::Page{503, "text/plain", "deaf\n"};
       }},
  }};
};

TEST_F(HttpPagesTest, APage) {
  EXPECT_EQ(Ask("GET /small HTTP/1.1\r\nHost: x\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n"
            "Connection: close\r\n\r\nhello\n");
  EXPECT_EQ(Status(Ask("GET /small?q=1 HTTP/1.0\n\n")), "HTTP/1.1 200");
  std::string head = Ask("HEAD /small HTTP/1.1\r\n\r\n");
  EXPECT_NE(head.find("Content-Length: 6"), std::string::npos);
  EXPECT_EQ(head.find("hello"), std::string::npos);
  EXPECT_EQ(Status(Ask("GET /sick HTTP/1.1\r\n\r\n")), "HTTP/1.1 503");
}

TEST_F(HttpPagesTest, WhatIsNotThereIsSaid) {
  std::string missing = Ask("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(Status(missing), "HTTP/1.1 404");
  EXPECT_NE(missing.find("/small\n"), std::string::npos);
  EXPECT_EQ(Status(Ask("POST /small HTTP/1.1\r\n\r\nbody")), "HTTP/1.1 405");
  EXPECT_EQ(Status(Ask("\r\n\r\n")), "HTTP/1.1 400");
  EXPECT_EQ(Status(Ask("GET\r\n\r\n")), "HTTP/1.1 400");
  EXPECT_EQ(Status(Ask(std::string("\0\xff\0 x \r\n\r\n", 10))), "HTTP/1.1 405");
  EXPECT_EQ(Status(Ask(std::string(9000, 'y'))), "HTTP/1.1 400");
}

TEST_F(HttpPagesTest, RequestsInPiecesAndSlowReaders) {
  int slow = Connect(), silent = Connect();
  std::string request = "GET /large HTTP/1.1\r\n\r\n";
  for (char c : request) {
    ASSERT_EQ(send(slow, &c, 1, 0), 1);
    EXPECT_EQ(Status(Ask("GET /small HTTP/1.1\r\n\r\n")), "HTTP/1.1 200") << "while others wait";
  }
  EXPECT_GT(ReadAll(slow).size(), 3'000'000u);
  close(silent);
  int gone = Connect();
  ASSERT_GT(send(gone, request.data(), request.size(), 0), 0);
  close(gone);
  EXPECT_EQ(Status(Ask("GET /small HTTP/1.1\r\n\r\n")), "HTTP/1.1 200");
}

// A byte now and then is not idle, and yet not for ever.
TEST_F(HttpPagesTest, ARequestThatDripsIsEnded) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  fcntl(pair[0], F_SETFL, O_NONBLOCK);
  HttpPages impatient({}, std::chrono::milliseconds(200));
  impatient.Take(pair[0]);
  pollfd ended = {pair[1], POLLIN, 0};
  for (int i = 0; i < 200 && poll(&ended, 1, 50) == 0; ++i) send(pair[1], "x", 1, MSG_NOSIGNAL);
  EXPECT_NE(ended.revents, 0);
  close(pair[1]);
}

}  // namespace
}  // namespace kiln::net
