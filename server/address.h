// Addresses to listen on.
#ifndef KILN_SERVER_ADDRESS_H_
#define KILN_SERVER_ADDRESS_H_

#include <string>

#include "absl/status/status.h"

namespace kiln::server {

// Whether "HOST:PORT" can be listened on now. What libraries say of a port in use ranges from a log
// line to nothing; this says it clearly, naming `flag`. Port 0 is always free.
absl::Status CheckListenable(const std::string& flag, const std::string& address);

// `address` with its port replaced.
std::string WithPort(const std::string& address, int port);

}  // namespace kiln::server

#endif  // KILN_SERVER_ADDRESS_H_
