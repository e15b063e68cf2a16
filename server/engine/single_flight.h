// Single flight: identical work in flight is done once, and stopped when its last waiter leaves.
//
// The first to Join a key leads: it starts the work and calls Finish, and registers with
// IfAbandoned how to stop the work. Later joiners only wait. A waiter may Leave; when the last one
// has left, the flight is gone (a later Join begins a new one) and the work is stopped. Waiters
// have owners (worker/owner.h), and the work is charged to one of them: WhenOwnersChange registers
// how to choose that one again. All callbacks are called without locks held; all but that of
// WhenOwnersChange are called at most once.
#ifndef KILN_SERVER_ENGINE_SINGLE_FLIGHT_H_
#define KILN_SERVER_ENGINE_SINGLE_FLIGHT_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "server/worker/owner.h"

namespace kiln::server {

template <typename Result>
class SingleFlight {
 public:
  // `leader`: true if this waiter's Join began the flight.
  using Waiter = std::function<void(const Result& result, bool leader)>;

  struct Ticket {
    uint64_t flight = 0;
    uint64_t waiter = 0;
  };
  struct Joined {
    Ticket ticket;
    bool leads = false;
  };

  // Joins the flight of `key`, or begins it. An empty key equals no other key, not even another
  // empty one: it always begins a flight.
  Joined Join(const std::string& key, Waiter waiter, const worker::Owner& owner = {}) {
    std::function<void()> changed;
    const Joined joined = JoinLocked(key, std::move(waiter), owner, &changed);
    if (changed) changed();
    return joined;
  }

  // Registers a callback for when the flight gets the first waiter of an owner or loses the last
  // one of an owner, and goes on.
  void WhenOwnersChange(uint64_t flight, std::function<void()> changed) {
    absl::MutexLock lock(&mutex_);
    auto it = flights_.find(flight);
    if (it != flights_.end()) it->second.changed = std::move(changed);
  }

  // Adds the owners of the flight's waiters to `owners`, each once.
  void AddOwners(uint64_t flight, std::vector<worker::Owner>* owners) const {
    absl::MutexLock lock(&mutex_);
    auto it = flights_.find(flight);
    if (it == flights_.end()) return;
    for (const Entry& w : it->second.waiters) {
      if (std::find(owners->begin(), owners->end(), w.owner) == owners->end()) {
        owners->push_back(w.owner);
      }
    }
  }

  // Registers a callback for when the last waiter has left; replaces an earlier one. Called at once
  // if the flight is over already.
  void IfAbandoned(uint64_t flight, std::function<void()> stop) {
    {
      absl::MutexLock lock(&mutex_);
      auto it = flights_.find(flight);
      if (it != flights_.end()) {
        it->second.stop = std::move(stop);
        return;
      }
    }
    stop();
  }

  // Takes the waiter out: it is not called afterwards, unless the call has begun already.
  void Leave(Ticket ticket) {
    TakeOut(ticket.flight, [&](const Entry& w) { return w.id == ticket.waiter; });
  }

  // Takes out the waiters of `owner` and tells them `result`; waiters of other owners go on
  // waiting. If there are none, the flight is abandoned as if its last waiter had left.
  void FinishFor(uint64_t flight, const worker::Owner& owner, const Result& result) {
    for (Entry& w : TakeOut(flight, [&](const Entry& w) { return w.owner == owner; })) {
      w.call(result, w.leads);
    }
  }

  // Ends the flight and tells its waiters. Does nothing when the flight is over already.
  void Finish(uint64_t flight, const Result& result) {
    std::vector<Entry> waiters;
    {
      absl::MutexLock lock(&mutex_);
      auto it = flights_.find(flight);
      if (it == flights_.end()) return;
      waiters = std::move(it->second.waiters);
      Erase(it);
    }
    for (Entry& w : waiters) w.call(result, w.leads);
  }

  size_t size() const {
    absl::MutexLock lock(&mutex_);
    return flights_.size();
  }

 private:
  struct Entry {
    Entry(uint64_t id, bool leads, worker::Owner owner, Waiter call)
        : id(id), leads(leads), owner(std::move(owner)), call(std::move(call)) {}
    uint64_t id;
    bool leads;
    worker::Owner owner;
    Waiter call;
  };
  struct Flight {
    std::string key;
    std::vector<Entry> waiters;
    std::function<void()> stop;
    std::function<void()> changed;
    bool Has(const worker::Owner& owner) const {
      return std::any_of(waiters.begin(), waiters.end(),
                         [&](const Entry& w) { return w.owner == owner; });
    }
  };
  using Flights = absl::flat_hash_map<uint64_t, Flight>;

  Joined JoinLocked(const std::string& key, Waiter waiter, const worker::Owner& owner,
                    std::function<void()>* changed) {
    absl::MutexLock lock(&mutex_);
    uint64_t id = 0;
    if (!key.empty()) {
      auto it = by_key_.find(key);
      if (it != by_key_.end()) id = it->second;
    }
    bool leads = id == 0;
    if (leads) {
      id = ++last_id_;
      flights_[id].key = key;
      if (!key.empty()) by_key_[key] = id;
    }
    Joined joined{{id, ++last_id_}, leads};
    Flight& flight = flights_[id];
    if (!flight.Has(owner)) *changed = flight.changed;
    flight.waiters.emplace_back(joined.ticket.waiter, leads, owner, std::move(waiter));
    return joined;
  }

  // Takes those waiters out of the flight, and calls the flight's callback that this calls for, if
  // any.
  template <typename Is>
  std::vector<Entry> TakeOut(uint64_t flight, Is is) {
    std::vector<Entry> out;
    std::function<void()> next;
    {
      absl::MutexLock lock(&mutex_);
      auto it = flights_.find(flight);
      if (it == flights_.end()) return out;
      auto& waiters = it->second.waiters;
      const auto rest = std::stable_partition(waiters.begin(), waiters.end(),
                                              [&](const Entry& w) { return !is(w); });
      out.assign(std::make_move_iterator(rest), std::make_move_iterator(waiters.end()));
      waiters.erase(rest, waiters.end());
      if (waiters.empty()) {
        next = std::move(it->second.stop);
        Erase(it);
      } else if (!out.empty() && !it->second.Has(out.front().owner)) {
        next = it->second.changed;
      }
    }
    if (next) next();
    return out;
  }

  void Erase(typename Flights::iterator it) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (!it->second.key.empty()) by_key_.erase(it->second.key);
    flights_.erase(it);
  }

  mutable absl::Mutex mutex_;
  uint64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  Flights flights_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, uint64_t> by_key_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::server

#endif  // KILN_SERVER_ENGINE_SINGLE_FLIGHT_H_
