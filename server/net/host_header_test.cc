// Tests which Host headers a listener on loopback takes.
#include "server/net/host_header.h"

#include <gtest/gtest.h>

#include <string>

namespace kiln::net {
namespace {

TEST(HostHeaderTest, TakesAddressesAndLocalhost) {
  for (const char* good : {"", "127.0.0.1", "127.0.0.1:7412", "192.0.2.7:80", "[::1]", "[::1]:7412",
                           "localhost", "LOCALHOST:7412", "kiln.localhost:1", "localhost:"}) {
    EXPECT_TRUE(NamesNoOtherHost(good)) << good;
  }
}

TEST(HostHeaderTest, RefusesOtherNames) {
  for (const std::string& bad :
       {std::string("evil.example"), std::string("evil.example:7412"),
        std::string("127.0.0.1.evil.example"), std::string("127.0.0.1:7412.evil.example"),
        std::string("localhost.evil.example"), std::string("notlocalhost"), std::string("::1"),
        std::string("[::1"), std::string("[::1]x"), std::string("[evil.example]"),
        std::string("127.0.0.1, evil.example"), std::string("127.1"), std::string("0x7f000001"),
        std::string("127.0.0.1\0.evil", 15), std::string("@127.0.0.1"), std::string("."),
        std::string("127.0.0.1:123456")}) {
    EXPECT_FALSE(NamesNoOtherHost(bad)) << bad;
  }
}

}  // namespace
}  // namespace kiln::net
