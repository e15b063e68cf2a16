// Tests single flight: who leads, who is told, who stops the work; races.
#include "server/engine/single_flight.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace kiln::server {
namespace {

using Flights = SingleFlight<int>;

TEST(SingleFlightTest, OneLeadsAndAllAreTold) {
  Flights flights;
  std::vector<std::pair<int, bool>> told;
  auto note = [&](const int& result, bool leads) { told.emplace_back(result, leads); };
  auto first = flights.Join("k", note);
  auto second = flights.Join("k", note);
  auto other = flights.Join("l", note);
  EXPECT_TRUE(first.leads);
  EXPECT_FALSE(second.leads);
  EXPECT_TRUE(other.leads);
  flights.Finish(first.ticket.flight, 7);
  EXPECT_EQ(told, (std::vector<std::pair<int, bool>>{{7, true}, {7, false}}));
  EXPECT_TRUE(flights.Join("k", note).leads);
}

TEST(SingleFlightTest, AnEmptyKeyIsAFlightOfItsOwn) {
  Flights flights;
  auto none = [](const int&, bool) {};
  EXPECT_TRUE(flights.Join("", none).leads);
  EXPECT_TRUE(flights.Join("", none).leads);
}

TEST(SingleFlightTest, TheLastToLeaveStopsTheWork) {
  Flights flights;
  int stopped = 0, told = 0;
  auto count = [&](const int&, bool) { ++told; };
  auto leader = flights.Join("k", count);
  flights.IfAbandoned(leader.ticket.flight, [&] { ++stopped; });
  auto follower = flights.Join("k", count);
  flights.Leave(leader.ticket);
  EXPECT_EQ(stopped, 0);
  flights.Leave(leader.ticket);  // twice is once
  EXPECT_EQ(stopped, 0);
  flights.Leave(follower.ticket);
  EXPECT_EQ(stopped, 1);
  flights.Finish(leader.ticket.flight, 1);  // too late
  EXPECT_EQ(told, 0);
  EXPECT_EQ(flights.size(), 0u);
}

TEST(SingleFlightTest, UnwantedWorkIsStoppedAtOnce) {
  Flights flights;
  auto leader = flights.Join("k", [](const int&, bool) {});
  flights.Leave(leader.ticket);
  bool stopped = false;
  flights.IfAbandoned(leader.ticket.flight, [&] { stopped = true; });
  EXPECT_TRUE(stopped);
}

const worker::Owner kOne{"1", ""}, kTwo{"2", ""};

TEST(SingleFlightTest, ItIsToldWhoseTheWaitersAre) {
  Flights flights;
  const auto waiter = [](const int&, bool) {};
  const auto leader = flights.Join("k", waiter, kOne);
  int changes = 0;
  flights.WhenOwnersChange(leader.ticket.flight, [&] { ++changes; });
  const auto same = flights.Join("k", waiter, kOne);
  EXPECT_EQ(changes, 0);
  const auto other = flights.Join("k", waiter, kTwo);
  EXPECT_EQ(changes, 1);
  std::vector<worker::Owner> owners;
  flights.AddOwners(leader.ticket.flight, &owners);
  EXPECT_EQ(owners, (std::vector<worker::Owner>{kOne, kTwo}));
  flights.Leave(leader.ticket);
  EXPECT_EQ(changes, 1) << "another of its owner waits";
  flights.Leave(same.ticket);
  EXPECT_EQ(changes, 2);
  owners.clear();
  flights.AddOwners(leader.ticket.flight, &owners);
  EXPECT_EQ(owners, std::vector<worker::Owner>{kTwo});
  flights.Leave(other.ticket);
  EXPECT_EQ(changes, 2) << "that is its end";
}

TEST(SingleFlightTest, TheWaitersOfOneOwnerCanBeToldAlone) {
  Flights flights;
  int one = 0, two = 0;
  bool stopped = false;
  const auto leader = flights.Join(
      "k", [&](const int& n, bool) { one += n; }, kOne);
  flights.IfAbandoned(leader.ticket.flight, [&] { stopped = true; });
  flights.Join(
      "k", [&](const int& n, bool) { two += n; }, kTwo);
  flights.FinishFor(leader.ticket.flight, kOne, 1);
  EXPECT_EQ(one, 1);
  EXPECT_EQ(two, 0);
  EXPECT_FALSE(stopped);
  flights.FinishFor(leader.ticket.flight, kTwo, 1);
  EXPECT_EQ(two, 1);
  EXPECT_TRUE(stopped);
  EXPECT_EQ(flights.size(), 0u);
}

TEST(SingleFlightTest, EachWaiterIsToldOnceOrHasLeft) {
  Flights flights;
  std::atomic<int> told = 0, led = 0, stopped = 0;
  std::vector<std::thread> threads;
  constexpr int kThreads = 4, kRounds = 3000;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        auto joined = flights.Join(std::to_string(i % 7), [&](const int&, bool) { ++told; });
        if (joined.leads) {
          ++led;
          flights.IfAbandoned(joined.ticket.flight, [&] { ++stopped; });
        }
        if ((i + t) % 3 == 0) flights.Leave(joined.ticket);
        if (joined.leads) flights.Finish(joined.ticket.flight, i);
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(flights.size(), 0u);
  EXPECT_GT(led, 0);
  EXPECT_LE(told, kThreads * kRounds);
  EXPECT_GE(told, kThreads * kRounds / 3);
}

}  // namespace
}  // namespace kiln::server
