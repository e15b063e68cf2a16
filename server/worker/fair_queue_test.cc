// Shares, order, guesses, express jobs and room in a full queue, with a clock that the tests set.
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

// Workers that take jobs from a queue, with a clock of its own. Each owner has jobs of one length.
class Machine {
 public:
  explicit Machine(int workers) : ends_(static_cast<size_t>(workers)) {}

  // An owner that always has so many jobs waiting.
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
  EXPECT_EQ(queue.Take(now)->item.id, -1) << "of the same tag, who was served longest ago";
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
  // After 2 s of a's first job, of which nothing is known but that.
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

// Long ones of a neighbour in the same group run, and charge the group with what they take.
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

// It keeps one job running by the express way; others always wait.
TEST(FairQueueTest, ExpressJobsAreNotAWayToMoreThanAShare) {
  Queue queue;
  absl::Duration now, express, bulk;
  std::optional<Queue::Taken> own;
  for (int i = 0; i < 100; ++i) queue.Push(Of("bulk"), {1});
  queue.Push(Of("quick"), {2});
  for (int i = 0; i < 20'000; ++i) {
    queue.Push(Of("bulk"), {1});
    const auto taken = queue.Take(now);
    if (taken->item.id != 1) {  // its turn came as everybody's
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
  EXPECT_TRUE(equals.Displace(Of("c")).has_value());
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
  auto work = [&](const char* who, absl::Duration time) {
    queue.Push(Of(who), {1});
    queue.Finish(queue.Take({})->turn, time);
  };
  work("a", Seconds(6));
  work("b", Seconds(2));
  EXPECT_EQ(queue.busiest_share(), 0.75);
  for (int i = 0; i < 200; ++i) work("b", Seconds(2));
  EXPECT_GT(queue.busiest_share(), 0.99);
}

TEST(FairQueueTest, OwnersThatAreGoneAreForgotten) {
  Queue queue;
  absl::Duration now;
  queue.Push(Of("stays"), {0});
  for (int i = 0; i < 20'000; ++i) {
    queue.Push(Of("group" + std::to_string(i % 300), std::to_string(i)), {i});
    now += Milliseconds(1);
    queue.Finish(queue.Take(now)->turn, Milliseconds(1));
  }
  EXPECT_LE(queue.accounts(), 20 * Queue::kMostAtRest) << "20,000 came";
}

// Owners, lengths, arrivals and workers at random: who always has jobs waiting has no less than an
// equal share, but for a job's length or two, on both levels; and the same run twice is the same.
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
        EXPECT_LE(absl::AbsDuration(used - share), 4 * (workers + 1) * longest)
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
