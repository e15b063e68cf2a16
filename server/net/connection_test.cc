// Tests that calls find their connection by gRPC's name, and count there as long as they are open.
#include "server/net/connection.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace kiln::net {
namespace {

TEST(ConnectionTableTest, CallsAreCountedAsLongAsTheyAreOpen) {
  ConnectionTable table;
  auto connection = std::make_shared<Connection>();
  table.Enter("ipv6:[::1]:80", connection);
  EXPECT_FALSE(connection->HasCalled());
  {
    OpenCall first = table.Begin("ipv6:%5B::1%5D:80"), second = table.Begin("ipv6:[::1]:80");
    EXPECT_EQ(connection->calls, 2);
    OpenCall moved = std::move(first);
    EXPECT_EQ(connection->calls, 2);
    EXPECT_EQ(moved.connection(), connection.get());
  }
  EXPECT_EQ(connection->calls, 0);
  EXPECT_TRUE(connection->HasCalled());
  EXPECT_EQ(table.Begin("ipv4:127.0.0.1:80").connection(), nullptr);
  // Another connection takes the name meanwhile.
  auto next = std::make_shared<Connection>();
  table.Enter("ipv6:[::1]:80", next);
  table.Remove("ipv6:[::1]:80", connection.get());
  EXPECT_EQ(table.Begin("ipv6:[::1]:80").connection(), next.get());
  table.Remove("ipv6:[::1]:80", next.get());
  EXPECT_EQ(table.Begin("ipv6:[::1]:80").connection(), nullptr);
}

}  // namespace
}  // namespace kiln::net
