// The owner of a piece of work: fair_queue.h shares time among owners.
//
// Opaque: the queue only compares owners. Today the group is the address of a client and the member
// its connection (server/net/peer.h makes both); another way to tell clients apart would be another
// pair.
#ifndef KILN_SERVER_WORKER_OWNER_H_
#define KILN_SERVER_WORKER_OWNER_H_

#include <string>

namespace kiln::worker {

struct Owner {
  std::string group;
  std::string member;
  bool operator==(const Owner& other) const = default;
};

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_OWNER_H_
