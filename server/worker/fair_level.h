// Accounts of processor time on one level of a fair queue (fair_queue.h), and the level's clock.
//
// An account's tag is the clock at which it came, plus the processor time that its jobs have had
// since. The clock is the time that an account which is always at work has had, if all had equal
// shares. Whenever a job ends, the clock advances by the job's cost divided by the number of
// accounts at work, but not past the tag of the account that had the job; and it is never less than
// the tag of the account that is next. It does not depend on which accounts wait: a steady flow of
// accounts that come for one job each advances it like all other work, so they do not pass an
// account that has waited meanwhile.
//
// A running job is expected to cost its guess, or the time that it has run if that is more. Only
// comparisons use this; tags and the clock use the real costs.
//
// An account that begins to wait starts at the clock, or at its tag if that is more: it then has a
// debt. Accounts at rest are kept up to a bound; those with the smallest debts are forgotten.
#ifndef KILN_SERVER_WORKER_FAIR_LEVEL_H_
#define KILN_SERVER_WORKER_FAIR_LEVEL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/time/time.h"

namespace kiln::worker {

struct FairAccount {
  absl::Duration tag;
  absl::Duration ahead;  // expected cost of its running jobs
  size_t waiting = 0;
  size_t running = 0;
  uint64_t served = 0;  // sequence number of its last service
  uint64_t came = 0;    // sequence number of its last beginning to wait
  size_t place = 0;     // index in waiting_, while it waits
  absl::Duration at() const { return tag + ahead; }
  bool AtRest() const { return waiting == 0 && running == 0; }
  bool Waits() const { return waiting > 0; }
};

// `Account`: derived from FairAccount.
template <typename Account>
class FairLevel {
 public:
  auto begin() { return accounts_.begin(); }
  auto end() { return accounts_.end(); }
  auto begin() const { return accounts_.begin(); }
  auto end() const { return accounts_.end(); }
  size_t size() const { return accounts_.size(); }
  // Returns null if there is none of that name. Pointers stay valid until an account is forgotten.
  Account* Find(const std::string& name) {
    const auto it = accounts_.find(name);
    return it == accounts_.end() ? nullptr : &it->second;
  }
  Account* FindOrAdd(const std::string& name) { return &accounts_[name]; }
  // The accounts with waiting jobs, in no order.
  const std::vector<Account*>& waiting() const { return waiting_; }
  absl::Duration clock() const { return clock_; }
  // Number of accounts with a job that waits or runs.
  size_t at_work() const { return at_work_; }

  // Adds to the account's numbers of waiting and running jobs.
  void Count(Account* account, ptrdiff_t waiting, ptrdiff_t running) {
    if (!account->AtRest()) --at_work_;
    if (account->Waits()) Leave(account);
    account->waiting += static_cast<size_t>(waiting);
    account->running += static_cast<size_t>(running);
    if (account->Waits()) Enter(account);
    if (!account->AtRest()) ++at_work_;
    // When none is at work, none is ahead of another.
    if (at_work_ == 0) clock_ = std::max(clock_, largest_);
  }

  // Called before an account without waiting jobs gets one. `number` grows from call to call.
  void Come(Account* account, uint64_t number) {
    account->tag = std::max(account->tag, clock_ - account->ahead);
    account->came = number;
  }

  // A job of the account is taken. It is the next account, unless the job is an express job.
  void Serve(Account* account, uint64_t number) {
    account->served = number;
    if (const Account* least = Least()) clock_ = std::max(clock_, least->tag);
  }

  // Charges a job's cost to the account, which is still at work.
  void Charge(Account* account, absl::Duration cost) {
    account->tag += cost;
    largest_ = std::max(largest_, account->tag);
    const absl::Duration share = cost / static_cast<int64_t>(std::max<size_t>(at_work_, 1));
    clock_ = std::max(clock_, std::min(clock_ + share, account->tag));
  }

  // Returns the next account among those that wait and fit; null: there is none.
  template <typename Fits>
  Account* Least(Fits fits) const {
    Account* least = nullptr;
    for (Account* a : waiting_) {
      if ((least == nullptr || Precedes(*a, *least)) && fits(a)) least = a;
    }
    return least;
  }
  Account* Least() const {
    return Least([](const Account*) { return true; });
  }

  // Returns the account with most waiting jobs, except `but`; among equals the one that had most
  // time, and then the one that came last. Null: none waits.
  Account* Most(const Account* but) const {
    const auto rank = [](const Account* a) { return std::tuple(a->waiting, a->at(), a->came); };
    Account* most = nullptr;
    for (Account* a : waiting_) {
      if (a != but && (most == nullptr || rank(a) > rank(most))) most = a;
    }
    return most;
  }

  // Accounts that have had more than this are ahead of the others. At least the least of those that
  // wait, whatever the clock is.
  absl::Duration Foremost() const {
    const Account* least = Least();
    return least == nullptr ? clock_ : std::max(clock_, least->at());
  }

  // Forgets accounts at rest down to `most`, once there are half as many more.
  void Forget(size_t most) {
    if (accounts_.size() - at_work_ <= most + most / 2) return;
    using Iterator = typename Accounts::iterator;
    std::vector<Iterator> rest;
    for (auto it = begin(); it != end(); ++it) {
      if (it->second.AtRest()) rest.push_back(it);
    }
    const auto rank = [](Iterator it) { return std::tuple(it->second.tag, it->second.served); };
    const auto kept = rest.end() - static_cast<ptrdiff_t>(most);
    std::nth_element(rest.begin(), kept, rest.end(),
                     [&](Iterator a, Iterator b) { return rank(a) < rank(b); });
    for (auto it = rest.begin(); it != kept; ++it) accounts_.erase(*it);
  }

 private:
  using Accounts = std::map<std::string, Account>;

  static bool Precedes(const Account& a, const Account& b) {
    return std::tuple(a.at(), a.served, a.came) < std::tuple(b.at(), b.served, b.came);
  }

  void Enter(Account* account) {
    account->place = waiting_.size();
    waiting_.push_back(account);
  }
  void Leave(Account* account) {
    waiting_.back()->place = account->place;
    waiting_[account->place] = waiting_.back();
    waiting_.pop_back();
  }

  Accounts accounts_;
  std::vector<Account*> waiting_;
  absl::Duration clock_;
  absl::Duration largest_;  // largest tag so far
  size_t at_work_ = 0;
};

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_FAIR_LEVEL_H_
