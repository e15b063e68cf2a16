// Tests shares, order, guesses, express jobs and room in a full queue, with a clock set by the
// tests.
#include "server/worker/fair_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace kiln::worker {
namespace {

using absl::Milliseconds;
using absl::Seconds;

struct Job {
  int id = 0;
  bool operator==(const Job& other) const = default;
};
using Queue = FairQueue<Job>;

Owner Of(const std::string& group, const std::string& member = "") { return {group, member}; }

// Workers that take jobs from a queue, with a clock of their own. Each owner has jobs of one
// length.
class Machine {
 public:
  explicit Machine(int workers) : ends_(static_cast<size_t>(workers)) {}

  // Adds an owner that always has `waiting` jobs in the queue.
  void Keep(const Owner& owner, absl::Duration length, int waiting = 5) {
    kept_.push_back({owner, length, waiting, 0, absl::ZeroDuration()});
  }
  void Run(absl::Duration time) {
    const absl::Duration end = now_ + time;
    while (now_ < end) {
      Fill();
      for (auto& worker : ends_) {
        if (worker.turn != 0 || queue_.empty()) continue;
        const auto taken = queue_.Take(now_);
        Kept& kept = kept_[static_cast<size_t>(taken->item.id)];
        --kept.has;
        worker = {taken->turn, now_ + kept.length, &kept};
        order_.push_back(taken->item.id);
        Fill();
      }
      absl::Duration next = absl::InfiniteDuration();
      for (const auto& worker : ends_) {
        if (worker.turn != 0) next = std::min(next, worker.end);
      }
      now_ = next;
      for (auto& worker : ends_) {
        if (worker.turn == 0 || worker.end > now_) continue;
        queue_.Finish(worker.turn, worker.kept->length);
        worker.kept->used += worker.kept->length;
        worker.turn = 0;
      }
    }
  }
  absl::Duration Used(size_t kept) const { return kept_[kept].used; }
  absl::Duration UsedBy(const std::string& group) const {
    absl::Duration used;
    for (const auto& kept : kept_) used += kept.owner.group == group ? kept.used : absl::Duration();
    return used;
  }
  const std::vector<int>& order() const { return order_; }
  Queue& queue() { return queue_; }

 private:
  struct Kept {
    Owner owner;
    absl::Duration length;
    int waiting;
    int has;
    absl::Duration used;
  };
  struct Worker {
    Queue::Turn turn = 0;
    absl::Duration end;
    Kept* kept = nullptr;
  };
  void Fill() {
    for (size_t i = 0; i < kept_.size(); ++i) {
      for (; kept_[i].has < kept_[i].waiting; ++kept_[i].has) {
        queue_.Push(kept_[i].owner, {static_cast<int>(i)});
      }
    }
  }

  Queue queue_;
  std::vector<Kept> kept_;
  std::vector<Worker> ends_;
  std::vector<int> order_;
  absl::Duration now_;
};

TEST(FairQueueTest, OneOwnersJobsGoInTheirOrder) {
  Queue queue;
  for (int i = 0; i < 5; ++i) queue.Push(Of("a"), {i});
  for (int i = 0; i < 5; ++i) {
    const auto taken = queue.Take(Seconds(i));
    ASSERT_TRUE(taken.has_value());
    EXPECT_EQ(taken->item.id, i);
    queue.Finish(taken->turn, Seconds(1));
  }
  EXPECT_FALSE(queue.Take(Seconds(9)).has_value());
}

TEST(FairQueueTest, SharesAreOfTimeAndNotOfJobs) {
  Machine machine(1);
  machine.Keep(Of("long"), Seconds(4));
  machine.Keep(Of("short"), Milliseconds(2), 1000);
  machine.Run(Seconds(400));
  EXPECT_NEAR(absl::FDivDuration(machine.Used(0), machine.Used(1)), 1, 0.05);
}

TEST(FairQueueTest, SixtyFourMembersOfAGroupHaveNoMoreThanTheOneOfAnother) {
  Machine machine(2);
  machine.Keep(Of("one", "0"), Milliseconds(10));
  for (int i = 0; i < 64; ++i) machine.Keep(Of("many", std::to_string(i)), Milliseconds(10));
  machine.Run(Seconds(60));
  EXPECT_NEAR(absl::FDivDuration(machine.UsedBy("one"), machine.UsedBy("many")), 1, 0.02);
  for (size_t i = 2; i <= 64; ++i) {
    EXPECT_NEAR(absl::FDivDuration(machine.Used(i), machine.Used(1)), 1, 0.1) << i;
  }
}

TEST(FairQueueTest, WhoComesWaitsForNoneThatCameBefore) {
  Queue queue;
  for (int i = 0; i < 10'000; ++i) queue.Push(Of("bulk"), {i});
  absl::Duration now;
  for (int i = 0; i < 100; ++i) {
    const auto taken = queue.Take(now);
    now += Milliseconds(2);
    queue.Finish(taken->turn, Milliseconds(2));
  }
  queue.Push(Of("late"), {-1});
  EXPECT_EQ(queue.Take(now)->item.id, -1) << "at equal times the one served longest ago is next";
}

TEST(FairQueueTest, TimeNotAskedForIsNotSavedUp) {
  Queue queue;
  absl::Duration now;
  queue.Push(Of("rests"), {0});
  const auto first = queue.Take(now);
  queue.Finish(first->turn, Milliseconds(1));
  for (int i = 0; i < 1000; ++i) queue.Push(Of("works"), {1});
  for (int i = 0; i < 500; ++i) {
    const auto taken = queue.Take(now);
    now += Seconds(1);
    queue.Finish(taken->turn, Seconds(1));
  }
  for (int i = 0; i < 100; ++i) queue.Push(Of("rests"), {2});
  std::map<int, int> taken_by;
  for (int i = 0; i < 100; ++i) {
    const auto taken = queue.Take(now);
    ++taken_by[taken->item.id];
    now += Seconds(1);
    queue.Finish(taken->turn, Seconds(1));
  }
  EXPECT_NEAR(taken_by[2], 50, 2) << "500 s of rest are worth nothing";
}

TEST(FairQueueTest, AGuessThatWasWrongIsMadeGood) {
  Machine machine(2);
  machine.Keep(Of("surprising"), Seconds(5), 50);
  machine.Keep(Of("usual"), Milliseconds(5), 50);
  machine.Run(Seconds(500));
  EXPECT_NEAR(absl::FDivDuration(machine.Used(0), machine.Used(1)), 1, 0.05);
}

TEST(FairQueueTest, WhatRunsIsChargedWhileItRuns) {
  Queue queue;
  queue.Push(Of("a"), {1});
  queue.Push(Of("a"), {2});
  queue.Push(Of("b"), {3});
  queue.Push(Of("b"), {4});
  EXPECT_EQ(queue.Take({})->item.id, 1);
  // 2 s into a's first job, the only one known of a.
  EXPECT_EQ(queue.Take(Seconds(2))->item.id, 3);
  EXPECT_EQ(queue.Take(Seconds(3))->item.id, 4) << "b has had 1 s, a 3 s";
}

TEST(FairQueueTest, AnExpressJobIsShortAndOfOneWhoHasNothingRunning) {
  Queue queue;
  absl::Duration now;
  queue.Push(Of("bulk"), {1});
  queue.Push(Of("bulk"), {2});
  const auto running = queue.Take(now);
  EXPECT_FALSE(queue.HasExpress(now)) << "its owner has a job running";
  queue.Push(Of("bulk", "another connection"), {3});
  EXPECT_TRUE(queue.HasExpress(now));
  EXPECT_EQ(queue.TakeExpress(now)->item.id, 3);
  queue.Push(Of("other"), {4});
  const auto express = queue.TakeExpress(now);
  ASSERT_TRUE(express.has_value());
  EXPECT_EQ(express->item.id, 4);
  queue.Finish(express->turn, Seconds(5));
  queue.Push(Of("other"), {5});
  EXPECT_FALSE(queue.HasExpress(now)) << "it turned out to have long ones";
  queue.Finish(running->turn, Milliseconds(1));
}

// Long jobs of a neighbour in the same group run, and charge the group for their time.
TEST(FairQueueTest, AnExpressJobDoesNotWaitForItsGroupsLongOnes) {
  Queue queue;
  for (int i = 0; i < 10; ++i) queue.Push(Of("all", "bulk"), {i});
  queue.Take({});
  queue.Take({});
  for (int i = 0; i < 5; ++i) {
    const absl::Duration now = Seconds(i);
    queue.Push(Of("all", "quick"), {100 + i});
    const auto taken = queue.TakeExpress(now);
    ASSERT_TRUE(taken.has_value()) << i;
    EXPECT_EQ(taken->item.id, 100 + i);
    queue.Finish(taken->turn, Milliseconds(2));
  }
}

// One owner keeps an express job running; the others always wait.
TEST(FairQueueTest, ExpressJobsAreNotAWayToMoreThanAShare) {
  Queue queue;
  absl::Duration now, express, bulk;
  std::optional<Queue::Taken> own;
  for (int i = 0; i < 100; ++i) queue.Push(Of("bulk"), {1});
  queue.Push(Of("quick"), {2});
  for (int i = 0; i < 20'000; ++i) {
    queue.Push(Of("bulk"), {1});
    const auto taken = queue.Take(now);
    if (taken->item.id != 1) {  // its turn came like every owner's
      express += Milliseconds(3);
      queue.Finish(taken->turn, Milliseconds(3));
      queue.Push(Of("quick"), {2});
      continue;
    }
    while ((own = queue.TakeExpress(now)).has_value()) {
      express += Milliseconds(3);
      queue.Finish(own->turn, Milliseconds(3));
      queue.Push(Of("quick"), {2});
    }
    bulk += Milliseconds(1);
    queue.Finish(taken->turn, Milliseconds(1));
    now += Milliseconds(1);
  }
  EXPECT_LT(absl::FDivDuration(express, bulk), 1.1);
}

TEST(FairQueueTest, WhatIsPutBackIsNextAndCostsNothing) {
  Queue queue;
  queue.Push(Of("a"), {1});
  queue.Push(Of("a"), {2});
  auto taken = queue.Take({});
  queue.PutBack(taken->turn, taken->item);
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.running(), 0u);
  EXPECT_EQ(queue.Take({})->item.id, 1);
}

TEST(FairQueueTest, InAFullQueueTheOneWithMostGivesWay) {
  Queue queue;
  for (int i = 0; i < 10; ++i) queue.Push(Of("bulk", "x"), {i});
  for (int i = 10; i < 15; ++i) queue.Push(Of("bulk", "y"), {i});
  EXPECT_EQ(queue.Displace(Of("new"))->id, 9) << "the last of the one that has most";
  EXPECT_FALSE(queue.Displace(Of("bulk", "x")).has_value()) << "it has most itself";
  EXPECT_EQ(queue.Displace(Of("bulk", "y"))->id, 8);
  EXPECT_EQ(queue.size(), 13u);
  Queue equals;
  for (int i = 0; i < 4; ++i) equals.Push(Of(i % 2 == 0 ? "a" : "b"), {i});
  EXPECT_FALSE(equals.Displace(Of("a")).has_value()) << "it would have more than the other";
  EXPECT_EQ(equals.Displace(Of("c"))->id, 3) << "of equals the one that came last";
  Queue ones;
  for (int i = 0; i < 4; ++i) ones.Push(Of(std::to_string(i)), {i});
  EXPECT_FALSE(ones.Displace(Of("new")).has_value()) << "each has as much as it would have";
  EXPECT_FALSE(ones.Displace(Of("0", "new")).has_value());
  EXPECT_FALSE(Queue().Displace(Of("a")).has_value());
}

TEST(FairQueueTest, JobsThatAreNotWantedAreGone) {
  Queue queue;
  queue.Push(Of("a"), {1});
  queue.Push(Of("b"), {2});
  EXPECT_TRUE(queue.Remove(Of("a"), {1}));
  EXPECT_FALSE(queue.Remove(Of("a"), {1}));
  EXPECT_FALSE(queue.Remove(Of("c"), {1}));
  EXPECT_EQ(queue.size(), 1u);
  std::vector<int> left;
  queue.Clear([&](Job job) { left.push_back(job.id); });
  EXPECT_EQ(left, std::vector<int>{2});
  EXPECT_TRUE(queue.empty());
}

TEST(FairQueueTest, TheBusiestShareIsOfLate) {
  Queue queue;
  EXPECT_EQ(queue.busiest_share(), 0);
  EXPECT_TRUE(queue.largest_shares(3).empty());
  auto work = [&](const char* who, absl::Duration time) {
    queue.Push(Of(who), {1});
    queue.Finish(queue.Take({})->turn, time);
  };
  work("a", Seconds(6));
  work("b", Seconds(2));
  EXPECT_EQ(queue.busiest_share(), 0.75);
  EXPECT_EQ(queue.largest_shares(3), (std::vector<double>{0.75, 0.25}));
  EXPECT_EQ(queue.largest_shares(1), std::vector<double>{0.75});
  EXPECT_TRUE(queue.IsBusiest(Of("a")));
  EXPECT_FALSE(queue.IsBusiest(Of("b")));
  EXPECT_FALSE(queue.IsBusiest(Of("new")));
  for (int i = 0; i < 200; ++i) work("b", Seconds(2));
  EXPECT_GT(queue.busiest_share(), 0.99);
}

// Two workers that never idle, as with a steady flow of clients that make one call each:
// overlapping jobs of 2 ms, each of an owner of its own, with `waiting` of them in the queue. Calls
// `each` with the item taken, for each of `jobs` jobs.
template <typename Owners, typename Each>
void RunOneShots(Queue* queue, int waiting, int jobs, Owners owner, Each each) {
  absl::Duration now;
  int last = 0;
  std::vector<Queue::Turn> running;
  for (int i = 0; i < waiting; ++i, ++last) queue->Push(owner(last), {last});
  for (int i = 0; i < jobs; ++i) {
    const auto taken = queue->Take(now);
    running.push_back(taken->turn);
    each(i, taken->item.id);
    if (running.size() > 1) {
      now += Milliseconds(1);
      queue->Finish(running.front(), Milliseconds(2));
      running.erase(running.begin());
    }
    if (taken->item.id >= 0) queue->Push(owner(last), {last}), ++last;
  }
}
Owner OneShotMember(int i) { return Of("a", std::to_string(i)); }
Owner OneShotGroup(int i) { return Of("x" + std::to_string(i), "1"); }

// Every call of `kiln` is a connection of its own.
TEST(FairQueueTest, OwnersThatComeForOneJobDoNotStarveOneThatWaits) {
  for (const auto& owner : {OneShotMember, OneShotGroup}) {
    Queue queue;
    for (int i = 0; i < 1000; ++i) queue.Push(Of("a", "backlog"), {-1});
    int backlog = 0;
    RunOneShots(&queue, 1, 1000, owner, [&](int, int id) { backlog += id < 0; });
    EXPECT_NEAR(backlog, 333, 10) << "one owner waits and one runs beside it at a time";
  }
}

TEST(FairQueueTest, OwnersThatComeForOneJobGoInTheOrderInWhichTheyCame) {
  for (const auto& owner : {OneShotMember, OneShotGroup}) {
    for (int waiting : {4, 8, 64}) {
      Queue queue;
      RunOneShots(&queue, waiting, 3000, owner, [&](int job, int id) {
        EXPECT_LE(std::abs(job - id), 2) << waiting << " wait at a time";
      });
    }
  }
}

TEST(FairQueueTest, OwnersThatAreGoneAreForgotten) {
  Queue members;
  size_t most = 0;
  const auto look = [&](const Queue& queue) { most = std::max(most, queue.accounts()); };
  RunOneShots(&members, 8, 20'000, OneShotMember, [&](int, int) { look(members); });
  EXPECT_LE(most, 1 + 10 + Queue::kMaxMembersAtRest * 3 / 2) << "20,000 came";
  Queue groups;
  RunOneShots(&groups, 8, 20'000, OneShotGroup, [&](int, int) { look(groups); });
  EXPECT_LE(most, 2 * (10 + Queue::kMaxAtRest * 3 / 2)) << "20,000 came";
}

// While one job runs all the time, each of the others leaves a debt.
TEST(FairQueueTest, DebtsAreForgottenBeyondTheBoundTheSmallestFirst) {
  Queue queue;
  queue.Push(Of("runs"), {0});
  queue.Take({});
  const auto work = [&](const std::string& who, absl::Duration cost) {
    queue.Push(Of(who), {1});
    queue.Finish(queue.Take({})->turn, cost);
  };
  work("deep in debt", Seconds(10'000));
  for (int i = 0; i < 1000; ++i) {
    work("debtor" + std::to_string(i), Seconds(1));
    EXPECT_LE(queue.accounts(), 2 * (2 + Queue::kMaxAtRest * 3 / 2)) << i;
  }
  queue.Push(Of("deep in debt"), {2});
  for (int i = 0; i < 10; ++i) queue.Push(Of("new" + std::to_string(i)), {3});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(queue.Take({})->item.id, 3) << i;
}

// The jobs of one client were suspended for 20 s; no other client pays for that.
TEST(FairQueueTest, TimeThatAJobDidNotUseIsNotCharged) {
  Queue queue;
  absl::Duration now;
  for (int i = 0; i < 1000; ++i) queue.Push(Of("bulk"), {1});
  std::vector<Queue::Turn> running = {queue.Take(now)->turn, queue.Take(now)->turn};
  now += Seconds(20);
  const auto next = [&] {
    queue.Finish(running.front(), Milliseconds(100));
    running.erase(running.begin());
    const auto taken = queue.Take(now);
    running.push_back(taken->turn);
    return taken->item.id;
  };
  next();
  next();
  for (int i = 0; i < 100; ++i) queue.Push(Of("new"), {2});
  int before = 0;
  for (; before < 300; ++before) {
    now += Milliseconds(50);
    if (next() == 2) break;
  }
  EXPECT_LE(before, 2);
}

TEST(FairQueueTest, WhenNoJobIsLeftNoDebtIs) {
  for (const bool displaced : {false, true}) {
    Queue queue;
    queue.Push(Of("a"), {1});
    queue.Push(Of("b"), {2});
    queue.Push(Of("b"), {3});
    const auto taken = queue.Take({});
    queue.Push(Of("a"), {4});
    queue.Finish(taken->turn, Seconds(100));
    if (displaced) {
      EXPECT_EQ(queue.Displace(Of("c"))->id, 3);
    } else {
      EXPECT_TRUE(queue.Remove(Of("b"), {3}));
    }
    EXPECT_TRUE(queue.Remove(Of("b"), {2}));
    EXPECT_TRUE(queue.Remove(Of("a"), {4}));
    queue.Push(Of("a"), {5});
    queue.Push(Of("b"), {6});
    queue.Push(Of("b"), {7});
    EXPECT_EQ(queue.Take({})->item.id, 6) << "was served longest ago";
    EXPECT_EQ(queue.Take({})->item.id, 5) << "has as little as b has";
  }
}

// The crowd's connections each have one slow job, and nothing else is known of them.
TEST(FairQueueTest, ANewMemberIsGuessedToBeAsItsGroupIs) {
  Queue queue;
  absl::Duration now;
  for (int i = 0; i < 24; ++i) queue.Push(Of("crowd", std::to_string(i)), {i});
  const auto first = queue.Take(now), second = queue.Take(now);
  now += Seconds(4);
  queue.Finish(first->turn, Seconds(4));
  queue.Take(now);
  EXPECT_FALSE(queue.HasExpress(now)) << "one of them had a long job";
  queue.Push(Of("another", "0"), {100});
  EXPECT_EQ(queue.TakeExpress(now)->item.id, 100);
  EXPECT_FALSE(queue.HasExpress(now));
  queue.Finish(second->turn, Seconds(4));
}

TEST(FairQueueTest, JobsOfDifferentKindsAreGuessedApart) {
  Queue queue;
  absl::Duration now;
  queue.Push(Of("bulk"), {0});
  queue.Take(now);
  const auto work = [&](Queue::Kind kind, absl::Duration cost) {
    queue.Push(Of("a"), {1}, kind);
    queue.Finish(queue.Take(now)->turn, cost);
  };
  work(0, Seconds(4));
  for (int i = 0; i < 20; ++i) work(1, Milliseconds(2));
  queue.Push(Of("bulk"), {2});
  for (int i = 0; i < 20; ++i) {  // until a owes nothing
    queue.Finish(queue.Take(now)->turn, Seconds(1));
    queue.Push(Of("bulk"), {2});
  }
  queue.Push(Of("a"), {3}, 0);
  EXPECT_FALSE(queue.HasExpress(now)) << "its short jobs are of another kind";
  EXPECT_TRUE(queue.Remove(Of("a"), {3}));
  queue.Push(Of("a"), {4}, 1);
  EXPECT_TRUE(queue.HasExpress(now));
}

TEST(FairQueueTest, AnInterruptedJobIsItsOwnersNextAndNoExpressJob) {
  Queue queue;
  absl::Duration now;
  queue.Push(Of("bulk"), {0});
  queue.Take(now);
  for (int i = 0; i < 10; ++i) {
    queue.Push(Of("a"), {1});
    queue.Finish(queue.TakeExpress(now)->turn, Milliseconds(2));
  }
  queue.Push(Of("a"), {2});
  queue.Push(Of("a"), {3});
  const auto taken = queue.TakeExpress(now);
  ASSERT_TRUE(taken.has_value());
  now += Milliseconds(150);
  queue.Interrupt(taken->turn, taken->item, Milliseconds(150));
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.running(), 1u);
  now += Seconds(1);  // a has no debt by now, as the other still runs
  EXPECT_FALSE(queue.HasExpress(now)) << "though its owner's jobs are short on average";
  auto again = queue.Take(now);
  ASSERT_EQ(again->item.id, 2);
  queue.PutBack(again->turn, again->item);
  EXPECT_FALSE(queue.HasExpress(now)) << "it stays barred";
  again = queue.Take(now);
  ASSERT_EQ(again->item.id, 2);
  queue.Finish(again->turn, Milliseconds(150));
  now += Seconds(1);
  EXPECT_TRUE(queue.HasExpress(now)) << "the owner is not";
}

TEST(FairQueueTest, AnInterruptedJobOfAnUnknownOwnerSaysWhatItsGroupIs) {
  Queue queue;
  absl::Duration now;
  queue.Push(Of("bulk"), {0});
  queue.Take(now);
  for (int i = 0; i < 24; ++i) queue.Push(Of("crowd", std::to_string(i)), {i});
  const auto taken = queue.TakeExpress(now);
  ASSERT_TRUE(taken.has_value());
  EXPECT_TRUE(queue.HasExpress(now));
  now += Milliseconds(500);
  queue.Interrupt(taken->turn, taken->item, Milliseconds(50));  // it slept for most of that time
  now += Seconds(1);
  EXPECT_FALSE(queue.HasExpress(now));
}

TEST(FairQueueTest, WhatIsExpressChangesWithTimeAlone) {
  Queue queue;
  queue.Push(Of("keeps the other's debt"), {0});
  queue.Take({});
  queue.Push(Of("a"), {1}, 1);
  queue.Finish(queue.Take({})->turn, Seconds(1));
  queue.Push(Of("b"), {2});
  queue.Push(Of("b"), {3});
  ASSERT_EQ(queue.Take({})->item.id, 2);
  queue.Push(Of("a"), {4});
  EXPECT_FALSE(queue.HasExpress({}));
  EXPECT_FALSE(queue.HasExpress(Queue::kExpressLook / 2));
  EXPECT_TRUE(queue.HasExpress(Seconds(1))) << "b's job has run on";
}

TEST(FairQueueTest, AJobMovesToTheOwnerThatIsServedSooner) {
  Queue queue;
  for (int i = 0; i < 100; ++i) queue.Push(Of("bulk"), {i});
  queue.Take({});
  EXPECT_EQ(queue.Move(Of("bulk"), {99}, {Of("other")}, false), Of("other"));
  EXPECT_EQ(queue.size(), 99u);
  EXPECT_EQ(queue.TakeExpress({})->item.id, 99);
  // The next job of the owner with least time waits for nothing.
  queue.Push(Of("idle"), {200});
  EXPECT_EQ(queue.Move(Of("idle"), {200}, {Of("bulk"), Of("idle")}, false), Of("idle"));
  EXPECT_EQ(queue.Move(Of("idle"), {200}, {Of("bulk")}, true), Of("bulk")) << "idle left";
  EXPECT_FALSE(queue.Remove(Of("idle"), {200}));
  // Within a group as between groups; among several owners the one that is served first.
  queue.Push(Of("bulk", "2"), {300});
  queue.Push(Of("bulk", "2"), {301});
  EXPECT_EQ(queue.Move(Of("bulk"), {98}, {Of("bulk", "2"), Of("bulk", "3")}, false),
            Of("bulk", "3"));
  EXPECT_EQ(queue.Move(Of("bulk"), {1000}, {Of("bulk", "3")}, true), Of("bulk")) << "waits not";
}

// Random owners, lengths, arrivals and numbers of workers: an owner that always has jobs waiting
// has an equal share, up to a job's length, on both levels; and the same run twice gives the same.
TEST(FairQueueTest, SharesConvergeWhateverTheJobs) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    std::vector<int> order;
    for (int run = 0; run < 2; ++run) {
      std::mt19937 random(seed);
      auto below = [&](uint32_t n) { return static_cast<int>(random() % n); };
      const int workers = 1 + below(3), groups = 2 + below(4);
      Machine machine(workers);
      absl::Duration longest;
      for (int g = 0; g < groups; ++g) {
        const int members = 1 + below(6);
        for (int m = 0; m < members; ++m) {
          const absl::Duration length = Milliseconds(1 + below(below(2) == 0 ? 20 : 3000));
          longest = std::max(longest, length);
          machine.Keep(Of(std::to_string(g), std::to_string(m)), length, workers + 1 + below(20));
        }
      }
      const absl::Duration time = Seconds(1000);
      machine.Run(time);
      const absl::Duration share = time * workers / groups;
      for (int g = 0; g < groups; ++g) {
        const absl::Duration used = machine.UsedBy(std::to_string(g));
        EXPECT_LE(absl::AbsDuration(used - share), longest)
            << "seed " << seed << ", group " << g << " of " << groups << ": " << used
            << " instead of " << share;
      }
      if (run == 0) order = machine.order();
      EXPECT_EQ(order, machine.order()) << seed;
    }
  }
}

}  // namespace
}  // namespace kiln::worker
