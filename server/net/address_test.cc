// Tests addresses: every kind that is listened on, and errors that name the flag.
#include "server/net/address.h"

#include <gtest/gtest.h>

#include <string>

namespace kiln::net {
namespace {

std::string Error(const std::string& address) {
  return std::string(Listen("listen", address).status().message());
}

TEST(AddressTest, APortThatIsFreeIsTakenAndSaid) {
  auto sockets = Listen("listen", "127.0.0.1:0");
  ASSERT_TRUE(sockets.ok()) << sockets.status();
  EXPECT_EQ(sockets->fds.size(), 1u);
  EXPECT_EQ(sockets->address.rfind("127.0.0.1:", 0), 0u);
  EXPECT_NE(sockets->address, "127.0.0.1:0");
  EXPECT_EQ(Error(sockets->address),
            "cannot listen on " + sockets->address +
                ": another program listens on it; choose another with --listen=HOST:PORT");
}

TEST(AddressTest, AHostWithSeveralAddressesHasOnePort) {
  auto sockets = Listen("listen", "localhost:0");
  ASSERT_TRUE(sockets.ok()) << sockets.status();
  EXPECT_GE(sockets->fds.size(), 1u);
  EXPECT_EQ(sockets->address.rfind("localhost:", 0), 0u);
}

TEST(AddressTest, WhatIsReachedFromElsewhere) {
  for (const char* here : {"127.0.0.1:0", "127.9.9.9:0", "localhost:0", "[::1]:0",
                           "[::ffff:127.0.0.1]:0", "unix:address_test/sock"}) {
    auto sockets = Listen("listen", here);
    ASSERT_TRUE(sockets.ok()) << sockets.status();
    EXPECT_FALSE(ReachedFromElsewhere(*sockets)) << here;
  }
  for (const char* everywhere : {"0.0.0.0:0", "[::]:0"}) {
    auto sockets = Listen("listen", everywhere);
    ASSERT_TRUE(sockets.ok()) << sockets.status();
    EXPECT_TRUE(ReachedFromElsewhere(*sockets)) << everywhere;
  }
}

TEST(AddressTest, ErrorsNameFlagAndRemedy) {
  EXPECT_EQ(Error("7411"), "--listen=7411: must be HOST:PORT or unix:PATH");
  EXPECT_EQ(Error("127.0.0.1:"), "--listen=127.0.0.1:: must be HOST:PORT or unix:PATH");
  EXPECT_EQ(Error("127.0.0.1:65536"),
            "--listen=127.0.0.1:65536: '65536' is not a port from 0 to 65535");
  EXPECT_EQ(Error("127.0.0.1:-1"), "--listen=127.0.0.1:-1: '-1' is not a port from 0 to 65535");
  EXPECT_NE(Error("256.0.0.1:1").find("--listen=256.0.0.1:1: "), std::string::npos);
  EXPECT_NE(Error("192.0.2.1:0").find("cannot listen on 192.0.2.1:0: "), std::string::npos);
  EXPECT_NE(Error("unix:").find("the socket's path must have 1 to 107 bytes"), std::string::npos);
  EXPECT_NE(Error("unix:/" + std::string(200, 'a')).find("1 to 107"), std::string::npos);
}

}  // namespace
}  // namespace kiln::net
