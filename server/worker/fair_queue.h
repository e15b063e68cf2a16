// A queue that shares processor time fairly: between groups of owners, and within a group between
// its members.
//
// Problem: in the order of arrival whoever sends most gets most, and a job of two milliseconds
// waits for all that came before it. Counted in jobs, one who sends long ones gets most.
//
// Algorithm: start-time fair queueing (Goyal, Vin, Cheng: "Start-time Fair Queueing", SIGCOMM
// 1996), on two levels. Each group has a tag, the processor time that it has had, and the next job
// is of the group with the least tag; within it of the member with the least, each of whose jobs go
// in the order in which they came. The clock of a level is the least tag that waited when a job was
// taken, and never goes back. An owner without waiting jobs comes back at the clock: time that it
// did not ask for is not saved up, and what it had beyond the others stays a debt as long as these
// are at work. So the shares of those who always have jobs waiting come to differ by at most about
// a job's length, however many members a group has and however long the jobs are.
//
// What a job costs is known when it is over. It is charged a guess when it is taken (the mean of
// its owner's last jobs), what it has run beyond that as time goes on, and the difference to what
// it really cost in the end.
//
// An express job is one that need not wait for a running one: its owner is not ahead of the others
// who wait by more than kExpressLead, has nothing running, and is guessed to need at most
// kExpressLength. An owner that is not known yet is given the benefit of the doubt.
//
// A full queue has room for a newcomer whose group, and member, waits with fewer jobs than others:
// the last job of the one that has the most gives way. So the share of the places is as fair.
//
// Cost: the next job is found by a look at each group with waiting jobs, and at each such member of
// one of them. Deterministic: equal tags go by who was served longest ago, then by the owners'
// names. Time comes from outside. Not thread-safe.
#ifndef KILN_SERVER_WORKER_FAIR_QUEUE_H_
#define KILN_SERVER_WORKER_FAIR_QUEUE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "server/worker/owner.h"

namespace kiln::worker {

template <typename Item>
class FairQueue {
 public:
  // Of an owner without finished jobs.
  static constexpr absl::Duration kFirstGuess = absl::Milliseconds(5);
  static constexpr absl::Duration kExpressLead = absl::Milliseconds(50);
  static constexpr absl::Duration kExpressLength = absl::Milliseconds(100);
  // After so much processor time of all what was used before counts half (busiest_share).
  static constexpr absl::Duration kRecent = absl::Seconds(30);
  // Groups, and members of one, at rest and without debts that are remembered; more are forgotten.
  static constexpr size_t kMostAtRest = 256;
  static constexpr size_t kMostMembersAtRest = 16;

  // Of a job that was taken, until it is finished or put back.
  using Turn = uint64_t;
  struct Taken {
    Item item;
    Turn turn = 0;
  };

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_t running() const { return running_.size(); }
  // Groups with a job that waits or runs.
  size_t groups() const {
    return static_cast<size_t>(std::count_if(groups_.begin(), groups_.end(),
                                             [](const auto& g) { return !g.second.AtRest(); }));
  }
  // Owners that are remembered, and groups.
  size_t accounts() const {
    size_t accounts = groups_.size();
    for (const auto& [name, group] : groups_) accounts += group.members.size();
    return accounts;
  }
  // What part of the processor time used of late the group had that had most; 0: none was used.
  double busiest_share() const {
    absl::Duration most;
    for (const auto& [name, group] : groups_) most = std::max(most, group.recent);
    return recent_ == absl::ZeroDuration() ? 0 : absl::FDivDuration(most, recent_);
  }

  void Push(const Owner& owner, Item item) {
    MemberOf(owner, [&](Group& group, Member& member) {
      member.items.push_back(std::move(item));
      Count(group, member, 1);
    });
  }

  // The next job. `now`, here as below: of any clock that is never set back.
  std::optional<Taken> Take(absl::Duration now) {
    Refresh(now);
    return TakeOf(Least(groups_, Waits), now, Waits);
  }

  // The next express job, if there is one.
  std::optional<Taken> TakeExpress(absl::Duration now) {
    Refresh(now);
    const auto group = LeastExpress();
    return TakeOf(group, now, ExpressOf(group));
  }
  bool HasExpress(absl::Duration now) {
    Refresh(now);
    return LeastExpress() != groups_.end();
  }

  // The job of that turn is over and has cost so much.
  void Finish(Turn turn, absl::Duration cost) {
    const auto it = running_.find(turn);
    if (it == running_.end()) return;
    Group& group = groups_[it->second.owner.group];
    Member& member = group.members[it->second.owner.member];
    Charge(&group, &member, cost - it->second.charged);
    member.Learn(cost);
    group.recent += cost;
    recent_ += cost;
    End(it, &group, &member);
    if (recent_ > kRecent) HalveRecent();
    Forget(&group);
  }

  // The job of that turn was not begun: it is its owner's next again, at no cost.
  void PutBack(Turn turn, Item item) {
    const auto it = running_.find(turn);
    if (it == running_.end()) return;
    Group& group = groups_[it->second.owner.group];
    Member& member = group.members[it->second.owner.member];
    Charge(&group, &member, -it->second.charged);
    member.items.push_front(std::move(item));
    Count(group, member, 1);
    End(it, &group, &member);
  }

  // A waiting job is wanted no more. False: it does not wait.
  bool Remove(const Owner& owner, const Item& item) {
    const auto group = groups_.find(owner.group);
    if (group == groups_.end()) return false;
    const auto member = group->second.members.find(owner.member);
    if (member == group->second.members.end()) return false;
    auto& items = member->second.items;
    const auto at = std::find(items.begin(), items.end(), item);
    if (at == items.end()) return false;
    items.erase(at);
    Count(group->second, member->second, -1);
    Forget(&group->second);
    return true;
  }

  // Makes room for a job of `newcomer`: the last waiting job of whoever has most. Nothing: that is
  // the newcomer, with the job that it wants to bring.
  std::optional<Item> Displace(const Owner& newcomer) {
    if (empty()) return std::nullopt;
    const auto group = Most(groups_, newcomer.group);
    if (group == groups_.end()) return std::nullopt;
    auto& members = group->second.members;
    const bool own = group->first == newcomer.group;
    const auto member = own ? Most(members, newcomer.member) : Most(members, std::nullopt);
    if (member == members.end() || (own && member->first == newcomer.member)) return std::nullopt;
    Item item = std::move(member->second.items.back());
    member->second.items.pop_back();
    Count(group->second, member->second, -1);
    Forget(&group->second);
    return item;
  }

  // Takes out every waiting job.
  template <typename Each>
  void Clear(Each each) {
    for (auto& [name, group] : groups_) {
      for (auto& [inner, member] : group.members) {
        for (Item& item : member.items) each(std::move(item));
        Count(group, member, -static_cast<ptrdiff_t>(member.items.size()));
        member.items.clear();
      }
    }
  }

 private:
  // What groups and members have in common.
  struct Account {
    absl::Duration tag;
    size_t waiting = 0;
    size_t running = 0;
    uint64_t served = 0;  // when last, by number
    bool AtRest() const { return waiting == 0 && running == 0; }
  };
  struct Member : Account {
    std::deque<Item> items;
    absl::Duration guess = kFirstGuess;
    bool known = false;
    void Learn(absl::Duration cost) {
      guess = known ? guess + (cost - guess) / 8 : cost;
      known = true;
    }
  };
  // A level of accounts.
  struct Clock {
    absl::Duration now;      // the least tag that waited when a job was taken; never goes back
    absl::Duration largest;  // tag that there was
    size_t sweep_at = kMostMembersAtRest;  // accounts, at which some are forgotten
  };
  struct Group : Account {
    std::map<std::string, Member> members;
    Clock clock;
    absl::Duration recent;  // processor time, of late
  };
  struct Running {
    Owner owner;
    absl::Duration charged;
    absl::Duration since;
  };
  using Groups = std::map<std::string, Group>;

  // Calls `change` with the owner's accounts, which are made if need be.
  template <typename Change>
  void MemberOf(const Owner& owner, Change change) {
    Group& group = groups_[owner.group];
    Member& member = group.members[owner.member];
    if (group.waiting == 0) group.tag = std::max(group.tag, clock_.now);
    if (member.waiting == 0) member.tag = std::max(member.tag, group.clock.now);
    change(group, member);
  }

  void Count(Group& group, Member& member, ptrdiff_t more) {
    group.waiting += static_cast<size_t>(more);
    member.waiting += static_cast<size_t>(more);
    size_ += static_cast<size_t>(more);
  }

  static bool Waits(const Account& account) { return account.waiting > 0; }

  template <typename Accounts, typename Fits>
  static auto Least(Accounts& accounts, Fits fits) {
    auto least = accounts.end();
    for (auto it = accounts.begin(); it != accounts.end(); ++it) {
      if (!fits(it->second)) continue;
      if (least == accounts.end() || it->second.tag < least->second.tag ||
          (it->second.tag == least->second.tag && it->second.served < least->second.served)) {
        least = it;
      }
    }
    return least;
  }

  // Who has most waiting jobs, `newcomer` one more than now; of equals the one that had most time.
  template <typename Accounts>
  static auto Most(Accounts& accounts, const std::optional<std::string>& newcomer) {
    auto most = accounts.end();
    size_t jobs = newcomer.has_value() && accounts.find(*newcomer) == accounts.end() ? 1 : 0;
    for (auto it = accounts.begin(); it != accounts.end(); ++it) {
      const size_t own = it->second.waiting + (it->first == newcomer ? 1 : 0);
      if (own < jobs || own == 0) continue;
      if (own > jobs || most == accounts.end() || it->second.tag > most->second.tag) most = it;
      jobs = own;
    }
    return most;
  }

  // Of the members of that group, those that have an express job.
  auto ExpressOf(typename Groups::iterator group) const {
    const absl::Duration latest = group == groups_.end()
                                      ? absl::ZeroDuration()
                                      : LatestExpress(group->second.members, group->second.clock);
    return [latest](const Member& m) {
      return m.waiting > 0 && m.running == 0 && m.tag <= latest && m.guess <= kExpressLength;
    };
  }
  // The tag up to which an account is not ahead of others: of those that wait one is the least,
  // whatever the clock says.
  template <typename Accounts>
  static absl::Duration LatestExpress(Accounts& accounts, const Clock& clock) {
    const auto least = Least(accounts, Waits);
    const absl::Duration tag = least == accounts.end() ? clock.now : least->second.tag;
    return std::max(clock.now, tag) + kExpressLead;
  }
  typename Groups::iterator LeastExpress() {
    const absl::Duration latest = LatestExpress(groups_, clock_);
    auto least = groups_.end();
    for (auto it = groups_.begin(); it != groups_.end(); ++it) {
      if (it->second.waiting == 0 || it->second.tag > latest) continue;
      if (least != groups_.end() && least->second.tag <= it->second.tag) continue;
      auto& members = it->second.members;
      if (Least(members, ExpressOf(it)) != members.end()) least = it;
    }
    return least;
  }

  template <typename Fits>
  std::optional<Taken> TakeOf(typename Groups::iterator at, absl::Duration now, Fits fits) {
    if (at == groups_.end()) return std::nullopt;
    Group& group = at->second;
    const auto found = Least(group.members, fits);
    Member& member = found->second;
    // An express job may be taken ahead of the clock, which does not follow it past others that
    // wait.
    clock_.now = std::max(clock_.now, Least(groups_, Waits)->second.tag);
    group.clock.now = std::max(group.clock.now, Least(group.members, Waits)->second.tag);
    Taken taken{std::move(member.items.front()), ++last_turn_};
    member.items.pop_front();
    Count(group, member, -1);
    for (Account* account : {static_cast<Account*>(&group), static_cast<Account*>(&member)}) {
      ++account->running;
      account->served = last_turn_;
    }
    running_[taken.turn] = {{at->first, found->first}, member.guess, now};
    Charge(&group, &member, member.guess);
    return taken;
  }

  void Charge(Group* group, Member* member, absl::Duration time) {
    group->tag += time;
    member->tag += time;
    clock_.largest = std::max(clock_.largest, group->tag);
    group->clock.largest = std::max(group->clock.largest, member->tag);
  }

  // Charges running jobs what they have run beyond their guess.
  void Refresh(absl::Duration now) {
    for (auto& [turn, running] : running_) {
      const absl::Duration beyond = now - running.since - running.charged;
      if (beyond <= absl::ZeroDuration()) continue;
      Group& group = groups_[running.owner.group];
      Charge(&group, &group.members[running.owner.member], beyond);
      running.charged += beyond;
    }
  }

  void End(typename std::map<Turn, Running>::iterator it, Group* group, Member* member) {
    --group->running;
    --member->running;
    running_.erase(it);
    // With nobody at work nobody is ahead of anybody.
    if (group->AtRest()) group->clock.now = group->clock.largest;
    if (running_.empty() && empty()) clock_.now = clock_.largest;
  }

  void HalveRecent() {
    recent_ = absl::ZeroDuration();
    for (auto& [name, group] : groups_) recent_ += group.recent /= 2;
  }

  // Forgets those at rest who owe nothing, when more have come than there is room for.
  void Forget(Group* group) {
    const auto paid = [](const Clock& clock) {
      return [&clock](const auto& a) { return a.second.AtRest() && a.second.tag <= clock.now; };
    };
    if (group->members.size() > group->clock.sweep_at) {
      std::erase_if(group->members, paid(group->clock));
      group->clock.sweep_at = group->members.size() + kMostMembersAtRest;
    }
    if (groups_.size() > clock_.sweep_at) {
      std::erase_if(groups_, paid(clock_));
      clock_.sweep_at = groups_.size() + kMostAtRest;
    }
  }

  Groups groups_;
  Clock clock_;
  std::map<Turn, Running> running_;
  Turn last_turn_ = 0;
  size_t size_ = 0;
  absl::Duration recent_;
};

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_FAIR_QUEUE_H_
