// A digest is answered only to the client that sent its source, and only for a while.
#include "server/engine/known_sources.h"

#include <gtest/gtest.h>

#include <memory>

#include "server/rpc/clients.h"

namespace kiln::server {
namespace {

const cache::Digest kOne = cache::Sha256("one");
const cache::Digest kTwo = cache::Sha256("two");
constexpr absl::Duration kHour = absl::Hours(1);

TEST(KnownSourcesTest, OfOneClientOnly) {
  KnownSources known(10, kHour);
  known.Add("ipv4:127.0.0.1:4000", kOne, absl::ZeroDuration());
  EXPECT_TRUE(known.Has("ipv4:127.0.0.1:4000", kOne, absl::Seconds(1)));
  EXPECT_FALSE(known.Has("ipv4:127.0.0.1:4000", kTwo, absl::Seconds(1)));
  EXPECT_FALSE(known.Has("ipv4:127.0.0.1:4001", kOne, absl::Seconds(1)));
  EXPECT_FALSE(known.Has("", kOne, absl::Seconds(1)));
}

TEST(KnownSourcesTest, AClientIsAConnectionThatIsKnown) {
  const auto connection = std::make_shared<net::Connection>();
  EXPECT_EQ(ClientName(net::OpenCall(connection), {"192.0.2.7", "1"}), "192.0.2.7 1");
  EXPECT_EQ(ClientName(net::OpenCall(), {}), "") << "closed before its call was looked at";
}

TEST(KnownSourcesTest, EndsAndIsShownAgain) {
  KnownSources known(10, kHour);
  known.Add("a", kOne, absl::ZeroDuration());
  EXPECT_FALSE(known.Has("a", kOne, kHour));
  known.Add("a", kOne, kHour);
  EXPECT_TRUE(known.Has("a", kOne, kHour + absl::Minutes(59)));
}

TEST(KnownSourcesTest, TheOldestMakesRoom) {
  KnownSources known(2, kHour);
  known.Add("a", kOne, absl::ZeroDuration());
  known.Add("a", kTwo, absl::ZeroDuration());
  known.Add("a", kOne, absl::Seconds(1));  // now the younger
  known.Add("b", kOne, absl::Seconds(2));
  EXPECT_TRUE(known.Has("a", kOne, absl::Seconds(3)));
  EXPECT_FALSE(known.Has("a", kTwo, absl::Seconds(3)));
  EXPECT_TRUE(known.Has("b", kOne, absl::Seconds(3)));
}

}  // namespace
}  // namespace kiln::server
