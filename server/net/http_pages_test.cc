// Tests pages over HTTP: whole requests, requests in pieces, hostile ones.
#include "server/net/http_pages.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>
#include "core/base/testing/await.h"

namespace kiln::net {
namespace {

class HttpPagesTest : public testing::Test {
 protected:
  // Returns the client's end of a connection.
  int Connect() { return ConnectTo(&pages_); }
  // Waits while there is no room, as the listener does.
  static int ConnectTo(HttpPages* pages) {
    int pair[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    EXPECT_TRUE(Await([&] { return pages->held() < HttpPages::kMaxOpen; }));
    pages->Take(pair[0]);
    return pair[1];
  }
  static bool Ended(int fd) {
    char byte;
    return recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
  }
  static void Say(int fd, const std::string& text) {
    send(fd, text.data(), text.size(), MSG_NOSIGNAL);
  }
  static void CloseAll(const std::vector<int>& fds) {
    for (int fd : fds) close(fd);
  }
  // Reads to the end of file; returns "timeout" if there is none.
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
      {"/two",
       {[](bool second) {
          return HttpPages::Page{200, second ? "test/second" : "text/plain",
                                 std::string(1000, second ? '2' : '1')};
        },
        "test/second"}},
  }};
};

TEST_F(HttpPagesTest, OnLoopbackOtherHostsAreRefused) {
  const std::string other = "GET /small HTTP/1.1\r\nHost: rebound.example:7412\r\n\r\n";
  EXPECT_EQ(Status(Ask(other)), "HTTP/1.1 200");
  pages_.CheckHosts();
  const std::string refused = Ask(other);
  EXPECT_EQ(Status(refused), "HTTP/1.1 403");
  EXPECT_EQ(refused.find("hello"), std::string::npos);
  EXPECT_EQ(refused.find("rebound"), std::string::npos);
  for (const char* host :
       {"rebound.example\r\nHost: 127.0.0.1", "127.0.0.1\r\nhost: rebound.example"}) {
    EXPECT_EQ(Status(Ask(std::string("GET /small HTTP/1.1\r\nHost: ") + host + "\r\n\r\n")),
              "HTTP/1.1 403");
  }
  for (const char* line : {"Host: 127.0.0.1:7412\r\n", "HOST: LocalHost\r\n", ""}) {
    EXPECT_EQ(Status(Ask(std::string("GET /small HTTP/1.1\r\n") + line + "\r\n")), "HTTP/1.1 200");
  }
}

TEST_F(HttpPagesTest, ThePageHasTheFormThatIsAskedFor) {
  const std::string plain = Ask("GET /two HTTP/1.1\r\n\r\n");
  EXPECT_NE(plain.find("Content-Type: text/plain\r\n"), std::string::npos) << plain;
  EXPECT_NE(plain.find("\r\n\r\n" + std::string(1000, '1')), std::string::npos);
  const std::string second = Ask("GET /two HTTP/1.1\r\nAccept: test/second\r\n\r\n");
  EXPECT_NE(second.find("Content-Type: test/second\r\n"), std::string::npos) << second;
  EXPECT_NE(second.find("\r\n\r\n" + std::string(1000, '2')), std::string::npos);
  EXPECT_EQ(second.find("Content-Encoding"), std::string::npos);
  const std::string packed = Ask("GET /two HTTP/1.1\r\nAccept-Encoding: gzip\r\n\r\n");
  EXPECT_NE(packed.find("Content-Encoding: gzip\r\n"), std::string::npos) << packed;
  EXPECT_LT(packed.size(), 500u);
  EXPECT_NE(packed.find("\r\n\r\n\x1f\x8b"), std::string::npos) << "gzip's first bytes";
  const std::string small = Ask("GET /small HTTP/1.1\r\nAccept-Encoding: gzip\r\n\r\n");
  EXPECT_NE(small.find("\r\n\r\nhello\n"), std::string::npos) << "not worth it: " << small;
}

TEST_F(HttpPagesTest, APage) {
  EXPECT_EQ(Ask("GET /small HTTP/1.1\r\nHost: x\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nVary: Accept, Accept-Encoding\r\n"
            "Content-Length: 6\r\nConnection: close\r\n\r\nhello\n");
  EXPECT_EQ(Status(Ask("GET /small?q=1 HTTP/1.0\n\n")), "HTTP/1.1 200");
  std::string head = Ask("HEAD /small HTTP/1.1\r\n\r\n");
  EXPECT_NE(head.find("Content-Length: 6"), std::string::npos);
  EXPECT_EQ(head.find("hello"), std::string::npos);
  EXPECT_EQ(Status(Ask("GET /sick HTTP/1.1\r\n\r\n")), "HTTP/1.1 503");
}

TEST_F(HttpPagesTest, AQuickPageWaitsForNoOther) {
  std::atomic<bool> hangs = true;
  HttpPages pages({{"/slow",
                    [&] {
                      EXPECT_TRUE(Await([&] { return !hangs; }));
                      return HttpPages::Page{200, "text/plain", "slow\n"};
                    }}},
                  {{"/quick", [] {
                      return HttpPages::Page{200, "text/plain", "quick\n", "A: 1\r\nB: 2\r\n"};
                    }}});
  int slow = ConnectTo(&pages), quick = ConnectTo(&pages), missing = ConnectTo(&pages);
  Say(slow, "GET /slow HTTP/1.1\r\n\r\n");
  Say(quick, "GET /quick?now HTTP/1.1\r\n\r\n");
  EXPECT_EQ(ReadAll(quick),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nVary: Accept, Accept-Encoding\r\n"
            "Content-Length: 6\r\n"
            "Connection: close\r\nA: 1\r\nB: 2\r\n\r\nquick\n");
  Say(missing, "GET /other HTTP/1.1\r\n\r\n");
  const std::string paths = ReadAll(missing);
  EXPECT_NE(paths.find("/slow\n/quick\n"), std::string::npos) << paths;
  hangs = false;
  EXPECT_NE(ReadAll(slow).find("slow\n"), std::string::npos);
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

// A byte now and then is not idle, but has an end all the same.
TEST_F(HttpPagesTest, ARequestThatDripsIsEnded) {
  HttpPages impatient({}, {.request = std::chrono::milliseconds(200)});
  int fd = ConnectTo(&impatient);
  pollfd ended = {fd, POLLIN, 0};
  for (int i = 0; i < 200 && poll(&ended, 1, 50) == 0; ++i) Say(fd, "x");
  EXPECT_NE(ended.revents, 0);
  EXPECT_EQ(impatient.counters().late, 1u);
  EXPECT_TRUE(Await([&] { return impatient.held() == 0; }));
  close(fd);
}

// A byte read now and then does not lengthen an answer's time either.
TEST_F(HttpPagesTest, AnAnswerThatIsNotTakenIsEnded) {
  HttpPages impatient({{"/",
                        [] {
                          return HttpPages::Page{200, "", std::string(3'000'000, 'x')};
                        }}},
                      {.answer = std::chrono::milliseconds(200)});
  int fd = ConnectTo(&impatient);
  Say(fd, "GET / HTTP/1.1\r\n\r\n");
  char bytes[4096];
  EXPECT_TRUE(Await([&] {
    recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    return impatient.held() == 0;
  }));
  EXPECT_EQ(impatient.counters().late, 1u);
  EXPECT_LT(ReadAll(fd).size(), 3'000'000u);
}

// Many clients that drip, many that do not read, or both together do not keep others out: the
// oldest without a request gives way, then the oldest.
TEST_F(HttpPagesTest, WhoDripsOrDoesNotReadGivesWay) {
  std::vector<int> drips, deaf;
  for (size_t i = 0; i < HttpPages::kMaxStaying; ++i) {
    drips.push_back(Connect());
    Say(drips.back(), "GET /sm");
  }
  EXPECT_EQ(pages_.held(), HttpPages::kMaxStaying);
  EXPECT_EQ(Status(Ask("GET /small HTTP/1.1\r\n\r\n")), "HTTP/1.1 200") << "needs no place";
  int next = Connect();
  EXPECT_TRUE(Await([&] { return Ended(drips[0]); }));
  for (size_t i = 1; i < drips.size(); ++i) EXPECT_FALSE(Ended(drips[i])) << i;
  Say(drips[1], "all HTTP/1.1\r\n\r\n");
  EXPECT_EQ(Status(ReadAll(drips[1])), "HTTP/1.1 200") << "late, and served";
  drips.erase(drips.begin() + 1);
  for (size_t i = 0; i < HttpPages::kMaxStaying + 1; ++i) {
    deaf.push_back(Connect());
    Say(deaf.back(), "GET /large HTTP/1.1\r\n\r\n");
  }
  EXPECT_TRUE(Await([&] { return pages_.held() == HttpPages::kMaxStaying; }));
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(Status(Ask("GET /small HTTP/1.1\r\n\r\n")), "HTTP/1.1 200") << i;
  }
  EXPECT_TRUE(Ended(next)) << "before those with a request";
  EXPECT_GE(pages_.counters().gave_way, HttpPages::kMaxStaying + 1);
  EXPECT_EQ(pages_.counters().late, 0u);
  close(next);
  CloseAll(drips);
  CloseAll(deaf);
}

// A slow page delays only clients that ask for it, and they get it when it is there: made once for
// all that came before its making began.
TEST_F(HttpPagesTest, APageThatHangsKeepsNoOther) {
  std::atomic<int> made = 0;
  std::atomic<bool> hangs = true;
  HttpPages pages({{"/slow",
                    [&] {
                      while (hangs) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                      return HttpPages::Page{200, "", std::to_string(++made)};
                    }},
                   {"/quick",
                    [] {
                      return HttpPages::Page{200, "", "ok"};
                    }}},
                  {.answer = std::chrono::seconds(60)});
  std::vector<int> wait;
  for (size_t i = 0; i < HttpPages::kMaxStaying + 2; ++i) {
    wait.push_back(ConnectTo(&pages));
    Say(wait.back(), "GET /slow HTTP/1.1\r\n\r\n");
  }
  int gone = ConnectTo(&pages);
  Say(gone, "GET /slow HTTP/1.1\r\n\r\n");
  int fd = ConnectTo(&pages);  // not closed as the only one that has not asked yet
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  Say(fd, "GET /quick HTTP/1.1\r\n\r\n");
  EXPECT_EQ(Status(ReadAll(fd)), "HTTP/1.1 200");
  close(gone);
  EXPECT_TRUE(Await([&] { return pages.held() == HttpPages::kMaxStaying + 2; }));
  hangs = false;
  for (int waits : wait) EXPECT_EQ(Status(ReadAll(waits)), "HTTP/1.1 200");
  EXPECT_LE(made, 2);
}

}  // namespace
}  // namespace kiln::net
