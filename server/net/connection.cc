// Keeps accepted connections by their gRPC names: see connection.h.
#include "server/net/connection.h"

#include <chrono>
#include <utility>

#include "server/net/peer.h"

namespace kiln::net {

absl::Duration Uptime() {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

void ConnectionTable::Enter(const std::string& peer, std::shared_ptr<Connection> connection) {
  absl::MutexLock lock(&mutex_);
  by_peer_[peer] = std::move(connection);
}

void ConnectionTable::Remove(const std::string& peer, const Connection* connection) {
  absl::MutexLock lock(&mutex_);
  const auto it = by_peer_.find(peer);
  if (it != by_peer_.end() && it->second.get() == connection) by_peer_.erase(it);
}

OpenCall ConnectionTable::Begin(std::string peer) const {
  std::shared_ptr<Connection> connection;
  {
    const std::string name = PeerName(std::move(peer));
    absl::MutexLock lock(&mutex_);
    const auto it = by_peer_.find(name);
    if (it != by_peer_.end()) connection = it->second;
  }
  return OpenCall(std::move(connection));
}

}  // namespace kiln::net
