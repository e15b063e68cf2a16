// Single flight: identical work in flight is done once, and stopped only when nobody waits for it.
//
// The first to Join a key leads: it must see to the work and call Finish, and say with IfAbandoned
// how to stop the work. Others only wait. A waiter may Leave; when the last one has, the flight is
// gone (a later Join begins a new one) and the work is stopped. All callbacks are called without
// locks held and at most once.
#ifndef KILN_SERVER_SINGLE_FLIGHT_H_
#define KILN_SERVER_SINGLE_FLIGHT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"

namespace kiln::server {

template <typename Result>
class SingleFlight {
 public:
  // `leader`: whether this waiter's Join began the flight.
  using Waiter = std::function<void(const Result& result, bool leader)>;

  struct Ticket {
    uint64_t flight = 0;
    uint64_t waiter = 0;
  };
  struct Joined {
    Ticket ticket;
    bool leads = false;
  };

  // An empty key is like no other, not even itself: a flight of one's own.
  Joined Join(const std::string& key, Waiter waiter) {
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
    flights_[id].waiters.emplace_back(joined.ticket.waiter, leads, std::move(waiter));
    return joined;
  }

  // What to do when the last waiter has left; replaces an earlier one. Done at once when the flight
  // is over already.
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

  // The waiter will not be called, unless it is being called already.
  void Leave(Ticket ticket) {
    std::function<void()> stop;
    {
      absl::MutexLock lock(&mutex_);
      auto it = flights_.find(ticket.flight);
      if (it == flights_.end()) return;
      auto& waiters = it->second.waiters;
      std::erase_if(waiters, [&](const Entry& w) { return w.id == ticket.waiter; });
      if (!waiters.empty()) return;
      stop = std::move(it->second.stop);
      Erase(it);
    }
    if (stop) stop();
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
    Entry(uint64_t id, bool leads, Waiter call) : id(id), leads(leads), call(std::move(call)) {}
    uint64_t id;
    bool leads;
    Waiter call;
  };
  struct Flight {
    std::string key;
    std::vector<Entry> waiters;
    std::function<void()> stop;
  };
  using Flights = absl::flat_hash_map<uint64_t, Flight>;

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

#endif  // KILN_SERVER_SINGLE_FLIGHT_H_
