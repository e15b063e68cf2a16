// Tests which client a call belongs to (clients.h).
#include "server/rpc/clients.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace kiln::server {
namespace {

using worker::Owner;

class ClientsTest : public testing::Test {
 protected:
  static net::OpenCall CallOf(bool trusted) {
    auto connection = std::make_shared<net::Connection>();
    connection->number = 7;
    connection->address = "192.0.2.1";
    connection->trusted = trusted;
    return net::OpenCall(std::move(connection));
  }
  static void ExpectOwner(const Owner& owner, const std::string& group, const std::string& member) {
    EXPECT_EQ(owner.group, group);
    EXPECT_EQ(owner.member, member);
  }
};

TEST_F(ClientsTest, ACallIsItsConnections) {
  ExpectOwner(OwnerOf(CallOf(false), Headers()), "192.0.2.1", "7");
  ExpectOwner(OwnerOf(CallOf(true), Headers()), "192.0.2.1", "7");
}

TEST_F(ClientsTest, OfATrustedProxyItIsTheForwardedAddress) {
  const Headers headers = {{"x-forwarded-for", "198.51.100.1, 198.51.100.2"}};
  ExpectOwner(OwnerOf(CallOf(true), headers), "198.51.100.2", "through ");
  ExpectOwner(OwnerOf(CallOf(false), headers), "192.0.2.1", "7");
}

TEST_F(ClientsTest, AndTheConnectionThatItNames) {
  const Headers headers = {{"x-forwarded-for", "198.51.100.1"}, {"kiln-client-connection", "7"}};
  ExpectOwner(OwnerOf(CallOf(true), headers), "198.51.100.1", "through 7");
  ExpectOwner(OwnerOf(CallOf(false), headers), "192.0.2.1", "7");
}

TEST_F(ClientsTest, OfTwoHeadersTheProxysOwnIsTheLast) {
  const Headers headers = {{"x-forwarded-for", "198.51.100.1"},
                           {"x-forwarded-for", "198.51.100.2"}};
  EXPECT_EQ(OwnerOf(CallOf(true), headers).group, "198.51.100.2");
}

TEST_F(ClientsTest, AConnectionsNameIsCut) {
  const std::string name(1000, 'x');
  const Headers headers = {{"x-forwarded-for", "198.51.100.1"}, {"kiln-client-connection", name}};
  EXPECT_EQ(OwnerOf(CallOf(true), headers).member,
            "through " + std::string(kMaxConnectionName, 'x'));
}

TEST_F(ClientsTest, WhatIsNoAddressIsTheProxysOwn) {
  for (const char* header : {"", "unknown", "198.51.100.1, ", "198.51.100.1:80:90"}) {
    ExpectOwner(OwnerOf(CallOf(true), {{"x-forwarded-for", header}}), "192.0.2.1", "7");
  }
}

TEST_F(ClientsTest, WithoutAConnectionItIsWhatAllSuchCallsHaveInCommon) {
  const Headers headers = {{"x-forwarded-for", "198.51.100.1"}};
  ExpectOwner(OwnerOf(net::OpenCall(), headers), Owner().group, Owner().member);
}

TEST_F(ClientsTest, ACallIsCountedAsLongAsItLives) {
  auto connection = std::make_shared<net::Connection>();
  {
    const net::OpenCall call(connection);
    EXPECT_EQ(connection->calls, 1);
  }
  EXPECT_EQ(connection->calls, 0);
  EXPECT_TRUE(connection->HasCalled());
}

}  // namespace
}  // namespace kiln::server
