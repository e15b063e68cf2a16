// A queue that shares processor time fairly: between groups of owners, and within a group between
// its members.
//
// Problem: in order of arrival the owner that sends most gets most, and a job of two milliseconds
// waits for all that came before it. Counted in jobs, the owner of long ones gets most.
//
// Algorithm: fair queueing by virtual time, on two levels (fair_level.h; the family of Goyal, Vin,
// Cheng: "Start-time Fair Queueing", SIGCOMM 1996, and Parekh, Gallager: "A generalized processor
// sharing approach", 1993). The next job belongs to the group that has had the least processor
// time, and within it to the member that has had the least; a member's jobs are served in order of
// arrival. An owner without waiting jobs comes back at the level's clock: time that it did not ask
// for is not saved up, and its lead over the others stays a debt as long as these are at work. So
// the shares of owners that always have jobs waiting come to differ by at most about a job's length
// for each worker, however many members a group has and however long the jobs are; and an owner
// with waiting jobs gets its share whatever other owners come and go.
//
// A job's cost is known when it is over. Until then its cost is a guess, or the time that it has
// run if that is more. The guess is the mean of its owner's last jobs of the same kind, or of its
// group's if the owner had none, or a short constant if these had none.
//
// An express job need not wait for a running one: its owner is not ahead of the other waiting
// owners by more than kExpressLead, has nothing running, and is guessed to need at most
// kExpressLength. A job that turned out to need more (Interrupt) never becomes an express job
// again.
//
// A full queue has room for a newcomer if another group, or another member of its own, would still
// have at least as many waiting jobs after losing one: then the last job of the owner with most
// gives way. So the slots of the queue are shared as fairly as the time.
//
// Bounds: owners with jobs that wait or run, and beside them 1.5 x kMaxAtRest groups and in each
// group 1.5 x kMaxMembersAtRest members.
//
// Cost: finding the next job looks at each group with waiting jobs, and at each such member of one
// of them, or of all of them for an express job. Deterministic: of equal times the account that was
// served longest ago comes first, then the one that came first. The caller passes the time. Not
// thread-safe.
#ifndef KILN_SERVER_WORKER_FAIR_QUEUE_H_
#define KILN_SERVER_WORKER_FAIR_QUEUE_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "server/worker/fair_level.h"
#include "server/worker/owner.h"

namespace kiln::worker {

template <typename Item>
class FairQueue {
 public:
  // The guess for an owner and a group without finished jobs.
  static constexpr absl::Duration kFirstGuess = absl::Milliseconds(5);
  static constexpr absl::Duration kExpressLead = absl::Milliseconds(50);
  static constexpr absl::Duration kExpressLength = absl::Milliseconds(100);
  // HasExpress may repeat its last answer for so long, while nothing but time changes.
  static constexpr absl::Duration kExpressLook = absl::Milliseconds(5);
  // After so much processor time in all, earlier time counts half (busiest_share).
  static constexpr absl::Duration kRecent = absl::Seconds(30);
  // Bounds on the groups at rest, and on the members at rest in a group, that are remembered.
  static constexpr size_t kMaxAtRest = 256;
  static constexpr size_t kMaxMembersAtRest = 16;

  // Costs are guessed for each kind of job by itself.
  static constexpr size_t kKinds = 2;
  using Kind = size_t;

  // Identifies a job from Take until it is finished or put back.
  using Turn = uint64_t;
  struct Taken {
    Item item;
    Turn turn = 0;
  };

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_t running() const { return running_.size(); }
  // Number of groups with a job that waits or runs.
  size_t groups() const { return groups_.at_work(); }
  // Number of owners and groups that are remembered.
  size_t accounts() const {
    size_t accounts = groups_.size();
    for (const auto& [name, group] : groups_) accounts += group.members.size();
    return accounts;
  }
  // Returns the part of the recent processor time that the busiest group had; 0: none was used.
  double busiest_share() const {
    absl::Duration most;
    for (const auto& [name, group] : groups_) most = std::max(most, group.recent);
    return recent_ == absl::ZeroDuration() ? 0 : absl::FDivDuration(most, recent_);
  }

  // Returns the parts of the groups that had most of it, the largest first: `count` at most.
  std::vector<double> largest_shares(size_t count) const {
    std::vector<double> shares;
    if (recent_ == absl::ZeroDuration()) return shares;
    for (const auto& [name, group] : groups_) {
      if (group.recent > absl::ZeroDuration()) {
        shares.push_back(absl::FDivDuration(group.recent, recent_));
      }
    }
    std::sort(shares.begin(), shares.end(), std::greater<>());
    shares.resize(std::min(shares.size(), count));
    return shares;
  }
  // Returns true if no group had more of it than that of `owner`, which had some.
  bool IsBusiest(const Owner& owner) const {
    absl::Duration most, own;
    for (const auto& [name, group] : groups_) {
      most = std::max(most, group.recent);
      if (name == owner.group) own = group.recent;
    }
    return own > absl::ZeroDuration() && own == most;
  }

  void Push(const Owner& owner, Item item, Kind kind = 0) {
    Add(owner, {std::move(item), kind, false});
  }

  // Takes the next job. `now`, here as below: of any clock that is never set back.
  std::optional<Taken> Take(absl::Duration now) {
    Reckon(now);
    Group* group = groups_.Least();
    if (group == nullptr) return std::nullopt;
    return TakeOf({group, group->members.Least()}, now);
  }

  // Takes the next express job, if there is one.
  std::optional<Taken> TakeExpress(absl::Duration now) {
    Reckon(now);
    const Line line = LeastExpress();
    if (line.group != nullptr) return TakeOf(line, now);
    express_ = {false, now};
    return std::nullopt;
  }
  // Returns true if there is an express job; cheap enough to be called often.
  bool HasExpress(absl::Duration now) {
    if (!express_.has_value() || now >= express_->at + kExpressLook) {
      Reckon(now);
      express_ = {LeastExpress().group != nullptr, now};
    }
    return express_->has;
  }

  // Ends a job and charges its cost.
  void Finish(Turn turn, absl::Duration cost) {
    const auto it = running_.find(turn);
    if (it == running_.end()) return;
    Settle(it->second, cost);
    End(it, 0);
  }

  // Puts back a job that was not begun: it is its owner's next again, at no cost.
  void PutBack(Turn turn, Item item) {
    const auto it = running_.find(turn);
    if (it == running_.end()) return;
    it->second.member->jobs.push_front({std::move(item), it->second.kind, it->second.barred});
    End(it, 1);
  }

  // Puts back a job that was ended after `cost` and has to be done again: it is its owner's next,
  // and not an express job. `cost` counts as more than kExpressLength.
  void Interrupt(Turn turn, Item item, absl::Duration cost) {
    const auto it = running_.find(turn);
    if (it == running_.end()) return;
    Settle(it->second, std::max(cost, kExpressLength + absl::Milliseconds(1)));
    it->second.member->jobs.push_front({std::move(item), it->second.kind, true});
    End(it, 1);
  }

  // Removes a waiting job. Returns false if it does not wait.
  bool Remove(const Owner& owner, const Item& item) {
    const Line line = Find(owner);
    if (line.member == nullptr) return false;
    const auto at = At(line, item);
    if (at == line.member->jobs.end()) return false;
    line.member->jobs.erase(at);
    Count(line, -1, 0);
    Forget(line.group);
    return true;
  }

  // Moves a waiting job of `owner` to that owner among `others` for which it would be served first,
  // if that is sooner than for `owner`, or if `must`. Returns the job's owner afterwards. Among
  // equal expected times the first of `others` is chosen.
  Owner Move(const Owner& owner, const Item& item, const std::vector<Owner>& others, bool must) {
    const Line from = Find(owner);
    if (from.member == nullptr) return owner;
    const auto at = At(from, item);
    if (at == from.member->jobs.end() || others.empty()) return owner;
    const auto before = static_cast<size_t>(std::distance(from.member->jobs.begin(), at));
    const Owner* best = must ? &others.front() : &owner;
    Start first = must ? StartOf(*best, std::nullopt) : StartOf(owner, before);
    for (const Owner& other : others) {
      const Start start = StartOf(other, std::nullopt);
      if (!(other.group == best->group ? start.in_group < first.in_group : start.of < first.of)) {
        continue;
      }
      best = &other;
      first = start;
    }
    if (*best == owner) return owner;
    const Owner to = *best;
    Waiting job = std::move(*at);
    from.member->jobs.erase(at);
    Add(to, std::move(job));
    Count(from, -1, 0);
    Forget(from.group);
    return to;
  }

  // Makes room for a job of `newcomer`: takes out the last waiting job of the owner that has most.
  // Nothing: none has more than the newcomer would have.
  std::optional<Item> Displace(const Owner& newcomer) {
    Group* own = groups_.Find(newcomer.group);
    Group* group = groups_.Most(own);
    Member* member = nullptr;
    if (group != nullptr && group->waiting > (own == nullptr ? 1 : own->waiting + 1)) {
      member = group->members.Most(nullptr);
    } else if (own != nullptr) {
      group = own;
      const Member* mine = own->members.Find(newcomer.member);
      member = own->members.Most(mine);
      const size_t would_have = mine == nullptr ? 1 : mine->waiting + 1;
      if (member != nullptr && member->waiting <= would_have) member = nullptr;
    }
    if (member == nullptr) return std::nullopt;
    Item item = std::move(member->jobs.back().item);
    member->jobs.pop_back();
    Count({group, member}, -1, 0);
    Forget(group);
    return item;
  }

  // Takes out every waiting job.
  template <typename Each>
  void Clear(Each each) {
    for (auto& [name, group] : groups_) {
      for (auto& [inner, member] : group.members) {
        for (Waiting& job : member.jobs) each(std::move(job.item));
        Count({&group, &member}, -static_cast<ptrdiff_t>(member.jobs.size()), 0);
        member.jobs.clear();
      }
    }
  }

 private:
  struct Waiting {
    Item item;
    Kind kind = 0;
    bool barred = false;  // never an express job
  };
  // Mean costs of jobs, by kind.
  struct Costs {
    std::array<std::optional<absl::Duration>, kKinds> mean;
    void Learn(Kind kind, absl::Duration cost) {
      auto& m = mean[kind];
      m = m.has_value() ? *m + (cost - *m) / 8 : cost;
    }
  };
  struct Member : FairAccount {
    std::list<Waiting> jobs;
    Costs costs;
  };
  using Members = FairLevel<Member>;
  struct Group : FairAccount {
    Members members;
    Costs costs;
    absl::Duration recent;  // recent processor time
  };
  using Groups = FairLevel<Group>;
  // The two accounts of an owner.
  struct Line {
    Group* group = nullptr;
    Member* member = nullptr;
  };
  struct Running {
    Group* group = nullptr;
    Member* member = nullptr;
    Kind kind = 0;
    bool barred = false;
    absl::Duration since;
    absl::Duration reckoned;
  };
  // When a job is expected to begin, by the clock of the groups and by that of its owner's group.
  struct Start {
    absl::Duration of, in_group;
  };
  struct Verdict {
    bool has = false;
    absl::Duration at;
  };

  Line Find(const Owner& owner) {
    Group* group = groups_.Find(owner.group);
    return {group, group == nullptr ? nullptr : group->members.Find(owner.member)};
  }
  static auto At(const Line& line, const Item& item) {
    auto& jobs = line.member->jobs;
    return std::find_if(jobs.begin(), jobs.end(), [&](const Waiting& w) { return w.item == item; });
  }

  void Add(const Owner& owner, Waiting job) {
    Group* group = groups_.FindOrAdd(owner.group);
    Member* member = group->members.FindOrAdd(owner.member);
    if (!group->Waits()) groups_.Come(group, ++last_);
    if (!member->Waits()) group->members.Come(member, ++last_);
    member->jobs.push_back(std::move(job));
    Count({group, member}, 1, 0);
  }

  void Count(const Line& line, ptrdiff_t waiting, ptrdiff_t running) {
    line.group->members.Count(line.member, waiting, running);
    groups_.Count(line.group, waiting, running);
    size_ += static_cast<size_t>(waiting);
    express_.reset();
  }

  static absl::Duration Guess(const Group& group, const Member& member, Kind kind) {
    return member.costs.mean[kind].value_or(group.costs.mean[kind].value_or(kFirstGuess));
  }

  // Returns the expected start of an owner's job that has `before` jobs of the owner in front of it
  // (nothing: all that wait). Each other member of the group has its turns in between.
  Start StartOf(const Owner& owner, std::optional<size_t> before) {
    const Line line = Find(owner);
    if (line.group == nullptr) return {groups_.clock(), absl::ZeroDuration()};
    const auto& members = line.group->members;
    const size_t own = line.member == nullptr ? 0 : before.value_or(line.member->waiting);
    absl::Duration all, mine;
    for (const Member* member : members.waiting()) {
      const size_t jobs = member == line.member ? own : std::min(member->waiting, own + 1);
      const absl::Duration time =
          static_cast<int64_t>(jobs) * Guess(*line.group, *member, member->jobs.front().kind);
      all += time;
      if (member == line.member) mine = time;
    }
    const absl::Duration at = line.member == nullptr ? members.clock() : line.member->at();
    return {std::max(groups_.clock(), line.group->at()) + all,
            std::max(members.clock(), at) + mine};
  }

  // Returns the group's next member among those with an express job; or null.
  Member* LeastExpressOf(const Group& group) const {
    const absl::Duration latest = group.members.Foremost() + kExpressLead;
    return group.members.Least([&](const Member* m) {
      return m->running == 0 && m->at() <= latest && !m->jobs.front().barred &&
             Guess(group, *m, m->jobs.front().kind) <= kExpressLength;
    });
  }
  // Returns the accounts of the next express job; null: there is none.
  Line LeastExpress() const {
    const absl::Duration latest = groups_.Foremost() + kExpressLead;
    Group* group = groups_.Least(
        [&](const Group* g) { return g->at() <= latest && LeastExpressOf(*g) != nullptr; });
    return {group, group == nullptr ? nullptr : LeastExpressOf(*group)};
  }

  std::optional<Taken> TakeOf(const Line& line, absl::Duration now) {
    Waiting job = std::move(line.member->jobs.front());
    ++last_;
    groups_.Serve(line.group, last_);
    line.group->members.Serve(line.member, last_);
    line.member->jobs.pop_front();
    Count(line, -1, 1);
    Running& running = running_[last_];
    running = {line.group, line.member, job.kind, job.barred, now, absl::ZeroDuration()};
    Expect(&running, Guess(*line.group, *line.member, job.kind));
    return Taken{std::move(job.item), last_};
  }

  void Expect(Running* running, absl::Duration cost) {
    running->group->ahead += cost - running->reckoned;
    running->member->ahead += cost - running->reckoned;
    running->reckoned = cost;
  }

  // Raises the expected cost of running jobs to the time they have run.
  void Reckon(absl::Duration now) {
    for (auto& [turn, running] : running_) {
      if (now - running.since > running.reckoned) Expect(&running, now - running.since);
    }
  }

  // Charges a job's real cost.
  void Settle(Running& running, absl::Duration cost) {
    groups_.Charge(running.group, cost);
    running.group->members.Charge(running.member, cost);
    running.group->costs.Learn(running.kind, cost);
    running.member->costs.Learn(running.kind, cost);
    running.group->recent += cost;
    recent_ += cost;
    if (recent_ > kRecent) HalveRecent();
  }

  // The job no longer runs; `waiting` (1 or 0): it waits again or not.
  void End(typename std::map<Turn, Running>::iterator it, ptrdiff_t waiting) {
    Running running = it->second;
    running_.erase(it);
    Expect(&running, absl::ZeroDuration());
    Count({running.group, running.member}, waiting, -1);
    Forget(running.group);
  }

  void HalveRecent() {
    recent_ = absl::ZeroDuration();
    for (auto& [name, group] : groups_) recent_ += group.recent /= 2;
  }

  void Forget(Group* group) {
    group->members.Forget(kMaxMembersAtRest);
    groups_.Forget(kMaxAtRest);
  }

  Groups groups_;
  std::map<Turn, Running> running_;
  uint64_t last_ = 0;  // of turns, and of accounts that begin to wait
  size_t size_ = 0;
  absl::Duration recent_;
  std::optional<Verdict> express_;  // until something changes
};

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_FAIR_QUEUE_H_
