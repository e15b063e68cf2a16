// Tests addresses of peers, and which peers' forwarding headers are believed.
#include "server/net/peer.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <unistd.h>

namespace kiln::net {
namespace {

sockaddr_storage Ip(const std::string& text, int port) {
  sockaddr_storage address = {};
  auto& ip4 = reinterpret_cast<sockaddr_in&>(address);
  auto& ip6 = reinterpret_cast<sockaddr_in6&>(address);
  if (inet_pton(AF_INET, text.c_str(), &ip4.sin_addr) == 1) {
    address.ss_family = AF_INET;
  } else {
    EXPECT_EQ(inet_pton(AF_INET6, text.c_str(), &ip6.sin6_addr), 1) << text;
    address.ss_family = AF_INET6;
  }
  ip4.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

TEST(PeerTest, AnAddressIsWhatOneClientHas) {
  EXPECT_EQ(AddressOf(-1, Ip("192.0.2.7", 1)), "192.0.2.7");
  EXPECT_EQ(AddressOf(-1, Ip("::ffff:192.0.2.7", 1)), "192.0.2.7");
  EXPECT_EQ(AddressOf(-1, Ip("2001:db8:0:1:2:3:4:5", 1)), "2001:db8:0:1::/64");
  EXPECT_EQ(AddressOf(-1, Ip("2001:db8:0:1:ffff::1", 1)), "2001:db8:0:1::/64");
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  sockaddr_storage unix_peer = {};
  unix_peer.ss_family = AF_UNIX;
  EXPECT_EQ(AddressOf(pair[0], unix_peer), "unix:" + std::to_string(getuid()));
  close(pair[0]);
  close(pair[1]);
}

TEST(PeerTest, NamesAreThoseThatGrpcHas) {
  EXPECT_EQ(PeerName(Ip("192.0.2.7", 4711)), PeerName("ipv4:192.0.2.7:4711"));
  EXPECT_EQ(PeerName(Ip("::ffff:192.0.2.7", 4711)), "ipv4:192.0.2.7:4711");
  EXPECT_EQ(PeerName(Ip("2001:db8::1", 80)), PeerName("ipv6:%5B2001:db8::1%5D:80"));
  EXPECT_EQ(PeerName(Ip("fe80::1", 80)), PeerName("ipv6:%5Bfe80::1%25eth0%5D:80"));
  EXPECT_EQ(PeerName("ipv6:[::1]:80"), "ipv6:[::1]:80");
  EXPECT_EQ(PeerName("fd:7"), "fd:7");
  sockaddr_storage unix_peer = {};
  unix_peer.ss_family = AF_UNIX;
  EXPECT_EQ(PeerName(unix_peer), "");
}

TEST(PeerTest, OnlyWhomTheConfigurationNamesIsTrusted) {
  const auto some = TrustedProxies::Parse("192.0.2.7,2001:db8::1,unix");
  ASSERT_TRUE(some.ok());
  sockaddr_storage unix_peer = {};
  unix_peer.ss_family = AF_UNIX;
  EXPECT_TRUE(some->Has(unix_peer));
  EXPECT_TRUE(some->Has(Ip("192.0.2.7", 1)));
  EXPECT_TRUE(some->Has(Ip("::ffff:192.0.2.7", 1)));
  EXPECT_TRUE(some->Has(Ip("2001:db8::1", 1)));
  EXPECT_FALSE(some->Has(Ip("192.0.2.8", 1)));
  EXPECT_FALSE(some->Has(Ip("2001:db8::2", 1))) << "another of its network is not it";
  for (const char* none : {"", "none"}) {
    ASSERT_TRUE(TrustedProxies::Parse(none).ok());
    EXPECT_FALSE(TrustedProxies::Parse(none)->Has(unix_peer));
    EXPECT_FALSE(TrustedProxies::Parse(none)->Has(Ip("127.0.0.1", 1)));
  }
  for (const char* wrong : {"localhost", "192.0.2.7,", "192.0.2.0/24", "none,unix"}) {
    EXPECT_FALSE(TrustedProxies::Parse(wrong).ok()) << wrong;
  }
}

TEST(PeerTest, TheLastForwardedAddressIsTheOneTheProxySaw) {
  EXPECT_EQ(ForwardedAddress("192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(ForwardedAddress("10.0.0.1, 192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(ForwardedAddress("2001:db8::5 "), "2001:db8::/64");
  EXPECT_EQ(ForwardedAddress("10.0.0.1,\t192.0.2.7\t"), "192.0.2.7");
  for (const char* none : {"", ",", "unknown", "192.0.2.7,", "300.1.1.1"}) {
    EXPECT_FALSE(ForwardedAddress(none).has_value()) << none;
  }
}

TEST(PeerTest, AForwardedAddressMayHaveItsPort) {
  EXPECT_EQ(ForwardedAddress("10.0.0.1, 192.0.2.7:4711"), "192.0.2.7");
  EXPECT_EQ(ForwardedAddress("[2001:db8::5]:4711"), "2001:db8::/64");
  EXPECT_EQ(ForwardedAddress("[2001:db8::5]"), "2001:db8::/64");
  EXPECT_EQ(ForwardedAddress("::ffff:192.0.2.7"), "192.0.2.7");
  for (const char* none : {"192.0.2.7:", "192.0.2.7:x", "192.0.2.7:123456", "[192.0.2.7]:80",
                           "[2001:db8::5", "[2001:db8::5]80", "[2001:db8::5]:", "[]:80", ":80"}) {
    EXPECT_FALSE(ForwardedAddress(none).has_value()) << none;
  }
}

}  // namespace
}  // namespace kiln::net
